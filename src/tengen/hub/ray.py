"""A run on a Ray cluster: players are Ray actors that play for some seconds per call and hand over what is finished.

Two calls per player are under way at most, so a busy learner slows players down instead of drowning in games; weights
go into Ray's object store once per release; a player that dies is replaced, under a new lease.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from typing import Any

import msgspec

from tengen.games import sources
from tengen.hub.desk import TICK, Desk
from tengen.hub.local import playing_threads
from tengen.hub.player import ReleasePlayer
from tengen.hub.protocol import HubRefusedError, Manifest, RatedGames, RatingMatch, Release, Report
from tengen.hub.rating import play_rating
from tengen.hub.seats import REPORTED
from tengen.hub.worker_bounds import default_memory
from tengen.records import encode_chunk
from tengen.records.selfplay import Counts
from tengen.run.folder import RunDirectory, RunError

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # before Ray is loaded: nothing is sent anywhere
import ray
from ray.exceptions import RayActorError, RayError

__all__ = ["RayHub"]

Result = tuple[bytes | None, bytes | None, Counts]  # a chunk, rated games, totals so far

WORKER = "ray"  # the name that all players of the cluster go by: it is one's own
CALL_SECONDS = 0.5  # what a player that dies was about to hand over is lost
CALLS_PER_SECOND = 20  # of all players together: on a large cluster, calls take longer
CALL_PLIES = 50_000  # a chunk of more would be refused
CALLS = 2  # under way per player: while the result of one waits, the other is played
LOOK_EVERY = 10.0  # seconds between two looks at how large the cluster is


class RayPlayer:
    """Lives on the cluster."""

    def __init__(self, first_game: int, device: str, threads: int) -> None:
        sources.load_installed()  # of the packages on the player's machine: a message can bring no rules
        self._device, self._threads = device, threads
        self._player = ReleasePlayer(first_game, device=device, threads=threads)

    def play(self, manifest: bytes, data: bytes, seconds: float) -> Result:
        """Plays on, and returns a chunk of what was finished, if anything was."""
        release = Release(msgspec.json.decode(manifest, type=Manifest), data)
        if self._player.playing is None or self._player.playing.version != release.manifest.version:
            self._player.take_up(release)
        began, before = time.monotonic(), self._player.counts()["moves"]

        def done(counts: Counts) -> bool:
            return time.monotonic() - began >= seconds or counts["moves"] - before >= CALL_PLIES

        records = self._player.play(done)
        return encode_chunk(records) if records else None, None, self._player.counts()

    def rate(self, match: bytes, networks: dict[str, bytes]) -> Result:
        """Plays a rating match."""
        wanted = msgspec.json.decode(match, type=RatingMatch)
        rated = play_rating(
            wanted, networks, device=self._device, threads=self._threads, memory=default_memory(), ended=lambda: False
        )
        return None, msgspec.json.encode(rated) if rated else None, self._player.counts()


class RayHub(Desk):
    """A desk whose players are on a cluster that this process starts, or joins."""

    trusting = True

    def __init__(
        self,
        run: RunDirectory,
        first_game: int,
        device: str = "auto",
        *,
        address: str | None = None,
        cpus: int = 1,
    ) -> None:
        """`address`: of a cluster, or "auto" for the one this machine belongs to; None starts one here, on half of the
        cores. `cpus`: of one player."""
        super().__init__(run, first_game, device)
        self._device, self._cpus = device, cpus
        self.threads = playing_threads() if address is None else 0
        handler = signal.getsignal(signal.SIGTERM)
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            if address and ":" in address:  # Ray itself would try for minutes
                host, _, port = address.rpartition(":")
                socket.create_connection((host.removeprefix("ray://"), int(port)), timeout=10).close()
            if address is None:
                ray.init("local", num_cpus=self.threads, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
            else:
                ray.init(address=address, **quiet)
        except (OSError, RuntimeError, ValueError) as error:
            raise RunError(f"no Ray cluster at {address or 'this machine'}: {str(error).splitlines()[0]}") from None
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # Ray has put its own there, which ends without saving
        gpus = 1 if device == "cuda" else 0
        self._remote = ray.remote(num_cpus=cpus, num_gpus=gpus, max_restarts=0)(RayPlayer)
        self._calls: dict[Any, tuple[Any, int]] = {}  # what is under way, whose it is, and its lease
        self._published: tuple[bytes, Any] | None = None
        self._looked, self._room = -LOOK_EVERY, 0  # when the cluster was last looked at, and for how many it has room
        self.replaced = 0  # players that died

    def publish(self, release: Release) -> None:
        super().publish(release)
        newest = self._releases[self.version]
        self._published = (msgspec.json.encode(newest.manifest), ray.put(newest.data))

    def wait(self) -> None:
        """Takes what players have finished, and sees to it that they have something to do."""
        self._fill()
        ready, _ = ray.wait(list(self._calls), timeout=TICK)
        for call in ready:
            player, lease = self._calls.pop(call)
            try:
                chunk, rated, counts = ray.get(call)
            except RayActorError:  # its process or machine is gone; so are the other call it had, and its open games
                self._calls = {other: whose for other, whose in self._calls.items() if whose[1] != lease}
                self.replaced += 1
                continue
            except RayError as error:
                raise RunError(f"a player on the cluster failed: {str(error).splitlines()[-1]}") from None
            did = {name: counts[name] for name in REPORTED}
            try:
                if chunk is not None:
                    self.push(WORKER, chunk, lease)
                games = msgspec.json.decode(rated, type=RatedGames) if rated else None
                orders = self.report(WORKER, Report(lease, self.version, free=True, rated=games, **did))
            except HubRefusedError as error:
                raise RunError(f"games of the cluster were refused: {error}") from None
            if orders.match is None:
                self._call(player, lease)
            else:
                self._calls[self._rate(player, orders.match)] = (player, lease)

    def _rate(self, player: Any, match: RatingMatch) -> Any:
        hashes = [each.sha256 for each in (match.first, match.second) if each.sha256 is not None]
        return player.rate.remote(msgspec.json.encode(match), {sha256: self.network(sha256) for sha256 in hashes})

    def _fill(self) -> None:
        """As many players as the cluster has room for: it may grow, shrink, or lose some."""
        busy = len({lease for _, lease in self._calls.values()})
        if busy >= self._room > 0 and time.monotonic() - self._looked < LOOK_EVERY:
            return
        self._looked = time.monotonic()
        self._room = max(1, int(ray.cluster_resources().get("CPU", 0)) // self._cpus)
        for _ in range(self._room - busy):
            lease, first_game = self.ledger.add_lease(WORKER, 0)
            player = self._remote.remote(first_game, self._device, self._cpus)
            for _ in range(CALLS):
                self._call(player, lease)

    def _call(self, player: Any, lease: int) -> None:
        assert self._published is not None
        seconds = max(CALL_SECONDS, self._room / CALLS_PER_SECOND)
        self._calls[player.play.remote(*self._published, seconds)] = (player, lease)

    def close(self) -> None:
        ray.shutdown()
        super().close()
