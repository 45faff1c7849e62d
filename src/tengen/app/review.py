"""A game looked through move by move: what each cost, and how well each side played.

Every position of the game is searched by the same agent, whose tree follows the game. A move's loss is the win
percentage of the best move less that of the move played; the latter is known from the next position's search. Only
moves other than the best are charged: what one search thinks of its own choice one ply later is not the player's fault.
And only as far as the search can tell: a loss within its margin is "unsure", and counts for no accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tengen.app.certainty import certainty, margin
from tengen.app.errors import AppError
from tengen.app.treesearch import TreeSearch
from tengen.games import State
from tengen.kifu.moves import start_of
from tengen.search.agent import Agent

__all__ = ["accuracy", "kind_of", "review"]

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
class _Searched:
    """A position of the game, for its side to move."""

    state: State
    best: int | None  # None where the game is over
    wdl: Wdl
    plies: float
    pv: tuple[str, ...]
    margin: float  # points by which the win percentage may be off


async def review(search: TreeSearch, tell: Callable[..., Awaitable[None]]) -> None:
    """Tells a row per move as soon as the position after it is searched; the last one has both sides' accuracy."""
    last = search.state
    moves = last.moves()
    if not moves:
        raise AppError("bad_moves", "there is no move to review")
    state = start_of(last.game, last.start_text())
    search.state = state.copy()
    losses: tuple[list[float], list[float]] = ([], [])
    async with search.opened():
        before = await _look(search, state.copy())
        for ply, action in enumerate(moves):
            state.apply(action)
            after = await _look(search, state.copy())
            if search.stopped:
                return
            row = _judge(before, action, after)
            if row["certain"]:
                losses[before.state.to_move()].append(row["loss"])
            done = ply + 1 == len(moves)
            ending = {"accuracy": {"first": accuracy(losses[0]), "second": accuracy(losses[1])}} if done else {}
            await tell(ply=ply, done=done, total=len(moves), **row, **ending)
            before = after


async def _look(search: TreeSearch, state: State) -> _Searched:
    if state.is_terminal():
        outcome = state.outcome()
        return _Searched(state, None, (float(outcome > 0), float(outcome == 0), float(outcome < 0)), 0.0, (), 0.0)
    await search.move_to(state)
    await search.run()

    def look(agent: Agent) -> _Searched:
        best = agent.report(state).moves[0]
        return _Searched(state, best.action, best.wdl, best.plies, best.pv, margin(agent.evaluator, best))

    return await search.use(look)


def _judge(before: _Searched, action: int, after: _Searched) -> dict[str, Any]:
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
    }
