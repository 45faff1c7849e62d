"""NBoard's protocol: games as GGF, moves, hints, and whatever a stranger sends."""

import itertools
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen import GameError, games
from tengen.engine.channel import Script
from tengen.engine.nboard import DiscEngine, serve
from tengen.engine.thinker import Thinker

COMMAND = [sys.executable, "-m", "tengen", "engine", "nboard"]
EMPTY = "-" * 27 + "O*------*O" + "-" * 27
MOVE = re.compile(r"=== (?:[A-H][1-8]|PA)/-?\d+\.\d\d/\d+\.\d\d")
HINT = re.compile(r"search (?:[A-H][1-8]|PA)(?:-(?:[A-H][1-8]|PA))* -?\d+\.\d\d 0 \d+")
OVER = "status the game is over"
# White has no disc left to turn: the game ends after this move.
LAST = "BO[8 " + "*" * 61 + "O- *]"


class Quiet(Script):
    """Nothing comes in while the engine thinks."""

    def waiting(self) -> bool:
        return False


class Talk:
    """An engine and what it says."""

    def __init__(self, game: str = "othello", player: str | None = "plain:60", *start: str) -> None:
        self.script = Quiet([])
        self.thinker = Thinker(player, seed=1, threads=1)
        self.engine = DiscEngine(self.script, self.thinker, games.make(game))
        self(*start)

    def __call__(self, *lines: str) -> list[str]:
        self.script.said = ""
        for line in lines:
            assert self.engine.obey(line)
        *said, rest = self.script.said.split("\n")
        assert rest == ""
        return said

    @property
    def position(self) -> str:
        return self.engine._board.state.position_text()


def ggf(moves: str = "", board: str = f"BO[8 {EMPTY} *]") -> str:
    return f"set game (;GM[Othello]PC[x]DT[2026-01-01]PB[a\\]b]PW[c]RE[?]TI[15:00]TY[8]{board}{moves};)"


def after(moves: str, game: str = "othello") -> str:
    return games.make(game).from_moves(moves).position_text()


def test_a_session_word_by_word() -> None:
    lines = ["nboard 2", "set depth 6", "set contempt 5", "ping 7", ggf("B[F5]W[D6//1.5]"), "ping 8", "go", "hint 2"]
    script = Quiet([*lines, "move C3/1.00/2", "", "nonsense", "learn", "quit", "ping 9"])
    serve(script, Thinker("plain:60", seed=1, threads=1), games.make("othello"))
    said = [re.sub(r"/\d+\.\d\d$", "/TIME", line) for line in script.said.splitlines()]
    assert said == [
        "set myname Tengen",
        "set myname Tengen6",
        "pong 7",
        "pong 8",
        "status Tengen is thinking",
        "=== C7/5.06/TIME",
        "status",
        "status Tengen is analyzing",
        "search C7-F6-F4-D7-C3-B2-C4-B3-A1 5.06 0 6",
        "search C3-F3-D3-D2-C2-B2 -3.21 0 6",
        "status",
        "learned",
    ]


def test_other_games_are_refused() -> None:
    with pytest.raises(GameError, match="discs"):
        serve(Script([]), Thinker("plain:9"), games.make("go:9"))


def test_games_are_read() -> None:
    talk = Talk()
    talk(ggf("B[F5]W[D6]B[C3]"))
    assert talk.position == after("f5 d6 c3")
    talk("move D3//", "move c4")
    assert talk.position == after("f5 d6 c3 d3 c4")
    talk(ggf())
    assert talk.position == after("-")
    talk(ggf("B[E4]", f"BO[6 {'-' * 14}O*----*O{'-' * 14} *]"))
    assert talk.position == after("e4", "othello:6")
    assert MOVE.fullmatch(talk("go")[1])  # by another network, or none


def test_passes_may_be_written_or_left_out() -> None:
    rows = ["*O------", "*-------", "--------", "---**---", "---**---", "--------", "--------", "--------"]
    start = f"BO[8 {' '.join(rows)} O]"  # the second player cannot move, the first can
    for moves in ("W[PA]B[C1]", "B[C1]", "W[pa//]B[c1//]"):
        talk = Talk()
        talk(ggf(moves, start))
        assert talk.position.startswith("XXX")
    talk = Talk("othello", "plain:60", ggf("", start))
    assert talk("go")[1].startswith("=== PA/") and talk("hint 3")[1].startswith("search PA")
    talk("move PA")
    assert talk("go")[1].startswith("=== C1/")


WRONG = {
    "nothing": "",
    "a bracket": "(",
    "no game": "set game",
    "a cell twice": ggf("B[F5]W[F5]"),
    "not its turn": ggf("W[D6]"),
    "twice": ggf("B[F5]B[D3]"),  # a cell that it could take if it were its turn
    "no such cell": ggf("B[Z9]"),
    "no cells": ggf("", "BO[8 *]"),
    "no board": ggf("", ""),
    "another size": ggf("", f"BO[9 {EMPTY} *]"),
    "a cell too many": ggf("", f"BO[8 {EMPTY}- *]"),
    "no side": ggf("", f"BO[8 {EMPTY} -]"),
    "a huge size": ggf("", "BO[99999999999 *]"),
    "a wrong size": ggf("", f"BO[6 {EMPTY} *]"),
    "never closed": "set game " + "B[" * 30_000,
    "a long game": ggf("B[F5]" * 10_000),
    "escapes": "set game " + "\\]" * 30_000,
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_games_that_are_wrong_change_nothing(text: str) -> None:
    talk = Talk("othello", "plain:60", ggf("B[F5]"))
    begun = time.monotonic()
    assert talk(text) == [] and talk.position == after("f5")
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    "line", ["move", "move A1", "move PA", "move F5/", "move 99", "F5", "hint", "hint x", "ping x"]
)
def test_moves_and_numbers_that_are_wrong_are_ignored(line: str) -> None:
    talk = Talk("othello", "plain:60", ggf("B[F5]"))
    assert talk(line, "set depth", "set depth -1", "set", "Go", "depth 3", "set go") == [] and talk.position == after(
        "f5"
    )


def test_go_does_not_play_the_move() -> None:
    talk = Talk()
    assert MOVE.fullmatch(talk("go")[1]) and talk.position == after("-")


def test_hints_show_the_best_moves_best_first() -> None:
    talk = Talk("othello", "plain:400", ggf("B[F5]"))
    for number, shown in (("1", 1), ("2", 2), ("0", 1), ("64", 3), ("999999999", 3)):
        first, *lines, last = talk(f"hint {number}")
        assert (first, last) == ("status Tengen is analyzing", "status") and len(lines) == shown
        assert all(HINT.fullmatch(line) for line in lines)
    assert talk("go")[1].split("/")[0].split()[1] == lines[0].split()[1][:2]


def test_depth_is_simulations() -> None:
    visits = {}
    for depth in (0, 4, 6, 10):
        talk = Talk("othello", None, f"set depth {depth}", ggf("B[F5]"))
        talk("go")
        visits[depth] = talk.thinker.agent(games.make("othello")).search.visits(0)
    assert [round(count, -1) for count in visits.values()] == [50, 200, 400, 1600]
    talk = Talk("othello", "plain:60", "set depth 99999999", ggf("B[F5]"))  # a person's own number counts for more
    talk("go")
    assert talk.thinker.agent(games.make("othello")).search.visits(0) == 60


def test_whatever_comes_in_ends_a_search() -> None:
    script = Script(["set depth 50", "hint 1", "go", "ping 1", "quit"])
    begun = time.monotonic()
    serve(script, Thinker(None, seed=1), games.make("othello"))
    assert time.monotonic() - begun < 20 and script.said.endswith("status\npong 1\n")


def test_a_game_that_is_over() -> None:
    talk = Talk()
    talk(ggf("", f"BO[8 {'*' * 64} *]"))
    assert talk("go", "hint 1", "move A1", "ping 2") == [OVER, OVER, "pong 2"]


def test_two_engines_play_a_whole_game() -> None:
    game = games.make("othello:6")
    black, white = (Talk("othello:6", f"plain:{sims}") for sims in (40, 20))
    state = game.start()
    for mover in itertools.cycle([black, white]):
        text = mover("go")[1].split()[1].split("/")[0]
        state.apply(state.parse_move("pass" if text == "PA" else text.lower()))
        assert black(f"move {text}") == white(f"move {text}") == []
        assert black.position == white.position == state.position_text()
        if state.is_terminal():
            break
    assert black("go") == white("go") == [OVER]


# --- Strangers. ---

NUMBERS = st.sampled_from(["0", "1", "2", "8", "64", "-1", "999999999999", "x", "", "７", "1.5", "nan"])
MOVES = st.sampled_from(
    ["F5", "d6", "C3", "D3", "C4", "E6", "PA", "pa", "A1", "H8", "I9", "F", "", "F5/1/2", "f5//", "\0"]
)
PARTS = st.one_of(
    st.builds("{}[{}]".format, st.sampled_from(["B", "W", "BO", "GM", "X", "b"]), MOVES),
    st.sampled_from([f"BO[8 {EMPTY} *]", f"BO[8 {EMPTY} O]", "BO[8 -- *]", LAST, "]", "[", "(;", ";)", "\\", "\\]"]),
    st.text("-*O[]\\BW()8 6;", max_size=80),
)
GGF = st.lists(PARTS, max_size=8).map(lambda parts: "set game (;" + "".join(parts))
LINES = st.lists(
    st.one_of(
        GGF,
        st.builds("move {}".format, MOVES),
        st.builds("{} {}".format, st.sampled_from(["hint", "ping", "set depth", "set contempt", "nboard"]), NUMBERS),
        st.sampled_from(["go", "learn", "go 5", "set", "set game", "", " ", "analyze", "hint 1", ggf("B[F5]")]),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=30),
    ).filter(lambda line: line.split()[:1] != ["quit"]),
    min_size=20,
    max_size=20,
)


def survives(lines: list[str]) -> None:
    talk = Talk("othello", "plain:2")
    for line in lines:
        said = [each for each in talk(line) if each == OVER or not each.startswith("status")]
        words = [*line.split(), ""]
        if words[0] == "go":
            assert len(said) == 1 and (said == [OVER] or MOVE.fullmatch(said[0])), (line, said)
        elif words[0] == "hint" and re.fullmatch("hint [0-9]{1,9}", line.strip()):
            assert said == [OVER] or (said and all(HINT.fullmatch(each) for each in said)), (line, said)
        elif words[0] == "ping" and re.fullmatch("ping [0-9]{1,9}", line.strip()):
            assert said == [f"pong {int(words[1])}"]
        elif words[0] in ("learn", "nboard"):
            assert said == (["learned"] if words[0] == "learn" else ["set myname Tengen"])
        else:
            assert all(each.startswith("set myname Tengen") for each in said)
    talk(ggf())
    assert MOVE.fullmatch(talk("go")[1]) and talk.position == after("-")


@given(LINES)
@settings(max_examples=10)
def test_whatever_a_stranger_sends(lines: list[str]) -> None:
    survives(lines)


@pytest.mark.fuzz
@given(LINES)
@settings(max_examples=500)
def test_ten_thousand_lines_of_strangers(lines: list[str]) -> None:
    survives(lines)


# --- The process. ---


@pytest.mark.slow
def test_the_process_answers_before_it_has_loaded_and_stops_for_a_ping() -> None:
    engine = subprocess.Popen([*COMMAND, "othello"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert engine.stdin and engine.stdout
    with engine:
        engine.stdin.write(f"nboard 2\n{'x' * 10_000_000}\nset depth 40\n{ggf('B[F5]')}\nhint 1\n")
        engine.stdin.flush()
        said = [engine.stdout.readline() for _ in range(4)]
        assert said[:3] == ["set myname Tengen\n", "set myname Tengen40\n", "status Tengen is analyzing\n"]
        assert HINT.fullmatch(said[3].strip())
        engine.stdin.write("ping 3\nquit\n")
        engine.stdin.flush()
        assert engine.stdout.read().endswith("status\npong 3\n") and engine.wait(20) == 0


@pytest.mark.slow
def test_the_process_ends_in_the_middle_of_a_search_when_nobody_listens() -> None:
    engine = subprocess.Popen([*COMMAND, "othello"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert engine.stdin and engine.stdout
    engine.stdin.write("set depth 40\ngo\n")
    engine.stdin.flush()
    assert engine.stdout.readline() == "set myname Tengen40\n"
    engine.stdout.close()
    begun = time.monotonic()
    engine.wait(20)
    assert time.monotonic() - begun < 5
    engine.stdin.close()
