"""Whoever can choose moves for many games at once: at random, perfectly, or by a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tengen._core import Rng
from tengen.exact.oracle import Oracle
from tengen.games import GameError, State
from tengen.play.clock import Timer
from tengen.play.thinking import MOST_SIMS, think
from tengen.search.agent import Agent

__all__ = ["AgentPlayer", "Forfeit", "Player", "PlayerError", "RandomPlayer", "SolverPlayer", "TimedPlayer"]


class PlayerError(GameError):
    """A player that cannot be made: an unknown name, or one this game has not got."""


@dataclass(frozen=True)
class Forfeit:
    """In place of a move: the player loses this game."""

    reason: str  # as people read it: "crashed", "illegal move k9", "silent for 10 s", "resigned"
    fault: bool = True  # not where it resigned by the rules


class Player(Protocol):
    """Chooses moves for many games side by side. A game keeps its slot from its first move to its last."""

    name: str

    def new_game(self, slot: int, number: int) -> None:
        """A game begins in a slot: nothing is left of the last one there, and its number names its randomness."""

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> Sequence[int | Forfeit]:
        """A move for each position, none of which is over; other programs may fail to give one."""

    def stop(self) -> None:
        """Makes an act_many under way in another thread return soon."""


@runtime_checkable
class TimedPlayer(Protocol):
    """A player that knows how to share out its time; the others take what they take."""

    def get_ready(self, state: State, slot: int, clocks: Sequence[Timer]) -> None:
        """A game is about to begin: whatever takes long is done before the clocks run."""

    def act_in_time(self, state: State, slot: int, clocks: Sequence[Timer]) -> int | Forfeit:
        """A move, thought about as long as the clock of the side to move allows; `clocks` are both sides'."""


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

    def __init__(self, name: str, agent: Agent, bounded: bool = True) -> None:
        """`bounded`: its simulations were asked for, so they bound a search by the clock too; a preset's do not."""
        self.name, self.agent, self.bounded = name, agent, bounded

    def new_game(self, slot: int, number: int) -> None:
        self.agent.new_game(slot, number)

    def stop(self) -> None:
        self.agent.stop()

    def act_many(self, states: Sequence[State], slots: Sequence[int]) -> list[int]:
        return self.agent.act_many(states, slots)

    def get_ready(self, state: State, slot: int, clocks: Sequence[Timer]) -> None:
        pass  # its network is loaded

    def act_in_time(self, state: State, slot: int, clocks: Sequence[Timer]) -> int:
        budget = clocks[state.to_move()].budget(state.stones().count(0))
        think(self.agent, state, budget, sims=None if self.bounded else MOST_SIMS, slot=slot)
        return self.agent.search.choose(slot)
