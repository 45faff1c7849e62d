"""A tournament on disk: its plan, and every finished game, which is there for good before the next one ends.

plan.json     what is played; later plans may add players, and change nothing else
games.jsonl   a line per game, only ever appended to; a kill can tear the last line, which is then played again
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import msgspec

from tengen import games
from tengen.config import ConfigError
from tengen.files import try_lock, write_durably
from tengen.games import GameError
from tengen.play.tournament.plan import Entrant, Plan

__all__ = ["PlayedGame", "TournamentFolder", "open_folder"]

PLAN, GAMES, LOCK = "plan.json", "games.jsonl", ".lock"
FIXED = (
    "game",
    "games",
    "system",
    "gauntlet",
    "opening_plies",
    "openings",
    "clock",
    "seed",
)  # what a plan cannot change under its games


class PlayedGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished game of a pairing, as a line of the file."""

    first: str  # the pairing's
    second: str
    number: int  # even: `first` moved first
    opening: int  # random plies at the beginning
    moves: str  # as the game writes them, the opening included
    points: float  # of `first`
    date: str  # 2024-05-31
    forfeit: str | None = None  # why the loser lost, if not by the rules
    fault: bool = False  # a forfeit that was no resignation

    @property
    def sides(self) -> tuple[str, str]:
        """Who moved first, and who second."""
        return (self.first, self.second) if self.number % 2 == 0 else (self.second, self.first)

    @property
    def loser(self) -> str | None:
        return {0.0: self.first, 1.0: self.second}.get(self.points)


class TournamentFolder:
    """What has been played, and room for more."""

    def __init__(self, path: Path, plan: Plan, played: Sequence[PlayedGame], file: BinaryIO) -> None:
        self.path, self.plan, self._file = path, plan, file
        self.games = list(played)

    def numbers(self, first: str, second: str) -> set[int]:
        """Of the games that a pairing has finished."""
        return {game.number for game in self.games if (game.first, game.second) == (first, second)}

    def keep(self, finished: Sequence[PlayedGame]) -> None:
        """Games that will not be lost, whatever happens next. Raises OSError."""
        self._file.write(b"".join(msgspec.json.encode(game) + b"\n" for game in finished))
        self._file.flush()
        os.fsync(self._file.fileno())
        self.games += finished


@contextmanager
def open_folder(path: Path, plan: Plan) -> Iterator[TournamentFolder]:
    """The folder of a tournament, made if need be, for one process at a time. Raises ConfigError, OSError."""
    path.mkdir(parents=True, exist_ok=True)
    lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not try_lock(lock):
            raise ConfigError(f"another process plays the tournament in {path}")
        plan, played, good = _read_folder(path, plan)
        write_durably(path / PLAN, msgspec.json.format(msgspec.json.encode(plan)) + b"\n")
        with (path / GAMES).open("ab") as file:
            file.truncate(good)
            yield TournamentFolder(path, plan, played, file)
    finally:
        os.close(lock)


def _read_folder(path: Path, plan: Plan) -> tuple[Plan, list[PlayedGame], int]:
    """The plan to go on with, the games, and how many bytes of their file are whole lines."""
    if not (path / GAMES).exists() or not (data := (path / GAMES).read_bytes()):
        return plan, [], 0
    try:
        before = msgspec.json.decode((path / PLAN).read_bytes(), type=Plan)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path / PLAN}: not the plan of a tournament: {error}") from None
    good = data.rfind(b"\n") + 1
    # The order of those who played already stays, whatever the file's is now: it says who is a pairing's first.
    plan = _grown(before, plan, path)
    return plan, _read_games(path / GAMES, plan, data[:good]), good


def _grown(before: Plan, now: Plan, path: Path) -> Plan:
    """The plan before, with the players that are new now. Raises ConfigError where anything else has changed."""
    changes = [
        f"{key} is {getattr(now, key)!r} now and was {getattr(before, key)!r}"
        for key in FIXED
        if getattr(now, key) != getattr(before, key)
    ]
    players = {player.name: player for player in now.players}
    for old in before.players:
        new = players.pop(old.name, None)
        if new is None:
            changes.append(f"player {old.name!r} is gone")
        elif new != old:
            changes.append(f"player {old.name!r} is {_told(new)} now and was {_told(old)}")
    if changes:
        raise ConfigError(
            f"the plan has changed since the games in {path} were played: {'; '.join(changes[:3])}. Only new players "
            f"may be added; change it back, or choose another folder by --out"
        )
    return replace(before, players=(*before.players, *players.values()), anchor=now.anchor)


def _told(player: Entrant) -> str:
    return " ".join([repr(player.player), *player.settings])


def _read_games(file: Path, plan: Plan, data: bytes) -> list[PlayedGame]:
    """The games in whole lines of a file. Raises ConfigError, which names the first line that cannot be one."""
    game, pairings = games.make(plan.game), set(plan.pairings())
    found: dict[tuple[str, str, int], PlayedGame] = {}
    for place, line in enumerate(data.splitlines()):
        try:
            played = msgspec.json.decode(line, type=PlayedGame)
            game.from_moves(played.moves)
            key = played.first, played.second, played.number
            if key in found or key[:2] not in pairings or not 0 <= played.number < plan.games:
                raise ValueError("this game is not to be played, or was played before")
            if played.points not in (0, 0.5, 1):
                raise ValueError(f"points are {played.points}")
        except (ValueError, GameError) as error:
            raise ConfigError(f"{file}, line {place + 1} is damaged: {str(error)[:200]}") from None
        found[key] = played
    return list(found.values())
