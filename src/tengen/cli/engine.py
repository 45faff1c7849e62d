"""`tengen engine`: Tengen inside other people's programs, on standard input and output."""

import argparse
import importlib

from tengen import games
from tengen.cli import Verbs, add_device, add_game, add_settings, add_verb, number
from tengen.engine import PROTOCOLS

LONGEST_LINE = {"analysis": 1 << 20}  # bytes; a query may hold a whole game
USUAL_LONGEST = 1 << 16

EXAMPLE = """example: tengen engine gtp go:9                            in Sabaki, Lizzie or GoGui
         tengen engine gtp othello --player shipped@800
         tengen engine gomocup gomoku:15 --player net:my.onnx   in Piskvork
         tengen engine analysis go:9                       in KaTrain, as its engine command
         tengen engine nboard othello                      in NBoard

protocols:
"""


def add(verbs: Verbs) -> None:
    protocols = "\n".join(f"  {name:9} {sentence}" for name, sentence in PROTOCOLS.items())
    parser = add_verb(verbs, "engine", "play and analyse inside other programs", EXAMPLE + protocols, run, json=False)
    parser.add_argument("protocol", metavar="PROTOCOL", choices=list(PROTOCOLS), help=", ".join(PROTOCOLS))
    add_game(parser)
    parser.add_argument(
        "--player",
        metavar="SPEC",
        help="who searches, as in tengen match (default: the network that ships for the game, else plain:1000)",
    )
    parser.add_argument("--ponder", action="store_true", help="think in the opponent's time too")
    parser.add_argument(
        "--seed", type=number(int, 0, 2**63, "a whole number, 0 or more"), default=0, help="(default 0)"
    )
    parser.add_argument("--threads", type=number(int, 0, 1024, "a whole number from 0 to 1024"), default=0)
    add_settings(parser)
    add_device(parser)


def run(args: argparse.Namespace) -> int:
    from tengen.engine.channel import StdChannel
    from tengen.engine.thinker import Thinker, player_for
    from tengen.play.players import check_search_player

    game = games.make(args.game)
    check_search_player(args.player or player_for(game), game, args.set)
    protocol = importlib.import_module(f"tengen.engine.{args.protocol}")
    thinker = Thinker(
        args.player, args.set, seed=args.seed, threads=args.threads, device=args.device, ponders=args.ponder
    )
    protocol.serve(StdChannel(LONGEST_LINE.get(args.protocol, USUAL_LONGEST)), thinker, game)
    return 0
