"""Curves with the work that they cost: minutes, games and evaluations, so that runs can be compared at equal work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tengen.run.events import Event, Measured, Released, TurnTaken

__all__ = ["AXES", "USUAL_CURVES", "CurvePoint", "usual_curve", "value_at", "worked_curves"]

AXES = ("minutes", "games", "evaluations")
USUAL_CURVES = ("elo", "loss")  # what runs are compared by unless somebody says: the first of these that any has


class CurvePoint(NamedTuple):
    """A number of a run, and what was done by then."""

    step: int
    minutes: float
    games: int
    evaluations: int  # by networks in self-play, as turns tell; measurements are not counted
    value: float
    error: float | None  # half of its interval, where it was measured with one


def worked_curves(events: Iterable[Event]) -> dict[str, list[CurvePoint]]:
    """Every number that turns, releases and measurements tell, by name. Needs all events of a run: evaluations are
    summed.

    >>> turn = TurnTaken(5, 1.0, loss=2.0, total_games=10, evaluations_per_second=50.0, playing_seconds=4.0)
    >>> worked_curves([turn, Measured(5, 1.5, network="x", elo=300.0, elo_error=20.0)])["elo"]
    [CurvePoint(step=5, minutes=1.5, games=10, evaluations=200, value=300.0, error=20.0)]
    """
    found: dict[str, list[CurvePoint]] = {}
    games, evaluations = 0, 0.0
    for event in events:
        if not isinstance(event, TurnTaken | Released | Measured):
            continue
        numbers = event.numbers()
        if isinstance(event, TurnTaken):
            games = int(numbers.get("total_games", games))
            evaluations += numbers.get("evaluations_per_second", 0.0) * numbers.get("playing_seconds", 0.0)
        for name, value in numbers.items():
            error = numbers.get(f"{name}_error")
            point = CurvePoint(event.step, event.minutes, games, round(evaluations), value, error)
            found.setdefault(name, []).append(point)
    return found


def usual_curve(runs: Sequence[dict[str, list[CurvePoint]]]) -> str | None:
    return next((name for name in USUAL_CURVES if any(name in curves for curves in runs)), None)


def value_at(points: Sequence[CurvePoint], axis: str, place: float) -> CurvePoint | None:
    """The latest point by then; None where the run has not got so far, or had none yet.

    >>> points = [CurvePoint(0, minutes, 0, 0, minutes * 10, None) for minutes in (1.0, 2.0, 3.0)]
    >>> [point and point.value for point in (value_at(points, "minutes", at) for at in (0.5, 1.0, 2.9, 3.1))]
    [None, 10.0, 20.0, None]
    """
    if not points or getattr(points[-1], axis) < place:
        return None
    return next((point for point in reversed(points) if getattr(point, axis) <= place), None)
