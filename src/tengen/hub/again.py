"""Plays recorded games again, search by search: what an honest player found is found again.

Every random number of a search is named by seed, game and ply. Trees are inherited from move to move as they were when
the game was played, and each ply is searched with the network that its record names. So the same program on the same
machine finds the same numbers bit for bit. Another machine rounds otherwise and is off by a little, now and then by one
move; who did not search, or says something else than he found, is off by much, or by a little everywhere.

It costs what playing the games cost, once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tengen._core import BatchSearch, SelfPlay
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.games import Game, State
from tengen.hub.evidence import MEASURES
from tengen.hub.validate import searched_in_full
from tengen.net.evaluator import NetworkEvaluator
from tengen.records import GameRecord
from tengen.search.agent import run_searches

__all__ = ["Again", "EvaluatorOf"]

EvaluatorOf = Callable[[str], NetworkEvaluator | None]  # of a network's hash; None where it is not at hand


@dataclass
class _Replay:
    """A game on its way through the searches."""

    record: GameRecord
    slot: int
    state: State
    random: list[int | None]  # the plan: the action at plies that chance chose
    ply: int = 0
    differences: list[list[float]] = field(default_factory=list)

    def over(self) -> bool:
        return self.ply >= len(self.record)


class Again:
    """Searches as one release's settings say, `slots` games side by side."""

    def __init__(
        self,
        game: Game,
        search: SearchConfig,
        selfplay: SelfPlayConfig,
        seed: int,
        evaluator_of: EvaluatorOf,
        *,
        slots: int = 64,
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        self._game, self._selfplay, self._seed = game, selfplay, seed
        self._evaluator_of, self._slots, self._ended = evaluator_of, slots, ended
        # As in cpp/tengen/selfplay: fast searches do without exploration.
        self._full, self._fast = search, search.replace(sims=selfplay.fast_sims, noise_epsilon=0.0)
        self._search = BatchSearch(game, slots, search, seed, 1)

    def look(self, records: Sequence[GameRecord]) -> NDArray[np.float64]:
        """[games, MEASURES] how far each game is off; NaN where that cannot be said. The games must have passed the
        checks of `validate`."""
        found: list[NDArray[np.float64]] = []
        for start in range(0, len(records), self._slots):
            found += self._some(records[start : start + self._slots])
        return np.array(found).reshape(len(records), len(MEASURES))

    def _some(self, records: Sequence[GameRecord]) -> list[NDArray[np.float64]]:
        games = [self._begin(record, slot) for slot, record in enumerate(records)]
        going = [game for game in games if not game.over()]
        while going and not self._ended():
            # One network at a time: the one that most games wait for.
            wanted = [game.record.network_at(game.ply) for game in going]
            network = max(set(wanted), key=wanted.count)
            some = [game for game, name in zip(going, wanted, strict=True) if name == network]
            evaluator = self._evaluator_of(network)
            if evaluator is None:
                going = [game for game in going if game not in some]
                for game in some:
                    game.differences.clear()
                continue
            self._search.set_network(evaluator.network_hash)
            self._search.activate([game.slot for game in some])
            run_searches([self._search], evaluator, self._ended)
            if self._ended():
                break
            for game in some:
                game.differences.append(self._difference(game))
                self._advance(game)
            going = [game for game in going if not game.over()]
        return [_means(game) for game in games]

    def _config(self, record: GameRecord, ply: int) -> SearchConfig:
        return self._full if searched_in_full(self._seed, record.number, ply, self._selfplay) else self._fast

    def _begin(self, record: GameRecord, slot: int) -> _Replay:
        game = self._game.varied(self._seed, record.number) if self._selfplay.vary else self._game
        state, moves = game.start(), record.moves.tolist()
        plan = SelfPlay.random_plies(game, self._selfplay, self._seed, record.number, moves)
        for action in moves[: record.opening]:
            state.apply(action)
        self._search.configure(slot, self._config(record, record.opening))
        if record.opening < len(record):
            self._search.reset(slot, state, record.number)
        return _Replay(record, slot, state, plan, record.opening)

    def _advance(self, game: _Replay) -> None:
        """To the next ply that was searched."""
        while True:
            action = int(game.record.moves[game.ply])
            game.state.apply(action)
            game.ply += 1
            if game.over():
                return
            self._search.configure(game.slot, self._config(game.record, game.ply))
            self._search.advance(game.slot, action)
            if game.random[game.ply] is None:
                return

    def _difference(self, game: _Replay) -> list[float]:
        record, ply, slot = game.record, game.ply, game.slot
        q, d, m = self._search.worth(slot)
        dq = float(record.q[ply]) - q
        best = policy = np.nan
        if record.full[ply]:
            target = self._search.target(slot)
            said = np.zeros_like(target)
            actions, _, share = record.policy(ply)
            said[actions] = share
            top = int(target.argmax())
            best, policy = float(said[top] - target[top]), float(np.abs(said - target).sum() / 2)
        other = float(self._search.choose(slot) != int(record.moves[ply]))
        sign = 1.0 if game.state.to_move() == 0 else -1.0
        return [dq, sign * dq, float(record.d[ply]) - d, (float(record.m[ply]) - m) / (1 + m), best, policy, other]


def _means(game: _Replay) -> NDArray[np.float64]:
    """Means of the columns over the plies that have them."""
    rows = np.array(game.differences).reshape(-1, len(MEASURES))
    there = ~np.isnan(rows)
    if not game.over():  # a network was missing, or the end came
        there[:] = False
    counts = there.sum(0)
    sums = np.where(there, rows, 0.0).sum(0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
