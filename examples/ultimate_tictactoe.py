"""Ultimate tic-tac-toe: nine small boards in a large one, and where you may play depends on the last move.

    tengen check examples/ultimate_tictactoe.py
    tengen train examples/ultimate_tictactoe.py --minutes 30
    tengen app --rules examples/ultimate_tictactoe.py

Your move's place within its small board names the small board of the answer; where that one is decided, any other may
be chosen. Three small boards in a row win. It shows states that change in place (`copy`), symmetries of the square, a
plane for something that stones do not tell (where to play), and a line to mark at the end.
"""

from tengen.games import Rules, board_symmetries

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
BOARD = [c // 27 * 3 + c % 9 // 3 for c in range(81)]  # the small board of each cell
PLACE = [c // 9 % 3 * 3 + c % 3 for c in range(81)]  # and where it is in there
CELL = {(BOARD[c], PLACE[c]): c for c in range(81)}
DRAWN = 3  # of a small board: 0 open, 1 or 2 won by that player


class Position:
    def __init__(self):
        self.cells, self.boards, self.wanted, self.ply = [0] * 81, [0] * 9, None, 0


class UltimateTicTacToe(Rules):
    name, title = "ultimate_tictactoe", "Ultimate tic-tac-toe"
    rows, cols, actions, most_plies = 9, 9, 81, 81
    inputs = ("own stones", "opponent's stones", "own boards", "opponent's boards", "playable")
    symmetries = board_symmetries(9, 9)
    remembers = False

    def start(self):
        return Position()

    def copy(self, state):
        copied = Position()
        copied.cells, copied.boards = state.cells[:], state.boards[:]
        copied.wanted, copied.ply = state.wanted, state.ply
        return copied

    def legal(self, state):
        return [c for c in range(81) if not state.cells[c] and self.open(state, BOARD[c])]

    def open(self, state, board):
        return not state.boards[board] and state.wanted in (None, board)

    def apply(self, state, action):
        player, board = state.ply % 2 + 1, BOARD[action]
        state.cells[action] = player
        state.ply += 1
        inside = [state.cells[CELL[board, place]] for place in range(9)]
        if won(inside, player):
            state.boards[board] = player
        elif all(inside):
            state.boards[board] = DRAWN
        state.wanted = PLACE[action] if not state.boards[PLACE[action]] else None

    def outcome(self, state):
        if won(state.boards, 2 - state.ply % 2):  # whoever moved last
            return -1
        return 0 if all(state.boards) else None

    def planes(self, state):
        own = state.ply % 2 + 1
        boards = [state.boards[BOARD[c]] for c in range(81)]
        playable = [self.open(state, BOARD[c]) and not state.cells[c] for c in range(81)]
        seen = [[x == p for x in cells] for cells in (state.cells, boards) for p in (own, 3 - own)]
        return [[plane[9 * r : 9 * r + 9] for r in range(9)] for plane in (*seen, playable)]

    def cells(self, state):
        return state.cells

    def line(self, state):
        """The cells of the three small boards that have won."""
        for line in LINES:
            if won([state.boards[b] if b in line else 0 for b in range(9)], 2 - state.ply % 2):
                return [c for c in range(81) if BOARD[c] in line]
        return []

    def text(self, state):
        rows = [" ".join(".XO"[x] for x in state.cells[9 * r : 9 * r + 9]) for r in range(9)]
        where = "any open board" if state.wanted is None else f"board {state.wanted + 1}"
        return "\n".join([*rows, f"to play: {where}"])


def won(cells, player):
    return any(all(cells[i] == player for i in line) for line in LINES)
