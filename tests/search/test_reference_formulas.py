"""The formulas of the naive search: the published numbers."""

import pytest

from tengen.search.reference.formulas import (
    exploration,
    first_play,
    halving_sequence,
    lost_in_flight,
    moves_left_utility,
    normalised,
    softmax,
    tempered,
)


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [
        (1, [0.5, 0.3, 0.2]),
        (0.5, [25 / 38, 9 / 38, 4 / 38]),
        (0.25, [0.865651, 0.112188, 0.022161]),
        (0.1, [0.993886, 0.006010, 0.000104]),
        (1e-5, [1, 0, 0]),  # N^(1/T) itself would overflow
    ],
)
def test_tempered_visits(temperature: float, expected: list[float]) -> None:
    assert normalised(tempered([50, 30, 20], temperature)) == pytest.approx(expected, abs=1e-6)
    assert normalised(tempered([50, 0, 30, 20], temperature))[1] == 0


@pytest.mark.parametrize(
    ("options", "visits", "expected"),
    [
        ((1.25, 500, 1), 0, 1.251998),
        ((1.25, 500, 1), 1, 1.253992),
        ((1.25, 500, 1), 100, 1.433987),
        ((1.25, 500, 1), 800, 2.206280),
        ((1, 500, 1), 100, 1.183987),
        ((1.25, 19652, 1), 800, 1.289950),
        ((1.5, 500, 0), 800, 1.5),
    ],
)
def test_exploration_grows(options: tuple[float, float, float], visits: int, expected: float) -> None:
    assert exploration(visits, *options) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("q", "seen", "reduced", "scaled"),
    [(0.3, 0.8, -0.057771, 0.067449), (-0.7, 0.95, -1, -0.758481), (0.5, 1, 0.1, 0.2), (0.3, 0, 0.3, 0.3)],
)
def test_first_play(q: float, seen: float, reduced: float, scaled: float) -> None:
    assert first_play("reduction", 0.4, q, seen) == pytest.approx(reduced, abs=1e-6)
    assert first_play("scaled", 0.4, q, seen) == pytest.approx(scaled, abs=1e-6)
    assert first_play("zero", 0.4, q, seen) == 0


def test_first_play_is_floored() -> None:
    assert pytest.approx(-1.089872, abs=1e-6) == -0.7 - 0.4 * 0.95**0.5
    assert first_play("reduction", 0.4, -0.7, 0.95) == -1


@pytest.mark.parametrize(
    ("slope", "cap", "m", "m_node", "q", "expected"),
    [
        (0.03, 0.15, 5, 10, -0.9, 0.135),
        (0.03, 0.15, 20, 10, -0.5, -0.075),
        (0.03, 0.15, 20, 10, 0.5, 0.075),
        (0.03, 0.15, 5, 10, 0.9, -0.135),
        (0.03, 0.15, 12, 10, 0.8, 0.048),
        (0.02, 0.1, 3, 10, -1, 0.1),
    ],
)
def test_moves_left_utility(slope: float, cap: float, m: float, m_node: float, q: float, expected: float) -> None:
    assert moves_left_utility("q", slope, cap, m, m_node, q, 0.0) == pytest.approx(expected, abs=1e-12)


def test_moves_left_utility_of_lc0() -> None:
    assert moves_left_utility("lc0", 0.0027, 0.0345, 5, 10, -1, 0.79) == 0
    assert moves_left_utility("lc0", 0.0027, 0.0345, 5, 10, -1, 0.81) == pytest.approx(0.0135, abs=1e-12)
    assert moves_left_utility("lc0", 0.0027, 0.0345, 50, 10, 1, -0.9) == pytest.approx(0.0345, abs=1e-12)
    assert moves_left_utility("lc0", 0.0027, 0.0345, 5, 10, -0.8, 0.9) == 0
    half = 1.6521 * 0.5 - 0.6521 * 0.25
    assert moves_left_utility("lc0", 0.0027, 0.0345, 5, 10, -0.9, 0.9) == pytest.approx(0.0135 * half, abs=1e-12)


def test_virtual_loss_values() -> None:
    assert lost_in_flight(-0.6, 100, 1, 3) == pytest.approx(0.553398, abs=1e-6)
    assert lost_in_flight(-0.6, 100, 3, 3) == pytest.approx(0.467890, abs=1e-6)


def test_softmax_of_large_logits() -> None:
    assert softmax([1000.0, 1000.0, -1000.0]) == [0.5, 0.5, 0]


def test_halving_sequence() -> None:
    assert halving_sequence(1, 4) == [0, 1, 2, 3]
    assert halving_sequence(4, 16) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert halving_sequence(16, 5) == [0, 0, 0, 0, 0]
    assert len(halving_sequence(7, 1000)) == 1000
