"""The user's own engines.toml: programs by name, so that whoever may not start programs can still choose one.

[gnugo]
protocol = "gtp"
command = ["gnugo", "--mode", "gtp", "--chinese-rules", "--capture-all-dead"]
games = ["go"]     # optional
seconds = 1        # and the other limits
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tengen import games
from tengen.config import ConfigError, changed, did_you_mean
from tengen.games import Game
from tengen.play.choosers import PlayerError
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.opponent import WIRE_PROTOCOLS, Engine

__all__ = ["ENGINE_NAME", "engines_file", "engines_for", "find_engine", "read_engines", "use_engines"]

VARIABLE = "TENGEN_ENGINES"
ENGINE_NAME = r"[A-Za-z0-9_.-]{1,80}"
LARGEST_FILE = 1 << 20  # bytes
OWN_KEYS = ("protocol", "command", "games")


def engines_file() -> Path:
    """Where engines are named."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "tengen" / "engines.toml"


def use_engines(file: Path | None) -> None:
    """From now on, in this process and those it starts, engines are named there. None changes nothing."""
    if file is not None:
        os.environ[VARIABLE] = str(file.absolute())


def read_engines() -> dict[str, Engine]:
    """All engines by name; none where nobody has written a file. Raises PlayerError."""
    file = engines_file()
    if not file.is_file() and not os.environ.get(VARIABLE):
        return {}
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise ConfigError("too large for a list of engines")
        tables = tomllib.loads(data.decode())
        return {name: _read_engine(name, table) for name, table in tables.items()}
    except OSError as error:
        raise PlayerError(f"cannot read {file}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, ConfigError) as error:
        raise PlayerError(f"{file}: {error}") from None


def find_engine(name: str) -> Engine:
    """Raises PlayerError."""
    engines = read_engines()
    if name not in engines:
        hint = did_you_mean(name, engines) or f"; it names {', '.join(engines) or 'none'}"
        raise PlayerError(f"engine:{name[:80]}: no such engine in {engines_file()}{hint}")
    return engines[name]


def engines_for(game: Game) -> list[str]:
    """The names of those that can play a game, and whose program is there."""
    return [name for name, engine in read_engines().items() if engine.refuses(game) is None and engine.is_there()]


def _read_engine(name: str, table: Any) -> Engine:
    if not re.fullmatch(ENGINE_NAME, name):
        raise ConfigError(f"{name[:80]!r}: names of engines are letters, digits and . _ -")
    if not isinstance(table, Mapping):
        raise ConfigError(f"{name} must be a table: [{name}], then protocol and command")
    try:
        return _engine_of(table)
    except ConfigError as error:
        raise ConfigError(f"[{name}] {error}") from None


def _engine_of(table: Mapping[str, Any]) -> Engine:
    limits = [field.name for field in dataclasses.fields(EngineLimits)]
    for key in table:
        if key not in (*OWN_KEYS, *limits):
            raise ConfigError(f"unknown key {key[:40]!r}{did_you_mean(key, (*OWN_KEYS, *limits))}")
    protocol, command, played = (table.get(key) for key in OWN_KEYS)
    if protocol not in WIRE_PROTOCOLS:
        raise ConfigError(f"protocol must be {', '.join(WIRE_PROTOCOLS)}, not {protocol!r}")
    if not _is_texts(command) or not command or any("\0" in word for word in command):
        raise ConfigError('command must be a list of texts, such as ["engine", "--option"]')
    if played is not None and not _is_texts(played):
        raise ConfigError("games must be a list of the names of games")
    for each in played or ():
        if each not in games.names():
            raise ConfigError(f"games: there is no game {each[:40]!r}{did_you_mean(each, games.names())}")
    told = {key: value for key, value in table.items() if key in limits}
    return Engine(protocol, tuple(command), changed(EngineLimits(), told), tuple(played or ()))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
