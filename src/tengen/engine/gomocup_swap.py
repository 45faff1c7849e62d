"""The opening of swap2: one side puts three stones, the other chooses.

no stones      three that leave both sides about the same chances
three stones   no move: swap, the stones of the first player are better; one: stay; two: too close to tell, the
               other side chooses
five stones    swap or stay
"""

from __future__ import annotations

from collections.abc import Callable

from tengen.engine.board import Board
from tengen.games import GameError, State

__all__ = ["Judgement", "open_swap2"]

Judgement = tuple[int, float]  # the best move, and what the position is worth to the side to move: −1 … 1

EVEN = 0.1  # a value up to this is too close to tell
# Columns from the middle, rows from the edge: stones at the edge are worth little, which makes up for being first.
OPENINGS = (((0, 0), (-1, 1), (2, 0)), ((-1, 0), (1, 1), (1, 0)), ((0, 1), (1, 1), (-2, 0)))


def open_swap2(board: Board, judge: Callable[[State, float], Judgement]) -> list[int]:
    """The cells of the stones that are put next, which stand on the board then; none means to swap. `judge` searches a
    position in a share of the time for a move. Raises GameError."""
    stones = board.state.ply()
    if stones == 0:
        return _balanced(board, judge)
    if stones not in (3, 5):
        raise GameError("swap2 begins with no stones, three or five")
    action, value = judge(board.state, 0.5)
    if stones == 3 and abs(value) < EVEN:
        first = _put(board, action)
        return [first, _put(board, judge(board.state, 0.5)[0])]
    return [_put(board, action)] if value >= 0 else []


def _balanced(board: Board, judge: Callable[[State, float], Judgement]) -> list[int]:
    """Of a few openings the one whose value is closest to even."""
    size = board.game.layout()["cols"]
    values = {}
    for opening in OPENINGS:
        state, cells = board.state.copy(), [y * size + size // 2 + x for x, y in opening]
        for cell in cells:
            state.apply(_action(state, cell))
        values[tuple(cells)] = abs(judge(state, 1 / len(OPENINGS))[1])
    best = min(values, key=lambda cells: values[cells])
    return [_put(board, _action(board.state, cell)) for cell in best]


def _action(state: State, cell: int) -> int:
    return state.parse_move(state.game.layout()["cell_names"][cell])


def _put(board: Board, action: int) -> int:
    state = board.state
    board.play(state.to_move(), state.move_text(action))
    return state.landing_cell(action) or 0
