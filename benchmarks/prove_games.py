"""How far back are finished games proven, and what does that cost?

    python benchmarks/prove_games.py connect4 --nodes 2000 20000 100000

Games of self-play with a network that ships, or of random moves where none does: the ply from which on everything is
proven, as mean and share of all plies, and milliseconds of one core a game.
"""

import argparse
import time

import numpy as np

from tengen import games
from tengen._core import SelfPlay
from tengen.net.evaluator import Uniform, make_evaluator
from tengen.net.file import shipped_network
from tengen.records import UNSOLVED, GameRecord
from tengen.records.selfplay import Actor
from tengen.run.settings import RunConfig


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--nodes", type=int, nargs="+", default=[20_000])
    parser.add_argument("--games", type=int, default=200)
    args = parser.parse_args()
    game = games.make(args.game)
    config, records = RunConfig.of(game).selfplay, play(game, args.games)
    print(f"{len(records)} games of {np.mean([len(record) for record in records]):.1f} plies")
    for nodes in args.nodes:
        began = time.process_time()
        exact = [SelfPlay.exact_values(game, config.replace(label_nodes=nodes), r.moves.tolist()) for r in records]
        cost = (time.process_time() - began) / len(records)
        first = [int((values == UNSOLVED).sum()) for values in exact]
        share = np.mean(np.concatenate(exact) != UNSOLVED)
        print(f"{nodes:>8} nodes: from ply {np.mean(first):.1f}, {share:.0%} of plies, {1e3 * cost:.2f} ms a game")


def play(game: games.Game, count: int) -> list[GameRecord]:
    config, shipped = RunConfig.of(game), shipped_network(game)
    actor = Actor(game, config.search, config.selfplay.replace(label_nodes=0), slots=config.loop.slots)
    actor.set_evaluator(make_evaluator(shipped, game) if shipped else Uniform(game), "00")
    return actor.play(lambda counts: counts["games"] >= count)[:count]


if __name__ == "__main__":
    main()
