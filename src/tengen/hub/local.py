"""Self-play in the learner's own process: one player, no wire. Same seed, same games."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tengen.files import write_durably
from tengen.hub.player import COUNTED, ReleasePlayer
from tengen.hub.protocol import Release
from tengen.net.cpu import usable_cores
from tengen.play.elo import Pairing
from tengen.records import GameRecord
from tengen.records.selfplay import Counts
from tengen.records.store import ChunkStore
from tengen.run.folder import RunDirectory

__all__ = ["LocalHub", "playing_threads"]

SHOWN = 16  # games under way that can be watched


def playing_threads() -> int:
    """Self-play's half of the cores; one core is for whoever's turn it is."""
    return max(1, usable_cores() - usable_cores() // 2)


class LocalHub:
    """Plays while the loop gathers, on half of the cores: the learner has the others."""

    def __init__(self, run: RunDirectory, first_game: int, device: str = "auto") -> None:
        self.threads = playing_threads()
        self._run, self._store = run, ChunkStore(run.games)
        self._first_game, self._device = first_game, device
        self._players: dict[str, ReleasePlayer] = {}  # by game: games of other sizes wait for their turn
        self._playing = ""
        self._shown = 0.0  # when games under way were last written down

    def publish(self, release: Release) -> None:
        self._playing = release.manifest.game
        if self._playing not in self._players:
            player = ReleasePlayer(self._first_game, device=self._device, threads=self.threads)
            self._players[self._playing] = player
        self._players[self._playing].take_up(release)

    def gather(self, done: Callable[[Counts], bool]) -> list[GameRecord]:
        def watched(_: Counts) -> bool:
            self._show()
            return done(self.counts())

        records = self._players[self._playing].play(watched)
        if records:
            self._store.append(records)
        return records

    def counts(self) -> Counts:
        played = [player.counts() for player in self._players.values()]
        return {name: sum(counts[name] for counts in played) for name in COUNTED}

    def workers(self) -> int | None:
        return None

    def news(self) -> list[str]:
        return []

    def withdrawn(self) -> list[Path] | None:
        return None

    def rate(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Nobody else is there: what the loop measures itself is all."""

    def rated(self) -> list[Pairing]:
        return []

    def finish(self) -> None:
        """Nobody else plays."""

    def close(self) -> None:
        """Games under way are lost; no others."""

    def _show(self) -> None:
        """Some games as they stand, once a second. Training does not need them: a full disk is told by what it does."""
        if time.monotonic() - self._shown < 1:
            return
        self._shown = time.monotonic()
        with suppress(OSError):
            games = [{"game": self._playing, **game} for game in self._players[self._playing].under_way(SHOWN)]
            write_durably(self._run.live, json.dumps(games).encode())
