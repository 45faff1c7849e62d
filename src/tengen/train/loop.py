"""The loop: play, learn, release, measure. It knows no screen: it tells whoever listens what happened.

while there is time left:
    1  play     until the hub has a turn's worth of positions, all of one size; finished games are on disk by then
    2  learn    as often as the new positions allow
    3  save     everything needed to go on
    4  release  every few turns: whoever plays goes on with the new network
    5  measure  before the first turn, soon after, and then every few minutes: how strong is it?
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tengen.games import Family, Game
from tengen.hub.local import LocalHub
from tengen.hub.protocol import LEASED, Hub, Release
from tengen.net.cpu import usable_cores
from tengen.net.evaluator.backend import CHOSEN_HERE
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.shape import NetworkShape
from tengen.net.tower.export import CALIBRATION, check_parity, export_onnx, sample_planes, to_onnx
from tengen.net.tower.model import Network
from tengen.net.tower.unfold import unfold
from tengen.records import GameRecord
from tengen.records.replay import Minibatch, Replay
from tengen.records.resign import Checked, checked_resignations
from tengen.records.selfplay import Counts
from tengen.records.store import ChunkStore
from tengen.run.events import Ended, Event, Listener, Measured, Released, Started, TurnTaken, Warned
from tengen.run.folder import RunDirectory, RunError
from tengen.run.settings import deepened
from tengen.train.learner import Learner
from tengen.train.sizes import size_of_turn, size_shares

__all__ = ["MakeHub", "Trainer", "learning_device"]

STARTING_POSITIONS = 1024  # by which a network that was begun with is made ready to learn on

FIRST_GAP = 0.5  # minutes from step 0 to the next measurement: the first networks learn in seconds

MakeHub = Callable[[RunDirectory, int, str], Hub]  # of the run, the number of the next game, and the device


class Trainer:
    """One sitting of a run, from its last durable state until it is finished or `stop` is set."""

    def __init__(
        self,
        run: RunDirectory,
        listen: Listener,
        *,
        measure: Callable[[Trainer], Measured | None] | None = None,
        stop: threading.Event | None = None,
        device: str = "auto",
        make_hub: MakeHub = LocalHub,
    ) -> None:
        self.run, self.listen, self.device = run, listen, device
        self.config = run.config()
        self.family = Family.parse(self.config.game)
        self.stop = stop or threading.Event()
        self._measure = measure
        loop = self.config.loop
        self.store = ChunkStore(run.games)
        self.learner = Learner(
            NetworkShape.of(self.family, loop.size), self.config.learner, seed=loop.seed, device=learning_device(device)
        )
        self.replay = self._empty_window()
        self._spent, self._started = 0.0, time.monotonic()  # minutes of earlier sittings
        self.turns = 0
        self.games = 0  # finished ones, on disk
        self._checked = Checked()  # resignations, in all of them, each by the bound of its time
        self._resign_below = self.config.selfplay.resign_below
        self._unread = 0  # chunks that could not be used
        self.phase = "loading"  # what is being done right now, for whoever looks
        self._last_measure, self._measured_step = 0.0, -1  # minutes, and the learner's step in this sitting
        self._last_batch: Minibatch | None = None
        self._seen: dict[tuple[int, ...], NDArray[np.float32]] = {}  # the planes learned last, of each size
        self._network = ("", b"")  # that plays: its hash and its file
        self._playing: Game | None = None
        self.hub = make_hub(run, self._resume(), device)
        self._side_by_side = usable_cores() > 1
        torch.set_num_threads(max(1, usable_cores() - self.hub.threads))

    @property
    def minutes(self) -> float:
        return self._spent + (time.monotonic() - self._started) / 60

    @property
    def progress(self) -> float:
        """Share of the run that is done."""
        loop = self.config.loop
        return min(1.0, self.learner.step / loop.steps if loop.steps else self.minutes / loop.minutes)

    def train(self) -> None:
        """The loop. Raises RunError when something cannot be written; what was finished before is on disk."""
        try:
            self._loop()
        except OSError as error:
            why = f"cannot go on in {self.run.path}: {error.strerror or error}"
            raise RunError(f"{why}; the run is intact, and the same command goes on") from None
        finally:
            self.hub.close()

    def _loop(self) -> None:
        loop = self.config.loop
        self._tell(
            Started,
            game=self.family.id,
            size=loop.size,
            planned_minutes=loop.minutes,
            planned_steps=loop.steps,
            positions=self.replay.positions,
            resumed=self.learner.step > 0,
        )
        self._release()
        if self.learner.step == 0 and not self._last_measure:
            self._take_measure()  # what everything later is compared with
        while self.progress < 1 and not self.stop.is_set():
            records, speeds, losses = self._take_turn()
            self.turns += 1
            self._save()
            told = {**speeds, **_games(records), **losses, **self._window(), **self._resignations()}
            self._tell(TurnTaken, **told, workers=self.hub.workers())
            if self.turns % self.config.loop.turns_per_release == 0:
                self._release()
            if self._measure_due():
                self._take_measure()
        if not self.stop.is_set():
            self.hub.finish()  # now, and not after the last measurement, for which nobody need play
            self._release()
            self._take_measure()
        self._save()  # the minutes since the last turn count, or a finished run would not know that it is
        self._tell(Ended, finished=self.progress >= 1)

    def _take_turn(self) -> tuple[list[GameRecord], dict[str, float], dict[str, float]]:
        """1 and 2, in turn or, with more than one core, side by side: learning from what earlier turns brought.

        Threads that share each small step of a network wait for each other most of the time: with a core for each of
        the two jobs a turn took 6.4 s instead of 8.4 (Connect4). A run by the clock plays on until learning is done; a
        run by steps does not, so that the same seed gives the same network.
        """
        if self._turn_game() != self._playing:
            self._publish()
        if not self._side_by_side:
            self.phase = "playing"
            records, speeds = self._play(lambda: True)
            self._add(records)
            self.phase = "learning"
            return records, speeds, self._learn()
        self.phase = "playing and learning"
        with ThreadPoolExecutor(1) as pool:
            learning = pool.submit(self._learn)
            records, speeds = self._play(lambda: self.config.loop.steps > 0 or learning.done())
            losses = learning.result()
        self._add(records)
        return records, speeds, losses

    def _play(self, may_end: Callable[[], bool]) -> tuple[list[GameRecord], dict[str, float]]:
        """1. Self-play, wherever it happens."""
        before, began = self.hub.counts(), time.monotonic()
        wanted = before["positions"] + self.config.loop.turn_positions

        def done(counts: Counts) -> bool:
            return (counts["positions"] >= wanted and may_end()) or self.stop.is_set()

        records = self.hub.gather(done)
        return records, _speeds(before, self.hub.counts(), time.monotonic() - began, self.config.loop.slots)

    def _add(self, records: list[GameRecord]) -> None:
        """Games come into the window; all of them come anew when the hub has withdrawn some."""
        left = self.hub.withdrawn()
        for reason in self.hub.news():
            self._tell(Warned, reason=reason)
        if left is None:
            self._count(records)
            return
        drawn, self.games, self._checked = self.replay.drawn, 0, Checked()
        self.replay = self._empty_window()
        self._load_games(left)
        self.replay.resume(drawn)

    def _learn(self) -> dict[str, float]:
        """2. Steps until a turn's samples are used up, if there are as many."""
        began, metrics = time.monotonic(), list[dict[str, float]]()
        size = self.config.learner.batch
        if self.learner.step == 0 and self.run.start.exists() and self.replay.positions > 0:
            self._begin_with(self.replay.look(STARTING_POSITIONS).planes)  # random ones were all there was before
        most = self.config.replay.samples_per_position * self.replay.depth * self.config.loop.turn_positions / size
        while self.replay.budget >= size and len(metrics) < most and not self.stop.is_set() and self.progress < 1:
            if len(metrics) % 32 == 31 and self.learner.too_far():
                self.replay.drawn += self.replay.budget  # the rest of the epoch is not made up for later
                break
            self._last_batch = self.replay.batch(size)
            self._seen[self._last_batch.planes.shape[1:]] = self._last_batch.planes
            metrics.append(self.learner.learn(self._last_batch, self.progress))
        if not metrics or self._last_batch is None:
            return {}
        mean = {name: float(np.mean([each[name] for each in metrics])) for name in metrics[0]}
        seconds = max(1e-9, time.monotonic() - began)
        return mean | {
            "samples_per_second": len(metrics) * size / seconds,
            "learning_seconds": seconds,
            "replay_age": float(self._last_batch.age.mean()),
        }

    def _save(self) -> None:
        """3. At most one turn is lost by a kill, and no finished game."""
        about = {"minutes": self.minutes, "turns": self.turns, "last_measure": self._last_measure}
        self.learner.save(self.run.state, about | {"drawn": self.replay.drawn})

    def _release(self) -> None:
        """4. The averaged weights become the network that plays."""
        self.phase = "releasing"
        file = export_onnx(self.learner.released, self.run.current, self.family, self.learner.step)
        self._network = file.hash, (self._quantized(self.learner.released) or file).data
        self._publish()
        change = self.learner.end_epoch()
        if self._last_batch is not None:
            self.learner.begin_epoch(self._last_batch)
        self._tell(Released, network=file.hash, kl=change, multiplier=self.learner.multiplier)

    def _turn_game(self) -> Game:
        """What the next turn plays."""
        games = self.family.games
        return games[size_of_turn(self.turns, size_shares(len(games), self.progress, self.config.loop.sizes_until))]

    def _publish(self) -> None:
        self._playing = self._turn_game()
        now = self.run.config_now(lambda why: self._tell(Warned, reason=why))  # `tengen hub set` may change it
        loop, self._resign_below = self.config.loop, now.selfplay.resign_below
        search, selfplay = deepened(now.search, now.selfplay, self.replay.depth)
        selfplay = selfplay.replace(vary=bool(self.family.free))
        search = search.replace(cache_mb=-(-search.cache_mb // len(self.family.games)))  # each size has a cache
        self.hub.publish(Release.of(self._playing.id, *self._network, search, selfplay, loop.seed, loop.slots))

    def _quantized(self, network: Network) -> NetworkFile | None:
        """The same network in 8 bits, unless that is not wanted, or would say something else."""
        if self.config.loop.precision != "int8":
            return None
        step = self.learner.step
        known = [(game, self._seen.get(tuple(game.planes_shape))) for game in self.family.games]
        seen = [sample_planes(game, CALIBRATION) if planes is None else planes for game, planes in known]
        try:
            file = to_onnx(network, self.family, step, "self-play network", seen)
            check_parity(network, file, self.family)
            return file
        except NetworkError as error:
            self._tell(Warned, reason=f"{error}; self-play uses 32 bits")
            return None

    def _measure_due(self) -> bool:
        """The gaps double until they are `measure.every`: a new run shows early whether it learns. A network that has
        not changed is not measured again: the first turns play and have too little to learn from."""
        gap = min(self.config.measure.every, max(FIRST_GAP, self._last_measure))
        return self.minutes - self._last_measure >= gap and self.learner.step > self._measured_step

    def _take_measure(self) -> None:
        """5. Never changes what is learned."""
        self.phase, began = "measuring", self.minutes
        path = self.run.network(self.learner.step)
        export_onnx(self.learner.released, path, self.family, self.learner.step)
        measured = self._measure(self) if self._measure else None
        if not self.stop.is_set():  # what was given up is due at once when the run goes on
            self._last_measure, self._measured_step = began, self.learner.step
        if measured is not None:
            self.listen(measured)

    def _resume(self) -> int:
        """Goes on from what is on disk; returns the number of the next game."""
        next_game = self._load_games()
        if self.run.state.exists():
            about = self.learner.load(self.run.state)
            self._spent, self.turns = float(about["minutes"]), int(about["turns"])
            self._last_measure = float(about["last_measure"])
            self.replay.resume(int(about["drawn"]))
        elif self.run.start.exists():
            self._begin_with(sample_planes(self.family.largest, STARTING_POSITIONS))
        return next_game

    def _begin_with(self, planes: NDArray[np.float32]) -> None:
        """The learner says what the network says that the run begins with, and nearly so while it learns from positions
        like these."""
        self.learner.begin_with(unfold(NetworkFile.load(self.run.start), self.family, planes))

    def _load_games(self, paths: list[Path] | None = None) -> int:
        """Fills the window from disk; returns the number of the next game of this process."""
        next_game, unread = 0, list[str]()

        def leave_out(path: Path, why: str) -> None:
            unread.append(f"{path}: {why}")

        for path, records in self.store.read(leave_out, paths):
            if Game.parse(records[0].game) not in self.family:
                leave_out(path, f"games of {records[0].game}, not {self.family.id}")
                continue
            self._count(records)
            next_game = max([next_game, *(record.number + 1 for record in records if record.number < LEASED)])
        self._unread = len(unread)
        if unread and not self.games:
            raise RunError(
                f"none of the {len(unread)} chunks in {self.run.games} can be used ({unread[0]}); nothing was changed: "
                f"go on with the Tengen that wrote them, or move them away to learn from new games only"
            )
        if unread:
            self._tell(Warned, reason=f"{len(unread)} chunks of games are left out; {unread[0]}")
        return next_game

    def _count(self, records: Sequence[GameRecord]) -> None:
        self.replay.add(records)
        self.games += len(records)
        self._checked += checked_resignations(records, self._resign_below)

    def _empty_window(self) -> Replay:
        loop = self.config.loop
        return Replay(self.family, self.config.replay, deeper_after=loop.deeper_after, seed=loop.seed, threads=0)

    def _window(self) -> dict[str, float]:
        return {
            "total_games": self.games,
            "positions": self.replay.positions,
            "window": self.replay.window,
            "progress": self.progress,
            "unread_chunks": self._unread,
        }

    def _resignations(self) -> dict[str, int]:
        """Nothing where nobody may resign."""
        if self._resign_below <= -1:
            return {}
        return {"resignations_checked": self._checked.games, "resignations_wrong": self._checked.wrong}

    def _tell(self, kind: type[Event], **values: Any) -> None:
        self.listen(kind(self.learner.step, self.minutes, **values))


def learning_device(device: str) -> str:
    """What the learner runs on; evaluators choose among more. Raises NetworkError."""
    if device in ("cuda", "mps"):
        if not (torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()):
            raise NetworkError(f"there is no {device} device here; use --device cpu")
        return device
    return "cuda" if device in CHOSEN_HERE and torch.cuda.is_available() else "cpu"


def _speeds(before: dict[str, int], after: dict[str, int], seconds: float, slots: int) -> dict[str, float]:
    """What self-play did in a turn, per second, and how well it used the network."""
    done = {name: after[name] - before[name] for name in after}
    sims, rows, batches = done["simulations"], done["evaluations"], done["batches"]
    return {
        "games_per_second": done["games"] / seconds,
        "evaluations_per_second": rows / seconds,
        "simulations_per_second": sims / seconds,
        "moves_per_second": done["moves"] / seconds,
        "batch_fill": rows / max(1, batches * slots),
        "without_network": 1 - rows / max(1, sims),
        "playing_seconds": seconds,
    }


def _games(records: list[GameRecord]) -> dict[str, float]:
    """What the finished games were like."""
    if not records:
        return {"games": 0}
    results = np.array([record.result for record in records])
    return {
        "games": len(records),
        "game_length": float(np.mean([len(record) for record in records])),
        "first_player_score": float((1 + results.mean()) / 2),
        "draws": float((results == 0).mean()),
    }
