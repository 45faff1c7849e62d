"""`tengen bench`: speeds, each next to a peer measured in the same run."""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from tengen import games
from tengen.cli import Verbs, add_verb, number

EXAMPLE = """example: tengen bench rules                  every game, beside OpenSpiel
         tengen bench rules --game go:9 --seconds 5 --json

`rules` counts the plies of uniformly random games per second of one thread's CPU time. OpenSpiel plays its games
in its own C++ (the rollouts of its MCTS bot), so neither side pays for Python."""

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
ROUNDS = 8  # the two programs take turns this often, so that a busy moment of the machine hits both
SAMPLE = 1000  # OpenSpiel games played to learn their mean length: within about 1 %


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "bench", "measure speeds next to other programs", EXAMPLE, run)
    parser.add_argument("what", metavar="WHAT", nargs="?", default="rules", choices=["rules"], help="rules")
    parser.add_argument("--game", action="append", metavar="GAME", help="only this game (may be repeated)")
    seconds = number(float, 0.01, 3600, "a number of seconds from 0.01 to 3600")
    parser.add_argument("--seconds", type=seconds, default=2.0, help="per game and program (default 2)")


def run(args: argparse.Namespace) -> int:
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
    ours = Slices(lambda count: start.play_outs(count, next(seeds))[0], seconds)
    theirs = None
    if openspiel is not None and peer is not None:
        theirs = Slices(random_games(openspiel, openspiel.load_game(peer)), seconds)
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


class Slices:
    """Measures `play(count)`, which plays games and returns their plies, in short slices of CPU time."""

    def __init__(self, play: Callable[[int], float], seconds: float) -> None:
        self.play, self.speeds = play, list[float]()
        target, self.count, spent = seconds / ROUNDS, 1, 0.0
        while True:  # warm-up: how many games fill a slice
            spent = self.timed()[1]
            if spent > target / 4:
                break
            self.count *= 2
        self.count = max(1, round(self.count * target / spent))

    def timed(self) -> tuple[float, float]:
        before = time.thread_time()
        plies = self.play(self.count)
        return plies, max(time.thread_time() - before, 1e-9)

    def run(self) -> None:
        plies, spent = self.timed()
        self.speeds.append(plies / spent)

    def speed(self) -> float:
        return statistics.median(self.speeds)


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
