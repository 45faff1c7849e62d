"""A player for a hub elsewhere. It needs no torch and opens no port.

Two threads: this one plays and writes what is finished to disk; the courier does everything that waits for the network.
So an outage stops nothing: games pile up in the spool, up to a bound, and go out when the hub is back.
"""

from __future__ import annotations

import fcntl
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tengen.hub.player import ReleasePlayer
from tengen.hub.protocol import (
    PROGRAM,
    HubRefusedError,
    HubUnreachableError,
    Lease,
    Link,
    RatedGames,
    RatingMatch,
    Release,
    Report,
)
from tengen.hub.rating import play_rating
from tengen.hub.spool import Spool
from tengen.selfplay import Counts

__all__ = ["Worker", "own_folder"]

PIECE_SECONDS = 1.0  # finished games are on disk after so long
PIECE_PLIES = 1000  # or when they are so many
CHUNK_PIECES = 60  # a chunk is made of so many at most, however young
MOST_SPOOLED = 256 << 20  # bytes; then playing waits for the hub
LONGEST_WAIT = 60.0  # seconds between two attempts to reach a hub that is away
FAREWELL = 15.0  # seconds in which the last games should get through at the end

Say = Callable[[str], None]


class Courier(threading.Thread):
    """Pulls, pushes and reports until told to end; then delivers what it can."""

    def __init__(self, link: Link, folder: Path, every: float, say: Say) -> None:
        super().__init__(name="courier", daemon=True)
        self._link, self._folder, self._every, self._say = link, folder, every, say
        self._ending, self._gone = threading.Event(), threading.Event()
        self.offer: tuple[Release, Lease] | None = None  # the newest
        self.fatal: Exception | None = None  # why there is no point in going on
        self.counts: Counts = {}  # of the player, for the reports
        self.match: tuple[RatingMatch, dict[str, bytes]] | None = None  # to be played, with the networks it needs
        self.rated: RatedGames | None = None  # to be reported
        self._newest = 0  # version that the hub has
        self._delivered = 0  # chunks that got through
        self._reported = -1e9
        self._spools = {int(path.name[6:]): Spool(path) for path in sorted(folder.glob("lease-*"))}

    def spool(self, lease: int) -> Spool:
        if lease not in self._spools:  # emptied and forgotten while its last games were being played
            self._spools[lease] = Spool(self._folder / f"lease-{lease}")
        return self._spools[lease]

    def nbytes(self) -> int:
        return sum(spool.nbytes() for spool in list(self._spools.values()))

    def end(self) -> None:
        """Sends what there is and stops; waits for it, but not for a hub that is away."""
        self._ending.set()
        self.join(FAREWELL)
        self._gone.set()

    def run(self) -> None:
        tries = tries_at_the_end = 0
        while self.fatal is None and not self._gone.is_set():
            ending, delivered = self._ending.is_set(), self._delivered
            try:
                self._round(ending)
                if tries:
                    self._say("the hub is back")
                tries = 0
                if ending and not self.nbytes():
                    return
                self._ending.wait(min(1.0, self._every / 4))
            except HubUnreachableError as error:
                tries_at_the_end += ending  # however long the hub was away before
                if tries_at_the_end > 3:
                    return
                if not tries:
                    self._say(f"{error}; playing goes on, and so does asking")
                # A line that is cut again and again but lets something through is no reason to wait ever longer.
                tries = 1 if self._delivered > delivered else tries + 1
                longest = min(LONGEST_WAIT, 0.5 * 2 ** min(tries, 10))
                self._ending.wait(random.uniform(longest / 2, longest))  # not all workers at once
            except Exception as error:  # refused for good, or this machine's disk is full: the player must hear of it
                self.fatal = error

    def _round(self, ending: bool) -> None:
        for lease, spool in list(self._spools.items()):
            self._send(lease, spool, ending)
        if ending:
            return
        if self.offer is None or self._newest > self.offer[0].manifest.version:
            self._pull()
        elif time.monotonic() - self._reported >= self._every:
            self._report(*self.offer)

    def _send(self, lease: int, spool: Spool, ending: bool) -> None:
        current = self.offer is not None and lease == self.offer[1].id
        spool.join(self._every if current and not ending else 0.0, CHUNK_PIECES)
        for chunk in spool.chunks():
            if self._gone.is_set():
                return
            try:
                receipt = self._link.push(chunk.read_bytes(), lease)
            except HubRefusedError as error:
                if error.status in (401, 403, 426):  # it is not the chunk that is wrong
                    raise
                spool.refuse(chunk, str(error))
                self._say(f"the hub refused games: {error}")
            else:
                spool.sent(chunk)
                self._delivered += 1
                self._newest = max(self._newest, receipt.version)
        if (ending or not current) and not spool.nbytes():
            spool.remove_if_empty()
            del self._spools[lease]

    def _pull(self) -> None:
        lease = self.offer[1].id if self.offer else None
        try:
            offer = self._link.pull(lease)
        except HubRefusedError as error:
            if error.status != 409:
                raise
            self.offer = None  # the hub has forgotten the lease: ask for another
            return
        if offer is None:
            return
        if offer.release.program != PROGRAM:
            raise HubRefusedError(426, f"the hub plays with tengen {offer.release.program}, this is {PROGRAM}")
        try:
            release = Release(offer.release, self._link.network(offer.release.sha256))
        except HubRefusedError as error:
            if error.status != 404:
                raise
            return  # superseded in the meantime: pull again
        self.spool(offer.lease.id)
        self._newest, self.offer = offer.release.version, (release, offer.lease)

    def _report(self, release: Release, lease: Lease) -> None:
        did = {name: self.counts.get(name, 0) for name in ("simulations", "evaluations", "batches")}
        waiting = sum(len(spool.chunks()) for spool in self._spools.values())
        rated, free = self.rated, self.match is None
        report = Report(lease.id, release.manifest.version, waiting=waiting, free=free, rated=rated, **did)
        try:
            orders = self._link.report(report)
        except HubRefusedError as error:
            if error.status != 422:
                raise
            self._say(f"the hub refused rating games: {error}")
            self.rated = None
            return
        self._reported = time.monotonic()
        self._newest = max(self._newest, orders.version)
        if rated is not None:
            self.rated = None
        if orders.match is not None:
            self._fetch_match(orders.match)

    def _fetch_match(self, match: RatingMatch) -> None:
        try:
            hashes = [each.sha256 for each in (match.first, match.second) if each.sha256 is not None]
            self.match = match, {sha256: self._link.network(sha256) for sha256 in hashes}
        except HubRefusedError as error:
            if error.status != 404:  # superseded in the meantime
                raise


class Worker:
    """Plays for a hub until it is stopped, or the hub will not have it any more."""

    def __init__(
        self,
        link: Link,
        folder: Path,
        *,
        device: str = "auto",
        threads: int = 0,
        slots: int = 0,
        every: float = 30.0,
        stop: threading.Event | None = None,
        say: Say = lambda _: None,
    ) -> None:
        """`every`: seconds between two chunks, and between two reports. `slots` 0: as the release says."""
        self._device, self._threads = device, threads
        self._make_player = partial(ReleasePlayer, device=device, threads=threads, slots=slots)
        self._say, self._stop = say, stop or threading.Event()
        self._courier = Courier(link, folder, every, say)
        self._player: ReleasePlayer | None = None
        self._playing: tuple[Release, Lease] | None = None
        self.games = 0

    def run(self) -> None:
        """Raises HubRefusedError or OSError when there is no point in going on; what was finished is on disk."""
        self._courier.start()
        try:
            while not self._ended():
                offer = self._courier.offer
                if offer is None or self._courier.nbytes() > MOST_SPOOLED:
                    self._stop.wait(0.1)
                    continue
                if offer != self._playing:
                    self._take_up(*offer)
                self._play()
                if self._courier.match is not None:
                    self._rate(*self._courier.match)
        finally:
            self._courier.end()
        if self._courier.fatal is not None:
            raise self._courier.fatal

    def _ended(self) -> bool:
        return self._stop.is_set() or self._courier.fatal is not None

    def _take_up(self, release: Release, lease: Lease) -> None:
        if self._player is None or self._playing is None or self._playing[1].id != lease.id:
            self._player = self._make_player(lease.first_game)
        self._player.take_up(release)
        self._playing = (release, lease)
        manifest = release.manifest
        self._say(f"plays {manifest.game} with release {manifest.version}, network {manifest.network[:12]}")

    def _play(self) -> None:
        assert self._player is not None and self._playing is not None
        began, before = time.monotonic(), self._player.counts()["moves"]

        def done(counts: Counts) -> bool:
            enough = time.monotonic() - began > PIECE_SECONDS or counts["moves"] - before >= PIECE_PLIES
            return enough or self._ended()

        if records := self._player.play(done):
            self._courier.spool(self._playing[1].id).add(records)
            self.games += len(records)
        self._courier.counts = self._player.counts()

    def _rate(self, match: RatingMatch, networks: dict[str, bytes]) -> None:
        self._courier.rated = play_rating(
            match, networks, device=self._device, threads=self._threads, ended=self._ended
        )
        self._courier.match = None


@contextmanager
def own_folder(base: Path) -> Iterator[Path]:
    """A folder that no other process uses: the first of `base`/0, `base`/1, … that nobody has locked."""
    for number in range(10_000):
        folder = base / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            continue
        try:
            yield folder
        finally:
            os.close(descriptor)
        return
    raise OSError(f"{base}: ten thousand workers are enough")
