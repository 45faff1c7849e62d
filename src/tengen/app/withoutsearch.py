"""What players that choose a move without a tree answer: random ones, the exact solver, and other programs."""

from __future__ import annotations

import secrets
from typing import Any

from tengen.app.errors import AppError
from tengen.app.positions import move_place
from tengen.exact.oracle import Oracle, oracle
from tengen.games import State
from tengen.play.certainty import certainty
from tengen.play.players import PlayerError, make_player

__all__ = ["answer", "plain_report", "solver_for"]


def solver_for(state: State) -> Oracle:
    """Who solves a position. Refuses what nobody can answer in about a second."""
    known = oracle(state.game)
    if known is None:
        raise AppError("not_supported", f"{state.game.id} has no exact solver", game=state.game.id)
    if state.is_terminal():
        raise AppError("game_over", f"the game is over after {state.ply()} plies", ply=state.ply())
    if known.takes_minutes(state):
        raise AppError("not_supported", "early positions need the opening book: pip install 'tengen[perfect]'")
    return known


def answer(player: str, state: State) -> dict[str, Any]:
    """Of those that are made for one move."""
    solver = solver_for(state) if player == "solver" else None
    try:
        (chosen,) = make_player(player, state.game, seed=secrets.randbits(32)).act_many([state], [0])
    except PlayerError as error:
        raise AppError("unknown_player", error, player=player) from None
    assert isinstance(chosen, int)
    return plain_report(state, chosen, solver)


def plain_report(state: State, chosen: int, solver: Oracle | None = None) -> dict[str, Any]:
    """In the shape of a search's report, with what is known about the moves: nothing, or everything."""
    legal = state.legal_actions()
    moves = [_move(state, action, len(legal)) for action in legal]
    if solver:
        scores = solver.solve_many([state])[0].tolist()
        for move in moves:
            move |= _known(scores[move["action"]], solver.plies_left(state.ply(), scores[move["action"]]))
    moves.sort(key=lambda move: (move["action"] != chosen, -move["q"]))
    best = moves[0]
    known = {name: best[name] for name in ("q", "wdl", "plies", "lead")}
    return {
        "visits": 0,
        "nodes": 0,
        **known,
        "best": best["move"],
        **certainty(solver is not None),
        "moves": moves,
    }


def _move(state: State, action: int, count: int) -> dict[str, Any]:
    text = state.move_text(action)
    return {
        "move": text,
        "action": action,
        **move_place(state, action),
        "visits": 0,
        "share": 0.0,
        "prior": 1 / count,
        "q": 0.0,
        "wdl": [0.0, 1.0, 0.0],
        "plies": 0.0,
        "lead": None,
        "u": 0.0,
        "lcb": 0.0,
        "proven": None,
        "pv": [text],
    }


def _known(score: int, plies: int) -> dict[str, Any]:
    """What changes in a move's row when its exact score is known."""
    sign = (score > 0) - (score < 0)
    return {
        "q": float(sign),
        "wdl": [float(sign > 0), float(sign == 0), float(sign < 0)],
        "plies": float(plies),
        "lcb": float(sign),
        "proven": {1: "win", 0: "draw", -1: "loss"}[sign],
    }
