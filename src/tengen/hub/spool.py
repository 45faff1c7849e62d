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

from tengen.files import move_durably, write_durably
from tengen.records import GameRecord, RecordError, decode_chunk, encode_chunk

__all__ = ["Spool"]


class Spool:
    """The folder of one lease. One process uses it at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._next = max([-1, *(int(path.stem[6:]) for path in self._pieces())]) + 1
        self._drop_joined()

    def _drop_joined(self) -> None:
        joined = {record.number for chunk in self.chunks() for record in self._games(chunk)}
        for piece in self._pieces():
            if joined & {record.number for record in self._games(piece)}:
                piece.unlink()

    def _games(self, path: Path) -> list[GameRecord]:
        """A file that this machine has damaged is put aside, and no reason to stop."""
        try:
            return decode_chunk(path.read_bytes())
        except RecordError as error:
            self.refuse(path, str(error))
            return []

    def add(self, records: list[GameRecord]) -> None:
        """Games are safe once this returns."""
        self.folder.mkdir(parents=True, exist_ok=True)  # whoever sends may have removed it when it was empty
        write_durably(self.folder / f"piece-{self._next:08}.games", encode_chunk(records))
        self._next += 1

    def join(self, seconds: float, enough: int) -> None:
        """Makes a chunk of the oldest pieces when there are `enough` of them, or the first is older than `seconds`."""
        pieces = self._pieces()[:enough]
        if not pieces or (len(pieces) < enough and 0 <= time.time() - pieces[0].stat().st_mtime < seconds):
            return
        if records := [record for piece in pieces for record in self._games(piece)]:
            data = encode_chunk(records)
            write_durably(self.folder / f"chunk-{hashlib.sha256(data).hexdigest()}.games", data)
        for piece in pieces:
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


def _stat(path: Path) -> tuple[float, int]:
    """When a file was written, and its size: nothing of one that was sent since it was seen."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0.0, 0
    return found.st_mtime, found.st_size
