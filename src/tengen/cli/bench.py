"""`tengen bench`: speeds, each next to a peer measured in the same run."""

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from tengen import games
from tengen.cli import Verbs, add_verb, number
from tengen.cli.bench_network import measure_networks, show_networks
from tengen.cli.slices import ROUNDS, Slices

EXAMPLE = """example: tengen bench rules                  every game, beside OpenSpiel
         tengen bench rules --game go:9 --seconds 5 --json
         tengen bench network --size 3           every backend, beside eager PyTorch

`rules` counts the plies of uniformly random games per second of one thread's CPU time. OpenSpiel plays its games
in its own C++ (the rollouts of its MCTS bot), so neither side pays for Python.

`network` counts positions per second at batches of 1, 8, 64 and 256 on all cores, with a fresh network (speed does
not depend on weights), in float32 and in 8 bits, beside PyTorch as it comes. With
--threads 1 it counts seconds of CPU time, which a busy machine disturbs little."""

# The board that is measured, and OpenSpiel's name for the same game. OpenSpiel stops Go after 2·n² moves unless told
# otherwise, and ends a game on repetition, so its games have a length of their own: `plies_per_game` measures it.
PEERS = {
    "tictactoe": ("tictactoe", "tic_tac_toe"),
    "connect4": ("connect4", "connect_four"),
    "gomoku": ("gomoku:15", "gomoku(size=15)"),
    "othello": ("othello", "othello"),
    "go": ("go:9", "go(board_size=9,komi=6.5,max_game_length=100000)"),
    "hex": ("hex:11", "hex(board_size=11)"),
}
SAMPLE = 1000  # OpenSpiel games played to learn their mean length: within about 1 %


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "bench", "measure speeds next to other programs", EXAMPLE, run)
    parser.add_argument(
        "what",
        metavar="WHAT",
        nargs="?",
        default="rules",
        choices=["rules", "network"],
        help="rules (default) or network",
    )
    parser.add_argument("--game", action="append", metavar="GAME", help="only this game (may be repeated)")
    seconds = number(float, 0.01, 3600, "a number of seconds from 0.01 to 3600")
    parser.add_argument("--seconds", type=seconds, default=2.0, help="per game and program (default 2)")
    parser.add_argument("--size", default="2", help="of the network: 1 to 6, or CHANNELSxBLOCKS (default 2)")
    threads = number(int, 0, 1024, "a whole number from 0 to 1024")
    parser.add_argument("--threads", type=threads, default=0, help="of the network (default 0: one per core)")


def run(args: argparse.Namespace) -> int:
    if args.what == "network":
        rows = measure_networks(args)
        if args.json:
            print(json.dumps(rows, indent=2))
        else:
            show_networks(rows)
        return 0
    openspiel = import_openspiel()
    rows = [measure(id, peer, args.seconds, openspiel) for id, peer in pairs(args.game)]
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        show(rows)
    if openspiel is None:
        print("OpenSpiel is not installed; to compare with it: pip install 'tengen[openspiel]'", file=sys.stderr)
    return 0


def import_openspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        return None
    return pyspiel


def pairs(wanted: list[str] | None) -> list[tuple[str, str | None]]:
    """The games to measure with OpenSpiel's name of each; other sizes than those in the table have no peer."""
    peers = {games.make(id).id: peer for name in games.names() for id, peer in [PEERS[name]]}
    ids = [games.make(id).id for id in wanted] if wanted else list(peers)
    return [(id, peers.get(id)) for id in ids]


def measure(id: str, peer: str | None, seconds: float, openspiel: Any) -> dict[str, Any]:
    start = games.make(id).start()
    seeds = iter(range(1, 1 << 62))
    ours = Slices(lambda count: start.play_outs(count, next(seeds))[0], seconds, time.thread_time)
    theirs = None
    if openspiel is not None and peer is not None:
        theirs = Slices(random_games(openspiel, openspiel.load_game(peer)), seconds, time.thread_time)
    for _ in range(ROUNDS):
        ours.run()
        if theirs:
            theirs.run()
    value, peer_value = ours.speed(), theirs.speed() if theirs else None
    return {
        "name": f"rules {id}",
        "value": round(value),
        "unit": "plies/s/thread",
        "peer": f"openspiel {peer}" if theirs else None,
        "peer_value": round(peer_value) if peer_value else None,
        "ratio": round(value / peer_value, 2) if peer_value else None,
    }


def random_games(openspiel: Any, game: Any) -> Callable[[int], float]:
    """Random games in OpenSpiel's C++. A search of one simulation evaluates its root by `count` random games."""
    mean, state, seeds = plies_per_game(game), game.new_initial_state(), iter(range(1, 1 << 31))

    def play(count: int) -> float:
        evaluator = openspiel.RandomRolloutEvaluator(count, next(seeds))
        bot = openspiel.MCTSBot(game, evaluator, 1.0, 1, 1, False, 1, False)
        bot.mcts_search(state)
        return count * mean

    return play


def plies_per_game(game: Any) -> float:
    """Mean length of uniformly random games, by OpenSpiel's own rules: the evaluator does not report it."""
    import random

    rng, plies = random.Random(1), 0
    for _ in range(SAMPLE):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            plies += 1
    return plies / SAMPLE


def show(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("game", box=None, header_style="bold", pad_edge=False)
    for heading in ("tengen plies/s", "OpenSpiel plies/s", "ratio"):
        table.add_column(heading, justify="right")
    for row in rows:
        peer_value = f"{row['peer_value']:,}" if row["peer_value"] else "–"
        ratio = f"{row['ratio']:.1f}×" if row["ratio"] else "–"
        table.add_row(row["name"].removeprefix("rules "), f"{row['value']:,}", peer_value, ratio)
    Console(highlight=False).print(table)
