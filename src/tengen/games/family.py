"""A game on several board sizes: what one network can learn.

>>> family = Family.parse("gomoku:6-9,in_a_row=4")
>>> [game.id for game in family.games][::3]
['gomoku:6,in_a_row=4', 'gomoku:9,in_a_row=4']
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tengen._core import Game, GameError, registry

__all__ = ["Family"]


@dataclass(frozen=True)
class Family:
    """All sizes of a range, with the same options. A game of one size is a family of one, with the game's id."""

    id: str  # canonical
    games: tuple[Game, ...]  # by size, the largest last

    @classmethod
    def of(cls, game: Game | Family) -> Family:
        return game if isinstance(game, Family) else cls(game.id, (game,))

    @classmethod
    def parse(cls, text: str) -> Family:
        """From the id of a game, or one with a range of sizes: `go:5-9,komi=5.5`. Raises GameError.

        >>> Family.parse("go:5-9,komi=6.5").id, Family.parse("othello:8").id
        ('go:5-9', 'othello')
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
        _, comma, canonical = high.id.partition(",")
        return cls(f"{name}:{first}-{last}{comma}{canonical}", (low, *between, high))

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
        return game in self.games
