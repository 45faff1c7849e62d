"""What bare networks think of a position, without any search: the time machine asks one after another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.app.errors import AppError
from tengen.app.networks import Networks
from tengen.games import State
from tengen.net.evaluator import Batch, Rollout, bounded_lead, foreseen_owners
from tengen.play.certainty import certainty
from tengen.play.players import page_player

__all__ = ["evaluate"]


def evaluate(networks: Networks, state: State, players: list[str], owners: bool = False) -> dict[str, Any]:
    if state.is_terminal():
        raise AppError("game_over", f"the game is over after {state.ply()} plies", ply=state.ply())
    return {"answers": [_answer(networks, state, player, owners) for player in players]}


def _answer(networks: Networks, state: State, player: str, owners: bool) -> dict[str, Any]:
    named = page_player(player)
    if named and not named[0].network:
        nothing = dict.fromkeys(("wdl", "plies", "lead", "prior"))
        return {"player": player, **certainty(False), **nothing, **({"owners": None} if owners else {})}
    shown = Batch(state.planes()[None], np.array([state.hash()], np.uint64))
    with networks.evaluator(player, state.game) as judge:
        assert not isinstance(judge, Rollout)
        answer = judge(shown).each(np.array)  # copies: the arrays are lent
        foreseen = foreseen_owners(judge, state) if owners else None
    legal = state.legal_actions()
    logits = np.array([answer.policy[0][state.policy_index(action)] for action in legal], np.float64)
    weights = np.exp(logits - logits.max())
    prior = {state.move_text(a): float(p) for a, p in zip(legal, weights / weights.sum(), strict=True)}
    wdl = [float(share) for share in answer.wdl[0]]
    lead = None if answer.lead is None else bounded_lead(float(answer.lead[0]))
    said = {"wdl": wdl, "plies": float(answer.moves_left[0]), "lead": lead, "prior": prior}
    cells = None if foreseen is None else [round(each, 3) for each in foreseen.tolist()]
    return {"player": player, **certainty(True), **said, **({"owners": cells} if owners else {})}
