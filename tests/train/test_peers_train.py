"""What benchmarks/peers_train.py does itself, without JAX: budgets, sizes, positions, samples, the table."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tengen import games
from tengen.exact.labelled import own_positions

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import peers_train
from pgx_alphazero import PeerConfig, drawn, falling, mirrored, parts, played

GAME = games.make("connect4")


def test_a_budget_counts_the_wall_or_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {"wall": 100.0, "cpu": 5.0}
    monkeypatch.setattr(time, "monotonic", lambda: now["wall"])
    monkeypatch.setattr(time, "process_time", lambda: now["cpu"])
    budgets = [peers_train.Budget(2.0, of_cpu) for of_cpu in (False, True)]
    for budget in budgets:
        budget.begin()
    now |= {"wall": 160.0, "cpu": 35.0}
    assert [budget.progress() for budget in budgets] == [0.5, 0.25]
    assert budgets[0].report() == budgets[1].report() == {"wall_minutes": 1.0, "cpu_minutes": 0.5}


def test_sizes_of_the_peer_are_changed_by_name() -> None:
    changed = peers_train.changed_config(PeerConfig(), ["channels=64", "rate=0.01"])
    assert (changed.channels, changed.rate, changed.blocks) == (64, 0.01, PeerConfig().blocks)
    for wrong in (["chanels=64"], ["channels=x"], ["channels"]):
        with pytest.raises(ValueError):
            peers_train.changed_config(PeerConfig(), wrong)


def test_the_peer_is_shown_the_same_positions() -> None:
    states = [GAME.from_moves("4 4 3"), GAME.start()]
    moves = played(states, 3)
    assert moves.shape == (42, 3) and moves[:4, 0].tolist() == [3, 3, 2, -1]
    assert (moves[:, 1:] == -1).all()
    assert [len(part) for part in parts([GAME.start()] * 5, 2)] == [2, 2, 1]


def test_samples_are_drawn_and_mirrored_with_their_policies() -> None:
    rng = np.random.default_rng(0)
    seen = rng.random((10, 6, 7, 2), np.float32)
    policy, value = rng.random((10, 7), np.float32), np.arange(10, dtype=np.float32)
    batch = mirrored(drawn([[seen, policy, value]], 64, rng), rng)
    rows, straight = batch[2].astype(int), np.zeros(64, bool)
    for i, row in enumerate(rows):
        straight[i] = (batch[0][i] == seen[row]).all()
        assert (batch[1][i] == (policy[row] if straight[i] else policy[row, ::-1])).all()
        assert straight[i] or (batch[0][i] == seen[row, :, ::-1]).all()
    assert 0 < straight.sum() < 64
    assert falling(1.0, 0.3) == 1.0 and falling(1.0, 1.0) == pytest.approx(0.05)


def test_mistakes_are_moves_that_give_a_value_away() -> None:
    positions = own_positions(GAME, ["end_easy"])[0]
    right, wrong = positions.keeping.argmax(axis=1), np.where(positions.legal, positions.scores, 99).argmin(axis=1)
    assert peers_train.mistakes(positions, right) == 0
    assert peers_train.mistakes(positions, wrong) == pytest.approx(positions.mistake_possible.mean())


def test_the_table_has_a_line_for_every_figure() -> None:
    trained = {"wall_minutes": 1.0, "cpu_minutes": 2.0, "games": 3, "positions": 4, "updates": 5}
    scores = {"network alone": 0.25, "ms per move": 1.5}
    report = {"trained": {"tengen": trained, "pgx": trained}, "mistakes": {"tengen": scores, "pgx": scores}}
    match = {"search only": {"score": 0.9, "low": 0.8, "high": 0.95, "games": 40}}
    lines = peers_train.table(report | {"match": match}).splitlines()
    assert len(lines) == 1 + 5 + 4 + 1
    assert lines[6].split() == ["network", "alone", "25.0%"]
    assert lines[-1] == "Tengen's score, search only: 90.0% (80.0% … 95.0%) of 40 games"
