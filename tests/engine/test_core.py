"""The core of all engines: lines in and out, the position, and who thinks."""

import os
import subprocess
import sys
import threading
import time

import pytest

from tengen import GameError, games
from tengen.engine.board import Board
from tengen.engine.channel import BUFFER, Odd, StdChannel
from tengen.engine.thinker import Thinker
from tengen.play.clock import Budget

GO, CONNECT4, OTHELLO = games.make("go:5"), games.make("connect4"), games.make("othello:6")


@pytest.fixture
def piped() -> "tuple[StdChannel, int, int]":
    """A channel, the end to write commands into, and the end to read answers from."""
    reads, commands = os.pipe()
    answers, writes = os.pipe()
    return StdChannel(longest=100, reads=reads, writes=writes), commands, answers


def test_lines_come_in_whole_and_in_order(piped: "tuple[StdChannel, int, int]") -> None:
    channel, commands, answers = piped
    os.write(commands, b"one\r\ntw")
    assert channel.read() == "one"
    os.write(commands, b"o\n\n\xff\xfe\nlast")
    os.close(commands)
    assert [channel.read() for _ in range(6)] == ["two", "", "��", "last", Odd.END, Odd.END]
    channel.write("= ü\n\n")
    assert os.read(answers, 100).decode() == "= ü\n\n"


def test_a_line_beyond_the_limit_is_left_out_and_the_next_one_counts(piped: "tuple[StdChannel, int, int]") -> None:
    channel, commands, _ = piped

    def flood() -> None:
        for _ in range(1000):
            os.write(commands, b"x" * 10_000)
        os.write(commands, b"\nname\n" + b"y" * 101 + b"\n" + b"z" * 100 + b"\n" + b"w" * 300)
        os.close(commands)

    threading.Thread(target=flood, daemon=True).start()
    assert [channel.read() for _ in range(6)] == [Odd.TOO_LONG, "name", Odd.TOO_LONG, "z" * 100, Odd.TOO_LONG, Odd.END]


def test_a_client_that_never_reads_is_made_to_wait(piped: "tuple[StdChannel, int, int]") -> None:
    channel, commands, _ = piped
    os.set_blocking(commands, False)
    written = 0
    for _ in range(50):
        try:
            while True:
                written += os.write(commands, b"play b a1\n" * 1000)
        except BlockingIOError:
            time.sleep(0.01)
    assert written < BUFFER + (1 << 20)
    assert channel.read() == "play b a1"


def test_moves_out_of_turn_follow_a_pass() -> None:
    board = Board(GO)
    for move in ("c3", "b2", "d4"):
        board.play(0, move)
    assert board.state.to_move() == 1 and board.state.stones().count(1) == 3 and board.steps == 3
    board.undo()
    assert board.state.stones().count(1) == 2
    board.play(1, "pass")
    board.play(0, "pass")
    assert board.state.is_terminal()
    board.play(0, "a1")  # programs go on after the end, to settle what is dead
    assert board.state.stones().count(1) == 3 and not board.state.is_terminal()
    for _ in range(5):
        board.undo()
    assert board.state.ply() == 0
    with pytest.raises(GameError):
        board.undo()


def test_without_passes_the_stones_are_set_up_anew() -> None:
    board = Board(OTHELLO)
    for _ in range(2):
        state = board.in_turn(0)
        board.play(0, state.move_text(state.legal_actions()[0]))
    assert board.state.stones().count(1) >= 5 and board.state.to_move() == 1
    board.undo()
    assert board.state.stones().count(1) == 4


def test_what_the_rules_refuse_changes_nothing() -> None:
    board = Board(CONNECT4)
    board.play(0, "4")
    before = board.state.position_text()
    for side, move in ((0, "4"), (1, "9"), (1, "pass"), (1, "")):
        with pytest.raises(GameError):
            board.play(side, move)
    assert board.state.position_text() == before and board.steps == 1
    for move in "141414":
        board.play(board.state.to_move(), move)
    for side in (0, 1):  # the game is over
        with pytest.raises(GameError):
            board.play(side, "7")


def test_a_thinker_chooses_by_simulations_or_by_time() -> None:
    thinker = Thinker("uniform@50")
    state = CONNECT4.from_moves("44")
    assert thinker.choose(state, None) in state.legal_actions()
    assert thinker.report(state).visits == 50
    assert thinker.choose(CONNECT4.from_moves("4444"), Budget(0.01, 0.02)) in range(7)
    assert thinker.report(CONNECT4.from_moves("4444")).visits <= 50  # what a person asked for holds under a clock too
    unbounded = Thinker("uniform")
    unbounded.choose(state, Budget(0.3, 0.6))
    assert unbounded.report(state).visits > unbounded.agent(CONNECT4).config.sims


def test_a_search_ends_when_something_comes_in() -> None:
    thinker, asked = Thinker("uniform"), []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) == 3

    thinker.choose(GO.start(), Budget(60, 60), stopped)
    assert len(asked) == 3


def test_pondering_grows_the_tree_that_the_next_search_uses() -> None:
    state, looks = CONNECT4.from_moves("4"), iter([False] * 5 + [True])
    thinker = Thinker("uniform", ponders=True)
    thinker.ponder(state, lambda: next(looks))
    pondered = thinker.report(state).moves[0]
    state.apply(pondered.action)
    agent = thinker.agent(CONNECT4)
    agent.set_root(state)
    assert agent.search.visits(0) >= pondered.visits - 1 > 0
    quiet = Thinker("uniform")
    quiet.ponder(state, lambda: pytest.fail("it was not to ponder"))


def test_another_board_than_the_networks_is_played_without_it(capfd: pytest.CaptureFixture[str]) -> None:
    thinker = Thinker("shipped")
    assert thinker.choose(games.make("hex:7").start(), None, sims=1) >= 0
    assert thinker.choose(games.make("hex:4").start(), None, sims=20) >= 0
    told = capfd.readouterr().err
    assert told.count("\n") == 1 and "no network ships for hex:4" in told


def ended(command: list[str], lines: str) -> float:
    """The seconds an engine takes to end when the reader of its answers goes away while it thinks."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as engine:
        assert engine.stdin and engine.stdout
        engine.stdin.write(lines.encode())
        engine.stdout.read(1)
        time.sleep(0.3)
        began = time.monotonic()
        engine.stdout.close()
        engine.wait(10)
        return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize("thinks", ["kata-analyze b 10", "genmove b"])
def test_an_engine_ends_when_nobody_reads_its_answers(thinks: str) -> None:
    command = [sys.executable, "-m", "tengen", "engine", "gtp", "go:9", "--player", "uniform@9999999"]
    assert ended(command, f"name\nclear_board\n{thinks}\n") < 2  # usually some milliseconds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["chess", "go:9"], "chess"),
        (["gtp", "go:99"], "99"),
        (["gtp", "go:9", "--player", "shipped"], "no network ships"),
        (["gtp", "go:9", "--player", "solver"], "does not search"),
        (["gtp", "go:9", "--player", "net:/nowhere.onnx"], "/nowhere.onnx"),
        (["gtp", "go:9", "--set", "search.sims=-1"], "sims"),
    ],
)
def test_wrong_words_get_one_line(words: list[str], says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tengen", "engine", *words], input=b"", capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.count(b"\n") == 1 and says in done.stderr.decode()
