"""`tengen analyze`: what a search thinks of a position, and the picture of its tree; or of whole games."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from tengen import games
from tengen.cli import UsageError, Verbs, add_device, add_settings, add_verb, interruptible, number
from tengen.cli.analyze_sgf import names_files, run_files

if TYPE_CHECKING:
    from tengen.search.agent import Agent, Analysis

PLAYER = "mcts:10000,solver"

EXAMPLE = """example: tengen analyze connect4 4444 --sims 5000
         tengen analyze othello - --player uniform@800 --set search.solver=off
         tengen analyze hex:7 'd4 c4' --sims 2000 --tree tree.svg
         tengen analyze tictactoe --position 'XO./.X./..O X' --json
         tengen analyze game.sgf --sims 400
         tengen analyze games/ --out analyzed/"""

MOST_NODES = 5000


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "analyze", "search a position, or every move of games in SGF", EXAMPLE, run)
    parser.add_argument("game", metavar="GAME", help="NAME[:SIZE][,option=value…]; or FILE.sgf, or a folder of them")
    parser.add_argument("moves", metavar="MOVES", nargs="*", help="the moves so far ('-' for none); or more files")
    parser.add_argument("--position", metavar="TEXT", help="a position in place of moves")
    sims = number(int, 1, 10_000_000, "a whole number from 1 to 10000000")
    parser.add_argument("--sims", type=sims, help="simulations (default: the player's)")
    parser.add_argument(
        "--player", metavar="SPEC", help=f"who searches (default: the network that ships for the game, else {PLAYER})"
    )
    parser.add_argument(
        "--seed", type=number(int, 0, 2**63, "a whole number, 0 or more"), default=0, help="(default 0)"
    )
    add_settings(parser)
    add_device(parser)
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, help="for files: where NAME.analyzed.sgf goes (default: beside)"
    )
    parser.add_argument("--tree", metavar="FILE.svg", type=Path, help="draw the tree into this file")
    nodes = number(int, 1, MOST_NODES, f"a whole number from 1 to {MOST_NODES}")
    parser.add_argument("--tree-nodes", type=nodes, default=200, metavar="N", help="nodes drawn (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    from tengen.cli.moves_table import as_json
    from tengen.play.players import find_kind

    if names_files(args.game):
        return run_files(args, make_searcher)
    if args.moves[1:]:
        raise UsageError(f"unknown extra argument {args.moves[1]!r}; see tengen analyze --help")
    if args.out is not None:
        raise UsageError("--out is for files of games, not for a position")
    moves, game = args.moves[0] if args.moves else "-", games.make(args.game)
    if args.position is not None and moves != "-":
        raise UsageError("give either moves or --position, not both")
    state = game.from_moves(moves) if args.position is None else game.position(args.position)
    if state.is_terminal():
        raise UsageError(f"the game is over after {state.ply()} plies; there is nothing to search")
    spec, agent = make_searcher(args, game)
    with interruptible():
        analysis = agent.analyze(state)
    if args.tree:
        write_picture(args.tree, agent, state, args.tree_nodes)
    if args.json:
        found = as_json(analysis, agent.owners(state))
        print(json.dumps({"game": game.id, "position": state.position_text(), **found}, indent=2))
    else:
        kind = find_kind(spec)
        show(state, analysis, priors=kind is not None and kind.priors)
        if args.tree:
            print(f"tree: {args.tree}")
    return 0


def make_searcher(args: argparse.Namespace, game: games.Game) -> tuple[str, "Agent"]:
    """Who searches a game, by its text, as the arguments say."""
    from tengen.play.players import search_player, usual_player

    sims = [f"search.sims={args.sims}"] if args.sims else []
    spec = args.player or usual_player(game, PLAYER)
    return spec, search_player(spec, game, seed=args.seed, settings=[*sims, *args.set], device=args.device).agent


def write_picture(file: Path, agent: "Agent", state: games.State, nodes: int) -> None:
    from tengen.search.picture import draw_tree, grown

    moves = state.moves_text()
    title = f"{state.game.id} {moves if moves != '-' and len(moves) < 60 else ''}".strip()
    try:
        file.write_text(draw_tree(grown(agent, state, nodes), title), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from None


def show(state: games.State, analysis: "Analysis", priors: bool) -> None:
    from rich.console import Console

    from tengen.cli import board
    from tengen.cli.moves_table import moves_table

    console = Console(highlight=False)
    console.print(board.draw_board(console, state))
    win, draw_, loss = analysis.wdl
    lead = "" if analysis.lead is None else f"lead {analysis.lead:+.1f} points, "
    console.print(
        f"{board.mark(console, state, state.to_move())} to move: Q {analysis.q:+.3f}, win {win:.1%}, draw {draw_:.1%}, "
        f"loss {loss:.1%}, {lead}{analysis.plies:.1f} plies to go; "
        f"{analysis.visits:,} visits, {analysis.nodes:,} nodes",
        soft_wrap=True,
    )
    console.print(moves_table(analysis, priors=priors))
