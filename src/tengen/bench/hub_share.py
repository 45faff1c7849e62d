"""What a hub and Ray cost beside those who play: the share of CPU seconds that is spent neither playing nor learning.

Real players, with the preset of Connect4 and a network of its size, play for a hub that takes their games and does
nothing with them. What the referee searches again is left out: how much that is, is a setting.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

from tengen import games
from tengen.bench.hub import make_bench_network
from tengen.bench.measure import Row, row
from tengen.hub.desk import Desk
from tengen.hub.protocol import Release
from tengen.net.file import NetworkFile
from tengen.run.folder import RunDirectory
from tengen.run.settings import RunConfig

GAME = "connect4"
WORKERS = 2  # one thread each
START_SECONDS = 20.0  # in which players load what they need: that is not counted


def measure_shares(seconds: float) -> list[Row]:
    """Raises NetworkError."""
    config = RunConfig.of(games.make(GAME)).with_settings(["loop.slots=64", "loop.threads=1"])
    network = make_bench_network(GAME, config.loop.size)
    shares = {"HTTP hub": _http}
    if find_spec("ray"):
        shares["Ray"] = _ray
    rows = []
    for name, target in shares.items():
        with tempfile.TemporaryDirectory() as folder:
            run = RunDirectory(Path(folder) / "run")
            with run.locked():
                run.configure(config)
            ours, theirs = multiprocessing.get_context("spawn").Pipe()
            process = multiprocessing.get_context("spawn").Process(
                target=target, args=(run.path, network.data, seconds, theirs)
            )
            process.start()
            overhead, playing = ours.recv()
            process.join()
        rows.append(row(f"{name}: share of CPU that is not playing", 100 * overhead / (overhead + playing), "%"))
        rows.append(row(f"{name}: CPU that is not playing", 1000 * overhead / seconds, "ms/s"))
        rows.append(row(f"{name}: CPU of players", 1000 * playing / seconds, "ms/s"))
    return rows


def _http(path: Path, network: bytes, seconds: float, pipe: Connection) -> None:
    from tengen.hub.service import HttpHub
    from tengen.hub.tokens import add_token

    run = RunDirectory(path)
    hub = HttpHub(run, 0, "cpu")
    hub.trusting = True
    token = path / "token"
    token.write_text(add_token(hub.ledger, "bench"))
    _publish(hub, run, network)
    command = [sys.executable, "-m", "tengen", "worker", f"http://127.0.0.1:{hub.port}", "--token-file", str(token)]
    command += ["--spool", str(path / "spool"), "--threads", "1", "--device", "cpu"]
    workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(WORKERS)]
    pids = {worker.pid for worker in workers}
    pipe.send(_measure(hub, seconds, lambda pid, _: pid in pids))
    for worker in workers:
        worker.send_signal(signal.SIGTERM)
    for worker in workers:
        worker.wait()
    hub.close()


def _ray(path: Path, network: bytes, seconds: float, pipe: Connection) -> None:
    from tengen.hub.ray import RayHub

    run = RunDirectory(path)
    hub = RayHub(run, 0, "cpu")
    _publish(hub, run, network)
    pipe.send(_measure(hub, seconds, lambda _, command: "RayPlayer" in command))
    hub.close()


def _publish(hub: Desk, run: RunDirectory, network: bytes) -> None:
    config, file = run.config(), NetworkFile.parse(network)
    settings = (config.search, config.selfplay, config.loop.seed, config.loop.slots)
    hub.publish(Release.of(GAME, file.hash, network, *settings))


def _measure(hub: Desk, seconds: float, plays: Callable[[int, str], bool]) -> tuple[float, float]:
    """CPU seconds of this process and its offspring within some time: of who does not play, and of who does."""
    _gather_for(hub, START_SECONDS)
    before = _cpu_seconds()
    _gather_for(hub, seconds)
    spent = {who: now - before.get(who, 0.0) for who, now in _cpu_seconds().items()}
    playing = sum(cpu for (pid, command), cpu in spent.items() if plays(pid, command))
    return sum(spent.values()) - playing, playing


def _gather_for(hub: Desk, seconds: float) -> None:
    end = time.monotonic() + seconds
    hub.gather(lambda _: time.monotonic() >= end)


def _cpu_seconds() -> dict[tuple[int, str], float]:
    """Of this process and all that it has started, by number and command; from /proc."""
    found: dict[int, tuple[int, str, float]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended meanwhile
            continue
        cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        found[int(folder.name)] = (int(fields[1]), command, cpu)
    family, size = {os.getpid()}, 0
    while len(family) > size:
        size = len(family)
        family |= {pid for pid, (parent, _, _) in found.items() if parent in family}
    return {(pid, found[pid][1]): found[pid][2] for pid in family}
