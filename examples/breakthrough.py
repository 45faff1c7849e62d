"""Breakthrough on 6 × 6: a whole game, with pieces that move, in about fifty lines.

    tengen check examples/breakthrough.py
    tengen train examples/breakthrough.py --minutes 20
    tengen app --rules examples/breakthrough.py

Pawns step forward, straight or slantwise, and take slantwise only. Whoever reaches the far side wins, and so does
whoever takes the last pawn. A state is the mover's pawns, the opponent's, and the step forward: -6 cells for the first
player, who moves up, 6 for the second. The network always sees the mover moving up: for the second player the planes
turn the board upside down, and `turned` says where the actions then stand.
"""

from tengen.games import Rules

SIDE = 6
CELLS = range(SIDE * SIDE)
MIRRORED = [c + SIDE - 1 - 2 * (c % SIDE) for c in CELLS]


class Breakthrough(Rules):
    name, title = "breakthrough", "Breakthrough"
    rows = cols = SIDE
    actions = 3 * len(CELLS)  # from each cell, 3 kinds of step: to the left, straight on, to the right
    most_plies = 120  # 24 pawns with at most 5 steps each
    inputs = ("own pawns", "opponent's pawns")
    remembers = False
    symmetries = ((MIRRORED, [3 * MIRRORED[c] + 2 - kind for c in CELLS for kind in range(3)]),)
    turned = range(actions - 1, -1, -1)

    def start(self):
        return frozenset(CELLS[-2 * SIDE :]), frozenset(CELLS[: 2 * SIDE]), -SIDE

    def legal(self, state):
        own, other, forward = state
        found = []
        for cell in sorted(own):
            for kind in range(3):
                to = cell + forward + kind - 1
                if 0 <= cell % SIDE + kind - 1 < SIDE and to not in own and (kind != 1 or to not in other):
                    found.append(3 * cell + kind)
        return found

    def apply(self, state, action):
        own, other, forward = state
        cell, to = self.moves_on(state, action)
        return other - {to}, own - {cell} | {to}, -forward

    def outcome(self, state):
        own, other, forward = state
        home = SIDE - 1 if forward < 0 else 0  # where the opponent wants to be
        return -1 if not own or any(cell // SIDE == home for cell in other) else None

    def planes(self, state):
        own, other, forward = state
        seen = [[c in side for c in CELLS[:: 1 if forward < 0 else -1]] for side in (own, other)]
        return [[side[r * SIDE : (r + 1) * SIDE] for r in range(SIDE)] for side in seen]

    def cells(self, state):
        own, other, forward = state
        first, second = (own, other) if forward < 0 else (other, own)
        return [(1, "♟") if c in first else (2, "♟") if c in second else 0 for c in CELLS]

    def moves_on(self, state, action):
        cell, kind = divmod(action, 3)
        return cell, cell + state[2] + kind - 1

    def move_text(self, state, action):
        return "".join(f"{'abcdef'[c % SIDE]}{SIDE - c // SIDE}" for c in self.moves_on(state, action))
