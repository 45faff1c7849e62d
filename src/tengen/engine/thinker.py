"""Who thinks for an engine: a player of the registry, made in a thread of its own while the client says hello, and made
anew when the client changes the board. A network knows one game; where the client sets up another, the player without
a network steps in, and the log says so.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence

from tengen.config import ConfigError
from tengen.engine.memory import fit_memory
from tengen.games import Game, GameError, State
from tengen.net.file import NetworkError
from tengen.play.clock import Budget
from tengen.play.players import PlayerError, names_sims, player_search, usual_player
from tengen.play.thinking import MOST_SIMS, slices, think
from tengen.search.agent import Agent, Analysis, MoveInfo

__all__ = ["Thinker", "player_for"]

WITHOUT_NETWORK = "plain:1000"
SLICE = 0.05  # seconds between two looks at what comes in
ANY_TIME = Budget(1e9, 1e9)


def _log(text: str) -> None:
    """A line for people, where no client reads it."""
    print(f"tengen engine: {' '.join(text.split())}", file=sys.stderr, flush=True)


def player_for(game: Game) -> str:
    """Who thinks when nobody is named."""
    return usual_player(game, WITHOUT_NETWORK)


class Thinker:
    """Searches for a protocol, in one tree that follows the game."""

    def __init__(
        self,
        player: str | None = None,
        settings: Sequence[str] = (),
        *,
        seed: int = 0,
        threads: int = 0,
        device: str = "auto",
        ponders: bool = False,
    ) -> None:
        self._player, self._settings = player, tuple(settings)
        self._seed, self._threads, self._device, self._ponders = seed, threads, device, ponders
        # Simulations that a person asked for bound a search by the clock too; a preset's do not.
        self.bounded = names_sims(player or "", settings)
        self._game: Game | None = None
        self._agent: Agent | None = None
        self._error: Exception | None = None
        self._loading: threading.Thread | None = None
        self._memory = 0
        self.cramped: str | None = None  # why the memory that was granted is too little, if it is

    def name(self, game: Game) -> str:
        """Who plays a game, as players are named."""
        return self._player or player_for(game)

    def limit_memory(self, most: int) -> None:
        """Bytes for the whole process, 0: no limit. The player is then made anew, with a tree that fits."""
        if most != self._memory:
            self._memory, self._game = most, None

    def prepare(self, game: Game) -> None:
        """Begins to make the player for a game; returns at once."""
        if self._game == game:
            return
        self._join()
        self._game, self._agent, self._error, self.cramped = game, None, None, None
        self._loading = threading.Thread(target=self._load, args=(game,), name="tengen-load", daemon=True)
        self._loading.start()

    def agent(self, game: Game) -> Agent:
        """The player's agent for a game, when it is there. Raises GameError or ConfigError."""
        self.prepare(game)
        self._join()
        if self._error is not None:
            raise self._error
        assert self._agent is not None
        return self._agent

    def wide(self, agent: Agent, slots: int, max_nodes: int) -> Agent:
        """The same player for many positions side by side, each in a tree of its own."""
        config = agent.config.replace(max_nodes=agent.config.max_nodes or max_nodes)
        return Agent(agent.game, agent.evaluator, config, seed=self._seed, slots=slots, threads=self._threads)

    def choose(
        self, state: State, budget: Budget | None, stopped: Callable[[], bool] = lambda: False, sims: int | None = None
    ) -> int:
        """A move: within a time, or by simulations where there is none."""
        agent = self.agent(state.game)
        if budget is not None and not self.bounded:
            sims = sims or MOST_SIMS
        think(agent, state, budget or ANY_TIME, sims=sims, stopped=stopped)
        return agent.search.choose(0)

    def looks(self, state: State, every: float, sims: int | None = None) -> Iterator[float]:
        """Searches on and on; yields the seconds spent when the tree may be looked at (`report`), at least as often as
        asked. Ends by itself only when nothing is left to search."""
        return slices(self.agent(state.game), state, min(every, SLICE), sims=MOST_SIMS if sims is None else sims)

    def ponder(self, state: State, stopped: Callable[[], bool]) -> None:
        """Thinks in the opponent's time, if it is to: its tree has then begun when the answer comes."""
        if state.is_terminal() or not self._ponders:
            return
        for _ in self.looks(state, SLICE):
            if stopped():
                return

    def report(self, state: State, lines: int | None = None) -> Analysis:
        """What the tree knows of the position that was searched last."""
        return self.agent(state.game).report(state, lines=lines)

    def move_info(self, state: State, action: int) -> MoveInfo:
        """What the search that was made last thinks of one of its moves, for the side to move."""
        return next(move for move in self.report(state, lines=0).moves if move.action == action)

    def forget(self) -> None:
        """A new game: the next search begins with an empty tree."""
        if self._agent is not None:
            self._agent.new_game(0, 0)

    def wait(self) -> None:
        """Until the player is there: before a clock begins to run."""
        self._join()

    def _join(self) -> None:
        if self._loading is not None:
            self._loading.join()

    def _load(self, game: Game) -> None:
        def made(player: str) -> Agent:
            search = player_search(player, game, settings=self._settings)
            evaluator = search.evaluator(self._device, self._threads)
            config = search.config
            if self._memory:
                config, self.cramped = fit_memory(config, game, self._memory)
            return Agent(game, evaluator, config, seed=self._seed, threads=self._threads)

        try:
            try:
                self._agent = made(self.name(game))
            except (NetworkError, PlayerError) as error:
                self._agent = made(WITHOUT_NETWORK)
                _log(f"{error}; {game.id} is played by {WITHOUT_NETWORK}, without a network")
        except (GameError, ConfigError, MemoryError) as error:
            self._error = error
