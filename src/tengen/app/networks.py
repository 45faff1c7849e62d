"""Who can be asked to play or analyse: networks that ship or were trained here, and players without one.

    run:NAME/best       the strongest network of a run; also /current and /00012345, by training step
    others              the players of `tengen.play.players` that have a name for pages, and are the same there

Names are looked up in lists of what is there and never become paths.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tengen.app.engines import engine_names
from tengen.app.errors import AppError
from tengen.app.levels import read_levels
from tengen.config import ConfigError, SearchConfig
from tengen.games import Family, Game, GameError
from tengen.net.evaluator import Evaluator, QueueEvaluator, Rollout, make_evaluator
from tengen.net.file import NetworkError, NetworkFile, shipped_games, shipped_network
from tengen.play.players import PLAYER_KINDS, PlayerError, PlayerKind, moves_ahead, page_player, player_search
from tengen.preset import network_search
from tengen.run.folder import RunDirectory, RunError
from tengen.run.shelf import list_runs
from tengen.run.standings import Standings
from tengen.search.agent import node_bytes

__all__ = ["Networks", "changed_settings", "search_settings", "settings_of_the_page"]

# Who plays and analyses where a game has no network.
PLAIN = "plain"
MOST_NETWORKS = 6  # kept loaded: a few megabytes and some threads each
# What one search may take: a page is open for hours, and there may be several.
LARGEST = {"cache_mb": 1024, "leaves": 256, "threats": 2000}
MOST_MEMORY = 2 << 30  # bytes of a tree that max_nodes asks for; as much again is for moving it
# A search hears that it is to stop between batches of leaves: no batch may take long. In moves that one looks at, by
# its proofs (leaves x prove_nodes x actions) or by a lookahead (moves_ahead): 0.4 s at most in any game.
MOST_MOVES = 2_000_000


def network_steps(run: RunDirectory) -> list[Path]:
    """The networks of a run, by training step."""
    if not run.networks.is_dir():
        return []
    return sorted(path for path in run.networks.iterdir() if re.fullmatch(r"\d{8,}\.onnx", path.name))


def search_settings(player: str, game: Game) -> SearchConfig:
    """How a player searches unless it is told otherwise."""
    named = page_player(player)
    if named is None:  # of a run
        return network_search(game, slots=1)
    try:
        return player_search(named[1], game).config
    except PlayerError as error:
        raise AppError("unknown_player", error, player=player) from None


def settings_of_the_page() -> list[dict[str, Any]]:
    """Every option of the search, as far as the page may turn it."""
    fields: list[dict[str, Any]] = list(SearchConfig.fields())
    return [
        {**field, "high": min(field["high"], LARGEST.get(field["name"], field["high"])), "sentence": field["about"]}
        for field in fields
    ]


def changed_settings(game: Game, config: SearchConfig, settings: Mapping[str, Any]) -> SearchConfig:
    """The page's sliders, judged by the search's own table, and by what the app has time and memory for."""
    try:
        config = config.replace(**settings)
    except (ConfigError, TypeError) as error:
        raise AppError("bad_setting", error) from None
    for name, most in LARGEST.items():
        _check(name, getattr(config, name), most)
    _check("max_nodes", config.max_nodes, MOST_MEMORY // node_bytes(game))
    actions = game.num_actions
    _check(f"leaves x prove_nodes x {actions} actions", config.leaves * config.prove_nodes * actions, MOST_MOVES)
    _check("lookahead: moves looked at", moves_ahead(game, config.lookahead), MOST_MOVES)
    return config


def _check(name: str, value: int, most: int) -> None:
    if value > most:
        raise AppError("bad_setting", f"{name} must be at most {most} in the app, not {value}", name=name, most=most)


@dataclass
class _Loaded:
    queue: QueueEvaluator
    users: int = 0
    kept: bool = True  # still among the networks that are kept loaded


class Networks:
    """Finds players by id. One evaluator per network, shared by everybody who asks it, the latest few kept loaded."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._lock = threading.Lock()
        self._loaded: OrderedDict[tuple[Path, int, str], _Loaded] = OrderedDict()  # of a file, its time and a game

    def available(self, game: Game) -> dict[str, Any]:
        shipped = shipped_network(game)
        networks = [_shipped_entry(shipped, game)] if shipped else []
        for name, run in list_runs(self._runs).items():
            networks += _run_entries(name, run, game)
        others = [kind for kind in PLAYER_KINDS if kind.usual and not kind.network and kind.plays(game)]
        searching = [kind.name for kind in others if kind.search]
        return {
            "networks": networks,
            "others": [*map(_kind_entry, others), *map(_engine_entry, engine_names(game))],
            "levels": read_levels(game),
            "usual": networks[0]["id"] if networks else PLAIN,
            "settings": {name: search_settings(name, game).to_dict() for name in ("network", *searching)},
        }

    def games(self) -> list[str]:
        """The ids of the games that have a network, shipped or trained here."""
        runs = [run for run in list_runs(self._runs).values() if run.best.is_file() or run.current.is_file()]
        trained = {game.id for run in runs if (family := _family_of(run)) for game in family.games}
        return sorted({*_shipped_ids(), *trained})

    @contextmanager
    def evaluator(self, player: str, game: Game) -> Iterator[Evaluator | Rollout]:
        """What judges positions for a player that searches, for as long as the block lasts."""
        named = page_player(player)
        if named and not named[0].network:
            yield player_search(named[1], game).evaluator("auto", 1)
        else:
            loaded = self._borrow(self._path(player, game), player, game)
            try:
                with loaded.queue.client() as evaluate:
                    yield evaluate
            finally:
                self._give_back(loaded)

    def close(self) -> None:
        with self._lock:
            for loaded in self._loaded.values():
                loaded.queue.close()
            self._loaded.clear()

    def _path(self, player: str, game: Game) -> Path:
        if page_player(player):
            path = shipped_network(game)
            if path is None:
                raise AppError("unknown_player", f"no network ships for {game.id}", player=player)
            return path
        found = re.fullmatch(r"run:(.+)/(best|current|\d{8,12})", player, re.ASCII)
        run = list_runs(self._runs).get(found[1]) if found else None
        if found is None or run is None:
            raise AppError("unknown_player", f"there is no player {player!r}", player=player)
        named = {"best": run.best, "current": run.current} | {path.stem: path for path in network_steps(run)}
        path = named.get(found[2])
        if path is None or not path.is_file():
            raise AppError("unknown_player", f"the run {found[1]} has no network {found[2]}", player=player)
        return path

    def _borrow(self, path: Path, player: str, game: Game) -> _Loaded:
        with self._lock:
            try:
                key = (path, path.stat().st_mtime_ns, game.id)  # a run replaces its current network again and again
                if key not in self._loaded:
                    self._loaded[key] = _load(path, player, game)
            except OSError as error:
                raise AppError("unknown_player", f"{player}: {error.strerror}", player=player) from None
            loaded = self._loaded[key]
            self._loaded.move_to_end(key)
            loaded.users += 1
            while len(self._loaded) > MOST_NETWORKS:
                _, oldest = self._loaded.popitem(last=False)
                oldest.kept = False
                _close_if_unused(oldest)
            return loaded

    def _give_back(self, loaded: _Loaded) -> None:
        with self._lock:
            loaded.users -= 1
            _close_if_unused(loaded)


def _close_if_unused(loaded: _Loaded) -> None:
    if not loaded.kept and loaded.users == 0:
        loaded.queue.close()


def _load(path: Path, player: str, game: Game) -> _Loaded:
    try:
        file = NetworkFile.load(path)
        if game not in file.family:
            message = f"{player} plays {file.game}, not {game.id}"
            raise AppError("wrong_game", message, player=player, plays=file.game, game=game.id)
        return _Loaded(QueueEvaluator(make_evaluator(file, game)))
    except NetworkError as error:
        raise AppError("unknown_player", str(error).replace(str(path), player), player=player) from None


def _shipped_entry(path: Path, game: Game) -> dict[str, Any]:
    file = NetworkFile.load(path, game)
    return _entry("shipped", "shipped", file.size, file.step, None, None)


@cache
def _shipped_ids() -> tuple[str, ...]:
    """Read once: the files come with the package."""
    return tuple(shipped_games())


def _family_of(run: RunDirectory) -> Family | None:
    try:
        return Family.parse(run.config().game)
    except (RunError, GameError):
        return None


def _run_entries(name: str, run: RunDirectory, game: Game) -> list[dict[str, Any]]:
    """A run's networks, the strongest first. Read from names: opening hundreds of files would be slow."""
    family = _family_of(run)
    if family is None or game not in family:
        return []
    config = run.config()
    minutes = network_minutes(run)
    named = [(key, path) for key, path in (("best", run.best), ("current", run.current)) if path.is_file()]
    steps = [(path.stem, path) for path in network_steps(run)]
    return [
        _entry(
            f"run:{name}/{key}",
            f"{name} {key}",
            config.loop.size,
            int(key) if key.isdecimal() else None,
            name,
            minutes.get(key),
        )
        for key, _ in [*named, *reversed(steps)]
    ]


def network_minutes(run: RunDirectory) -> dict[str, float]:
    """When each measured network was made."""
    try:
        standings = Standings.read(run.ladder)
    except RunError:
        return {}
    made = {measurement.network: measurement.minutes for measurement in standings.measurements}
    return made | ({"best": made[standings.best]} if standings.best in made else {})


def _kind_entry(kind: PlayerKind) -> dict[str, Any]:
    return {"id": kind.name, "sentence": kind.sentence, "searches": kind.search is not None}


def _engine_entry(name: str) -> dict[str, Any]:
    return {"id": f"engine:{name}", "sentence": f"the engine {name} of your engines.toml", "searches": False}


def _entry(id: str, name: str, size: str, step: int | None, run: str | None, minutes: float | None) -> dict[str, Any]:
    return {"id": id, "name": name, "size": size, "step": step, "run": run, "minutes": minutes}
