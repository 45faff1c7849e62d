"""Positions as the page sends them, and as it draws them."""

from typing import Any

from tengen import games
from tengen.app.requests import Position
from tengen.games import State
from tengen.kifu.moves import check_length, make_game, move_texts, play_moves, start_of

__all__ = ["describe_position", "frames", "read_position", "winner"]


def read_position(position: Position) -> State:
    game = make_game(position.game)
    state = start_of(game, position.start)
    check_length(game, len(position.moves))
    for ply, move in enumerate(position.moves):
        play_moves(state, move, ply)
    return state


def winner(state: State) -> int | str | None:
    """The player who has won, "draw", or None while the game goes on."""
    if not state.is_terminal():
        return None
    outcome = state.outcome()
    return "draw" if outcome == 0 else state.to_move() if outcome > 0 else 1 - state.to_move()


def score(state: State) -> dict[str, Any] | None:
    """The count if the game ended here, and for whom each cell counts; None in games that are not counted."""
    points = state.score()
    return None if points is None else {"points": points, "owners": state.owners()}


def describe_position(position: Position) -> dict[str, Any]:
    state = read_position(position)
    marks = state.highlights()
    return {
        "game": state.game.id,
        "start": state.start_text() or None,
        "moves": move_texts(state),
        "ply": state.ply(),
        "to_move": state.to_move(),
        "stones": state.stones(),
        "legal": [
            {"action": action, "text": state.move_text(action), "cell": state.landing_cell(action)}
            for action in state.legal_actions()
        ],
        "terminal": state.is_terminal(),
        "winner": winner(state),
        "result": games.result_text(state),
        "score": score(state),
        "captures": state.captures(),
        "last": marks["last"],
        "line": marks["line"],
        "text": state.position_text(),
    }


def frames(position: Position) -> dict[str, Any]:
    """The board after every ply, the start included."""
    last = read_position(position)
    state = start_of(last.game, position.start)
    boards, lasts = [state.stones()], [state.highlights()["last"]]
    for action in last.moves():
        state.apply(action)
        boards.append(state.stones())
        lasts.append(state.highlights()["last"])
    return {"frames": boards, "lasts": lasts}
