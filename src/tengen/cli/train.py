"""`tengen train`: from nothing to a network that plays, live on the screen; the same command goes on with a run."""

import argparse
import shlex
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli import EXIT_INTERRUPTED, Parser, UsageError, Verbs, add_device, add_verb, device_for, number, phrases
from tengen.games import Family, Game, rules_of, sources

if TYPE_CHECKING:
    from tengen.cli.dashboard import Screen
    from tengen.run.folder import RunDirectory
    from tengen.run.settings import RunConfig
    from tengen.train.loop import MakeHub, Trainer

EXAMPLE = """example: tengen train connect4                      one hour, in runs/connect4
         tengen train connect4 --minutes 120        the same run goes on to two hours
         tengen train connect4 --size 48x5 --minutes 180   and then with a larger network, which forgets nothing
         tengen train connect4 --from shipped --run runs/on   begins with a network instead of from zero
         tengen train go:5-9                        one network for five board sizes, the smallest first
         tengen train gomoku:9 --size 3 --run runs/big --set learner.rate=1e-3
         tengen train go:9 --ray auto               with players on the Ray cluster of this machine

Ctrl-C saves and ends; the same command goes on. Every option is in docs/training.md, and in run.toml of the run."""

MAY_CHANGE = {"loop.minutes", "loop.steps", "loop.size"}  # what may change when a run goes on
MADE_BY_THE_LOCK = {"lock", "networks"}  # all that a new run's folder holds if it is ended before it begins
MADE_BY_TOKENS = {"hub.sqlite", "hub.sqlite-shm", "hub.sqlite-wal"}  # of a hub that has not begun
LONG_MINUTES = 5  # of a run by the clock, before which it pays to measure what runs its networks fastest
NEEDED = ("torch", "safetensors", "onnxruntime")


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "train", "learn a game from its rules alone", EXAMPLE, run)
    parser.add_argument(
        "game", metavar="GAME", help="NAME[:SIZE][,option=value…]; a range of sizes is one network for all: go:5-9"
    )
    add_training_options(parser)
    parser.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="play on a Ray cluster (auto: this machine's; without an address one is started here)",
    )


def add_training_options(parser: Parser) -> None:
    length = parser.add_mutually_exclusive_group()
    minutes = number(float, 0.01, 1e6, "a number of minutes from 0.01 to 1000000")
    length.add_argument("--minutes", type=minutes, metavar="M", help="length of the run (default: by the game)")
    steps = number(int, 1, 10**12, "a whole number, 1 or more")
    length.add_argument("--steps", type=steps, metavar="N", help="length in steps of the learner instead")
    parser.add_argument("--run", type=Path, metavar="DIR", dest="folder", help="the run's folder (default: runs/GAME)")
    parser.add_argument("--size", metavar="S", help="the network: 1 to 6, or CHANNELSxBLOCKS (default: by the game)")
    parser.add_argument("--from", metavar="NET", dest="start", help="a new run begins with this file (or: shipped)")
    parser.add_argument("--seed", type=number(int, 0, 2**63, "a whole number, 0 or more"), help="(default 0)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="SECTION.NAME=VALUE", help="change any option (repeatable)"
    )
    add_device(parser)
    parser.add_argument("--lang", choices=phrases.PHRASES, help="language of the verdict (default: the environment's)")


def run(args: argparse.Namespace, make_hub: "MakeHub | None" = None) -> int:
    """`make_hub`: who plays; by default this process."""
    if missing := [module for module in NEEDED if not find_spec(module)]:
        raise UsageError(f"training needs {', '.join(missing)}; pip install 'tengen[train]'")
    if getattr(args, "ray", None) is not None:
        make_hub = ray_hub(args.ray, Family.parse(args.game).largest)
    from tengen._core import SelfPlay
    from tengen.files import write_durably
    from tengen.preset import file_name
    from tengen.run.folder import RunDirectory, RunError
    from tengen.run.settings import RunConfig

    family = Family.parse(args.game)
    if make_hub is not None and len(family.games) > 1:
        raise UsageError(f"players elsewhere play one board size, not {family.id}; use tengen train without --ray")
    folder = args.folder or Path("runs") / file_name(family.id)
    directory, changes = RunDirectory(folder), wanted_options(args)
    start = starting_network(args.start, family, changes) if args.start else None
    fresh = RunConfig.of(family).with_values(changes)
    # Refuses proofs where a game has none, before anything is written.
    SelfPlay.exact_values(family.largest, fresh.selfplay, [])
    check_machine(family, fresh, args.device)
    try:
        refuse_strange_folder(directory)
        with directory.locked():
            if directory.exists():
                if start is not None:
                    raise UsageError(f"{folder} has begun already; leave --from out, or use --run DIR for another run")
                with directory.changing():
                    adopt_changes(directory, fresh.game, changes)
            else:
                if start is not None:
                    write_durably(directory.start, start)
                directory.configure(fresh)
            return train_here(directory, args, make_hub)
    except RunError as error:
        raise UsageError(str(error)) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        what = f"{error.filename or folder}: {error.strerror or error}"
        raise UsageError(f"{what}; nothing that was saved is lost, and the same command goes on") from None


def starting_network(name: str, family: Family, changes: dict[str, dict[str, Any]]) -> bytes:
    """A network that a run can begin with; the run's is of its size unless a larger one is asked for. Raises
    NetworkError."""
    from tengen.net.file import NetworkFile, shipped_network
    from tengen.net.tower.export import sample_planes
    from tengen.net.tower.grow import check_growth
    from tengen.net.tower.unfold import unfold

    path = shipped_network(family) if name == "shipped" else Path(name)
    if path is None:
        raise UsageError(f"no network ships for {family.id}")
    file = NetworkFile.load(path)
    unfold(file, family, sample_planes(family.largest, 2))
    check_growth(file.size, str(changes.setdefault("loop", {}).setdefault("size", file.size)))
    return file.data


def ray_hub(address: str, game: Game) -> "MakeHub":
    if not find_spec("ray"):
        raise UsageError("--ray needs Ray; pip install 'tengen[ray]'")
    if rules_of(game) and game.id not in sources.installed():
        raise UsageError(
            f"players on a cluster know the games of installed packages only; offer {game.id} in one, through the "
            f"entry-point group {sources.GROUP}"
        )
    from tengen.hub.ray import RayHub

    return partial(RayHub, address=address or None)


def wanted_options(args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """What the command line asks for, by section and name. `--minutes` and `--steps` also say which of them counts."""
    from tengen.config import split_settings
    from tengen.run.settings import SECTIONS

    options: dict[str, dict[str, Any]] = dict(split_settings(args.set, SECTIONS))
    flags: dict[str, Any] = {"size": args.size, "seed": args.seed, "minutes": args.minutes, "steps": args.steps}
    given = {name: value for name, value in flags.items() if value is not None}
    if args.minutes is not None:
        given["steps"] = 0
    if given:
        options["loop"] = options.get("loop", {}) | given
    return options


def check_machine(family: Family, config: "RunConfig", device: str) -> None:
    """What would fail later fails before anything is written."""
    from tengen.net.evaluator import DEVICES
    from tengen.net.shape import NetworkShape
    from tengen.train.loop import learning_device
    from tengen.train.strength import check_engine

    check_engine(config.measure, family.largest)
    NetworkShape.of(family, config.loop.size)
    if device not in DEVICES:
        raise UsageError(f"unknown device {device!r}; devices are {', '.join(DEVICES)}")
    learning_device(device)


def refuse_strange_folder(run: "RunDirectory") -> None:
    """A folder with other things in it is no place for a new run, nor is what is left of another."""
    if run.path.is_dir() and not run.exists():
        expected = MADE_BY_THE_LOCK | MADE_BY_TOKENS
        drafts = f".{run.config_file.name}."  # a kill may have left one
        names = (entry.name for entry in run.path.iterdir())
        others = sorted(name for name in names if name not in expected and not name.startswith(drafts))
        if others:
            raise UsageError(f"{run.path} is not a run and not empty (it holds {others[0]}); use --run DIR")


def adopt_changes(run: "RunDirectory", game: str, changes: dict[str, dict[str, Any]]) -> None:
    """Goes on with what run.toml says; a run may become longer and its network larger,
    everything else would be another run."""
    from tengen.net.tower.grow import check_growth

    old = run.config()
    if old.game != game:
        raise UsageError(f"{run.path} trains {old.game}, not {game}; use --run DIR for another run")
    new = old.with_values(changes)
    before, after = _flat(old), _flat(new)
    differing = [name for name in before if before[name] != after[name]]
    if others := [name for name in differing if name not in MAY_CHANGE]:
        listed = ", ".join(f"{name} = {before[name]}, not {after[name]}" for name in others)
        raise UsageError(f"{run.path} was begun with {listed}; leave that out, or use --run DIR for another run")
    check_growth(old.loop.size, new.loop.size)
    if differing:
        run.configure(new)


def _flat(config: "RunConfig") -> dict[str, Any]:
    return {f"{section}.{name}": value for section, part in config.to_dict().items() for name, value in part.items()}


def train_here(run: "RunDirectory", args: argparse.Namespace, make_hub: "MakeHub | None") -> int:
    """One sitting, with everything that listens to it."""
    from tengen.hub.local import LocalHub
    from tengen.run.events import Warned
    from tengen.run.journal import RunDatabase, TensorBoard, fan_out
    from tengen.train.loop import Trainer
    from tengen.train.strength import Measurer

    screen, loop = make_screen(run, args), run.config().loop

    def warn(reason: str) -> None:
        screen(Warned(0, 0.0, reason=reason))

    with stop_on_signals() as stop, screen.shown():
        keepers: list[Any] = [RunDatabase(run.database, warn)]
        if TensorBoard.installed():
            keepers.append(TensorBoard(run.tensorboard, warn))
        try:
            listen = fan_out(*keepers, screen)
            trainer = Trainer(
                run,
                listen,
                measure=Measurer(run, args.device),
                stop=stop.event,
                device=device_for(args.device, long=loop.steps == 0 and loop.minutes >= LONG_MINUTES),
                make_hub=make_hub or LocalHub,
            )
            screen.watch(lambda: "stopping; Ctrl-C again ends at once" if stop.event.is_set() else trainer.phase)
            went_on = trainer.progress < 1
            if went_on:
                trainer.train()
        finally:
            for keeper in keepers:
                keeper.close()
    screen.say(farewell(trainer, args, went_on))
    return 128 + stop.signal if stop.event.is_set() else 0


def make_screen(run: "RunDirectory", args: argparse.Namespace) -> "Screen":
    import sqlite3

    from rich.console import Console

    from tengen.cli.dashboard import Dashboard, JsonLines, Lines
    from tengen.run.journal import read_events

    if args.json:
        return JsonLines()
    earlier = []
    with suppress(OSError, sqlite3.Error):  # curves begin anew; Database will warn
        earlier = read_events(run.database)
    console, language = Console(), args.lang or phrases.language()
    if console.is_terminal and not console.is_dumb_terminal:
        config = run.config()
        return Dashboard(console, f"{config.game} · network {config.loop.size} · {run.path}", language, earlier)
    return Lines(language, earlier)


class StopKeys:
    """Ctrl-C or SIGTERM: the first asks for an orderly end, the second ends at once."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.signal = EXIT_INTERRUPTED - 128

    def __call__(self, number: int, frame: object) -> None:
        if self.event.is_set():
            raise KeyboardInterrupt
        self.signal = number
        self.event.set()


@contextmanager
def stop_on_signals() -> Iterator[StopKeys]:
    stop = StopKeys()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def farewell(trainer: "Trainer", args: argparse.Namespace, went_on: bool) -> str:
    """Where the run stands, and the command that goes on with it."""
    loop, run = trainer.config.loop, trainer.run
    again = shlex.join(["tengen", args.verb, args.typed, *(["--run", str(args.folder)] if args.folder else [])])
    stands = f"{trainer.minutes:.1f} minutes, {trainer.learner.step} steps, {trainer.games} games"
    if trainer.progress < 1:
        return f"saved in {run.path}: {trainer.progress:.0%} done ({stands}); to go on: {again}"
    longer = f"--steps {2 * loop.steps}" if loop.steps else f"--minutes {2 * loop.minutes:g}"
    network = run.best if run.best.exists() else run.current
    state = "finished" if went_on else "already finished"
    return f"{state}: {run.path} ({stands}); its network: {network}; to go on: {again} {longer}"
