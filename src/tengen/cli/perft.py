"""`tengen perft`: how many move sequences there are, the usual check of a rules engine."""

import argparse
import json

from tengen import games
from tengen.cli import Verbs, add_game, add_verb, interruptible, number

EXAMPLE = """example: tengen perft connect4 8                5673234
         tengen perft connect4 4 --moves 4444
         tengen perft go:9 3 --no-pass          placements only
         tengen perft othello 9 --free-pass     a pass uses up no depth"""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "perft", "count the move sequences of exactly DEPTH plies", EXAMPLE, run)
    add_game(parser)
    parser.add_argument("depth", metavar="DEPTH", type=number(int, 0, 1000, "a depth: 0, 1, 2, … up to 1000"))
    passes = parser.add_mutually_exclusive_group()
    passes.add_argument("--no-pass", dest="passes", action="store_const", const="none", help="never pass")
    passes.add_argument("--free-pass", dest="passes", action="store_const", const="free", help="a pass is no ply")
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--position", metavar="TEXT", help="start from this position")
    start.add_argument("--moves", metavar="TEXT", default="-", help="start after these moves ('-' for none)")
    parser.set_defaults(passes="ply")


def run(args: argparse.Namespace) -> int:
    game = games.make(args.game)
    state = game.from_moves(args.moves) if args.position is None else game.position(args.position)
    with interruptible():
        count = state.perft(args.depth, args.passes, finished_counts=game.facts.finished_counts)
    if args.json:
        print(json.dumps({"game": game.id, "depth": args.depth, "passes": args.passes, "count": count}))
    else:
        print(count)
    return 0
