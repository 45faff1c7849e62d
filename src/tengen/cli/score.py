"""`tengen score`: how often a player's move is right where the right moves are known."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen import games
from tengen.cli import UsageError, Verbs, add_device, add_settings, add_verb, number
from tengen.exact.oracle import SOLVED, required_oracle
from tengen.play.players import choices

if TYPE_CHECKING:
    from tengen.play.players import Player
    from tengen.play.scorecard import Positions

EXAMPLE = """example: tengen score connect4 --net runs/connect4/best.onnx --sims 0 100 600 800
         tengen score connect4 --player mcts:1000
         tengen score connect4 --classes beginning_hard middle_medium --sims 600
         tengen score connect4 --positions Test_L2_R2 --sims 600 --json

Without --positions: the 1800 labelled positions that come with Tengen, six classes of 300. A file of positions has
lines `moves score`, such as `4444 1`; every move in them is first solved. --sims 0 is the network without search."""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "score", "count a player's right moves in solved positions", EXAMPLE, run)
    parser.add_argument("game", metavar="|".join(SOLVED), help="the games solved so far")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--net", metavar="FILE", help="the network that plays (default: the one that ships)")
    who.add_argument("--player", metavar="SPEC", help=f"any player: {choices()}")
    parser.add_argument(
        "--positions", metavar="FILE", nargs="+", action="extend", type=Path, default=[], help="files of positions"
    )
    parser.add_argument(
        "--classes", metavar="CLASS", nargs="+", action="extend", default=[], help="some of Tengen's own positions"
    )
    sims = number(int, 0, 10_000_000, "a whole number from 0 to 10000000")
    parser.add_argument(
        "--sims", metavar="N", nargs="+", action="extend", type=sims, help="simulations (default: the player's)"
    )
    parser.add_argument(
        "--seed", type=number(int, 0, 2**63, "a whole number, 0 or more"), default=0, help="(default 0)"
    )
    parser.add_argument("--threads", type=number(int, 0, 1024, "a whole number from 0 to 1024"), default=0)
    add_settings(parser)
    add_device(parser)


def run(args: argparse.Namespace) -> int:
    from tengen.play.scorecard import own_positions

    game = games.make(args.game)
    known = required_oracle(game)
    player, slots = score_player(args, game)  # before the positions are solved: most mistakes show at once
    classes = args.classes or ([] if args.positions else known.CLASSES)
    sets = [*own_positions(game, classes), *score_positions(game, args.positions)]
    reports = [score_report(game, player, sets, sims, slots) for sims in args.sims or [own_sims(player)]]
    if args.json:
        print(json.dumps(reports[0] if len(reports) == 1 else reports))
    else:
        print("\n\n".join(as_text(part) for part in reports))
    return 0


def score_player(args: argparse.Namespace, game: games.Game) -> tuple["Player", int]:
    """The player, and how many positions it is asked about at once."""
    from tengen.net.file import shipped_network
    from tengen.play.players import find_kind, make_player, slots_that_fit

    spec: str = args.player or (f"net:{args.net}" if args.net else "shipped")
    if not (args.net or args.player) and shipped_network(game) is None:
        raise UsageError(f"no network ships for {game.id} yet; give --net FILE or --player SPEC, such as mcts:1000")
    kind = find_kind(spec)
    if args.sims and kind and kind.search is None:
        raise UsageError(f"{spec} does not search: leave --sims out")
    if args.sims and kind and not kind.priors and min(args.sims) == 0:
        raise UsageError(f"{spec} has no network to play without search: --sims must be 1 or more")
    settings = [*args.set, f"search.sims={max(args.sims)}"] if args.sims else args.set
    slots = slots_that_fit(spec, game, settings)
    made = make_player(
        spec,
        game,
        slots=slots,
        seed=args.seed,
        threads=args.threads,
        settings=settings,
        device=args.device,
        commands=True,
    )
    return made, slots


def own_sims(player: "Player") -> int | None:
    from tengen.play.players import AgentPlayer

    return player.agent.config.sims if isinstance(player, AgentPlayer) else None


def score_positions(game: games.Game, paths: Sequence[Path]) -> "list[Positions]":
    """The positions of users' files, every move solved."""
    from tengen.cli.progress import progress
    from tengen.play.scorecard import read_positions

    if paths and required_oracle(game).takes_minutes(game.start()):
        print(
            "tengen score: without an opening book a position may take minutes; "
            "pip install 'tengen[perfect]' makes it quick",
            file=sys.stderr,
        )
    sets = []
    for path in paths:
        with progress(f"solving {path.name}") as show:
            sets.append(read_positions(game, path, show))
    return sets


def score_report(
    game: games.Game, player: "Player", sets: "Sequence[Positions]", sims: int | None, slots: int
) -> dict[str, Any]:
    """One number of simulations, as JSON: all positions together, and each file or class."""
    from tengen.cli.progress import progress
    from tengen.play.scorecard import Positions, choose_moves, judge_moves

    every = Positions.join("all", sets)
    with progress("positions" if sims is None else f"{sims} simulations", len(every)) as show:
        moves = choose_moves(player, every, sims, slots=slots, progress=show)
    parts, start = [], 0
    for part in sets:
        scores = judge_moves(part, moves[start : start + len(part)])
        parts.append({"name": part.name, "sims": sims, **scores.as_dict()})
        start += len(part)
    whose = {"game": game.id, "player": player.name, "sims": sims}
    return {**whose, **judge_moves(every, moves).as_dict(), "files": parts}


COLUMNS = ("all", "mistakes", "won", "drawn", "lost")


def as_text(report: dict[str, Any]) -> str:
    """A table with a row per file and one for all, every cell `value kept, exactly best` in percent."""
    rows = [(part["name"], cells(part)) for part in report["files"]]
    if len(rows) > 1:
        rows.append(("all", cells(report)))
    width = max(len(name) for name, _ in rows)
    sims = "" if report["sims"] is None else f", {report['sims']} simulations"
    lines = [
        f"{report['player']}{sims}: moves that keep the game's value and moves that are exactly best, in percent",
        " " * width + "      n" + "".join(f"{name:>11}" for name in COLUMNS),
    ]
    lines += [f"{name:{width}}" + "".join(row) for name, row in rows]
    possible = report["positions_where_a_mistake_is_possible"]
    lines.append(f"mistakes: the {possible} of {report['positions']} positions in which a move can lose value")
    return "\n".join(lines)


def cells(part: dict[str, Any]) -> list[str]:
    mistakes = {key: part[f"{key}_where_a_mistake_is_possible"] for key in ("value_keeping", "exactly_best")}
    groups = [part, mistakes, part["won"], part["drawn"], part["lost"]]
    shares = [f"{percent(group['value_keeping'])} {percent(group['exactly_best'])}" for group in groups]
    return [f"{part['positions']:>7}", *(f"{text:>11}" for text in shares)]


def percent(share: float | None) -> str:
    """Four characters; 100 only where nothing is missing."""
    if share is None:
        return "   –"
    return " 100" if share == 1 else f"{min(99.9, 100 * share):4.1f}"
