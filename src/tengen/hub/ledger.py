"""What a hub must remember beside the games themselves, in `hub.sqlite`: tokens, leases, releases, whose games.

Other processes may write here too (`tengen hub token revoke` while the hub runs), so nothing of it is cached.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tengen.elo import Pairing
from tengen.hub.protocol import LEASE_GAMES, LEASED, Manifest, RatingMatch

__all__ = ["Ledger", "Standing", "first_game", "lease_of"]

# What has to be done to a ledger, in order; its `user_version` says how many of these steps it has seen. A step that
# others have never changes: what comes later is a step of its own at the end. Semicolons only end statements.
MIGRATIONS = (
    """
CREATE TABLE IF NOT EXISTS tokens (
  name TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, created REAL NOT NULL, revoked REAL);
CREATE TABLE IF NOT EXISTS leases (id INTEGER PRIMARY KEY AUTOINCREMENT, worker TEXT NOT NULL, created REAL NOT NULL);
CREATE TABLE IF NOT EXISTS releases (version INTEGER PRIMARY KEY AUTOINCREMENT, manifest BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS chunks (
  sha256 TEXT PRIMARY KEY, worker TEXT NOT NULL, games INTEGER NOT NULL, time REAL NOT NULL,
  withdrawn INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_of ON chunks (worker, withdrawn);
CREATE TABLE IF NOT EXISTS games (number INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS workers (
  name TEXT PRIMARY KEY, games INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0,
  checked INTEGER NOT NULL DEFAULT 0, doubt REAL NOT NULL DEFAULT 0, barred TEXT);
CREATE TABLE IF NOT EXISTS matches (
  id INTEGER PRIMARY KEY AUTOINCREMENT, first TEXT NOT NULL, second TEXT NOT NULL, match BLOB NOT NULL,
  worker TEXT, taken REAL, points REAL, games INTEGER);
""",
    # Options that are gone (selfplay.side_positions and cut_share), in the settings of earlier releases.
    """
UPDATE releases SET manifest = CAST(
  json_remove(CAST(manifest AS TEXT), '$.selfplay.side_positions', '$.selfplay.cut_share') AS BLOB);
""",
)
MATCH_SECONDS = 600.0  # after which a rating match that did not come back is given to another


@dataclass(frozen=True)
class Standing:
    """What is thought of a worker."""

    games: int = 0  # accepted
    refused: int = 0  # chunks
    checked: int = 0  # plies that were searched again
    doubt: float = 0.0  # how far those were off, summed up
    barred: str | None = None  # why nothing more is taken from it


class Ledger:
    """One writer per process at a time; every change is on disk when its method returns."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(path, timeout=10, check_same_thread=False, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._migrate(path)

    def _migrate(self, path: Path) -> None:
        """Ledgers of before there were versions have the first step's tables, and 0 as their version."""
        with self.transaction():  # another process may be doing the same
            ((version,),) = self._connection.execute("PRAGMA user_version").fetchall()
            if version > len(MIGRATIONS):
                raise sqlite3.DatabaseError(f"version {version} of {path.name} is a newer Tengen's")
            for step in MIGRATIONS[version:]:
                for statement in step.split(";"):
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _write(self, statement: str, *values: object) -> sqlite3.Cursor:
        with self._lock:
            return self._connection.execute(statement, values)

    def _read(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    # Tokens

    def add_token(self, name: str, digest: str, scopes: str) -> bool:
        """False if there is one of that name."""
        try:
            self._write("INSERT INTO tokens VALUES (?, ?, ?, ?, NULL)", name, digest, scopes, time.time())
        except sqlite3.IntegrityError:
            return False
        return True

    def token(self, digest: str) -> tuple[str, str] | None:
        """Name and scopes of a token that is not revoked."""
        rows = self._read("SELECT name, scopes FROM tokens WHERE hash = ? AND revoked IS NULL", digest)
        return (str(rows[0][0]), str(rows[0][1])) if rows else None

    def tokens(self) -> list[tuple[object, ...]]:
        """Name, scopes, when created, when revoked."""
        return self._read("SELECT name, scopes, created, revoked FROM tokens ORDER BY created")

    def revoke(self, name: str) -> bool:
        """False if there is none of that name."""
        return (
            self._write("UPDATE tokens SET revoked = ifnull(revoked, ?) WHERE name = ?", time.time(), name).rowcount > 0
        )

    # Leases and releases

    def add_lease(self, worker: str) -> tuple[int, int]:
        """A lease that never was before: its id and the number of its first game."""
        id = self._write("INSERT INTO leases (worker, created) VALUES (?, ?)", worker, time.time()).lastrowid
        assert id is not None
        self.count(worker)
        return id, first_game(id)

    def holder(self, lease: int) -> str | None:
        """Whose lease it is."""
        rows = self._read("SELECT worker FROM leases WHERE id = ?", lease)
        return str(rows[0][0]) if rows else None

    def add_release(self, manifest: Manifest) -> Manifest:
        """Numbers a release."""
        with self.transaction():
            version = self._write("INSERT INTO releases (manifest) VALUES (x'')").lastrowid
            assert version is not None
            numbered = msgspec.structs.replace(manifest, version=version)
            self._write("UPDATE releases SET manifest = ? WHERE version = ?", msgspec.json.encode(numbered), version)
        return numbered

    def releases(self) -> list[Manifest]:
        rows = self._read("SELECT manifest FROM releases ORDER BY version")
        return [msgspec.json.decode(str_or_bytes(row[0]), type=Manifest) for row in rows]

    # Chunks

    def add_chunk(self, sha256: str, worker: str, numbers: Iterable[int]) -> None:
        """To be called within a transaction. Raises ValueError when one of the games is known already."""
        rows = [(number,) for number in numbers]
        try:
            with self._lock:
                self._connection.executemany("INSERT INTO games VALUES (?)", rows)
        except sqlite3.IntegrityError:
            raise ValueError("a game of this number is there already") from None
        self._write("INSERT INTO chunks VALUES (?, ?, ?, ?, 0)", sha256, worker, len(rows), time.time())
        self.count(worker, games=len(rows))

    def chunk_of(self, sha256: str) -> str | None:
        """Whose chunk it is."""
        rows = self._read("SELECT worker FROM chunks WHERE sha256 = ?", sha256)
        return str(rows[0][0]) if rows else None

    def known_chunks(self) -> set[str]:
        return {str(row[0]) for row in self._read("SELECT sha256 FROM chunks")}

    def to_withdraw(self) -> dict[str, str]:
        """Chunks of barred workers that are still in use, and whose they are."""
        # Asked several times a second: CROSS makes SQLite look at the few workers first, not at all chunks.
        query = "SELECT sha256, worker FROM workers CROSS JOIN chunks ON worker = name WHERE barred NOT NULL"
        return {str(sha256): str(worker) for sha256, worker in self._read(query + " AND withdrawn = 0")}

    def withdraw(self, sha256: str) -> None:
        self._write("UPDATE chunks SET withdrawn = 1 WHERE sha256 = ?", sha256)

    # Rating matches

    def add_match(self, match: RatingMatch) -> None:
        """Numbers a match, and gives it openings of its own."""
        with self.transaction():
            names = (match.first.name, match.second.name)
            id = self._write("INSERT INTO matches (first, second, match) VALUES (?, ?, x'')", *names).lastrowid
            assert id is not None
            numbered = msgspec.structs.replace(match, id=id, seed=match.seed + id)
            self._write("UPDATE matches SET match = ? WHERE id = ?", msgspec.json.encode(numbered), id)

    def take_match(self, worker: str) -> RatingMatch | None:
        """The oldest match that is still to be played."""
        now = time.time()
        query = "SELECT id, match FROM matches WHERE points IS NULL AND ifnull(taken, 0) < ? ORDER BY id LIMIT 1"
        with self.transaction():
            rows = self._read(query, now - MATCH_SECONDS)
            if not rows:
                return None
            self._write("UPDATE matches SET worker = ?, taken = ? WHERE id = ?", worker, now, rows[0][0])
        return msgspec.json.decode(str_or_bytes(rows[0][1]), type=RatingMatch)

    def match(self, id: int) -> RatingMatch | None:
        rows = self._read("SELECT match FROM matches WHERE id = ?", id)
        return msgspec.json.decode(str_or_bytes(rows[0][0]), type=RatingMatch) if rows else None

    def finish_match(self, worker: str, id: int, points: float, games: int) -> None:
        """Counts once, from whom it was given to last."""
        statement = "UPDATE matches SET points = ?, games = ? WHERE id = ? AND worker = ? AND points IS NULL"
        self._write(statement, points, games, id, worker)

    def drop_open_matches(self) -> None:
        self._write("DELETE FROM matches WHERE points IS NULL")

    def match_results(self) -> list[Pairing]:
        """Without those of barred workers."""
        rows = self._read(
            "SELECT first, second, sum(points), sum(matches.games) FROM matches JOIN workers ON name = worker "
            "WHERE points NOT NULL AND barred IS NULL GROUP BY first, second ORDER BY min(id)"
        )
        return [Pairing(*row) for row in rows]  # type: ignore[arg-type]

    # Workers

    def count(self, worker: str, *, games: int = 0, refused: int = 0, checked: int = 0) -> None:
        changes = "games = games + ?, refused = refused + ?, checked = checked + ?"
        self._write("INSERT OR IGNORE INTO workers (name) VALUES (?)", worker)
        self._write(f"UPDATE workers SET {changes} WHERE name = ?", games, refused, checked, worker)

    def set_doubt(self, worker: str, doubt: float) -> None:
        self._write("UPDATE workers SET doubt = ? WHERE name = ?", doubt, worker)

    def bar(self, worker: str, reason: str | None) -> bool:
        """Nothing more is taken from a worker, and what it sent is withdrawn; None: it is trusted again from now on.
        False if nobody of that name has ever played."""
        statement = "UPDATE workers SET barred = ?, doubt = 0, refused = 0 WHERE name = ?"
        return self._write(statement, reason, worker).rowcount > 0

    def standing(self, worker: str) -> Standing:
        rows = self._read("SELECT games, refused, checked, doubt, barred FROM workers WHERE name = ?", worker)
        return Standing(*rows[0]) if rows else Standing()  # type: ignore[arg-type]

    def standings(self) -> dict[str, Standing]:
        rows = self._read("SELECT name, games, refused, checked, doubt, barred FROM workers ORDER BY name")
        return {str(name): Standing(*standing) for name, *standing in rows}  # type: ignore[arg-type]


def first_game(lease: int) -> int:
    """The number of a lease's first game."""
    return LEASED + lease * LEASE_GAMES


def lease_of(number: int) -> int:
    """The lease that a game's number belongs to."""
    return (number - LEASED) // LEASE_GAMES


def str_or_bytes(value: object) -> str | bytes:
    assert isinstance(value, str | bytes)
    return value
