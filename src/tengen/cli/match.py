"""`tengen match`: paired games between two players, with a score that says how sure it is."""

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen import games
from tengen.cli import UsageError, Verbs, add_device, add_engines, add_game, add_settings, add_verb, device_for, number
from tengen.play.players import PLAYER_KINDS, choices

if TYPE_CHECKING:
    from tengen.play.arena import Match
    from tengen.play.clock import TimeControl
    from tengen.play.elo import Sprt

EXAMPLE = """example: tengen match connect4 mcts:1000 random --games 100
         tengen match othello mcts:1000 mcts:500 --save games.txt
         tengen match connect4 mcts:1000 mcts:1000 --set-a search.c_init=1.0 --games 400
         tengen match hex:7 mcts:500,solver mcts:500 --games 2000 --sprt 0,20
         tengen match go:9 mcts:1000 'gtp:gnugo --mode gtp --chinese-rules' --set-b engine.seconds=1

         tengen match gomoku:9 shipped@400 shipped@200 --openings balanced

Every opening (random plies) is played twice with colours swapped. The interval (95 %) and the sequential test (SPRT)
come from the results of pairs. Ctrl-C shows what is finished so far."""

LONG_MATCH = 100  # games, before which it pays to measure what runs the networks fastest


def add(verbs: Verbs) -> None:
    players = "\n".join(f"  {kind.form:15} {kind.sentence}" for kind in PLAYER_KINDS)
    about = f"{EXAMPLE}\n\nplayers:\n{players}"
    parser = add_verb(verbs, "match", "let two players meet in paired games", about, run)
    add_game(parser)
    parser.add_argument("a", metavar="A", help=f"a player: {choices()}")
    parser.add_argument("b", metavar="B", help="the other player")
    count = number(int, 2, 1_000_000, "a whole number from 2 to 1000000")
    parser.add_argument("--games", type=count, default=100, metavar="N", help="games, an even number (default 100)")
    plies = number(int, 0, 1000, "a whole number from 0 to 1000")
    parser.add_argument("--opening-plies", type=plies, metavar="K", help="random plies first (default: by the game)")
    parser.add_argument(
        "--openings",
        default="random",
        metavar="KIND",
        help="random (default); balanced: those that the shipped network finds even; balanced:PLAYER: that PLAYER does",
    )
    parser.add_argument(
        "--seed", type=number(int, 0, 2**63, "a whole number, 0 or more"), default=0, help="(default 0)"
    )
    parser.add_argument("--threads", type=number(int, 0, 1024, "a whole number from 0 to 1024"), default=0)
    parser.add_argument("--sprt", metavar="ELO0,ELO1", help="stop when A is surely ELO1 better, or no better than ELO0")
    parser.add_argument(
        "--clock",
        metavar="TIME",
        help="each side's time, in seconds: 60, 60+0.5 (more per move), 60,5x10 (byo-yomi) or 60,300/25 (Canadian)",
    )
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the games to this file, one per line")
    add_settings(parser, "--set-a", "A")
    add_settings(parser, "--set-b", "B")
    add_settings(parser, "--set", "both")
    add_engines(parser)
    add_device(parser)


def run(args: argparse.Namespace) -> int:
    from tengen.cli.progress import progress
    from tengen.play.arena import play_match, save_games
    from tengen.play.openings import openings_for
    from tengen.play.outside.named import use_engines
    from tengen.play.players import make_player, slots_that_fit

    if args.games % 2:
        raise UsageError(f"games are played in pairs: --games must be even, not {args.games}")
    use_engines(args.engines)
    game, sprt = games.make(args.game), read_sprt(args.sprt)
    wanted = [(args.a, [*args.set, *args.set_a]), (args.b, [*args.set, *args.set_b])]
    clock = read_clock(args.clock)
    slots = 1 if clock else min(args.games, *(slots_that_fit(spec, game, settings) for spec, settings in wanted))
    # Different seeds: the same player twice must not think the same thoughts.
    a, b = (
        make_player(
            spec,
            game,
            slots=slots,
            seed=2 * args.seed + i,
            threads=args.threads,
            settings=settings,
            device=device_for(args.device, long=args.games >= LONG_MATCH),
            commands=True,
        )
        for i, (spec, settings) in enumerate(wanted)
    )
    try:
        openings = openings_for(args.openings, game, args.games // 2, args.opening_plies, args.seed, device=args.device)
    except ValueError as error:
        raise UsageError(str(error)) from None
    with progress("games", args.games) as show:

        def finished(match: "Match") -> bool:
            show(len(match.games), args.games, f"+{match.wins} ={match.draws} −{match.losses}")
            return sprt is not None and sprt.test(match.settled_pairs).verdict != "continue"

        match = play_match(game, a, b, openings, slots=slots, clock=clock, finished=finished)
    if args.save:
        try:
            save_games(match, args.save)
        except OSError as error:
            raise UsageError(f"cannot write {args.save}: {error.strerror}") from None
    report = match_text(match, sprt)
    print(json.dumps(report) if args.json else as_text(report))
    return 0


def read_clock(text: str | None) -> "TimeControl | None":
    from tengen.play.clock import ClockError, TimeControl

    try:
        return None if text is None else TimeControl.parse(text)
    except ClockError as error:
        raise UsageError(f"--clock: {error}") from None


def read_sprt(text: str | None) -> "Sprt | None":
    from tengen.play.elo import Sprt

    if text is None:
        return None
    try:
        elo0, elo1 = map(float, text.split(","))
        if not (math.isfinite(elo0) and math.isfinite(elo1)):
            raise ValueError
    except ValueError:
        raise UsageError(f"--sprt takes two Elo differences such as 0,10, not {text!r}") from None
    try:
        return Sprt(elo0, elo1)
    except ValueError as error:
        raise UsageError(f"--sprt: {error}") from None


def match_text(match: "Match", sprt: "Sprt | None") -> dict[str, Any]:
    """The result as JSON: an Elo without bound is null."""
    pairs = match.pairs
    summary = pairs.summary()
    finite = {name: value if math.isfinite(value) else None for name, value in _elos(summary).items()}
    report: dict[str, Any] = {
        "game": match.game.id,
        "a": match.a,
        "b": match.b,
        "games": len(match.games),
        "wins": match.wins,
        "draws": match.draws,
        "losses": match.losses,
        "pairs": pairs.counts,
        "score": summary.score if pairs.pairs else None,
        "score_low": summary.low,
        "score_high": summary.high,
        **finite,
    }
    faults = {"a": dict(match.faults(0)), "b": dict(match.faults(1))}
    if any(faults.values()):
        report["faults"] = faults
    if sprt:
        state = sprt.test(match.settled_pairs)
        report["sprt"] = {"elo0": sprt.elo0, "elo1": sprt.elo1, "llr": state.llr, "verdict": state.verdict}
        report["sprt"] |= {"lower": state.lower, "upper": state.upper}
    return report


def _elos(summary: Any) -> dict[str, float]:
    return {"elo": summary.elo, "elo_low": summary.elo_low, "elo_high": summary.elo_high}


def as_text(report: dict[str, Any]) -> str:
    lines = [f"{report['a']} against {report['b']}, {report['game']}: {report['games']} games"]
    lines.append(f"  won {report['wins']}, drawn {report['draws']}, lost {report['losses']}")
    for player, reasons in report.get("faults", {}).items():
        if reasons:
            listed = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
            count = sum(reasons.values())
            lines.append(f"  {player.upper()}: {count} game{'s' if count > 1 else ''} lost by fault: {listed}")
    if report["score"] is None:
        return "\n".join([*lines, "  no pair is finished: there is no score yet"])
    lines.append("  pairs by points 0 ½ 1 1½ 2: " + " ".join(map(str, report["pairs"])))
    low, high = report["score_low"], report["score_high"]
    lines.append(f"  score {report['score']:.1%}, 95 % interval {low:.1%} … {high:.1%}")
    lines.append(f"  Elo {elo_text(report['elo'], report['elo_low'], report['elo_high'])}")
    if "sprt" in report:
        test = report["sprt"]
        lines.append(
            f"  SPRT {test['elo0']:g} … {test['elo1']:g}: LLR {test['llr']:.2f} in {test['lower']:.2f} … "
            f"{test['upper']:.2f}: {test['verdict']}"
        )
    return "\n".join(lines)


def elo_text(elo: float | None, low: float | None, high: float | None) -> str:
    """The difference with its interval; a perfect score has a bound on one side only."""
    best = f"{round(elo):+d}" if elo is not None else "+∞" if high is None else "−∞"
    lowest, highest = f"{round(low):+d}" if low is not None else "−∞", f"{round(high):+d}" if high is not None else "+∞"
    return f"{best}, 95 % interval {lowest} … {highest}"
