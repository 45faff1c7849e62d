"""`tengen check`: does a game of your own keep the laws, how fast is it, what does a network see, and does it learn?"""

import argparse
import json
import statistics
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli import EXIT_INTERRUPTED, UsageError, Verbs, add_verb, number
from tengen.cli.progress import progress
from tengen.games import Game, GameError, Rules, make, register, rules_of, sources

if TYPE_CHECKING:
    from tengen.games.laws import Checked, Sample
    from tengen.games.laws.playing import Seen
    from tengen.run.events import Event

EXAMPLE = """example: tengen check ./breakthrough.py
         tengen check ./games.py:Breakthrough --minutes 5
         tengen check 'openspiel:breakthrough(rows=6,columns=6)' --no-training --svg planes.svg

A law that is broken is told in one line, with the moves that show it, and the exit code is 2."""

LAW_SECONDS = 10.0
SLOW = 200.0  # microseconds of a position: then a search sees fewer than 5,000 of them in a second
SIMULATIONS = 1000
NEEDED = ("torch", "safetensors", "onnxruntime")


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "check", "test a game of your own: its laws, its speed, a trial training", EXAMPLE, run)
    # Not `game`: that would be registered before the laws are checked.
    parser.add_argument("source", metavar="GAME", help="./FILE.py, package.module:Class, openspiel:NAME or ./FILE.so")
    minutes = number(float, 0.05, 1e4, "a number of minutes from 0.05 to 10000")
    parser.add_argument("--minutes", type=minutes, default=1.0, metavar="M", help="of the trial training (default 1)")
    parser.add_argument("--no-training", dest="training", action="store_false", help="leave the trial training out")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the planes of a position into this file")


def run(args: argparse.Namespace) -> int:
    rules = sources.find(args.source) if sources.is_source(args.source) else rules_of(make(args.source))
    if rules is None:
        return say_built_in(args)
    if args.training and not args.json and any(not find_spec(module) for module in NEEDED):
        raise UsageError("a trial training needs more packages: pip install 'tengen[train]', or use --no-training")
    report: dict[str, Any] = {"game": args.source}
    checked = check(rules, args, report)
    if checked.broken:
        if args.json:
            print(json.dumps(report, ensure_ascii=False))
        raise GameError(f"{args.source} breaks the law of {checked.broken.law}: {checked.broken}")
    game = register(rules)
    about_speed(rules, game, checked.sample, args, report)
    about_planes(rules, game, checked.sample, args, report)
    code = try_it(game, args, report) if args.training else 0
    if args.json:
        print(json.dumps(report, ensure_ascii=False))
    return code


def say_built_in(args: argparse.Namespace) -> int:
    if args.json:
        print(json.dumps({"game": args.source, "built_in": True}))
    else:
        print(f"{args.source} is built in: `make test` checks its laws, and more, at every change")
    return 0


def check(rules: Rules, args: argparse.Namespace, report: dict[str, Any]) -> "Checked":
    from tengen.games.laws import LAWS, check_laws

    checked = check_laws(rules, LAW_SECONDS)
    broken = checked.broken
    report |= {"laws": list(checked.kept), "strange": list(checked.strange), "broken": None}
    if broken:
        report["broken"] = {"law": broken.law, "what": broken.what, "actions": broken.actions, "place": broken.place}
    if args.json:
        return checked
    if not broken:
        print(f"{rules.title or rules.name}: {rules.rows} × {rules.cols}, {rules.actions} actions, ", end="")
        planes = "1 plane" if len(rules.inputs) == 1 else f"{len(rules.inputs)} planes"
        print(f"{planes}; {len(checked.sample.plies)} random games\n")
    for law in checked.kept:
        print(f"  ✓ {law:11} {LAWS[law]}")
    if broken:
        print(f"  ✗ {broken.law:11} {LAWS[broken.law]}", flush=True)
    for note in checked.strange:
        print(f"\n  ! {note}")
    return checked


def about_speed(rules: Rules, game: Game, sample: "Sample", args: argparse.Namespace, report: dict[str, Any]) -> None:
    from tengen.games.laws import calls_cost

    native = rules.address() != 0
    costs, plies = calls_cost(rules, sample), sample.plies
    report["microseconds"] = {name: round(cost, 2) for name, cost in costs.items()}
    report["plies"] = {"mean": statistics.mean(plies), "least": min(plies), "most": max(plies)}
    report |= {"branching": sample.branching, "simulations_per_second": (speed := simulations_per_second(game))}
    if args.json:
        return
    calls = ", ".join(f"{name} {cost:.1f} µs" for name, cost in costs.items())
    print(f"\nTime per call{' from Python, without the machine code' if native else ''}: {calls}")
    print(f"Search without a network: {speed:,.0f} simulations per second")
    print(f"Random games: {statistics.mean(plies):.0f} plies on average, {min(plies)} to {max(plies)}; ", end="")
    print(f"{sample.branching:.1f} legal moves in a position")
    if not native and (total := sum(costs.values())) > SLOW:
        slowest = max(costs, key=lambda name: costs[name])
        print(
            f"  ! {total:.0f} µs for a position is slow: {slowest}() takes most of it. NumPy, or a class that is ",
            end="",
        )
        print("compiled (docs/guide/compiled.md), may be many times faster")


def simulations_per_second(game: Game) -> float:
    from tengen.play.players import make_player

    player, states = make_player(f"uniform@{SIMULATIONS}", game), [game.start()]
    player.new_game(0, 0)
    begun = time.perf_counter()
    player.act_many(states, [0])
    return SIMULATIONS / (time.perf_counter() - begun)


def about_planes(rules: Rules, game: Game, sample: "Sample", args: argparse.Namespace, report: dict[str, Any]) -> None:
    import numpy as np
    from rich.console import Console

    from tengen.cli.board import draw_board
    from tengen.cli.planes import planes_picture, planes_text

    seen = mid_game(sample)
    planes = np.asarray(rules.planes(seen.state), np.float32)
    if args.svg:
        title = f"{rules.title or rules.name} after {len(seen.actions)} plies"
        try:
            args.svg.write_text(planes_picture(title, rules.inputs, planes), "utf-8")
        except OSError as error:
            raise UsageError(f"{args.svg}: {error.strerror}") from None
    if args.json:
        report["planes"] = {"actions": list(seen.actions), "numbers": planes.tolist()}
        return
    state, console = game.start(), Console(highlight=False)
    for action in seen.actions:
        state.apply(action)
    print(f"\nA position after {len(seen.actions)} plies\n", flush=True)
    console.print(draw_board(console, state))
    print(f"\nas a network sees it\n\n{planes_text(rules.inputs, planes, console.width)}")
    if args.svg:
        print(f"\ndrawn in {args.svg}")


def mid_game(sample: "Sample") -> "Seen":
    """Of the game of median length; early enough for a board that is still full."""
    games = sorted(sample.games(), key=len)
    game = games[len(games) // 2]
    return game[len(game) // 3]


def try_it(game: Game, args: argparse.Namespace, report: dict[str, Any]) -> int:
    from tengen.cli.train import stop_on_signals
    from tengen.run.events import Measured, TurnTaken
    from tengen.train.trial import try_training

    if not args.json:
        print(f"\nTrial training: a small network, {args.minutes:g} min", flush=True)
    with stop_on_signals() as stop, progress("training", 1000) as show:

        def listen(event: "Event") -> None:
            if isinstance(event, TurnTaken):
                loss = "" if event.policy_loss is None else f"policy loss {event.policy_loss:.2f}"
                show(round(1000 * (event.progress or 0)), 1000, f"{event.total_games or 0} games  {loss}")
            elif isinstance(event, Measured):
                show(1000, 1000)

        health = try_training(game, args.minutes, listen, stop.event)
    report["training"] = health.to_dict()
    if stop.event.is_set():
        return EXIT_INTERRUPTED
    if not args.json:
        print("\n".join(f"  {note}" for note in (health.sentence(), *health.notes())))
    return 0
