"""Labelled positions of solved games: the project's own, and those of users' files."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tengen.exact.oracle import ILLEGAL, Oracle, required_oracle
from tengen.games import Game, GameError, State
from tengen.preset import file_name

SOLVED_AT_ONCE = 16  # positions between two reports of progress: with the opening book a few seconds at most

Progress = Callable[[int, int], None]
"""Is told how many positions are done, and how many there are."""


def no_progress(done: int, total: int) -> None:
    """Nobody is told."""


class PositionsError(GameError):
    """A file of positions that cannot be used; the message names the file and the line."""


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions to be asked about, and the exact score of every move in them."""

    name: str
    states: tuple[State, ...]
    scores: NDArray[np.int8]  # [n, actions] for the side to move, ILLEGAL where there is no such move

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        return np.asarray(self.scores != ILLEGAL)

    @cached_property
    def best(self) -> NDArray[np.int8]:
        """[n] the score under perfect play."""
        return np.asarray(self.scores.max(axis=1))

    @cached_property
    def values(self) -> NDArray[np.int8]:
        """[n] the game's value: 1 won, 0 drawn, -1 lost for the side to move."""
        return np.sign(self.best)

    @cached_property
    def keeping(self) -> NDArray[np.bool_]:
        """[n, actions] the moves after which the game's value is still the same."""
        return np.asarray(self.legal & (np.sign(self.scores) == self.values[:, None]))

    @cached_property
    def mistake_possible(self) -> NDArray[np.bool_]:
        """[n] is there a move that would lose value?"""
        return np.asarray((self.legal & ~self.keeping).any(axis=1))

    @cached_property
    def planes(self) -> NDArray[np.float32]:
        """[n, planes, rows, cols] what a network sees."""
        return np.stack([state.planes() for state in self.states])

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        return np.array([state.hash() for state in self.states], np.uint64)

    def where(self, chosen: NDArray[np.bool_]) -> "Positions":
        """Some of the positions."""
        states = tuple(state for state, take in zip(self.states, chosen, strict=True) if take)
        return Positions(self.name, states, self.scores[chosen])

    @classmethod
    def join(cls, name: str, parts: Sequence["Positions"]) -> Self:
        """All positions of several sets, in order."""
        return cls(name, sum((part.states for part in parts), ()), np.concatenate([part.scores for part in parts]))


def own_positions(game: Game, classes: Sequence[str] | None = None) -> list[Positions]:
    """The project's own labelled positions, 300 of each class (None: every class). Raises PositionsError, GameError."""
    known = required_oracle(game)
    if classes is None:
        classes = known.CLASSES
    if unknown := [name for name in classes if name not in known.CLASSES]:
        raise PositionsError(f"unknown class {unknown[0]!r}; the classes are {', '.join(known.CLASSES)}")
    folder = files("tengen").joinpath("data", file_name(game.id))
    return [_parse(game, name, folder.joinpath(f"{name}.tsv").read_text("utf-8"), no_progress) for name in classes]


def read_positions(game: Game, file: Path | str, progress: Progress = no_progress) -> Positions:
    """Positions from a file of `moves score` lines, or of the project's own kind. Raises PositionsError.

    The first kind says nothing about single moves: they are solved here, which takes up to a third of a second per
    position. Scores that the solver does not confirm are refused.
    """
    try:
        text = Path(file).read_text("utf-8")
    except OSError as error:
        raise PositionsError(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise PositionsError(f"{file}: not a text file of positions") from None
    return _parse(game, str(file), text, progress)


@dataclass(frozen=True)
class _Line:
    place: str  # for messages: file and line number
    state: State
    score: int
    rest: list[str]


def _parse(game: Game, name: str, text: str, progress: Progress) -> Positions:
    """Everything that can be wrong with a line is found before anything is solved."""
    known = required_oracle(game)
    header = ("position", "score", *(f"c{action + 1}" for action in range(game.num_actions)))
    rows = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    labelled = bool(rows) and tuple(rows[0][1]) == header
    if labelled:
        rows = rows[1:]
    if not rows:
        raise PositionsError(f"{name}: there are no positions in it")
    width = len(header) if labelled else 2
    lines = [_parse_line(f"{name}, line {number}", words, width, game, known) for number, words in rows]
    if labelled:
        scores = np.array([_action_scores(line, known) for line in lines], np.int8)
    else:
        scores = _solved([line.state for line in lines], known, progress)
    for line, best in zip(lines, scores.max(axis=1), strict=True):
        if line.score != best:
            raise PositionsError(f"{line.place}: it says score {line.score}, the best move has {best}")
    return Positions(name, tuple(line.state for line in lines), scores)


def _parse_line(place: str, words: list[str], width: int, game: Game, known: Oracle) -> _Line:
    if len(words) != width:
        expected = "`moves score`, such as `4444 1`" if width == 2 else f"the {width} columns of the first line"
        raise PositionsError(f"{place}: expected {expected}")
    try:
        state = game.from_moves(words[0])
    except GameError as error:
        raise PositionsError(f"{place}: {error}") from None
    if state.is_terminal():
        raise PositionsError(f"{place}: the game is over, there is no move to choose")
    return _Line(place, state, _score(words[1], place, known.BEST_SCORE), words[2:])


def _score(text: str, place: str, most: int) -> int:
    if not re.fullmatch(r"-?\d{1,2}", text, re.ASCII) or abs(int(text)) > most:
        raise PositionsError(f"{place}: a score lies between -{most} and {most}, not {text[:20]!r}")
    return int(text)


def _action_scores(line: _Line, known: Oracle) -> list[int]:
    scores = [ILLEGAL if text == "." else _score(text, line.place, known.BEST_SCORE) for text in line.rest]
    legal = line.state.legal_actions()
    if [action for action, score in enumerate(scores) if score != ILLEGAL] != legal:
        raise PositionsError(f"{line.place}: '.' must stand exactly where a move is not legal")
    return scores


def _solved(states: Sequence[State], known: Oracle, progress: Progress) -> NDArray[np.int8]:
    parts = []
    for start in range(0, len(states), SOLVED_AT_ONCE):
        parts.append(known.solve_many(states[start : start + SOLVED_AT_ONCE]))
        progress(min(start + SOLVED_AT_ONCE, len(states)), len(states))
    return np.concatenate(parts)
