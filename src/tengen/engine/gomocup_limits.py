"""The time that a manager of Gomocup's protocol grants, in milliseconds as it says it.

timeout_turn     for each move; 0: answer at once
timeout_match    for the whole game; 0: no limit
time_left        what is left of that before a move; UNLIMITED: no limit
"""

from __future__ import annotations

from tengen.play.clock import Budget, TimeControl

__all__ = ["GomocupLimits"]

UNLIMITED = 2**31 - 1


class GomocupLimits:
    """Seconds, None without a limit."""

    def __init__(self) -> None:
        self._turn: float | None = None
        self._match: float | None = None
        self._left: float | None = None

    def set(self, key: str, milliseconds: int) -> None:
        """What an INFO says; keys that are not about time are left alone."""
        seconds = max(0, min(milliseconds, UNLIMITED)) / 1000
        if key == "timeout_turn":
            self._turn = seconds
        elif key == "timeout_match":
            self._match = self._left = seconds or None
        elif key == "time_left":
            self._left = seconds if milliseconds < UNLIMITED else None

    def restart(self) -> None:
        """A game begins."""
        self._left = self._match

    def spend(self, seconds: float) -> None:
        """A move was made. Most managers say anew what is left."""
        if self._left is not None:
            self._left = max(0.0, self._left - seconds)

    def budget(self, plies_to_go: int, share: float, waited: float) -> Budget | None:
        """A share of what the next move may take, less what was waited already; None without any limit."""
        budgets = []
        if self._turn is not None:
            # All of a turn's time is there to be used. Without any, the root is evaluated and no more.
            turn = TimeControl(period=self._turn, periods=1).clock().budget(plies_to_go)
            budgets.append(turn if self._turn else Budget(0.0, 0.0))
        if self._left is not None:
            budgets.append(TimeControl(main=self._left).clock().budget(plies_to_go))
        if not budgets:
            return None
        aim, most = min(budget.aim for budget in budgets), min(budget.most for budget in budgets)
        return Budget(max(0.0, share * aim - waited), max(0.0, share * most - waited))
