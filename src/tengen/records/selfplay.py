"""Self-play: a network plays many games against itself; finished games come out as records.

>>> from tengen import games
>>> from tengen.config import SearchConfig, SelfPlayConfig
>>> from tengen.net.evaluator import Uniform
>>> game = games.make("tictactoe")
>>> actor = Actor(game, SearchConfig(sims=20), SelfPlayConfig(), slots=8)
>>> actor.set_evaluator(Uniform(game), "00")
>>> games_played = actor.play(lambda counts: counts["games"] >= 10)
>>> len(games_played) >= 10, games_played[0].game
(True, 'tictactoe')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen._core import SelfPlay
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.games import Game
from tengen.net.evaluator import Evaluator, NetworkEvaluator
from tengen.records import GameRecord
from tengen.search.agent import run_searches

__all__ = ["Actor", "Counts"]

Counts = dict[str, int]  # games, moves, positions, simulations; evaluations, duplicates, batches

RANDOM, FULL = 0, 2  # the kinds of search in a native record; 1 is a fast one


class Actor:
    """Plays games without end in `slots` places, and hands out those that are finished."""

    def __init__(
        self,
        game: Game,
        search: SearchConfig,
        config: SelfPlayConfig,
        *,
        slots: int,
        seed: int = 0,
        threads: int = 0,
        first_game: int = 0,
    ) -> None:
        self.game, self.slots, self.seed = game, slots, seed
        self._play = SelfPlay(game, slots, search, config, seed, threads, first_game)
        self._evaluator: Evaluator | None = None
        self._networks: dict[int, str] = {}  # hashes by number, of those in games that are not handed out yet

    def set_evaluator(self, evaluator: Evaluator, network: str) -> None:
        """Who judges from now on, also in games under way, and its hash in hex for the moves chosen from now on.

        Searches under way are ended by the evaluator before, so that every search is one network's, and whoever has
        the record can do it again.
        """
        self._finish_searches()
        self._evaluator = evaluator
        number = max(self._networks, default=-1) + 1
        oldest = self._play.oldest_release()
        self._networks = {old: hash for old, hash in self._networks.items() if old >= oldest} | {number: network}
        self._play.set_release(number)
        if isinstance(evaluator, NetworkEvaluator):
            self._play.set_network(evaluator.network_hash)

    def play(self, done: Callable[[Counts], bool]) -> list[GameRecord]:
        """Plays until `done`, which is asked when a batch comes back from the network: that one is the last then. Games
        under way go on at the next call."""
        if self._evaluator is None:
            raise ValueError("self-play needs an evaluator: call set_evaluator first")

        def finished() -> bool:
            return done(self.counts())

        while not finished():  # a step in which no game needed the network looks like the end of a search
            run_searches([self._play], self._evaluator, finished)
        return [self._record(native) for native in self._play.take_records()]

    def _finish_searches(self) -> None:
        """Every slot plays the move that its search is about. Half of a search's time is lost on average."""
        if self._evaluator is None:
            return
        self._play.drain(True)
        try:
            run_searches([self._play], self._evaluator)
        finally:
            self._play.drain(False)

    def stop(self) -> None:
        """Ends the step of a `play` under way in another thread soon, so that it asks `done`; trees are kept."""
        self._play.stop()

    def under_way(self, most: int) -> list[dict[str, Any]]:
        """Some of the games being played: their number, moves, and the last searched value for the first player.

        To be asked within `done`, or between two calls of `play`."""
        return [_as_it_stands(native) for native in self._play.under_way(most)]

    def counts(self) -> Counts:
        """Totals since the beginning."""
        return self._play.play_counts() | self._play.counts()

    def _record(self, native: dict[str, Any]) -> GameRecord:
        """Native records list children in the order of edges and mark random moves by a kind of search."""
        kind: NDArray[np.uint8] = native["search"]
        order = _by_ply_and_action(native["children"], native["action"])
        numbers, index = np.unique(native["release"], return_inverse=True)  # ascending: as they were set
        played = [self._networks[number] for number in numbers.tolist()]
        networks = tuple(dict.fromkeys(played))  # one may have been set more than once
        own = np.array([networks.index(network) for network in played], np.uint16)
        return GameRecord(
            game=native["id"],
            number=native["game"],
            seed=self.seed,
            networks=networks,
            result=native["result"],
            ending=native["ending"],
            opening=int(np.argmax(kind != RANDOM)) if kind.any() else len(kind),
            moves=native["moves"],
            release=own[index],
            full=kind == FULL,
            q=native["q"],
            d=native["d"],
            m=native["m"],
            exact=native["exact"],
            entries=native["children"].astype(np.uint16),
            actions=native["action"][order],
            visits=native["visits"][order],
            target=native["target"][order],
        )


def _as_it_stands(native: dict[str, Any]) -> dict[str, Any]:
    searched = np.flatnonzero(native["search"] != RANDOM)
    value = (-1) ** int(searched[-1]) * float(native["q"][searched[-1]]) if len(searched) else None
    return {"number": native["game"], "moves": native["moves"].tolist(), "value": value}


def _by_ply_and_action(children: NDArray[np.int32], action: NDArray[np.uint16]) -> NDArray[np.intp]:
    return np.lexsort((action, np.repeat(np.arange(len(children)), children)))
