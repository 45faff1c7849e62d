"""How good a player's moves are."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.exact.labelled import Positions, Progress, no_progress
from tengen.play.players import AgentPlayer, Forfeit, Player, PlayerError
from tengen.search.agent import Agent


@dataclass(frozen=True)
class Share:
    """How many positions of a kind there are, and how many moves there were good; shares of none are NaN."""

    positions: int
    kept: int  # moves that keep win, draw or loss
    best: int  # moves with the best score: the shortest win, the longest loss

    @property
    def value_keeping(self) -> float:
        return self.kept / self.positions if self.positions else math.nan

    @property
    def exactly_best(self) -> float:
        return self.best / self.positions if self.positions else math.nan

    def as_dict(self) -> dict[str, Any]:
        """For JSON, which has no NaN: null in its place."""
        shares = {"value_keeping": self.value_keeping, "exactly_best": self.exactly_best}
        return {"positions": self.positions} | {
            name: None if math.isnan(share) else share for name, share in shares.items()
        }


@dataclass(frozen=True)
class Scores(Share):
    """All positions, and apart those where a move can lose value, and the won, drawn and lost ones.

    In lost positions every move keeps the value: what counts there is `exactly_best`.
    """

    mistake_possible: Share
    won: Share
    drawn: Share
    lost: Share

    def as_dict(self) -> dict[str, Any]:
        mistakes = self.mistake_possible.as_dict()
        flat = {f"{name}_where_a_mistake_is_possible": value for name, value in mistakes.items()}
        apart = {"won": self.won, "drawn": self.drawn, "lost": self.lost}
        return super().as_dict() | flat | {name: share.as_dict() for name, share in apart.items()}


def measure(
    player: Player | Agent,
    positions: Positions,
    sims: int | None = None,
    *,
    slots: int = 1,
    progress: Progress = no_progress,
) -> Scores:
    """How good a player's moves are. See choose_moves for the arguments."""
    return judge_moves(positions, choose_moves(player, positions, sims, slots=slots, progress=progress))


def choose_moves(
    player: Player | Agent,
    positions: Positions,
    sims: int | None = None,
    *,
    slots: int = 1,
    progress: Progress = no_progress,
) -> NDArray[np.int64]:
    """A player's move in every position, each a game of its own, many side by side: int64 [n].

    A player that searches does so without noise, plays its best move, uses all its slots, and takes `sims` simulations
    (0: the network alone; None: its own number). For other players `slots` says how many games they were made for.
    """
    agent = player.agent if isinstance(player, AgentPlayer) else player if isinstance(player, Agent) else None
    if agent is None:
        if sims is not None:
            raise ValueError("this player does not search: it has no simulations to set")
        return _ask(player, positions, slots, progress)
    before = agent.config
    serious = before.replace(temperature=0, temperature_end=0, noise_epsilon=0)
    agent.configure(serious if sims is None else serious.replace(sims=sims))
    try:
        return _ask(agent, positions, agent.search.trees, progress)
    finally:
        agent.configure(before)


def _ask(player: Player | Agent, positions: Positions, slots: int, progress: Progress) -> NDArray[np.int64]:
    moves: list[int] = []
    for start in range(0, len(positions), slots):
        states = positions.states[start : start + slots]
        for slot in range(len(states)):
            player.new_game(slot, start + slot)
        for move in player.act_many(states, list(range(len(states)))):
            if isinstance(move, Forfeit):
                raise PlayerError(f"the player gives no move: {move.reason}")
            moves.append(move)
        progress(len(moves), len(positions))
    return np.array(moves, np.int64)


def judge_moves(positions: Positions, moves: NDArray[np.int64]) -> Scores:
    """How good one move per position is."""
    every = np.arange(len(positions))
    if not positions.legal[every, moves].all():
        raise ValueError("there is an illegal move among them")
    kept = positions.keeping[every, moves]
    best = positions.scores[every, moves] == positions.best

    def share(chosen: NDArray[np.bool_]) -> Share:
        return Share(int(chosen.sum()), int(kept[chosen].sum()), int(best[chosen].sum()))

    return Scores(
        len(positions),
        int(kept.sum()),
        int(best.sum()),
        mistake_possible=share(positions.mistake_possible),
        won=share(positions.values == 1),
        drawn=share(positions.values == 0),
        lost=share(positions.values == -1),
    )
