"""Chess, through python-chess (pip install chess): rules that somebody else has written, in a game of yours.

    tengen check examples/chess_game.py
    tengen train examples/chess_game.py --minutes 600
    tengen app --rules examples/chess_game.py

It shows pieces as glyphs, moves from cell to cell with a choice (promotions), and AlphaZero's numbering of moves: 73
kinds of step from each of 64 cells, so that the same step has the same kind everywhere, as a convolution sees it. With
a number for each pair of cells it would have to learn every step 64 times. Cells are numbered as the mover sees them,
his own side below, in planes and actions alike, so `turned` is not needed.

A game is drawn by stalemate, too few pieces, 50 moves, the third time in a position, and after 400 plies. python-chess
is under the GPL, version 3 or later: mind that if you pass on what you make with it.
"""

import chess
import numpy as np

from tengen.games import Rules

MOST_PLIES = 400
STRAIGHT = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
JUMPS = ((-2, 1), (-1, 2), (1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1))
STEPS = [(row * n, col * n) for row, col in STRAIGHT for n in range(1, 8)] + list(JUMPS)
KIND = {step: kind for kind, step in enumerate(STEPS)}
LESSER = (chess.KNIGHT, chess.BISHOP, chess.ROOK)  # a pawn becomes one of these by 9 further kinds, else a queen
KINDS = len(STEPS) + 3 * len(LESSER)


class Chess(Rules):
    """A state is a board, and the positions before it that may still come back."""

    name, title = "chess", "Chess"
    rows, cols, actions, most_plies = 8, 8, 64 * KINDS, MOST_PLIES
    inputs = (
        *(f"{whose} {chess.piece_name(piece)}s" for whose in ("own", "opponent's") for piece in chess.PIECE_TYPES),
        *(f"{who} may castle {where}" for who in ("mover", "opponent") for where in ("short", "long")),
        *("en passant", "plies since a capture or pawn move / 100", "was here once", "was here twice"),
    )

    def start(self):
        return chess.Board(), ()

    def legal(self, state):
        return sorted(number(state[0].turn, move) for move in state[0].legal_moves)

    def apply(self, state, action):
        board, earlier = state
        move = move_of(board, action)
        after = board.copy(stack=False)
        after.push(move)
        return after, () if board.is_irreversible(move) else (*earlier, board.epd())

    def outcome(self, state):
        board, earlier = state
        if not any(board.legal_moves):
            return -1 if board.is_check() else 0
        drawn = board.halfmove_clock >= 100 or board.is_insufficient_material() or board.ply() >= MOST_PLIES
        return 0 if drawn or (len(earlier) >= 8 and earlier.count(board.epd()) >= 2) else None

    def planes(self, state):
        board, earlier = state
        own, castling, passant = board.turn, board.castling_rights, chess.BB_EMPTY
        if board.has_legal_en_passant():
            passant = chess.BB_SQUARES[board.ep_square]
        masks = [board.pieces_mask(piece, side) for side in (own, not own) for piece in chess.PIECE_TYPES]
        rights = [bool(castling & chess.BB_RANKS[0 if side else 7] & file)
                  for side in (own, not own) for file in (chess.BB_FILE_H, chess.BB_FILE_A)]  # fmt: skip
        times = earlier.count(board.epd()) if earlier else 0
        planes = np.zeros((len(self.inputs), 8, 8), np.float32)
        for plane, mask in enumerate(masks):
            planes[plane] = seen(mask, own)
        for plane, value in enumerate((*rights, 0, board.halfmove_clock / 100, times == 1, times >= 2), len(masks)):
            planes[plane] = value
        planes[len(masks) + len(rights)] = seen(passant, own)
        return planes

    def cells(self, state):
        pieces = [state[0].piece_at(cell ^ 56) for cell in range(64)]
        return [(1 if p.color else 2, chess.UNICODE_PIECE_SYMBOLS[p.symbol().lower()]) if p else 0 for p in pieces]

    def moves_on(self, state, action):
        move = move_of(state[0], action)
        return move.from_square ^ 56, move.to_square ^ 56

    def move_text(self, state, action):
        return state[0].san(move_of(state[0], action))

    def text(self, state):
        return f"{state[0]}\n{state[0].fen()}"


def seen(squares, side):
    """A set of squares as that side sees it: squares count from a1, cells from the mover's top left."""
    rows = np.frombuffer(squares.to_bytes(8, "big" if side else "little"), np.uint8)
    return np.unpackbits(rows, bitorder="little").reshape(8, 8)


def number(side, move):
    """The action of a move."""
    turn = 56 if side else 0
    (row, col), (to_row, to_col) = divmod(move.from_square ^ turn, 8), divmod(move.to_square ^ turn, 8)
    if move.promotion in LESSER:
        kind = len(STEPS) + 3 * LESSER.index(move.promotion) + to_col - col + 1
    else:
        kind = KIND[to_row - row, to_col - col]
    return (row * 8 + col) * KINDS + kind


def move_of(board, action):
    """The move of an action."""
    turn = 56 if board.turn else 0
    cell, kind = divmod(int(action), KINDS)
    if kind >= len(STEPS):
        piece, col = divmod(kind - len(STEPS), 3)
        return chess.Move(cell ^ turn, cell - 9 + col ^ turn, LESSER[piece])
    to = cell + STEPS[kind][0] * 8 + STEPS[kind][1]
    queens = to < 8 and board.piece_type_at(cell ^ turn) == chess.PAWN
    return chess.Move(cell ^ turn, to ^ turn, chess.QUEEN if queens else None)
