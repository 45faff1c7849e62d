"""Self-play in the learner's own process: one player, no wire. Same seed, same games."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tengen import games
from tengen.chunks import ChunkStore
from tengen.evaluator import make_evaluator
from tengen.hub.protocol import Manifest, Release
from tengen.network import NetworkFile
from tengen.records import GameRecord
from tengen.rundir import RunDirectory
from tengen.selfplay import Actor, Counts

__all__ = ["LocalHub"]

SHOWN = 16  # games under way that can be watched


class LocalHub:
    """Plays while the loop gathers; with `overlap` on half of the cores, the learner has the others."""

    def __init__(self, run: RunDirectory, first_game: int, device: str = "auto") -> None:
        self._run, self._device = run, device
        self._loop = run.config().loop
        cores = self._loop.threads or len(os.sched_getaffinity(0))
        self.threads = max(1, cores - max(1, cores // 2)) if self._loop.overlap else cores
        self._store = ChunkStore(run.games)
        self._next_game = first_game
        self._earlier: Counts = {}  # of actors that are no more
        self._actor: Actor | None = None
        self._playing: Manifest | None = None
        self._shown = 0.0  # when games under way were last written down

    def publish(self, release: Release) -> None:
        manifest, game = release.manifest, games.make(release.manifest.game)
        before, self._playing = self._playing, manifest
        if self._actor is None or before is None or before.configs() != manifest.configs():
            self._earlier = self.counts()
            self._actor = Actor(
                game,
                *manifest.configs(),
                slots=manifest.slots,
                seed=manifest.seed,
                threads=self.threads,
                first_game=self._next_game,
                groups=self._loop.groups,
            )
        network = NetworkFile.parse(release.data, "self-play network")
        self._actor.set_evaluator(make_evaluator(network, game, self._device, self.threads), manifest.network)

    def gather(self, done: Callable[[Counts], bool]) -> list[GameRecord]:
        assert self._actor is not None, "nothing was published"

        def watched(_: Counts) -> bool:
            self._show()
            return done(self.counts())

        records = self._actor.play(watched)
        if records:
            self._store.append(records)
            self._next_game = max(self._next_game, *(record.number + 1 for record in records))
        return records

    def counts(self) -> Counts:
        now = self._actor.counts() if self._actor else dict.fromkeys(COUNTED, 0)
        return {name: count + self._earlier.get(name, 0) for name, count in now.items()}

    def facts(self) -> dict[str, float]:
        return {}

    def withdrawn(self) -> list[Path] | None:
        return None

    def close(self) -> None:
        """Games under way are lost; no others."""

    def _show(self) -> None:
        """Some games as they stand, once a second. Training does not need them: a full disk is told by what it does."""
        if self._actor is None or time.monotonic() - self._shown < 1:
            return
        self._shown = time.monotonic()
        with suppress(OSError):
            draft = self._run.live.with_suffix(".new")
            draft.write_text(json.dumps(self._actor.under_way(SHOWN)), "utf-8")
            draft.replace(self._run.live)


COUNTED = ("games", "moves", "full_searches", "simulations", "evaluations", "duplicates", "batches")
