"""`tengen solve`: exact results of positions of solved games."""

import argparse
import json
import sys

from tengen.cli import Verbs, add_verb, interruptible
from tengen.exact.oracle import SOLVED, Oracle, required_oracle

EXAMPLE = """example: tengen solve connect4 4444         the score of every column after 4 4 4 4
         tengen solve connect4 -            the empty board
         tengen solve connect4 4444 --weak  only win (1), draw (0) or loss (-1): faster

A score is 22 - the number of stones the winner has played at the end, negative when the side to move loses."""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "solve", "the exact score of every move of a position of a solved game", EXAMPLE, run)
    parser.add_argument("game", metavar="|".join(SOLVED), help="the games solved so far")
    parser.add_argument("moves", metavar="MOVES", help="columns 1 to 7 from the empty board ('-' for none)")
    parser.add_argument("--weak", action="store_true", help="only win (1), draw (0) or loss (-1)")


def run(args: argparse.Namespace) -> int:
    from tengen import games

    game = games.make(args.game)
    known = required_oracle(game)
    state = game.from_moves(args.moves)
    if known.takes_minutes(state):
        print(
            "tengen solve: without an opening book this may take minutes; pip install 'tengen[perfect]' makes it quick",
            file=sys.stderr,
        )
    with interruptible():
        solution = known.solve(state, args.weak)
    if args.json:
        print(json.dumps({"moves": solution.moves, "score": solution.score, "scores": solution.scores}))
    else:
        print(state.render())
        print(f"score {solution.score}: {meaning(known, solution.score, state.ply(), args.weak)}")
        for column, score in solution.scores.items():
            print(f"  column {column}  {'full' if score is None else score}")
    return 0


def meaning(known: Oracle, score: int, stones: int, weak: bool) -> str:
    """A score in words: 'the side to move wins in 37 plies'."""
    if score == 0:
        return "a draw"
    result = f"the side to move {'wins' if score > 0 else 'loses'}"
    return result if weak else f"{result} in {known.plies_left(stones, score)} plies"
