"""Resignations that were checked: games that went on although a side would have resigned, and how those ended."""

from pathlib import Path

import pytest

from support.recorded import make_record
from support.training import sit, tiny_run
from tengen import games
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.net.evaluator import Hash
from tengen.records import GameRecord
from tengen.records.resign import Checked, checked_resignations
from tengen.records.selfplay import Actor
from tengen.records.store import ChunkStore
from tengen.run.events import TurnTaken

TICTACTOE = games.make("tictactoe")
WON = "a1 b1 a2 b2 a3"  # by the first player
BOUND = -0.5


def game(values: list[float], moves: str = WON, ending: str = "end", result: int = 1) -> GameRecord:
    plies = [{"q": value} for value in values]
    actions = TICTACTOE.from_moves(moves).moves()
    return make_record(TICTACTOE, actions, plies, networks=("ab",), result=result, ending=ending)


@pytest.mark.parametrize(
    "record, expected",
    [
        (game([0.1, -0.6, 0.1, 0.1, 0.1]), Checked(1, 0)),  # the second player would have resigned, and lost
        (game([-0.6, 0.1, 0.1, 0.1, 0.1]), Checked(1, 1)),  # the first one, and won
        (game([0.1, 0.1, -0.6, -0.6, 0.1]), Checked(1, 1)),  # whoever is first counts
        (game([0.1, -0.5, 0.1, 0.1, 0.1]), Checked()),  # not below the bound
        (game([0.1, 0.1, 0.1, 0.1, -0.6]), Checked()),  # the rules ended it
        (game([-0.6, 0.1], "a1 b1", "resigned", -1), Checked()),
    ],
)
def test_a_game_counts_once_by_whoever_would_have_resigned_first(record: GameRecord, expected: Checked) -> None:
    assert checked_resignations([record], BOUND) == expected
    assert checked_resignations([record, record], BOUND) == expected + expected
    assert checked_resignations([record], -1) == Checked()


def test_self_play_plays_one_game_in_ten_on() -> None:
    connect4 = games.make("connect4")
    config = SelfPlayConfig(fast_sims=8, resign_below=-0.2)
    actor = Actor(connect4, SearchConfig(sims=16, noise_epsilon=0.25), config, slots=8)
    actor.set_evaluator(Hash(connect4), "00")
    played = actor.play(lambda counts: counts["games"] >= 200)
    found = checked_resignations(played, config.resign_below)
    assert any(record.ending == "resigned" for record in played)
    assert 0 < found.games < len(played) / 4
    assert 0 <= found.wrong <= found.games


def test_the_loop_counts_over_all_sittings(tmp_path: Path) -> None:
    settings = ["loop.steps=20", "selfplay.resign_below=-0.02"]
    run = tiny_run(tmp_path / "run", settings)
    for steps in (20, 40):
        run.configure(run.config().with_settings([f"loop.steps={steps}"]))
        last = [event for event in sit(run) if isinstance(event, TurnTaken)][-1]
        on_disk = [game for _, some in ChunkStore(run.games).read(lambda *_: None) for game in some]
        counted = checked_resignations(on_disk, -0.02)
        assert counted.games > 0
        assert (last.resignations_checked, last.resignations_wrong) == (counted.games, counted.wrong)


def test_a_run_without_resignations_tells_nothing_of_them(tmp_path: Path) -> None:
    run = tiny_run(tmp_path / "run", ["loop.steps=10"])
    turns = [event for event in sit(run) if isinstance(event, TurnTaken)]
    assert turns and all("resignations_checked" not in turn.values() for turn in turns)
