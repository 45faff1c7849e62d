"""Does each trick of training pay? Runs that differ in one of them, at equal wall time, several seeds each.

    python benchmarks/ablations.py connect4 --minutes 6 --seeds 2 --runs /tmp/ablations
    python benchmarks/ablations.py connect4 --runs /tmp/ablations --table

Two runs at a time, a core each. What is finished stays finished: the same command goes on. A run's figure is the share
of mistakes that its network makes on Tengen's own Connect4 positions with 100 simulations; the table has the mean over
the seeds and the difference from the preset, seed by seed, with a 95 % interval. Two seeds say little about how much a
variant scatters, so that is estimated from all variants together (Student's t with a degree of freedom for each).
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

PUCT = ["search.rule=puct", "search.noise_epsilon=0.25", "search.temperature_plies=12"]
VARIANTS: dict[str, list[str]] = {
    "the preset": [],
    "values are results (λ = 1)": ["replay.value_lambda=1"],
    "values are half results, half root values": ["replay.value_lambda=0.5"],
    "PUCT root with Dirichlet noise": PUCT,
    "PUCT, playout cap 25 %": [*PUCT, "search.sims=250", "selfplay.full_share=0.25", "selfplay.fast_sims=50"],
    "no moves-left utility": ["search.mlh_slope=0"],
    "no lookahead": ["search.lookahead=0"],
    "no solver": ["search.solver=off", "search.lookahead=0"],
    "no average of weights": ["learner.ema=0"],
    "AdamW alone": ["learner.muon_rate=0"],
    "AdamW alone, batch 256": ["learner.muon_rate=0", "learner.batch=256", "learner.rate=2e-3"],
}
T95 = [math.inf, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23]  # Student's t by degrees of freedom


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=["connect4"])
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--runs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=list(VARIANTS), metavar="VARIANT")
    parser.add_argument("--table", action="store_true", help="only print what is finished")
    args = parser.parse_args()
    if not args.table:
        wanted = [(name, seed) for seed in range(args.seeds) for name in args.only]
        cores: Queue[int] = Queue()
        for core in sorted(os.sched_getaffinity(0)):
            cores.put(core)
        with ThreadPoolExecutor(cores.qsize()) as pool:
            for _ in pool.map(lambda one: measure(args, cores, *one), wanted):
                pass
    print(table(args.runs))


def measure(args: argparse.Namespace, cores: "Queue[int]", name: str, seed: int) -> None:
    """Trains and scores one network, on a core of its own."""
    run = args.runs / f"{list(VARIANTS).index(name):02}-{seed}"
    figure = run / "mistakes.json"
    if figure.exists():
        return
    core = cores.get()
    settings = ["measure.every=1000", *VARIANTS[name]]
    train = ["train", args.game, "--run", str(run), "--seed", str(seed), "--minutes", str(args.minutes)]
    score = ["score", args.game, "--net", str(run / "current.onnx"), "--sims", "100", "--threads", "1", "--json"]
    try:
        tengen(core, [*train, *(word for setting in settings for word in ("--set", setting))])
        result = json.loads(tengen(core, score))
    finally:
        cores.put(core)
    figure.write_text(json.dumps({"name": name, "seed": seed, "score": result}))
    print(f"{name}, seed {seed}: {mistakes(result):.2%}", flush=True)


def tengen(core: int, words: list[str]) -> str:
    command = ["taskset", "-c", str(core), sys.executable, "-m", "tengen", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def mistakes(result: dict[str, float]) -> float:
    return 1 - result["value_keeping"]


def table(runs: Path) -> str:
    """Markdown; the preset first, then what differs from it."""
    found: dict[str, dict[int, float]] = {}
    for file in sorted(runs.glob("*/mistakes.json")):
        one = json.loads(file.read_text())
        found.setdefault(one["name"], {})[one["seed"]] = mistakes(one["score"])
    base = found.get("the preset", {})
    against = {
        name: [value - base[seed] for seed, value in by_seed.items() if seed in base]
        for name, by_seed in found.items()
        if by_seed is not base
    }
    scatter, t95 = pooled([each for each in against.values() if len(each) > 1])
    lines = ["| | mistakes at 100 simulations | more than the preset |", "|---|---|---|"]
    for name, by_seed in found.items():
        told = interval(against[name], scatter, t95) if against.get(name) else ""
        lines.append(f"| {name} | {statistics.mean(by_seed.values()):.2%} | {told} |")
    return "\n".join(lines)


def pooled(groups: list[list[float]]) -> tuple[float, float]:
    """The scatter within groups, estimated from all of them, and Student's t for it."""
    freedom = sum(len(group) - 1 for group in groups)
    squares = sum(statistics.variance(group) * (len(group) - 1) for group in groups)
    return math.sqrt(squares / max(1, freedom)), T95[freedom] if freedom < len(T95) else 2.2


def interval(differences: list[float], scatter: float, t95: float) -> str:
    error = t95 * scatter / math.sqrt(len(differences))
    return f"{100 * statistics.mean(differences):+.2f} ± {100 * error:.2f} points"


if __name__ == "__main__":
    main()
