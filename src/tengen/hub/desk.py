"""The hub itself: takes releases from the learner and chunks from players, and answers both from disk and ledger.

It knows no wire. `service.py` puts HTTP in front of it, `ray.py` a cluster; each player is a name that was checked.
A chunk is acknowledged when its file and its row are on disk, the file first: a kill between the two is mended at the
next start, and a chunk that is sent again is known by its hash.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import msgspec

from tengen import games
from tengen.files import write_durably
from tengen.hub.ledger import Ledger, first_game, lease_of
from tengen.hub.protocol import (
    LEASED,
    HubRefusedError,
    Lease,
    Manifest,
    Offer,
    Orders,
    RatedGames,
    Receipt,
    Release,
    Report,
)
from tengen.hub.quota import DAY, Quotas
from tengen.hub.rating import Ratings
from tengen.hub.referee import Referee
from tengen.hub.seats import LEASE_SECONDS, REPORTED, Seats
from tengen.hub.validate import STRANGERS, Settings, check_chunk, way_of
from tengen.hub.withdrawal import Withdrawals
from tengen.net.file import NetworkFile
from tengen.play.elo import Pairing
from tengen.records import GameRecord, Limits, RecordError
from tengen.records.selfplay import Counts
from tengen.records.store import ChunkStore, digest_of
from tengen.run.folder import RunDirectory, RunError
from tengen.run.report import Fleet

__all__ = ["Desk"]

# Chunks that break the rules, after which a worker is barred: honest ones break none. Old ones count less, see ledger.
REFUSALS = 5
RELEASES_KEPT = 8  # networks that can still be fetched
EXAMINED = 128  # networks on disk, whose games can still be played again, and are taken
TICK = 0.2  # seconds between two looks at what has come


class Desk:
    """Implements `Hub` for the loop, and for players the verbs of `Link`, with the player's name."""

    threads = 0  # it does not play itself
    trusting = False  # whether players are one's own, and need not be searched again

    def __init__(self, run: RunDirectory, first_game: int, device: str = "auto") -> None:
        """`first_game` is for hubs that number games themselves; leases begin far above it. Raises RunError."""
        config = run.config()
        self._run, self._seed = run, config.loop.seed
        self.game = games.make(config.game)
        self._store = ChunkStore(run.games)
        self._next_chunk = self._store.next_number()
        self._changed = threading.Condition()
        self.version = 0  # of the newest release
        self.over = False  # the run is finished
        self._releases: dict[int, Release] = {}  # the latest ones, by version
        self._networks: dict[str, list[Settings]] = {}  # every network of the run, and the ways it was told to play
        self._settings: dict[int, Settings] = {}  # of every release, by version
        self._files: dict[str, str] = {}  # hash of each network's file on disk, oldest network first
        self._waiting: list[GameRecord] = []  # not gathered yet
        self._seats, self.quotas = Seats(), Quotas(run.path)
        self._counts: Counts = dict.fromkeys(("games", "moves", "positions", *REPORTED), 0)
        self._gathered = dict(self._counts)
        self._withdrawn = False
        self._news: list[str] = []
        self._trouble = ""  # with the ledger, as last told
        self._rated: list[Pairing] = []
        self._shown = 0.0  # when the workers were last written down
        run.live.unlink(missing_ok=True)  # games under way elsewhere are not shown; an earlier sitting's were left here
        try:
            self.ledger = Ledger(run.hub)
            self.ledger.check()
            self._recall()
            self._ratings = Ratings(run, self.game, self.ledger)
        except (sqlite3.Error, msgspec.DecodeError) as error:
            raise RunError(f"{run.hub}: {error}; if it is damaged, put a copy of it back") from None
        self._withdrawals = Withdrawals(self._store, self.ledger)
        self.referee = Referee(
            self.game, self.ledger, self._seed, self._way_of, self._file_of, self._ratings.network, device
        )

    def _recall(self) -> None:
        """Every release so far; and rows of chunks whose file was written, but not the row, when the hub was killed."""
        newest = 0
        for manifest in self.ledger.releases():
            self._know(manifest)
            newest = manifest.version
            self._files.pop(manifest.network, None)
            if self._run.release(manifest.network).is_file():
                self._files[manifest.network] = manifest.sha256
        known = self.ledger.known_chunks()
        for path in self._store.paths():
            with suppress(RecordError, OSError, ValueError):  # the loop tells of damaged files
                if digest_of(path) not in known:
                    numbers = [record.number for record in self._store.load(path)]
                    worker = self.ledger.holder(lease_of(numbers[0])) if numbers[0] >= LEASED else None
                    if worker is not None:
                        with self.ledger.transaction():
                            self.ledger.add_chunk(digest_of(path), worker, numbers, newest)

    def _know(self, manifest: Manifest) -> None:
        """Equal settings are kept once: each way to play is one more that every game of the network is held against."""
        ways = self._networks.setdefault(manifest.network, [])
        settings = manifest.configs()
        if settings not in ways:
            ways.append(settings)
        self._settings[manifest.version] = settings

    # The learner's side

    def publish(self, release: Release) -> None:
        try:
            manifest = self.ledger.add_release(release.manifest, NetworkFile.parse(release.data, "release").step)
        except sqlite3.Error as error:
            if not self._releases:
                raise RunError(f"{self._run.hub}: {error}") from None
            self._tell_trouble(error)  # players go on with the release before
            return
        self._keep_file(manifest.network, release.data)
        with self._changed:
            self._know(manifest)
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

    def workers(self) -> int | None:
        return len(self._seats.alive())

    def news(self) -> list[str]:
        told, self._news = self._news, []
        return told

    def rate(self, pairs: Sequence[tuple[str, str]]) -> None:
        try:
            self._ratings.offer(pairs, len(self._seats.alive()))
        except sqlite3.Error as error:
            self._tell_trouble(error)

    def rated(self) -> list[Pairing]:
        try:
            self._rated = self._ratings.results()
        except sqlite3.Error as error:
            self._tell_trouble(error)
        return self._rated

    def withdrawn(self) -> list[Path] | None:
        with self._changed:
            if not self._withdrawn:
                return None
            self._waiting, self._withdrawn = [], False
            before = self._next_chunk  # those that come from now on will be gathered
        return self._store.paths(before)

    def _withdraw(self) -> None:
        """Files follow what the ledger says of their workers. No lock is held: others send games meanwhile."""
        try:
            told = self._withdrawals.step()
        except sqlite3.Error as error:
            self._tell_trouble(error)
            return
        if told is not None:
            self._withdrawn = True
            self._news += told

    def _tell_trouble(self, error: sqlite3.Error) -> None:
        """Training needs no ledger, so it goes on; workers are told to ask again."""
        if str(error) != self._trouble:
            self._trouble = str(error)
            self._news.append(f"{self._run.hub}: {error}; training goes on, workers wait")

    def finish(self) -> None:
        self.over = True

    def close(self) -> None:
        """Players go on: the hub may come back, and then wants their games."""
        self.referee.close()
        self.ledger.close()

    # The players' side

    def pull(self, worker: str, lease: int | None) -> Offer | None:
        self._admit(worker)
        if self.over:
            raise HubRefusedError(410, "the run is finished")
        with self._changed:
            if not self._releases:
                return None
            manifest = self._releases[self.version].manifest
        if lease is None:
            self.quotas.seat(worker, len(self._seats.alive(worker)))
            self.quotas.lease(worker, self.ledger.leases_since(worker, time.time() - DAY))
            id, first = self.ledger.add_lease(worker, manifest.version)
            self._seats.take(worker, id)
        else:
            self._check_lease(worker, lease)
            id, first = lease, first_game(lease)
        return Offer(manifest, Lease(id, first, LEASE_SECONDS))

    def _way_of_lease(self, lease: int) -> Settings | None:
        return self._settings.get(self.ledger.lease_version(lease))

    def _way_of(self, record: GameRecord) -> Settings:
        way = self._way_of_lease(lease_of(record.number))
        return way_of(record, self.game, self._networks.get(record.networks[-1], []), way)

    def _keep_file(self, network: str, data: bytes) -> None:
        """The file of a network outlives the release: games of it may come much later, and must be played again."""
        if self._files.get(network) != hashlib.sha256(data).hexdigest():
            self._run.releases.mkdir(exist_ok=True)
            write_durably(self._run.release(network), data)
        self._files.pop(network, None)
        self._files[network] = hashlib.sha256(data).hexdigest()
        while len(self._files) > EXAMINED:
            oldest = next(iter(self._files))
            self._run.release(oldest).unlink(missing_ok=True)
            del self._files[oldest]

    def _file_of(self, network: str) -> bytes | None:
        try:
            return self._run.release(network).read_bytes() if network in self._files else None
        except OSError:
            return None

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
        if not self.trusting:
            self.quotas.chunk(worker, len(chunk))
        digest = hashlib.sha256(chunk).hexdigest()
        if (owner := self.ledger.chunk_of(digest)) is not None:
            return self._known(worker, owner)
        self._check_lease(worker, lease)
        try:
            held = Lease(lease, first_game(lease), LEASE_SECONDS)
            limits = Limits() if self.trusting else STRANGERS
            way = self._way_of_lease(lease)
            records = check_chunk(chunk, self.game, self._seed, held, self._networks, limits, way)
            if not self.trusting:
                self._check_examinable(records)
            with self.ledger.alone():  # one chunk at a time
                if (owner := self.ledger.chunk_of(digest)) is not None:  # sent twice at the same time
                    return self._known(worker, owner)
                with self.ledger.transaction():
                    self.ledger.add_chunk(digest, worker, (record.number for record in records), self.version)
                    self._store.put(self._next_chunk, digest, chunk)
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
        if report.lease not in self._seats and not self.trusting:
            self.quotas.seat(worker, len(self._seats.alive(worker)))
        if report.rated is not None:
            try:
                self._take_rated(worker, report.rated)
            except ValueError as error:
                self._refuse(worker, error)
        self.referee.has_slots(report.lease, report.slots)
        grown = self._seats.hear(worker, report, self.version)
        with self._changed:
            for name, more in grown.items():
                self._counts[name] += more
        if report.leaving:
            self._seats.leave(report.lease)
        self._show()
        free = report.free and not self.over
        return Orders(self.version, self._ratings.give(worker, report.lease) if free else None, self.over)

    def _take_rated(self, worker: str, rated: RatedGames) -> None:
        match = self._ratings.take(worker, rated)
        if match is not None and not self.trusting:
            self.referee.consider_rating(worker, match, rated)

    def _refuse(self, worker: str, error: ValueError) -> NoReturn:
        if round(self.ledger.refuse(worker)) >= REFUSALS:
            self.ledger.bar(worker, f"sent {REFUSALS} times what cannot have been played")
        raise HubRefusedError(422, str(error)) from None

    def _check_examinable(self, records: list[GameRecord]) -> None:
        for network in {network for record in records for network in record.networks}:
            if network not in self._files:
                raise HubRefusedError(410, f"network {network[:16]} is superseded; its games can be examined no more")

    def _known(self, worker: str, owner: str) -> Receipt:
        if owner != worker:
            raise HubRefusedError(422, "these games are somebody else's")
        return Receipt(0, duplicate=True, version=self.version)

    def _add(self, records: list[GameRecord]) -> None:
        with self._changed:
            self._next_chunk += 1
            self._waiting += records
            self._counts["games"] += len(records)
            self._counts["moves"] += sum(int(record.searched.sum()) for record in records)
            self._counts["positions"] += sum(record.positions for record in records)
            self._changed.notify_all()

    def _admit(self, worker: str) -> None:
        standing = self.ledger.standing(worker)
        if standing.barred is not None:
            raise HubRefusedError(403, f"{worker} is barred: {standing.barred}")
        if standing.held is not None:
            raise HubRefusedError(403, f"{worker} is held until the owner of the hub has looked: {standing.held}")

    def _check_lease(self, worker: str, lease: int) -> None:
        if self.ledger.holder(lease) != worker:
            raise HubRefusedError(409, f"{worker} has no lease {lease}")

    def status(self) -> Fleet:
        """Who plays, and what is thought of them."""
        standings = self.ledger.standings().items()
        return Fleet(self.version, [self._seats.row(name, standing) for name, standing in standings])

    def _show(self) -> None:
        """The workers in a file, once a second. Nobody misses it: a full disk is told by what it does."""
        with self._changed:
            if time.monotonic() - self._shown < 1:
                return
            self._shown = time.monotonic()
        self._seats.forget()
        with suppress(OSError, sqlite3.Error):
            draft = self._run.workers.with_suffix(".new")  # no power cut matters: it is written again in a second
            draft.write_bytes(msgspec.json.encode(self.status()))
            draft.replace(self._run.workers)
