"""Players that choose a move without a tree: random ones, and the exact solver."""

from __future__ import annotations

import secrets
from typing import Any

from tengen import solver
from tengen.app.errors import AppError
from tengen.games import Game, State
from tengen.players import PlayerError, make_player

__all__ = ["WITHOUT_SEARCH", "answer", "check_solvable", "solvable"]

WITHOUT_SEARCH = ("random", "solver")


def solvable(game: Game) -> bool:
    return game.id == "connect4"


def check_solvable(state: State) -> None:
    """Refuses what the solver cannot answer in about a second."""
    if not solvable(state.game):
        raise AppError("not_supported", f"{state.game.id} has no exact solver", game=state.game.id)
    if state.is_terminal():
        raise AppError("game_over", f"the game is over after {state.ply()} plies", ply=state.ply())
    if solver.book_path() is None and state.ply() < solver.BOOK_PLIES:
        raise AppError("not_supported", "early positions need the opening book: pip install 'tengen[perfect]'")


def answer(player: str, state: State) -> dict[str, Any]:
    """In the shape of a search's report, with what is known about the moves: nothing, or everything."""
    if player == "solver":
        check_solvable(state)
    try:
        chosen = make_player(player, state.game, seed=secrets.randbits(32)).act_many([state], [0])[0]
    except PlayerError as error:
        raise AppError("unknown_player", error, player=player) from None
    legal = state.legal_actions()
    scores = solver.solve(state).scores if player == "solver" else {}
    moves = [_move(state, action, len(legal), scores.get(action + 1)) for action in legal]
    moves.sort(key=lambda move: (move["action"] != chosen, -move["q"]))
    best = moves[0]
    known = {name: best[name] for name in ("q", "wdl", "plies")}
    return {"visits": 0, "nodes": 0, **known, "best": best["move"], "moves": moves}


def _move(state: State, action: int, count: int, score: int | None) -> dict[str, Any]:
    sign = 0 if score is None else (score > 0) - (score < 0)
    text = state.move_text(action)
    return {
        "move": text,
        "action": action,
        "cell": state.landing_cell(action),
        "visits": 0,
        "share": 0.0,
        "prior": 1 / count,
        "q": float(sign),
        "wdl": [float(sign > 0), float(sign == 0), float(sign < 0)],
        "plies": 0.0 if score is None else float(solver.plies_left(state.ply(), score)),
        "u": 0.0,
        "lcb": float(sign),
        "proven": None if score is None else {1: "win", 0: "draw", -1: "loss"}[sign],
        "pv": [text],
    }
