"""What a move cost, and how well each side played: one judgement for the page, for files and for whoever asks.

A move's loss is the win percentage of the best move less that of the move played; the latter is known from the next
position's search. Only moves other than the best are charged: what one search thinks of its own choice one ply later
is not the player's fault. And only as far as the search can tell: a loss within its margin is "unsure", and counts for
no accuracy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tengen.games import State
from tengen.play.certainty import certainty, margin
from tengen.search.agent import Agent

__all__ = ["KINDS", "Searched", "Tally", "accuracy", "ended", "judge", "kind_of", "searched", "win_percentage"]

KINDS = ((20.0, "blunder"), (10.0, "mistake"), (5.0, "inaccuracy"))  # from this many points of win percentage
Wdl = tuple[float, float, float]


def win_percentage(wdl: Wdl) -> float:
    return 100 * (wdl[0] + wdl[1] / 2)


def accuracy(losses: list[float]) -> float | None:
    """How well a side played, 0 … 100; None when it made no move.

    Per move 103.1668·e^(−0.04354·loss) − 3.1669, clamped to 0 … 100: the curve that lichess fitted and published
    (lichess.org/page/accuracy), on which a move without loss has 100. Here the plain mean over the moves is taken.

    >>> accuracy([0.0]), round(accuracy([0.0, 20.0])), accuracy([])
    (100.0, 70, None)
    """
    marks = [min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * loss) - 3.1669)) for loss in losses]
    return round(sum(marks) / len(marks), 2) if marks else None


def kind_of(loss: float, best: bool) -> str:
    """
    >>> [kind_of(loss, best=False) for loss in (0, 4.9, 5, 10, 20)]
    ['good', 'good', 'inaccuracy', 'mistake', 'blunder']
    """
    return "best" if best else next((kind for least, kind in KINDS if loss >= least), "good")


@dataclass(frozen=True)
class Searched:
    """A position of a game, for its side to move."""

    state: State
    best: int | None  # None where the game is over
    wdl: Wdl
    plies: float
    lead: float | None  # points; None where nobody counts
    pv: tuple[str, ...]
    margin: float  # points by which the win percentage may be off


def searched(agent: Agent, state: State) -> Searched:
    """What an agent has found out about a position, the root of its tree."""
    best = agent.report(state).moves[0]
    return Searched(state, best.action, best.wdl, best.plies, best.lead, best.pv, margin(agent.evaluator, best))


def ended(state: State) -> Searched:
    """A position in which the game is over: the rules know its value."""
    outcome = state.outcome()
    wdl = (float(outcome > 0), float(outcome == 0), float(outcome < 0))
    return Searched(state, None, wdl, 0.0, _counted(state), (), 0.0)


def _counted(state: State) -> float | None:
    points = state.score()
    return None if points is None else points[state.to_move()] - points[1 - state.to_move()]


def judge(before: Searched, action: int, after: Searched) -> dict[str, Any]:
    """What a move cost, from the positions before and after it; all numbers are for the side that moved."""
    assert before.best is not None
    best_value = win_percentage(before.wdl)
    is_best = action == before.best
    value = best_value if is_best else min(best_value, 100 - win_percentage(after.wdl))
    loss = best_value - value
    kind = kind_of(loss, is_best)
    certain = kind in ("best", "good") or loss >= math.hypot(before.margin, after.margin)
    return {
        "played": before.state.move_text(action),
        "best": before.state.move_text(before.best),
        "before": best_value,
        "after": value,
        "loss": loss,
        "kind": kind if certain else "unsure",
        **certainty(certain),
        "pv": before.pv,
        "wdl": before.wdl,
        "plies": before.plies,
        "lead": before.lead,
        "lead_after": None if before.lead is None or after.lead is None else -after.lead,
    }


class Tally:
    """How well both sides played, as far as the search could tell."""

    def __init__(self) -> None:
        self._losses: tuple[list[float], list[float]] = ([], [])

    def count(self, player: int, row: dict[str, Any]) -> None:
        if row["certain"]:
            self._losses[player].append(row["loss"])

    def accuracy(self) -> dict[str, float | None]:
        return {"first": accuracy(self._losses[0]), "second": accuracy(self._losses[1])}
