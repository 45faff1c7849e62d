"""The peer of peers_train.py: Gumbel AlphaZero for Connect4 on JAX, with pgx's rules and mctx's search.

The method is that of pgx's AlphaZero example: residual tower with batch normalisation, `gumbel_muzero_policy` in
self-play, Adam on the search's policy and the game's result. Three things are changed in the peer's favour, because
the example is sized for GPUs: games go on from one iteration to the next, and where an iteration cuts one off, the
network's value stands in for the result (the example throws these values away); each position is learned several
times from a window of recent iterations, mirrored at random; the learning rate falls to zero at the end.

Needs `pip install 'tengen[bench]'`. JAX is loaded by `Peer`, so that everything else can be read without it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.games import State

PACKAGES = ("jax", "haiku", "optax", "mctx", "pgx")
ROWS = 128  # positions that are searched together when the peer plays


@dataclass(frozen=True)
class PeerConfig:
    """The peer's sizes. docs/benchmarks.md says what was tried; `--peer NAME=VALUE` of peers_train.py tries others."""

    channels: int = 32
    blocks: int = 3
    games: int = 128  # side by side
    plies: int = 32  # of every game in an iteration
    sims: int = 32
    minibatch: int = 512
    passes: int = 4  # how often a position is learned, on average
    window: int = 8  # iterations that are learned from
    rate: float = 0.002  # Adam's, at the beginning
    seed: int = 0


class Peer:
    """A network and everything that is compiled for it."""

    def __init__(self, config: PeerConfig) -> None:
        self.config = config
        self.jax, self.haiku, self.optax, self.mctx, pgx = (importlib.import_module(name) for name in PACKAGES)
        self.env = pgx.make("connect_four")
        self._auto_reset = importlib.import_module("pgx.experimental").auto_reset
        self.forward = self.haiku.without_apply_rng(self.haiku.transform_with_state(self._tower))
        self.optimizer = self.optax.inject_hyperparams(self.optax.adam)(learning_rate=config.rate)
        self._keys = self.jax.random.PRNGKey(config.seed)
        self.start = self.jax.jit(self.jax.vmap(self.env.init))
        begin = self.start(self.jax.random.split(self._key(), 2)).observation
        self.model = self.forward.init(self._key(), begin, True)
        self.learning = self.optimizer.init(self.model[0])
        self._play, self._learn = self.jax.jit(self._self_play), self.jax.jit(self._step)
        self._choosers: dict[tuple[int, str], Callable[..., Any]] = {}
        self._walk = self.jax.jit(self._follow)

    def _key(self) -> Any:
        self._keys, key = self.jax.random.split(self._keys)
        return key

    def _tower(self, x: Any, learning: bool) -> Any:
        """[B, 6, 7, 2] → logits [B, 7], value [B] of the side to move."""
        hk, relu, channels = self.haiku, self.jax.nn.relu, self.config.channels

        def normal(x: Any) -> Any:
            return hk.BatchNorm(True, True, 0.9)(x, learning)

        x = hk.Conv2D(channels, 3)(x.astype(np.float32))
        for _ in range(self.config.blocks):
            inner = hk.Conv2D(channels, 3)(relu(normal(x)))
            x = x + hk.Conv2D(channels, 3)(relu(normal(inner)))
        x = relu(normal(x))
        logits = hk.Linear(self.env.num_actions)(hk.Flatten()(relu(normal(hk.Conv2D(4, 1)(x)))))
        hidden = relu(hk.Linear(64)(hk.Flatten()(relu(normal(hk.Conv2D(2, 1)(x))))))
        return logits, self.jax.numpy.tanh(hk.Linear(1)(hidden))[:, 0]

    def _judge(self, model: Any, state: Any) -> Any:
        (logits, value), _ = self.forward.apply(*model, state.observation, False)
        return self.jax.numpy.where(state.legal_action_mask, logits, np.finfo(np.float32).min), value

    def _ahead(self, model: Any, _key: Any, action: Any, state: Any) -> Any:
        jnp, mover = self.jax.numpy, state.current_player
        state = self.jax.vmap(self.env.step)(state, action)
        logits, value = self._judge(model, state)
        return self.mctx.RecurrentFnOutput(
            reward=state.rewards[jnp.arange(len(mover)), mover],
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(state.terminated, 0.0, value),
        ), state

    def _search(self, model: Any, key: Any, state: Any, sims: int, rule: str, noise: float) -> Any:
        logits, value = self._judge(model, state)
        root = self.mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        settings: dict[str, Any] = {"gumbel_scale": noise} if rule == "gumbel" else {"dirichlet_fraction": 0.0}
        policy = self.mctx.gumbel_muzero_policy if rule == "gumbel" else self.mctx.muzero_policy
        return policy(
            model, key, root, self._ahead, num_simulations=sims, invalid_actions=~state.legal_action_mask, **settings
        )

    def _self_play(self, model: Any, key: Any, state: Any) -> Any:
        """So many plies of every game: what was seen, the searches' policies, and the values to learn."""
        jax, jnp, games = self.jax, self.jax.numpy, self.config.games
        step = jax.vmap(self._auto_reset(self.env.step, self.env.init))

        def ply(state: Any, key: Any) -> Any:
            searching, dealing = jax.random.split(key)
            found = self._search(model, searching, state, self.config.sims, "gumbel", 1.0)
            after = step(state, found.action, jax.random.split(dealing, games))
            reward = after.rewards[jnp.arange(games), state.current_player]
            return after, (state.observation, found.action_weights, reward, after.terminated)

        state, (seen, policy, reward, over) = jax.lax.scan(ply, state, jax.random.split(key, self.config.plies))

        def back(value: Any, ply: Any) -> Any:
            value = ply[0] - jnp.where(ply[1], 0.0, value)
            return value, value

        value = jax.lax.scan(back, self._judge(model, state)[1], (reward, over), reverse=True)[1]
        return state, [array.reshape(-1, *array.shape[2:]) for array in (seen, policy, value)], over.sum()

    def _step(self, model: Any, learning: Any, seen: Any, policy: Any, value: Any, rate: float) -> Any:
        def loss(params: Any, known: Any) -> Any:
            (logits, guess), known = self.forward.apply(params, known, seen, True)
            about_policy = self.optax.softmax_cross_entropy(logits, policy).mean()
            return about_policy + self.optax.l2_loss(guess, value).mean(), known

        learning.hyperparams["learning_rate"] = rate
        gradient, known = self.jax.grad(loss, has_aux=True)(*model)
        change, learning = self.optimizer.update(gradient, learning, model[0])
        return (self.optax.apply_updates(model[0], change), known), learning

    def train(self, progress: Callable[[], float], say: Callable[[str], None]) -> dict[str, float]:
        """Plays and learns until `progress`, which is asked between iterations, reaches 1; it begins when everything
        is compiled. Returns what was done."""
        c, rng = self.config, np.random.default_rng(self.config.seed)
        state = self.start(self.jax.random.split(self._key(), c.games))
        self._compile(state)
        window, games, updates = list[list[NDArray[np.float32]]](), 0, 0
        iterations, began = 0, time.monotonic()
        while (now := progress()) < 1:
            state, fresh, over = self._play(self.model, self._key(), state)
            window = [*window, [np.asarray(array, np.float32) for array in fresh]][-c.window :]
            iterations, games = iterations + 1, games + int(over)
            for _ in range(c.passes * c.games * c.plies // c.minibatch):
                batch = mirrored(drawn(window, c.minibatch, rng), rng)
                self.model, self.learning = self._learn(self.model, self.learning, *batch, falling(c.rate, now))
                updates += 1
            if iterations % 20 == 0:
                say(f"{time.monotonic() - began:4.0f} s, {now:4.0%}: {games} games, {updates} updates")
        return {"games": games, "positions": iterations * c.games * c.plies, "updates": updates}

    def _compile(self, state: Any) -> None:
        c = self.config
        batch = [np.zeros((c.minibatch, 6, 7, 2), np.float32), np.zeros((c.minibatch, 7), np.float32)]
        self._learn(self.model, self.learning, *batch, np.zeros(c.minibatch, np.float32), c.rate)
        self.jax.block_until_ready(self._play(self.model, self._key(), state))

    def _follow(self, moves: Any) -> Any:
        """Positions after moves [42, B], of which −1 is none."""
        jnp, step = self.jax.numpy, self.jax.vmap(self.env.step)

        def ply(state: Any, action: Any) -> Any:
            after = step(state, jnp.maximum(action, 0))

            def keep(old: Any, new: Any) -> Any:
                return jnp.where((action >= 0).reshape(-1, *[1] * (new.ndim - 1)), new, old)

            return self.jax.tree_util.tree_map(keep, state, after), None

        start = self.jax.vmap(self.env.init)(self.jax.random.split(self.jax.random.PRNGKey(0), moves.shape[1]))
        # Who is called player 0 is drawn at random, and nothing depends on it.
        return self.jax.lax.scan(ply, start, moves)[0]

    def choose(self, positions: Sequence[State], sims: int, rule: str = "gumbel") -> list[int]:
        """The best move in each position without noise, as mctx finds it; 0 simulations: the network's likeliest."""
        return [action for part in parts(positions, ROWS) for action in self._choose(part, sims, rule)]

    def _choose(self, positions: Sequence[State], sims: int, rule: str) -> list[int]:
        if (sims, rule) not in self._choosers:

            def chooser(model: Any, key: Any, state: Any) -> Any:
                if sims == 0:
                    return self._judge(model, state)[0].argmax(axis=1)
                weights = self._search(model, key, state, sims, rule, 0.0)
                return weights.action if rule == "gumbel" else weights.action_weights.argmax(axis=1)

            self._choosers[sims, rule] = self.jax.jit(chooser)
        state = self._walk(played(positions, ROWS))
        found = np.asarray(self._choosers[sims, rule](self.model, self.jax.random.PRNGKey(0), state))
        return [int(action) for action in found[: len(positions)]]


class PeerPlayer:
    """The peer in a match. It searches afresh at every move, as mctx does."""

    def __init__(self, peer: Peer, sims: int, rule: str) -> None:
        self.name, self._peer, self._sims, self._rule = f"pgx@{sims}", peer, sims, rule

    def new_game(self, slot: int, number: int) -> None:
        pass

    def stop(self) -> None:
        pass

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        return self._peer.choose(states, self._sims, self._rule)


def parts(positions: Sequence[State], most: int) -> list[Sequence[State]]:
    return [positions[start : start + most] for start in range(0, len(positions), most)]


def played(positions: Sequence[State], rows: int) -> NDArray[np.int32]:
    """The moves that lead to the positions [42, rows], from the first on; −1 where there are no more."""
    moves = np.full((42, rows), -1, np.int32)
    for row, position in enumerate(positions):
        moves[: len(position.moves()), row] = position.moves()
    return moves


def drawn(
    window: Sequence[Sequence[NDArray[np.float32]]], size: int, rng: np.random.Generator
) -> list[NDArray[np.float32]]:
    """A minibatch of positions drawn evenly from the iterations in the window."""
    which, each = rng.integers(len(window), size=size), rng.integers(len(window[0][0]), size=size)
    return [np.stack([window[i][kind][k] for i, k in zip(which, each, strict=True)]) for kind in range(len(window[0]))]


def mirrored(batch: Sequence[NDArray[np.float32]], rng: np.random.Generator) -> list[NDArray[np.float32]]:
    """Half of the positions and their policies, left and right exchanged."""
    seen, policy, value = (array.copy() for array in batch)
    half = rng.random(len(value)) < 0.5
    seen[half], policy[half] = seen[half, :, ::-1], policy[half, ::-1]
    return [seen, policy, value]


def falling(rate: float, progress: float) -> float:
    """Steady for the first half, then down to a twentieth in a straight line."""
    return rate * (1 - 0.95 * max(0.0, 2 * progress - 1))
