"""Clocks: how much time a game has, and how much of it a move should take.

    300             five minutes for the whole game
    60+0.5          Fischer: half a second more after every move
    300,5x30        byo-yomi: then five periods of 30 s; a move within a period keeps it
    300,300/25      Canadian: then 25 moves in every 300 s

>>> control = TimeControl.parse("1+0.05")
>>> clock = control.clock()
>>> clock.spend(0.3), round(clock.left, 2)
(True, 0.75)
>>> clock.spend(0.8)
False
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Budget", "ClockError", "TimeControl", "Timer"]

MOST_SECONDS = 1e7
# Never planned with: what a busy machine, a pipe and the opponent's referee may take beside the search.
RESERVE = 0.3
SHORTEST = 0.002  # seconds: a search that is asked for less still evaluates its root
MOST_MOVES, FEWEST_MOVES = 50, 4  # of its own that a side plans for: later ones share what is left then
LONGER = 3.0  # times the usual, where the search is not sure
FORMS = "MAIN, MAIN+INCREMENT, MAIN,PERIODSxSECONDS or MAIN,SECONDS/MOVES, in seconds"


class ClockError(ValueError):
    """A time control that nobody can keep; the message is one line."""


@dataclass(frozen=True)
class Budget:
    """What one move may take, in seconds: usually, and at the very most."""

    aim: float
    most: float


@dataclass(frozen=True)
class TimeControl:
    """The time of one side for a game, in seconds."""

    main: float = 0.0
    increment: float = 0.0  # Fischer: after every move
    period: float = 0.0  # of overtime, which begins when the main time is used up
    moves: int = 1  # to be made in a period; above 1 it is Canadian
    periods: int = 0  # that may run out, the last one included; 0: no overtime

    def __post_init__(self) -> None:
        times = (self.main, self.increment, self.period)
        if not all(0 <= seconds <= MOST_SECONDS for seconds in times):
            raise ClockError(f"times are from 0 to {MOST_SECONDS:g} seconds")
        if self.moves < 1 or self.periods < 0:
            raise ClockError("a period has at least one move, and there are 0 or more of them")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """A control as people type it. Raises ClockError."""
        number = r"(\d{1,7}(?:\.\d{1,6})?)"
        found = re.fullmatch(rf"{number}(?:\+{number}|,(\d{{1,4}})x{number}|,{number}/(\d{{1,4}}))?", text, re.ASCII)
        if found is None:
            raise ClockError(f"{text[:40]!r} is no clock; write {FORMS}, such as 60+0.5")
        main, increment, periods, byoyomi, canadian, moves = found.groups()
        if periods:
            return cls(float(main), period=float(byoyomi), periods=int(periods))
        if moves:
            return cls(float(main), period=float(canadian), moves=int(moves), periods=1)
        control = cls(float(main), float(increment or 0))
        if control.main == 0 and control.increment == 0:
            raise ClockError(f"{text[:40]!r} leaves no time to move")
        return control

    def clock(self) -> Timer:
        return Timer(self)


class Timer:
    """What one side has left."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.left = control.main or control.increment  # without main time the first increment comes before the game
        self.periods = control.periods
        self.moves = 0  # still to be made in this period; 0 in main time
        if self.left == 0 and self.periods:
            self._enter_overtime()

    def set(self, left: float, moves: int) -> None:
        """What a referee says: the time left, and for how many moves in overtime (0: it is main time)."""
        self.left, self.moves = max(0.0, left), moves

    def all_left(self) -> float:
        """The latest moment at which a move is still in time."""
        later = self.periods - 1 if self.moves else self.periods
        return self.left + max(0, later) * self.control.period

    def spend(self, seconds: float) -> bool:
        """A move was made in this time; False when it came too late."""
        self.left -= seconds
        while self.left < 0 and self.periods and self._next_period():
            pass
        if self.left < 0:
            return False
        if self.moves:
            self.moves -= 1
            if self.moves == 0:
                self._enter_overtime()
            elif self.control.moves == 1:
                self.left = self.control.period
        self.left += self.control.increment
        return True

    def budget(self, plies_to_go: int) -> Budget:
        """How long to think now, if the game has so many plies to go."""
        control, own_moves = self.control, min(MOST_MOVES, max(FEWEST_MOVES, (plies_to_go + 1) // 2))
        reserve = min(RESERVE, max(control.main, control.period, control.increment) / 3)
        usable = max(0.0, self.left - reserve)
        if self.moves:  # in overtime: the period is there to be used
            aim, most = usable / self.moves, usable
        else:
            aim, most = usable / own_moves + 0.9 * control.increment, usable
            if control.periods:  # main time that runs out costs nothing while a period follows
                overtime = control.period / control.moves / 2
                aim, most = max(aim, overtime), usable + overtime
        least = max(SHORTEST, self.left / 50)  # in dire straits
        aim = max(least, min(aim, most))
        return Budget(aim, max(aim, min(LONGER * aim, most)))

    def _next_period(self) -> bool:
        """Time has run out: overtime begins, or a period is lost. False when there is none left."""
        if self.moves == 0:  # main time
            over = self.left
            self._enter_overtime()
            self.left += over
            return True
        if self.control.moves > 1 or self.periods <= 1:
            return False
        self.periods -= 1
        self.left += self.control.period
        return True

    def _enter_overtime(self) -> None:
        self.left, self.moves = self.control.period, self.control.moves
