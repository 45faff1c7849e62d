"""The chunks of a run: a folder of immutable files, each named by its place in the order and the hash of its bytes.

    00000000-5d41402a….games   00000001-7d793037….games   …

Nothing here deletes or rewrites a chunk; one that shall not count is moved into the folder `withdrawn`, and may come
back. A kill leaves at most a temporary file, which is no chunk.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path

from tengen.files import move_all_durably, write_durably
from tengen.records import GameRecord, Limits, RecordError, decode_chunk, encode_chunk

__all__ = ["ChunkStore", "digest_of"]

WITHDRAWN = "withdrawn"
_NAME = re.compile(r"(\d{8,})-([0-9a-f]{64})\.games")


class ChunkStore:
    """Appends chunks durably and reads them in order. One process writes at a time; any number may read."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.folder = folder
        self.limits = limits or Limits()
        folder.mkdir(parents=True, exist_ok=True)

    def append(self, records: Sequence[GameRecord]) -> Path:
        """Games become a chunk that survives a power cut once this returns."""
        return self.append_bytes(encode_chunk(records, self.limits))

    def append_bytes(self, data: bytes) -> Path:
        """Keeps a chunk that the caller has decoded, and so checked; one that is there already is not kept twice."""
        digest = hashlib.sha256(data).hexdigest()
        for _, known, path in _chunks(self.folder):
            if known == digest and _hash(path) == digest:
                return path
        return self.put(self.next_number(), digest, data)

    def put(self, number: int, digest: str, data: bytes) -> Path:
        """Keeps a chunk that is known to be new at a place that is known to be free: nothing is looked through."""
        path = self.folder / f"{number:08}-{digest}.games"
        write_durably(path, data)
        return path

    def next_number(self) -> int:
        """The first free place."""
        return max((number for number, _, _ in _chunks(self.folder)), default=-1) + 1

    def paths(self, before: int | None = None) -> list[Path]:
        """Every file that is named like a chunk, in order, damaged ones included; or those `before` a place."""
        return [path for number, _, path in _chunks(self.folder) if before is None or number < before]

    def read(
        self, report: Callable[[Path, str], None], paths: Sequence[Path] | None = None
    ) -> Iterator[tuple[Path, list[GameRecord]]]:
        """The chunks in order, or those of `paths`, each content once; `report` hears of files that are damaged or
        there twice, and why."""
        seen: set[str] = set()
        for path in self.paths() if paths is None else paths:
            digest = digest_of(path)
            try:
                if digest in seen:
                    raise RecordError("the same chunk is there twice; it counts once")
                records = self.load(path)
            except (RecordError, OSError) as error:
                report(path, str(error))
                continue
            seen.add(digest)
            yield path, records

    def withdraw(self, digests: Set[str]) -> None:
        """Chunks that shall not count are moved away. A kill may leave some of them: to be called again then."""
        self._move(self.folder, self.folder / WITHDRAWN, digests)

    def bring_back(self, digests: Set[str]) -> None:
        """The opposite: they count again, in their old places."""
        self._move(self.folder / WITHDRAWN, self.folder, digests)

    def _move(self, source: Path, target: Path, digests: Set[str]) -> None:
        if digests and source.is_dir():
            move_all_durably([path for _, digest, path in _chunks(source) if digest in digests], target)

    def load(self, path: Path) -> list[GameRecord]:
        """One of the chunks. Raises RecordError or OSError."""
        size = path.stat().st_size
        if size > self.limits.file_bytes:
            raise RecordError(f"a file of {size} bytes, more than the {self.limits.file_bytes} allowed")
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != digest_of(path):
            raise RecordError("the content is not what the name says: the file is damaged")
        return decode_chunk(data, self.limits)


def _chunks(folder: Path) -> list[tuple[int, str, Path]]:
    """Number, hash and path of each chunk, in order."""
    found = ((_NAME.fullmatch(path.name), path) for path in folder.iterdir())
    return sorted((int(name[1]), name[2], path) for name, path in found if name)


def digest_of(path: Path) -> str:
    """The hash that a chunk's name says its content has."""
    return path.stem.partition("-")[2]


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
