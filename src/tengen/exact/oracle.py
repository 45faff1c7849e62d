"""What is known exactly of a game: `oracle(game)`, None where nothing is.

A solved game has a module with everything that Oracle lists, and one place in KNOWN.

>>> from tengen import games
>>> known = oracle(games.make("connect4"))
>>> known.solve("4444").score if known else None
1
>>> oracle(games.make("go:9")) is None
True
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tengen.exact import solver
from tengen.exact.solver import Solution
from tengen.games import Game, GameError, State

__all__ = ["ILLEGAL", "SOLVED", "Oracle", "oracle", "required_oracle"]

ILLEGAL = solver.FULL_COLUMN
"""Stands in the arrays of solve_many where a move is not legal."""


class Oracle(Protocol):
    """What a solved game offers. The sign of a score is the game's value; better scores win sooner or lose later."""

    GAME: str
    """The id of the game."""
    BEST_SCORE: int
    """No score is higher, and none is lower than its negative."""
    CLASSES: tuple[str, ...]
    """Its labelled positions, as files in tengen/data/GAME."""
    TELLING_MOVES: tuple[str, ...]
    """First moves by which one sees whether a network has learned the opening."""

    def solve(self, position: str | State, weak: bool = False) -> Solution:
        """The exact result of a position and of every move in it. Raises GameError."""

    def solve_many(self, positions: Iterable[str | State], weak: bool = False, threads: int = 0) -> NDArray[np.int8]:
        """The score of every action of many positions: int8 [n, actions], ILLEGAL where there is none."""

    def plies_left(self, stones: int, score: int) -> int:
        """How long a game with so many stones on the board still lasts under perfect play."""

    def takes_minutes(self, state: State) -> bool:
        """Is something missing here without which this position is not solved in about a second?"""


KNOWN: tuple[Oracle, ...] = (solver,)
SOLVED = tuple(each.GAME for each in KNOWN)
"""The ids of the games that have an oracle."""


def oracle(game: Game) -> Oracle | None:
    """What is known exactly of a game."""
    return next((each for each in KNOWN if game.id == each.GAME), None)


def required_oracle(game: Game) -> Oracle:
    """Raises GameError where nothing is known exactly."""
    found = oracle(game)
    if found is None:
        raise GameError(f"{game.id} has no exact solver; solved so far: {', '.join(SOLVED)}")
    return found
