"""Where a run stands and how it went, from what it wrote down: for `tengen status` and for the app."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from tengen.run.events import Ended, Event, Measured, Released, Started, TurnTaken, finite
from tengen.run.folder import RunDirectory

__all__ = [
    "Fleet",
    "FleetWorker",
    "curves",
    "describe_run",
    "last_turn",
    "plan_of",
    "read_fleet",
    "resignations",
    "resignations_text",
    "series",
    "thinned",
]

Point = TypeVar("Point")

POINTS = 200  # of a curve
LARGEST_FLEET = 1 << 22  # bytes: ten thousand workers


class FleetWorker(msgspec.Struct):
    """Somebody elsewhere who plays for a run."""

    name: str
    players: int  # heard of lately
    simulations_per_second: float
    games: int  # accepted so far
    refused: int  # times that it sent what cannot have been played
    checked: int  # plies that were searched again
    barred: str | None  # why nothing more is taken from it
    waiting: int  # chunks that it has not sent yet
    version: int  # the release that its slowest player has
    held: str | None = None  # why nothing more is taken from it until a person has looked
    unseen: int = 0  # games that were to be played again and were not


class Fleet(msgspec.Struct):
    """What a run with workers writes once a second, as `workers.json`."""

    version: int  # the newest release
    workers: list[FleetWorker]


def read_fleet(run: RunDirectory) -> list[FleetWorker]:
    """Who plays for a run; nobody, if it has no workers or its file cannot be read."""
    try:
        if run.workers.stat().st_size > LARGEST_FLEET:
            return []
        found = msgspec.json.decode(run.workers.read_bytes(), type=Fleet).workers
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    if not run.is_locked():  # the hub is away, and who played for it waits
        found = [msgspec.structs.replace(each, players=0, simulations_per_second=0.0) for each in found]
    return found


def describe_run(events: Sequence[Event]) -> dict[str, Any]:
    """Where the run stands; there must be a start among the events."""
    last, start = events[-1], next(each for each in reversed(events) if isinstance(each, Started))
    turn = last_turn(events)
    steps, minutes = start.planned_steps, start.planned_minutes
    progress = min(1.0, last.step / steps if steps else last.minutes / minutes)
    state = "going on" if not isinstance(last, Ended) else "finished" if last.finished else "stopped"
    return {
        "game": start.game,
        "size": start.size,
        "state": state,  # "going on" may also mean killed: see how long ago it was heard of
        "heard_of_seconds_ago": round(max(0.0, time.time() - last.time), 1),
        "progress": progress,
        "plan": plan_of(minutes, steps, last.minutes, last.step),
        "minutes": last.minutes,
        "planned_minutes": minutes,
        "step": last.step,
        "planned_steps": steps,
        "games": turn.total_games or 0 if turn else 0,
        "positions": turn.positions or 0 if turn else start.positions,
    }


def plan_of(minutes: float, steps: int, spent: float = 0.0, step: int = 0) -> dict[str, Any]:
    """How much of its plan a run has done, in steps where it is planned in steps. A run by the clock ends its last
    iteration and measures once more: that is over the plan, and no part of it.

    >>> plan_of(3, 0, spent=3.5)
    {'unit': 'minutes', 'done': 3, 'planned': 3, 'over': 0.5}
    """
    unit, done, planned = ("steps", step, steps) if steps else ("minutes", spent, minutes)
    return {"unit": unit, "done": min(done, planned), "planned": planned, "over": max(0, done - planned)}


def last_turn(events: Sequence[Event]) -> TurnTaken | None:
    return next((event for event in reversed(events) if isinstance(event, TurnTaken)), None)


def resignations(turn: TurnTaken | None) -> dict[str, int] | None:
    """How many were checked, and how many would have been wrong; None where nobody may resign."""
    if turn is None or turn.resignations_checked is None:
        return None
    return {"checked": turn.resignations_checked, "wrong": turn.resignations_wrong or 0}


def resignations_text(turn: TurnTaken | None) -> str | None:
    """
    >>> resignations_text(TurnTaken(1, 1.0, resignations_checked=120, resignations_wrong=2))
    'resignations checked: 120, wrong: 2 (1.7 %)'
    >>> resignations_text(TurnTaken(1, 1.0, resignations_checked=0, resignations_wrong=0))
    'resignations checked: 0'
    """
    counts = resignations(turn)
    if counts is None:
        return None
    share = f", wrong: {counts['wrong']} ({counts['wrong'] / counts['checked']:.1%})" if counts["checked"] else ""
    return f"resignations checked: {counts['checked']}{share.replace('%', ' %')}"


def series(events: Iterable[Event], name: str) -> list[tuple[float, float]]:
    """Minutes and value of a number wherever turns have it."""
    known = ((event.minutes, finite(getattr(event, name))) for event in events if isinstance(event, TurnTaken))
    return [(minutes, value) for minutes, value in known if value is not None]


def curves(events: Sequence[Event]) -> dict[str, list[tuple[float, float]]]:
    """Every number that turns, releases and measurements tell, by name."""
    found: dict[str, list[tuple[float, float]]] = {}
    for event in events:
        if isinstance(event, TurnTaken | Released | Measured):
            for name, value in event.numbers().items():
                found.setdefault(name, []).append((event.minutes, value))
    return found


def thinned(points: list[Point]) -> list[Point]:
    """At most POINTS of them, the latest included.

    >>> len(thinned([(float(i), 0.0) for i in range(1001)])), thinned([(0.0, 1.0), (1.0, 2.0)])
    (167, [(0.0, 1.0), (1.0, 2.0)])
    """
    return points[:: -(len(points) // POINTS + 1)][::-1]
