"""`tengen tournament`: many players, their Elo, a table of who beat whom, and a page with all games."""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli import EXIT_INTERRUPTED, UsageError, Verbs, add_engines, add_verb

if TYPE_CHECKING:
    from tengen.play.tournament import PlayedGame, TournamentFolder

EXAMPLE = """example: tengen tournament cup.toml, where cup.toml says

         game = "connect4"
         games = 20                    # for each pairing, every opening twice with colours swapped
         system = "round robin"        # or "gauntlet": the first player, or gauntlet = "NAME", meets all others
         [[players]]
         player = "mcts:1000"
         [[players]]
         name = "careful"
         player = "shipped@200"
         settings = ["search.c_init=1.5"]
         [[players]]
         player = "engine:gnugo"       # a program of your engines.toml

Also: seed, opening_plies, anchor = "NAME" (whose Elo is 0; otherwise the mean of all players is). Every finished game
is kept at once, and the same command resumes; players may be added meanwhile. The folder gets table.txt, results.json,
games.sgf and report.html, where all games can be clicked through."""

LARGEST_FILE = 1 << 20  # bytes


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "tournament", "let many players meet, with an Elo table and a page", EXAMPLE, run)
    parser.add_argument("file", metavar="FILE.toml", type=Path, help="who plays what, see below")
    parser.add_argument("--out", metavar="DIR", type=Path, help="where games and tables go (default: FILE)")
    add_engines(parser)


def run(args: argparse.Namespace) -> int:
    from tengen.play.outside.named import use_engines
    from tengen.play.tournament import check_players, open_folder, openings_of, read_plan, table_text, write_reports

    use_engines(args.engines)
    plan = read_plan(read_file(args.file))
    out = args.out or args.file.with_suffix("")
    if out == args.file:
        raise UsageError(f"where shall the games of {args.file} go? Name a folder: --out DIR")
    openings = openings_of(plan)
    check_players(plan)
    try:
        with open_folder(out, plan) as folder:
            complete = play_rest(folder, openings)
            table = write_reports(folder)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or out}: {error.strerror or error}") from None
    print(json.dumps(table.to_dict()) if args.json else table_text(table))
    if not args.json:
        print(f"\nall games to click through: {out / 'report.html'}")
    if not complete:
        print("not over yet: the same command resumes", file=sys.stderr)
    return 0 if complete else EXIT_INTERRUPTED


def read_file(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    if len(data) > LARGEST_FILE:
        raise UsageError(f"{file} is no plan of a tournament: it is larger than {LARGEST_FILE >> 20} MB")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text") from None


def play_rest(folder: "TournamentFolder", openings: list[tuple[int, ...]]) -> bool:
    """To the end, or until Ctrl-C."""
    from tengen.play.tournament import play_rounds

    with suppress(KeyboardInterrupt), shown_progress(folder) as told:
        return play_rounds(folder, openings, told)
    return False


@contextmanager
def shown_progress(folder: "TournamentFolder") -> Iterator[Callable[[Sequence["PlayedGame"]], None]]:
    """A bar on a terminal, elsewhere a line after each pairing."""
    from tengen.cli.progress import progress

    begun, before, total = time.monotonic(), len(folder.games), len(folder.plan.pairings()) * folder.plan.games
    scores: defaultdict[tuple[str, str], Counter[float]] = defaultdict(Counter)  # games by the first's points
    for game in folder.games:
        scores[game.first, game.second][game.points] += 1
    with progress("games", total) as show:
        show(before, total)

        def told(new: Sequence["PlayedGame"]) -> None:
            first, second = new[0].first, new[0].second
            score = scores[first, second]
            score.update(game.points for game in new)
            note = f"{first} – {second} +{score[1]} ={score[0.5]} −{score[0]}"
            done = len(folder.games)
            show(done, total, note)
            if score.total() == folder.plan.games and not sys.stderr.isatty():
                left = (total - done) * (time.monotonic() - begun) / (done - before)
                print(f"{done} of {total} games, {note}, {timedelta(seconds=round(left))} left", file=sys.stderr)

        yield told
