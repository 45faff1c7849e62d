"""The clockwork of benchmarks: programs take turns in short slices, so that a busy moment of the machine hits all."""

import statistics
import time
from collections.abc import Callable
from typing import TypedDict

__all__ = ["Row", "Slices", "row", "take_turns"]

Clock = Callable[[], float]


class Row(TypedDict):
    """One measured number, and the same of a peer in the same run; `ratio` is value / peer_value."""

    name: str
    value: float
    unit: str
    peer: str | None
    peer_value: float | None
    ratio: float | None


def row(name: str, value: float, unit: str, peer: str | None = None, peer_value: float | None = None) -> Row:
    return Row(
        name=name,
        value=_rounded(value),
        unit=unit,
        peer=peer if peer_value is not None else None,
        peer_value=None if peer_value is None else _rounded(peer_value),
        ratio=round(value / peer_value, 2) if peer_value else None,
    )


def _rounded(value: float) -> float:
    return round(value) if abs(value) >= 1000 else float(f"{value:.4g}")


class Slices:
    """Measures `work(count)`, which does something `count` times and returns how much that was."""

    def __init__(
        self, work: Callable[[int], float], seconds: float, rounds: int, clock: Clock = time.thread_time
    ) -> None:
        self.work, self.clock, self.speeds = work, clock, list[float]()
        target, self.count, spent = seconds / rounds, 1, 0.0
        while True:  # warm-up: how often fills a slice
            spent = self.timed()[1]
            if spent > target / 4:
                break
            self.count *= 2
        self.count = max(1, round(self.count * target / spent))

    def timed(self) -> tuple[float, float]:
        before = self.clock()
        done = self.work(self.count)
        return done, max(self.clock() - before, 1e-9)

    def run(self) -> None:
        done, spent = self.timed()
        self.speeds.append(done / spent)

    def speed(self) -> float:
        """Of the median slice."""
        return statistics.median(self.speeds)


def take_turns(
    ours: Callable[[int], float],
    theirs: Callable[[int], float] | None,
    seconds: float,
    rounds: int = 8,
    clock: Clock = time.thread_time,
) -> tuple[float, float | None]:
    """Speeds of two programs, or of one without a peer. `seconds` are per program."""
    slices = [Slices(work, seconds, rounds, clock) for work in (ours, theirs) if work is not None]
    for _ in range(rounds):
        for each in slices:
            each.run()
    speeds = [each.speed() for each in slices]
    return speeds[0], speeds[1] if theirs is not None else None
