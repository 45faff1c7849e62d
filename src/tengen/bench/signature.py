"""One integer for everything the search does: it changes when any visit, value, move or target of a search changes."""

import hashlib
import struct

import numpy as np

from tengen import games
from tengen._core import EdgeView, NodeView, Rng, SelfPlay
from tengen.config import ConfigError, SearchConfig, SelfPlayConfig
from tengen.games import Game, State
from tengen.net.evaluator import Hash, Rollout
from tengen.search.agent import Agent

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
    SearchConfig(sims=64, leaves=8, virtual_mode="loss", noise_epsilon=0.25),
    SearchConfig(
        sims=64, leaves=3, fpu_mode="scaled", mlh_slope=0.03, discount=0.99, temperature_plies=100, cache_mb=0
    ),
    SearchConfig(sims=64, rule="gumbel", mlh_slope=0.01, mlh_mode="lc0", tree_reuse=False),
    SearchConfig(sims=64, rule="ucb1", c_init=1.4, mlh_slope=0.03, solver=False, max_nodes=40),
    SearchConfig(sims=64, fpu_mode="infinite", c_factor=0),
]
# What the rules alone can say of a position: each option by itself, then together and with what they meet in the
# search. These rows are searched near the end of a game, where there is something to find.
PROBES = [
    SearchConfig(sims=64, lookahead=1),
    SearchConfig(sims=64, lookahead=2, leaves=8, mlh_slope=0.03, discount=0.99, noise_epsilon=0.25),
    SearchConfig(sims=64, threats=50, lookahead=1, prove_nodes=20, leaves=2),
    SearchConfig(sims=64, prove_nodes=200, leaves=4, fpu_mode="infinite"),
    SearchConfig(sims=64, prove_nodes=2000, mlh_slope=0.01, mlh_mode="lc0", discount=0.98, temperature_plies=1000),
    SearchConfig(sims=64, lookahead=1, prove_nodes=50, rule="gumbel"),
    SearchConfig(sims=64, lookahead=2, prove_nodes=600, tree_reuse=False, leaves=3, virtual_mode="loss"),
    SearchConfig(sims=64, lookahead=1, prove_nodes=50, solver=False),
]
DEEP = SearchConfig(sims=64, lookahead=4, prove_nodes=300)
FEW_MOVES = 16  # of a game in which that takes no time
PROBED_PLAY = SelfPlayConfig(opening_share=0.8, opening_plies=12, opening_lookahead=2, stray_share=0.2, label_nodes=300)
TREES, MOVES = 6, 3


def signature(threads: int = 0) -> int:
    """64 bits over searches of every game under many options. The same for any number of threads."""
    digest = hashlib.blake2b(digest_size=8)
    defaults = [games.make(name).id for name in games.names()]
    for id in dict.fromkeys(defaults + SMALL):
        game = games.make(id)
        early = [_early(game, number) for number in range(TREES)]
        for config in OPTIONS:
            _add(digest, Agent(game, Hash(game), config, seed=1, slots=TREES, threads=threads), early)
        playouts = SearchConfig(sims=64, rule="ucb1", c_init=1.4, cache_mb=0)
        _add(digest, Agent(game, Rollout(), playouts, seed=1, slots=TREES, threads=threads), early)
        late = [_late(game, number) for number in range(TREES)]
        for config in [*PROBES, *([DEEP] if game.num_actions <= FEW_MOVES else [])]:
            _add(digest, Agent(game, Hash(game), config, seed=1, slots=TREES, threads=threads), late)
        _add_play(digest, game)
    return int.from_bytes(digest.digest())


def _add(digest: hashlib.blake2b, agent: Agent, positions: list[State]) -> None:
    """Searches a few positions for a few moves, with what the trees keep in between."""
    states = [position.copy() for position in positions]
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


def _add_play(digest: hashlib.blake2b, game: Game) -> None:
    """What self-play asks of the rules: which openings and random moves are drawn, and what finished games prove."""
    for number in range(TREES):
        moves = _random_game(game, number)
        planned = SelfPlay.random_plies(game, PROBED_PLAY, 1, number, moves)
        digest.update(struct.pack(f"<{len(planned)}q", *(-1 if action is None else action for action in planned)))
        try:
            digest.update(SelfPlay.exact_values(game, PROBED_PLAY, moves).tobytes())
        except ConfigError:  # nothing is proven so where earlier positions matter
            digest.update(b"-")


def _early(game: Game, number: int) -> State:
    """A random position, some plies into the game, that is not over."""
    return _after(game, _random_game(game, number)[:-1][: 2 * number])


def _late(game: Game, number: int) -> State:
    """A random position, some plies before the end of the game."""
    return _after(game, _random_game(game, number)[: -1 - 2 * number])


def _random_game(game: Game, number: int) -> list[int]:
    state, rng = game.start(), Rng(number, 0, 0, "opening")
    while not state.is_terminal():
        legal = state.legal_actions()
        state.apply(legal[rng.below(len(legal))])
    return state.moves()


def _after(game: Game, moves: list[int]) -> State:
    state = game.start()
    for action in moves:
        state.apply(action)
    return state


def _numbers(node: NodeView) -> bytes:
    """The exact bits of a root. Every evaluation differs, so a visit that changed anywhere below has changed a mean."""
    edges = [(e.action, e.visits, e.prior, e.noise, e.q, e.d, e.m, e.s, *_bounds(e)) for e in node.edges]
    own = (node.visits, node.q, node.d, node.m, node.s, node.v, node.seen, *_bounds(node))
    return b"".join(struct.pack(f"<{len(row)}d", *row) for row in [own, *edges])


def _bounds(node: NodeView | EdgeView) -> tuple[int, int, int, bool]:
    return node.lo, node.hi, node.dist or 0, node.dist is not None
