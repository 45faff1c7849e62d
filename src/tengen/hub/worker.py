"""A player for a hub elsewhere. It needs no torch and opens no port.

Two threads beside the one that started them, which hears signals: one plays and writes what is finished to disk, the
courier talks to the hub. What the hub says is held against `bounds` before anything is done with it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

from tengen.files import try_lock
from tengen.hub.courier import Courier, Say
from tengen.hub.player import ReleasePlayer
from tengen.hub.protocol import HubRefusedError, Lease, Link, RatingMatch, Release, one_line
from tengen.hub.rating import play_rating
from tengen.hub.worker_bounds import BoundsError, within
from tengen.records.selfplay import Counts

__all__ = ["Worker", "own_folder"]

PIECE_SECONDS = 1.0  # finished games are on disk after so long
PIECE_PLIES = 1000  # or when they are so many
MOST_SPOOLED = 256 << 20  # bytes; then playing waits for the hub
GRACE = 10.0  # seconds that a search may take to end


class Worker:
    """Plays for a hub until it is stopped, the run is finished, or the hub will not have it any more."""

    def __init__(
        self,
        link: Link,
        folder: Path,
        *,
        device: str = "auto",
        threads: int = 0,
        slots: int = 0,
        memory: int,
        every: float = 30.0,
        stop: threading.Event | None = None,
        say: Say = lambda _: None,
    ) -> None:
        """`every`: seconds between two chunks, and between two reports. `slots` 0: as the release says. `memory`: bytes
        that the hub's settings may take."""
        self._device, self._threads, self._memory = device, threads, memory
        self._say, self._stop = say, stop or threading.Event()
        self._courier = Courier(link, folder, every, lambda release: within(release, memory, slots), say)
        self._player: ReleasePlayer | None = None
        self._playing: tuple[Release, Lease] | None = None
        self.games = 0

    def run(self) -> bool:
        """Plays until the end. Raises HubRefusedError, BoundsError or OSError when there is no point in going on; what
        was finished is on disk. False: ended by force, while a thread may still be in a search; then the process
        should end without waiting for it."""
        playing: Future[None] = Future()
        self._courier.start()
        threading.Thread(target=self._play_on, args=(playing,), name="player", daemon=True).start()
        try:
            while not playing.done() and not self._ended():
                time.sleep(0.05)  # in Python, so that signals are heard
            end = time.monotonic() + GRACE
            while not playing.done() and time.monotonic() < end:
                if self._player is not None:
                    self._player.stop()  # a step that was about to begin has not heard of it the first time
                time.sleep(0.05)
            self._courier.end()
        except KeyboardInterrupt:
            return False
        if not playing.done():
            return False
        playing.result()
        if self.fatal is not None:
            raise self.fatal
        return True

    def _play_on(self, playing: Future[None]) -> None:
        try:
            while not self._ended():
                self._turn()
            playing.set_result(None)
        except (OSError, HubRefusedError) as error:
            playing.set_exception(error)
        except Exception as error:  # what a backend makes of a network that it cannot run may be anything
            reason = BoundsError(f"the hub's release cannot be played: {one_line(str(error)) or type(error).__name__}")
            reason.__cause__ = error
            playing.set_exception(reason)

    def _turn(self) -> None:
        offer = self._courier.offer
        if offer is None or self._courier.nbytes() > MOST_SPOOLED:
            self._stop.wait(0.1)
            return
        if offer != self._playing:
            self._take_up(*offer)
        self._play()
        if self._courier.match is not None:
            self._rate(*self._courier.match)

    @property
    def fatal(self) -> Exception | None:
        """Why there is no point in going on."""
        return self._courier.fatal

    @property
    def over(self) -> bool:
        """Whether the hub has said that its run is finished. One that is merely away has not."""
        return self._courier.over

    @property
    def unsent(self) -> int:
        """Bytes of finished games that are still on this machine."""
        return self._courier.nbytes()

    def _ended(self) -> bool:
        return self._stop.is_set() or self.over or self.fatal is not None

    def _take_up(self, release: Release, lease: Lease) -> None:
        if self._player is None or self._playing is None or self._playing[1].id != lease.id:
            self._player = ReleasePlayer(lease.first_game, device=self._device, threads=self._threads)
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
        try:
            self._courier.rated = play_rating(
                match, networks, device=self._device, threads=self._threads, memory=self._memory, ended=self._ended
            )
        except BoundsError as error:
            self._say(f"{error}; this worker plays no more rating matches")
            self._courier.rates = False
        self._courier.match = None


@contextmanager
def own_folder(base: Path) -> Iterator[Path]:
    """A folder that no other process uses: the first of `base`/0, `base`/1, … that nobody has locked."""
    for number in range(10_000):
        folder = base / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        if not try_lock(descriptor):
            os.close(descriptor)
            continue
        try:
            yield folder
        finally:
            os.close(descriptor)
        return
    raise OSError(f"{base}: ten thousand workers are enough")
