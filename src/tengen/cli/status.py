"""`tengen status`: how a run is doing, from what it wrote down; it may be training meanwhile, or have been killed."""

import argparse
import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from tengen.cli import UsageError, Verbs, add_verb, phrases

if TYPE_CHECKING:
    from tengen.run.events import Event
    from tengen.run.health import Check, Health
    from tengen.run.report import FleetWorker

EXAMPLE = """example: tengen status runs/connect4
         tengen status runs/connect4 --json
         tengen status runs/connect4 --csv > curves.csv     every point of every curve"""

# What a person calls the numbers that health looks at.
CHECKS = {
    "loss": "policy loss, now ÷ at first",
    "entropy": "policy entropy",
    "explained_variance": "explained variance",
    "kl": "change per release (KL)",
    "draws": "draws",
    "first_player": "first player's score",
    "batch_fill": "batches full",
    "replay_age": "age of samples, share of the run",
    "playing_share": "time spent playing",
    "unread_chunks": "chunks of games left out",
}


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "status", "show the curves and the health of a training run", EXAMPLE, run)
    parser.add_argument("folder", metavar="RUN", type=Path, help="the run's folder, such as runs/connect4")
    parser.add_argument("--csv", action="store_true", help="print every point of every curve as CSV")
    parser.add_argument("--lang", choices=phrases.PHRASES, help="language of the verdict (default: the environment's)")


def run(args: argparse.Namespace) -> int:
    from tengen.run.folder import RunDirectory
    from tengen.run.health import assess
    from tengen.run.report import describe_run, last_turn, read_fleet, resignations

    if args.json and args.csv:
        raise UsageError("--json or --csv, not both")
    events = read_run(args.folder)
    if args.csv:
        write_csv(events)
        return 0
    health, language = assess(events), args.lang or phrases.language()
    report = {"run": str(args.folder), **describe_run(events)}
    fleet = read_fleet(RunDirectory(args.folder))
    if args.json:
        told = {"health": health.to_dict(language), **details(events), "workers": to_builtins(fleet)}
        told["resignations"] = resignations(last_turn(events))
        print(json.dumps(report | told, ensure_ascii=False))
    else:
        show(report, events, health, language, fleet)
    return 0


def write_csv(events: "list[Event]") -> None:
    """A row per point; the columns are the same for every run, so that files can be put together."""
    import csv
    import sys

    from tengen.run.compare import AXES, worked_curves

    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["curve", "step", *AXES, "value"])
    for name, points in worked_curves(events).items():
        rows.writerows([name, point.step, *(getattr(point, axis) for axis in AXES), point.value] for point in points)


def read_run(folder: Path) -> "list[Event]":
    from tengen.run.events import Started
    from tengen.run.folder import RunDirectory
    from tengen.run.journal import read_events

    directory = RunDirectory(folder)
    if not directory.exists():
        raise UsageError(f"{folder} is not a run of tengen train (it has no run.toml)")
    try:
        events = read_events(directory.database)
    except OSError as error:
        raise UsageError(f"{directory.database}: {error.strerror}; this run has written down nothing yet") from None
    except sqlite3.Error as error:
        raise UsageError(f"{directory.database}: {error}") from None
    if not any(isinstance(event, Started) for event in events):
        raise UsageError(f"{directory.database}: this run has written down nothing yet")
    return events


def details(events: "list[Event]") -> dict[str, Any]:
    """Curves as lists of [minutes, value], and every measurement."""
    from tengen.cli.curves import CURVES
    from tengen.run.events import Measured, Warned
    from tengen.run.report import series, thinned

    curves = {name: series(events, name) for name in CURVES}
    return {
        "curves": {name: thinned(points) for name, points in curves.items() if points},
        "measurements": [
            {"minutes": event.minutes, "step": event.step, **event.values()}
            for event in events
            if isinstance(event, Measured)
        ],
        "warnings": [event.reason for event in events if isinstance(event, Warned)],
    }


def show(
    report: dict[str, Any], events: "list[Event]", health: "Health", language: str, fleet: "list[FleetWorker]"
) -> None:
    from rich.console import Console

    from tengen.cli.curves import curves_table, short, strength_table
    from tengen.cli.dashboard import duration
    from tengen.run.report import last_turn, resignations_text

    console = Console(highlight=False)
    heard = "" if report["state"] != "going on" else f", heard of {duration(report['heard_of_seconds_ago'] / 60)} ago"
    print(f"{report['game']}, network {report['size']}, {report['run']}: {report['state']}{heard}")
    print(
        f"{plan_text(report)}; {report['step']} steps, {short(report['games'])} games, "
        f"{short(report['positions'])} positions"
    )
    if checked := resignations_text(last_turn(events)):
        print(checked)
    tables = (strength_table(events, columns=6), curves_table(events), checks_table(health.checks), fleet_table(fleet))
    for table in tables:
        if table is not None and table.row_count:
            print()
            console.print(table)
    print()
    for line in (health.sentence(language), *health.notes(language)):
        print(line)


def plan_text(report: dict[str, Any]) -> str:
    """How much of the plan is done; what a run took beyond it stands apart.

    >>> plan_text({"progress": 1, "minutes": 3.7, "plan": {"unit": "minutes", "done": 3, "planned": 3, "over": 0.7}})
    '100% of 3 min, and 42 s more to finish and measure'
    """
    from tengen.cli.dashboard import duration

    plan = report["plan"]
    if plan["unit"] == "steps":
        return f"{report['progress']:.0%} of {plan['planned']} steps in {duration(report['minutes'])}"
    over = f", and {duration(plan['over'])} more to finish and measure" if plan["over"] > 0 else ""
    done = "" if over else f": {duration(plan['done'])}"
    return f"{report['progress']:.0%} of {duration(plan['planned'])}{done}{over}"


def checks_table(checks: "tuple[Check, ...]") -> Any:
    from rich import box
    from rich.table import Table

    table = Table("health", "now", "expected", "", box=box.SIMPLE_HEAD, pad_edge=False)
    for check in checks:
        if check.value is not None:
            row = check.to_dict()
            low, high = ("" if row[end] is None else f"{row[end]:g}" for end in ("low", "high"))
            table.add_row(CHECKS[check.name], f"{check.value:.3g}", f"{low} … {high}", "" if check.ok else "!")
    return table


def fleet_table(fleet: "list[FleetWorker]") -> Any:
    """Empty for a run that has no workers elsewhere."""
    from rich import box
    from rich.table import Table

    from tengen.cli.curves import short

    columns = ("worker", "players", "simulations/s", "games", "refused", "searched again", "waiting", "")
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for each in fleet:
        numbers = (each.simulations_per_second, each.games, each.refused, each.checked, each.waiting)
        table.add_row(
            each.name, str(each.players), *map(short, numbers), "barred" if each.barred else "held" if each.held else ""
        )
    return table
