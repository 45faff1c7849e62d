"""Elo over a run, with the ladder's error, so that noise looks like noise: the page draws it, and the verdict uses it.

A measurement is some dozens of games: one network seems weaker than the one before it though it is not. So each point
is the mean of its neighbours, as far as the ladder cannot tell them from it. What it can tell apart is never mixed.

>>> def at(minutes, elo): return Measured(0, minutes, network="n", elo=elo, elo_error=60.0)
>>> [round(point.elo) for point in elo_curve([at(0, 0), at(1, 500), at(2, 470), at(4, 530)])]
[0, 500, 500, 500]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tengen.run.events import Event, Measured, finite

__all__ = ["EloPoint", "Gain", "elo_curve", "gain"]

ELO = ("elo", "elo_alone")  # with a search, and without
REACH = 2  # neighbours on either side: more would flatten a slow rise


@dataclass(frozen=True)
class EloPoint:
    step: int
    minutes: float
    elo: float  # of the curve
    error: float  # reach of its 95 % interval to either side; not smaller for the smoothing: errors have a common part
    measured: float  # of this network alone, without its neighbours


@dataclass(frozen=True)
class Gain:
    """Elo of the latest network above the first one that was measured."""

    name: str  # of ELO
    since: int  # step of the first
    elo: float
    error: float

    @property
    def sure(self) -> bool:
        return self.elo > self.error


def elo_curve(events: Iterable[Event], name: str = "elo") -> list[EloPoint]:
    """The measurements that have this Elo and its error."""
    raw: list[EloPoint] = []
    for event in events:
        if isinstance(event, Measured):
            elo, error = finite(getattr(event, name)), finite(getattr(event, f"{name}_error"))
            if elo is not None and error is not None:
                raw.append(EloPoint(event.step, event.minutes, elo, error, elo))
    return [_smoothed(raw, place) for place in range(len(raw))]


def _smoothed(points: Sequence[EloPoint], place: int) -> EloPoint:
    here = points[place]
    near = [here]
    for side in (points[place + 1 : place + 1 + REACH], points[max(0, place - REACH) : place][::-1]):
        for each in side:
            if abs(each.measured - here.measured) > math.hypot(each.error, here.error):
                break
            near.append(each)
    weights = [1 / max(1.0, each.error) ** 2 for each in near]

    def mean(values: list[float]) -> float:
        return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)

    # Means of differences: those of equal numbers are exactly 0, so that rounding is no rise.
    elo = here.measured + mean([each.measured - here.measured for each in near])
    error = here.error + mean([each.error - here.error for each in near])
    return EloPoint(here.step, here.minutes, elo, error, here.measured)


def gain(events: Sequence[Event]) -> Gain | None:
    """The surest one, with a search or without; None before two networks were measured."""
    known: list[Gain] = []
    for name in ELO:
        if len(points := elo_curve(events, name)) > 1:
            first, last = points[0], points[-1]
            error = math.hypot(first.error, last.error)  # too large rather than too small
            known.append(Gain(name, first.step, last.elo - first.elo, error))
    return max(known, key=lambda each: each.elo / max(1.0, each.error), default=None)
