"""`tengen bench`: speeds, each next to a peer measured in the same run; `--signature`: one integer for the search."""

import argparse
import json
import sys
from collections.abc import Callable

from tengen.bench import app, claims, games, hub, hub_share, network, peers, rules, search, selfplay
from tengen.bench.measure import Row
from tengen.bench.signature import signature
from tengen.cli import UsageError, Verbs, add_verb, number
from tengen.config import did_you_mean
from tengen.games import sources

EXAMPLE = """example: tengen bench rules                  every game, beside OpenSpiel
         tengen bench rules --game go:9 --seconds 5 --json
         tengen bench search --only batch rollouts
         tengen bench network --size 3 --threads 1
         tengen bench selfplay --game othello --game go:9
         tengen bench selfplay --game gomoku:15 --size 64x5
         tengen bench games --game ./connect4.py --game "openspiel:breakthrough(rows=6,columns=6)"
         tengen bench app
         tengen bench hub --workers 1000 --seconds 120
         tengen bench --signature --threads 4

`rules` counts the plies of uniformly random games per second of one thread's CPU time. OpenSpiel plays its games
in its own C++ (the rollouts of its MCTS bot), so neither side pays for Python.
`search` measures, in this order and each with --only NAME: batch (Connect4 beside mctx), rollouts (pure MCTS beside
OpenSpiel's), growth (one tree up to ten million nodes), share, leaves, reuse, fpu, mlh (what these options are worth),
reference (equal to the naive search). Wants a quiet machine; takes some minutes.
`network` counts positions per second at batches of 1, 8, 64 and 256, with a fresh network (weights do not change its
speed), in float32 and in 8 bits, beside PyTorch as it comes. With --threads 1 it counts seconds of CPU time, which a
busy machine disturbs little.
`selfplay` sets what self-play gets out of the network beside the bare network's speed at the same batch: evaluations,
and simulations, of which many are answered by the cache, the rules or a proof.
`games` says what rules from outside the core cost: search beside a built-in game, on two threads and beside other
Python code; OpenSpiel's games beside its own search; and self-play beside the bare network.
`app` measures the page in a browser: what it loads first, how soon it shows a board, an update of the analysis, and a
node of a large tree.
`hub` sets simulated workers (a report every 30 s, a chunk a minute) against a real hub: how long it takes to answer,
what is lost, what it costs; and real players, to see how much of the CPU a hub and Ray take beside them.
--signature prints one integer that changes when any result of the search changes."""

SEARCH_PARTS: dict[str, Callable[[float], list[Row]]] = {
    "batch": search.batch_rows,
    "rollouts": search.rollout_rows,
    "growth": search.growth_rows,
    "share": claims.share_rows,
    "leaves": claims.leaves_rows,
    "reuse": claims.reuse_rows,
    "fpu": claims.fpu_rows,
    "mlh": claims.mlh_rows,
    "reference": claims.reference_rows,
}


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "bench", "measure speeds next to other programs", EXAMPLE, run)
    parser.add_argument(
        "what",
        metavar="WHAT",
        nargs="?",
        default="rules",
        choices=["rules", "search", "selfplay", "network", "games", "hub", "app"],
        help="rules, search, selfplay, network, games, hub or app",
    )
    parser.add_argument(
        "--game",
        action="append",
        metavar="GAME",
        help="rules, selfplay, network, games: only this game (may be repeated)",
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help=f"search: only these parts ({', '.join(SEARCH_PARTS)})"
    )
    seconds = number(float, 0.01, 3600, "a number of seconds from 0.01 to 3600")
    parser.add_argument("--seconds", type=seconds, default=2.0, help="per measurement and program (default 2)")
    parser.add_argument("--signature", action="store_true", help="print the search's signature")
    threads = number(int, 0, 1024, "a number of threads from 0 (one per core) to 1024")
    parser.add_argument(
        "--threads", type=threads, default=0, help="of selfplay, network and --signature (default: one per core)"
    )
    workers = number(int, 1, 100_000, "a number of workers from 1 to 100000")
    parser.add_argument("--workers", type=workers, default=1000, help="hub: how many are simulated (default 1000)")
    parser.add_argument(
        "--size",
        help="network, selfplay: 1 to 6, or CHANNELSxBLOCKS, of a fresh network (default 2; selfplay: the one that "
        "ships, or 64x5)",
    )


def run(args: argparse.Namespace) -> int:
    if args.signature:
        value = signature(args.threads)
        print(json.dumps({"signature": value}) if args.json else value)
        return 0
    rows = list[Row]()
    for measure in measurements(args):
        part = measure()
        rows += part
        if not args.json:
            show(part)
    if args.json:
        print(json.dumps(rows, indent=2))
    for hint in hints(args.what):
        print(hint, file=sys.stderr)
    return 0


def measurements(args: argparse.Namespace) -> list[Callable[[], list[Row]]]:
    if args.only and args.what != "search":
        raise UsageError("--only belongs to tengen bench search")
    if args.size and args.what not in ("network", "selfplay"):
        raise UsageError("--size belongs to tengen bench network and selfplay")
    if args.what == "network":
        return [lambda: network.measure_networks(args.game, args.size or "2", args.seconds, args.threads)]
    if args.what == "hub":
        return [lambda: hub.measure_hub(args.workers, args.seconds), lambda: hub_share.measure_shares(args.seconds)]
    if args.what == "selfplay":
        return [lambda: selfplay.measure_selfplay(args.game, args.size, args.seconds, args.threads)]
    if args.what == "app":
        return [lambda: app.measure_app(args.seconds)]
    if args.what == "games":
        ids = args.game or [sources.load(games.DEFAULT).id]
        return [lambda: games.measure_games(ids, args.seconds)]
    if args.what == "rules":
        return [lambda: rules.measure_rules(args.game, args.seconds)]
    if args.game:
        raise UsageError(
            "--game belongs to tengen bench rules, selfplay, network and games; for search there is --only"
        )
    for name in args.only or ():
        if name not in SEARCH_PARTS:
            known = ", ".join(SEARCH_PARTS)
            raise UsageError(f"unknown part {name!r}{did_you_mean(name, SEARCH_PARTS)}; the parts are {known}")
    chosen = [part for name, part in SEARCH_PARTS.items() if not args.only or name in args.only]
    return [lambda part=part: part(args.seconds) for part in chosen]  # type: ignore[misc]


def hints(what: str) -> list[str]:
    found = list[str]()
    if what in ("selfplay", "network", "games", "hub"):
        return found
    if what == "app":
        return (
            []
            if app.can_browse()
            else ["no browser to measure the page in: pip install playwright; apt install chromium"]
        )
    if peers.load("pyspiel") is None:
        found.append("OpenSpiel is not installed; to compare with it: pip install 'tengen[openspiel]'")
    if what == "search" and any(peers.load(module) is None for module in ("jax", "mctx", "pgx")):
        found.append("mctx, pgx and JAX are not all installed; to compare with them: pip install 'tengen[bench]'")
    return found


def show(rows: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("", box=None, header_style="bold", pad_edge=False)
    for heading in ("tengen", "unit", "peer's", "ratio", "peer"):
        table.add_column(heading, justify="left" if heading in ("unit", "peer") else "right")
    for row in rows:
        peer_value = "–" if row["peer_value"] is None else f"{row['peer_value']:,}"
        ratio = f"{row['ratio']:.2f}" if row["ratio"] else "–"
        table.add_row(row["name"], f"{row['value']:,}", row["unit"], peer_value, ratio, row["peer"] or "")
    Console(highlight=False, width=None if sys.stdout.isatty() else 160).print(table)
