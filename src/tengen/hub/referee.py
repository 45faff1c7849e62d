"""Did a search really find this, and is it all that was found? What workers send is looked at by chance, and held.

Some games of every worker are played again (`again.py`), and what that says about the worker adds up (`evidence.py`).
Which ones is decided by chance when they come: nobody can be honest just there. How many depends on how many agreed so
far; it is never none. All games are counted (`census.py`). Rating matches are played again too.

Statistics never bar anybody. They hold a worker: its games leave the window and nothing more is taken from it until a
person has looked (`tengen hub trust NAME`, `tengen hub bar NAME`).
"""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from tengen.config import SearchConfig
from tengen.games import Game
from tengen.hub.again import Again, EvaluatorOf
from tengen.hub.census import OWN, Census, Numbers, missing_verdict
from tengen.hub.evidence import COLUMNS, MEASURES, RATED, UNKNOWN, Spread, rated_row
from tengen.hub.ledger import Ledger, first_game, lease_of
from tengen.hub.protocol import RatedGames, RatingMatch
from tengen.hub.rating import played_again
from tengen.hub.validate import Settings
from tengen.hub.worker_bounds import default_memory
from tengen.net.evaluator import Evaluation, Leaves, NetworkEvaluator, Pending, make_evaluator
from tengen.net.file import NetworkError, NetworkFile
from tengen.records import GameRecord
from tengen.records.selfplay import Actor

__all__ = ["Referee"]

SLOTS = 64  # games played again together
OWN_GAMES = 64  # of the referee's own, to learn how far another machine would be off
SECOND_OPINION = 48  # games of its own when a worker's results differ from the others'
OWN_EVERY = 20  # networks after which it looks again; sooner while a run is young and its networks change fast
ROUNDING = 0.005  # by which another machine's answers may be off: as much as 8 bits of mantissa (bfloat16) leave
WAITING = 256  # lots that may wait; when more come, some of whoever has most are let through unseen, and counted
EVALUATORS = 12  # networks kept ready, each as one machine runs it
CLOSE = 0.01  # mean difference of the policies of some games below which no other machine is tried
# As whom the referee can search: as this machine does, without bfloat16, on the other backend; and what each needs.
MACHINES = {"here": None, "float32": "openvino", "onnxruntime": "onnxruntime"}
FIRST_RATED, RATED_SHARE = 4, 0.2  # rating matches of a worker that are all looked at; of later ones this share
SAVE_SECONDS = 10.0


@dataclass(frozen=True)
class Lot:
    """What is to be done about one worker: look at games or at a rating match, or find out what is usual."""

    worker: str
    records: Sequence[GameRecord] = ()
    rated: tuple[RatingMatch, RatedGames] | None = None
    opinion: GameRecord | None = None  # with its network and settings the hub should play some games itself


class Referee:
    """Looks at what is accepted, in a thread of its own so that nobody waits for it."""

    def __init__(
        self,
        game: Game,
        ledger: Ledger,
        seed: int,
        way_of: Callable[[GameRecord], Settings],
        network: Callable[[str], bytes | None],
        rated_network: Callable[[str], bytes | None],
        device: str = "auto",
    ) -> None:
        """`way_of`: how a game was to be played; `network`: a file, by the hash that records have; `rated_network`: the
        file of a rating match, by the hash of the file."""
        self._game, self._ledger, self._seed, self._device = game, ledger, seed, device
        self._way_of, self._network, self._rated_network = way_of, network, rated_network
        self._evaluators: OrderedDict[tuple[str, str], NetworkEvaluator] = OrderedDict()
        self._machines = [name for name, package in MACHINES.items() if package is None or find_spec(package)]
        self._machine_of: dict[str, str] = {}  # by worker: the one that its own was most like
        self._spread, self._own_at, self._seen = UNKNOWN, 0, dict[str, None]()  # networks, in the order of their games
        self._agains: tuple[Settings | None, dict[str, Again]] = (None, {})  # of the last settings, by machine
        self._own: set[str] = set()  # networks of second opinions
        self._census = Census(ledger.tallies())
        self._numbers: dict[str, dict[int, Numbers]] = {}  # by worker and lease
        self._slots: dict[int, int] = {}  # by lease, as its player says
        self._trusted: dict[str, float] = {}  # by worker: when a person last said so
        self._counting = threading.Lock()
        self._saved = time.monotonic()
        self._chance = random.SystemRandom()  # a worker that could guess what is looked at could be honest just there
        self._waiting: dict[str, deque[Lot]] = {}
        self._changed = threading.Condition()
        self._busy, self._ended = False, threading.Event()
        self._thread = threading.Thread(target=self._work, name="referee", daemon=True)
        self._thread.start()

    # What comes

    def consider(self, worker: str, records: Sequence[GameRecord]) -> None:
        """Counts games that were accepted just now, and chooses some to be played again."""
        standing = self._ledger.standing(worker)
        if not standing.believed:
            return
        self._begin_anew(worker, standing.trusted_at)
        self._census.add(worker, records)
        reason = self._count_numbers(worker, records, standing.trusted_at) or self._census.verdict(worker)
        if reason is not None:
            self._hold(worker, reason)
            return
        if self._census.suspects(worker):
            self._put(Lot(worker, opinion=records[-1]))
        share = self._ledger.evidence(worker).share
        lot = [record for record in records if self._chance.random() < share]
        if lot:
            self._put(Lot(worker, self._chance.sample(lot, min(len(lot), SLOTS))))

    def consider_rating(self, worker: str, match: RatingMatch, rated: RatedGames) -> None:
        known = self._ledger.evidence(worker).ever.count[COLUMNS.index(RATED)]
        if known < FIRST_RATED or self._chance.random() < RATED_SHARE:
            self._put(Lot(worker, rated=(match, rated)))

    def has_slots(self, lease: int, slots: int) -> None:
        """How many places the player of a lease has, as it says itself; it cannot change its mind."""
        if slots:
            self._slots.setdefault(lease, slots)

    def _begin_anew(self, worker: str, trusted_at: float) -> None:
        """A person has said that a worker is to be believed: what was counted before is forgotten."""
        with self._counting:
            if self._trusted.setdefault(worker, trusted_at) == trusted_at:
                return
            self._trusted[worker] = trusted_at
            self._numbers.pop(worker, None)
        self._census.forget(worker)

    def _count_numbers(self, worker: str, records: Sequence[GameRecord], since: float) -> str | None:
        with self._counting:
            leases = self._numbers.setdefault(worker, {})
            for lease in {lease_of(record.number) for record in records}:
                if lease in leases:
                    leases[lease].add(record.number for record in records if lease_of(record.number) == lease)
                elif lease in self._slots and self._ledger.lease_created(lease) >= since:
                    leases[lease] = Numbers(first_game(lease), self._slots[lease])
                    leases[lease].add(self._ledger.numbers(lease))  # of an earlier session too, and these
            return missing_verdict(list(leases.values()))

    def _hold(self, worker: str, reason: str) -> None:
        self._ledger.hold(worker, reason)
        self._census.forget(worker)

    # The queue: the workers take turns, and when it is full whoever has most in it loses its oldest

    def _put(self, lot: Lot) -> None:
        with self._changed:
            if self._ended.is_set():
                return
            self._waiting.setdefault(lot.worker, deque()).append(lot)
            dropped = None
            if sum(map(len, self._waiting.values())) > WAITING:
                dropped = max(self._waiting.values(), key=len).popleft()
            self._changed.notify_all()
        if dropped is not None and dropped.records:
            self._ledger.count(dropped.worker, unseen=len(dropped.records))

    def _take(self) -> Lot | None:
        with self._changed:
            while not self._ended.is_set():
                for worker in list(self._waiting):
                    lots = self._waiting.pop(worker)
                    if lots:
                        lot = lots.popleft()
                        self._waiting[worker] = lots  # behind the others
                        self._busy = True
                        return lot
                self._busy = False
                self._changed.notify_all()
                self._changed.wait()
            self._busy = False
            self._changed.notify_all()
            return None

    def finish(self) -> None:
        """Waits until everything that was chosen is looked at."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended.is_set() or not (self._busy or any(self._waiting.values())))

    def close(self) -> None:
        """What waits is not looked at any more. A thread must not be within a search when the process ends."""
        with self._changed:
            self._ended.set()
            self._changed.notify_all()
        self._thread.join()
        self._save()

    # What is done

    def _work(self) -> None:
        while (lot := self._take()) is not None:
            try:
                if lot.rated is not None:
                    self._look_at_rating(lot.worker, *lot.rated)
                elif lot.opinion is not None:
                    self._second_opinion(lot.opinion)
                else:
                    self.examine(lot.worker, lot.records)
                self._save()
            except (NetworkError, OSError, sqlite3.Error):  # a file that cannot be read now, or a ledger that is locked
                with suppress(sqlite3.Error):
                    self._ledger.count(lot.worker, unseen=len(lot.records))

    def examine(self, worker: str, records: Sequence[GameRecord]) -> None:
        """Plays games again; holds the worker if that has gone too far."""
        by_way: list[tuple[Settings, list[GameRecord]]] = []
        for record in records:
            way = self._way_of(record)
            same = next((some for settings, some in by_way if settings == way), None)
            if same is None:
                by_way.append((way, [record]))
            else:
                same.append(record)
        for way, some in by_way:
            for record in some:
                self._seen.setdefault(record.networks[-1])
            self._learn_spread(way, some[-1].networks[-1])
            rows = self._nearest(worker, way, some)
            if self._ended.is_set():
                return
            self._note(worker, rows)
            plies = sum(int(record.searched.sum()) for record, row in zip(some, rows, strict=True) if row[0] == row[0])
            unseen = int(np.isnan(rows[:, 0]).sum())
            self._ledger.count(worker, checked=plies, unseen=unseen)

    def _nearest(self, worker: str, way: Settings, records: Sequence[GameRecord]) -> NDArray[np.float64]:
        """How far games are off, as the machine finds it that is most like the worker's own. Backends round 8 bits so
        differently that a young network's policies are off by 0.09 (Connect4); on the same backend by next to nothing.
        """
        if self._agains[0] != way:
            self._agains = (way, {})
        agains, usual = self._agains[1], self._machine_of.get(worker, self._machines[0])
        found: tuple[float, str, NDArray[np.float64]] | None = None
        for machine in [usual, *(name for name in self._machines if name != usual)]:
            if machine not in agains:
                agains[machine] = self._again(way, partial(self._evaluator, machine=machine))
            rows = agains[machine].look(records)
            policies = rows[:, MEASURES.index("policy")]
            off = float(policies[~np.isnan(policies)].mean()) if (~np.isnan(policies)).any() else 0.0
            if found is None or off < found[0]:
                found = (off, machine, rows)
            if off <= CLOSE or self._ended.is_set():
                break
        assert found is not None
        self._machine_of[worker] = found[1]
        return found[2]

    def _note(self, worker: str, rows: NDArray[np.float64]) -> None:
        evidence, nothing = self._ledger.evidence(worker), np.isnan(rows).all(axis=1)
        for row in rows[~nothing]:
            evidence.add(np.append(row, np.nan) if len(row) == len(MEASURES) else row, self._spread)
        self._ledger.set_evidence(worker, evidence)
        if (reason := evidence.verdict(self._spread)) is not None:
            self._hold(worker, reason)

    def _look_at_rating(self, worker: str, match: RatingMatch, rated: RatedGames) -> None:
        files = {each.sha256: self._rated_network(each.sha256) for each in (match.first, match.second) if each.sha256}
        if None in files.values():
            return  # the networks of an earlier measurement are gone
        there = {sha256: data for sha256, data in files.items() if data is not None}
        memory, ended = default_memory(), self._ended.is_set
        different = 1 - played_again(match, there, rated.games, device=self._device, memory=memory, ended=ended)
        if not self._ended.is_set():
            self._note(worker, rated_row(different)[None, :])

    def _again(self, way: Settings, evaluator_of: EvaluatorOf) -> Again:
        search, selfplay = way
        return Again(
            self._game, _quiet(search), selfplay, self._seed, evaluator_of, slots=SLOTS, ended=self._ended.is_set
        )

    def _evaluator(self, network: str, machine: str = "here") -> NetworkEvaluator | None:
        if (network, machine) in self._evaluators:
            self._evaluators.move_to_end((network, machine))
            return self._evaluators[network, machine]
        data = self._network(network)
        if data is None:
            return None
        made = self._make_evaluator(NetworkFile.parse(data, "release"), machine)
        self._evaluators[network, machine] = made
        while len(self._evaluators) > EVALUATORS:
            self._evaluators.popitem(last=False)
        return made

    def _make_evaluator(self, file: NetworkFile, machine: str) -> NetworkEvaluator:
        if machine == "float32":
            from tengen.net.evaluator.openvino import OpenVino

            return OpenVino(file, self._game, 1, "f32")
        return make_evaluator(file, self._game, self._device if machine == "here" else machine, 1)

    def _learn_spread(self, way: Settings, network: str) -> None:
        """Now and then: how far would another machine be off?"""
        if self._spread is not UNKNOWN and len(self._seen) < self._own_at + min(self._own_at, OWN_EVERY):
            return
        evaluator = self._evaluator(network)
        if evaluator is None or not (own := self._play(way, network, OWN_GAMES)):
            return
        other = OtherMachine(evaluator)
        rows = self._again(way, lambda _: other).look(own)
        if not self._ended.is_set():
            self._spread, self._own_at = Spread.of(rows), len(self._seen)

    def _second_opinion(self, record: GameRecord) -> None:
        """Games of the hub's own with a network that a suspect has played, to compare results with."""
        network, way = record.networks[-1], self._way_of(record)
        if network not in self._own:
            self._own.add(network)
            self._play(way, network, SECOND_OPINION)

    def _save(self) -> None:
        """Now and then: statistics, of which a kill may lose some."""
        if time.monotonic() - self._saved > SAVE_SECONDS or self._ended.is_set():
            self._saved = time.monotonic()
            with suppress(sqlite3.Error):
                self._ledger.set_tallies(self._census.rows())

    def _play(self, way: Settings, network: str, count: int) -> list[GameRecord]:
        """The first game of every place: those that merely end first are short ones."""
        evaluator = self._evaluator(network)
        if evaluator is None:
            return []
        search, selfplay = way
        # Numbers that chance picks: the same network may be played with again, and the same games would count twice.
        first = self._chance.randrange(1 << 40)
        actor = Actor(self._game, _quiet(search), selfplay, slots=count, seed=self._seed, threads=1, first_game=first)
        actor.set_evaluator(evaluator, network)
        own: list[GameRecord] = []
        while len(own) < count and not self._ended.is_set():
            already = actor.counts()["games"]
            done = lambda counts, already=already: counts["games"] > already or self._ended.is_set()  # noqa: E731
            own += [record for record in actor.play(done) if record.number < first + count]
        self._census.add(OWN, own)
        return own


def _quiet(search: SearchConfig) -> SearchConfig:
    """With less memory: a cache changes no result."""
    return search.replace(cache_mb=min(search.cache_mb, 16))


class OtherMachine:
    """A network as a machine would run it that rounds otherwise: every number is off by about ROUNDING of itself."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self._evaluator, self.network_hash = evaluator, evaluator.network_hash ^ 1
        self.counts = evaluator.counts
        self._rng = np.random.default_rng(0)

    def __call__(self, leaves: Leaves, /) -> Evaluation:
        rounded = self._evaluator(leaves).each(self._round)
        return rounded._replace(wdl=rounded.wdl / rounded.wdl.sum(axis=1, keepdims=True))

    def owners(self, planes: NDArray[np.float32], /) -> NDArray[np.float32]:
        return self._evaluator.owners(planes)

    def start(self, leaves: Leaves, /) -> Pending:
        return _Ready(self(leaves))

    def _round(self, numbers: NDArray[np.float32]) -> NDArray[np.float32]:
        return (numbers * (1 + ROUNDING * self._rng.standard_normal(numbers.shape))).astype(np.float32)


@dataclass(frozen=True)
class _Ready:
    answer: Evaluation

    def wait(self) -> Evaluation:
        return self.answer
