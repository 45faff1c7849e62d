"""What one hub holds: many simulated workers against a real hub in a process of its own, on loopback.

A simulated worker does what a real one does on the wire, a report every thirty seconds and a chunk every minute, and
the games in its chunks are real ones of its own lease, played beforehand. Only playing itself is left out.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import multiprocessing
import resource
import tempfile
import time
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

import httpx
import msgspec
import numpy as np

from tengen import games
from tengen.bench.measure import Row, row
from tengen.hub.protocol import PROGRAM, Offer, Release, Report
from tengen.net.evaluator import make_evaluator
from tengen.net.file import NetworkError, NetworkFile
from tengen.records import GameRecord, encode_chunk
from tengen.records.selfplay import Actor
from tengen.records.store import ChunkStore
from tengen.run.folder import RunDirectory
from tengen.run.settings import RunConfig

GAME = "tictactoe"
REPORT_EVERY, CHUNK_EVERY = 30.0, 60.0
GAMES_PER_CHUNK = 20
TURN = 1.0  # seconds after which the hub's loop takes what has come
AT_ONCE = 64  # requests of this machine's under way
PER_TOKEN = 1000  # workers: half of the leases that a hub lets one token use

Latencies = dict[str, list[float]]


def measure_hub(workers: int, seconds: float) -> list[Row]:
    """Raises NetworkError."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory(Path(folder) / "run")
        with run.locked():
            run.configure(RunConfig.of(games.make(GAME)).with_settings(["search.sims=4", "selfplay.fast_sims=2"]))
        network = make_bench_network(GAME, "8x1")
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        hub = multiprocessing.get_context("spawn").Process(target=_serve, args=(run.path, network.data, theirs))
        hub.start()
        try:
            ours.send(math.ceil(workers / PER_TOKEN))
            port, tokens = ours.recv()
            latencies, sent, memory = asyncio.run(_load(port, tokens, network, workers, seconds, ours))
            ours.send("end")
            cpu, last_memory = ours.recv()
        finally:
            hub.join(20)
            hub.kill()
        kept = sum(len(found) for _, found in ChunkStore(run.games).read(lambda *_: None))
    return _rows(workers, latencies, sent, kept, cpu, last_memory - memory)


def _rows(workers: int, latencies: Latencies, sent: int, kept: int, cpu: float, grown: float) -> list[Row]:
    name = f"hub, {workers} workers"
    rows = [
        row(f"{name}: {verb}, {share:.0%} are faster than", 1000 * float(np.quantile(times, share)), "ms")
        for verb, times in latencies.items()
        for share in (0.5, 0.99)
    ]
    requests = sum(len(times) for verb, times in latencies.items() if verb != "pull")
    return [
        *rows,
        row(f"{name}: games sent", sent, "games"),
        row(f"{name}: games lost", sent - kept, "games"),
        row(f"{name}: CPU of the hub per report or chunk", 1000 * cpu / max(1, requests), "ms"),
        row(f"{name}: memory grown in the second half", grown, "MB"),
    ]


def _serve(path: Path, network: bytes, pipe: Connection) -> None:
    """The hub's process: answers, and gathers as a loop would that learns in no time."""
    from tengen.hub.service import HttpHub
    from tengen.hub.tokens import add_token

    run = RunDirectory(path)
    config, file = run.config(), NetworkFile.parse(network)
    hub = HttpHub(run, 0, "cpu")
    hub.publish(Release.of(GAME, file.hash, network, config.search, config.selfplay, config.loop.seed, 8))
    pipe.send((hub.port, [add_token(hub.ledger, f"bench{number}") for number in range(pipe.recv())]))
    began = 0.0
    while True:
        while not pipe.poll():
            turn = time.monotonic() + TURN
            hub.gather(lambda _, turn=turn: pipe.poll() or time.monotonic() >= turn)  # type: ignore[misc]
        match pipe.recv():
            case "begin":
                began = time.process_time()
            case "memory":
                pipe.send(_memory())
            case "end":
                pipe.send((time.process_time() - began, _memory()))
                break
    hub.close()


def _memory() -> float:
    """In use now, in MB; where the system does not tell, the most that ever was."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


async def _load(
    port: int, tokens: list[str], network: NetworkFile, workers: int, seconds: float, hub: Connection
) -> tuple[Latencies, int, float]:
    """All workers take a lease; then each reports and sends chunks at its times."""
    latencies: Latencies = {"pull": [], "report": [], "push": []}
    limits = httpx.Limits(max_connections=AT_ONCE)
    url = f"http://127.0.0.1:{port}/v1"
    headers = [{"Authorization": f"Bearer {token}", "X-Tengen-Version": PROGRAM} for token in tokens]
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=60) as client:

        async def ask(number: int, verb: str, method: str, path: str, body: bytes) -> bytes:
            began = time.perf_counter()
            answer = await client.request(method, path, content=body, headers=headers[number // PER_TOKEN])
            latencies[verb].append(time.perf_counter() - began)
            answer.raise_for_status()
            return answer.content

        pulled = [await ask(number, "pull", "POST", "/pull", b"{}") for number in range(workers)]
        offers = [msgspec.json.decode(each, type=Offer) for each in pulled]
        records = _play(offers, network, math.ceil(seconds / CHUNK_EVERY))
        began = time.monotonic()

        async def at(moment: float, number: int, verb: str, method: str, path: str, body: bytes) -> None:
            await asyncio.sleep(max(0.0, began + moment - time.monotonic()))
            await ask(number, verb, method, path, body)

        tasks, sent = [], 0
        for number, offer in enumerate(offers):
            report = msgspec.json.encode(Report(offer.lease.id, offer.release.version))
            for moment in np.arange(REPORT_EVERY * number / workers, seconds, REPORT_EVERY):
                tasks.append(at(float(moment), number, "report", "POST", "/report", report))
            for turn, moment in enumerate(np.arange(CHUNK_EVERY * number / workers, seconds, CHUNK_EVERY)):
                chunk = encode_chunk(records[number][turn])
                path = f"/chunks/{hashlib.sha256(chunk).hexdigest()}?lease={offer.lease.id}"
                tasks.append(at(float(moment), number, "push", "PUT", path, chunk))
                sent += len(records[number][turn])
        hub.send("begin")
        began = time.monotonic()
        halves = asyncio.gather(*tasks)
        await asyncio.sleep(seconds / 2)
        hub.send("memory")
        while not hub.poll():
            await asyncio.sleep(0.05)
        memory = float(hub.recv())
        await halves
    return latencies, sent, memory


def _play(offers: list[Offer], network: NetworkFile, chunks: int) -> list[list[list[GameRecord]]]:
    """For each lease, games enough for some chunks."""
    game = games.make(GAME)
    evaluator = make_evaluator(network, game, "cpu", 1)
    search, selfplay = offers[0].release.configs()
    found = []
    for offer in offers:
        actor = Actor(game, search, selfplay, slots=8, threads=1, first_game=offer.lease.first_game)
        actor.set_evaluator(evaluator, network.hash)
        records = actor.play(lambda counts: counts["games"] >= chunks * GAMES_PER_CHUNK)
        found.append([records[i * GAMES_PER_CHUNK : (i + 1) * GAMES_PER_CHUNK] for i in range(chunks)])
    return found


def make_bench_network(game_id: str, size: str) -> NetworkFile:
    """One with random weights. Raises NetworkError."""
    if not find_spec("torch"):
        raise NetworkError("making a network to measure needs torch; pip install 'tengen[train]'")
    from tengen.net.shape import NetworkShape
    from tengen.net.tower.export import to_onnx
    from tengen.net.tower.model import make_network

    game = games.make(game_id)
    return to_onnx(make_network(NetworkShape.of(game, size)), game)
