"""What OpenSpiel shows of a position, as planes for a network.

Three axes are planes as they stand, anything else is a list of numbers. `BOARDS` has the games for which that will not
do: where the board is not in the axes, is turned against the numbers of the actions, or where something is missing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

__all__ = ["Eyes"]

Show = Callable[[Any, int, Any, Any], None]
"""Of the observation, the player who sees it, the state, and the planes to fill."""


class Eyes(threading.local):
    """What a player sees, through a buffer of each thread's own: far quicker than OpenSpiel's lists.

    Read by OpenSpiel's `observation.py`, imported here only, so that this module can be imported without it."""

    def __init__(self, game: Any) -> None:
        from open_spiel.python.observation import make_observation

        kind, shape = game.get_type().short_name, game.observation_tensor_shape()
        self._observation = make_observation(game)
        self._numbers = self._observation.tensor.reshape(shape)
        board = BOARDS.get(kind, PLAIN)
        self.shape, self._show = board.shape(shape, game.get_parameters()), board.show

    def see(self, state: Any, player: int, planes: Any) -> None:
        self._observation.set_from(state, player)
        self._show(self._numbers, player, state, planes)


@dataclass(frozen=True)
class Board:
    shape: Callable[[Sequence[int], Mapping[str, Any]], tuple[int, int, int]]
    show: Show


def _shape(shape: Sequence[int], _parameters: Mapping[str, Any]) -> tuple[int, int, int]:
    return (shape[0], shape[1], shape[2]) if len(shape) == 3 else (prod(shape), 1, 1)


def _show(numbers: Any, _player: int, _state: Any, planes: Any) -> None:
    planes[...] = numbers.reshape(planes.shape)


def _show_chess(numbers: Any, player: int, _state: Any, planes: Any) -> None:
    """Actions begin with file · 8 + rank, from the view of the side to move. White is OpenSpiel's player 1."""
    board = numbers.transpose(0, 2, 1)
    planes[...] = board if player == 1 else board[:, :, ::-1]


def _corners(shape: Sequence[int], parameters: Mapping[str, Any]) -> tuple[int, int, int]:
    return shape[0] * shape[2], parameters["num_rows"] + 1, parameters["num_cols"] + 1


def _show_corners(numbers: Any, _player: int, _state: Any, planes: Any) -> None:
    """Dots and boxes shows [states, corners, the line to the right · the line below · the box between]."""
    states, _, parts = numbers.shape
    corners = numbers.reshape(states, *planes.shape[1:], parts)
    planes.reshape(states, parts, *planes.shape[1:])[...] = corners.transpose(0, 3, 1, 2)


def _square(shape: Sequence[int], parameters: Mapping[str, Any]) -> tuple[int, int, int]:
    """Gomoku, whose board may also have one or three dimensions."""
    size = parameters["size"]
    return (shape[0], size, size) if parameters["dims"] == 2 else _shape(shape, parameters)


def _show_walls(numbers: Any, _player: int, state: Any, planes: Any) -> None:
    """OpenSpiel leaves Quoridor's walls out, and the plane that is meant for them empty. An action is a cell of a board
    with lines between the squares: a wall begins where its row or its column is odd, and is three cells long."""
    planes[...] = numbers
    planes[3:] *= 0.1  # walls left: up to some ten
    for action in state.history():
        row, col = divmod(action, planes.shape[2])
        if row & 1:
            planes[2, row, col : col + 3] = 1
        elif col & 1:
            planes[2, row : row + 3, col] = 1


def _whole(shape: Sequence[int], _parameters: Mapping[str, Any]) -> tuple[int, int, int]:
    return shape[0], shape[1], shape[1]


def _show_twixt(numbers: Any, _player: int, _state: Any, planes: Any) -> None:
    """Each player's pegs and links come without the two lines where he may not play, and turned so that he plays in
    the same direction. Actions are col · size + row, seen by none: so is the board here."""
    half = len(numbers) // 2
    planes[...] = 0
    planes[:half, 1:-1, :] = numbers[:half].transpose(0, 2, 1)[:, :, ::-1]
    planes[half:, :, 1:-1] = numbers[half:, ::-1, ::-1]


def _show_seeds(numbers: Any, _player: int, _state: Any, planes: Any) -> None:
    planes[...] = numbers.reshape(planes.shape)
    planes *= 1 / 16  # up to 48 seeds in a hole, beside a player's number and the move's


PLAIN = Board(_shape, _show)
BOARDS = {
    "antichess": Board(_shape, _show_chess),
    "chess": Board(_shape, _show_chess),
    "dots_and_boxes": Board(_corners, _show_corners),
    "gomoku": Board(_square, _show),
    "mancala": Board(_shape, _show_seeds),
    "quoridor": Board(_shape, _show_walls),
    "twixt": Board(_whole, _show_twixt),
}
