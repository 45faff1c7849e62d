"""What kind of positions do Connect4's games of self-play begin from? Random openings beside the exact solver.

    python benchmarks/connect4_openings.py --count 400

For openings of some lengths, as they come and drawn again while a few plies decide them (selfplay.opening_lookahead):
the share of positions by how far the end is under perfect play, as the scorecard's classes have it, and of draws.
"""

import argparse
from collections.abc import Iterator
from itertools import count, islice

import numpy as np

from tengen import State, games
from tengen._core import SelfPlay, SelfPlayConfig
from tengen.exact.solver import plies_left, score_many

LENGTHS = (4, 8, 12, 16, 20)
ENDS = {"1-4": range(5), "5-14": range(5, 15), "15-28": range(15, 29), "29-42": range(29, 43)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400, help="openings of each length (default %(default)s)")
    parser.add_argument("--lookahead", type=int, nargs="+", default=[0, 4])
    args = parser.parse_args()
    print("lookahead  plies ", *(f"{name:>6}" for name in ENDS), " drawn")
    for lookahead in args.lookahead:
        for length in LENGTHS:
            positions = list(islice(openings(length, lookahead), args.count))
            scores = score_many(positions).tolist()
            ends = np.array([plies_left(length, score) for score in scores])
            shares = [float(np.isin(ends, list(plies)).mean()) for plies in ENDS.values()]
            drawn = scores.count(0) / len(scores)
            print(f"{lookahead:9}  {length:5} ", *(f"{share:6.0%}" for share in shares), f"{drawn:6.0%}", flush=True)


def openings(length: int, lookahead: int) -> Iterator[State]:
    """Positions after openings of that length; those that the end of the game cut short are left out."""
    game = games.make("connect4")
    config = SelfPlayConfig(opening_share=1, opening_plies=length, opening_lookahead=lookahead)
    for number in count():
        moves = SelfPlay.opening(game, config, 0, number)
        if len(moves) == length:
            state = game.start()
            for action in moves:
                state.apply(action)
            yield state


if __name__ == "__main__":
    main()
