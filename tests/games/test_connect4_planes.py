"""What a Connect4 network is shown beside the stones, found again by looking at every line of four cells."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tengen import State, games
from tengen._core import Rng

CONNECT4 = games.make("connect4")
_, ROWS, COLS = CONNECT4.planes_shape
LINES = [
    [(row + k * down, col + k * right) for k in range(4)]
    for row in range(ROWS)
    for col in range(COLS)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    if row + 3 * down < ROWS and 0 <= col + 3 * right < COLS
]


def random_position(number: int) -> State:
    rng, state = Rng(3, number, 0, "opening"), CONNECT4.start()
    for _ in range(rng.below(36)):
        following = state.copy()
        actions = state.legal_actions()
        following.apply(actions[rng.below(len(actions))])
        if following.is_terminal():
            break
        state = following
    return state


def winning_cells(stones: NDArray[np.float32], taken: NDArray[np.float32]) -> NDArray[np.float32]:
    found = np.zeros_like(stones)
    for line in LINES:
        for cell in line:
            if not taken[cell] and all(stones[other] for other in line if other != cell):
                found[cell] = 1
    return found


@pytest.mark.parametrize("view", [0, 1])
def test_cells_that_would_win_and_whose_turn_it_is(view: int) -> None:
    seen = 0
    for number in range(300):
        state = random_position(number)
        own, others, wins, losses, first = state.planes(view)
        assert np.array_equal(wins, winning_cells(own, own + others))
        assert np.array_equal(losses, winning_cells(others, own + others))
        assert np.array_equal(first, np.full_like(own, state.to_move() == 0))
        assert own.sum() == others.sum() - state.to_move()
        seen += int(wins.sum() + losses.sum())
    assert seen > 300  # or there was nothing to compare
