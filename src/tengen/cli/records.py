"""`tengen records`: the games of a run, filtered, one line each."""

import argparse
import json
import sys
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tengen import games
from tengen.cli import UsageError, Verbs, add_verb, number

if TYPE_CHECKING:
    from tengen.records import GameRecord

EXAMPLE = """example: tengen records runs/connect4 --last 10
         tengen records runs/connect4 --result 1 --max-plies 12
         tengen records runs/connect4 --network 9c6be16d --json

A line holds: number, result for the first player (1, 0, -1), plies, last network, moves; random opening in brackets."""

HASH = 8  # digits of a network's hash that are shown


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "records", "list the self-play games of a training run", EXAMPLE, run)
    parser.add_argument("folder", metavar="RUN", type=Path, help="the run's folder, such as runs/connect4")
    count = number(int, 1, 10**9, "a whole number, 1 or more")
    parser.add_argument("--last", type=count, metavar="N", help="only the newest N of those that fit")
    parser.add_argument("--result", type=int, choices=(1, 0, -1), help="for the first player: won, drawn, lost")
    plies = number(int, 0, 10**6, "a whole number, 0 or more")
    parser.add_argument("--min-plies", type=plies, default=0, metavar="N", help="games at least this long")
    parser.add_argument("--max-plies", type=plies, default=10**6, metavar="N", help="games at most this long")
    parser.add_argument(
        "--network", default="", metavar="HASH", help="a move or more by the network whose hash begins so"
    )


def run(args: argparse.Namespace) -> int:
    from tengen.run.folder import RunDirectory

    directory = RunDirectory(args.folder)
    if not directory.exists():
        raise UsageError(f"{args.folder} is not a run of tengen train (it has no run.toml)")
    chosen = filter(chooser(args), read_records(directory.games))
    as_line = as_json if args.json else as_text
    for record in deque(chosen, args.last) if args.last else chosen:
        print(as_line(record))
    return 0


def read_records(folder: Path) -> "Iterator[GameRecord]":
    """All games in order; damaged files are named and left out."""
    from tengen.records.store import ChunkStore

    if not folder.is_dir():
        return
    for _, records in ChunkStore(folder).read(lambda path, why: print(f"{path}: {why}", file=sys.stderr)):
        yield from records


def chooser(args: argparse.Namespace) -> "Callable[[GameRecord], bool]":
    def fits(record: "GameRecord") -> bool:
        right_result = args.result is None or record.result == args.result
        right_length = args.min_plies <= len(record) <= args.max_plies
        return right_result and right_length and any(network.startswith(args.network) for network in record.networks)

    return fits


def as_text(record: "GameRecord") -> str:
    moves = record_moves(record)
    opening = [f"({' '.join(moves[: record.opening])})"] if record.opening else []
    played = " ".join([*opening, *moves[record.opening :]])
    ending = "" if record.ending == "end" else f" {record.ending}"
    return f"{record.number:8} {record.result:2} {len(record):3} {record.networks[-1][:HASH]} {played}{ending}"


def as_json(record: "GameRecord") -> str:
    fields: dict[str, object] = {name: getattr(record, name) for name in ("game", "number", "seed", "networks")}
    fields |= {"result": record.result, "ending": record.ending, "plies": len(record), "opening": record.opening}
    fields["moves"] = record_moves(record)
    fields |= {name: [round(x, 4) for x in getattr(record, name).tolist()] for name in ("q", "d", "m")}
    return json.dumps(fields | {"full": record.full.tolist(), "release": record.release.tolist()})


def record_moves(record: "GameRecord") -> list[str]:
    state, texts = games.make(record.game).start(), []
    for action in record.moves.tolist():
        texts.append(state.move_text(action))
        state.apply(action)
    return texts
