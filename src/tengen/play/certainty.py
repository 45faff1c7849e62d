"""Can a search tell? A network's opinion counts as it is, and so does a proof. A mean of random playouts has an error,
and is no good play besides: what it says counts only as far as it stands out from that error.
"""

from __future__ import annotations

import math
from typing import Any

from tengen.net.evaluator import Evaluator, Rollout, Uniform
from tengen.search.agent import MoveInfo

__all__ = ["WIDEST", "certainty", "margin", "points"]

# Standard errors that a loss must amount to before a move is blamed for it: benchmarks/certainty.py measures how often
# a search many times as long says the same. docs/app.md has the numbers.
ERRORS = 6.0
FEWEST = 20  # visits: of fewer playouts the spread tells nothing, as one alone has none
WIDEST = 5.0  # points of win percentage: a value that may be off by more tells nothing


def points(move: MoveInfo) -> float:
    """The standard error of a move's win percentage."""
    return 50 * move.error


def margin(evaluator: Evaluator | Rollout, move: MoveInfo) -> float:
    """Points by which the win percentage of a searched move may be off; infinite where nobody knows anything."""
    if move.proven:
        return 0.0
    if isinstance(evaluator, Rollout):
        return ERRORS * points(move) if move.visits >= FEWEST else math.inf
    return math.inf if isinstance(evaluator, Uniform) else 0.0


def certainty(certain: bool) -> dict[str, Any]:
    """As every report says it: is its value certain, and if not, why?"""
    return {"certain": certain, "reason": None if certain else "no_network"}
