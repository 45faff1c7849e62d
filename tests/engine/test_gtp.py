"""GTP: a transcript with exact answers, and what a transcript cannot tell."""

import os
import re
import time
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path

import pytest

from tengen import ConfigError, Game, State, games
from tengen.engine import gtp
from tengen.engine.board import MOST_STEPS
from tengen.engine.channel import Odd, Script
from tengen.engine.gtp_clock import Clocks
from tengen.engine.thinker import Thinker
from tengen.play.clock import Budget, TimeControl

TRANSCRIPT = Path(__file__).parent / "gtp.txt"
SESSION = re.compile(r"^## (\S+) *(.*)$", re.M)
SGF = {
    "game.sgf": "(;GM[1]SZ[9]KM[7];B[ee];W[cc];B[gg](;W[cg];B[])(;W[gc]))",
    "two words.sgf": "(;GM[1]SZ[5];B[cc])",
    "handicap.sgf": "(;GM[1]SZ[9]KM[0.5]HA[2]AB[cg][gc];W[ee])",
    "large.sgf": "(;GM[1]SZ[19]" + ";B[aa]C[" + "x" * (1 << 20) + "])",
    "illegal.sgf": "(;GM[1]SZ[9];B[ee];W[ee])",
    "othello.sgf": "(;GM[2]SZ[8];B[dc])",
    "secret.txt": "name: nobody may read this",
    "empty.sgf": "",
}


def talk(game: str, lines: list[str], player: str = "plain:60") -> list[str]:
    """What the engine says, line by line of the client's."""
    said = [""]

    class Recorder(Script):
        def read(self) -> str | Odd:
            said.append("")
            return super().read()

        def write(self, text: str) -> None:
            said[-1] += text

    gtp.serve(Recorder(lines), Thinker(player, threads=1), games.make(game))
    return said[1:]


def sessions(text: str) -> list[tuple[str, str, list[str]]]:
    """The head, the game and the lines of every session of a transcript."""
    heads = [*SESSION.finditer(text)]
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        (head[0], head[1], text[head.end() : end].strip("\n").split("\n"))
        for head, end in zip(heads, ends, strict=True)
    ]


def commands(lines: list[str]) -> list[str]:
    """What a client sends; a character in hexadecimal stands for one that no text file should hold."""
    sent = [line[2:] for line in lines if line.startswith("> ")]
    return [re.sub(r"\[([0-7][0-9a-f])\]", lambda code: chr(int(code[1], 16)), line) for line in sent]


def replayed(game: str, lines: list[str]) -> str:
    """A session with the answers of now: below the command that they follow."""
    asked = [line for line in lines if line.startswith("> ")]
    said = talk(game, commands(lines))
    return "".join(f"{command}\n{answer}" for command, answer in zip_longest(asked, said[: len(asked)], fillvalue=""))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files to load, which is where the engine is."""
    for name, text in SGF.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_has_the_answer_of_the_transcript(files: Path, request: pytest.FixtureRequest) -> None:
    os.mkfifo(files / "pipe")
    (files / "zero").symlink_to("/dev/zero")
    (files / "link.sgf").symlink_to("game.sgf")
    text = TRANSCRIPT.read_text()
    told = [(head, replayed(game, lines)) for head, game, lines in sessions(text)]
    anew = text[: text.index("\n## ")] + "".join(f"\n{head}\n{said}" for head, said in told)
    if request.config.getoption("--regen"):
        TRANSCRIPT.write_text(anew)
        return
    assert sum(len(commands(lines)) for _, _, lines in sessions(text)) >= 200
    assert anew.split("\n") == text.split("\n")


def test_a_pipe_is_no_file_whatever_is_in_it(files: Path) -> None:
    os.mkfifo(files / "pipe")
    writer = os.open(files / "pipe", os.O_RDWR)
    os.write(writer, SGF["game.sgf"].encode())
    assert talk("go:9", ["loadsgf pipe", "loadsgf game.sgf"]) == ["? cannot load file\n\n", "=\n\n", ""]
    os.close(writer)


def test_the_version_is_the_packages() -> None:
    assert talk("go:5", ["version"])[0] == f"= {version('tengen')}\n\n"


def test_a_line_beyond_the_limit_is_a_syntax_error() -> None:
    class Long(Script):
        def read(self) -> str | Odd:
            line = super().read()
            return Odd.TOO_LONG if line == "long" else line

    script = Long(["name", "long", "lz-analyze 10", "long", "name"])
    gtp.serve(script, Thinker("plain:60", threads=1), games.make("go:5"))
    assert script.said == "= Tengen\n\n? syntax error\n\n=\n\n? syntax error\n\n= Tengen\n\n"


def test_the_end_ends_an_analysis_too() -> None:
    assert talk("go:5", ["lz-analyze 10"]) == ["=\n", "\n"]


def test_more_moves_than_are_kept_are_played_all_the_same() -> None:
    steps = 2 * MOST_STEPS
    said = talk("go:5", ["play b pass"] * steps + ["undo"] * (MOST_STEPS + 1))
    assert said[: steps + MOST_STEPS] == ["=\n\n"] * (steps + MOST_STEPS)
    assert said[steps + MOST_STEPS] == "? cannot undo\n\n"


class Listener:
    """Who thinks, for tests: plays the first legal move, and remembers what it was asked."""

    def __init__(self) -> None:
        self.budgets: list[Budget | None] = []
        self.pondered: list[str] = []
        self.error: Exception | None = None

    def prepare(self, game: Game) -> None:
        pass

    def wait(self) -> None:
        pass

    def forget(self) -> None:
        pass

    def agent(self, game: Game) -> None:
        if self.error:
            raise self.error

    def choose(self, state: State, budget: Budget | None, *looks: object) -> int:
        self.agent(state.game)
        self.budgets.append(budget)
        return state.legal_actions()[0]

    def ponder(self, state: State, stopped: object) -> None:
        self.pondered.append(state.moves_text())


class Slow(Script):
    """A client that thinks before every line."""

    def waiting(self) -> bool:
        return False


def heard(lines: list[str], thinker: Listener | None = None) -> Listener:
    thinker = thinker or Listener()
    gtp.serve(Slow(lines), thinker, games.make("go:5"))  # type: ignore[arg-type]
    return thinker


def test_a_search_that_cannot_be_made_is_an_answer() -> None:
    thinker, script = Listener(), Script(["genmove b", "1 lz-analyze 10", "2 lz-genmove_analyze b", "name"])
    thinker.error = ConfigError("no such\nsetting")
    gtp.serve(script, thinker, games.make("go:5"))  # type: ignore[arg-type]
    error = "cannot search: no such setting"
    assert script.said == f"? {error}\n\n?1 {error}\n\n?2 {error}\n\n= Tengen\n\n"


def test_it_ponders_after_its_own_moves_until_it_is_told_to_stop() -> None:
    assert heard(["play b c3", "name"]).pondered == []
    assert heard(["genmove b", "name", "play w c3"]).pondered == ["a5", "a5", "a5 c3"]
    for end in ("stop", "clear_board", "boardsize 5"):
        assert heard(["genmove b", end, "name"]).pondered == ["a5"]


@pytest.mark.parametrize(
    ("settings", "least", "most"),
    [
        ("time_settings 300 0 0", 5, 100),
        ("time_settings 0 10 1", 5, 10),
        ("time_settings 0 100 10", 5, 30),
        ("kgs-time_settings byoyomi 0 10 3", 5, 10),
        ("kgs-time_settings canadian 0 100 10", 5, 30),
        ("kata-time_settings fischer 10 10", 5, 20),
        ("time_left b 300 0", 5, 100),
        ("time_left b 10 1", 5, 10),
    ],
)
def test_a_move_takes_a_part_of_its_time(settings: str, least: float, most: float) -> None:
    (budget,) = heard([settings, "genmove b"]).budgets
    assert budget is not None and least <= budget.aim <= budget.most <= most


def test_what_the_client_says_of_time_counts() -> None:
    assert heard(["genmove b", "time_settings 0 1 0", "genmove b", "kata-time_settings none", "genmove b"]).budgets == [
        None,
        None,
        None,
    ]
    assert heard(["time_settings 300 0 0", "reg_genmove b"]).budgets == [None]
    assert heard(["time_left w 10 0", "genmove b"]).budgets == [None]
    first, second, third = heard(
        ["time_settings 300 0 0", "time_left b 3 0", "genmove b", "genmove w", "clear_board", "genmove b"]
    ).budgets
    assert first and second and third and first.most < 3 < 5 < min(second.aim, third.aim)


def test_it_keeps_its_own_clock_when_nobody_tells_the_time() -> None:
    class Sleeper(Listener):
        def choose(self, state: State, budget: Budget | None, *looks: object) -> int:
            time.sleep(0.05)
            return super().choose(state, budget)

    budgets = heard(["time_settings 10 0 0", *["genmove b", "undo"] * 3, "genmove w"], Sleeper()).budgets
    first, second, third, of_white = [budget.most for budget in budgets if budget]
    assert first > second > third and of_white == first


def test_a_byo_yomi_client_tells_the_periods_that_are_left() -> None:
    clocks = Clocks()
    clocks.start(TimeControl(300, period=30, periods=5))
    clocks.correct(0, 20, 2)
    budget = clocks.budget(games.make("go:5").start())
    assert budget is not None and 15 < budget.aim <= budget.most <= 20  # for one move, not for two
    clocks.spend(0, 45)  # one period lost, a move in the last
    again = clocks.budget(games.make("go:5").start())
    assert again is not None and 15 < again.aim <= again.most <= 30
