"""What a person sees while training: a live panel in a terminal, short lines elsewhere, or JSON."""

import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table

from tengen.cli.curves import curves_table, short, strength_table
from tengen.run import health
from tengen.run.events import Ended, Event, Measured, Released, Started, TurnTaken, Warned, finite
from tengen.run.journal import History
from tengen.run.report import last_turn, resignations_text

WARNINGS = 3  # the latest ones stay on the panel
REFRESHES = 2  # per second


class Screen(Protocol):
    """Shows events as they come, and what the command has to say at its end."""

    def __call__(self, event: Event) -> None: ...
    def shown(self) -> AbstractContextManager[Any]:
        """To be entered before the first event."""

    def say(self, text: str) -> None: ...
    def watch(self, doing: Callable[[], str]) -> None:
        """From now on `doing` says what training does at this moment."""


class JsonLines:
    """Every event as one JSON object on a line of its own."""

    def __call__(self, event: Event) -> None:
        print(json.dumps(event.to_dict()), flush=True)

    def shown(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)

    def watch(self, doing: Callable[[], str]) -> None:
        """Events say all."""


class Lines:
    """A line for every release and measurement: KIND name=value …; `--json` tells more of each."""

    def __init__(self, language: str, earlier: Sequence[Event] = ()) -> None:
        self._language, self._history = language, History(earlier)
        self._turn: TurnTaken | None = None
        self._clock = Clock()

    def __call__(self, event: Event) -> None:
        self._history(event)
        self._clock(event)
        match event:
            case TurnTaken():
                self._turn = event
            case Warned():
                print(f"warning: {event.reason}", file=sys.stderr, flush=True)
            case Released() if self._turn is not None:
                self._print(event, self._release(event, self._turn))
            case Started():
                self._print(event, {name: _text(value) for name, value in event.values().items()})
            case Measured():
                short_enough = {name: value for name, value in event.values().items() if "alone_" not in name}
                self._print(event, {name: _text(value) for name, value in short_enough.items()})
                if self._clock.progress() < 1:  # the verdict on a finished run comes with its end
                    self._print_health()
            case Ended():
                self._print_health()

    def _print_health(self) -> None:
        print(f"health {health.assess(self._history.events).sentence(self._language)}", flush=True)

    def _print(self, event: Event, words: dict[str, str]) -> None:
        stamp = f"{event.kind} minutes={event.minutes:.2f} step={event.step}"
        print(stamp, *(f"{name}={word}" for name, word in words.items()), flush=True)

    def _release(self, event: Released, turn: TurnTaken) -> dict[str, str]:
        wanted = ("total_games", "positions", "loss", "policy_loss", "value_loss", "simulations_per_second")
        told = turn.numbers()
        values = {name: short(told[name]) for name in wanted if name in told} | {
            "kl": short(finite(event.kl) or 0.0),
            "done": f"{self._clock.progress():.0%}",
        }
        left = self._clock.minutes_left()
        return values | ({"left": f"{left:.1f}min"} if left is not None else {})

    def shown(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def say(self, text: str) -> None:
        print(text, flush=True)

    def watch(self, doing: Callable[[], str]) -> None:
        """Lines say what was done, not what is being done."""


class Dashboard:
    """A panel that is drawn anew twice a second."""

    def __init__(self, console: Console, title: str, language: str, earlier: Sequence[Event] = ()) -> None:
        self._console, self._title, self._language = console, title, language
        self._history, self._clock = History(earlier), Clock()
        self._doing: Callable[[], str] = lambda: "loading"
        self._turn = last_turn(earlier)
        self._health = health.assess(self._history.events)
        self._warnings: list[str] = []

    def __call__(self, event: Event) -> None:
        self._history(event)
        self._clock(event)
        match event:
            case TurnTaken():
                self._turn = event
            case Warned():
                self._warnings = [*self._warnings, event.reason][-WARNINGS:]
        self._health = health.assess(self._history.events)

    def shown(self) -> AbstractContextManager[Any]:
        return Live(self, console=self._console, refresh_per_second=REFRESHES)

    def say(self, text: str) -> None:
        self._console.print(escape(text), soft_wrap=True, highlight=False)

    def watch(self, doing: Callable[[], str]) -> None:
        self._doing = doing

    def __rich__(self) -> RenderableType:
        events = list(self._history.events)
        colour = {health.LEARNING: "green", health.STALLED: "yellow"}.get(self._health.verdict, "default")
        # What matters most comes first: a low terminal shows the top of the panel.
        parts: list[RenderableType] = [self._progress()]
        parts.append(f"[{colour}]{escape(self._health.sentence(self._language))}[/]")
        parts += [f"[dim]{escape(note)}[/]" for note in self._health.notes(self._language)]
        parts += [f"[yellow]warning: {escape(warning)}[/]" for warning in self._warnings]
        if table := strength_table(events):
            parts += ["", table]
        if self._turn is not None:
            checked = resignations_text(self._turn)
            parts += ["", _numbers(self._turn), *([checked] if checked else []), "", curves_table(events)]
        return Panel(Group(*parts), title=escape(self._title), title_align="left")

    def _progress(self) -> RenderableType:
        row = Table.grid(padding=(0, 1), expand=True)
        row.add_column(ratio=1)
        row.add_column(no_wrap=True)
        done, left = self._clock.progress(), self._clock.minutes_left()
        remaining = f" · about {duration(left)} left" if left else ""  # the last measurement is over the plan
        words = f"{done:.0%} · {duration(self._clock.minutes())} trained{remaining} · {self._doing()}"
        row.add_row(ProgressBar(total=1.0, completed=done), words)
        return row


class Clock:
    """How far a run is, also between two events: it goes on with the time of day."""

    def __init__(self) -> None:
        self._start: Started | None = None
        self._first: Event | None = None  # turn of this sitting
        self._last: Event | None = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, Started):
            self._start, self._first = event, None
        if isinstance(event, TurnTaken):
            self._first = self._first or event
        self._last = event

    def minutes(self) -> float:
        """Of training, over all sittings."""
        if self._last is None:
            return 0.0
        return self._last.minutes + max(0.0, time.time() - self._last.time) / 60

    def progress(self) -> float:
        if self._start is None or self._last is None:
            return 0.0
        if steps := self._start.planned_steps:
            return min(1.0, self._last.step / float(steps))
        return min(1.0, self.minutes() / self._start.planned_minutes)

    def minutes_left(self) -> float | None:
        """By the clock what is planned; by steps at the speed of this sitting. None when it cannot be known."""
        if self._start is None or self._last is None:
            return None
        if steps := self._start.planned_steps:
            first = self._first
            if first is None or self._last.step <= first.step:
                return None
            speed = (self._last.step - first.step) / max(1e-9, self._last.minutes - first.minutes)
            return float(steps - self._last.step) / speed
        left = self._start.planned_minutes - self.minutes()
        return max(0.0, left) if math.isfinite(left) else None


def duration(minutes: float) -> str:
    """
    >>> duration(0.5), duration(12.4), duration(135)
    ('30 s', '12 min', '2 h 15 min')
    """
    if minutes < 1:
        return f"{60 * minutes:.0f} s"
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def _numbers(turn: TurnTaken) -> Table:
    """How much there is, and how fast it comes."""
    wanted = [
        [("games", "total_games"), ("positions", "positions"), ("window", "window")],
        [
            ("simulations/s", "simulations_per_second"),
            ("evaluations/s", "evaluations_per_second"),
            ("games/s", "games_per_second"),
        ],
        [("samples/s", "samples_per_second"), ("without network", "without_network"), ("batches full", "batch_fill")],
    ]
    told = turn.numbers()
    table = Table.grid(padding=(0, 2))
    for line in wanted:
        cells = []
        for label, name in line:
            value = told.get(name)
            share = name in ("without_network", "batch_fill")
            text = "–" if value is None else f"{value:.0%}" if share else short(value)
            cells += [f"[dim]{label}[/]", text]
        table.add_row(*cells)
    return table


def _text(value: Any) -> str:
    return short(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
