"""Players by name: `random`, `mcts:1000`, `uniform@400`, `solver`, `net:FILE@400`, `shipped@400`.

A player is whoever can choose moves for many games at once.

>>> from tengen import games
>>> game = games.make("tictactoe")
>>> player = make_player("mcts:200", game)
>>> position = game.from_moves("a3 b2 a2 c3")
>>> position.move_text(player.act_many([position], [0])[0])
'a1'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from tengen._core import Rng
from tengen.config import SearchConfig, parse_settings
from tengen.exact.oracle import Oracle, required_oracle
from tengen.games import Game, GameError, State
from tengen.net.evaluator import Evaluator, Rollout, Uniform, make_evaluator
from tengen.net.file import shipped_network
from tengen.preset import network_search
from tengen.search.agent import Agent

__all__ = [
    "AgentPlayer",
    "Player",
    "PlayerError",
    "make_player",
    "pure_mcts",
    "search_player",
    "slots_that_fit",
    "usual_player",
]

CHOICES = "random, mcts:N, mcts:N,solver, uniform@SIMS, solver, net:PATH@SIMS, shipped@SIMS"

MOST_SIMS = 10_000_000
WITHOUT_SEARCH = ("random", "solver")


class PlayerError(GameError):
    """A player that cannot be made: an unknown name, or one this game has not got."""


class Player(Protocol):
    """Chooses moves for many games side by side. A game keeps its slot from its first move to its last."""

    name: str

    def new_game(self, slot: int, number: int) -> None:
        """A game begins in a slot: nothing is left of the last one there, and its number names its randomness."""

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        """A move for each position, none of which is over."""

    def stop(self) -> None:
        """Makes an act_many under way in another thread return soon."""


class RandomPlayer:
    """Every legal move is as likely as the next."""

    name = "random"

    def __init__(self, slots: int, seed: int) -> None:
        self._seed = seed
        self._numbers = list(range(slots))

    def new_game(self, slot: int, number: int) -> None:
        self._numbers[slot] = number

    def stop(self) -> None:
        pass

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        return [self._any(state, slot, state.legal_actions()) for state, slot in zip(states, slots, strict=True)]

    def _any(self, state: State, slot: int, actions: list[int]) -> int:
        return actions[Rng(self._seed, self._numbers[slot], state.ply(), "rollout").below(len(actions))]


class SolverPlayer(RandomPlayer):
    """Plays a solved game perfectly: any of the moves with the best exact score."""

    name = "solver"

    def __init__(self, known: Oracle, slots: int, seed: int, threads: int) -> None:
        super().__init__(slots, seed)
        self._known, self._threads = known, threads

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        solved = self._known.solve_many(states, threads=self._threads)
        return [
            self._any(state, slot, [a for a in state.legal_actions() if scores[a] == scores.max()])
            for state, slot, scores in zip(states, slots, solved, strict=True)
        ]


class AgentPlayer:
    """An agent under a name."""

    def __init__(self, name: str, agent: Agent) -> None:
        self.name, self.agent = name, agent

    def new_game(self, slot: int, number: int) -> None:
        self.agent.new_game(slot, number)

    def stop(self) -> None:
        self.agent.stop()

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        return self.agent.act_many(states, slots)


def pure_mcts(game: Game, sims: int, solver: bool = False) -> SearchConfig:
    """The search of `mcts:N`: UCB1 over random playouts, the plain opponent everything is measured against."""
    c_ucb = SearchConfig().c_ucb if game.facts.c_ucb is None else game.facts.c_ucb
    return SearchConfig(sims=sims, rule="ucb1", c_ucb=c_ucb, solver=solver, symmetry=False, cache_mb=0)


def make_player(
    spec: str,
    game: Game,
    *,
    slots: int = 1,
    seed: int = 0,
    threads: int = 0,
    settings: Sequence[str] = (),
    device: str = "auto",
) -> Player:
    """The player a spec names, for up to `slots` games at once. Raises PlayerError, NetworkError, ConfigError.

    `settings` are `search.NAME=VALUE` texts, for players that search; `device` runs the network of those with one.
    """
    if spec in WITHOUT_SEARCH:
        if settings:
            raise PlayerError(f"{spec} does not search: it takes no settings")
        if spec == "random":
            return RandomPlayer(slots, seed)
        try:
            return SolverPlayer(required_oracle(game), slots, seed, threads)
        except GameError as error:
            raise PlayerError(str(error)) from None
    return search_player(spec, game, slots=slots, seed=seed, threads=threads, settings=settings, device=device)


def search_player(
    spec: str,
    game: Game,
    *,
    slots: int = 1,
    seed: int = 0,
    threads: int = 0,
    settings: Sequence[str] = (),
    device: str = "auto",
) -> AgentPlayer:
    """Like make_player, for players whose tree can be looked at. Raises PlayerError, NetworkError, ConfigError."""
    make, config = _search_of(spec, game, settings, slots)
    return AgentPlayer(spec, Agent(game, make(device, threads), config, seed=seed, slots=slots, threads=threads))


def usual_player(game: Game, otherwise: str) -> str:
    """Who plays when nobody is named: the network that ships for the game, if one does."""
    return "shipped" if shipped_network(game) else otherwise


def slots_that_fit(spec: str, game: Game, settings: Sequence[str] = (), most: int = 256) -> int:
    """How many games a player can play side by side, up to `most`, with no tree short of memory."""
    if spec in WITHOUT_SEARCH:
        return most
    config = _search_of(spec, game, settings, most)[1]
    node, edge = 64, 16  # bytes, as in tree.h; a tree has one node per simulation, its root and a few on the way
    tree = (config.sims + config.leaves + 1) * (node + edge * game.num_actions)
    return max(1, min(most, (config.memory_mb << 20) // tree - 1))


def _search_of(
    spec: str, game: Game, settings: Sequence[str], slots: int
) -> tuple[Callable[[str, int], Evaluator | Rollout], SearchConfig]:
    """How to make a player's evaluator on a device with a number of threads, and its search."""
    make: Callable[[str, int], Evaluator | Rollout]
    if found := re.fullmatch(r"mcts:(\d+)(,solver)?", spec, re.ASCII):
        make, config = (lambda *_: Rollout()), pure_mcts(game, _sims(found[1], least=1), bool(found[2]))
    elif found := re.fullmatch(r"uniform(?:@(\d+))?", spec, re.ASCII):
        make, config = (lambda *_: Uniform(game)), _with_sims(SearchConfig(), found[1])
    elif found := re.fullmatch(r"(shipped|net:.+?)(?:@(\d+))?", spec, re.ASCII | re.DOTALL):
        path = _network_path(found[1], game)
        config = _with_sims(network_search(game, slots), found[2])
        make = lambda device, threads: make_evaluator(path, game, device, threads)  # noqa: E731
    elif spec in WITHOUT_SEARCH:
        searching = [name for name in CHOICES.split(", ") if name not in WITHOUT_SEARCH]
        raise PlayerError(f"{spec} does not search; players that do are {', '.join(searching)}")
    else:
        raise PlayerError(f"unknown player {spec[:80]!r}; players are {CHOICES}")
    return make, parse_settings(config, list(settings))


def _network_path(name: str, game: Game) -> str:
    """The file behind `net:PATH` or `shipped`."""
    if name != "shipped":
        return name.removeprefix("net:")
    path = shipped_network(game)
    if path is None:
        raise PlayerError(f"shipped: no network ships for {game.id}, networks come with training; try mcts:1000")
    return str(path)


def _with_sims(config: SearchConfig, digits: str | None) -> SearchConfig:
    return config.replace(sims=_sims(digits, least=0)) if digits else config


def _sims(digits: str, least: int) -> int:
    if len(digits) > len(str(MOST_SIMS)) or not least <= int(digits) <= MOST_SIMS:
        raise PlayerError(f"simulations must be from {least} to {MOST_SIMS}, not {digits[:20]}")
    return int(digits)
