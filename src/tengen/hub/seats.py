"""Who plays now, and how much they say they did: nobody can check that, so it is bounded, and for the figures only."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import msgspec

from tengen.hub.ledger import Standing
from tengen.hub.protocol import Report
from tengen.records.selfplay import Counts
from tengen.run.report import FleetWorker

__all__ = ["LEASE_SECONDS", "REPORTED", "Seats"]

LEASE_SECONDS = 90.0
REPORTED = ("simulations", "evaluations", "batches")
FASTEST = 10_000_000  # of each a second and lease: more than any machine does
MOST_WAITING = 1_000_000  # chunks: the spool of a worker is full long before


@dataclass
class Seat:
    """A lease in use, as last heard of."""

    worker: str
    report: Report
    heard: float = field(default_factory=time.monotonic)
    speed: float = 0.0  # simulations per second between the last two reports

    def alive(self) -> bool:
        return time.monotonic() - self.heard < LEASE_SECONDS


class Seats:
    """By lease. Any thread may call any method."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seats: dict[int, Seat] = {}

    def take(self, worker: str, lease: int) -> None:
        with self._lock:
            self._seats[lease] = Seat(worker, Report(lease, 0))

    def __contains__(self, lease: int) -> bool:
        return lease in self._seats

    def hear(self, worker: str, report: Report, newest: int) -> Counts:
        """What was done since the report before: the totals of a lease only grow, and not faster than any machine."""
        with self._lock:
            seat = self._seats.setdefault(report.lease, Seat(worker, report))
            now = time.monotonic()
            seconds = now - seat.heard
            said = {name: getattr(report, name) - getattr(seat.report, name) for name in REPORTED}
            grown = {name: min(max(0, more), int(FASTEST * seconds)) for name, more in said.items()}
            if seconds > 0.1:
                seat.speed = grown["simulations"] / seconds
            bounded = {"version": min(report.version, newest), "waiting": min(report.waiting, MOST_WAITING)}
            seat.report, seat.heard = msgspec.structs.replace(report, rated=None, **bounded), now
        return grown

    def leave(self, lease: int) -> None:
        with self._lock:
            self._seats.pop(lease, None)

    def alive(self, worker: str | None = None) -> list[Seat]:
        """Those heard of lately, of one worker or of all."""
        with self._lock:
            seats = list(self._seats.values())
        return [seat for seat in seats if seat.alive() and worker in (None, seat.worker)]

    def forget(self) -> None:
        """Those not heard of lately."""
        with self._lock:
            self._seats = {lease: seat for lease, seat in self._seats.items() if seat.alive()}

    def row(self, name: str, standing: Standing) -> FleetWorker:
        """A worker, for whoever watches."""
        own = self.alive(name)
        return FleetWorker(
            name=name,
            players=len(own),
            simulations_per_second=round(sum(seat.speed for seat in own), 1),
            games=standing.games,
            refused=standing.refused,
            checked=standing.checked,
            barred=standing.barred,
            held=standing.held,
            unseen=standing.unseen,
            waiting=sum(seat.report.waiting for seat in own),
            version=min((seat.report.version for seat in own), default=0),
        )
