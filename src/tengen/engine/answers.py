"""What the analysis engine says of a position: the fields that clients of KataGo's engine look for, as far as a search
knows them. Scores are the expected lead where the network or the playouts count, else 0 until the rules count one.
Ownership is what a network that counts foresees, else what the rules would count if the game ended here.
"""

from __future__ import annotations

import math
from typing import Any

from tengen.engine.query import Query
from tengen.games import State
from tengen.net.evaluator import Rollout
from tengen.search.agent import STANDARD_ERRORS, Agent, MoveInfo

__all__ = ["analysis_answer", "final", "no_results", "refusal"]

LINES = 20  # most visited moves whose expected line is followed
DIGITS = 6

Json = dict[str, Any]


def refusal(message: str, field: str | None = None, id: str | None = None, kind: str = "error") -> Json:
    """An error, or a warning."""
    return {kind: message} | ({"field": field} if field else {}) | ({} if id is None else {"id": id})


def no_results(query: Query, turn: int) -> Json:
    """The answer about a position that was never searched."""
    return {"id": query.id, "isDuringSearch": False, "noResults": True, "turnNumber": turn}


def final(query: Query, turn: int, state: State) -> Json:
    """The answer about a position where the game is over: its value, and no moves."""
    view = _View(query, state)
    root = view.values(state.outcome(), view.final_lead(), 1)
    return _answer(query, turn, view, False, [], _root(state, root)) | (
        {"policy": [-1] * (len(state.stones()) + 1)} if query.policy else {}
    )


def analysis_answer(query: Query, turn: int, state: State, agent: Agent, slot: int, during: bool) -> Json:
    """The answer about a position that is or was searched in a slot."""
    view, node = _View(query, state), agent.search.node(slot)
    report = agent.report(state, slot, LINES)
    shown = [move for move in report.moves if move.visits and _is_shown(query, state, move.text)]
    moves = [_move(view, move, order) for order, move in enumerate(shown)]
    if query.pv_visits:
        for info, move in zip(moves, shown, strict=True):
            info["pvVisits"] = _pv_visits(agent, slot, state, move)
    error = math.sqrt(max(0.0, node.s - node.q * node.q) / max(1, node.visits))
    root = view.values(node.q, view.lead(report.lead), node.visits) | {
        "lcb": view.winrate(node.q - STANDARD_ERRORS * error)
    }
    if not isinstance(agent.evaluator, Rollout):  # of one playout, a root's own value says nothing
        root["rawWinrate"] = view.winrate(node.v)
    answer = _answer(query, turn, view, during, moves, _root(state, root), agent)
    if query.policy:
        policy = [-1.0] * (len(state.stones()) + 1)
        for edge in node.edges:
            cell = state.landing_cell(edge.action)
            policy[-1 if cell is None else cell] = _plain(edge.prior)
        answer["policy"] = policy
    return answer


class _View:
    """Numbers as one side sees them."""

    def __init__(self, query: Query, state: State) -> None:
        self.side = {"BLACK": 0, "WHITE": 1}.get(query.view, state.to_move())
        self._sign = 1 if self.side == state.to_move() else -1  # numbers of a search are the mover's
        self.state = state

    def winrate(self, q: float) -> float:
        return _plain((1 + self._sign * q) / 2)

    def utility(self, q: float) -> float:
        return _plain(self._sign * q)

    def lead(self, points: float | None) -> float:
        return self._sign * (points or 0.0)

    def final_lead(self) -> float:
        """By how much this side is ahead, by the rules' count."""
        first, second = self.state.score() or (0.0, 0.0)
        return first - second if self.side == 0 else second - first

    def ownership(self, agent: Agent | None) -> list[float] | None:
        """Cell by cell, from 1 for this side to -1; None in a game that is not counted."""
        foreseen = None if agent is None else agent.owners(self.state)
        if foreseen is not None:
            return [_plain(self._sign * each) for each in foreseen.tolist()]
        owners, sign = self.state.owners(), 1 if self.side == 0 else -1
        return None if owners is None else [(0, sign, -sign)[owner] for owner in owners]

    def values(self, q: float, lead: float, visits: int) -> Json:
        """What a root and its moves both have."""
        scores = dict.fromkeys(("scoreLead", "scoreMean", "scoreSelfplay"), _plain(lead))
        common = {"visits": visits, "weight": visits, "winrate": self.winrate(q), "lcb": self.winrate(q)}
        return common | {"utility": self.utility(q), "scoreStdev": 0.0} | scores


def _answer(
    query: Query, turn: int, view: _View, during: bool, moves: list[Json], root: Json, agent: Agent | None = None
) -> Json:
    answer: Json = {"id": query.id, "turnNumber": turn, "isDuringSearch": during, "moveInfos": moves, "rootInfo": root}
    if query.ownership and (ownership := view.ownership(agent)) is not None:
        answer["ownership"] = ownership
    return answer


def _root(state: State, values: Json) -> Json:
    hashes = [state.hash(symmetry) for symmetry in range(state.game.num_symmetries)]
    names = {"currentPlayer": "BW"[state.to_move()], "thisHash": f"{hashes[0]:016X}", "symHash": f"{min(hashes):016X}"}
    return values | names


def _move(view: _View, move: MoveInfo, order: int) -> Json:
    return view.values(move.q, view.lead(move.lead), move.visits) | {
        "move": _text(move.text),
        "order": order,
        "prior": _plain(move.prior),
        "lcb": view.winrate(move.lcb),
        "utilityLcb": view.utility(move.lcb),
        "edgeVisits": move.visits,
        "edgeWeight": move.visits,
        "playSelectionValue": move.visits,
        "pv": [_text(each) for each in move.pv],
    }


def _pv_visits(agent: Agent, slot: int, state: State, move: MoveInfo) -> list[int]:
    state, path, visits = state.copy(), [], []
    for text in move.pv:
        path.append(state.parse_move(text))
        state.apply(path[-1])
        visits.append(agent.search.node(slot, path).visits)
    return visits


def _is_shown(query: Query, state: State, text: str) -> bool:
    """Did the client leave this move in?"""
    side = state.to_move()
    if any(side == mover and text in moves for mover, moves in query.avoid):
        return False
    return all(side != mover or text in moves for mover, moves in query.allow)


def _text(move: str) -> str:
    """Coordinates in capitals, words as they are."""
    return move.upper() if any(letter.isdigit() for letter in move) else move


def _plain(number: float) -> float:
    """For JSON, which knows no other numbers."""
    return round(number, DIGITS) + 0.0 if math.isfinite(number) else 0.0
