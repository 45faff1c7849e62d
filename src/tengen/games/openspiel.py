"""Games of OpenSpiel by name: `openspiel:hex`, `openspiel:breakthrough(columns=6,rows=6)`.

Every game of OpenSpiel for two that move in turn, with nothing hidden and no chance, where one wins what the other
loses. Names may come from a file or a stranger, so what they ask for is bounded before OpenSpiel sees it: it is C++
that trusts its parameters, and some of them make it crash or never answer.

A game has one name, in which defaults are left out: `openspiel:breakthrough(rows=6, columns=8)` becomes
`openspiel:breakthrough(rows=6)`.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tengen._core import GameError
from tengen.games.rules import Rules

__all__ = ["PREFIX", "names", "parse"]

PREFIX = "openspiel:"

Value = bool | int | float

# Taste, rewards, how many play, and chance; and handicaps, which OpenSpiel does not check. Texts are not taken either.
UNUSED = {"ansi_color_output", "chess960", "handicap", "plain_obs_tensor", "players", "utility_margin"}

USUAL = range(1, 27)  # of a whole number: OpenSpiel writes columns as letters
LIMITS: dict[str, Sequence[int]] = {  # where that is too much or too little
    "amazons.board_size": (6, 8, 10),
    "breakthrough.columns": range(2, 27),
    "breakthrough.rows": range(2, 27),
    "chinese_checkers.max_moves": range(2, 1001),
    "clobber.columns": range(2, 27),
    "clobber.rows": range(2, 27),
    "cursor_go.board_size": range(2, 20),
    "cursor_go.max_cursor_moves": range(1, 401),
    "go.board_size": range(2, 20),
    "go.max_game_length": range(2, 1001),
    "gomoku.dims": range(1, 4),
    "havannah.board_size": range(2, 14),
    "hex.board_size": range(2, 27),
    "hive.board_size": range(2, 15),
    "lines_of_action.max_game_length": range(2, 1001),
    "oware.num_houses_per_player": range(2, 13),
    "oware.num_seeds_per_house": range(1, 9),
    "quoridor.board_size": range(3, 27),
    "quoridor.wall_count": range(27),
}
# Other sizes of checkers end with an error of OpenSpiel in the middle of a game, Hex that is no square crashes when
# swapped, and of TwixT only the size that a process loads first can be observed.
REFUSED = {"checkers.columns", "checkers.rows", "hex.num_cols", "hex.num_rows", "twixt.board_size"}
MOST_KOMI = 400


def parse(text: str) -> Rules:
    """The game that such a name means. Raises GameError."""
    found = re.fullmatch(r"openspiel:([A-Za-z0-9_]{1,60})(?:\(([^()]{0,400})\))?", text, re.ASCII)
    if not found:
        raise GameError(f"an OpenSpiel game is openspiel:NAME or openspiel:NAME(key=value,…), not {text[:80]!r}")
    name = found[1]
    kinds = _kinds()
    if name not in names():
        raise GameError(f"{PREFIX}{name} {_why_not(kinds[name]) if name in kinds else _unknown(name)}")
    given = _values(name, found[2] or "")
    game = _load(name, given)
    from tengen.games.openspiel_game import OpenSpielGame

    return OpenSpielGame(game, _canonical(name, given, game), game.get_type().long_name)


@functools.cache
def names() -> list[str]:
    """OpenSpiel's names of the games that can be played, sorted. Raises GameError where it is not installed."""
    return sorted(name for name, kind in _kinds().items() if not _why_not(kind))


def _openspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise GameError("OpenSpiel is not installed: pip install 'tengen[openspiel]'") from None
    return pyspiel


@functools.cache
def _kinds() -> dict[str, Any]:
    """What OpenSpiel says of each of its games, without loading one."""
    return {kind.short_name: kind for kind in _openspiel().registered_games()}


def _why_not(kind: Any) -> str:
    """Why a game cannot be played, or nothing."""
    its = _openspiel().GameType
    if kind.dynamics != its.Dynamics.SEQUENTIAL:
        return "cannot be played: its players move at the same time"
    if kind.chance_mode != its.ChanceMode.DETERMINISTIC:
        return "cannot be played: it has chance, such as dice or cards"
    if kind.information != its.Information.PERFECT_INFORMATION:
        return "cannot be played: it hides something from a player"
    if not kind.min_num_players <= 2 <= kind.max_num_players:
        return "cannot be played: it is not a game for two"
    if kind.utility not in (its.Utility.ZERO_SUM, its.Utility.CONSTANT_SUM):
        return "cannot be played: what one player wins is not what the other loses"
    if not (kind.default_loadable and kind.provides_observation_tensor):
        return "cannot be played: OpenSpiel cannot load it by its name, or does not show it to a network"
    return ""


def _unknown(name: str) -> str:
    return "is unknown" + _meant(name, names())


def _meant(word: str, words: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, words := sorted(words), n=1)
    return f"; did you mean {close[0]}?" if close else f"; there are {', '.join(words) or 'none'}"


def _known(name: str) -> dict[str, Value]:
    """The parameters that can be set, and what they are as a rule."""
    return {
        key: value
        for key, value in _kinds()[name].parameter_specification.items()
        if key not in UNUSED and f"{name}.{key}" not in REFUSED and isinstance(value, Value)
    }


def _values(name: str, text: str) -> dict[str, Value]:
    """The parameters as typed, each of the kind that OpenSpiel expects and within bounds."""
    known = _known(name)
    found: dict[str, Value] = {}
    for part in text.split(",") if text.strip() else []:
        key, equals, value = (word.strip() for word in part.partition("="))
        where = f"{PREFIX}{name}"
        if not equals or key in found:
            raise GameError(f"{where}: parameters are written key=value, each once, not {part.strip()!r}")
        if key not in known:
            raise GameError(f"{where} has no parameter {key[:40]!r}{_meant(key, known)}")
        read = next(read for kind, read in READERS.items() if isinstance(known[key], kind))
        found[key] = read(f"{where}: {key}", LIMITS.get(f"{name}.{key}", USUAL), value)
    return found


def _read_switch(where: str, _limits: Sequence[int], text: str) -> Value:
    words = {"true": True, "on": True, "false": False, "off": False}
    if text.lower() not in words:
        raise GameError(f"{where} is True or False, not {text[:40]!r}")
    return words[text.lower()]


def _read_whole(where: str, limits: Sequence[int], text: str) -> Value:
    if not re.fullmatch(r"\d{1,6}", text, re.ASCII) or int(text) not in limits:
        each = f"a whole number from {limits[0]} to {limits[-1]}" if isinstance(limits, range) else f"one of {limits}"
        raise GameError(f"{where} is {each}, not {text[:40]!r}")
    return int(text)


def _read_half(where: str, _limits: Sequence[int], text: str) -> Value:
    """Komi is the only one: a multiple of a half is written in one way."""
    if not re.fullmatch(r"-?\d{1,3}(\.[05])?", text, re.ASCII) or abs(float(text)) > MOST_KOMI:
        raise GameError(f"{where} is a multiple of 0.5 from -{MOST_KOMI} to {MOST_KOMI}, not {text[:40]!r}")
    return float(text) + 0.0  # no -0


READERS: dict[type, Callable[[str, Sequence[int], str], Value]] = {
    bool: _read_switch,  # before int, which it is a kind of
    int: _read_whole,
    float: _read_half,
}


def _load(name: str, values: Mapping[str, Value]) -> Any:
    try:
        return _openspiel().load_game(name, dict(values))
    except Exception as error:  # whatever C++ throws: OpenSpiel's own checks, memory
        why = " ".join(str(error).split())[:200]
        raise GameError(f"OpenSpiel cannot load {_written(name, values)}: {why}") from None


def _canonical(name: str, values: Mapping[str, Value], game: Any) -> str:
    """The one name of a game: parameters that say what would be so without them are left out. What a default is may
    depend on other parameters, so OpenSpiel is asked."""
    kept = {key: game.get_parameters().get(key, value) for key, value in sorted(values.items())}
    for key, value in sorted(values.items()):
        others = {other: kept[other] for other in kept if other != key}
        if _load(name, others).get_parameters().get(key, _kinds()[name].parameter_specification[key]) == value:
            kept = others
    return PREFIX + _written(name, kept)


def _written(name: str, values: Mapping[str, Value]) -> str:
    texts = [f"{key}={value}" for key, value in sorted(values.items())]
    return f"{name}({','.join(texts)})" if texts else name
