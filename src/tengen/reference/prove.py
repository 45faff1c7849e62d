"""Values of a finished game, proven from its end backwards: the twin of cpp/tengen/selfplay/prove.h in every count."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.games import Game, State
from tengen.records import UNPROVEN

ENTRIES = 1 << 14


class TooMany(Exception):
    """More positions than were allowed."""


@dataclass
class Entry:
    key: int
    lo: int
    hi: int
    best: int


class Prover:
    def __init__(self, most_positions: int) -> None:
        self.budget = most_positions
        self.left = 0
        self.table: dict[int, Entry] = {}
        self.worked: defaultdict[tuple[int, int | None], int] = defaultdict(int)  # by side and cell

    def prove(self, state: State) -> int:
        self.left = self.budget
        try:
            return 1 if self.at_least(state, 1) else 0 if self.at_least(state, 0) else -1
        except TooMany:
            return UNPROVEN

    def at_least(self, state: State, goal: int) -> bool:
        """Can the side to move get that much? It can if some move leaves an opponent who cannot get 1 − goal."""
        self.left -= 1
        if self.left < 0:
            raise TooMany
        following = {action: _after(state, action) for action in state.legal_actions()}
        if any(-after.outcome() >= goal for after in following.values() if after.is_terminal()):
            return True
        key = state.hash()
        entry = self.table.get(key % ENTRIES)
        known = entry if entry and entry.key == key else None
        if known and (known.lo >= goal or known.hi < goal):
            return known.lo >= goal
        best, side = known.best if known else None, state.to_move()
        moves = [action for action, after in following.items() if not after.is_terminal()]
        moves.sort(key=lambda a: (a != best, -self.worked[side, state.landing_cell(a)]))
        failed: list[int] = []
        for action in moves:
            if not self.at_least(following[action], 1 - goal):
                break
            failed.append(action)
        found = moves[len(failed)] if len(failed) < len(moves) else None
        entry = self.table.get(key % ENTRIES)  # it may be another position's by now
        if entry is None or entry.key != key:
            entry = self.table[key % ENTRIES] = Entry(key, -1, 1, moves[0] if moves else 0)
        if found is None:
            entry.hi = min(entry.hi, goal - 1)
            return False
        entry.lo, entry.best = max(entry.lo, goal), found
        self.worked[side, state.landing_cell(found)] += 1
        for action in failed:
            self.worked[side, state.landing_cell(action)] -= 1
        return True


def prove_backwards(game: Game, moves: Sequence[int], most_positions: int) -> list[int]:
    """The value of every position for its side to move, from the last one back to the first that takes too many."""
    values = [UNPROVEN] * len(moves)
    states = [game.start()]
    for action in moves:
        states.append(_after(states[-1], action))
    prover = Prover(most_positions)
    for ply in reversed(range(len(moves) if most_positions else 0)):
        values[ply] = prover.prove(states[ply])
        if values[ply] == UNPROVEN:
            break
    return values


def _after(state: State, action: int) -> State:
    after = state.copy()
    after.apply(action)
    return after
