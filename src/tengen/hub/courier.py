"""Everything of a player that waits for the network: a thread that pulls, pushes and reports.

An outage stops nothing: games pile up in the spool, up to a bound, and go out when the hub is back. A chunk leaves the
spool when the hub has it on disk, or says itself that it never will.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

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
    one_line,
)
from tengen.hub.spool import Spool
from tengen.records.selfplay import Counts

__all__ = ["Courier"]

CHUNK_PIECES = 60  # a chunk is made of so many at most, however young
LONGEST_WAIT = 60.0  # seconds between two attempts to reach a hub that is away
LONGEST_ASIDE = 3600.0  # seconds after which a chunk that a hub could not deal with is sent again
REFUSED = {410, 413, 422}  # what a hub says of a chunk that it will never take: superseded network, too long, wrong
FATAL = {401, 403, 426}  # what it says of a worker that it will not have
FAREWELL = 15.0  # seconds in which the last games should get through at the end

Say = Callable[[str], None]


class Courier(threading.Thread):
    """Pulls, pushes and reports until told to end; then delivers what it can."""

    def __init__(self, link: Link, folder: Path, every: float, fit: Callable[[Release], Release], say: Say) -> None:
        """`fit`: makes of a release what this machine plays. Raises BoundsError."""
        super().__init__(name="courier", daemon=True)
        self._link, self._folder, self._every, self._fit, self._say = link, folder, every, fit, say
        self._ending, self._gone = threading.Event(), threading.Event()
        self.offer: tuple[Release, Lease] | None = None  # the newest
        self.fatal: Exception | None = None  # why there is no point in going on
        self.over = False  # the hub says that the run is finished
        self.counts: Counts = {}  # of the player, for the reports
        self.match: tuple[RatingMatch, dict[str, bytes]] | None = None  # to be played, with the networks it needs
        self.rated: RatedGames | None = None  # to be reported
        self.rates = True  # whether a rating match is welcome
        self._newest = 0  # version that the hub has
        self._delivered = 0  # chunks that got through
        self._reported = -1e9
        self._aside: dict[Path, tuple[float, float]] = {}  # chunks to be sent later: when, and how long that was
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
                if ending and not self._sendable():
                    self._leave()
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
                # Not all workers at once, and not before the hub wants them back.
                self._ending.wait(max(error.wait, random.uniform(longest / 2, longest)))
            except Exception as error:  # refused for good, or this machine's disk is full: the player must hear of it
                self.fatal = error

    def _round(self, ending: bool) -> None:
        for lease, spool in list(self._spools.items()):
            self._send(lease, spool, ending)
        if ending or self.over:
            return
        if self.offer is None or self._newest > self.offer[0].manifest.version:
            self._pull()
        elif time.monotonic() - self._reported >= self._every:
            self._report(*self.offer)

    def _send(self, lease: int, spool: Spool, ending: bool) -> None:
        current = self.offer is not None and lease == self.offer[1].id
        spool.join(self._every if current and not ending else 0.0, CHUNK_PIECES)
        failed = False
        for chunk in spool.chunks():
            if self._gone.is_set():
                return
            if self._aside.get(chunk, (0.0, 0.0))[0] > time.monotonic():
                continue
            try:
                receipt = self._link.push(chunk.read_bytes(), lease)
            except HubRefusedError as error:
                if error.status in FATAL:
                    raise
                if error.status in REFUSED:
                    spool.refuse(chunk, str(error))
                    self._aside.pop(chunk, None)
                    self._say(f"the hub refused games: {error}")
                else:
                    self._put_aside(chunk, str(error))
            except HubUnreachableError as error:
                if error.status != 500:
                    raise
                self._put_aside(chunk, str(error))
                if failed:  # not the chunk's fault, it seems
                    raise
                failed = True
            else:
                spool.sent(chunk)
                self._aside.pop(chunk, None)
                self._delivered += 1
                self._newest = max(self._newest, receipt.version)
        if (ending or not current) and not spool.nbytes():
            spool.remove_if_empty()
            del self._spools[lease]

    def _put_aside(self, chunk: Path, reason: str) -> None:
        """What a hub cannot deal with now is kept, does not stop what comes after it, and is sent again later."""
        if chunk not in self._aside:
            self._say(f"some games are kept to be sent later: {reason}")
        seconds = min(LONGEST_ASIDE, 2 * self._aside.get(chunk, (0.0, 0.5))[1])
        self._aside[chunk] = (time.monotonic() + seconds, seconds)

    def _sendable(self) -> bool:
        return any(chunk not in self._aside for spool in self._spools.values() for chunk in spool.chunks())

    def _pull(self) -> None:
        lease = self.offer[1].id if self.offer else None
        try:
            offer = self._link.pull(lease)
        except HubRefusedError as error:
            if error.status == 410:
                self.over = True
            elif error.status == 409:
                self.offer = None  # the hub has forgotten the lease: ask for another
            else:
                raise
            return
        if offer is None:
            return
        if offer.release.program != PROGRAM:
            theirs = one_line(offer.release.program)
            raise HubRefusedError(426, f"the hub plays with tengen {theirs}, this is {PROGRAM}")
        try:
            release = self._fit(Release(offer.release, self._link.network(offer.release.sha256)))
        except HubRefusedError as error:
            if error.status != 404:
                raise
            return  # superseded in the meantime: pull again
        if self.offer is not None and self.offer[0].manifest.configs() != release.manifest.configs():
            self.offer = None  # games under way are given up: a lease of their own keeps the numbers without gaps
            return
        self.spool(offer.lease.id)
        self._newest, self.offer = offer.release.version, (release, offer.lease)

    def _leave(self) -> None:
        """So that the hub need not wait for it. Nobody minds if that does not get through."""
        if self.offer is not None:
            with suppress(HubRefusedError, HubUnreachableError):
                self._link.report(self._said(*self.offer, leaving=True))

    def _said(self, release: Release, lease: Lease, leaving: bool = False) -> Report:
        did = {name: self.counts.get(name, 0) for name in ("simulations", "evaluations", "batches")}
        waiting = sum(len(spool.chunks()) for spool in self._spools.values())
        return Report(
            lease.id,
            release.manifest.version,
            **did,
            slots=release.manifest.slots,
            waiting=waiting,
            free=self.rates and self.match is None,
            rated=self.rated,
            leaving=leaving,
        )

    def _report(self, release: Release, lease: Lease) -> None:
        said = self._said(release, lease)
        try:
            orders = self._link.report(said)
        except HubRefusedError as error:
            if error.status != 422:
                raise
            self._say(f"the hub refused rating games: {error}")
            self.rated = None
            return
        self._reported = time.monotonic()
        self._newest, self.over = max(self._newest, orders.version), orders.over
        if said.rated is not None:
            self.rated = None
        if orders.match is not None and said.free:
            self._fetch_match(orders.match)

    def _fetch_match(self, match: RatingMatch) -> None:
        try:
            hashes = [each.sha256 for each in (match.first, match.second) if each.sha256 is not None]
            self.match = match, {sha256: self._link.network(sha256) for sha256 in hashes}
        except HubRefusedError as error:
            if error.status != 404:  # superseded in the meantime
                raise
