"""The clocks of GTP: what the client says about time, and what passes when it says nothing.

time_settings MAIN BYO STONES       BYO > 0 and STONES 0: no limit; BYO 0: no overtime
kgs-time_settings none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES
kata-time_settings the same, and fischer MAIN INCREMENT
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.games import State
from tengen.play.clock import Budget, TimeControl

__all__ = ["Clocks", "named_control", "usual_control"]


class Clocks:
    """Both sides' time; a side without a timer has no limit."""

    def __init__(self) -> None:
        self.start(None)

    def start(self, control: TimeControl | None) -> None:
        """A game begins, with this time for each side."""
        self._control = control
        self._timers = [control.clock() if control else None for _ in range(2)]

    def restart(self) -> None:
        self.start(self._control)

    def correct(self, side: int, seconds: float, stones: int) -> None:
        """What the client says is left: in overtime for so many stones, or with so many periods where one stone
        renews them, as KGS counts. Without settings before it, this is all the time there is."""
        timer = self._timers[side]
        if timer is None:
            alone = TimeControl(period=seconds, moves=stones, periods=1) if stones else TimeControl(main=seconds)
            timer = self._timers[side] = alone.clock()
        if timer.control.periods and timer.control.moves == 1 and stones:
            timer.periods, stones = stones, 1
        timer.set(seconds, stones)

    def budget(self, state: State) -> Budget | None:
        """What the side to move should take; None without a limit."""
        timer = self._timers[state.to_move()]
        return timer.budget(state.stones().count(0)) if timer else None

    def spend(self, side: int, seconds: float) -> None:
        """A side has moved. A client that keeps time itself says more with the next `time_left`."""
        if timer := self._timers[side]:
            timer.spend(seconds)


def usual_control(main: float, overtime: float, stones: int) -> TimeControl | None:
    """What `time_settings` means. Raises ClockError."""
    if overtime > 0 and stones == 0:
        return None
    return canadian(main, overtime, stones) if overtime > 0 else TimeControl(main)


def canadian(main: float, overtime: float, stones: int) -> TimeControl:
    return TimeControl(main, period=overtime, moves=stones, periods=1)


def named_control(kind: str, numbers: Sequence[float]) -> TimeControl | None:
    """What `kata-time_settings` means. Raises ClockError, and ValueError where the numbers do not fit the kind."""
    match kind, len(numbers):
        case "none", 0:
            return None
        case "absolute", 1:
            return TimeControl(numbers[0])
        case "byoyomi", 3:
            return TimeControl(numbers[0], period=numbers[1], periods=int(numbers[2]))
        case "canadian", 3:
            return canadian(numbers[0], numbers[1], int(numbers[2]))
        case "fischer", 2:
            return TimeControl(numbers[0], numbers[1])
    raise ValueError(f"no such clock: {kind[:20]!r} with {len(numbers)} numbers")
