"""The command line: `tengen VERB …`, one file per verb in this folder.

A verb's file offers `add(verbs)`, which declares its arguments, and `run(args)`, which returns the exit code. A start
loads the file of its verb, and `tengen --help` every file, so whatever is slow to import is imported inside `run`.
"""

import argparse
import importlib
import math
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tengen.config import ConfigError, did_you_mean
from tengen.games import GameError, sources

VERBS = (
    *("app", "games", "check", "play", "analyze", "match", "engine", "tournament"),
    *("train", "hub", "worker", "status", "compare", "runs", "records", "score", "export"),
    *("perft", "solve", "bench", "doctor"),
)  # fmt: skip

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141


class UsageError(Exception):
    """Wrong input: shown as one line, exit code 2."""


class Parser(argparse.ArgumentParser):
    """Answers mistakes with one line and, where it can guess, the word that was meant."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def options(self) -> list[str]:
        return re.findall(r"--[a-z-]+", self.format_usage())

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"{self.prog}: {' '.join(message.split())}\n")


if TYPE_CHECKING:
    Verbs = argparse._SubParsersAction[Parser]  # argparse gives this type no public name
else:
    Verbs = argparse._SubParsersAction


class ShowVersion(argparse.Action):
    """`--version`, looked up only when asked for: reading package metadata would slow every start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"tengen {version('tengen')}")
        parser.exit()


def add_verb(
    verbs: Verbs, name: str, about: str, example: str, run: Callable[[argparse.Namespace], int], json: bool = True
) -> Parser:
    """Declares a verb: `about` is its line in `tengen --help`, `example` ends its own help."""
    parser = verbs.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".", epilog=example)
    if json:
        parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--rules",
        action="append",
        default=[],
        metavar="GAME",
        help="a game of your own that files may name: FILE.py, module:Class, openspiel:NAME(…), FILE.so (repeatable)",
    )
    parser.set_defaults(run=run)
    return parser


def add_game(parser: Parser) -> None:
    parser.add_argument(
        "game",
        metavar="GAME",
        help="NAME[:SIZE][,option=value…], such as connect4 or go:9,komi=7.5; or FILE.py",
    )


def add_settings(parser: Parser, flag: str = "--set", whose: str = "the search") -> None:
    parser.add_argument(
        flag, action="append", default=[], metavar="search.NAME=VALUE", help=f"change an option of {whose} (repeatable)"
    )


def add_engines(parser: Parser) -> None:
    parser.add_argument(
        "--engines",
        type=Path,
        metavar="FILE",
        help="where engine:NAME is looked up (default ~/.config/tengen/engines.toml)",
    )


def add_device(parser: Parser) -> None:
    parser.add_argument(
        "--device",
        default="auto",
        help="what runs networks: auto, fastest (measures what is, and remembers it), cpu, cuda, mps, openvino, "
        "onnxruntime or torch (default auto)",
    )


def device_for(device: str, *, long: bool) -> str:
    """In a long job it pays to measure what runs networks fastest, unless a device is named."""
    return "fastest" if device == "auto" and long else device


def number(kind: Callable[[str], float], low: float, high: float, what: str) -> Callable[[str], float]:
    """A reader of numbers in a range, for `add_argument(type=…)`."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return value

    return read


@contextmanager
def interruptible() -> Iterator[None]:
    """Lets Ctrl-C end the process inside a long C++ call, where Python would only notice it afterwards."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def make_parser(names: Sequence[str]) -> tuple[Parser, Verbs]:
    """The parser of these verbs. Loading all of them would make a first board wait for what it does not need."""
    parser = Parser(
        prog="tengen",
        description="Board games from their rules alone: play them, search them, count them, solve them.",
        epilog="example: tengen play connect4        help on a verb: tengen play --help",
    )
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="print the version and exit")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=Parser)
    for name in names:
        importlib.import_module(f"tengen.cli.{name}").add(verbs)
    return parser, verbs


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser, verbs = make_parser(argv[:1] if argv and argv[0] in VERBS else VERBS)
    if any(not is_text(word) for word in argv):
        parser.error("the arguments must be UTF-8 text")
    if not argv:
        parser.error(f"which verb? The verbs are {', '.join(VERBS)}; see tengen --help")
    if not argv[0].startswith("-") and argv[0] not in VERBS:
        parser.error(f"unknown verb {argv[0]!r}{did_you_mean(argv[0], VERBS)}; the verbs are {', '.join(VERBS)}")
    args, rest = parser.parse_known_args(argv)
    if rest:
        verb = verbs.choices[args.verb]
        what = "option" if rest[0].startswith("-") else "extra argument"
        verb.error(f"unknown {what} {rest[0]!r}{did_you_mean(rest[0], verb.options())}; see {verb.prog} --help")
    return args


def register_games(args: argparse.Namespace) -> None:
    """Games of one's own that were typed, or that installed packages offer, are known by their names from here on."""
    for failure in sources.load_installed():
        print(f"tengen: a game of an installed package is left out: {failure}", file=sys.stderr)
    for text in args.rules:
        sources.load(text)
    args.typed = getattr(args, "game", None)  # what a verb tells people to type again
    if isinstance(args.typed, str):
        args.game = known_id(args.typed)
    elif isinstance(args.typed, list):  # of games
        args.game = [known_id(text) for text in args.typed]


def known_id(text: str) -> str:
    return sources.load(text).id if sources.is_source(text) else text


def is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit code."""
    try:
        args = parse_arguments(sys.argv[1:] if argv is None else argv)
        register_games(args)
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # argparse after --help or an error
        return stop.code if isinstance(stop.code, int) else 0
    except (GameError, ConfigError, UsageError) as error:
        print(f"tengen {args.verb}: {' '.join(str(error).split())}", file=sys.stderr)
        return EXIT_USAGE
    except MemoryError:
        print(f"tengen {args.verb}: not enough memory; lower search.max_nodes or search.cache_mb", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader is gone (`tengen games | head -1`); Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
