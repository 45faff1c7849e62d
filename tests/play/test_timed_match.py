"""Matches by the clock: who is too late loses, players know what is left, and getting ready costs nothing."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.outside import heard, scripted
from tengen import State, games
from tengen.play.arena import Match, draw_openings, play_match
from tengen.play.choosers import RandomPlayer
from tengen.play.clock import TimeControl, Timer
from tengen.play.players import Player, make_player

GAME = games.make("tictactoe")


class Slow(RandomPlayer):
    """Takes its time for the second move of every game."""

    name = "slow"

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        if states[0].ply() in (2, 3):
            time.sleep(0.2)
        return super().act_many(states, slots)


class Watching(RandomPlayer):
    """Writes down what it is told of the time."""

    name = "watching"

    def __init__(self) -> None:
        super().__init__(1, 0)
        self.ready: list[int] = []
        self.left: list[tuple[float, float]] = []

    def get_ready(self, state: State, slot: int, clocks: Sequence[Timer]) -> None:
        self.ready.append(state.ply())
        time.sleep(0.2)  # more than the whole clock: it does not run yet

    def act_in_time(self, state: State, slot: int, clocks: Sequence[Timer]) -> int:
        self.left.append((clocks[0].left, clocks[1].left))
        return self.act_many([state], [slot])[0]


def played(a: Player, b: Player, clock: str, pairs: int = 1) -> Match:
    openings = draw_openings(GAME, pairs, 1)
    return play_match(GAME, a, b, openings, slots=1, clock=TimeControl.parse(clock))


def test_whoever_is_too_late_loses() -> None:
    match = played(Slow(1, 0), RandomPlayer(1, 1), "0.1")
    assert (match.wins, match.losses) == (0, 2)
    assert match.faults(0) == {"out of time": 2} and not match.faults(1)
    assert all(len(game.moves) in (2, 3) for game in match.games), "the late move does not count"
    assert not played(Slow(1, 0), RandomPlayer(1, 1), "60").faults(0)


def test_players_are_told_the_time_and_get_ready_before_it_runs() -> None:
    watching = Watching()
    match = played(watching, RandomPlayer(1, 1), "0.1+0.05", pairs=2)
    assert not match.faults(0) and watching.ready == [1] * 4, "after the opening, once per game"
    first = watching.left[0]
    assert first[0] == pytest.approx(0.1, abs=0.06) and first[1] == pytest.approx(0.1, abs=0.06)


def test_a_search_keeps_to_the_clock_and_to_the_simulations_asked_for() -> None:
    game = games.make("connect4")
    by_time, by_sims = (make_player(spec, game, seed=1) for spec in ("uniform", "uniform@5"))
    match = play_match(game, by_time, by_sims, [()], slots=1, clock=TimeControl.parse("3+0.2"))
    assert len(match.games) == 2 and not match.faults(0) and not match.faults(1)
    assert match.wins == 2, "seconds find more than five simulations"


@pytest.mark.slow
def test_gtp_engines_are_told_their_time(tmp_path: Path) -> None:
    log, game = tmp_path / "log", games.make("go:5")
    player = scripted("gtp", game.id, log=log)
    clocks = [TimeControl.parse("60+0.5").clock() for _ in range(2)]
    player.new_game(0, 0)
    player.get_ready(game.from_moves("a1"), 0, clocks)
    ready = ["boardsize 5", "komi 6.5", "kata-time_settings fischer 60 0.50", "clear_board", "play b a1"]
    assert heard(log) == ready
    clocks[1].spend(50.25)
    assert isinstance(player.act_in_time(game.from_moves("a1"), 0, clocks), int)
    assert heard(log)[5:] == ["time_left b 60 0", "time_left w 10.25 0", "genmove w"]
    for text, told in (("30,3x10", "kgs-time_settings byoyomi 30 10 3"), ("30,300/25", "time_settings 30 300 25")):
        player.new_game(0, 1)
        player.get_ready(game.start(), 0, [TimeControl.parse(text).clock()] * 2)
        assert told in heard(log)
    player.close()


@pytest.mark.slow
@pytest.mark.parametrize("clock", ["0", "fast", "1+-1", "nan"])
def test_a_wrong_clock_gets_one_line(clock: str) -> None:
    command = [sys.executable, "-m", "tengen", "match", "tictactoe", "random", "random", "--clock", clock]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "clock" in done.stderr


@pytest.mark.soak
def test_nobody_loses_on_time() -> None:
    """Two engines in processes of their own, by GTP, at a speed where every hundredth of a second counts."""
    game = games.make("connect4")
    command = f"{sys.executable} -m tengen engine gtp connect4 --threads 1"
    a, b = (make_player(f"gtp:{command} --seed {seed}", game, commands=True) for seed in (1, 2))
    match = play_match(game, a, b, draw_openings(game, 500), slots=1, clock=TimeControl.parse("1+0.05"))
    assert len(match.games) == 1000 and not match.faults(0) and not match.faults(1)
