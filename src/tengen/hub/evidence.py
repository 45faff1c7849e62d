"""What games that were played again say about a worker: means that small steady lies cannot hide in.

For an honest worker every one of the MEASURES is zero but for rounding, which has no preferred direction for values and
is small for policies and moves. How small depends on the game and the search, so the referee finds out: it plays games
of its own, and plays them again as a machine would whose network's answers are off by half a percent (`Spread`). A
worker is held when the mean of a measure, over all its games or over the latest ones, lies beyond what such a machine
shows and a margin, by more than chance explains (FACTOR standard errors). Means add up: a lie at every fourth ply needs
more games to be seen than a gross one, but is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMNS", "MEASURES", "RATED", "UNKNOWN", "Evidence", "Spread", "rated_row"]

# How a game differs, each the mean over its plies of what the record says minus what is found again.
MEASURES = (
    "q",  # value, for the side to move
    "first_q",  # value, for the first player: a lie in favour of one side cancels out in the other view
    "d",  # probability of a draw
    "m",  # plies left, as a share of what is found (plus one)
    "best",  # the policy's mass on the move that is found best; full searches only
    "policy",  # half the sum of absolute differences of the policies (never negative); full searches only
    "move",  # how often another move was played than is found (never negative)
)

RATED = "rated"  # share of a rating match's moves that are not found again; a row of its own
COLUMNS = (*MEASURES, RATED)
MARGIN = np.array([0.04, 0.04, 0.04, 0.04, 0.04, 0.03, 0.03, 0.08])
ONE_SIDED = np.array([0, 0, 0, 0, 1, 1, 1, 1])  # measures in which rounding has a direction; in values it has none
LEAST = np.array([12, 12, 12, 12, 12, 12, 12, 2])  # rows before a mean says anything; a rated one is of many moves
FACTOR = 4.0  # standard errors
RECENT = 0.97  # weight of older games in the recent mean, per game: about the last thirty count
FIRST = 30.0  # games that agree, after which every second one is looked at, then every third, …
FLOOR = 0.02  # and never fewer than this share
WORDS = {
    "q": "values",
    "first_q": "values for one side",
    "d": "draws",
    "m": "plies left",
    "best": "the mass on the best move",
    "policy": "policies",
    "move": "moves",
    RATED: "moves of rating games",
}


@dataclass(frozen=True)
class Spread:
    """How far honest games are off that another machine has played: mean and deviation by column."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]

    @classmethod
    def of(cls, rows: NDArray[np.float64]) -> Spread:
        """Of games that were played again; `rows` as `Again.look` gives them."""
        columns = [rows[:, i][~np.isnan(rows[:, i])] for i in range(len(MEASURES))]
        mean = [float(column.mean()) if len(column) else 0.0 for column in columns]
        deviation = [float(column.std()) if len(column) else 0.0 for column in columns]
        # A rating game has no noise and no temperature: its moves change no more often than those of self-play.
        move = MEASURES.index("move")
        return cls(np.array([*mean, mean[move]]), np.array([*deviation, deviation[move]]))

    @property
    def limit(self) -> NDArray[np.float64]:
        return np.asarray(MARGIN + ONE_SIDED * np.abs(self.mean))

    def agrees(self, row: NDArray[np.float64]) -> bool:
        """Whether a single game could be honest; of honest ones nearly all are."""
        return bool((np.abs(np.nan_to_num(row)) <= self.limit + 3 * self.deviation).all())


UNKNOWN = Spread(np.zeros(len(COLUMNS)), np.full(len(COLUMNS), 0.05))


class Sums(msgspec.Struct):
    """Count, sum and sum of squares of each column."""

    count: list[float]
    total: list[float]
    squares: list[float]

    @classmethod
    def empty(cls) -> Sums:
        return cls(*([0.0] * len(COLUMNS) for _ in range(3)))

    def add(self, row: NDArray[np.float64], keep: float) -> None:
        for i, value in enumerate(row.tolist()):
            if value == value:  # not NaN
                self.count[i] = keep * self.count[i] + 1
                self.total[i] = keep * self.total[i] + value
                self.squares[i] = keep * self.squares[i] + value * value

    def beyond(self, spread: Spread) -> NDArray[np.bool_]:
        """[COLUMNS] whose mean no honest machine has."""
        count = np.maximum(np.array(self.count), 1e-9)
        mean = np.array(self.total) / count
        variance = np.maximum(np.array(self.squares) / count - mean**2, 0)
        deviation = np.maximum(np.sqrt(variance), np.maximum(spread.deviation, MARGIN / 2))
        return np.asarray((np.abs(mean) - FACTOR * deviation / np.sqrt(count) > spread.limit) & (count >= LEAST * 0.99))


class Evidence(msgspec.Struct):
    """Of one worker; kept in the ledger."""

    ever: Sums = msgspec.field(default_factory=Sums.empty)
    lately: Sums = msgspec.field(default_factory=Sums.empty)
    agreed: int = 0  # games in a row that agreed; one that does not costs ten

    def add(self, row: NDArray[np.float64], spread: Spread) -> None:
        self.ever.add(row, 1.0)
        self.lately.add(row, RECENT)
        self.agreed = self.agreed + 1 if spread.agrees(row) else max(0, self.agreed - 10)

    @property
    def share(self) -> float:
        """Of the worker's next games, how many are looked at: trust grows, but never to the end.

        >>> [round(Evidence(agreed=n).share, 2) for n in (0, 30, 270, 100_000)]
        [1.0, 0.5, 0.1, 0.02]
        """
        return max(FLOOR, FIRST / (FIRST + self.agreed))

    def verdict(self, spread: Spread) -> str | None:
        """Why the worker should be held; None as long as it may be honest."""
        beyond = self.ever.beyond(spread) | self.lately.beyond(spread)
        names: Sequence[str] = [WORDS[name] for name, far in zip(COLUMNS, beyond, strict=True) if far]
        return f"played again, its games differ in {', '.join(names)}" if names else None


def rated_row(different: float) -> NDArray[np.float64]:
    """The row of a rating match, of whose moves such a share was not found again."""
    return np.array([np.nan] * len(MEASURES) + [different])
