"""Other programs that pages play against: chosen by name, kept between the moves of a game, only a few at once.

A program belongs to the WebSocket that asked for it. It ends with it, after some minutes without a question, when
others need its place, and with the app. Everything but `kill` is called on the event loop; what waits for a program
runs in threads.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from tengen.app.errors import AppError
from tengen.app.threads import in_thread
from tengen.games import Game, State
from tengen.play.outside.named import engines_for
from tengen.play.outside.opponent import OutsidePlayer
from tengen.play.players import Forfeit, PlayerError, make_player

__all__ = ["Engines", "engine_names"]

PREFIX = "engine:"
MOST_ENGINES = 4  # of all pages; the rest is told to come back
IDLE_SECONDS = 300.0
LOOK_SECONDS = 10.0  # between two looks for idle ones
LONGEST_REASON = 160  # characters


def engine_names(game: Game) -> list[str]:
    """Those of the user's own file; none while there are mistakes in it, which `tengen app` tells when it starts."""
    try:
        return engines_for(game)
    except PlayerError:
        return []


class Engines:
    """All that are kept."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(2 * MOST_ENGINES, "tengen-app-engine")  # some think while others end
        self._kept: list[_Kept] = []

    async def choose(self, page: object, player: str, state: State) -> int | None:
        """An engine's move for a page; None: it resigns. Raises AppError. One that failed is started anew next time."""
        kept, leaving = self._take(page, player.removeprefix(PREFIX), state.game)
        try:
            if leaving:
                await self._end(leaving)
            return await in_thread(self._threads, lambda: kept.choose(state), kept.stop)
        except AppError:
            await self._end(kept)
            raise
        finally:
            kept.busy, kept.used = False, time.monotonic()

    async def leave(self, page: object) -> None:
        """The page is gone, and asks for nothing now."""
        await self._end_all([kept for kept in self._kept if kept.page is page])

    async def end_idle(self) -> None:
        """Runs as long as the app."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            too_old = time.monotonic() - IDLE_SECONDS
            await self._end_all([kept for kept in self._kept if kept.used < too_old])

    async def close(self) -> None:
        for kept in self._kept:
            kept.stop()
        await self._end_all(self._kept)
        self._threads.shutdown()

    def kill(self) -> None:
        """Ends them all before the app exits without waiting for anything."""
        for kept in list(self._kept):
            with suppress(RuntimeError):  # it has been closed already
                kept.close()

    def _take(self, page: object, name: str, game: Game) -> tuple[_Kept, _Kept | None]:
        """The page's own, or a new one; and whom it takes the place of."""
        for kept in self._kept:
            if not kept.busy and (kept.page, kept.name, kept.game) == (page, name, game.id):
                kept.busy = True
                return kept, None
        leaving = None
        if len(self._kept) >= MOST_ENGINES:
            leaving = min((kept for kept in self._kept if not kept.busy), key=lambda kept: kept.used, default=None)
            if leaving is None:
                message = f"{MOST_ENGINES} other programs are at work already; try again in a moment"
                raise AppError("too_busy", message, most=MOST_ENGINES)
            leaving.busy = True
        taken = _Kept(page, name, game.id)
        self._kept.append(taken)
        return taken, leaving

    async def _end_all(self, kept: list[_Kept]) -> None:
        await asyncio.gather(*(self._end(each) for each in kept if not each.busy))

    async def _end(self, kept: _Kept) -> None:
        kept.busy = True  # nobody else takes or ends it
        try:
            await in_thread(self._threads, kept.close, kept.stop)
        finally:
            self._kept.remove(kept)


@dataclass(eq=False)
class _Kept:
    """One program for one page and game."""

    page: object
    name: str
    game: str  # its id
    player: OutsidePlayer | None = None  # once it was asked
    busy: bool = True
    used: float = 0.0  # when it was asked last

    def choose(self, state: State) -> int | None:
        if self.player is None:
            self.player = _find(self.name, state.game)
        chosen = self.player.act_many([state], [0])[0]
        if not isinstance(chosen, Forfeit):
            return chosen
        if not chosen.fault:
            return None
        reason = _shown(chosen.reason)
        raise AppError("engine_failed", f"{self.name} failed: {reason}", engine=self.name, reason=reason)

    def stop(self) -> None:
        if self.player:
            self.player.stop()

    def close(self) -> None:
        if self.player:
            self.player.close()


def _find(name: str, game: Game) -> OutsidePlayer:
    """By a name of the list that pages see; what else is in the user's file is not told."""
    with suppress(PlayerError):  # the file has changed this very moment
        if name in engine_names(game):
            player = make_player(f"{PREFIX}{name}", game)
            assert isinstance(player, OutsidePlayer)
            return player
    raise AppError("unknown_player", f"there is no engine {name!r} for {game.id}", player=name)


def _shown(reason: str) -> str:
    """One short line: engines write what they like, and their last words are part of it."""
    return "".join(char if char.isprintable() else "?" for char in reason)[:LONGEST_REASON]
