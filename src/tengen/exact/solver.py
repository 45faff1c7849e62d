"""Exact results of Connect4 positions.

A score is 22 − the number of stones the winner has played at the end under perfect play, negative when the side to
move loses, 0 for a draw. The weak results are its sign: 1 win, 0 draw, -1 loss.

With the package `bitbully-databases` (the extra `perfect`) every position answers in about a second. Without it
everything still works, but positions with few stones take minutes.

>>> solve("4444").scores
{1: -2, 2: -2, 3: -2, 4: 1, 5: -2, 6: -2, 7: -2}
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen import games
from tengen._core import Connect4Solver
from tengen.games import GameError, State

__all__ = [
    "BEST_SCORE",
    "BOOK_PLIES",
    "CLASSES",
    "FULL_COLUMN",
    "GAME",
    "TELLING_MOVES",
    "Solution",
    "book_path",
    "plies_left",
    "score_many",
    "solve",
    "solve_many",
    "takes_minutes",
]

# What `tengen.exact.oracle` asks of a solved game.
GAME = "connect4"
BEST_SCORE = 18  # a win with the fourth stone
CLASSES: tuple[str, ...] = (
    "end_easy",
    "middle_easy",
    "middle_medium",
    "beginning_easy",
    "beginning_medium",
    "beginning_hard",
)
TELLING_MOVES: tuple[str, ...] = ("4", "1", "2")  # the centre wins, the edge loses, beside it is a loss too

FULL_COLUMN = Connect4Solver.FULL_COLUMN
"""Stands in the arrays of solve_many where a column is full."""

BOOK_PLIES = 12
BOOK_SHA256 = "1e01874dbb9b296a96baa2f5483ae69333ac7009377b34b222f112d9d8e89704"

_CELLS = 42


@dataclass(frozen=True)
class Solution:
    """The exact result of a position and of every move in it."""

    moves: str
    score: int
    """The score under perfect play, for the side to move."""
    scores: dict[int, int | None]
    """The score after a stone in each column 1 … 7, for the side that plays it; None where the column is full."""


def book_path() -> Path | None:
    """The opening book of the package bitbully-databases; None when that is not installed."""
    package = find_spec("bitbully_databases")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "assets" / "book_12ply_distances.dat"


def solve(position: str | State, weak: bool = False) -> Solution:
    """Solves one position, given as columns 1 … 7 ('-' for the empty board) or as a state. Raises GameError."""
    state = _state(position)
    row = _solver().columns([state.position_text()], weak, 1)[0].tolist()
    scores = {column: None if score == FULL_COLUMN else score for column, score in enumerate(row, 1)}
    return Solution(state.moves_text(), max(row), scores)


def solve_many(positions: Iterable[str | State], weak: bool = False, threads: int = 0) -> NDArray[np.int8]:
    """The score of every column of many positions: int8 [n, 7], FULL_COLUMN where a column is full.

    Runs on `threads` threads (0: one per core) without Python's lock. Raises GameError.
    """
    return np.asarray(_solver().columns(_texts(positions), weak, threads))


def score_many(positions: Iterable[str | State], weak: bool = False, threads: int = 0) -> NDArray[np.int8]:
    """The score of many positions: int8 [n]. Faster than solve_many, which looks at every move."""
    return np.asarray(_solver().scores(_texts(positions), weak, threads))


def takes_minutes(state: State) -> bool:
    """Is the opening book missing, and are there so few stones that it matters?"""
    return book_path() is None and state.ply() < BOOK_PLIES


def plies_left(stones: int, score: int) -> int:
    """How many plies a game with `stones` on the board still lasts under perfect play.

    >>> plies_left(0, 1), plies_left(40, 0)
    (41, 2)
    """
    if score == 0:
        return _CELLS - stones
    winner = stones % 2 if score > 0 else 1 - stones % 2
    return 2 * (22 - abs(score)) - (1 - winner) - stones


@cache
def _solver() -> Connect4Solver:
    path = book_path()
    if path is None:
        return Connect4Solver()
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != BOOK_SHA256:
        raise GameError(f"the opening book {path} is missing or damaged; reinstall the package bitbully-databases")
    return Connect4Solver(str(path))


@cache
def _connect4() -> games.Game:
    return games.make(GAME)


def _state(position: str | State) -> State:
    state = _connect4().from_moves(position) if isinstance(position, str) else position
    if state.game != _connect4():
        raise GameError(f"only {GAME} positions can be solved, not {state.game.id}")
    if state.is_terminal():
        raise GameError(f"the game is over after {state.ply()} plies; there is nothing to solve")
    return state


def _texts(positions: Iterable[str | State]) -> list[str]:
    return [_state(position).position_text() for position in positions]
