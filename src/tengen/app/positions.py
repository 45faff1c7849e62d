"""Positions as the page sends them, and as it draws them."""

from typing import Any

from tengen import games
from tengen.app.requests import Position
from tengen.games import Game, State
from tengen.kifu.moves import check_length, make_game, play_moves, start_of

__all__ = ["describe_position", "describe_start", "drawn", "frames", "move_place", "read_position", "winner"]

SHOWN_TEXTS = 100  # plies of a game without a board whose texts are told: a line is pointed at, not a whole game


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


def drawn(state: State) -> dict[str, Any]:
    """What stands on each cell: whose it is, and the glyph it is drawn by; no glyphs where all are plain stones."""
    glyphs = state.glyphs()
    return {"stones": state.stones(), "glyphs": glyphs if glyphs and any(glyphs) else None}


def move_place(state: State, action: int) -> dict[str, int | None]:
    """The cells that a move comes from and goes to; None where it has none."""
    source, target = state.move_cells(action)
    return {"from": source if source >= 0 else None, "cell": target if target >= 0 else None}


def describe_start(game: Game) -> dict[str, Any]:
    """For a small picture of the game."""
    state = game.start()
    return drawn(state) | {"text": state.text()}


def describe_position(position: Position) -> dict[str, Any]:
    state = read_position(position)
    texts, source = _moves_told(state)
    marks = state.highlights()
    return {
        "game": state.game.id,
        "start": state.start_text() or None,
        "moves": texts,
        "ply": state.ply(),
        "to_move": state.to_move(),
        **drawn(state),
        "board_text": state.text(),
        "legal": [
            {"action": action, "text": state.move_text(action), **move_place(state, action)}
            for action in state.legal_actions()
        ],
        "terminal": state.is_terminal(),
        "winner": winner(state),
        "result": games.result_text(state),
        "score": score(state),
        "captures": state.captures(),
        "last": marks["last"],
        "last_from": source,
        "line": marks["line"],
        "text": state.position_text(),
    }


def _moves_told(state: State) -> tuple[list[str], int | None]:
    """The moves since the start as texts, and the cell that the last of them came from."""
    replayed = start_of(state.game, state.start_text())
    texts, source = [], None
    for action in state.moves():
        texts.append(replayed.move_text(action))
        source = move_place(replayed, action)["from"]
        replayed.apply(action)
    return texts, source


def frames(position: Position) -> dict[str, Any]:
    """The board after every ply, the start included, and where the move that led there came from and went to. Games
    without a board have texts instead."""
    last = read_position(position)
    state = start_of(last.game, position.start)
    textual = last.game.layout()["kind"] == "text"
    sources: list[int | None] = [None]
    boards, lasts, texts = [drawn(state)], [state.highlights()["last"]], [state.text()]
    for ply, action in enumerate(last.moves(), 1):
        sources.append(move_place(state, action)["from"])
        state.apply(action)
        boards.append(drawn(state))
        lasts.append(state.highlights()["last"])
        texts.append(state.text() if textual and last.ply() - ply < SHOWN_TEXTS else None)
    return {
        "frames": [board["stones"] for board in boards],
        "glyphs": [board["glyphs"] for board in boards],
        "texts": texts if textual else None,
        "froms": sources,
        "lasts": lasts,
    }
