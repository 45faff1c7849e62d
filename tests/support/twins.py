"""Built-in games once more, in plain Python: what stands behind the same search must give the same searches.

Their rules are written anew; only the hash is asked of the built-in game, for a search shows its leaves under a
symmetry that depends on it.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tengen import State, games
from tengen.games import Game, Rules, board_symmetries

Planes = NDArray[np.float32]


@dataclass(frozen=True)
class Board:
    """Stones by cell, 1 and 2, and the built-in game's position, for its hash alone."""

    stones: tuple[int, ...]
    side: int
    passes: int
    other: State
    last: int = -1


class Twin(Rules):
    """What the four have in common."""

    original: Game
    kind = "cells"
    remembers = False

    def __init__(self) -> None:
        self.name = f"twin_{self.original.name}"
        self.actions, self.most_plies = self.original.num_actions, self.original.max_plies
        _, self.rows, self.cols = self.original.planes_shape

    def begin(self) -> tuple[int, ...]:
        return (0,) * (self.rows * self.cols)

    def start(self) -> Board:
        return Board(self.begin(), 1, 0, self.original.start())

    def played(self, board: Board, action: int) -> tuple[tuple[int, ...], int]:
        raise NotImplementedError

    def apply(self, board: Board, action: int) -> Board:
        stones, last = self.played(board, action)
        other = board.other.copy()
        other.apply(action)
        return replace(board, stones=stones, side=3 - board.side, passes=board.passes + 1, other=other, last=last)

    def hash(self, board: Board, symmetry: int) -> int:
        return board.other.hash(symmetry)

    def cells(self, board: Board) -> tuple[int, ...]:
        return board.stones

    def grid(self, board: Board, stone: int) -> Planes:
        found: Planes = (np.array(board.stones).reshape(self.rows, self.cols) == stone).astype(np.float32)
        return found

    def own_and_theirs(self, board: Board) -> list[Planes]:
        return [self.grid(board, board.side), self.grid(board, 3 - board.side)]


def with_stone(board: Board, cell: int) -> tuple[int, ...]:
    return (*board.stones[:cell], board.side, *board.stones[cell + 1 :])


class TicTacToeTwin(Twin):
    original = games.make("tictactoe")
    inputs = ("own stones", "opponent's stones")
    symmetries = board_symmetries(3, 3)
    ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def legal(self, board: Board) -> list[int]:
        return [cell for cell in range(9) if not board.stones[cell]]

    def played(self, board: Board, action: int) -> tuple[tuple[int, ...], int]:
        return with_stone(board, action), action

    def outcome(self, board: Board) -> int | None:
        if any(board.stones[a] == board.stones[b] == board.stones[c] != 0 for a, b, c in self.ROWS):
            return -1
        return None if 0 in board.stones else 0

    def planes(self, board: Board) -> Planes:
        return np.stack(self.own_and_theirs(board))


class Connect4Twin(Twin):
    original = games.make("connect4")
    inputs = ("own stones", "theirs", "own threats", "theirs", "first player to move")
    kind = "gravity"
    symmetries = (([row * 7 + 6 - col for row in range(6) for col in range(7)], list(range(6, -1, -1))),)
    STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))

    def landing(self, board: Board, column: int) -> int:
        return next((row * 7 + column for row in range(5, -1, -1) if not board.stones[row * 7 + column]), -1)

    def legal(self, board: Board) -> list[int]:
        return [column for column in range(7) if not board.stones[column]]

    def played(self, board: Board, action: int) -> tuple[tuple[int, ...], int]:
        cell = self.landing(board, action)
        return with_stone(board, cell), cell

    def moves_on(self, board: Board, action: int) -> int:
        return self.landing(board, action)

    def move_text(self, board: Board, action: int) -> str:
        return str(action + 1)

    def four_at(self, stones: tuple[int, ...], cell: int, side: int) -> bool:
        """Would a stone of this side on the cell be part of four in a row?"""
        for down, right in self.STEPS:
            count = 1
            for sign in (1, -1):
                row, col = cell // 7 + sign * down, cell % 7 + sign * right
                while 0 <= row < 6 and 0 <= col < 7 and stones[row * 7 + col] == side:
                    count, row, col = count + 1, row + sign * down, col + sign * right
            if count >= 4:
                return True
        return False

    def outcome(self, board: Board) -> int | None:
        if board.last >= 0 and self.four_at(board.stones, board.last, 3 - board.side):
            return -1
        return None if 0 in board.stones else 0

    def planes(self, board: Board) -> Planes:
        threats = [
            np.array(
                [not stone and self.four_at(board.stones, cell, side) for cell, stone in enumerate(board.stones)],
                np.float32,
            ).reshape(6, 7)
            for side in (board.side, 3 - board.side)
        ]
        first = np.full((6, 7), float(board.side == 1), np.float32)
        return np.stack([*self.own_and_theirs(board), *threats, first])


class HexTwin(Twin):
    original = games.make("hex:5")
    inputs = ("own stones", "opponent's stones", "swap is legal")
    kind = "hexes"

    def __init__(self) -> None:
        super().__init__()
        half_turn = list(range(24, -1, -1))
        self.symmetries = ((half_turn, half_turn),)
        self.turned = [self.original.from_moves("a1").policy_index(cell, 0) for cell in range(25)]

    def legal(self, board: Board) -> list[int]:
        return [cell for cell in range(25) if not board.stones[cell]]

    def played(self, board: Board, action: int) -> tuple[tuple[int, ...], int]:
        return with_stone(board, action), action

    def outcome(self, board: Board) -> int | None:
        side = 3 - board.side  # who has moved; the first player joins top and bottom
        near = set(range(5) if side == 1 else range(0, 25, 5))
        todo = seen = {cell for cell in near if board.stones[cell] == side}
        while todo:
            near = {
                (row + down) * 5 + col + right
                for row, col in (divmod(cell, 5) for cell in todo)
                for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))
                if 0 <= row + down < 5 and 0 <= col + right < 5
            }
            todo = {cell for cell in near - seen if board.stones[cell] == side}
            seen = seen | todo
        far = range(20, 25) if side == 1 else range(4, 25, 5)
        return -1 if any(cell in seen for cell in far) else None

    def planes(self, board: Board) -> Planes:
        planes = np.stack([*self.own_and_theirs(board), np.zeros((5, 5), np.float32)])
        if board.side == 1:
            return planes
        shown = np.empty_like(planes).reshape(3, 25)
        shown[:, self.turned] = planes.reshape(3, 25)
        return shown.reshape(3, 5, 5)


class OthelloTwin(Twin):
    original = games.make("othello:6")
    inputs = ("own discs", "opponent's discs")
    kind = "discs"
    symmetries = board_symmetries(6, 6, 37)
    PASS = 36

    def begin(self) -> tuple[int, ...]:
        stones = [0] * 36
        stones[14], stones[21] = 2, 2
        stones[15], stones[20] = 1, 1
        return tuple(stones)

    def flips(self, stones: tuple[int, ...], cell: int, side: int) -> list[int]:
        if stones[cell]:
            return []
        found = []
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                line, row, col = [], cell // 6 + down, cell % 6 + right
                while (down or right) and 0 <= row < 6 and 0 <= col < 6 and stones[row * 6 + col] == 3 - side:
                    line.append(row * 6 + col)
                    row, col = row + down, col + right
                if line and 0 <= row < 6 and 0 <= col < 6 and stones[row * 6 + col] == side:
                    found += line
        return found

    def places(self, stones: tuple[int, ...], side: int) -> list[int]:
        return [cell for cell in range(36) if self.flips(stones, cell, side)]

    def legal(self, board: Board) -> list[int]:
        return self.places(board.stones, board.side) or [self.PASS]

    def played(self, board: Board, action: int) -> tuple[tuple[int, ...], int]:
        if action == self.PASS:
            return board.stones, -1
        turned = {action, *self.flips(board.stones, action, board.side)}
        return tuple(board.side if cell in turned else stone for cell, stone in enumerate(board.stones)), action

    def outcome(self, board: Board) -> int | None:
        if self.places(board.stones, 1) or self.places(board.stones, 2):
            return None
        lead = board.stones.count(board.side) - board.stones.count(3 - board.side)
        return (lead > 0) - (lead < 0)

    def planes(self, board: Board) -> Planes:
        return np.stack(self.own_and_theirs(board))

    def moves_on(self, board: Board, action: int) -> int:
        return -1 if action == self.PASS else action

    def move_text(self, board: Board, action: int) -> str:
        return "pass" if action == self.PASS else super().move_text(board, action)

    def score(self, board: Board) -> tuple[float, float]:
        return float(board.stones.count(1)), float(board.stones.count(2))

    def owners(self, board: Board) -> tuple[int, ...]:
        return board.stones


def twins() -> dict[str, Game]:
    """By the id of the built-in game."""
    made = [kind() for kind in (TicTacToeTwin, Connect4Twin, HexTwin, OthelloTwin)]
    return {each.original.id: games.register(each) for each in made}
