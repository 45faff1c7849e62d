"""`tengen analyze FILE.sgf… | FOLDER`: whole games, written back with what a search thinks of every move."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen import games
from tengen.cli import EXIT_INTERRUPTED, EXIT_USAGE, UsageError
from tengen.games import GameError

if TYPE_CHECKING:
    from tengen.cli.progress import Show
    from tengen.search.agent import Agent

Make = Callable[[argparse.Namespace, games.Game], tuple[str, "Agent"]]

SUFFIX, ANALYZED = ".sgf", ".analyzed.sgf"


def names_files(word: str) -> bool:
    """Does a word name files, not a game? A folder that is called as a game is not meant: ./connect4 would be."""
    if word.lower().endswith(SUFFIX):
        return True
    try:
        games.make(word)
    except GameError:
        return is_folder(word)
    return False


def is_folder(word: str) -> bool:
    try:
        return Path(word).is_dir()
    except OSError:  # a name too long for any
        return False


@dataclass
class Run:
    """What became of the files so far."""

    searcher: Callable[[games.Game], tuple["Agent", str]]
    show: "Show"
    files: int
    read: int = 0  # files
    moves: int = 0  # of the games that were read
    judged: int = 0  # moves
    rows: list[dict[str, Any]] = field(default_factory=list)
    failed: int = 0

    def tell(self, name: str) -> None:
        """The games that are still to be read are taken for as long as the others."""
        left = (self.files - self.read) * self.moves / max(1, self.read)
        self.show(self.judged, round(self.moves + left), name)


def run_files(args: argparse.Namespace, make: Make) -> int:
    from tengen.cli.progress import progress

    if args.position is not None or args.tree is not None:
        raise UsageError("--position and --tree are for a position, not for files of games")
    jobs = dict(targets([args.game, *args.moves], args.out))
    with progress("moves") as show:
        run = Run(one_at_a_time(args, make), show, len(jobs))
        interrupted = analyze_all(jobs, run)
    if args.json:
        print(json.dumps(run.rows, indent=2))
    else:
        show_table([row for row in run.rows if "error" not in row], args.out)
    return EXIT_INTERRUPTED if interrupted else EXIT_USAGE if run.failed else 0


def targets(words: Sequence[str], out: Path | None) -> Iterator[tuple[Path, Path]]:
    """Every file with the one that will be written for it. No file is written that is also read."""
    sources = {os.path.realpath(source): source for word in words for source in find(word)}
    if not sources:
        raise UsageError(f"nothing to analyze: files NAME{ANALYZED} are results")
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot make the folder {shown(out)}: {error.strerror}") from None
    written: dict[str, Path] = {}
    for source in sources.values():
        target = (out or source.parent) / (source.name[: -len(SUFFIX)] + ANALYZED)
        place = f"{os.path.realpath(target.parent)}{os.sep}{target.name}"
        if place in sources:
            raise UsageError(f"{shown(target)} would be overwritten, which is to be read too; choose another --out")
        if place in written:
            raise UsageError(f"{shown(source)} and {shown(written[place])} would both become {shown(target)}")
        written[place] = source
        yield source, target


def find(word: str) -> list[Path]:
    """A file, or those of a folder that are not hidden; results of an earlier run are left out, as in *.sgf."""
    path = Path(word)
    if not is_folder(word):
        if not word.lower().endswith(SUFFIX):
            raise UsageError(f"{shown(path)} is neither a file .sgf nor a folder")
        return [] if is_result(word) else [path]
    try:
        inside = sorted(path.iterdir())
    except OSError as error:
        raise UsageError(f"cannot read the folder {shown(path)}: {error.strerror}") from None
    found = [each for each in inside if each.name.lower().endswith(SUFFIX) and not each.name.startswith(".")]
    if not found:
        raise UsageError(f"there is no file .sgf in the folder {shown(path)}")
    return [each for each in found if not is_result(each.name)]


def is_result(name: str) -> bool:
    return name.lower().endswith(ANALYZED)


def one_at_a_time(args: argparse.Namespace, make: Make) -> Callable[[games.Game], tuple["Agent", str]]:
    """Who searches a game, and how files name it: without its path, which is nobody's business. The last one is kept
    for the next file."""
    from tengen.play.players import find_kind

    last: dict[str, tuple[Agent, str]] = {}

    def searcher(game: games.Game) -> tuple["Agent", str]:
        if game.id not in last:
            last.clear()
            spec, agent = make(args, game)
            kind = find_kind(spec)
            last[game.id] = (agent, kind.name if kind else spec)
        return last[game.id]

    return searcher


def analyze_all(jobs: dict[Path, Path], run: Run) -> bool:
    """True where Ctrl-C ended it: what was finished is written."""
    try:
        for source, target in jobs.items():
            name = shown(source)
            try:
                run.rows += analyze_file(source, target, run)
            except (GameError, OSError) as error:
                reason = what_is_wrong(error)
                print(f"tengen analyze: {name}: {reason}", file=sys.stderr, flush=True)
                run.rows.append({"file": name, "error": reason})
                run.failed += 1
    except KeyboardInterrupt:
        return True
    return False


def what_is_wrong(error: GameError | OSError) -> str:
    from tengen.kifu import KifuError

    where = f"move {error.params['ply'] + 1}: " if isinstance(error, KifuError) and "ply" in error.params else ""
    reason = error.strerror if isinstance(error, OSError) else error
    return where + " ".join(str(reason).split())


def analyze_file(source: Path, target: Path, run: Run) -> list[dict[str, Any]]:
    """All games of a file; it is written when the last one is finished."""
    from tengen.files import write_durably
    from tengen.kifu.annotated import Annotated
    from tengen.kifu.grammar import games_in
    from tengen.kifu.sgf_file import read_sgf_file
    from tengen.play.annotating import annotate

    run.read += 1
    texts = games_in(read_sgf_file(source))
    # Each is read twice: bad ones are told before any is searched, and no two are held at once.
    moves = sum(len(Annotated(text).moves) for text in texts)
    run.moves += moves
    name, before = shown(source), run.judged
    rows: list[dict[str, Any]] = []
    analyzed: list[str] = []

    def told(done: int) -> None:
        run.judged = before + sum(row["moves"] for row in rows) + done
        run.tell(name)

    try:
        for number, text in enumerate(texts, 1):
            told(0)
            record = Annotated(text)
            found = annotate(record, *run.searcher(record.game), told)
            of = {"number": number} if len(texts) > 1 else {}
            rows.append({"file": name, **of, "out": shown(target), **found})
            analyzed.append(record.text())
        write_durably(target, "".join(analyzed).encode())
    finally:
        run.judged = before + moves
    return rows


def shown(path: Path) -> str:
    """A name as one line of text, whatever characters it holds."""
    return "".join(letter if letter.isprintable() else "�" for letter in str(path))


def show_table(rows: Sequence[dict[str, Any]], out: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    console = Console(highlight=False)
    table = Table(box=None, header_style="bold")
    for title in ("file", "game", "moves", "accuracy", "inaccuracies", "mistakes", "blunders"):
        table.add_column(title, justify="left" if title in ("file", "game") else "right", overflow="fold")
    for row in rows:
        number = f" ({row['number']})" if "number" in row else ""
        marks = ["-" if each is None else f"{each:.1f}" for each in row["accuracy"].values()]
        counts = [":".join(map(str, row["mistakes"][kind].values())) for kind in ("inaccuracy", "mistake", "blunder")]
        cells = (Path(row["file"]).name + number, row["game"], row["moves"], ":".join(marks), *counts)
        table.add_row(*(Text(str(cell)) for cell in cells))
    console.print(table)
    where = "beside its file" if out is None else f"in {shown(out)}"
    console.print(f"Black:White. Each game is written {where} as NAME{ANALYZED}", markup=False, soft_wrap=True)
