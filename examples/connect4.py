"""Connect4 as plain functions over one array: the form that can be compiled.

    tengen check examples/connect4.py
    tengen train examples/connect4.py --minutes 10

Nothing here uses Python's objects: a state is one array of a fixed size, and every method is a function of it. So one
decorator makes native code of the same file; see connect4_compiled.py. A state that changes in place needs `copy`.
"""

import numpy as np

from tengen.games import Rules

ROWS, COLS = 6, 7
CELLS = ROWS * COLS
PLY, WON = CELLS, CELLS + 1  # what follows the cells in a state: moves so far, and whether the last one has won


class Connect4(Rules):
    name, title, kind = "drop4", "Connect4", "gravity"  # the name connect4 is taken by the built-in game
    rows, cols, actions, most_plies = ROWS, COLS, COLS, CELLS
    inputs = ("own stones", "opponent's stones")
    remembers = False
    symmetries = (([r * COLS + COLS - 1 - c for r in range(ROWS) for c in range(COLS)], range(COLS - 1, -1, -1)),)

    @staticmethod
    def start():
        return np.zeros(CELLS + 2, np.int8)

    @staticmethod
    def copy(state):
        return state.copy()

    @staticmethod
    def legal(state):
        return np.flatnonzero(state[:COLS] == 0)

    @staticmethod
    def apply(state, action):
        cell = CELLS - COLS + action
        while state[cell] != 0:
            cell -= COLS
        player = state[PLY] % 2 + 1
        state[cell] = player
        state[PLY] += 1
        row = cell // COLS
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            count = 1
            for sign in (1, -1):
                r, c = row + sign * down, action + sign * right
                while 0 <= r < ROWS and 0 <= c < COLS and state[r * COLS + c] == player:
                    count += 1
                    r, c = r + sign * down, c + sign * right
            if count >= 4:
                state[WON] = 1

    @staticmethod
    def outcome(state):
        if state[WON]:
            return -1  # the last move has won, and the side to move has lost
        return 0 if state[PLY] == CELLS else None

    @staticmethod
    def planes(state):
        own = state[PLY] % 2 + 1
        planes = np.zeros((2, ROWS, COLS), np.float32)
        for cell in range(CELLS):  # `planes[0] = … == own` would do in Python, but takes Numba seconds to compile
            if state[cell] != 0:
                planes[0 if state[cell] == own else 1, cell // COLS, cell % COLS] = 1
        return planes

    def cells(self, state):
        return state[:CELLS]

    def moves_on(self, state, action):
        return max(cell for cell in range(action, CELLS, COLS) if state[cell] == 0)

    def move_text(self, state, action):
        return str(action + 1)

    def text(self, state):
        return "\n".join(" ".join(".XO"[cell] for cell in row) for row in state[:CELLS].reshape(ROWS, COLS))
