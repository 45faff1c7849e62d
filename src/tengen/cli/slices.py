"""Measuring two programs fairly: by turns, in short slices, so that a busy moment of the machine hits both."""

import statistics
from collections.abc import Callable

ROUNDS = 8  # how often they take turns


class Slices:
    """Measures `work(count)`, which does something so many times and says how much it did, in short slices."""

    def __init__(self, work: Callable[[int], float], seconds: float, clock: Callable[[], float]) -> None:
        self.work, self.clock, self.speeds = work, clock, list[float]()
        target, self.count, spent = seconds / ROUNDS, 1, 0.0
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
        return statistics.median(self.speeds)
