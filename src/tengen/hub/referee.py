"""Did a search really find this? Some of what workers send is searched again, and compared.

A search again is never quite the same: other machines round otherwise, trees are inherited from moves before, a game
may have begun with an earlier network. So one difference proves nothing. The referee plays some games itself and notes
how far they are from what it finds when it searches again: that is what honest work looks like. A ply that is farther
off is searched with the releases before, too, and the nearest counts. Each ply of a worker's adds to the worker's doubt
by how much it is farther off than honest work and a margin; doubt never falls below zero, and whoever's grows too large
is barred.
"""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from tengen.agent import Agent
from tengen.evaluator import make_evaluator
from tengen.games import Game
from tengen.hub.ledger import Ledger
from tengen.hub.protocol import Release
from tengen.network import NetworkFile
from tengen.records import GameRecord
from tengen.selfplay import Actor

__all__ = ["Referee", "distances"]

FIRST_GAMES = 60  # of a worker, all looked at; later this share of its games:
SHARE = 0.02
SLOTS = 64  # plies searched again together
OWN_GAMES = 16  # of the referee's own, to learn what honest work looks like
OWN_EVERY = 20  # releases after which it looks again; sooner while a run is young and its networks change fast
MARGIN = 0.07  # see docs/hub.md for how far honest work and random policies are off
LIMIT = 4.0  # of doubt: some forty plies of random policies, or never by chance
EARLIER = 2  # releases before, with which a ply may have been searched
WAITING = 256  # lots that may wait; when more come, some are let through unseen


@dataclass(frozen=True)
class Seen:
    """A release that the referee can search with, and how far honest work with it is off."""

    agent: Agent
    honest: float
    learnt: int  # the release with which that was seen


class Referee:
    """Examines what is accepted, in a thread of its own so that nobody waits for it."""

    def __init__(
        self, game: Game, ledger: Ledger, release_of: Callable[[str], Release | None], device: str = "auto"
    ) -> None:
        """`release_of`: the newest release of a network that is still at hand."""
        self._game, self._ledger, self._release_of, self._device = game, ledger, release_of, device
        self._seen: dict[str, Seen] = {}  # by network; the latest few
        self._lots: queue.Queue[tuple[str, list[GameRecord]] | None] = queue.Queue(WAITING)
        self._chance = random.SystemRandom()  # a worker that could guess what is looked at could be honest just there
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="referee", daemon=True)
        self._thread.start()

    def consider(self, worker: str, records: Sequence[GameRecord]) -> None:
        """Chooses what to look at of games that were accepted just now."""
        known = self._ledger.standing(worker).games - len(records) < FIRST_GAMES
        lot = [record for record in records if known or self._chance.random() < SHARE]
        lot = self._chance.sample(lot, min(len(lot), FIRST_GAMES))
        if lot and not self._ended.is_set():
            with suppress(queue.Full):
                self._lots.put_nowait((worker, lot))

    def _work(self) -> None:
        while not self._ended.is_set():
            lot = self._lots.get()
            if lot is not None:
                self.examine(*lot)
            self._lots.task_done()

    def close(self) -> None:
        """What waits is not examined any more. A thread must not be within a search when the process ends."""
        self._ended.set()
        while not self._lots.empty():
            self._lots.get()
        self._lots.put(None)
        self._thread.join()

    def finish(self) -> None:
        """Waits until everything that was chosen is examined."""
        self._lots.join()

    def examine(self, worker: str, records: Sequence[GameRecord]) -> None:
        """Searches some games again, and bars the worker if that goes too far."""
        doubt = self._ledger.standing(worker).doubt
        for network in {network for record in records for network in record.networks}:
            seen = None if self._ended.is_set() else self._look_at(network)
            if seen is None:
                continue
            plies = [(record, ply) for record, ply in full_plies(records) if record.network_at(ply) == network]
            for distance in self._nearest(network, seen, plies):
                doubt = max(0.0, doubt + distance - seen.honest - MARGIN)
                if doubt > LIMIT:
                    break
            self._ledger.count(worker, checked=len(plies))
        self._ledger.set_doubt(worker, doubt)
        if doubt > LIMIT:
            self._ledger.bar(worker, "searched again, its games come out otherwise")

    def _nearest(self, network: str, seen: Seen, plies: Sequence[tuple[GameRecord, int]]) -> list[float]:
        """How far plies are off, from what this network finds or one that came shortly before."""
        found = distances(seen.agent, plies)
        names = list(self._seen)
        for earlier in reversed(names[: names.index(network)][-EARLIER:]):
            far = [i for i, distance in enumerate(found) if distance > seen.honest + MARGIN]
            for i, distance in zip(far, distances(self._seen[earlier].agent, [plies[i] for i in far]), strict=True):
                found[i] = min(found[i], distance)
        return found

    def _look_at(self, network: str) -> Seen | None:
        if network not in self._seen:
            release = self._release_of(network)
            if release is None:
                return None
            latest = max(self._seen.values(), key=lambda seen: seen.learnt, default=None)
            self._seen[network] = self._learn(release, latest)
            while len(self._seen) > 4:
                del self._seen[next(iter(self._seen))]
        return self._seen[network]

    def _learn(self, release: Release, latest: Seen | None) -> Seen:
        """Gets ready to search with a release; now and then also sees how far its own games are off."""
        manifest = release.manifest
        search, selfplay = manifest.configs()
        evaluator = make_evaluator(NetworkFile.parse(release.data, "release"), self._game, self._device, 1)
        quiet = search.replace(cache_mb=min(search.cache_mb, 16))
        agent = Agent(self._game, evaluator, quiet, seed=manifest.seed, slots=SLOTS, threads=1)
        if latest is not None and manifest.version < latest.learnt + min(latest.learnt, OWN_EVERY):
            return Seen(agent, latest.honest, latest.learnt)
        actor = Actor(self._game, quiet, selfplay, slots=OWN_GAMES, seed=manifest.seed, threads=1)
        actor.set_evaluator(evaluator, manifest.network)
        # The first game of every slot: those that merely end first are short ones, which look better than most.
        own: list[GameRecord] = []
        while len(own) < OWN_GAMES and not self._ended.is_set():
            already = actor.counts()["games"]
            records = actor.play(lambda counts, already=already: counts["games"] > already)  # type: ignore[misc]
            own += [record for record in records if record.number < OWN_GAMES]
        return Seen(agent, float(np.mean(distances(agent, full_plies(own)) or [1.0])), manifest.version)


def distances(agent: Agent, plies: Sequence[tuple[GameRecord, int]]) -> list[float]:
    """How far the policy targets and values of some plies are from what a search finds now: 0 not at all, 1 entirely.

    Noise is named by seed, game and ply, so it is the same as when the ply was played.
    """
    found: list[float] = []
    for start in range(0, len(plies), agent.search.trees):
        some = plies[start : start + agent.search.trees]
        states = []
        for slot, (record, ply) in enumerate(some):
            state = agent.game.start()
            for action in record.moves[:ply].tolist():
                state.apply(action)
            agent.new_game(slot, record.number)
            states.append(state)
        agent.act_many(states)
        for slot, (record, ply) in enumerate(some):
            actions, _, target = record.policy(ply)
            again = agent.search.target(slot)
            recorded = np.zeros_like(again)
            recorded[actions] = target
            value = abs(agent.search.worth(slot)[0] - float(record.q[ply])) / 2
            found.append(float((np.abs(recorded - again).sum() / 2 + value) / 2))
    return found


def full_plies(records: Sequence[GameRecord]) -> list[tuple[GameRecord, int]]:
    return [(record, ply) for record in records for ply in record.full.nonzero()[0].tolist()]
