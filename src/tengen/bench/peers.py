"""Other programs, each as a function that does its work `count` times and returns how much that was."""

import importlib
import random
from collections.abc import Callable, Sequence
from typing import Any

from tengen.games import Game

__all__ = ["load", "mctx_search", "openspiel_mcts", "openspiel_random_games"]

SAMPLE = 1000  # OpenSpiel games played to learn their mean length: within about 1 %

Moves = tuple[int, ...]


def load(module: str) -> Any:
    """A peer's module; None when it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def openspiel_random_games(openspiel: Any, name: str) -> Callable[[int], float]:
    """Random games in OpenSpiel's C++. A search of one simulation evaluates its root by `count` random games."""
    game = openspiel.load_game(name)
    mean, state, seeds = _plies_per_game(game), game.new_initial_state(), iter(range(1, 1 << 31))

    def play(count: int) -> float:
        evaluator = openspiel.RandomRolloutEvaluator(count, next(seeds))
        bot = openspiel.MCTSBot(game, evaluator, 1.0, 1, 1, False, 1, False)
        bot.mcts_search(state)
        return count * mean

    return play


def _plies_per_game(game: Any) -> float:
    """Mean length of uniformly random games, by OpenSpiel's own rules: the evaluator does not report it."""
    rng, plies = random.Random(1), 0
    for _ in range(SAMPLE):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            plies += 1
    return plies / SAMPLE


def openspiel_mcts(
    openspiel: Any, name: str, ours: Game, openings: Sequence[Moves], sims: int, c_ucb: float
) -> Callable[[int], float]:
    """Simulations of OpenSpiel's C++ MCTSBot with one random playout each, from the openings in turn."""
    game = openspiel.load_game(name)
    states = []
    for moves in openings:
        state = game.new_initial_state()
        for action in moves:
            state.apply_action(_openspiel_action(ours, action))
        states.append(state)
    seeds = iter(range(1, 1 << 31))

    def search(count: int) -> float:
        for i in range(count):
            seed = next(seeds)
            evaluator = openspiel.RandomRolloutEvaluator(1, seed)
            bot = openspiel.MCTSBot(game, evaluator, c_ucb, sims, 1000, False, seed, False)
            bot.mcts_search(states[i % len(states)])
        return count * sims

    return search


def _openspiel_action(game: Game, action: int) -> int:
    """Both count cells row by row from the top and pass last, except that OpenSpiel's Go counts from the bottom."""
    _, rows, cols = game.planes_shape
    if game.name != "go" or action == rows * cols:
        return action
    return (rows - 1 - action // cols) * cols + action % cols


def mctx_search(openings: Sequence[Moves], sims: int) -> Callable[[int], float] | None:
    """Simulations of mctx on pgx's Connect4, compiled by JAX for the processor: the same positions in one batch.

    Priors are uniform and values 0, so the search and the rules are all there is to compute.
    """
    jax, mctx, pgx = load("jax"), load("mctx"), load("pgx")
    if not (jax and mctx and pgx):
        return None
    np, rows = jax.numpy, len(openings)
    env = pgx.make("connect_four")
    step = jax.vmap(env.step)

    def logits_of(state: Any) -> Any:
        return np.where(state.legal_action_mask, 0.0, np.finfo(np.float32).min)

    def recurrent(_params: Any, _key: Any, action: Any, state: Any) -> Any:
        mover = state.current_player
        state = step(state, action)
        output = mctx.RecurrentFnOutput(
            reward=state.rewards[np.arange(rows), mover],
            discount=np.where(state.terminated, 0.0, -1.0),
            prior_logits=logits_of(state),
            value=np.zeros(rows),
        )
        return output, state

    def policy(key: Any, state: Any) -> Any:
        root = mctx.RootFnOutput(prior_logits=logits_of(state), value=np.zeros(rows), embedding=state)
        return mctx.muzero_policy(
            params=(),
            rng_key=key,
            root=root,
            recurrent_fn=recurrent,
            num_simulations=sims,
            invalid_actions=~state.legal_action_mask,
            dirichlet_fraction=0.0,
        ).action_weights

    compiled = jax.jit(policy)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), rows))
    for actions in zip(*openings, strict=True):
        state = jax.jit(step)(state, np.array(actions))
    compiled(jax.random.PRNGKey(0), state).block_until_ready()

    def search(count: int) -> float:
        for seed in range(count):
            compiled(jax.random.PRNGKey(seed), state).block_until_ready()
        return count * rows * sims

    return search
