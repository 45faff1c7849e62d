"""`tengen analyze FILE.sgf… | FOLDER`: games come back with comments, marks and better lines; what was there stays."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill_sgf

from tengen import games
from tengen._core import Rng
from tengen.cli import main
from tengen.kifu import KifuError, deepest, kifu_text, line, parse_kifu
from tengen.kifu import annotated as annotated_module
from tengen.kifu.annotated import Annotated
from tengen.kifu.sgf_file import LARGEST_FILE

GO = """(;GM[1]FF[4]CA[GB18030]SZ[9]KM[6.5]PB[天元]PW[Bob]RE[W+R]C[A game \\] of two]XX[unknown]
;B[ee]BL[300];C[a thought];W[eg]TE[1](;B[ai]C[why?]LB[ai:A][ee:B]
(;W[cc];B[gc])(;W[gc]C[also];B[cc]))(;B[gc]N[better]))"""
BLUNDER = "(;TENGEN[tictactoe];B[b2];W[a1];B[a2];W[b1]%s;B[c3])"  # b1 lets c2 win, and c3 misses it


def analyze(*words: object) -> int:
    return main(["analyze", *map(str, words)])


def rows(capsys: pytest.CaptureFixture[str], *words: object) -> list[dict[str, Any]]:
    assert analyze(*words, "--json") == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def random_game(id: str, plies: int) -> list[str]:
    state, rng = games.make(id).start(), Rng(5, 0, 0, "opening")
    moves: list[str] = []
    while not state.is_terminal() and len(moves) < plies:
        legal = state.legal_actions()
        action = legal[rng.below(len(legal))]
        moves.append(state.move_text(action))
        state.apply(action)
    return moves


@pytest.mark.parametrize("id", ["tictactoe", "connect4", "gomoku:6,in_a_row=4", "othello", "hex:5"])
def test_every_move_is_judged_and_mistakes_are_marked(
    id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moves = random_game(id, 12)
    file = written(tmp_path / "one.sgf", kifu_text(id, None, line(moves), "sgf")["text"])
    (row,) = rows(capsys, file, "--sims", 24)
    assert (row["game"], row["moves"], Path(row["out"]).name) == (games.make(id).id, len(moves), "one.analyzed.sgf")
    text = (tmp_path / "one.analyzed.sgf").read_text()
    back = parse_kifu(text, None)
    nodes = list(deepest(back["tree"]))
    assert [node["move"] for node in nodes] == moves == [each["played"] for each in row["review"]]
    raw = sgfmill_sgf.Sgf_game.from_string(text).get_main_sequence()
    parent = back["tree"]
    kinds = set()
    for node, plain, each in zip(nodes, raw[1:], row["review"], strict=True):
        assert node["comment"].startswith("Tengen: ") and " ".join(each["pv"][:8]) in node["comment"]
        blacks = each["after"] if each["side"] == "first" else 100 - each["after"]
        assert float(plain.get_raw("SBKV")) == pytest.approx(blacks, abs=0.01)
        bad = each["kind"] in ("inaccuracy", "mistake", "blunder")
        assert [key for key in ("DO", "BM", "HO") if plain.has_property(key)] == {
            "inaccuracy": ["DO"], "mistake": ["BM", "HO"], "blunder": ["BM", "HO"]
        }.get(each["kind"], [])  # fmt: skip
        assert [child["move"] for child in parent["children"][1:]] == ([each["best"]] if bad else [])
        kinds.add(each["kind"])
        parent = node
    assert len(kinds) >= 2  # random moves are not all alike
    for kind, sides in row["mistakes"].items():
        assert sum(sides.values()) == sum(each["kind"] == kind for each in row["review"])


def test_a_blunder_is_called_one_and_the_better_line_stands_beside_it(tmp_path: Path) -> None:
    assert analyze(written(tmp_path / "a.sgf", BLUNDER % "TE[2]"), "--sims", 200) == 0
    tree = sgfmill_sgf.Sgf_game.from_bytes((tmp_path / "a.analyzed.sgf").read_bytes()).get_main_sequence()
    lets, misses = tree[4], tree[5]
    assert misses.get_raw("BM") == misses.get_raw("HO") == b"2"
    assert "blunder. Black's win rate 100.0 % → 0.0 %, a loss of 100.0 points. Best: c2" in misses.get("C")
    better = lets[1]
    assert better.get_raw("B") == b"c2" and "better" in better.get("C") and len(better) == 0
    # The file's own judgement of a move stays the only one: two would be against the standard.
    assert lets.get_raw("TE") == b"2" and not lets.has_property("BM") and "blunder" in lets.get("C")


def test_whatever_a_file_holds_stays(tmp_path: Path) -> None:
    source = written(tmp_path / "go.sgf", GO.encode("gb18030"))
    before = source.read_bytes()
    assert analyze(source, "--sims", 30, "--out", tmp_path / "new" / "folder") == 0
    assert source.read_bytes() == before
    game = sgfmill_sgf.Sgf_game.from_bytes((tmp_path / "new/folder/go.analyzed.sgf").read_bytes())
    root = game.get_root()
    assert (root.get("PB"), root.get("RE"), root.get_raw("XX"), root.get("CA")) == ("天元", "W+R", b"unknown", "UTF-8")
    assert root.get("C").startswith("A game ] of two\n\nAnalysed by Tengen: ")
    first, thought, reply, third = (root[0], root[0][0], root[0][0][0], root[0][0][0][0])
    assert first.get("BL") == 300 and thought.get("C") == "a thought" and reply.get("TE") == 1
    assert third.get("C").startswith("why?\n\nTengen: ") and third.get_raw_list("LB") == [b"ai:A", b"ee:B"]
    assert third[1].get("C") == "also" and third[1][0].get_move() == ("b", (6, 2))
    assert reply[1].get("N") == "better" and reply[1].get_move() == ("b", (6, 6))
    parse_kifu((tmp_path / "new/folder/go.analyzed.sgf").read_text(), None)


def test_a_handful_of_playouts_blames_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The spread of one playout is nothing: its error looked like none."""
    (row,) = rows(capsys, written(tmp_path / "go.sgf", GO.encode("gb18030")), "--player", "mcts:60")
    assert {each["kind"] for each in row["review"]} <= {"best", "good", "unsure"}
    assert "not sure" in (tmp_path / "go.analyzed.sgf").read_text()


def test_a_line_that_the_file_has_already_is_not_told_twice() -> None:
    record = Annotated("(;TENGEN[tictactoe];B[b2](;W[a1];B[c1])(;W[b1];B[a1]C[mine]))")
    state = games.make("tictactoe").from_moves("b2")
    record.add_line(state, ["b1", "a1", "c3"], "new")
    back = parse_kifu(record.text(), None)["tree"]["children"][0]["children"]
    assert [child["move"] for child in back] == ["a1", "b1"]
    (reply,) = back[1]["children"]
    assert back[1]["comment"] == "new" and reply["comment"] == "mine" and reply["children"][0]["move"] == "c3"


def test_no_line_is_added_that_would_make_a_file_too_large_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotated_module, "MOST_NODES", 4)
    record = Annotated("(;TENGEN[tictactoe];B[b2];W[a1])")
    record.add_line(games.make("tictactoe").from_moves("b2"), ["b1", "a1", "c3"], "new")
    assert record.text().count(";") == 1 + 4


@given(st.binary(max_size=20), st.integers(0, 400))
@settings(max_examples=150, deadline=None)
def test_what_can_be_read_can_be_written_and_is_the_same(damage: bytes, place: int) -> None:
    text = GO[:place] + damage.decode(errors="replace") + GO[place + len(damage) :]
    try:
        record = Annotated(text)
    except KifuError:
        return
    again = Annotated(record.text())
    assert (again.game, again.start, again.moves) == (record.game, record.start, record.moves)


def test_every_game_of_a_file_is_analyzed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path / "two.sgf", f"{BLUNDER % ''}\n(;TENGEN[connect4];B[4];W[4])")
    found = rows(capsys, file, "--sims", 20)
    assert [(row["number"], row["game"], row["moves"]) for row in found] == [(1, "tictactoe", 5), (2, "connect4", 2)]
    collection = (tmp_path / "two.analyzed.sgf").read_text()
    assert collection.count("Analysed by Tengen") == 2 and collection.count("TENGEN[") == 2


def test_a_folder_with_bad_files_among_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = BLUNDER % ""
    odd = ["a b.SGF", "[red]x[b].sgf", "-rf.sgf", "line\nbreak \x1b[31m.sgf", "天元 ☃.sgf", "%s{}.sgf"]
    for name in odd:
        written(tmp_path / name, good)
    raw = os.fsencode(tmp_path) + b"/\xff\xfe.sgf"
    with open(raw, "wb") as file:  # noqa: PTH123
        file.write(good.encode())
    bad = {
        "bad.sgf": b"(;GM[1]SZ[9];B[zz])", "binary.sgf": bytes(range(256)), "empty.sgf": b"", "none.sgf": b"(;GM[1])",
        "large.sgf": b"(;C[" + b"x" * LARGEST_FILE + b"])", "nodes.sgf": b"(" + b";" * 30_000 + b")",
        "many.sgf": b"(;)" * 1001, "turn.sgf": b"(;GM[1];B[aa];B[bb])", "second.sgf": b"(;TENGEN[hex:5];B[a1])(;B[zz]",
        "odd.sgf": b"(;TENGEN[gomoku:6,in_a_row=\xff]CA[zip];B[a1])",
    }  # fmt: skip
    for name, content in bad.items():
        written(tmp_path / name, content)
    (tmp_path / "inner.sgf").mkdir()
    os.mkfifo(tmp_path / "pipe.sgf")
    (tmp_path / "loop.sgf").symlink_to("loop.sgf")
    (tmp_path / "endless.sgf").symlink_to("/dev/zero")
    written(tmp_path / ".hidden.sgf", good)
    written(tmp_path / "old.analyzed.sgf", "not to be read")
    others = 4
    assert analyze(tmp_path, "--sims", 8) == 2
    out, errors = capsys.readouterr()
    lines = errors.splitlines()
    assert len(lines) == len(bad) + others and all(each.startswith("tengen analyze: ") for each in lines)
    assert "\x1b" not in out + errors and "Traceback" not in errors
    names = {os.fsencode(path.name) for path in tmp_path.iterdir()}
    made = {name for name in names if name.endswith(b".analyzed.sgf")}
    stems = [os.fsencode(name)[:-4] for name in odd] + [b"\xff\xfe", b"old"]
    assert made == {stem + b".analyzed.sgf" for stem in stems}
    assert (tmp_path / "old.analyzed.sgf").read_text() == "not to be read"
    assert not [name for name in names if name.endswith(b".tmp")]


def test_an_earlier_result_is_no_game_and_nothing_that_is_read_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = tmp_path / "one.sgf", tmp_path / "sub" / "one.sgf"
    two.parent.mkdir()
    for file in (one, two):
        written(file, BLUNDER % "")
    result = tmp_path / "one.analyzed.sgf"
    assert analyze(one, one, "--sims", 8) == 0 and analyze(one, result, "--sims", 8) == 0
    assert result.read_text().count("Analysed by Tengen") == 1
    (tmp_path / "link.sgf").symlink_to(result)
    complaints = {
        (one, two, "--out", tmp_path / "both"): "would both become",
        (one, tmp_path / "link.sgf"): "would be overwritten",
        (result,): "are results",
        (tmp_path / "sub", "connect4"): "neither a file",
        (one, "--tree", "x.svg"): "not for files",
        (one, "--position", "x"): "not for files",
        (one, "--out", one): "cannot make the folder",
        (tmp_path / "missing.sgf",): "No such file",
        (written(tmp_path / "no.sgf", "(;GM[4];B[hh];W[hh])"),): "no.sgf: move 2: ",
        (one, "--player", "random"): "does not search",
        (one, "--set", "search.nothing=1"): "nothing",
        ("connect4", "4", "--out", tmp_path): "--out is for files",
        ("connect4", "4", "44"): "unknown extra argument '44'; see tengen analyze --help",
    }
    for words, complaint in complaints.items():
        capsys.readouterr()
        assert analyze(*words) == 2, words
        errors = capsys.readouterr().err
        assert complaint in errors and errors.count("\n") == 1, errors
    empty = tmp_path / "empty"
    empty.mkdir()
    assert analyze(empty) == 2 and "there is no file" in capsys.readouterr().err


def test_a_folder_that_is_called_as_a_game_is_not_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tictactoe").mkdir()
    written(tmp_path / "tictactoe" / "a.sgf", BLUNDER % "")
    monkeypatch.chdir(tmp_path)
    assert analyze("tictactoe", "b2", "--sims", 8) == 0 and "8 visits" in capsys.readouterr().out
    assert analyze("./tictactoe", "--sims", 8) == 0 and "a.sgf" in capsys.readouterr().out


def test_the_same_file_is_judged_alike_whatever_was_judged_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = kifu_text("connect4", None, line(random_game("connect4", 6)), "sgf")["text"]
    files = [written(tmp_path / name, text) for name in ("a.sgf", "b.sgf")]
    first, second = rows(capsys, *files, "--sims", 40, "--player", "mcts:40")
    assert first["review"] == second["review"]


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_stopped_in_the_middle_finished_files_are_there_and_no_parts(tmp_path: Path, stop: signal.Signals) -> None:
    written(tmp_path / "a.sgf", BLUNDER % "")
    written(tmp_path / "b.sgf", kifu_text("connect4", None, line(random_game("connect4", 30)), "sgf")["text"])
    command = [sys.executable, "-m", "tengen", "analyze", str(tmp_path), "--player", "mcts:400000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "a.analyzed.sgf").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(stop)
    out, errors = process.communicate(timeout=60)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.analyzed.sgf", "a.sgf", "b.sgf"]
    assert parse_kifu((tmp_path / "a.analyzed.sgf").read_text(), None)["game"] == "tictactoe"
    if stop == signal.SIGINT:
        assert process.returncode == 130 and "a.sgf" in out and "b.sgf" not in out and "Traceback" not in errors
