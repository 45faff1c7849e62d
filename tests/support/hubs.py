"""Hubs, players and bad lines for tests: everything real, on loopback."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from support.networks import make_test_network
from support.training import GAME, tiny_run
from tengen.hub.desk import Desk
from tengen.hub.http import HttpLink
from tengen.hub.protocol import Release
from tengen.hub.service import HttpHub
from tengen.hub.tokens import add_token
from tengen.hub.worker import Worker
from tengen.net.evaluator import make_evaluator
from tengen.net.file import NetworkFile
from tengen.net.tower.export import to_onnx
from tengen.records import GameRecord
from tengen.records.selfplay import Actor, Counts
from tengen.run.folder import RunDirectory

SLOWLY = ["search.sims=40", "search.cache_mb=0", "loop.slots=4"]  # or a tiny game is played faster than it is checked
PATIENCE = 120.0  # seconds after which a test that waits gives up


@lru_cache
def network(seed: int = 0) -> NetworkFile:
    return to_onnx(make_test_network(GAME, "8x1", seed=seed), GAME, seed)


def release(run: RunDirectory, seed: int = 0) -> Release:
    """A network, and how the run plays."""
    config, file = run.config(), network(seed)
    return Release.of(
        GAME.id, file.hash, file.data, config.search, config.selfplay, config.loop.seed, config.loop.slots
    )


@contextlib.contextmanager
def http_hub(path: Path, port: int = 0, **options: Any) -> Iterator[HttpHub]:
    """A hub that has released a network; its run is made if need be."""
    run = RunDirectory(path) if (path / "run.toml").exists() else tiny_run(path, SLOWLY)
    hub = HttpHub(run, 0, port=port, **options)
    try:
        hub.publish(release(run))
        yield hub
    finally:
        hub.close()


def some_games(desk: Desk, worker: str, count: int) -> tuple[list[GameRecord], int]:
    """Games that a worker has played, without a wire; and its lease."""
    offer = desk.pull(worker, None)
    assert offer is not None
    search, selfplay = offer.release.configs()
    actor = Actor(GAME, search, selfplay, slots=8, seed=0, threads=1, first_game=offer.lease.first_game)
    actor.set_evaluator(make_evaluator(network(), GAME, "cpu", 1), network().hash)
    return actor.play(lambda counts: counts["games"] >= count)[:count], offer.lease.id


def token_of(desk: Desk, name: str = "w") -> str:
    return add_token(desk.ledger, name)


@contextlib.contextmanager
def player(url: str, token: str, folder: Path, every: float = 0.2) -> Iterator[Worker]:
    """A worker in a thread of its own, stopped at the end."""
    link, stop, said = HttpLink(url, token, folder / "networks"), threading.Event(), list[str]()
    worker = Worker(link, folder, device="cpu", threads=1, memory=1 << 30, every=every, stop=stop, say=said.append)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield worker
    finally:
        stop.set()
        thread.join()
    taken_up = [words for words in said if words.startswith("plays")]
    assert len(set(taken_up)) == len(taken_up), "a release was taken up twice"


def gather(hub: Desk, enough: Callable[[list[GameRecord]], bool]) -> list[GameRecord]:
    """Games as they come until they are enough."""
    found: list[GameRecord] = []
    end = time.monotonic() + PATIENCE
    while not enough(found):
        before = hub.counts()["games"]

        def done(counts: Counts, before: int = before) -> bool:
            return counts["games"] > before or time.monotonic() > end

        found += hub.gather(done)
        assert time.monotonic() < end, f"only {len(found)} games came"
    return found


def patiently(holds: Callable[[Counts], bool]) -> Callable[[Counts], bool]:
    """What `gather` waits for, but not for ever."""
    end = time.monotonic() + PATIENCE

    def done(counts: Counts) -> bool:
        assert time.monotonic() < end, f"it did not come to that: {counts}"
        return holds(counts)

    return done


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)


class BadLine(threading.Thread):
    """A proxy that cuts connections after some bytes, in turn early and late, or (None) after a second; and that may
    hold everything back for a while."""

    def __init__(self, port: int, cuts: list[int | None], delay: float = 0.0) -> None:
        super().__init__(daemon=True)
        self._target, self._cuts, self._delay = port, cuts, delay
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.connections = 0
        self._mended = False
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                cut = None if self._mended else self._cuts[self.connections % len(self._cuts)]
                self.connections += 1
                threading.Thread(target=self._carry, args=(client, cut), daemon=True).start()

    def _carry(self, client: socket.socket, cut: int | None) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self._target), timeout=10)
        except OSError:
            client.close()
            return
        left = [cut if cut is not None else 1 << 60]

        def cut_now() -> None:
            for end in (client, server):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

        def copy(source: socket.socket, sink: socket.socket) -> None:
            with contextlib.suppress(OSError):
                while data := source.recv(min(65536, max(1, left[0]))):
                    time.sleep(self._delay)
                    sink.sendall(data)
                    left[0] -= len(data)
                    if left[0] <= 0:
                        break
            cut_now()

        if cut is None and not self._mended:
            threading.Timer(1.0, cut_now).start()
        threading.Thread(target=copy, args=(client, server), daemon=True).start()
        copy(server, client)

    def mend(self) -> None:
        """Connections from now on are good ones."""
        self._mended, self._delay = True, 0.0

    def close(self) -> None:
        """Also wakes the thread that waits for connections; closing alone would not."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.join()
