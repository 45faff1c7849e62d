"""What a network that counts foresees of the end of a game, within what a board can hold."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tengen.games import State
from tengen.net.evaluator.contract import Counting, Evaluator
from tengen.net.evaluator.rollout import Rollout

MOST_LEAD = 1000.0  # points: no board counts more, but a stranger's network may say anything


def bounded_lead(points: float) -> float | None:
    """
    >>> bounded_lead(-2.5), bounded_lead(1e30), bounded_lead(math.nan)
    (-2.5, 1000.0, None)
    """
    return min(MOST_LEAD, max(-MOST_LEAD, points)) if math.isfinite(points) else None


def foreseen_owners(evaluator: Evaluator | Rollout, state: State) -> NDArray[np.float32] | None:
    """Whose every cell will be at the end, from 1 (the side to move's) to -1: the mean over all symmetries. None where
    nobody foresees it; a cell about which the network says no number is nobody's."""
    if not isinstance(evaluator, Counting) or not evaluator.counts:
        return None
    symmetries = range(state.game.num_symmetries)
    shown = evaluator.owners(np.stack([state.planes(symmetry) for symmetry in symmetries]))
    cells = range(shown.shape[1])
    views = [shown[s][[state.policy_index(cell, s) for cell in cells]] for s in symmetries]
    return np.asarray(np.nan_to_num(np.mean(views, axis=0), nan=0.0).clip(-1, 1), np.float32)
