"""What a player has finished and not got rid of yet, on its disk: a kill loses none of it.

    piece-00000007.games      a second or so of games      ─┐ joined when there are enough of them, or they are old
    piece-00000008.games                                   ─┴▶ chunk-SHA256.games ─▶ the hub ─▶ deleted
    refused/chunk-….games     what the hub would not have, and why (.txt)

Pieces are deleted when their chunk is on disk, and a chunk is sent when its pieces are gone. So a kill in between
leaves pieces whose games are in a chunk, and nothing else can be there twice.
"""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from tengen.files import move_durably, remove_leftovers, write_durably
from tengen.hub.validate import STRANGERS
from tengen.records import GameRecord, Limits, RecordError, decode_chunk, encode_chunk
from tengen.records.record import PER_ENTRY, PER_GAME, PER_PLY

__all__ = ["Spool"]

GAME_BYTES, PLY_BYTES, ENTRY_BYTES = (
    sum(dtype.itemsize for dtype in unit.values()) for unit in (PER_GAME, PER_PLY, PER_ENTRY)
)


class Spool:
    """The folder of one lease. One process uses it at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
        self._next = max([-1, *(int(path.stem[6:]) for path in self._pieces())]) + 1
        self._drop_joined()

    def _drop_joined(self) -> None:
        joined = {record.number for chunk in self.chunks() for record in self._games(chunk)}
        for piece in self._pieces():
            if joined & {record.number for record in self._games(piece)}:
                piece.unlink()

    def _games(self, path: Path) -> list[GameRecord]:
        """A file that this machine has damaged, or written with an older Tengen, is put aside: no reason to stop."""
        try:
            return decode_chunk(path.read_bytes(), Limits(old_formats=False))
        except RecordError as error:
            self.refuse(path, str(error))
            return []

    def add(self, records: list[GameRecord]) -> None:
        """Games are safe once this returns."""
        self.folder.mkdir(parents=True, exist_ok=True)  # whoever sends may have removed it when it was empty
        while records:
            some = records[: _how_many_fit(records)]
            write_durably(self.folder / f"piece-{self._next:08}.games", encode_chunk(some))
            self._next += 1
            records = records[len(some) :]

    def join(self, seconds: float, enough: int) -> None:
        """Makes chunks of the oldest pieces while there are `enough` of them, or the first is older than `seconds`."""
        while pieces := self._pieces()[:enough]:
            if len(pieces) < enough and 0 <= time.time() - pieces[0].stat().st_mtime < seconds:
                return
            self._join(pieces)

    def _join(self, pieces: list[Path]) -> None:
        """One chunk of the first pieces, as many as fit."""
        records: list[GameRecord] = []
        joined: list[Path] = []
        for piece in pieces:
            more = [*records, *self._games(piece)]
            if joined and _how_many_fit(more) < len(more):
                break
            records, joined = more, [*joined, piece]
        if records:
            data = encode_chunk(records)
            write_durably(self.folder / f"chunk-{hashlib.sha256(data).hexdigest()}.games", data)
        for piece in joined:
            piece.unlink(missing_ok=True)

    def chunks(self) -> list[Path]:
        """What waits to be sent, oldest first."""
        return sorted(self.folder.glob("chunk-*.games"), key=lambda path: _stat(path)[0])

    def sent(self, chunk: Path) -> None:
        chunk.unlink()

    def refuse(self, chunk: Path, reason: str) -> None:
        """Kept for whoever wants to know what went wrong."""
        folder = self.folder / "refused"
        move_durably(chunk, folder / chunk.name)
        (folder / chunk.name).with_suffix(".txt").write_text(reason + "\n", "utf-8")

    def nbytes(self) -> int:
        """To be asked by any thread."""
        return sum(_stat(path)[1] for path in [*self._pieces(), *self.chunks()])

    def remove_if_empty(self) -> None:
        """A lease that is over and all of whose games are sent leaves nothing behind."""
        try:
            self.folder.rmdir()
        except OSError:
            return

    def _pieces(self) -> list[Path]:
        return sorted(self.folder.glob("piece-*.games"))


def _how_many_fit(records: list[GameRecord]) -> int:
    """How many of some games, at least one, make a chunk that is well below what hubs take."""
    games = plies = size = 0
    most = (STRANGERS.games // 4, STRANGERS.plies // 4, STRANGERS.body_bytes // 4)
    for record in records:
        games, plies = games + 1, plies + len(record)
        size += GAME_BYTES + PLY_BYTES * len(record) + ENTRY_BYTES * len(record.actions)
        if any(number > limit for number, limit in zip((games, plies, size), most, strict=True)):
            return max(1, games - 1)
    return games


def _stat(path: Path) -> tuple[float, int]:
    """When a file was written, and its size: nothing of one that was sent since it was seen."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0.0, 0
    return found.st_mtime, found.st_size
