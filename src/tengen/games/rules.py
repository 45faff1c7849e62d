"""Your own game: one class, from which everything else follows.

    from tengen.games import Rules

    class Nim(Rules):
        name, actions, rows, cols, most_plies = "nim", 3, 1, 1, 21
        inputs = ("matches left / 21",)

        def start(self):                 return 21
        def legal(self, state):          return range(min(3, state))
        def apply(self, state, action):  return state - 1 - action
        def outcome(self, state):        return None if state else -1
        def planes(self, state):         return [[[state / 21]]]

`tengen check ./nim.py` tests it, `tengen train ./nim.py` learns it, `tengen app --rules ./nim.py` shows it.

A *state* is whatever you like. Two ways to make moves:
  - `apply` returns the next state and leaves the old one as it was (numbers, tuples, frozen dataclasses); or
  - `copy` is defined too: then `apply` changes its argument and returns nothing, and is only given copies.
Players alternate at every ply. Where your game lets one side move twice, give the other side a single legal action
that does nothing, a pass. All numbers are for the side to move: 1 it has won, -1 it has lost, 0 a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["KINDS", "Permutations", "Rules", "board_symmetries"]

KINDS = ("cells", "gravity", "lines", "hexes", "discs", "text")

Permutations = Sequence[tuple[Sequence[int], Sequence[int]]]
"""Of cells and of actions: where each of them goes."""


class Rules:
    """The contract. Five methods and the facts above them are needed; all that follows them may be left out."""

    name: str
    """What records, networks and runs keep: a lower-case letter, then lower-case letters, digits and _."""
    version: int = 1
    """Raise it when you change the rules: what was learned before then is refused."""
    title: str = ""
    """For people; the name where it is empty."""
    actions: int
    """Every move is one of 0 … actions - 1. Let action i be the move on cell i, with further moves (a pass) behind
    those; or, with k kinds of move for every cell, let action = cell · k + kind: the network looks for it there."""
    rows: int
    cols: int
    """Of the network's planes and of the board that is drawn. 1 × 1 for a list of numbers instead of a board."""
    inputs: Sequence[str]
    """What each plane shows, in a word or two: part of the rules' fingerprint."""
    most_plies: int = 512
    """No game may last longer."""

    def start(self) -> Any:
        """The first position."""
        raise NotImplementedError

    def legal(self, state: Any) -> Sequence[int]:
        """The legal actions, ascending; at least one while the game goes on. Not asked when it is over."""
        raise NotImplementedError

    def apply(self, state: Any, action: int) -> Any:
        """The position after a legal action; see `copy`."""
        raise NotImplementedError

    def outcome(self, state: Any) -> int | None:
        """None while the game goes on; then 1, 0 or -1 for the side to move, so -1 where the last move has won."""
        raise NotImplementedError

    def planes(self, state: Any) -> Any:
        """What the network sees: numbers [planes, rows, cols], from the view of the side to move. Everything that
        matters for what follows should be in it, the side to move only if it matters."""
        raise NotImplementedError

    # States that change in place.
    copy: Any = None
    """`def copy(self, state)`: an independent copy. Define it where `apply` changes its argument."""

    # Faster learning.
    symmetries: Permutations = ()
    """Of the board, other than leaving it as it is: `board_symmetries(rows, cols)` for one action per cell."""
    remembers: bool = True
    """May what follows depend on something that the planes do not show? False lets the search prove positions."""
    turned: Sequence[int] | None = None
    """Where the planes turn the board for the second player: the place that each action then has in the policy."""
    hash: Any = None
    """`def hash(self, state, symmetry)`: 64 bits, equal exactly when the planes are, shown under the symmetry of that
    number (0: as it is). By default the planes themselves are hashed."""

    # For people.
    kind: str = ""
    """How the board is drawn: cells, gravity, lines, hexes, discs; text where `cells` is not defined."""
    cells: Any = None
    """`def cells(self, state)`: for each cell 0, or 1 or 2 for a stone of the first or second player, or a pair of
    the player and a glyph, such as (1, "♘")."""
    moves_on: Any = None
    """`def moves_on(self, state, action)`: the cell that a move is played on, or a pair: the cell it comes from and the
    cell it goes to; -1 for none. By default the cell of the action's number."""
    line: Any = None
    """`def line(self, state)`: cells to mark in a finished game."""

    def move_text(self, state: Any, action: int) -> str:
        """A move as people write it, without spaces and commas; no two legal moves alike."""
        cells = self.rows * self.cols
        if cells > 1 and action < cells <= self.actions:
            return (
                f"{chr(97 + action % self.cols)}{self.rows - action // self.cols}" if self.cols <= 26 else str(action)
            )
        return str(action)

    def text(self, state: Any) -> str:
        """The position, for a terminal, or where no board is drawn. Several lines are fine."""
        return str(state)

    def address(self) -> int:
        """Of a tengen_game_t with the methods in machine code (`compiled`); 0: they are asked in Python."""
        return 0

    # Games that are counted.
    score: Any = None
    """`def score(self, state)`: what the first and the second player have if the game ends here; more wins."""
    owners: Any = None
    """`def owners(self, state)`: whose each cell is then: 0 nobody's, 1 the first player's, 2 the second's."""


def board_symmetries(rows: int, cols: int, actions: int = 0) -> Permutations:
    """The symmetries of a board with one action per cell, and further actions that stay as they are: 7 of a square, 3
    of another board. Bit 4 transposes, bit 1 mirrors the columns, bit 2 the rows.

    >>> len(board_symmetries(3, 3)), len(board_symmetries(6, 7))
    (7, 3)
    >>> board_symmetries(2, 2)[0][0]
    [1, 0, 3, 2]
    """
    found = []
    for symmetry in range(1, 8 if rows == cols else 4):
        cells = []
        for cell in range(rows * cols):
            row, col = divmod(cell, cols)
            if symmetry & 4:
                row, col = col, row
            cells.append((rows - 1 - row if symmetry & 2 else row) * cols + (cols - 1 - col if symmetry & 1 else col))
        found.append((cells, cells + list(range(rows * cols, max(actions, rows * cols)))))
    return found
