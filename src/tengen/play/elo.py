"""The arithmetic of strength: scores of paired games, Elo with honest intervals, sequential tests, ladders.

Two games from one opening with colours swapped are a pair. The unit of statistics is the pair, not the game: an
opening that favours one side makes the two games of a pair go opposite ways, which the variance of pairs knows.

>>> round(expected_score(100), 4)
0.6401
>>> summary = PairCounts((0, 1, 4, 3, 2)).summary()
>>> round(summary.score, 3), round(summary.elo)
(0.65, 108)
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

__all__ = [
    "PairCounts",
    "Pairing",
    "Rating",
    "Sprt",
    "SprtState",
    "Summary",
    "elo",
    "expected_score",
    "k_update",
    "ladder",
]

CONFIDENCE = 0.95


def expected_score(difference: float) -> float:
    """What a player `difference` Elo above the other scores on average."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo(score: float) -> float:
    """The Elo difference that makes a score expected; infinite for 0 and 1: a perfect score has no upper bound."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def k_update(first: float, second: float, score: float, k: float = 32) -> tuple[float, float]:
    """Ratings after one game: a running figure to show, never a measurement.

    >>> k_update(1500, 1500, 1)
    (1516.0, 1484.0)
    """
    change = k * (score - expected_score(first - second))
    return first + change, second - change


@dataclass(frozen=True)
class Summary:
    """A score with its interval, as share of the points and as Elo."""

    score: float
    low: float
    high: float

    @property
    def elo(self) -> float:
        return elo(self.score)

    @property
    def elo_low(self) -> float:
        return elo(self.low)

    @property
    def elo_high(self) -> float:
        return elo(self.high)


@dataclass(frozen=True)
class PairCounts:
    """How many pairs brought a player 0, ½, 1, 1½ and 2 points."""

    counts: tuple[int, int, int, int, int]

    @classmethod
    def of(cls, points: Iterable[float]) -> "PairCounts":
        """Counts pairs given by their points 0 … 2."""
        counts = [0] * 5
        for point in points:
            counts[round(2 * point)] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    @property
    def pairs(self) -> int:
        return sum(self.counts)

    def summary(self, confidence: float = CONFIDENCE) -> Summary:
        """The score with an interval from the variance of the pairs."""
        n = self.pairs
        if n == 0:
            return Summary(math.nan, 0.0, 1.0)
        mean = sum(i / 4 * c for i, c in enumerate(self.counts)) / n
        variance = sum(c * (i / 4 - mean) ** 2 for i, c in enumerate(self.counts)) / max(1, n - 1)
        if variance == 0:
            # All pairs alike say nothing about variance, only that other results are rare: at most this often.
            other = 1 - (1 - confidence) ** (1 / n)
            return Summary(mean, mean * (1 - other), mean * (1 - other) + other)
        reach = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance / n)
        return Summary(mean, max(0.0, mean - reach), min(1.0, mean + reach))


@dataclass(frozen=True)
class SprtState:
    """Where a sequential test stands."""

    llr: float
    lower: float
    upper: float

    @property
    def verdict(self) -> str:
        """'accepted' (elo1 is the better explanation), 'rejected' (elo0 is), or 'continue'."""
        return "accepted" if self.llr >= self.upper else "rejected" if self.llr <= self.lower else "continue"


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test of Elo difference elo1 against elo0, on pentanomial counts.

    The generalised likelihood ratio, as fishtest computes it (M. Van den Bergh, "A practical introduction to the
    GSPRT"): each hypothesis is represented by the likeliest distribution of pairs that has its mean score. For many
    pairs it comes near n·(s1 − s0)·(2·mean − s0 − s1)/(2·variance).
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta must lie between 0 and 0.5")

    def test(self, pairs: PairCounts) -> SprtState:
        lower, upper = math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)
        # A count of 0 becomes a little more, so that every mean is possible.
        counts = [max(c, 1e-3) for c in pairs.counts]
        s0, s1 = expected_score(self.elo0), expected_score(self.elo1)
        p0, p1 = _likeliest(counts, s0), _likeliest(counts, s1)
        llr = sum(n * math.log(b / a) for n, a, b in zip(counts, p0, p1, strict=True))
        return SprtState(llr if pairs.pairs else 0.0, lower, upper)


def _likeliest(counts: Sequence[float], mean: float) -> list[float]:
    """The distribution over pair scores 0, ¼ … 1 that has a mean and makes the counts likeliest.

    It is p = (c/n)/(1 + t·(score − mean)), with the t that gives the mean; the left side falls as t grows: bisection.
    """
    total, offsets = sum(counts), [i / 4 - mean for i in range(5)]
    low, high = -1 / offsets[-1], -1 / offsets[0]  # beyond these a probability would be negative
    for _ in range(100):
        t = (low + high) / 2
        if sum(c * x / (1 + t * x) for c, x in zip(counts, offsets, strict=True)) > 0:
            low = t
        else:
            high = t
    return [c / total / (1 + low * x) for c, x in zip(counts, offsets, strict=True)]


@dataclass(frozen=True)
class Pairing:
    """The games two players of a ladder have played: `points` of `games` went to the first."""

    first: str
    second: str
    points: float
    games: int


@dataclass(frozen=True)
class Rating:
    """A player's Elo above the anchor or the mean, and the reach of its 95 % interval to either side."""

    name: str
    elo: float
    error: float
    games: int


def ladder(table: Sequence[Pairing], anchor: str | None = "random", prior_draws: float = 1) -> list[Rating]:
    """Bradley–Terry ratings by maximum likelihood, strongest first, with the anchor at exactly 0; without an anchor the
    mean of all players is 0.

    Nobody's rating is finite who won or lost everything, so each pairing counts `prior_draws` drawn games more.
    Errors come from the Fisher information of single games; draws and pairs make the truth a little better.
    """
    names = sorted({name for pairing in table for name in (pairing.first, pairing.second)})
    fixed = names[0] if anchor is None and names else anchor
    if fixed not in names:
        raise ValueError(f"the anchor {anchor!r} has not played; players are {', '.join(names) or 'missing'}")
    _check_connected(table, fixed, names)
    place = {name: i for i, name in enumerate(names)}
    first = np.array([place[p.first] for p in table])
    second = np.array([place[p.second] for p in table])
    games = np.array([p.games + prior_draws for p in table])
    points = np.array([p.points + prior_draws / 2 for p in table])
    free = np.array([i for i, name in enumerate(names) if name != fixed], int)
    strength, information = _maximise(first, second, games, points, free, len(names))
    covariance = np.zeros_like(information)
    if anchor is None:
        # The pseudo-inverse is the covariance under the condition that the sum is 0.
        strength -= strength.mean()
        covariance = np.asarray(np.linalg.pinv(information, hermitian=True), np.float64)
    else:
        covariance[np.ix_(free, free)] = np.linalg.inv(information[np.ix_(free, free)])

    unit = 400 / math.log(10)
    error = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * np.sqrt(np.diag(covariance))
    played = [sum(p.games for p in table if name in (p.first, p.second)) for name in names]
    rows = zip(names, strength * unit, error * unit, played, strict=True)
    return sorted((Rating(n, float(s), float(e), g) for n, s, e, g in rows), key=lambda r: -r.elo)


def _check_connected(table: Sequence[Pairing], anchor: str, names: Sequence[str]) -> None:
    known, grew = {anchor}, True
    while grew:
        linked = {n for p in table if known & {p.first, p.second} for n in (p.first, p.second)}
        grew, known = not linked <= known, known | linked
    if apart := set(names) - known:
        raise ValueError(f"no chain of games joins {', '.join(sorted(apart))} to {anchor}")


Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def _maximise(
    first: Ints, second: Ints, games: Floats, points: Floats, free: Ints, players: int
) -> tuple[Floats, Floats]:
    """Newton's method on the concave log-likelihood, steps bounded; strengths in natural units, and information."""
    strength = np.zeros(players)
    for _ in range(1000):
        expected = 1 / (1 + np.exp(strength[second] - strength[first]))
        gradient, weight = np.zeros(players), games * expected * (1 - expected)
        np.add.at(gradient, first, points - games * expected)
        np.add.at(gradient, second, games * expected - points)
        hessian = np.zeros((players, players))
        for i, j, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
            np.add.at(hessian, (i, j), sign * weight)
        try:
            step = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        except np.linalg.LinAlgError:
            break
        strength[free] += np.clip(step, -1, 1)
        if np.max(np.abs(step), initial=0) < 1e-10:
            return strength, hessian
    raise ValueError("the ratings are not finite: somebody won or lost everything; use prior_draws above 0")
