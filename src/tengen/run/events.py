"""What happens in a run, told as events: one class for each kind. `tengen.run.journal` keeps them.

On disk and in JSON an event is its kind, its step, its time, and a flat object of values. There a field that is None is
left out, and a number that is not finite is null, which JSON has; it comes back as NaN.

>>> event = TurnTaken(3, 0.5, loss=1.25, games=4)
>>> event.values()
{'games': 4, 'loss': 1.25}
>>> read_event("turn", 3, 0.5, event.time, event.values()) == event
True
"""

from __future__ import annotations

import math
import numbers
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import msgspec

__all__ = [
    "Ended",
    "Event",
    "Listener",
    "Measured",
    "Released",
    "Started",
    "TurnTaken",
    "Warned",
    "finite",
    "plain",
    "read_event",
]


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    kind: ClassVar[str]
    prefixes: ClassVar[Mapping[str, str]] = {}  # of the names of values that a field holds as a dictionary

    step: int  # of the learner
    minutes: float  # of training so far, over all sittings
    time: float = field(default_factory=time.time, kw_only=True)  # seconds since 1970

    def values(self) -> dict[str, Any]:
        """What it tells, by name, as JSON has it."""
        told: dict[str, Any] = {}
        for each in fields(self)[len(fields(Event)) :]:
            value = getattr(self, each.name)
            if each.name in self.prefixes:
                told |= {f"{self.prefixes[each.name]}{name}": plain(part) for name, part in value.items()}
            elif value is not None:
                told[each.name] = plain(value)
        return told

    def numbers(self) -> dict[str, float]:
        """Those of its values that are finite numbers."""
        known = self.values().items()
        return {name: float(value) for name, value in known if type(value) in (int, float)}

    @classmethod
    def read(cls, step: int, minutes: float, values: Mapping[str, Any], when: float | None = None) -> Self:
        """From what `values` gave; names that this version does not know are left out. Raises ValueError."""
        names = {each.name for each in fields(cls)} - cls.prefixes.keys()
        told: dict[str, Any] = {name: {} for name in cls.prefixes}
        for name, value in values.items():
            number = math.nan if value is None else value
            if isinstance(number, float) and number.is_integer():
                number = int(number)  # fits fields of both kinds; ladder.json makes floats of all its numbers
            if name in names:
                told[name] = number
                continue
            for field_name, prefix in cls.prefixes.items():
                if name.startswith(prefix):
                    told[field_name][name.removeprefix(prefix)] = number
        told |= {"step": step, "minutes": minutes} | ({} if when is None else {"time": when})
        return msgspec.convert(told, cls)

    def to_dict(self) -> dict[str, Any]:
        told = {"time": self.time, "step": self.step, "minutes": self.minutes, "kind": self.kind}
        return told | {"values": self.values()}


@dataclass(frozen=True, kw_only=True)
class Started(Event):
    """A sitting begins."""

    kind = "start"

    game: str
    size: str
    planned_minutes: float
    planned_steps: int  # 0: by the clock
    positions: int = 0  # there from earlier sittings
    resumed: bool = False


@dataclass(frozen=True, kw_only=True)
class TurnTaken(Event):
    """Some games were played and learned from. None: nothing was played, or nothing learned, or it is not known."""

    kind = "turn"

    games_per_second: float | None = None
    evaluations_per_second: float | None = None
    simulations_per_second: float | None = None
    moves_per_second: float | None = None
    batch_fill: float | None = None
    without_network: float | None = None  # share of simulations
    playing_seconds: float | None = None

    games: int | None = None  # finished in this turn
    game_length: float | None = None
    first_player_score: float | None = None
    draws: float | None = None

    policy_loss: float | None = None
    value_loss: float | None = None
    moves_left_loss: float | None = None
    lead_loss: float | None = None  # of games that are counted
    owners_loss: float | None = None
    loss: float | None = None
    entropy: float | None = None
    explained_variance: float | None = None
    gradient_norm: float | None = None
    rate: float | None = None
    samples_per_second: float | None = None
    learning_seconds: float | None = None
    replay_age: float | None = None

    total_games: int | None = None  # of the run
    positions: int | None = None
    window: int | None = None
    progress: float | None = None
    unread_chunks: int | None = None
    resignations_checked: int | None = None  # of the run; None where nobody may resign
    resignations_wrong: int | None = None
    workers: int | None = None  # elsewhere; None where there can be none


@dataclass(frozen=True, kw_only=True)
class Released(Event):
    """Whoever plays goes on with a new network."""

    kind = "release"

    network: str  # its hash
    kl: float  # change of the policy since the release before; 0 where it is not known
    multiplier: float | None = None  # of the learning rate


@dataclass(frozen=True, kw_only=True)
class Measured(Event):
    """How strong a network is."""

    kind = "measure"
    prefixes: ClassVar[Mapping[str, str]] = {
        **{"openings": "value_", "keeping": "keeping_", "alone": "alone_"},
        "smallest": "smallest_",
    }

    network: str  # file name
    opponent: str | None = None
    score: float | None = None  # against the opponent, with its interval
    score_low: float | None = None
    score_high: float | None = None
    level: int | None = None  # playouts of the pure MCTS to beat
    best: str | None = None  # the best network so far
    against_previous: float | None = None
    against_engine: float | None = None  # the score against the program that measure.engine names
    note: str | None = None
    elo: float | None = None
    elo_error: float | None = None
    elo_alone: float | None = None  # of the network without a search
    elo_alone_error: float | None = None
    games_alone: int | None = None  # that it played without a search against each opponent
    alone: dict[str, float] = field(default_factory=dict)  # its score there, by opponent
    smallest: dict[str, float] = field(default_factory=dict)  # the same on a family's smallest board
    openings: dict[str, float] = field(default_factory=dict)  # the first player's value at the start and after moves
    value_error: float | None = None
    keeping: dict[str, float] = field(default_factory=dict)  # share of moves that keep the value, by simulations


@dataclass(frozen=True, kw_only=True)
class Warned(Event):
    """Something went wrong that does not end a run."""

    kind = "warning"

    reason: str


@dataclass(frozen=True, kw_only=True)
class Ended(Event):
    """A sitting ends."""

    kind = "end"

    finished: bool  # so does the run


Listener = Callable[[Event], None]

_CLASSES: dict[str, type[Event]] = {
    each.kind: each for each in (Started, TurnTaken, Released, Measured, Warned, Ended)
}  # fmt: skip


def read_event(kind: str, step: int, minutes: float, time: float, values: Mapping[str, Any]) -> Event:
    """An event from its values. Raises ValueError."""
    if kind not in _CLASSES:
        raise ValueError(f"unknown kind of event {kind!r}")
    return _CLASSES[kind].read(step, minutes, values, time)


def finite(value: float | None) -> float | None:
    """A number that can be reckoned with; None instead of NaN and infinity."""
    return value if value is not None and math.isfinite(value) else None


def plain(value: Any) -> Any:
    """As JSON has it: no NaN and no infinity, which JSON lacks."""
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, numbers.Real) and not isinstance(value, bool | int):
        return float(value) if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | bool | int) else str(value)
