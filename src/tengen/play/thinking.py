"""A search that somebody looks at while it runs: for clocks, for pondering, for analysis that is shown live.

The search's threads write to the tree without Python's lock, so it runs in short slices, and between two of them the
tree may be read. This is the only loop of that kind outside the app, whose searches share threads and memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tengen.games import State
from tengen.play.clock import Budget
from tengen.search.agent import Agent

__all__ = ["MOST_SIMS", "pick", "slices", "step", "think"]

MOST_SIMS = 10_000_000  # of a search; where time is the only bound, its simulations
SHORT, LONG = 0.004, 0.1  # seconds of a slice
BATCH = 64  # leaves that fill a network's batch
LOOKS = 8  # at a search of the usual length
TRUSTED = 0.1  # of the best move's visits: enough for another move's value to be compared


def slices(agent: Agent, state: State, length: float, *, sims: int | None = None, slot: int = 0) -> Iterator[float]:
    """Searches a position until nothing is left to search, and yields the seconds spent so far after every slice. The
    first comes when the root is evaluated at the earliest. `sims` in place of the agent's own bounds it."""
    usual = agent.config
    agent.set_root(state, slot)
    bounded = usual.replace(seconds=max(length, SHORT), **({} if sims is None else {"sims": sims}))
    begun = time.monotonic()
    try:
        agent.configure(bounded)
        while True:
            agent.run([slot])
            yield time.monotonic() - begun
            if agent.search.finished(slot):
                return
    finally:
        agent.configure(usual)


def step(agent: Agent, sims: Mapping[int, int], length: float) -> None:
    """One slice of many positions, the roots of their slots: each up to its own simulations, all in common batches. The
    more of them, the fewer leaves each tree gathers ahead of its evaluations."""
    usual = agent.config
    leaves = max(1, min(usual.leaves, BATCH // max(1, len(sims))))
    for slot, most in sims.items():
        agent.search.configure(slot, usual.replace(seconds=max(length, SHORT), sims=most, leaves=leaves))
    agent.run(list(sims))


def think(
    agent: Agent,
    state: State,
    budget: Budget,
    *,
    sims: int | None = None,
    slot: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Searches as long as it pays: shorter than usual when no other move can catch up in the time that is left, longer
    while the most visited move is not the one with the best value."""
    if len(state.legal_actions()) == 1:
        budget = Budget(0.0, 0.0)
    length = min(LONG, budget.aim / LOOKS)
    for spent in slices(agent, state, length, sims=sims, slot=slot):
        if spent + length >= budget.most or stopped():
            return
        look = pick(agent, slot)
        if spent + length >= budget.aim and look.steady:
            return
        if look.lead > agent.search.visits(slot) / spent * (budget.aim - spent) and look.steady:
            return


@dataclass(frozen=True)
class _Look:
    lead: int  # visits of the best move beyond the next one's
    steady: bool  # no move that was looked at well has a better value


def pick(agent: Agent, slot: int = 0) -> _Look:
    """How settled the choice at a root is."""
    edges = sorted(agent.search.node(slot).edges, key=lambda edge: -edge.visits)
    first, second = edges[0], edges[1] if len(edges) > 1 else None
    known = [edge for edge in edges if edge.visits >= TRUSTED * first.visits]
    steady = all(edge.q >= first.q for edge in known)  # a child's value is its own side's
    return _Look(first.visits - (second.visits if second else 0), steady)
