"""The hub itself: takes releases from the learner and chunks from players, and answers both from disk and ledger.

It knows no wire. `server.py` puts HTTP in front of it, `ray.py` a cluster; each player is a name that was made sure of.
A chunk is acknowledged when its file and its row are on disk, the file first: a kill between the two is mended at the
next start, and a chunk that is sent again is known by its hash.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import msgspec

from tengen import games
from tengen.chunks import ChunkStore, digest_of
from tengen.elo import Pairing
from tengen.hub.ledger import Ledger, first_game, lease_of
from tengen.hub.protocol import (
    LEASED,
    HubRefusedError,
    Lease,
    Offer,
    Orders,
    Receipt,
    Release,
    Report,
)
from tengen.hub.rating import Ratings
from tengen.hub.referee import Referee
from tengen.hub.validate import STRANGERS, Settings, check_chunk
from tengen.records import GameRecord, Limits, RecordError
from tengen.rundir import RunDirectory
from tengen.runreport import Fleet, FleetWorker
from tengen.selfplay import Counts

__all__ = ["Desk"]

LEASE_SECONDS = 90.0
REFUSALS = 5  # chunks that break the rules, after which a worker is barred: honest ones break none
RELEASES_KEPT = 8  # networks that can still be fetched
REPORTED = ("simulations", "evaluations", "batches")
TICK = 0.2  # seconds between two looks at what has come


@dataclass
class Seat:
    """A lease in use, as last heard of."""

    worker: str
    report: Report
    heard: float = field(default_factory=time.monotonic)
    speed: float = 0.0  # simulations per second between the last two reports

    def alive(self) -> bool:
        return time.monotonic() - self.heard < LEASE_SECONDS


class Desk:
    """Implements `Hub` for the loop, and for players the verbs of `Link`, with the player's name."""

    threads = 0  # it does not play itself
    trusting = False  # whether players are one's own, and need not be searched again

    def __init__(self, run: RunDirectory, first_game: int, device: str = "auto") -> None:
        """`first_game` is for hubs that number games themselves; leases begin far above it."""
        config = run.config()
        self._run, self._seed = run, config.loop.seed
        self.game = games.make(config.game)
        self._store = ChunkStore(run.games)
        self._next_chunk = self._store.next_number()
        self.ledger = Ledger(run.hub)
        self._changed = threading.Condition()
        self.version = 0  # of the newest release
        self._releases: dict[int, Release] = {}  # the latest ones, by version
        self._networks: dict[str, list[Settings]] = {}  # every network of the run, and how it was told to play
        for manifest in self.ledger.releases():
            self._networks.setdefault(manifest.network, []).append(manifest.configs())
        self._waiting: list[GameRecord] = []  # not gathered yet
        self._seats: dict[int, Seat] = {}
        self._counts: Counts = dict.fromkeys(("games", "moves", "positions", *REPORTED), 0)
        self._gathered = dict(self._counts)
        self._withdrawn = False
        self._shown = 0.0  # when the workers were last written down
        run.live.unlink(missing_ok=True)  # games under way elsewhere are not shown; an earlier sitting's were left here
        self._ratings = Ratings(run, self.game, self.ledger)
        self.referee = Referee(self.game, self.ledger, self.release_of, device)
        self._mend()

    def _mend(self) -> None:
        """Rows of chunks whose file was written, but not the row, when the hub was killed."""
        known = self.ledger.known_chunks()
        for path in self._store.paths():
            with suppress(RecordError, OSError, ValueError):  # the loop tells of damaged files
                if digest_of(path) not in known:
                    numbers = [record.number for record in self._store.load(path)]
                    worker = self.ledger.holder(lease_of(numbers[0])) if numbers[0] >= LEASED else None
                    if worker is not None:
                        with self.ledger.transaction():
                            self.ledger.add_chunk(digest_of(path), worker, numbers)

    # The learner's side

    def publish(self, release: Release) -> None:
        manifest = self.ledger.add_release(release.manifest)
        with self._changed:
            self._networks.setdefault(manifest.network, []).append(manifest.configs())
            self._releases[manifest.version] = Release(manifest, release.data)
            self.version = manifest.version
            while len(self._releases) > RELEASES_KEPT:
                del self._releases[min(self._releases)]

    def gather(self, done: Callable[[Counts], bool]) -> list[GameRecord]:
        while True:
            self._withdraw()
            self._show()
            with self._changed:
                if done(dict(self._counts)):
                    found, self._waiting = self._waiting, []
                    self._gathered = dict(self._counts)
                    return found
            self.wait()

    def wait(self) -> None:
        """A moment, or until games have come."""
        with self._changed:
            self._changed.wait(TICK)

    def counts(self) -> Counts:
        return dict(self._gathered)

    def facts(self) -> dict[str, float]:
        return {"workers": self._players()}

    def _players(self) -> int:
        with self._changed:
            return sum(seat.alive() for seat in self._seats.values())

    def rate(self, pairs: Sequence[tuple[str, str]]) -> None:
        self._ratings.offer(pairs, self._players())

    def rated(self) -> list[Pairing]:
        return self._ratings.results()

    def withdrawn(self) -> list[Path] | None:
        with self._changed:
            if not self._withdrawn:
                return None
            self._waiting, self._withdrawn = [], False
            return self._store.paths()

    def _withdraw(self) -> None:
        """Takes the games of barred workers away, whoever barred them: the referee, or a person beside the hub."""
        if chunks := self.ledger.to_withdraw():
            with self._changed:
                self._store.withdraw(chunks.keys())
                for digest in chunks:
                    self.ledger.withdraw(digest)
                self._withdrawn = True

    def close(self) -> None:
        """Players go on: the hub may come back, and then wants their games."""
        self.referee.close()
        self.ledger.close()

    # The players' side

    def pull(self, worker: str, lease: int | None) -> Offer | None:
        self._admit(worker)
        with self._changed:
            if not self._releases:
                return None
            manifest = self._releases[self.version].manifest
        if lease is None:
            id, first = self.ledger.add_lease(worker)
            with self._changed:
                self._seats[id] = Seat(worker, Report(id, 0))
        else:
            self._check_lease(worker, lease)
            id, first = lease, first_game(lease)
        return Offer(manifest, Lease(id, first, LEASE_SECONDS))

    def release_of(self, network: str) -> Release | None:
        """The newest release of a network, if it is still at hand."""
        with self._changed:
            found = [release for release in self._releases.values() if release.manifest.network == network]
        return found[-1] if found else None

    def network(self, sha256: str) -> bytes:
        with self._changed:
            for release in self._releases.values():
                if release.manifest.sha256 == sha256:
                    return release.data
        if (rated := self._ratings.network(sha256)) is not None:
            return rated
        raise HubRefusedError(404, "there is no such network, or no longer")

    def push(self, worker: str, chunk: bytes, lease: int) -> Receipt:
        self._admit(worker)
        digest = hashlib.sha256(chunk).hexdigest()
        if (owner := self.ledger.chunk_of(digest)) is not None:
            return self._known(worker, owner)
        self._check_lease(worker, lease)
        try:
            held = Lease(lease, first_game(lease), LEASE_SECONDS)
            limits = Limits() if self.trusting else STRANGERS
            records = check_chunk(chunk, self.game, self._seed, held, self._networks, limits)
            with self._changed:
                if (owner := self.ledger.chunk_of(digest)) is not None:  # sent twice at the same time
                    return self._known(worker, owner)
                with self.ledger.transaction():
                    self.ledger.add_chunk(digest, worker, (record.number for record in records))
                    self._store.put(self._next_chunk, digest, chunk)
                self._next_chunk += 1
                self._add(records)
        except ValueError as error:  # RecordError, and games that are known
            self._refuse(worker, error)
        if not self.trusting:
            self.referee.consider(worker, records)
        self._show()
        return Receipt(len(records), duplicate=False, version=self.version)

    def report(self, worker: str, report: Report) -> Orders:
        self._admit(worker)
        self._check_lease(worker, report.lease)
        if report.rated is not None:
            try:
                self._ratings.take(worker, report.rated)
            except ValueError as error:
                self._refuse(worker, error)
        with self._changed:
            seat = self._seats.setdefault(report.lease, Seat(worker, report))
            seconds = time.monotonic() - seat.heard
            for name in REPORTED:  # totals of a lease can only grow
                self._counts[name] += max(0, getattr(report, name) - getattr(seat.report, name))
            done = report.simulations - seat.report.simulations
            seat.speed = max(0.0, done / seconds) if seconds > 0.1 else seat.speed
            seat.report, seat.heard = report, time.monotonic()
        self._show()
        return Orders(self.version, self._ratings.give(worker) if report.free else None)

    def _refuse(self, worker: str, error: ValueError) -> NoReturn:
        self.ledger.count(worker, refused=1)
        if self.ledger.standing(worker).refused >= REFUSALS:
            self.ledger.bar(worker, f"sent {REFUSALS} times what cannot have been played")
        raise HubRefusedError(422, str(error)) from None

    def _known(self, worker: str, owner: str) -> Receipt:
        if owner != worker:
            raise HubRefusedError(422, "these games are somebody else's")
        return Receipt(0, duplicate=True, version=self.version)

    def _add(self, records: list[GameRecord]) -> None:
        self._waiting += records
        self._counts["games"] += len(records)
        self._counts["moves"] += sum(int(record.searched.sum()) for record in records)
        self._counts["positions"] += sum(record.positions for record in records)
        self._changed.notify_all()

    def _admit(self, worker: str) -> None:
        if (reason := self.ledger.standing(worker).barred) is not None:
            raise HubRefusedError(403, f"{worker} is barred: {reason}")

    def _check_lease(self, worker: str, lease: int) -> None:
        if self.ledger.holder(lease) != worker:
            raise HubRefusedError(409, f"{worker} has no lease {lease}")

    def status(self) -> Fleet:
        """Who plays, and what is thought of them."""
        with self._changed:
            seats = list(self._seats.values())
        rows = []
        for name, standing in self.ledger.standings().items():
            own = [seat for seat in seats if seat.worker == name and seat.alive()]
            rows.append(
                FleetWorker(
                    name=name,
                    players=len(own),
                    simulations_per_second=round(sum(seat.speed for seat in own), 1),
                    games=standing.games,
                    refused=standing.refused,
                    checked=standing.checked,
                    barred=standing.barred,
                    waiting=sum(seat.report.waiting for seat in own),
                    version=min((seat.report.version for seat in own), default=0),
                )
            )
        return Fleet(self.version, rows)

    def _show(self) -> None:
        """The workers in a file, once a second. Nobody misses it: a full disk is told by what it does."""
        with self._changed:
            if time.monotonic() - self._shown < 1:
                return
            self._shown = time.monotonic()
            self._seats = {lease: seat for lease, seat in self._seats.items() if seat.alive()}
        with suppress(OSError):
            draft = self._run.workers.with_suffix(".new")  # no power cut matters: it is written again in a second
            draft.write_bytes(msgspec.json.encode(self.status()))
            draft.replace(self._run.workers)
