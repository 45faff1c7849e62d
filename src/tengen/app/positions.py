"""Positions as the page sends them, and as it draws them."""

from functools import lru_cache
from typing import Any

from tengen import games
from tengen.app.errors import AppError
from tengen.app.requests import Position
from tengen.games import Game, GameError, State

__all__ = ["describe_position", "frames", "make_game", "play_moves", "read_position", "start_of", "winner"]


@lru_cache(maxsize=64)
def make_game(id: str) -> Game:
    try:
        return games.make(id)
    except GameError as error:
        raise AppError("unknown_game", error, game=id) from None


def start_of(game: Game, start: str | None) -> State:
    """The start of the game, or of a position that was set up."""
    try:
        return game.position(start) if start else game.start()
    except GameError as error:
        raise AppError("bad_position", error) from None


def play_moves(state: State, move: str, ply: int) -> str:
    """Plays a move text, whose place in its list is `ply`; returns it as the game spells it."""
    try:
        action = state.parse_move(move)
    except GameError as error:
        raise AppError("illegal_move", error, move=move, ply=ply) from None
    text = state.move_text(action)
    state.apply(action)
    return text


def read_position(position: Position) -> State:
    game = make_game(position.game)
    state = start_of(game, position.start)
    check_length(game, len(position.moves))
    for ply, move in enumerate(position.moves):
        play_moves(state, move, ply)
    return state


def check_length(game: Game, moves: int) -> None:
    if moves > game.max_plies:
        raise AppError("bad_moves", f"no game of {game.id} has more than {game.max_plies} moves", most=game.max_plies)


def move_texts(state: State) -> list[str]:
    """The moves since the start, as texts."""
    replayed = start_of(state.game, state.start_text())
    texts = []
    for action in state.moves():
        texts.append(replayed.move_text(action))
        replayed.apply(action)
    return texts


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
