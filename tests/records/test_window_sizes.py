"""The replay window of a family: one window for all sizes, batches of one size each."""

from collections import Counter

import numpy as np
import pytest

from support.recorded import some_records
from tengen.games import Family
from tengen.records import GameRecord
from tengen.records.replay import Minibatch, Replay, ReplayConfig

FAMILY = Family.parse("hex:3-5")
PLENTY = ReplayConfig(samples_per_position=1e6)


def window(records: list[GameRecord], family: Family = FAMILY, config: ReplayConfig = PLENTY) -> Replay:
    replay = Replay(family, config, seed=3)
    replay.add(records)
    return replay


def mixed() -> list[GameRecord]:
    """Games of all sizes, one after the other."""
    games = [list(some_records(game.id, 12)) for game in FAMILY.games]
    return [record for three in zip(*games, strict=True) for record in three]


def side(batch: Minibatch) -> int:
    return int(batch.planes.shape[2])


def test_a_batch_is_of_one_size_and_sizes_come_as_in_the_window() -> None:
    records = mixed()
    replay = window(records)
    there = Counter[int]()
    for record in records:
        there[int(record.game[-1])] += int(record.full.sum())
    drawn = Counter(side(replay.batch(4)) for _ in range(3000))
    for size in (3, 4, 5):
        assert drawn[size] / 3000 == pytest.approx(there[size] / there.total(), abs=0.05)


def test_samples_of_a_size_are_those_of_its_games() -> None:
    """What is drawn of a size lies among what is drawn where there are only its games."""
    records = mixed()
    replay = window(records)
    batches = [replay.batch(64) for _ in range(30)]
    for game in FAMILY.games:
        rows, cols = game.planes_shape[1:]
        alone = window([record for record in records if record.game == game.id], Family.of(game)).batch(4000)
        known = {_sample(alone, row) for row in range(4000)}
        ours = [batch for batch in batches if batch.planes.shape[2:] == (rows, cols)]
        assert ours and all(batch.policy.shape == (64, game.num_actions) for batch in ours)
        assert all(_sample(batch, row) in known for batch in ours for row in range(64))


def _sample(batch: Minibatch, row: int) -> bytes:
    parts = (batch.planes, batch.legal, batch.policy, batch.wdl, batch.moves_left)
    return b"".join(np.ascontiguousarray(part[row]).tobytes() for part in parts)


def test_the_oldest_positions_are_forgotten_whatever_their_size() -> None:
    small, large = (list(some_records(game.id, 12)) for game in (FAMILY.smallest, FAMILY.largest))
    last = sum(int(record.full.sum()) for record in large)
    replay = window(small + large, config=ReplayConfig(samples_per_position=1e6, first_window=last, scale=0))
    assert {side(replay.batch(8)) for _ in range(50)} == {5}
    assert replay.window == last


def test_a_run_that_goes_on_draws_what_it_would_have_drawn() -> None:
    records = mixed()
    replay = window(records)
    for _ in range(5):
        replay.batch(16)
    resumed = window(records)
    resumed.resume(80)
    for _ in range(10):
        one, other = replay.batch(16), resumed.batch(16)
        assert np.array_equal(one.planes, other.planes) and np.array_equal(one.policy, other.policy)


def test_other_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="a record of hex:6 where hex:3-5 is learned"):
        window(list(some_records("hex:6", 1)))
