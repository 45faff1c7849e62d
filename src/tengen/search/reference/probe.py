"""The one thing a search asks the rules: what is proven of this position? Section 8 of docs/search.md.

`Probe` is what may stand behind the question; `RuleProbe` is written down from the page, without a line of C++. Which
proofs succeed depends on the order of moves and on what the table has kept: so these are part of the definition.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from tengen.games import Game, State
from tengen.search.reference.bounds import UNKNOWN, Bounds, best_of
from tengen.search.reference.threats import TooMany, solve_by_threats, win_by_threats


class Probe(Protocol):
    """Asked with nothing expected at a new position, and with the network's value after its evaluation."""

    def limit(self, lookahead: int, positions: int, threats: int = 0) -> None: ...
    def __call__(self, state: State, expected: float | None) -> Bounds: ...
    def win(self, state: State) -> int | None: ...


class RuleProbe:
    """Looks ahead, follows threats, and tries proofs.

    >>> from tengen import games
    >>> probe = RuleProbe(games.make("tictactoe"))
    >>> probe.limit(1, 10_000)
    >>> probe(probe.game.from_moves("a1 b1 a2 b2"), None), probe(probe.game.start(), 0.5)
    ((1, 1, 1), (0, 0, None))
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.lookahead = self.positions = self.threats = 0
        self.proofs: LeafProofs | None = None

    def limit(self, lookahead: int, positions: int, threats: int = 0) -> None:
        self.lookahead, self.positions, self.threats = lookahead, positions, threats

    def __call__(self, state: State, expected: float | None) -> Bounds:
        if expected is None:
            if state.settled():
                return as_it_stands(state)
            found = look_ahead(state, self.lookahead) if self.lookahead else UNKNOWN
            return found if found[0] == found[1] or not self.threats else solve_by_threats(state, self.threats)
        if self.positions == 0 or self.game.remembers:
            return UNKNOWN
        if self.proofs is None or self.proofs.positions != self.positions:
            self.proofs = LeafProofs(self.positions)
        return self.proofs.prove(state, expected > 0)

    def win(self, state: State) -> int | None:
        """A move that wins at once, or else the first of a chain of threats that wins."""
        if not (self.lookahead or self.threats):
            return None
        for action in state.legal_actions():
            following = after(state, action)
            if following.is_terminal() and following.outcome() == -1:
                return action
        chain = win_by_threats(state, self.threats)
        return chain[0] if chain else None


def after(state: State, action: int) -> State:
    following = state.copy()
    following.apply(action)
    return following


def as_it_stands(state: State) -> Bounds:
    score = state.score()
    assert score is not None  # a game that settles is counted
    ahead = (score[0] > score[1]) - (score[0] < score[1])
    value = ahead if state.to_move() == 0 else -ahead
    return value, value, None


# --- Looking ahead ---


def look_ahead(state: State, plies: int) -> Bounds:
    """What that many plies of full search prove, the ends of the game before what follows other moves."""
    following = [after(state, action) for action in state.legal_actions()]
    found: list[Bounds] = [(each.outcome(), each.outcome(), 0) if each.is_terminal() else UNKNOWN for each in following]
    at_once = best_of(found)
    if plies == 1 or at_once[0] == at_once[1]:
        return at_once
    for i, each in enumerate(following):
        if not each.is_terminal():
            found[i] = look_ahead(each, plies - 1)
        if found[i][1] == -1:
            return best_of(found[: i + 1])
    return best_of(found)


# --- Proofs ---


class LeafProofs:
    """Proofs one after the other: what they find helps the next ones, and plies where they fail are given up."""

    def __init__(self, positions: int) -> None:
        self.positions = positions
        small = positions < 500
        self.patience = 4 if small else 16
        self.prover = Prover(positions if small else 16 * positions)
        self.solved, self.failed = Counter[int](), Counter[int]()  # by ply

    def prove(self, state: State, win_expected: bool) -> Bounds:
        ply = state.ply()
        if self.failed[ply] >= self.patience * (1 + self.solved[ply]):
            return UNKNOWN
        try:
            value = self.prover.prove(state, self.positions, win_expected)
        except TooMany:
            self.failed[ply] += 1
            return UNKNOWN
        self.solved[ply] += 1
        return value, value, None


@dataclass(frozen=True)
class TableEntry:
    key: int
    lo: int = -1
    hi: int = 1


class Prover:
    """Can the side to move get at least `goal`, 0 or 1? Yes, if a move leaves an opponent who cannot get 1 - goal."""

    def __init__(self, kept: int) -> None:
        wanted = min(max(2 * kept, 1 << 8), 1 << 18)
        self.size = 1 << (wanted - 1).bit_length()
        self.table: dict[int, TableEntry] = {}  # by place: a position has the place of its key, and the last one stays
        self.worked = Counter[tuple[int, int | None]]()  # by side and cell: answers, less tries in vain
        self.left = 0

    def prove(self, state: State, positions: int, win_expected: bool) -> int:
        self.left = positions
        if state.wins_at_once() and state.promising() is not None:
            return 1
        if win_expected:
            return 1 if self.at_least(state, 1) else 0 if self.at_least(state, 0) else -1
        return -1 if not self.at_least(state, 0) else 1 if self.at_least(state, 1) else 0

    def at_least(self, state: State, goal: int) -> bool:
        if self.left == 0:
            raise TooMany
        self.left -= 1
        key = state.hash()
        kept = self.kept(key)
        if kept.lo >= goal or kept.hi < goal:
            return kept.lo >= goal
        moves = self.open_moves(state, goal)
        if isinstance(moves, bool):
            return moves
        if any(self.kept(after(state, action).hash()).hi < 1 - goal for action in moves):
            return True
        answer = next((i for i, a in enumerate(moves) if not self.at_least(after(state, a), 1 - goal)), None)
        kept = self.kept(key)  # another position may have taken its place
        lo, hi = (kept.lo, min(kept.hi, goal - 1)) if answer is None else (max(kept.lo, goal), kept.hi)
        self.table[key % self.size] = TableEntry(key, lo, hi)
        if answer is None:
            return False
        if state.promising() is None:
            self.worked[self.tried(state, moves[answer])] += 1
            self.worked.subtract(self.tried(state, action) for action in moves[:answer])
        return True

    def open_moves(self, state: State, goal: int) -> list[int] | bool:
        """The answer, where moves that end the game give it. Else the others, those first that should be tried first:
        by the game's own order, or by how often they answered elsewhere."""
        guided = state.promising()
        if guided is not None:
            if guided and state.ply() + 2 >= state.game.max_plies:  # nobody wins any more
                return goal <= 0
            return guided or False
        following = [(action, after(state, action)) for action in state.legal_actions()]
        if any(each.is_terminal() and -each.outcome() >= goal for _, each in following):
            return True
        moves = [action for action, each in following if not each.is_terminal()]
        return sorted(moves, key=lambda action: -self.worked[self.tried(state, action)]) or False

    def kept(self, key: int) -> TableEntry:
        entry = self.table.get(key % self.size)
        return entry if entry is not None and entry.key == key else TableEntry(key)

    def tried(self, state: State, action: int) -> tuple[int, int | None]:
        return state.to_move(), state.landing_cell(action)
