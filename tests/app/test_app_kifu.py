"""Games in and out: every format, every game, branches, comments, set-up positions; and files that are damaged."""

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill_sgf

from support.appserver import at, serving
from tengen import games
from tengen._core import Rng
from tengen.games import Game, State
from tengen.kifu import About, KifuError, Tree, deepest, kifu_text, line, parse_kifu
from tengen.kifu.branches import MOST_NODES

DEFAULTS = games.names()
OTHERS = ["gomoku:9,rule=renju", "gomoku:6,in_a_row=4", "othello:6", "go:19,komi=-3.5", "go:5", "hex:5,swap=on"]
TOLD = About(("one", "another"), "W+0.5", "2024-05-31")
COMMENTS = ["good", "a ] bracket, a \\ backslash: (and; more)", "两行\n注释 天元", "", "x" * 500]


def random_tree(state: State, rng: Rng, depth: int, width: int = 2) -> Tree:
    """Some moves from a position, branching now and then."""
    root: Tree = {"move": None, "children": []}
    waiting = [(state.copy(), root, depth)]
    while waiting:
        position, node, left = waiting.pop()
        if comment := COMMENTS[rng.below(len(COMMENTS))]:
            node["comment"] = comment
        if left == 0 or position.is_terminal():
            continue
        legal = position.legal_actions()
        chosen = {legal[rng.below(len(legal))] for _ in range(1 + rng.below(width))}
        for action in sorted(chosen):
            child: Tree = {"move": position.move_text(action), "children": []}
            after = position.copy()
            after.apply(action)
            node["children"].append(child)
            waiting.append((after, child, left - 1))
    return root


def set_up(game: Game) -> str:
    state = game.start()
    for step in range(4):
        state.apply(state.legal_actions()[step % len(state.legal_actions())])
    return state.position_text()


def back(game: str, start: str | None, tree: Tree, format: str) -> dict[str, Any]:
    return parse_kifu(kifu_text(game, start, tree, format, TOLD)["text"], game)


@pytest.mark.parametrize("id", DEFAULTS + OTHERS)
@pytest.mark.parametrize("format", ["sgf", "json"])
def test_the_round_trip_is_exact(id: str, format: str) -> None:
    game = games.make(id)
    for seed in range(5):
        for start in (None, set_up(game)):
            first = game.position(start) if start else game.start()
            tree = random_tree(first, Rng(seed, 0, 0, "opening"), depth=7)
            told = {"game": game.id, "start": start, "tree": tree, **TOLD.to_dict()}
            assert back(id, start, tree, format) == told


@pytest.mark.parametrize("id", DEFAULTS + OTHERS)
def test_moves_and_positions_as_text(id: str) -> None:
    game = games.make(id)
    tree = random_tree(game.start(), Rng(1, 0, 0, "opening"), depth=9, width=1)
    moves = [node["move"] for node in deepest(tree)]
    text = kifu_text(id, None, tree, "moves")["text"]
    untold = About().to_dict()
    assert parse_kifu(text, id) == {"game": game.id, "start": None, "tree": line(moves), **untold}
    start = set_up(game)
    assert parse_kifu(start, id) == {"game": game.id, "start": start, "tree": line([]), **untold}
    assert parse_kifu("-", id)["tree"] == line([])


@pytest.mark.parametrize("id", ["go:19", "go:9", "connect4"])
def test_the_longest_games_fit(id: str) -> None:
    game = games.make(id)
    state, rng = game.start(), Rng(0, 0, 0, "opening")
    moves: list[str] = []
    while not state.is_terminal() and len(moves) < 1400:
        legal = [
            action for action in state.legal_actions() if state.move_text(action) != "pass"
        ] or state.legal_actions()
        action = legal[rng.below(len(legal))]
        moves.append(state.move_text(action))
        state.apply(action)
    with serving(Path("nowhere")) as server:
        for format in ("sgf", "json"):
            text = server.post("/api/export", {"game": id, "tree": line(moves), "format": format})["text"]
            tree = server.post("/api/parse", {"text": text})["tree"]
            assert [node["move"] for node in deepest(tree)] == moves


def test_go_is_written_as_other_programs_read_it() -> None:
    tree = line(["c3", "pass", "b4"])
    tree["children"][0]["children"].append({"move": "e5", "comment": "instead", "children": []})
    read = sgfmill_sgf.Sgf_game.from_string(kifu_text("go:5,komi=7.5", None, tree, "sgf")["text"])
    assert (read.get_size(), read.get_komi()) == (5, 7.5)
    assert [node.get_move() for node in read.get_main_sequence()[1:]] == [("b", (2, 2)), ("w", None), ("b", (3, 1))]
    assert read.get_root()[0][1].get("C") == "instead"


def test_a_file_says_who_played_how_it_ended_and_by_which_rules() -> None:
    about = About(("Ma ] Xiaochun", "天元"), None, "2024-05-31")
    ended = line(["c3", "pass", "pass"])
    root = sgfmill_sgf.Sgf_game.from_string(kifu_text("go:5", None, ended, "sgf", about)["text"]).get_root()
    found = {key: root.get(key) for key in ("PB", "PW", "RE", "DT", "RU", "KM")}
    players = {"PB": "Ma ] Xiaochun", "PW": "天元"}
    assert found == players | {"RE": "B+18.5", "DT": "2024-05-31", "RU": "Chinese", "KM": 6.5}
    for format in ("sgf", "json"):
        told = parse_kifu(kifu_text("go:5", None, ended, format, about)["text"], None)
        expected = {"players": list(about.players), "result": "B+18.5", "date": "2024-05-31"}
        assert {key: told[key] for key in expected} == expected
        resigned = About(result="W+R")
        assert parse_kifu(kifu_text("go:5", None, line(["c3"]), format, resigned)["text"], None)["result"] == "W+R"
        going_on = parse_kifu(kifu_text("go:5", None, line(["c3"]), format)["text"], None)
        assert going_on["result"] is None and len(going_on["date"]) == 10 and going_on["players"] == [None, None]
    strange = '{"game": "go:5", "tree": {}, "players": [7, ""], "result": [], "date": "\\ud800"}'
    assert parse_kifu(strange, None) | About().to_dict() == parse_kifu(strange, None)


@pytest.mark.parametrize(("id", "moves", "result"), [
    ("connect4", "1 2 1 2 1 2 1", "B+"), ("tictactoe", "a1 b1 a2 b2 c3 b3", "W+"), ("hex:3", "a1 b1 a2 b2 a3", "B+"),
    ("tictactoe", "b2 a1 c1 a3 a2 c2 b1 b3 c3", "Draw"),
])  # fmt: skip
def test_every_game_has_its_result_in_sgf(id: str, moves: str, result: str) -> None:
    text = kifu_text(id, None, line(moves.split()), "sgf")["text"]
    told = parse_kifu(text, None)
    assert f"RE[{result}]" in text and told["result"] == result
    assert told["game"] == id and [node["move"] for node in deepest(told["tree"])] == moves.split()


def test_files_of_other_programs() -> None:
    def moves(text: str) -> tuple[str, list[str]]:
        found = parse_kifu(text, None)
        return found["game"], [node["move"] for node in deepest(found["tree"])]

    assert moves("(;GM[1]SZ[9]KM[6.5];B[ee];W[tt];B[])") == ("go:9", ["e5", "pass", "pass"])
    assert moves("(;GM[1];B[dd](;W[qq])(;W[dq];B[qd]))") == ("go:19", ["d16", "r3"])  # there is no column i
    assert moves("(;FF[4]GM[11]SZ[5];B[c3];W[A1])") == ("hex:5", ["c3", "a1"])
    assert moves("(;GM[4]SZ[15];B[hh];C[a thought];W[hi])") == ("gomoku:15", ["h8", "h7"])
    assert moves("(;GM[2]SZ[8];B[dc])") == ("othello", ["d3"])
    handicap = parse_kifu("(;GM[1]SZ[5]HA[2]AB[bb][dd];W[cc])", None)
    assert handicap["start"] == "...../.X.../...../...X./..... O"
    square = parse_kifu("(;GM[1]SZ[5]AB[aa:bb]AW[ee]PL[B];B[cc])", None)
    assert square["start"] == "XX.../XX.../...../...../....O X"


def test_a_node_without_a_move_adds_its_comment_to_the_last() -> None:
    tree = parse_kifu("(;GM[1]SZ[5]C[game];C[first];B[aa]C[one];C[two];W[bb])", None)["tree"]
    assert tree["comment"] == "game\nfirst" and tree["children"][0]["comment"] == "one\ntwo"
    assert tree["children"][0]["children"][0]["move"] == "b4"


@pytest.mark.parametrize(
    "text, code",
    [
        ("(;GM[1]SZ[9];B[ee]", "bad_sgf"),
        ("(;GM[1]SZ[9];B[ee", "bad_sgf"),
        ("(", "bad_sgf"),
        ("(;B)", "bad_sgf"),
        ("(;GM[1]SZ[9];B[zz])", "bad_sgf"),
        ("(;GM[1]SZ[9];B[ee];B[ed])", "bad_sgf"),
        ("(;GM[1]SZ[9];B[ee];AB[aa])", "bad_sgf"),
        ("(;GM[1]SZ[9];B[ee];W[ee])", "illegal_move"),
        ("(;GM[1]SZ[99];B[ee])", "unknown_game"),
        ("(;GM[1]SZ[9]KM[many];B[ee])", "unknown_game"),
        ("(;GM[6];B[ee])", "bad_sgf"),
        ("(;TENGEN[chess];B[e4])", "unknown_game"),
        ("(;TENGEN[connect4];B[9])", "illegal_move"),
        ("(;TENGEN[connect4]TENGENSTART[nonsense];B[1])", "bad_position"),
        ("(;GM[1]SZ[5]AB[aa]AW[aa][zz];B[bb])", "bad_sgf"),
        ("{", "bad_request"),
        ("{}", "bad_request"),
        ('{"game": "connect4", "start": 1, "tree": {}}', "bad_request"),
        ('{"game": "connect4", "start": null, "tree": {"children": [{}]}}', "bad_moves"),
        ('{"game": "connect4", "start": null, "tree": {"children": {}}}', "bad_moves"),
        ('{"game": "connect4", "start": null, "tree": []}', "bad_moves"),
        ('{"game": "connect4", "start": null, "tree": {"children": [{"move": "8"}]}}', "illegal_move"),
        ("4444444", "bad_moves"),
        ("./. X", "bad_position"),
    ],
)
def test_damaged_files_are_refused(text: str, code: str) -> None:
    with pytest.raises(KifuError) as error:
        parse_kifu(text, "connect4")
    assert error.value.code == code and str(error.value)


@given(st.binary(max_size=60), st.integers(0, 400), st.sampled_from(["go:9", "connect4", "hex:5,swap=on"]))
@example(b"", 0, "go:9")
@settings(max_examples=200)
def test_no_damage_breaks_the_reader(damage: bytes, place: int, id: str) -> None:
    game = games.make(id)
    text = kifu_text(id, None, random_tree(game.start(), Rng(3, 0, 0, "opening"), depth=6), "sgf")["text"]
    harmed = (text[:place] + damage.decode(errors="replace") + text[place + len(damage) :]).replace("\0", "")
    try:
        parse_kifu(harmed, id)
    except KifuError as error:
        assert error.code


def test_too_many_branches_are_refused() -> None:
    wide: Tree = {"move": None, "children": [{"move": "1", "children": []} for _ in range(20_001)]}
    with pytest.raises(KifuError, match="at most 20000 moves"):
        kifu_text("connect4", None, wide, "sgf")


SPIRAL = "".join(f";{'BW'[n % 2]}[{chr(97 + n % 19)}{chr(97 + n // 19)}]" for n in range(300))


@pytest.mark.parametrize(
    "text, code",
    [
        ("(;GM[1]" + ";" * 1_000_000 + ")", "too_large"),
        ("(;GM[1]" + "(;" * 330_000 + ")" * 330_001, "too_large"),
        ("(;" + "(" * 500_000 + ")" * 500_001, "too_large"),
        ("(;GM[1]" + "(;B[aa])" * 120_000 + ")", "too_large"),
        ("(;GM[1]" + SPIRAL + "(;B[ss])" * 120_000 + ")", "too_large"),
        ("(;GM[1]LB" + "[]" * 490_000 + ")", "too_large"),
        ("(;GM[1]" + "A[]" * 330_000 + ")", "too_large"),
        ("(;GM[1]AB" + "[aa:ss]" * 90_000 + ")", "bad_sgf"),
        ("(;GM[1]C" + "[" * 1_000_000, "bad_sgf"),
        ("(;GM[1]C" + "[" * 500_000 + "\\", "bad_sgf"),
        ('{"game": "go:19", "tree": {"children": [' + '{"move": "a1"},' * 60_000 + '{"move": "a1"}]}}', "too_large"),
    ],
    ids=["nodes", "nested", "bare", "variations", "late", "values", "names", "rectangles", "open", "escaped", "json"],
)
def test_hostile_files_are_refused_before_much_is_made_of_them(text: str, code: str) -> None:
    """A megabyte took up to 37 s, or 1.2 GB."""
    tracemalloc.start()
    try:
        with pytest.raises(KifuError) as error:
            parse_kifu(text, None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.value.code == code and peak < 40e6


# What reading a file adds to the largest memory of a process so far.
READ = """
import resource, sys
from tengen.kifu import parse_kifu
text = sys.stdin.read()
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
parse_kifu(text, None)
print(peak() - before)
"""


def test_the_largest_game_makes_the_round_trip_and_few_of_its_positions_are_held() -> None:
    moves = [f"{'abcdefghjklmnopqrst'[n % 19]}{19 - n // 19}" for n in range(300)]
    tree = line(moves)
    *_, last = deepest(tree)
    last["children"] = [{"move": "t1", "children": []} for _ in range(MOST_NODES - 300)]
    text = kifu_text("go:19", None, tree, "sgf")["text"]
    assert parse_kifu(text, None)["tree"] == tree
    assert parse_kifu(f"{text}{text}", None)["tree"]  # only the first game of a file counts
    read = subprocess.run([sys.executable, "-c", READ], input=text, capture_output=True, text=True, check=True)
    assert int(read.stdout) < 100_000  # KB; it was 258 MB when every branch waited with a position of its own
    last["children"].append({"move": "t1", "children": []})
    with pytest.raises(KifuError, match="at most 20000 moves"):
        kifu_text("go:19", None, tree, "sgf")


def test_over_http(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        tree = line(["4", "4", "3"])
        sgf = server.post("/api/export", {"game": "connect4", "start": None, "tree": tree, "format": "sgf"})
        assert sgf["file_name"] == "connect4.sgf"
        told = server.post("/api/parse", {"text": sgf["text"]})
        assert (told["game"], told["start"], told["tree"]) == ("connect4", None, tree)
        facts = {"players": ["me", None], "result": "B+R", "date": "2024-05-31"}
        named = {"game": "go:5", "tree": line([]), "format": "sgf", **facts}
        assert server.post("/api/parse", {"text": server.post("/api/export", named)["text"]}).items() >= facts.items()
        for wrong in ({"players": ["me"]}, {"result": "B+1]"}, {"date": "yesterday"}, {"players": ["x" * 101, None]}):
            assert server.error("/api/export", named | wrong)["code"] == "bad_request", wrong
        assert server.post("/api/parse", {"text": "443", "game": "connect4"})["tree"] == tree
        assert server.error("/api/parse", {"text": "443"})["code"] == "bad_request"
        assert server.error("/api/parse", {"text": sgf["text"][:-3]})["code"] == "bad_sgf"
        assert server.post("/api/position", {"position": at("connect4", "4 4 3")})["ply"] == 3
