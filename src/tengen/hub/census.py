"""Does a worker send all of its games? Two looks at what no search can tell, because every single game is honest.

**Results.** Games of one network are like each other, whoever plays them. Result, draws and length of a worker's games
are held against everybody else's of the same network, network by network (the test of Cochran, Mantel and Haenszel for
several numbers at once: chi-square with three degrees of freedom). A game that several networks have played counts with
the one that searched its middle, so that a slow worker's games are neither ahead of the others' nor behind. When two
workers differ, who is it that chooses? The hub plays some games itself, and only who differs from those is held.

**Numbers.** A player numbers its games without gaps: place t of s plays the numbers t, t + s, t + 2s, … of its lease.
Games that never come leave a gap, and a place that is never heard of again falls behind the others.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log2

import numpy as np
from numpy.typing import NDArray

from tengen.hub.protocol import LEASE_GAMES
from tengen.records import GameRecord

__all__ = ["OWN", "Census", "Numbers", "chi_square", "missing_verdict", "tally"]

OWN = ""  # the hub's own games; no worker has this name
STRATA = 64  # networks that are remembered
SUSPECT, CERTAIN, CONFIRMED = 25.0, 45.0, 20.0  # chi-square, 3 degrees: by chance 2e-5, 1e-9; of the hub's own, 2e-4
LEAST_OWN = 30.0  # games' worth of comparison with the hub's own before that says anything
# Differences of the means that do not matter: releases change fast, and no two machines play at the same pace.
EFFECT = np.array([0.1, 0.05, 0.1])  # of results (-1 to 1), of the share of draws, of the binary logarithm of lengths
GAPS, GAP_SHARE = 8, 0.02  # missing games that are forgiven: a crashed disk, a refused chunk
LEAST_USUAL = 6.0  # games of a place on average, before one that has half as many fell behind
PATIENCE = 10  # chunks in which a number that is overtaken may still come

Tally = NDArray[np.float64]  # [10] count, sums of three numbers, sums of their products (upper triangle)
_UPPER = np.triu_indices(3)
NOTHING = np.zeros(10)


def tally(records: Iterable[GameRecord]) -> dict[str, Tally]:
    """What counts of some games, by network."""
    found: dict[str, Tally] = {}
    for record in records:
        searched = np.flatnonzero(record.searched)
        middle = int(searched[len(searched) // 2]) if len(searched) else 0
        x = np.array([record.result, record.result == 0, log2(max(1, len(record)))], float)
        row = np.concatenate([[1.0], x, np.outer(x, x)[_UPPER]])
        network = record.network_at(middle)
        found[network] = found.get(network, NOTHING) + row
    return found


def chi_square(pairs: Iterable[tuple[Tally, Tally]]) -> tuple[float, NDArray[np.float64], float]:
    """Of pairs of tallies, one for each network: the statistic, the mean difference of the first from the second, and
    how many games' worth of comparison that rests on."""
    score, variance, weight = np.zeros(3), np.zeros((3, 3)), 0.0
    for one, other in pairs:
        n, m = one[0], other[0]
        if n == 0 or m == 0 or n + m < 3:
            continue
        both = one + other
        products = np.zeros((3, 3))
        products[_UPPER] = both[4:]
        products = products + np.triu(products, 1).T
        spread = (products - np.outer(both[1:4], both[1:4]) / (n + m)) / (n + m - 1)
        score += one[1:4] - n * both[1:4] / (n + m)
        variance += n * m / (n + m) * spread
        weight += n * m / (n + m)
    if weight == 0:
        return 0.0, np.zeros(3), 0.0
    return float(score @ np.linalg.pinv(variance, rcond=1e-6, hermitian=True) @ score), score / weight, weight


class Census:
    """Tallies by network and worker, of workers that are believed. Any thread may call it."""

    def __init__(self, rows: Iterable[tuple[str, str, Sequence[float]]] = ()) -> None:
        """`rows` of an earlier session."""
        self._lock = threading.Lock()
        self._strata: dict[str, dict[str, Tally]] = {}
        self._totals: dict[str, Tally] = {}  # of all workers and the hub, by network
        for network, worker, numbers in rows:
            self._add(network, worker, np.array(numbers))

    def rows(self) -> list[tuple[str, str, list[float]]]:
        """Network, worker and tally, oldest network first."""
        with self._lock:
            strata = [(network, dict(stratum)) for network, stratum in self._strata.items()]
        return [(network, worker, sums.tolist()) for network, stratum in strata for worker, sums in stratum.items()]

    def add(self, worker: str, records: Iterable[GameRecord]) -> None:
        with self._lock:
            for network, more in tally(records).items():
                self._add(network, worker, more)
            while len(self._strata) > STRATA:
                oldest = next(iter(self._strata))
                del self._strata[oldest], self._totals[oldest]

    def _add(self, network: str, worker: str, more: Tally) -> None:
        stratum = self._strata.setdefault(network, {})
        stratum[worker] = stratum.get(worker, NOTHING) + more
        self._totals[network] = self._totals.get(network, NOTHING) + more

    def forget(self, worker: str) -> None:
        """Whoever is not believed is nobody to compare with; who is believed again begins anew."""
        with self._lock:
            for network, stratum in self._strata.items():
                self._totals[network] = self._totals[network] - stratum.pop(worker, NOTHING)

    def against(self, worker: str, hub_alone: bool = False) -> tuple[float, NDArray[np.float64], float]:
        """A worker against all others and the hub's own games, or against these alone."""
        with self._lock:
            pairs = [
                (own, stratum.get(OWN, NOTHING) if hub_alone else self._totals[network] - own)
                for network, stratum in self._strata.items()
                if (own := stratum.get(worker)) is not None
            ]
        return chi_square(pairs)

    def suspects(self, worker: str) -> bool:
        """Whether the hub should play games of its own to compare with."""
        statistic, effect, _ = self.against(worker)
        return statistic > SUSPECT and _matters(effect)

    def verdict(self, worker: str) -> str | None:
        """Why the worker should be held."""
        statistic, effect, _ = self.against(worker)
        if statistic <= CERTAIN or not _matters(effect):
            return None
        statistic, effect, weight = self.against(worker, hub_alone=True)
        if statistic <= CONFIRMED or not _matters(effect) or weight < LEAST_OWN:
            return None
        return f"its results, draws or lengths are not those of all its games (chi-square {statistic:.0f})"


def _matters(effect: NDArray[np.float64]) -> bool:
    return bool((np.abs(effect) > EFFECT).any())


@dataclass
class Numbers:
    """Which games of one lease have come. `slots`: how many places its player has."""

    first: int
    slots: int
    come: dict[int, tuple[int, int]] = field(default_factory=dict)  # by place: how many, and the largest index
    recent: deque[int] = field(default_factory=lambda: deque(maxlen=PATIENCE))

    def add(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            index, place = divmod((number - self.first) % LEASE_GAMES, self.slots)
            count, largest = self.come.get(place, (0, -1))
            self.come[place] = (count + 1, max(largest, index))
        self.recent.append(self._missing())

    @property
    def games(self) -> int:
        return sum(count for count, _ in self.come.values())

    def _missing(self) -> int:
        """Games that were overtaken by later ones of their place; and those of places that fell far behind."""
        overtaken = sum(largest + 1 - count for count, largest in self.come.values())
        usual = self.games / self.slots
        if usual < LEAST_USUAL:
            return overtaken
        stuck = sum(usual - largest - 1 for _, largest in self.come.values() if largest + 1 < usual / 2 - 2)
        silent = self.slots - len(self.come)  # places that nothing was ever heard of
        return overtaken + int(stuck + silent * usual)

    @property
    def missing(self) -> int:
        """Those that did not come within PATIENCE chunks either."""
        return min(self.recent) if len(self.recent) == PATIENCE else 0


def missing_verdict(leases: Sequence[Numbers]) -> str | None:
    """Why the holder of these leases should be held."""
    missing, games = sum(lease.missing for lease in leases), sum(lease.games for lease in leases)
    if missing <= GAPS + GAP_SHARE * games:
        return None
    return f"{missing} of its games never came, beside {games} that did"
