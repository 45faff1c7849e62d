"""The command line: what it prints, and that every mistake is answered by one line and exit code 2."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import metadata, version

import pytest

from tengen import games
from tengen.bench.rules import PEERS
from tengen.bench.selfplay import early_positions
from tengen.cli import VERBS, doctor, main
from tengen.net.file import NetworkFile, shipped_games, shipped_network
from tengen.preset import file_name

Capture = pytest.CaptureFixture[str]

MISTAKES = {
    "no verb": ([], "play"),
    "unknown verb": (["plya", "connect4"], "did you mean play?"),
    "unknown option": (["perft", "connect4", "2", "--no-pas"], "did you mean --no-pass?"),
    "extra argument": (["perft", "connect4", "2", "3"], "'3'"),
    "missing argument": (["perft", "connect4"], "DEPTH"),
    "unknown game": (["perft", "chess", "2"], "connect4"),
    "empty game": (["perft", "", "2"], "connect4"),
    "size of a game with one board": (["perft", "connect4:9", "2"], "takes no size"),
    "unknown size": (["perft", "gomoku:5", "2"], "6 to 20"),
    "size that is no number": (["play", "go:nine"], "2 to 19"),
    "bad value of an option": (["games", "go:9,komi=0.3"], "steps of 0.5"),
    "bad word for an option": (["games", "hex:11,swap=maybe"], "off, on"),
    "options that contradict": (["games", "gomoku:15,in_a_row=4,rule=renju"], "in_a_row=5"),
    "unknown game option": (["perft", "connect4,komi=7", "2"], "komi"),
    "unknown game in games": (["games", "chess"], "connect4"),
    "unknown game in play": (["play", "chess"], "connect4"),
    "unknown game in bench": (["bench", "rules", "--game", "chess"], "connect4"),
    "negative depth": (["perft", "connect4", "-1"], "-1"),
    "depth in words": (["perft", "connect4", "two"], "two"),
    "huge depth": (["perft", "connect4", "99999999999999999999"], "1000"),
    "both pass rules": (["perft", "connect4", "2", "--no-pass", "--free-pass"], "--no-pass"),
    "malformed move": (["perft", "connect4", "2", "--moves", "44x"], "legal moves are 1 2 3 4 5 6 7"),
    "illegal move": (["perft", "connect4", "2", "--moves", "4444444"], "illegal move 4"),
    "move after the end": (["perft", "connect4", "2", "--moves", "12121213"], "the game is over"),
    "malformed position": (["perft", "connect4", "2", "--position", "X O"], "6 rows of 7"),
    "position with line breaks": (["perft", "connect4", "2", "--position", "a\nb\nc"], "6 rows of 7"),
    "impossible position": (["perft", "tictactoe", "2", "--position", "XX./.../... X"], "X has 2 stones"),
    "position and moves": (["perft", "connect4", "2", "--position", "X", "--moves", "4"], "--position"),
    "bytes that are no text": (["perft", "connect\udcff", "2"], "UTF-8"),
    "game without a solver": (["solve", "go:9", "-"], "connect4"),
    "malformed move to solve": (["solve", "connect4", "44x"], "legal moves are 1 2 3 4 5 6 7"),
    "nothing left to solve": (["solve", "connect4", "1212121"], "the game is over"),
    "unknown side": (["play", "connect4", "--side", "third"], "first"),
    "unknown language": (["play", "connect4", "--lang", "xx"], "zh"),
    "bad seed": (["play", "connect4", "--seed", "-3"], "-3"),
    "illegal start of play": (["play", "connect4", "--moves", "8"], "legal moves are 1 2 3 4 5 6 7"),
    "unknown benchmark": (["bench", "everything"], "rules"),
    "unknown part of a benchmark": (["bench", "search", "--only", "bath"], "did you mean batch"),
    "a game for the search's benchmark": (["bench", "search", "--game", "go:9"], "--only"),
    "no time to measure": (["bench", "rules", "--seconds", "0"], "0.01"),
    "time that is no number": (["bench", "rules", "--seconds", "nan"], "0.01"),
}


@pytest.mark.parametrize(("argv", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_answered_by_one_line_and_exit_code_2(argv: list[str], hint: str, capsys: Capture) -> None:
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tengen")
    assert err.endswith("\n") and err.count("\n") == 1
    assert hint in err


def test_the_process_reports_mistakes_like_main() -> None:
    done = subprocess.run([sys.executable, "-m", "tengen", "perft", "connect4", "-1"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tengen perft: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str, capsys: Capture) -> None:
    assert main([verb, "--help"]) == 0
    assert f"example: tengen {verb}" in capsys.readouterr().out


def test_version(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tengen {version('tengen')}\n"


def test_games_lists_every_game(capsys: Capture) -> None:
    assert main(["games"]) == 0
    listed = capsys.readouterr().out.splitlines()
    for name in games.names():
        assert any(line.startswith(name) for line in listed)
    assert listed[-1] == f"Networks ship for {', '.join(shipped_games())}"


def test_networks_that_ship_are_found_under_their_games_names() -> None:
    assert {"connect4", "gomoku:9", "hex:5", "hex:6", "hex:7"} <= set(shipped_games())
    for id in shipped_games():
        path = shipped_network(games.make(id))
        assert path is not None and path.name == f"{file_name(NetworkFile.load(path, games.make(id)).game)}.onnx"


def test_games_as_json(capsys: Capture) -> None:
    assert main(["games", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == games.names()
    connect4 = next(row for row in rows if row["name"] == "connect4")
    assert (connect4["rows"], connect4["cols"], connect4["actions"], connect4["max_plies"]) == (6, 7, 7, 42)


@pytest.mark.parametrize("name", games.names())
def test_one_game_in_detail(name: str, capsys: Capture) -> None:
    assert main(["games", name]) == 0
    out = capsys.readouterr().out
    assert games.make(name).id in out
    for entry in games.registry():
        if entry["name"] == name:
            assert all(option["name"] in out for option in entry["options"])


# Connect4's numbers are checked against published tables elsewhere; here the verb is what is tested.
@pytest.mark.parametrize(
    ("argv", "count"),
    [
        (["connect4", "5"], 16807),
        (["connect4", "0"], 1),
        (["connect4", "1", "--moves", "444444"], 6),
        (["connect4", "1", "--moves", "-"], 7),
        (["tictactoe", "9"], 127872),
        (["tictactoe", "1", "--position", "XOX/OXO/... X"], 3),
        (["tictactoe", "50"], 0),
        (["go:2", "2"], 4 * (3 + 1) + (4 + 1)),
        (["go:2", "2", "--no-pass"], 4 * 3),
        (["othello", "3", "--free-pass"], 56),
        # X has just taken the last disc of O: finished, which Othello's tables count as one sequence.
        (["othello:6", "2", "--position", "....../....../..XX../..XX../...X../...... O"], 1),
    ],
)
def test_perft_prints_the_number_alone(argv: list[str], count: int, capsys: Capture) -> None:
    assert main(["perft", *argv]) == 0
    assert capsys.readouterr().out == f"{count}\n"


def test_perft_as_json(capsys: Capture) -> None:
    assert main(["perft", "connect4", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"game": "connect4", "depth": 2, "passes": "ply", "count": 49}


def test_a_long_count_can_be_interrupted() -> None:
    script = "import sys; from tengen.cli import main; print('ready', flush=True); sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script, "perft", "connect4", "30"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout and process.stdout.readline() == b"ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode in (-signal.SIGINT, 130)
    assert b"Traceback" not in err


@pytest.mark.parametrize("argv", [["games"], ["perft", "connect4", "1"]], ids=["rich", "print"])
def test_a_closed_pipe_is_no_error(argv: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "tengen", *argv]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    assert done.stderr == b""


def test_bench_reports_rows_with_ratios(capsys: Capture) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    assert main(["bench", "rules", "--game", "tictactoe", "--seconds", "0.05", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["name"] == "rules tictactoe" and row["peer"] == "openspiel tic_tac_toe"
    assert row["ratio"] == pytest.approx(row["value"] / row["peer_value"], rel=0.01)


def test_bench_works_without_openspiel(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    assert main(["bench", "rules", "--game", "tictactoe", "--seconds", "0.05"]) == 0
    out, err = capsys.readouterr()
    assert "tictactoe" in out
    assert "tengen[openspiel]" in err


@pytest.mark.parametrize("id", ["go:2", "go:9", "connect4"])
def test_positions_for_a_benchmark_end_where_the_game_does(id: str) -> None:
    """Two passes in a row end a game of Go, and one in many positions tried to play on."""
    made = early_positions(games.make(id), 400)
    assert len(made) == 400 and {state.ply() for state in made} == {0, 1, 2, 3}


def test_bench_search_reports_rows(capsys: Capture) -> None:
    assert main(["bench", "search", "--only", "reference", "--json"]) == 0
    equal, spent = json.loads(capsys.readouterr().out)
    assert equal["value"] == equal["peer_value"] > 0 and equal["ratio"] == 1
    assert set(spent) == {"name", "value", "unit", "peer", "peer_value", "ratio"}


def test_bench_search_works_without_peers(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    for module in ("pyspiel", "jax", "mctx", "pgx"):
        monkeypatch.setitem(sys.modules, module, None)
    assert main(["bench", "search", "--only", "rollouts", "--seconds", "0.01"]) == 0
    out, err = capsys.readouterr()
    assert "rollouts hex:11" in out
    assert "tengen[openspiel]" in err and "tengen[bench]" in err


def test_every_game_has_a_peer_to_be_measured_with() -> None:
    assert set(games.names()) <= set(PEERS)
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    for name in games.names():
        id, peer = PEERS[name]
        theirs = pyspiel.load_game(peer).new_initial_state()
        assert len(games.make(id).start().legal_actions()) == len(theirs.legal_actions())


def test_doctor_names_every_extra(capsys: Capture) -> None:
    assert main(["doctor", "--json"]) == 0
    findings = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert {"cpu", "cores", "memory", "compiler", "python", "tengen", "output", "disk", "gpu"} <= set(findings)
    declared = set(metadata("tengen").get_all("Provides-Extra") or [])
    assert declared == set(doctor.EXTRAS) == {name.removeprefix("extra ") for name in findings if "extra" in name}


def test_doctor_says_what_to_do_about_a_missing_extra(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(doctor.EXTRAS, "perfect", ("no_such_module", "a book"))
    assert main(["doctor"]) == 0
    assert "pip install 'tengen[perfect]'" in " ".join(capsys.readouterr().out.split())
