"""Does it matter who plays? The same short training of Connect4 by this process, by workers over HTTP, on a Ray
cluster of two nodes, and over HTTP with one worker in five making its searches up.

    python benchmarks/who_plays.py --steps 1000 --seeds 2 --runs /tmp/who
    python benchmarks/who_plays.py --only http ray --seeds 1 --runs /tmp/who

A run's figures are its network's shares of mistakes in the positions of `tengen score connect4`: of the network alone,
and with 100 simulations. `clean` and `liar` have five workers each.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from tengen import games
from tengen.hub.ledger import Ledger
from tengen.hub.local import LocalHub
from tengen.hub.service import HttpHub
from tengen.hub.tokens import add_token
from tengen.play.players import make_player
from tengen.play.scorecard import Positions, measure, own_positions
from tengen.records import GameRecord
from tengen.run.events import Event
from tengen.run.folder import RunDirectory
from tengen.run.report import last_turn
from tengen.run.settings import RunConfig
from tengen.train.loop import MakeHub, Trainer

GAME = games.make("connect4")
SMALL = ["loop.size=16x2", "search.sims=64", "search.cache_mb=32", "loop.slots=64", "loop.turn_positions=1024"]
WORKERS = {"http": [False] * 3, "clean": [False] * 5, "liar": [False] * 4 + [True]}
KINDS = ("local", "http", "ray", "clean", "liar")
AT_ONCE = 256


def mistakes(run: RunDirectory, sims: int) -> float:
    """The share of Tengen's 1800 solved positions in which the run's network chooses a move that loses value."""
    player = make_player(f"net:{run.current}", GAME, slots=AT_ONCE, device="cpu")
    return 1 - measure(player, Positions.join("all", own_positions(GAME)), sims, slots=AT_ONCE).value_keeping


@contextmanager
def players(kind: str, run: RunDirectory) -> Iterator[MakeHub]:
    """Whoever plays, as long as this lasts."""
    if kind == "local":
        yield LocalHub
    elif kind == "ray":
        with cluster() as address:
            from tengen.hub.ray import RayHub

            yield partial(RayHub, address=address)
    else:
        yield from workers(WORKERS[kind], run)


def workers(liars: list[bool], run: RunDirectory) -> Iterator[MakeHub]:
    ledger, port, folder = Ledger(run.hub), 18470 + os.getpid() % 1000, run.path.parent
    processes = []
    for number, liar in enumerate(liars):
        name = f"{run.path.name}-{'liar' if liar else 'worker'}{number}"
        token = folder / f"{name}.token"
        token.write_text(add_token(ledger, name))
        command = [sys.executable, __file__, "--worker", f"http://127.0.0.1:{port}", str(token), str(folder / name)]
        processes.append(subprocess.Popen([*command, *(["--liar"] if liar else [])]))
    ledger.close()
    try:
        yield partial(HttpHub, port=port)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


@contextmanager
def cluster() -> Iterator[str]:
    """Two nodes on loopback."""
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "node_ip_address": "127.0.0.1"}
    both = Cluster(initialize_head=True, head_node_args=node | {"include_dashboard": False})
    both.add_node(**node)
    try:
        yield str(both.address)
    finally:
        both.shutdown()


def work(url: str, token: Path, folder: Path, liar: bool) -> None:
    """A worker's process."""
    from tengen.cli.train import stop_on_signals
    from tengen.hub.http import HttpLink
    from tengen.hub.protocol import HubRefusedError
    from tengen.hub.spool import Spool
    from tengen.hub.worker import Worker
    from tengen.hub.worker_bounds import default_memory

    if liar:
        honest = Spool.add
        Spool.add = lambda self, records: honest(self, made_up(records))  # type: ignore[method-assign]
    with stop_on_signals() as stop:
        link = HttpLink(url, token.read_text(), folder / "networks")
        try:
            Worker(link, folder, device="cpu", threads=1, memory=default_memory(), every=1.0, stop=stop.event).run()
        except HubRefusedError as error:
            print(folder.name, error, file=sys.stderr)


def made_up(records: list[GameRecord]) -> list[GameRecord]:
    """Real moves; what the searches found is invented."""
    rng, forged = random.Random(records[0].number), []
    for record in records:
        weights = np.array([rng.random() + 0.01 for _ in record.actions])
        plies = np.repeat(np.arange(len(record)), record.entries)
        target = weights / np.bincount(plies, weights, minlength=len(record))[plies]
        visits = np.maximum(1, target * 40).astype(np.uint32)
        forged.append(replace(record, target=target.astype(np.float32), visits=visits))
    return forged


def train(kind: str, seed: int, steps: int, folder: Path) -> dict[str, float | str]:
    run = RunDirectory(folder / f"{kind}-{seed}")
    settings = [f"loop.steps={steps}", f"loop.seed={seed}", "loop.threads=1", "measure.every=1000", *SMALL]
    events: list[Event] = []
    began = time.monotonic()
    with run.locked():
        run.configure(RunConfig.of(GAME).with_settings(settings))
        with players(kind, run) as make_hub:
            Trainer(run, events.append, device="cpu", make_hub=make_hub).train()
    return {
        "kind": kind,
        "seed": seed,
        "steps": events[-1].step,
        "games": (turn.total_games or 0) if (turn := last_turn(events)) else 0,
        "mistakes_alone": mistakes(run, 0),
        "mistakes_100": mistakes(run, 100),
        "seconds": time.monotonic() - began,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--runs", type=Path, default=Path("/tmp/who"))
    parser.add_argument("--worker", nargs=3, metavar=("URL", "TOKEN", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--liar", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return work(args.worker[0], Path(args.worker[1]), Path(args.worker[2]), args.liar)
    args.runs.mkdir(parents=True, exist_ok=True)
    for seed in range(args.seeds):
        for kind in args.only:
            print(json.dumps(train(kind, seed, args.steps, args.runs)), flush=True)


if __name__ == "__main__":
    main()
