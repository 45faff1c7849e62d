"""Records for tests: games played by a real search with a fake network, and games written down by hand."""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tengen import Game, State
from tengen.config import SearchConfig
from tengen.net.evaluator import Hash
from tengen.records import GameRecord
from tengen.search.agent import Agent

NETWORK = "00c0ffee"


def make_record(game: Game, moves: Sequence[int], plies: Sequence[dict[str, Any]], **fields: Any) -> GameRecord:
    """A record from one dict per searched ply (the last plies): q, d, m and, for a full one, policy: action → (visits,
    probability)."""
    opening = len(moves) - len(plies)
    rows: list[dict[str, Any]] = [{}] * opening + list(plies)
    policies = [sorted(row.get("policy", {}).items()) for row in rows]
    entries = [(action, *numbers) for policy in policies for action, numbers in policy]
    scalars: dict[str, Any] = {
        "number": 0,
        "seed": 0,
        "networks": (NETWORK,),
        "result": 0,
        "ending": "end",
        "opening": opening,
        "release": np.zeros(len(moves), np.uint16),
    } | fields
    values: dict[str, Any] = {name: np.array([row.get(name, 0) for row in rows], np.float32) for name in "qdm"}
    return GameRecord(
        game=game.id,
        moves=np.array(moves, np.uint16),
        full=np.array([bool(policy) for policy in policies], np.bool_),
        exact=np.array([row.get("exact", 2) for row in rows], np.int8),
        entries=np.array([len(policy) for policy in policies], np.uint16),
        actions=np.array([entry[0] for entry in entries], np.uint16),
        visits=np.array([entry[1] for entry in entries], np.uint32),
        target=np.array([entry[2] for entry in entries], np.float32),
        **values,
        **scalars,
    )


def play_record(game: Game, number: int, *, seed: int = 5, opening: int = 0, sims: int = 16) -> GameRecord:
    """A game of self-play: a third of the searches are full."""
    rng = random.Random(f"{game.id} {seed} {number}")
    agent = Agent(game, Hash(game), SearchConfig(sims=sims, temperature_plies=4), seed=seed)
    agent.new_game(0, number)
    state, plies = game.start(), []
    for _ in range(opening):
        state.apply(rng.choice(state.legal_actions()))
    while not state.is_terminal():
        action = agent.act(state)
        plies.append(_searched(agent, full=rng.random() < 1 / 3))
        state.apply(action)
    return make_record(game, state.moves(), plies, number=number, seed=seed, result=first_player_result(state))


def _searched(agent: Agent, full: bool) -> dict[str, Any]:
    root, target = agent.search.node(0), agent.search.target(0)
    policy = {edge.action: (edge.visits, target[edge.action]) for edge in root.edges if edge.visits}
    q, d, m = agent.search.worth(0)
    return {"q": q, "d": d, "m": m, "policy": policy if full else {}}


def first_player_result(state: State) -> int:
    return state.outcome() if state.to_move() == 0 else -state.outcome()


@lru_cache
def some_records(id: str, count: int = 6) -> tuple[GameRecord, ...]:
    """A few games; some begin with random plies."""
    game = Game.parse(id)
    return tuple(play_record(game, number, opening=number % 3) for number in range(count))
