"""One integer for everything the search does: it changes when any visit, value, move or target of a search changes."""

import hashlib
import struct

import numpy as np

from tengen import games
from tengen._core import NodeView, Rng
from tengen.agent import Agent
from tengen.config import SearchConfig
from tengen.evaluator import Hash, Rollout
from tengen.games import Game, State

__all__ = ["signature"]

SMALL = [
    "gomoku:6,in_a_row=4",
    "gomoku:6,rule=renju",
    "othello:6",
    "go:3",
    "go:5",
    "go:9,komi=7",
    "hex:4",
    "hex:4,swap=on",
]
OPTIONS = [
    SearchConfig(sims=64),
    SearchConfig(sims=64, leaves=8, virtual_mode="loss", noise_epsilon=0.25, forced_playouts=True, target_pruning=True),
    SearchConfig(
        sims=64, leaves=3, fpu_mode="scaled", mlh_slope=0.03, discount=0.99, temperature_plies=100, cache_mb=0
    ),
    SearchConfig(sims=64, root="gumbel", mlh_slope=0.01, mlh_mode="lc0", tree_reuse=False),
    SearchConfig(sims=64, rule="ucb1", mlh_slope=0.03, solver=False, symmetry=False, max_nodes=40, lcb=True),
    SearchConfig(sims=64, fpu_mode="infinite", early_stop=True, c_factor=0),
]
TREES, MOVES = 6, 3


def signature(threads: int = 0) -> int:
    """64 bits over searches of every game under many options. The same for any number of threads."""
    digest = hashlib.blake2b(digest_size=8)
    defaults = [games.make(name).id for name in games.names()]
    for id in dict.fromkeys(defaults + SMALL):
        game = games.make(id)
        for config in OPTIONS:
            _add(digest, Agent(game, Hash(game), config, seed=1, slots=TREES, threads=threads))
        playouts = SearchConfig(sims=64, rule="ucb1", cache_mb=0)
        _add(digest, Agent(game, Rollout(), playouts, seed=1, slots=TREES, threads=threads))
    return int.from_bytes(digest.digest())


def _add(digest: hashlib.blake2b, agent: Agent) -> None:
    """Searches a few positions for a few moves, with what the trees keep in between."""
    states = [_position(agent.game, slot) for slot in range(TREES)]
    for slot, state in enumerate(states):
        agent.search.reset(slot, state, slot)
    for _ in range(MOVES):
        running = [slot for slot in range(TREES) if not states[slot].is_terminal()]
        agent.run(running)
        for slot in running:
            digest.update(_numbers(agent.search.node(slot)))
            digest.update(struct.pack("<q", agent.search.nodes(slot)))
            digest.update(np.asarray(agent.search.target(slot)).tobytes())
            action = agent.search.choose(slot)
            digest.update(struct.pack("<qq", agent.search.best(slot), action))
            states[slot].apply(action)
            agent.search.advance(slot, action)


def _position(game: Game, number: int) -> State:
    """A random position, some plies into the game, that is not over."""
    state, rng = game.start(), Rng(number, 0, 0, "opening")
    for _ in range(2 * number):
        after = state.copy()
        after.apply(state.legal_actions()[rng.below(len(state.legal_actions()))])
        if after.is_terminal():
            break
        state = after
    return state


def _numbers(node: NodeView) -> bytes:
    """The exact bits of a root. Every evaluation differs, so a visit that changed anywhere below has changed a mean."""
    edges = [(e.action, e.visits, e.prior, e.noise, e.q, e.d, e.m, e.s, e.lo, e.hi, e.dist) for e in node.edges]
    own = (node.visits, node.q, node.d, node.m, node.s, node.v, node.seen, node.lo, node.hi, node.dist)
    return b"".join(struct.pack(f"<{len(row)}d", *row) for row in [own, *edges])
