"""A game on several board sizes: what one network can learn.

>>> family = Family.parse("gomoku:6-9,in_a_row=4")
>>> [game.id for game in family.games][::3]
['gomoku:6,in_a_row=4', 'gomoku:9,in_a_row=4']
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from tengen._core import Game, GameError, registry

__all__ = ["Family", "input_options", "without_options"]


@dataclass(frozen=True)
class Family:
    """All sizes of a range, with the same options. A game of one size is a family of one, with the game's id.

    Options that a network sees (Go: komi) are free in a range that does not name them: all their values belong to it.

    >>> open, fixed = Family.parse("go:5-9"), Family.parse("go:5-9,komi=6.5")
    >>> [Game.parse("go:7,komi=9") in family for family in (open, fixed)]
    [True, False]
    """

    id: str  # canonical
    games: tuple[Game, ...]  # by size, the largest last; free options have their usual value
    free: tuple[str, ...] = ()  # names of options

    @classmethod
    def of(cls, game: Game | Family) -> Family:
        return game if isinstance(game, Family) else cls(game.id, (game,))

    @classmethod
    def parse(cls, text: str) -> Family:
        """From the id of a game, or one with a range of sizes: `go:5-9,komi=5.5`. Raises GameError.

        >>> Family.parse("go:5-9,komi=6.5").id, Family.parse("othello:8").id
        ('go:5-9,komi=6.5', 'othello')
        >>> Family.parse("go:9-5")
        Traceback (most recent call last):
        tengen._core.GameError: 'go:9-5': a range of sizes goes from a smaller size to a larger one
        """
        found = re.fullmatch(r"([a-z0-9_]+):(\d{1,3})-(\d{1,3})(,.*)?", text, re.ASCII | re.DOTALL)
        if not found:
            return cls.of(Game.parse(text))
        name, options = found[1], found[4] or ""
        low, high = (Game.parse(f"{name}:{size}{options}") for size in found.group(2, 3))
        first, last = int(found[2]), int(found[3])
        if first >= last:
            raise GameError(f"{text!r}: a range of sizes goes from a smaller size to a larger one")
        (sizes,) = (entry["sizes"] for entry in registry() if entry["name"] == low.name)
        between = [Game.parse(f"{name}:{size}{options}") for size in sizes if first < size < last]
        named, shown = _pairs(text), _pairs(high.id)
        seen = input_options(name)
        shown |= {option: f"{default:g}" for option, default in seen.items() if option in named and option not in shown}
        canonical = "".join(f",{option}={value}" for option, value in shown.items())
        free = tuple(option for option in seen if option not in named)
        return cls(f"{name}:{first}-{last}{canonical}", (low, *between, high), free)

    @property
    def name(self) -> str:
        return self.largest.name

    @property
    def schema(self) -> str:
        """The meaning of the planes, which is the same on all boards of a game."""
        return self.largest.schema

    @property
    def smallest(self) -> Game:
        return self.games[0]

    @property
    def largest(self) -> Game:
        return self.games[-1]

    def __contains__(self, game: Game) -> bool:
        return _size_of(self, game.id) is not None

    def size_of(self, game: Game | str) -> int:
        """Where a game's size stands in `games`. Raises GameError for a game of another family.

        >>> Family.parse("go:5-9").size_of("go:6,komi=-2")
        1
        """
        id = game if isinstance(game, str) else game.id
        if (size := _size_of(self, id)) is None:
            raise GameError(f"{id} is none of {self.id}")
        return size


@cache
def input_options(name: str) -> dict[str, float]:
    """The options of a game that a network sees, with their usual values; a game that nobody knows has none."""
    options = [option for entry in registry() if entry["name"] == name for option in entry["options"]]
    return {option["name"]: option["default"] for option in options if option["input"]}


def without_options(id: str, names: Iterable[str]) -> str:
    """The id of the same game with the usual values of some options.

    >>> without_options("go:7,komi=9", ["komi"])
    'go:7'
    """
    board = id.partition(",")[0]
    return board + "".join(f",{option}={value}" for option, value in _pairs(id).items() if option not in names)


def _pairs(id: str) -> dict[str, str]:
    """The options that an id names."""
    pairs = (option.partition("=") for option in id.split(",")[1:])
    return {name: value for name, _, value in pairs}


@lru_cache(4096)
def _size_of(family: Family, id: str) -> int | None:
    plain = without_options(id, family.free)
    return next((size for size, game in enumerate(family.games) if game.id == plain), None)
