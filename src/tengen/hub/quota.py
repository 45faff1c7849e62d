"""What one token may ask of a hub, and how full its disk may get.

A token may be one machine or all machines of one person, so each number is far above what a thousand honest workers
need, and still small enough that one mistake, or one liar, leaves something to the others. Who asks for more is told
when to ask again; workers keep their games until then. Counts begin anew with the hub, but for leases per day.
"""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

from tengen.hub.protocol import HubRefusedError

__all__ = ["NotNowError", "Quotas"]

DAY = 86_400.0
# Twice as many players as `tengen bench hub` lets one hub hold.
LEASES_ALIVE = 2_000
# A worker takes a lease when it starts: a thousand of them may restart twenty times a day.
LEASES_A_DAY = 20_000
# A worker asks some six times a minute. Twice a thousand of them would be all that one hub answers, about 150 a second.
REQUESTS_A_MINUTE = 6_000
# Some 900 games of Connect4 a second, day and night; no learner takes so many.
BYTES_A_DAY = 20 << 30
# Bytes that are left to the learner, which must save its state: this much, or this share of a small disk.
RESERVE, RESERVE_SHARE = 1 << 30, 0.05
DISK_SECONDS = 60.0  # after which to ask again when the disk is full: somebody has to make room


class NotNowError(HubRefusedError):
    """Right in itself, but not now: to be asked again after some seconds."""

    def __init__(self, status: int, reason: str, seconds: float) -> None:
        super().__init__(status, reason)
        self.seconds = seconds


class Allowance:
    """Fills up steadily, to `most` within `seconds`, and is spent at any pace."""

    def __init__(self, most: float, seconds: float) -> None:
        self._most, self._per_second = most, most / seconds
        self._left, self._moment = most, time.monotonic()

    def spend(self, amount: float) -> float:
        """0, or the seconds after which there will be enough."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._moment) * self._per_second)
        self._moment = now
        if amount > self._left:
            return (amount - self._left) / self._per_second
        self._left -= amount
        return 0.0


class Quotas:
    """Of all tokens of a hub. Every method raises NotNowError; any thread may call it."""

    def __init__(self, folder: Path) -> None:
        """`folder`: on the disk that has to last."""
        self._folder, self._lock = folder, threading.Lock()
        self._requests: dict[str, Allowance] = {}
        self._bytes: dict[str, Allowance] = {}

    def request(self, worker: str) -> None:
        with self._lock:
            own = self._requests.setdefault(worker, Allowance(REQUESTS_A_MINUTE, 60.0))
            wait = own.spend(1)
        if wait:
            raise NotNowError(429, f"more than {REQUESTS_A_MINUTE} requests a minute with one token", wait)

    def seat(self, worker: str, alive: int) -> None:
        """One more player, beside those that are `alive`."""
        if alive >= LEASES_ALIVE:
            raise NotNowError(429, f"{worker} has {alive} leases in use already; stop some workers", 60.0)

    def lease(self, worker: str, today: int) -> None:
        """One more lease, after those of `today`."""
        if today >= LEASES_A_DAY:
            raise NotNowError(429, f"{worker} took {today} leases within a day already", DAY / LEASES_A_DAY)

    def chunk(self, worker: str, size: int) -> None:
        with self._lock:
            wait = self._bytes.setdefault(worker, Allowance(BYTES_A_DAY, DAY)).spend(size)
        if wait:
            raise NotNowError(429, f"more than {BYTES_A_DAY >> 30} GB a day with one token", wait)
        disk = shutil.disk_usage(self._folder)
        if disk.free - size < min(RESERVE, RESERVE_SHARE * disk.total):
            raise NotNowError(507, f"the hub's disk is full but for {disk.free >> 20} MB", DISK_SECONDS)
