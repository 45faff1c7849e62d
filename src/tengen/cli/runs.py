"""`tengen runs`: which runs there are; other names and tags for them; and how one is deleted."""

import argparse
import json
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli import UsageError, Verbs, add_verb

if TYPE_CHECKING:
    from tengen.run.folder import RunDirectory

EXAMPLE = """example: tengen runs                                    those in runs/; another folder: --runs DIR
         tengen runs rename runs/connect4 wide-net
         tengen runs tag runs/wide-net baseline "48x5"   these are its tags now; without any it has none
         tengen runs delete runs/wide-net                asks first; --yes does not

A run that is being trained is neither renamed nor deleted. Nothing but a run's folder is deleted, and that whole."""

USAGE = "tengen runs, runs rename RUN NAME, runs tag RUN [TAG…], or runs delete RUN [--yes]"


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "runs", "list, rename, tag and delete training runs", EXAMPLE, run)
    parser.add_argument("words", metavar="ORDER", nargs="*", help="list (default), rename, tag or delete; see below")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="list: where runs are (default %(default)s)"
    )
    parser.add_argument("--yes", action="store_true", help="delete: do not ask")


def run(args: argparse.Namespace) -> int:
    from tengen.run.folder import RunDirectory, RunError
    from tengen.run.shelf import list_runs, rename_run, write_tags

    try:
        match args.words:
            case [] | ["list"]:
                show([describe(name, each) for name, each in list_runs(args.runs).items()], args)
            case ["rename", folder, name]:
                said = rename_run(RunDirectory(Path(folder)), name)
                tell(args, {"run": str(Path(folder).with_name(name))}, f"{folder} is {said.path} now")
            case ["tag", folder, *tags]:
                known = write_tags(RunDirectory(Path(folder)), tags)
                tell(args, {"run": folder, "tags": known}, f"{folder}: {', '.join(known) or 'no tags'}")
            case ["delete", folder]:
                delete(RunDirectory(Path(folder)), args)
            case _:
                raise UsageError(USAGE)
    except RunError as error:
        raise UsageError(str(error)) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror or error}") from None
    return 0


def describe(name: str, run: "RunDirectory") -> dict[str, Any]:
    """What the list says of a run; a run that has told nothing yet has only its name and tags."""
    from tengen.run.events import Measured, Started
    from tengen.run.journal import read_events
    from tengen.run.report import describe_run
    from tengen.run.shelf import read_tags

    row: dict[str, Any] = {"run": str(run.path), "name": name, "training": run.is_locked(), "tags": read_tags(run)}
    with suppress(OSError, sqlite3.Error):
        events = read_events(run.database)
        if any(isinstance(event, Started) for event in events):
            told = describe_run(events)
            row |= {key: told[key] for key in ("game", "size", "progress", "minutes", "games")}
            elos = [event.elo for event in events if isinstance(event, Measured) and event.elo is not None]
            row["elo"] = elos[-1] if elos else None
    return row


def show(rows: list[dict[str, Any]], args: argparse.Namespace) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from tengen.cli.curves import short
    from tengen.cli.dashboard import duration

    if args.json:
        print(json.dumps(rows))
        return
    if not rows:
        print(f"no runs in {args.runs}; tengen train GAME begins one")
        return
    table = Table("run", "game", "network", "done", "time", "games", "Elo", "tags", box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        told = ["", "", "", "", "", ""]
        if "game" in row:
            done = f"{row['progress']:.0%}{' …' if row['training'] else ''}"
            elo = "" if row["elo"] is None else f"{row['elo']:.0f}"
            told = [row["game"], row["size"], done, duration(row["minutes"]), short(row["games"]), elo]
        table.add_row(Text(row["name"]), *told, Text(", ".join(row["tags"])))
    Console(highlight=False).print(table)


def delete(run: "RunDirectory", args: argparse.Namespace) -> None:
    from tengen.run.shelf import check_deletable, delete_run

    check_deletable(run)
    if not args.yes:
        if not sys.stdin.isatty():
            raise UsageError(f"{run.path} is deleted for good; say --yes")
        row = describe(run.path.name, run)
        what = f"{row['game']}, {row['minutes']:.1f} minutes, {row['games']} games" if "game" in row else "nothing yet"
        print(f"Delete {run.path} ({what}) for good? Type yes: ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() != "yes":
            raise UsageError("nothing was deleted")
    delete_run(run)
    tell(args, {"deleted": str(run.path)}, f"{run.path} is deleted")


def tell(args: argparse.Namespace, told: dict[str, Any], words: str) -> None:
    print(json.dumps(told) if args.json else words)
