"""What positions are worth by the rules alone, as a textbook finds out: to compare cpp/tengen/proof/labels.h with."""

from tengen.games import State


def exact_value(state: State) -> int:
    """Negamax to the end of the game: −1, 0 or 1 for the side to move. Only for positions near the end."""
    if state.is_terminal():
        return state.outcome()
    best = -1
    for action in state.legal_actions():
        after = state.copy()
        after.apply(action)
        best = max(best, -exact_value(after))
        if best == 1:
            break
    return best
