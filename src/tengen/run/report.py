"""Where a run stands and how it went, from what it wrote down: for `tengen status` and for the app."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from tengen.run.events import Event, number_of
from tengen.run.folder import RunDirectory

__all__ = ["Fleet", "FleetWorker", "curves", "describe_run", "plan_of", "read_fleet", "series", "thinned"]

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
    last, start = events[-1], next(event for event in reversed(events) if event.kind == "start")
    turn = next((event for event in reversed(events) if event.kind == "turn"), start)
    steps, minutes = start.values["planned_steps"], start.values["planned_minutes"]
    progress = min(1.0, last.step / steps if steps else last.minutes / minutes)
    state = "going on" if last.kind != "end" else "finished" if last.values.get("finished") else "stopped"
    return {
        "game": start.values["game"],
        "size": start.values["size"],
        "state": state,  # "going on" may also mean killed: see how long ago it was heard of
        "heard_of_seconds_ago": round(max(0.0, time.time() - last.time), 1),
        "progress": progress,
        "plan": plan_of(minutes, steps, last.minutes, last.step),
        "minutes": last.minutes,
        "planned_minutes": minutes,
        "step": last.step,
        "planned_steps": steps,
        "games": turn.values.get("total_games", 0),
        "positions": turn.values.get("positions", 0),
    }


def plan_of(minutes: float, steps: int, spent: float = 0.0, step: int = 0) -> dict[str, Any]:
    """How much of its plan a run has done, in steps where it is planned in steps. A run by the clock ends its last
    iteration and measures once more: that is over the plan, and no part of it.

    >>> plan_of(3, 0, spent=3.5)
    {'unit': 'minutes', 'done': 3, 'planned': 3, 'over': 0.5}
    """
    unit, done, planned = ("steps", step, steps) if steps else ("minutes", spent, minutes)
    return {"unit": unit, "done": min(done, planned), "planned": planned, "over": max(0, done - planned)}


def series(events: Iterable[Event], name: str, kind: str = "turn") -> list[tuple[float, float]]:
    """Minutes and value wherever the events have it."""
    known = ((event.minutes, number_of(event, name)) for event in events if event.kind == kind)
    return [(minutes, value) for minutes, value in known if value is not None]


def curves(events: Sequence[Event]) -> dict[str, list[tuple[float, float]]]:
    """Every number that turns, releases and measurements tell, by name."""
    found: dict[str, list[tuple[float, float]]] = {}
    for event in events:
        if event.kind in ("turn", "release", "measure"):
            for name in event.values:
                if (value := number_of(event, name)) is not None:
                    found.setdefault(name, []).append((event.minutes, value))
    return found


def thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most POINTS of them, the latest included.

    >>> len(thinned([(float(i), 0.0) for i in range(1001)])), thinned([(0.0, 1.0), (1.0, 2.0)])
    (167, [(0.0, 1.0), (1.0, 2.0)])
    """
    return points[:: -(len(points) // POINTS + 1)][::-1]
