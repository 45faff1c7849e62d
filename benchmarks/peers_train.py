"""Connect4, trained for the same time on the same cores by Tengen and by a Gumbel AlphaZero on pgx and mctx.

    python benchmarks/peers_train.py --minutes 15                   clean only on a quiet machine
    python benchmarks/peers_train.py --cpu-minutes 30               as much processor time, on a busy one
    python benchmarks/peers_train.py --cpu-minutes 4 --only pgx --peer channels=64 sims=64

The two train one after the other, each in a process of its own, on the first two cores that it may use. Then both are
asked for a move in the project's own 1,800 labelled positions, by the network alone and with a search of 100
simulations, and they meet in paired games at as many simulations. Compiling does not count against the peer. What was
trained stays in --folder; running again trains only what is missing there. The peer: pgx_alphazero.py.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from pgx_alphazero import Peer, PeerConfig, PeerPlayer

from tengen import games
from tengen.play.arena import draw_openings, play_match
from tengen.play.players import Player, make_player
from tengen.play.scorecard import Positions, choose_moves, judge_moves, own_positions

CORES = 2
SLOTS = 128  # games and positions side by side
TRAINERS = ("tengen", "pgx")
RULES = ("gumbel", "puct")  # of the peer's search when it plays: mctx has both, and the better one counts
# What the peer does not have: with these settings Tengen searches as it does, and the rules prove nothing.
SEARCH_ONLY = ["search.prove_nodes=0", "search.lookahead=0", "search.solver=off"]
GAME = games.make("connect4")


@dataclass
class Budget:
    """Minutes on the wall, or of processor time of this process, from `begin` on."""

    minutes: float
    of_cpu: bool

    def begin(self) -> None:
        self._wall, self._cpu = time.monotonic(), time.process_time()

    @property
    def wall(self) -> float:
        return (time.monotonic() - self._wall) / 60

    @property
    def cpu(self) -> float:
        return (time.process_time() - self._cpu) / 60

    @property
    def spent(self) -> float:
        return self.cpu if self.of_cpu else self.wall

    def progress(self) -> float:
        return self.spent / self.minutes

    def report(self) -> dict[str, float]:
        return {"wall_minutes": round(self.wall, 2), "cpu_minutes": round(self.cpu, 2)}


def train_tengen(folder: Path, budget: Budget, seed: int) -> dict[str, float]:
    """With the preset, as `tengen train connect4`, only that strength is not measured on the way."""
    from tengen.run.folder import RunDirectory
    from tengen.run.settings import RunConfig
    from tengen.train.loop import Trainer

    class Budgeted(Trainer):
        @property
        def minutes(self) -> float:
            return budget.spent

    run = RunDirectory(folder / "tengen")
    with run.locked():
        run.configure(RunConfig.of(GAME).with_values({"loop": {"minutes": budget.minutes, "seed": seed}}))
        budget.begin()
        trainer = Budgeted(run, lambda event: None)
        trainer.train()
    done = trainer.hub.counts()
    return {"games": done["games"], "positions": done["positions"], "updates": trainer.learner.step}


def train_pgx(folder: Path, budget: Budget, config: PeerConfig) -> dict[str, float]:
    peer, begun = Peer(config), False

    def progress() -> float:
        nonlocal begun
        if not begun:  # everything is compiled now
            budget.begin()
            begun = True
        return budget.progress()

    done = peer.train(progress, lambda line: print(f"  {line}", file=sys.stderr, flush=True))
    np.savez(folder / "pgx.npz", *[np.asarray(array) for array in peer.jax.tree_util.tree_leaves(peer.model)])
    return done


def load_pgx(folder: Path, config: PeerConfig) -> Peer:
    peer, tree = Peer(config), Any
    with np.load(folder / "pgx.npz", allow_pickle=False) as arrays:
        tree = peer.jax.tree_util.tree_structure(peer.model)
        peer.model = peer.jax.tree_util.tree_unflatten(tree, [arrays[name] for name in arrays.files])
    return peer


def train_here(name: str, folder: Path, budget: Budget, config: PeerConfig) -> None:
    """One trainer, in this process; what it did goes into the folder."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    done = train_tengen(folder, budget, config.seed) if name == "tengen" else train_pgx(folder, budget, config)
    about = {"budget": asdict(budget), **budget.report(), **done, "config": asdict(config) if name == "pgx" else {}}
    (folder / f"{name}.json").write_text(json.dumps(about))


def timed(choose: Callable[[], Any], positions: int) -> tuple[Any, float]:
    """What it returns, and processor time per position in milliseconds."""
    before = time.process_time()
    moves = choose()
    return moves, 1000 * (time.process_time() - before) / positions


def mistakes(positions: Positions, moves: Any) -> float:
    """Share of all positions in which the move gives away a win or a draw."""
    return 1 - judge_moves(positions, np.asarray(moves, np.int64)).value_keeping


def tengen_player(folder: Path, settings: list[str], seed: int = 0) -> Player:
    return make_player(f"net:{folder / 'tengen' / 'current.onnx'}", GAME, slots=SLOTS, seed=seed, settings=settings)


def score_tengen(folder: Path, positions: Positions, sims: int) -> dict[str, float]:
    rows = {}
    for name, settings in (("", SEARCH_ONLY), (" as it plays", [])):
        player = tengen_player(folder, settings)
        if not name:
            rows["network alone"] = mistakes(positions, choose_moves(player, positions, 0))
        moves, cost = timed(lambda player=player: choose_moves(player, positions, sims), len(positions))  # type: ignore[misc]
        rows[f"{sims} simulations{name}"], rows[f"ms per move{name}"] = mistakes(positions, moves), cost
    return rows


def score_pgx(peer: Peer, positions: Positions, sims: int) -> dict[str, float]:
    rows = {"network alone": mistakes(positions, peer.choose(positions.states, 0))}
    for rule in RULES:
        peer.choose(positions.states[:1], sims, rule)  # compiles
        choose = lambda rule=rule: peer.choose(positions.states, sims, rule)  # noqa: E731
        moves, rows[f"ms per move, {rule}"] = timed(choose, len(positions))
        rows[f"{sims} simulations, {rule}"] = mistakes(positions, moves)
    return rows


def play(folder: Path, peer: Peer, sims: int, rule: str, pairs: int) -> dict[str, dict[str, float]]:
    """Tengen's points in paired games from openings drawn at random."""
    openings, results = draw_openings(GAME, pairs), {}
    for name, settings in (("search only", SEARCH_ONLY), ("as it plays", [])):
        ours = tengen_player(folder, [*settings, f"search.sims={sims}"], seed=1)
        match = play_match(GAME, ours, PeerPlayer(peer, sims, rule), openings, slots=SLOTS)
        result = match.pairs.summary()
        results[name] = {"games": 2 * pairs, "score": result.score, "low": result.low, "high": result.high}
    return results


def changed_config(config: PeerConfig, settings: list[str]) -> PeerConfig:
    """The peer's sizes with NAME=VALUE changes. Raises ValueError."""
    kinds = {field.name: type(getattr(config, field.name)) for field in fields(config)}
    told = [text.partition("=") for text in settings]
    if unknown := [name for name, _, _ in told if name not in kinds]:
        raise ValueError(f"unknown size {unknown[0]!r}; sizes are {', '.join(kinds)}")
    return replace(config, **{name: kinds[name](value) for name, _, value in told})


def table(report: dict[str, Any]) -> str:
    """For people: one line per figure, Tengen beside the peer."""
    lines = [f"{'':<32}{'Tengen':>12}{'pgx + mctx':>12}"]
    done, scores = report["trained"], report["mistakes"]
    for name in ("wall_minutes", "cpu_minutes", "games", "positions", "updates"):
        lines.append(f"{name:<32}" + "".join(f"{done.get(who, {}).get(name, '–'):>12}" for who in TRAINERS))
    for who in TRAINERS:
        for name, value in scores.get(who, {}).items():
            shown = f"{value:.2f}" if name.startswith("ms") else f"{value:.1%}"
            lines.append(f"{name:<32}" + (f"{shown:>12}" if who == "tengen" else f"{'':12}{shown:>12}"))
    for name, result in report.get("match", {}).items():
        told = f"{result['score']:.1%} ({result['low']:.1%} … {result['high']:.1%}) of {result['games']} games"
        lines.append(f"Tengen's score, {name}: {told}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=15.0, help="of training on the wall (default %(default)s)")
    parser.add_argument("--cpu-minutes", type=float, help="of training in processor time of all cores, instead")
    parser.add_argument("--folder", type=Path, default=Path("build/peers"))
    parser.add_argument("--only", choices=TRAINERS)
    parser.add_argument("--peer", nargs="+", default=[], metavar="NAME=VALUE", help="sizes of the peer")
    parser.add_argument("--sims", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=200, help="of games in the match (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--train-here", choices=TRAINERS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    try:
        config = changed_config(PeerConfig(seed=args.seed), args.peer)
    except ValueError as error:
        parser.error(str(error))
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.train_here:
        budget = Budget(args.cpu_minutes or args.minutes, of_cpu=args.cpu_minutes is not None)
        train_here(args.train_here, args.folder, budget, config)
        return
    wanted = [args.only] if args.only else list(TRAINERS)
    for name in wanted:
        if not (args.folder / f"{name}.json").exists():
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--train-here", name], check=True)
    trained = {name: json.loads((args.folder / f"{name}.json").read_text()) for name in wanted}
    report: dict[str, Any] = {"trained": trained}
    positions = Positions.join("all", own_positions(GAME))
    report["mistakes"] = {}
    if "tengen" in wanted:
        report["mistakes"]["tengen"] = score_tengen(args.folder, positions, args.sims)
    if "pgx" in wanted:
        peer = load_pgx(args.folder, PeerConfig(**report["trained"]["pgx"]["config"]))
        report["mistakes"]["pgx"] = scores = score_pgx(peer, positions, args.sims)
        if "tengen" in wanted:
            best = min(RULES, key=lambda rule: scores[f"{args.sims} simulations, {rule}"])
            report["match"] = play(args.folder, peer, args.sims, best, args.pairs)
    (args.folder / "report.json").write_text(json.dumps(report, indent=2))
    print(table(report))


if __name__ == "__main__":
    main()
