"""Built-in games once more, as plain functions over one array: what `compiled` takes. They run in Python too.

Loops instead of expressions of whole arrays, which take Numba seconds to compile.
"""

from typing import Any

import numpy as np

from tengen.games import Rules, board_symmetries

ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
BOTTOM = 0x0000040810204081
FULL = BOTTOM * 0x3F


def has_row(cells: Any, stone: int) -> bool:
    for a, b, c in ROWS:  # noqa: SIM110  Numba has no any()
        if cells[a] == stone and cells[b] == stone and cells[c] == stone:
            return True
    return False


class ArrayTicTacToe(Rules):
    """Cells, and the ply behind them."""

    name, actions, rows, cols, most_plies = "array_tictactoe", 9, 3, 3, 9
    inputs = ("own stones", "opponent's stones")
    remembers = False
    symmetries = board_symmetries(3, 3)

    @staticmethod
    def start() -> Any:
        return np.zeros(10, np.int8)

    @staticmethod
    def copy(state: Any) -> Any:
        return state.copy()

    @staticmethod
    def legal(state: Any) -> Any:
        return [cell for cell in range(9) if state[cell] == 0]

    @staticmethod
    def apply(state: Any, action: int) -> None:
        state[action] = 1 + state[9] % 2
        state[9] += 1

    @staticmethod
    def outcome(state: Any) -> int | None:
        if has_row(state, 2 - state[9] % 2):
            return -1
        return 0 if state[9] == 9 else None

    @staticmethod
    def planes(state: Any) -> Any:
        out = np.zeros((2, 3, 3), np.float32)
        for cell in range(9):
            if state[cell]:
                out[(state[cell] + state[9] + 1) % 2, cell // 3, cell % 3] = 1
        return out

    def cells(self, state: Any) -> Any:
        return state[:9]


def has_four(stones: int) -> bool:
    for step in (1, 6, 7, 8):
        pairs = stones & stones >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


def threats(stones: int, occupied: int) -> int:
    out = stones << 1 & stones << 2 & stones << 3
    for step in (6, 7, 8):
        before, after = stones << step & stones << 2 * step, stones >> step & stones >> 2 * step
        out |= before & (stones << 3 * step | stones >> step) | after & (stones >> 3 * step | stones << step)
    return out & FULL & ~occupied


def mirrored(stones: int) -> int:
    out = 0
    for col in range(7):
        out |= (stones >> 7 * col & 0x7F) << 7 * (6 - col)
    return out


def mix(x: int) -> int:
    """Only the low 64 bits count: in Python there may be more."""
    x ^= x >> 30 & 0x3FFFFFFFF
    x *= 0xBF58476D1CE4E5B9 - (1 << 64)
    x ^= x >> 27 & 0x1FFFFFFFFF
    x *= 0x94D049BB133111EB - (1 << 64)
    return x ^ (x >> 31 & 0x1FFFFFFFF)


class ArrayConnect4(Rules):
    """The stones of the side to move, those of both, and the ply; bits as in cpp/tengen/games/connect4.h."""

    name, kind, actions, rows, cols, most_plies = "array_connect4", "gravity", 7, 6, 7, 42
    inputs = ("own stones", "opponent's stones", "own threats", "theirs", "first player to move")
    remembers = False
    symmetries = (([row * 7 + 6 - col for row in range(6) for col in range(7)], list(range(6, -1, -1))),)

    @staticmethod
    def start() -> Any:
        return np.zeros(3, np.int64)

    @staticmethod
    def copy(state: Any) -> Any:
        return state.copy()

    @staticmethod
    def legal(state: Any) -> Any:
        return [col for col in range(7) if state[1] >> 7 * col + 5 & 1 == 0]

    @staticmethod
    def apply(state: Any, action: int) -> None:
        state[0] ^= state[1]
        state[1] |= state[1] + (1 << 7 * action)
        state[2] += 1

    @staticmethod
    def outcome(state: Any) -> int | None:
        if has_four(state[0] ^ state[1]):
            return -1
        return 0 if state[2] == 42 else None

    @staticmethod
    def planes(state: Any) -> Any:
        out = np.zeros((5, 6, 7), np.float32)
        own, occupied, first = state[0], state[1], FULL * (1 - state[2] % 2)
        boards = own, own ^ occupied, threats(own, occupied), threats(own ^ occupied, occupied), first
        for row in range(6):
            for col in range(7):
                for plane in range(5):
                    out[plane, row, col] = boards[plane] >> 7 * col + 5 - row & 1
        return out

    @staticmethod
    def hash(state: Any, symmetry: int) -> int:
        own, occupied = int(state[0]), int(state[1])
        if symmetry:
            own, occupied = mirrored(own), mirrored(occupied)
        return mix(own + occupied + BOTTOM)

    def cells(self, state: Any) -> list[int]:
        own, occupied, ply = (int(number) for number in state)
        bits = [7 * col + 5 - row for row in range(6) for col in range(7)]
        return [(occupied >> bit & 1) * (1 + (ply + 1 - (own >> bit & 1)) % 2) for bit in bits]

    def moves_on(self, state: Any, action: int) -> int:
        return int((5 - (int(state[1]) >> 7 * action & 0x7F).bit_count()) * 7 + action)

    def move_text(self, state: Any, action: int) -> str:
        return str(action + 1)
