"""The file `hub.sqlite`: its tables, how older ones become like them, and what happens when it cannot be had.

Other processes write here too. When one keeps the file to itself, every method raises `DatabaseBusyError` within a few
seconds, and nothing has changed: asking again is right. Other errors are `sqlite3.Error`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["MIGRATIONS", "DatabaseBusyError", "HubDatabase"]

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
    # Holding workers, going back before one, and what the referee finds out.
    """
ALTER TABLE workers ADD COLUMN held TEXT;
ALTER TABLE workers ADD COLUMN refused_lately REAL NOT NULL DEFAULT 0;  -- as of the moment beside it
ALTER TABLE workers ADD COLUMN refused_at REAL NOT NULL DEFAULT 0;
ALTER TABLE releases ADD COLUMN step INTEGER NOT NULL DEFAULT 0;  -- of the learner, 0 if not known
ALTER TABLE chunks ADD COLUMN version INTEGER NOT NULL DEFAULT 0;  -- the newest release when it came, 0 if not known
ALTER TABLE matches ADD COLUMN lease INTEGER;
ALTER TABLE leases ADD COLUMN version INTEGER NOT NULL DEFAULT 0;  -- of the release, 0 if not known
CREATE INDEX leases_of ON leases (worker, created);
ALTER TABLE workers ADD COLUMN unseen INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workers ADD COLUMN trusted_at REAL NOT NULL DEFAULT 0;
CREATE TABLE evidence (worker TEXT PRIMARY KEY, found BLOB NOT NULL);
CREATE TABLE tallies (id INTEGER PRIMARY KEY, network TEXT NOT NULL, worker TEXT NOT NULL, tally BLOB NOT NULL);
""",
    # Options that were retired or have another name (tengen/retired.py), in the settings of earlier releases.
    """
UPDATE releases SET manifest = CAST(json_set(CAST(manifest AS TEXT), '$.search.rule', 'gumbel') AS BLOB)
  WHERE json_extract(CAST(manifest AS TEXT), '$.search.root') = 'gumbel';
UPDATE releases SET manifest = CAST(json_set(CAST(manifest AS TEXT), '$.search.c_init',
    json_extract(CAST(manifest AS TEXT), '$.search.c_ucb')) AS BLOB)
  WHERE json_extract(CAST(manifest AS TEXT), '$.search.rule') = 'ucb1';
UPDATE releases SET manifest = CAST(json_set(CAST(manifest AS TEXT), '$.selfplay.label_nodes',
    json_extract(CAST(manifest AS TEXT), '$.selfplay.prove_nodes')) AS BLOB)
  WHERE json_extract(CAST(manifest AS TEXT), '$.selfplay.prove_nodes') IS NOT NULL;
UPDATE releases SET manifest = CAST(json_remove(CAST(manifest AS TEXT), '$.search.c_ucb', '$.search.early_stop',
  '$.search.forced_playouts', '$.search.gumbel_c_scale', '$.search.gumbel_c_visit', '$.search.gumbel_m',
  '$.search.gumbel_scale', '$.search.lcb', '$.search.lcb_share', '$.search.lcb_z', '$.search.memory_mb',
  '$.search.noise_total', '$.search.root', '$.search.symmetry', '$.search.target_pruning',
  '$.search.target_temperature', '$.selfplay.fresh_trees', '$.selfplay.prove_nodes',
  '$.selfplay.resign_checked') AS BLOB);
UPDATE matches SET match = CAST(json_remove(CAST(match AS TEXT), '$.search.c_ucb', '$.search.early_stop',
  '$.search.forced_playouts', '$.search.gumbel_c_scale', '$.search.gumbel_c_visit', '$.search.gumbel_m',
  '$.search.gumbel_scale', '$.search.lcb', '$.search.lcb_share', '$.search.lcb_z', '$.search.memory_mb',
  '$.search.noise_total', '$.search.root', '$.search.symmetry', '$.search.target_pruning',
  '$.search.target_temperature') AS BLOB);
""",
)
BUSY_SECONDS = 3.0  # to wait for another process, and for another thread of this one


class DatabaseBusyError(sqlite3.OperationalError):
    """Somebody else has the file to itself for longer than a request should wait."""


class HubDatabase:
    """One connection, which the threads of this process use in turn."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._migrate(path)
        except BaseException:
            self._connection.close()
            raise

    def _migrate(self, path: Path) -> None:
        """Ledgers of before there were versions have the first step's tables, and 0 as their version."""
        with self.transaction():  # another process may be doing the same
            ((version,),) = self._read("PRAGMA user_version")
            if version > len(MIGRATIONS):
                raise sqlite3.DatabaseError(f"version {version} of {path.name} is a newer Tengen's")
            for step in MIGRATIONS[version:]:
                for statement in step.split(";"):
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def check(self) -> None:
        """Looks through all of it for damage. Raises sqlite3.DatabaseError."""
        ((found,),) = self._read("PRAGMA quick_check(1)")
        if found != "ok":
            raise sqlite3.DatabaseError(str(found).splitlines()[-1])

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """This thread alone uses the connection. Whoever waits for a locked file keeps the others waiting, but not one
        after the other: each gives up on its own."""
        if not self._lock.acquire(timeout=BUSY_SECONDS):
            raise DatabaseBusyError("hub.sqlite is busy")
        try:
            yield self._connection
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise DatabaseBusyError("hub.sqlite is busy") from None
            raise
        finally:
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        with self.alone() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # SQLite rolls back itself when the disk is full
                    connection.execute("ROLLBACK")
                raise

    def _write(self, statement: str, *values: object) -> sqlite3.Cursor:
        with self.alone() as connection:
            return connection.execute(statement, values)

    def _read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self.alone() as connection:
            return connection.execute(query, values).fetchall()
