"""Training runs: what they wrote down, and starting, pausing and resuming them as processes of their own.

A run that the app started ends with it, saved: SIGINT is what Ctrl-C is to `tengen train`.
"""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec

from tengen.app.comparison import compare_runs
from tengen.app.errors import AppError
from tengen.app.networks import network_minutes, network_steps
from tengen.app.positions import drawn
from tengen.app.requests import StartRun
from tengen.config import ConfigError
from tengen.games import Family, Game, GameError
from tengen.net.shape import NetworkShape
from tengen.preset import file_name
from tengen.run.elocurve import ELO, elo_curve
from tengen.run.events import Event, Measured, Started, plain
from tengen.run.folder import RunDirectory, RunError
from tengen.run.health import Health, assess
from tengen.run.journal import History, first_told, read_events
from tengen.run.report import curves, describe_run, last_turn, plan_of, read_fleet, resignations, thinned
from tengen.run.settings import RunConfig
from tengen.run.shelf import RunBusy, delete_run, list_runs, read_tags, rename_run, write_tags
from tengen.run.standings import Standings

__all__ = ["Runs"]

MOST_GAMES = 16  # under way, shown at once
LARGEST_LIVE = 1 << 20
MOST_TRAINING = 2  # processes at once: each takes all cores
START_SECONDS = 50.0  # loading torch on a busy machine takes its time
STOP_SECONDS = 50.0  # a measurement under way is given up, a turn is finished


@dataclass
class _Read:
    """What was read of a run's events so far."""

    history: History = field(default_factory=History)
    last: int = 0  # number of the last event
    began: float | None = None  # by which another run, that was given the name later, is told from it


@dataclass
class _Process:
    process: asyncio.subprocess.Process
    errors: IO[bytes]
    stopping: bool = False

    @property
    def running(self) -> bool:
        return self.process.returncode is None

    def stop(self) -> None:
        """Once: a second Ctrl-C ends training at once, unsaved."""
        if self.running and not self.stopping:
            self.stopping = True
            self.process.send_signal(signal.SIGINT)

    def last_words(self) -> str:
        self.errors.seek(0)
        lines = self.errors.read(1 << 16).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"it ended with code {self.process.returncode}"


class Runs:
    """The runs of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, _Read] = {}
        self._lock = threading.Lock()  # guards _read
        self._processes: dict[str, _Process] = {}
        self._starting = asyncio.Lock()

    def summaries(self) -> list[dict[str, Any]]:
        found = []
        for name, run in list_runs(self._folder).items():
            with suppress(AppError):  # a damaged run.toml: not a run any more
                found.append(self._summary(name, run))
        return found

    def details(self, name: str, since: int) -> dict[str, Any]:
        run = self._find(name)
        events, last = self._events(name, run)
        health = assess(events)
        fresh = _read(run, since) if 0 < since <= last else events
        known = {name: _rounded(thinned(points)) for name, points in curves(fresh).items()}
        return {
            **self._summary(name, run),
            "curves": known,
            "elo": {series: _elo(events, series) for series in ELO},
            "last_event": last,
            "health": _health(health),
            "ladder": _ladder(run),
            "networks": _networks(name, run),
            "workers": msgspec.to_builtins(read_fleet(run)),
            "resignations": resignations(last_turn(events)),
            "mistakes": _mistakes(fresh),
        }

    def live(self, name: str) -> dict[str, Any]:
        run = self._find(name)
        told = _read_live(run) if run.is_locked() else []  # a run that was ended leaves the file behind
        game = _live_game(_make_family(_config(run).game), told)
        return {"game": game.id, "games": list(islice(_live_games(game, told), MOST_GAMES))}

    async def start(self, request: StartRun) -> str:
        family = _make_family(request.game)
        settings = [f"{name}={_text(value)}" for name, value in request.settings.items()]
        try:
            config = RunConfig.of(family).with_settings(settings)
            NetworkShape.of(family, request.size or config.loop.size)
        except (ConfigError, GameError) as error:
            raise AppError("bad_setting", error) from None
        async with self._starting:
            name = request.name or self._free_name(file_name(family.id))
            if (self._folder / name).exists():
                raise AppError("run_busy", f"there is a run {name} already; resume it, or use another name", run=name)
            size = ["--size", request.size] if request.size else []
            sets = [word for setting in settings for word in ("--set", setting)]
            await self._train(name, family.id, ["--minutes", f"{request.minutes:g}", *size, *sets])
        return name

    async def begin(self, id: str) -> None:
        """A game's usual run, from nothing or from where it was, told in the terminal as `tengen train` tells it."""
        async with self._starting:
            await self._train(file_name(id), id, [], shown=True)

    async def pause(self, name: str) -> dict[str, Any]:
        run = self._find(name)
        process = self._processes.get(name)
        if process is None or not process.running:
            if run.is_locked():
                raise AppError("run_busy", f"{name} is trained by another process; end it there", run=name)
            return self._summary(name, run)
        process.stop()
        try:
            await asyncio.wait_for(process.process.wait(), STOP_SECONDS)
        except TimeoutError:
            raise AppError("too_busy", f"{name} is still saving; look again soon", run=name) from None
        return self._summary(name, run)

    async def resume(self, name: str, minutes: float | None) -> dict[str, Any]:
        run = self._find(name)
        async with self._starting:
            if run.is_locked():
                raise AppError("run_busy", f"{name} is being trained already", run=name)
            length = ["--minutes", f"{minutes:g}"] if minutes else []
            await self._train(name, _config(run).game, length)
        return self._summary(name, run)

    def rename(self, name: str, wanted: str) -> dict[str, Any]:
        with _refusals(name):
            return self._summary(wanted, rename_run(self._find(name), wanted))

    def tag(self, name: str, tags: list[str]) -> dict[str, Any]:
        run = self._find(name)
        with _refusals(name):
            write_tags(run, tags)
        return self._summary(name, run)

    def delete(self, name: str, confirm: str) -> None:
        run = self._find(name)
        if confirm != name:
            raise AppError("bad_request", f"to delete {name}, confirm with its name")
        with _refusals(name):
            delete_run(run)

    def compare(self, names: list[str], curve: str | None) -> dict[str, Any]:
        return compare_runs({name: self._find(name) for name in names}, curve)

    def stop(self) -> None:
        """Tells the runs that were started here to save and end."""
        for each in self._processes.values():
            each.stop()

    async def close(self) -> None:
        """Saves and ends the runs that were started here."""
        self.stop()
        running = [each for each in self._processes.values() if each.running]
        if running:
            await asyncio.wait([asyncio.create_task(each.process.wait()) for each in running], timeout=STOP_SECONDS)

    async def _train(self, name: str, game: str, options: list[str], shown: bool = False) -> None:
        """Returns once the run holds its lock, so that whoever asks next sees it training."""
        if find_spec("torch") is None:
            raise AppError("not_supported", "training needs torch: pip install 'tengen[train]'")
        if sum(each.running for each in self._processes.values()) >= MOST_TRAINING:
            raise AppError("too_busy", f"{MOST_TRAINING} runs are being trained already", most=MOST_TRAINING)
        run = RunDirectory(self._folder / name)
        command = [sys.executable, "-m", "tengen", "train", game, "--run", str(run.path), *options]
        errors = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the process; a new run's folder takes no logs)
        # A session of its own: Ctrl-C in the terminal must reach the run once, from `close`, not twice.
        process = await asyncio.create_subprocess_exec(
            *(command if shown else [*command, "--json"]),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=None if shown else asyncio.subprocess.DEVNULL,
            stderr=None if shown else errors,
            start_new_session=True,
        )
        started = self._processes[name] = _Process(process, errors)
        deadline = asyncio.get_running_loop().time() + START_SECONDS
        while started.running and not (run.exists() and run.is_locked()):
            if asyncio.get_running_loop().time() > deadline:
                started.stop()
                raise AppError("too_busy", f"{name} did not begin within {START_SECONDS:g} seconds")
            await asyncio.sleep(0.05)
        if process.returncode:
            raise AppError("bad_setting", started.last_words())

    def _free_name(self, wanted: str) -> str:
        names = [wanted, *(f"{wanted}-{number}" for number in range(2, 1000))]
        return next((name for name in names if not (self._folder / name).exists()), wanted)

    def _find(self, name: str) -> RunDirectory:
        run = list_runs(self._folder).get(name)
        if run is None:
            raise AppError("unknown_run", f"there is no run {name!r}", run=name)
        return run

    def _summary(self, name: str, run: RunDirectory) -> dict[str, Any]:
        events, _ = self._events(name, run)
        training = run.is_locked()
        if any(isinstance(event, Started) for event in events):
            told = describe_run(events)
        else:
            loop = _config(run).loop
            told = {"game": _config(run).game, "size": loop.size, "planned_minutes": loop.minutes}
            told |= {"state": "stopped", "minutes": 0.0, "progress": 0.0, "plan": plan_of(loop.minutes, loop.steps)}
        state = "training" if training else "finished" if told["state"] == "finished" else "paused"
        wanted = ("game", "size", "minutes", "planned_minutes", "progress", "plan")
        return {
            "name": name,
            "state": state,
            **{key: told[key] for key in wanted},
            "tags": read_tags(run),
            "verdict": _verdict(assess(events)),
        }

    def _events(self, name: str, run: RunDirectory) -> tuple[list[Event], int]:
        """The run's events, thinned as they grow old, and the number of the last one; only new ones are read."""
        with self._lock:
            began = first_told(run.database)
            read = self._read.setdefault(name, _Read(began=began))
            if read.began != began:
                read = self._read[name] = _Read(began=began)
            fresh = _read(run, read.last)
            for event in fresh:
                read.history(event)
            read.last += len(fresh)  # numbers are given in order, and no event is ever deleted
            return list(read.history.events), read.last


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """What the shelf refuses, as the page is told."""
    try:
        yield
    except RunBusy as error:
        raise AppError("run_busy", error, run=name) from None
    except RunError as error:
        raise AppError("run_refused", error, run=name) from None


def _read(run: RunDirectory, after: int) -> list[Event]:
    try:
        return read_events(run.database, after)
    except (OSError, sqlite3.Error):  # nothing yet, or a damaged file: the run's networks are still worth showing
        return []


def _config(run: RunDirectory) -> RunConfig:
    try:
        return run.config()
    except RunError as error:
        raise AppError("unknown_run", error, run=run.path.name) from None


def _make_family(id: str) -> Family:
    try:
        return Family.parse(id)
    except GameError as error:
        raise AppError("unknown_game", error, game=id) from None


def _verdict(health: Health) -> dict[str, Any]:
    texts = {language: health.sentence(language) for language in ("en", "zh")}
    facts = plain(health.facts)  # without what JSON cannot hold
    return {
        "key": health.verdict,
        "phrase": health.phrase,
        "text": texts["en"],
        "texts": texts,
        "params": facts,
    }


def _health(health: Health) -> dict[str, Any]:
    rows = [check.to_dict() for check in health.checks if check.value is not None]
    return {
        "verdict": _verdict(health),
        "notes": {language: health.notes(language) for language in ("en", "zh")},
        "rows": [
            {"name": row["name"], "now": row["value"], "low": row["low"], "high": row["high"], "ok": row["ok"]}
            for row in rows
        ],
    }


def _elo(events: list[Event], name: str) -> list[dict[str, float]]:
    """All of it, whatever is new: a measurement may move the points before it."""
    return [
        {"minutes": round(point.minutes, 3)}
        | {part: round(getattr(point, part), 1) for part in ("step", "elo", "error", "measured")}
        for point in elo_curve(events, name)
    ]


def _mistakes(events: list[Event]) -> dict[str, list[tuple[float, float]]]:
    """The share of moves that lose value, by simulations."""
    found: dict[str, list[tuple[float, float]]] = {}
    for event in events:
        if isinstance(event, Measured):
            for sims, kept in event.keeping.items():
                found.setdefault(sims, []).append((event.minutes, 1 - kept))
    return {sims: _rounded(thinned(points)) for sims, points in found.items()}


def _ladder(run: RunDirectory) -> dict[str, Any]:
    try:
        standings = Standings.read(run.ladder)
        ratings = standings.ratings() if standings.pairings else {}
        known = standings.all_pairings()
    except (RunError, ValueError):
        return {"players": [], "pairings": []}
    players = [
        {"name": name, "step": int(name) if name.isdecimal() else None, "elo": rating.elo, "error": rating.error}
        for name, rating in ratings.items()
    ]
    pairings = [{"a": each.first, "b": each.second, "points": each.points, "games": each.games} for each in known]
    return {"players": players, "pairings": pairings, "best": standings.best or None, "level": standings.level}


def _networks(name: str, run: RunDirectory) -> list[dict[str, Any]]:
    minutes = network_minutes(run)
    return [
        {"id": f"run:{name}/{path.stem}", "step": int(path.stem), "minutes": minutes.get(path.stem)}
        for path in network_steps(run)
    ]


class _LiveGame(msgspec.Struct):
    """A game under way, as training writes it into live.json, a list of them."""

    number: int
    moves: list[int]  # actions from the start
    game: str = ""  # of a family: one of its sizes
    value: float | None = None  # what the search thinks, for the first player


def _read_live(run: RunDirectory) -> list[object]:
    try:
        if run.live.stat().st_size > LARGEST_LIVE:
            return []
        games = msgspec.json.decode(run.live.read_bytes())
    except (OSError, msgspec.DecodeError, RecursionError):
        return []
    return games if isinstance(games, list) else []


def _live_game(family: Family, told: list[object]) -> Game:
    """The size that is played now: all games under way are of one."""
    named = told[0].get("game") if told and isinstance(told[0], dict) else None
    return next((game for game in family.games if game.id == named), family.largest)


def _live_games(game: Game, told: list[object]) -> Iterator[dict[str, Any]]:
    """Those that can be played: the file may be anybody's."""
    for each in told:
        with suppress(msgspec.ValidationError, GameError):
            live = msgspec.convert(each, _LiveGame)
            state, moves = game.start(), []
            for action in live.moves:
                moves.append(state.move_text(action))
                state.apply(action)
            shown = {**drawn(state), "text": state.text(), "to_move": state.to_move(), "value": live.value}
            yield {"number": live.number, "moves": moves, **shown}


def _rounded(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(round(minutes, 3), float(f"{value:.5g}")) for minutes, value in points]


def _text(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
