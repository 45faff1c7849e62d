"""Forced wins by threats: chains of moves each of which leaves one answer. Section 8.2 of docs/search.md.

Written down from the page: what is forcing is found by trying every move, and only `safe()` is asked of the game.
"""

from tengen.games import State
from tengen.search.reference.bounds import UNKNOWN, Bounds

LONGEST = 20  # threats in a chain


class TooMany(Exception):
    """It would take more positions than a proof may look at."""


def solve_by_threats(state: State, positions: int) -> Bounds:
    """Can the side to move force a win? And if it is left a single move, can the opponent after it?"""
    if state.forcing() is None or not _goes_on(state):
        return UNKNOWN
    if state.wins_at_once():
        return 1, 1, 1
    if chain := win_by_threats(state, positions):
        return 1, 1, chain[1]
    answers = state.safe() or []
    if not answers:
        return -1, -1, 2
    chain = win_by_threats(_after(state, answers[0]), positions) if len(answers) == 1 else None
    return (-1, -1, chain[1] and chain[1] + 1) if chain else UNKNOWN


def win_by_threats(state: State, positions: int) -> tuple[int, int | None] | None:
    """The first move of the shortest chain that wins, and the plies to the end where nothing else can be shorter.

    Not where a move wins at once: a win in three plies then is one threat that has no answer, and a win in five may
    begin otherwise, but takes no less than two threats do.
    """
    if state.forcing() is None or not _goes_on(state):
        return None
    chains = _Chains(positions)
    for threats in range(1, LONGEST + 1):
        chains.longer = False
        try:
            first = chains.first_move(state, threats)
        except TooMany:
            return None
        if first is not None:
            return first, 2 * threats + 1 if threats <= 2 else None
        if not chains.longer:
            return None
    return None


class _Chains:
    def __init__(self, positions: int) -> None:
        self.left = positions
        self.longer = False  # was there more to follow?

    def first_move(self, state: State, threats: int) -> int | None:
        """Of a chain of at most so many threats."""
        if self.left == 0:
            raise TooMany
        self.left -= 1
        for action in state.safe() or []:
            threatened = _after(state, action)
            answers = threatened.safe() or []
            if not answers:
                return action
            if len(answers) > 1:
                continue
            if threats == 1:
                self.longer = True
                continue
            following = _after(threatened, answers[0])
            if _goes_on(following) and self.first_move(following, threats - 1) is not None:
                return action
        return None


def _goes_on(state: State) -> bool:
    """Does nothing but a win end the game within two plies?"""
    return state.ply() + 2 < state.game.max_plies


def _after(state: State, action: int) -> State:
    following = state.copy()
    following.apply(action)
    return following
