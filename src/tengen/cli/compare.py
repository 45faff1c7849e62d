"""`tengen compare`: runs next to each other at equal minutes, games and evaluations."""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli import UsageError, Verbs, add_verb
from tengen.cli.status import read_run
from tengen.config import did_you_mean

if TYPE_CHECKING:
    from tengen.run.compare import CurvePoint

EXAMPLE = """example: tengen compare runs/connect4 runs/big
         tengen compare runs/* --curve keeping_0 --svg curves.svg

Each table has a row per run and gives the latest value by then; it is empty where a run has not got so far.
Evaluations are those of networks in self-play. Curves are named as in tengen status --csv."""

MARKS = 5  # columns of a table: equal parts of the longest run


@dataclass(frozen=True)
class ComparedRun:
    name: str
    about: dict[str, Any]  # game, size, tags
    curves: "dict[str, list[CurvePoint]]"


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "compare", "show the curves of several training runs together", EXAMPLE, run)
    parser.add_argument("folders", metavar="RUN", type=Path, nargs="+", help="the runs' folders, such as runs/connect4")
    parser.add_argument("--curve", metavar="NAME", help="what to compare (default: elo, or loss where none has that)")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="draw the curves into this file")


def run(args: argparse.Namespace) -> int:
    from tengen.run.compare import AXES

    runs = [read_compared(folder) for folder in dict.fromkeys(args.folders)]
    curve = chosen_curve(args.curve, runs)
    points = {each.name: each.curves.get(curve, []) for each in runs}
    if args.svg:
        write_svg(args.svg, curve, points)
    if args.json:
        rows = [{"run": each.name, **each.about, "points": points_as_json(points[each.name])} for each in runs]
        print(json.dumps({"curve": curve, "curves": curve_names(runs), "runs": rows}))
        return 0
    show(runs, curve, [axis for axis in AXES if reach(points, axis) > 0])
    if args.svg:
        print(f"\ndrawn into {args.svg}")
    return 0


def read_compared(folder: Path) -> ComparedRun:
    from tengen.run.compare import worked_curves
    from tengen.run.folder import RunDirectory
    from tengen.run.report import describe_run
    from tengen.run.shelf import read_tags

    events = read_run(folder)
    told = describe_run(events)
    about = {name: told[name] for name in ("game", "size")} | {"tags": read_tags(RunDirectory(folder))}
    return ComparedRun(str(folder), about, worked_curves(events))


def chosen_curve(wanted: str | None, runs: list[ComparedRun]) -> str:
    from tengen.run.compare import usual_curve

    names = curve_names(runs)
    curve = wanted or usual_curve([each.curves for each in runs])
    if curve is None:
        raise UsageError("these runs have measured nothing yet")
    if curve not in names:
        raise UsageError(f"no run has a curve {curve!r}{did_you_mean(curve, names)}; curves are {', '.join(names)}")
    return curve


def curve_names(runs: list[ComparedRun]) -> list[str]:
    return sorted({name for each in runs for name in each.curves})


def points_as_json(points: "list[CurvePoint]") -> list[dict[str, Any]]:
    return [point._asdict() for point in points]


def write_svg(file: Path, curve: str, points: "dict[str, list[CurvePoint]]") -> None:
    from tengen.cli.chart import draw_curves
    from tengen.files import write_durably

    try:
        write_durably(file, draw_curves(curve, points).encode())
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}") from None


def reach(points: "dict[str, list[CurvePoint]]", axis: str) -> float:
    """How far the longest run has got."""
    return max((getattr(each[-1], axis) for each in points.values() if each), default=0)


def show(runs: list[ComparedRun], curve: str, axes: list[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from tengen.cli.curves import printable, short
    from tengen.run.compare import value_at

    console = Console(highlight=False)
    if len({each.about["game"] for each in runs}) > 1:
        print("These runs learn different games: their numbers do not mean the same.\n")
    points = {each.name: each.curves.get(curve, []) for each in runs}
    for axis in axes:
        marks = [reach(points, axis) * (part / MARKS) for part in range(1, MARKS + 1)]
        table = Table(f"{curve} after {axis}", box=box.SIMPLE_HEAD, pad_edge=False)
        for mark in marks:
            table.add_column(short(mark), justify="right")
        for name, known in points.items():
            table.add_row(Text(printable(name)), *(value_text(value_at(known, axis, mark)) for mark in marks))
        console.print(table)
    for each in runs:
        tags = "".join(f" #{tag}" for tag in each.about["tags"])
        print(f"{printable(each.name)}: {each.about['game']}, network {each.about['size']}{tags}")


def value_text(point: "CurvePoint | None") -> str:
    from tengen.cli.curves import short

    if point is None:
        return ""
    return short(point.value) if point.error is None else f"{short(point.value)} ± {short(point.error)}"
