"""`tengen solve`: exact results of Connect4 positions."""

import argparse
import json
import sys

from tengen.cli import UsageError, Verbs, add_verb, interruptible

EXAMPLE = """example: tengen solve connect4 4444         the score of every column after 4 4 4 4
         tengen solve connect4 -            the empty board
         tengen solve connect4 4444 --weak  only win (1), draw (0) or loss (-1): faster

A score is 22 - the number of stones the winner has played at the end, negative when the side to move loses."""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "solve", "the exact score of every move of a Connect4 position", EXAMPLE, run)
    parser.add_argument("game", metavar="connect4", help="the only game solved so far")
    parser.add_argument("moves", metavar="MOVES", help="columns 1 to 7 from the empty board ('-' for none)")
    parser.add_argument("--weak", action="store_true", help="only win (1), draw (0) or loss (-1)")


def run(args: argparse.Namespace) -> int:
    from tengen import games, solver

    game = games.make(args.game)
    if game.name != "connect4":
        raise UsageError(f"{game.id} has no exact solver; the only solved game is connect4")
    state = game.from_moves(args.moves)
    if solver.book_path() is None and state.ply() < solver.BOOK_PLIES:
        print(
            "tengen solve: without an opening book this may take minutes; pip install 'tengen[perfect]' makes it quick",
            file=sys.stderr,
        )
    with interruptible():
        solution = solver.solve(state, args.weak)
    if args.json:
        print(json.dumps({"moves": solution.moves, "score": solution.score, "scores": solution.scores}))
    else:
        print(state.render())
        print(f"score {solution.score}: {meaning(solution.score, state.ply(), args.weak)}")
        for column, score in solution.scores.items():
            print(f"  column {column}  {'full' if score is None else score}")
    return 0


def meaning(score: int, stones: int, weak: bool) -> str:
    """A score in words: 'the side to move wins in 37 plies'."""
    if score == 0:
        return "a draw"
    from tengen.solver import plies_left

    result = f"the side to move {'wins' if score > 0 else 'loses'}"
    return result if weak else f"{result} in {plies_left(stones, score)} plies"
