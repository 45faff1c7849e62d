"""Positions that are searched side by side: one agent, a tree for each of them, common batches for all."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tengen.engine.query import Query, TurnPosition
from tengen.play.thinking import step
from tengen.search.agent import TREES_MEMORY, Agent, node_bytes

__all__ = ["MOST_CREWS", "Crew", "Job", "nodes_of", "slots_for"]

MOST_CREWS = 2  # at a time; they share the memory of trees
SLOTS = (64, 16, 4)  # of a crew: the deeper the searches, the fewer side by side
SLICE = 0.05  # seconds between two looks at what comes in


@dataclass
class Job:
    """A position that waits or is searched."""

    query: Query
    position: TurnPosition
    sims: int
    seconds: float | None
    started: float = 0.0
    reported: float = 0.0  # when the client was told last


def nodes_of(agent: Agent, slots: int) -> int:
    """How large a tree may become in a crew of so many; as many again as one has when it is moved."""
    return max(2, TREES_MEMORY // MOST_CREWS // (slots + 1) // node_bytes(agent.game))


def slots_for(agent: Agent, sims: int) -> int:
    """The largest crew whose trees hold that many simulations."""
    room = (slots for slots in SLOTS if sims + agent.config.leaves < nodes_of(agent, slots))
    return next(room, SLOTS[-1])


class Crew:
    """Jobs of one game in the slots of an agent."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.jobs: dict[int, Job] = {}
        self._cleared = 0

    @property
    def full(self) -> bool:
        return len(self.jobs) == self.agent.search.trees

    def start(self, job: Job) -> None:
        slot = next(slot for slot in range(self.agent.search.trees) if slot not in self.jobs)
        self.agent.new_game(slot, 0)
        self.agent.set_root(job.position.state, slot)
        job.started = job.reported = time.monotonic()
        self.jobs[slot] = job

    def search(self) -> None:
        """One slice; afterwards every root is evaluated."""
        now = time.monotonic()
        ends = [job.started + job.seconds - now for job in self.jobs.values() if job.seconds is not None]
        step(self.agent, {slot: job.sims for slot, job in self.jobs.items()}, min([SLICE, *ends]))

    def is_done(self, slot: int) -> bool:
        job = self.jobs[slot]
        out_of_time = job.seconds is not None and time.monotonic() - job.started >= job.seconds
        return out_of_time or self.agent.search.finished(slot)

    def is_due(self, slot: int) -> bool:
        """Is it time to tell the client what was found so far?"""
        job = self.jobs[slot]
        if job.query.every is None:
            return False
        first = job.reported == job.started and job.query.first is not None
        wait = job.query.first if first else job.query.every
        assert wait is not None
        return time.monotonic() - job.reported >= wait

    def forget_answers(self) -> None:
        """The network is asked anew for positions that it has seen."""
        self._cleared += 1
        name = getattr(self.agent.evaluator, "network_hash", 0) + self._cleared  # the cache knows answers by it
        self.agent.search.set_network(name % 2**64)
