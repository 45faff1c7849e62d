"""What a sample of a counted game is told about its end: the lead in points, and whose every cell was."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from support.recorded import some_records
from tengen import Game, GameError, games
from tengen.records import GameRecord
from tengen.records.replay import Minibatch, Replay, ReplayConfig

COUNTED = ["go:3", "go:5,komi=20.5", "othello:6"]


def window(game: Game, records: Sequence[GameRecord]) -> Replay:
    replay = Replay(game, ReplayConfig(samples_per_position=1e6), seed=1)
    replay.add(records)
    return replay


def by_hand(record: GameRecord, ply: int, symmetry: int) -> tuple[float, list[int]]:
    """Played out with the rules alone; the shown order is found by asking where each cell's move stands."""
    game = Game.parse(record.game)
    state = end = game.from_moves(" ".join(_texts(game, record)))
    first, second = end.score() or (0.0, 0.0)
    own = 1 + ply % 2
    shown = [0] * len(end.owners() or [])
    for cell, owner in enumerate(end.owners() or []):
        shown[state.policy_index(cell, symmetry)] = 0 if owner == 0 else 1 if owner == own else -1
    return (first - second if own == 1 else second - first), shown


def _texts(game: Game, record: GameRecord) -> list[str]:
    state, out = game.start(), []
    for action in record.moves.tolist():
        out.append(state.move_text(action))
        state.apply(action)
    return out


@pytest.mark.parametrize("id", COUNTED)
def test_samples_know_how_their_game_was_counted(id: str) -> None:
    game = games.make(id)
    for record in [record for record in some_records(id) if record.positions][:5]:
        batch = window(game, [record]).batch(64)
        assert batch.lead is not None and batch.owners is not None
        expected = {
            (lead, tuple(owners))
            for ply in range(len(record))
            for symmetry in range(game.num_symmetries)
            for lead, owners in [by_hand(record, ply, symmetry)]
        }
        for lead, owners in zip(batch.lead.tolist(), batch.owners.tolist(), strict=True):
            assert (lead, tuple(owners)) in expected


@pytest.mark.parametrize("id", COUNTED)
def test_lead_and_owners_agree_with_the_result(id: str) -> None:
    """The sign of the lead is the value target, and owners add up to it (Go's komi apart)."""
    game = games.make(id)
    records = [record for record in some_records(id) if record.ending == "end"]
    batch = window(game, records).batch(200)
    assert batch.lead is not None and batch.owners is not None
    assert np.array_equal(np.sign(batch.lead), batch.wdl[:, 0] - batch.wdl[:, 2])
    assert batch.count_weight.all()
    komi = np.abs(batch.lead - batch.owners.sum(1))
    assert np.allclose(komi, komi[0]) and komi[0] == float(games.options(game).get("komi", 0))


def test_resigned_games_are_not_counted() -> None:
    game = games.make("go:3")
    (record,) = [record for record in some_records("go:3") if record.ending == "end" and record.result != 0][:1]
    resigned = replace(record, ending="resigned", moves=record.moves)
    assert not window(game, [resigned]).batch(8).count_weight.any()


def test_other_games_have_no_count() -> None:
    game = games.make("connect4")
    batch: Minibatch = window(game, some_records("connect4")).batch(8)
    assert batch.lead is None and batch.owners is None and not game.counted
    moves, one = np.zeros(0, np.uint16), np.zeros(1, np.int32)
    with pytest.raises(GameError, match="connect4 are not counted"):
        game.count(moves, np.zeros(2, np.int64), one, one, np.zeros(1, np.uint8), 1)
