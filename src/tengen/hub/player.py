"""Whoever plays, wherever: takes up releases and hands out finished games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tengen import games
from tengen.hub.protocol import Manifest, Release
from tengen.net.evaluator import make_evaluator
from tengen.net.file import NetworkFile
from tengen.records import GameRecord
from tengen.records.selfplay import Actor, Counts

__all__ = ["ReleasePlayer"]

COUNTED = ("games", "moves", "positions", "simulations", "evaluations", "duplicates", "batches")


class ReleasePlayer:
    """Self-play that follows a run's releases; its games are numbered from `first_game` on."""

    def __init__(self, first_game: int, *, device: str = "auto", threads: int = 0) -> None:
        self._next_game, self._device, self._threads = first_game, device, threads
        self._actor: Actor | None = None
        self._earlier: Counts = dict.fromkeys(COUNTED, 0)  # of actors that are no more
        self.playing: Manifest | None = None

    def take_up(self, release: Release) -> None:
        """Plays with a release from now on, also in games under way, unless those would have to be searched otherwise:
        then they are given up."""
        manifest, game = release.manifest, games.make(release.manifest.game)
        if manifest == self.playing:
            return
        network = NetworkFile.parse(release.data, f"release {manifest.version}")
        evaluator = make_evaluator(network, game, self._device, self._threads)
        if self._actor is None or self.playing is None or self.playing.configs() != manifest.configs():
            self._earlier = self.counts()
            self._actor = Actor(
                game,
                *manifest.configs(),
                slots=manifest.slots,
                seed=manifest.seed,
                threads=self._threads,
                first_game=self._next_game,
            )
        self._actor.set_evaluator(evaluator, manifest.network)
        self.playing = manifest

    def play(self, done: Callable[[Counts], bool]) -> list[GameRecord]:
        """Plays until `done`, asked after every batch, and hands out what was finished."""
        assert self._actor is not None, "no release was taken up"
        records = self._actor.play(lambda _: done(self.counts()))
        self._next_game = max([self._next_game, *(record.number + 1 for record in records)])
        return records

    def stop(self) -> None:
        """Makes a `play` under way in another thread ask `done` soon."""
        if self._actor:
            self._actor.stop()

    def counts(self) -> Counts:
        """Totals since the beginning."""
        now = self._actor.counts() if self._actor else {}
        return {name: count + now.get(name, 0) for name, count in self._earlier.items()}

    def under_way(self, most: int) -> list[dict[str, Any]]:
        """Some of the games being played, as `Actor.under_way` has them."""
        return self._actor.under_way(most) if self._actor else []
