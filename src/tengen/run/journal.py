"""Who keeps the events of a run: `run.sqlite`, TensorBoard files, a bounded memory.

Training tells its events to one listener and needs none of them again: whatever goes wrong here is a warning.

>>> from tengen.run.events import Warned
>>> heard = []
>>> listen = fan_out(heard.append, History())
>>> listen(Warned(3, 0.5, reason="an example"))
>>> heard[0].reason
'an example'
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tengen.run.events import Event, Listener, Released, TurnTaken, read_event

__all__ = ["History", "RunDatabase", "TensorBoard", "fan_out", "first_told", "read_events"]

VERSION = 1  # of run.sqlite
_TABLE = """CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY, time REAL NOT NULL, step INTEGER NOT NULL, minutes REAL NOT NULL, kind TEXT NOT NULL,
  "values" TEXT NOT NULL)"""


Warn = Callable[[str], None]


def fan_out(*listeners: Listener) -> Listener:
    """One listener that tells all of them, in order."""

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return tell


class History:
    """The events of a run in memory, bounded: the older turns are, the fewer of them are kept.

    The first and the latest turns stay whole, because they are compared; releases are thinned like turns.
    """

    FIRST, LAST, MOST = 50, 500, 2000

    def __init__(self, events: Sequence[Event] = ()) -> None:
        self.events: list[Event] = []
        for event in events:
            self(event)

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        if len(self.events) > self.MOST:
            middle = self.events[self.FIRST : -self.LAST]
            frequent = (TurnTaken, Released)
            kept = [each for place, each in enumerate(middle) if not isinstance(each, frequent) or place % 2]
            self.events[self.FIRST : -self.LAST] = kept


class RunDatabase:
    """Writes every event into a table of SQLite, where others may read while training goes on (WAL)."""

    def __init__(self, path: Path, warn: Warn) -> None:
        self._path = path
        self._warn: Warn | None = warn  # None once it was used
        self._connection: sqlite3.Connection | None = None

    def __call__(self, event: Event) -> None:
        try:
            if self._connection is None:
                self._connection = _open_for_writing(self._path)
            with self._connection:
                self._connection.execute(
                    'INSERT INTO events (time, step, minutes, kind, "values") VALUES (?, ?, ?, ?, ?)',
                    (event.time, event.step, event.minutes, event.kind, json.dumps(event.values())),
                )
        except (sqlite3.Error, OSError) as error:
            # Tried again at the next event: the disk may have room then, or whoever locked the file be gone.
            self.close()
            if self._warn is not None:
                warn, self._warn = self._warn, None
                warn(f"{self._path}: {error}; training goes on, its curves are not kept")

    def close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def _open_for_writing(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=1)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        ((version,),) = connection.execute("PRAGMA user_version").fetchall()  # 0 where there was none yet
        if version > VERSION:
            raise sqlite3.DatabaseError(f"version {version}, which a newer Tengen wrote")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        return connection
    except sqlite3.Error:
        connection.close()
        raise


def read_events(path: Path, after: int = 0) -> list[Event]:
    """The events in a database with an id above `after`, in order. Raises OSError or sqlite3.Error."""
    path.stat()  # its error says what is wrong; SQLite's does not
    try:
        rows = _select(path, "mode=ro", after)
    except sqlite3.OperationalError:
        # A folder that is not writable cannot hold SQLite's files for sharing. Then nobody writes, none are needed.
        rows = _select(path, "mode=ro&immutable=1", after)
    try:
        return [read_event(kind, step, minutes, time, json.loads(text)) for kind, step, minutes, text, time in rows]
    except (ValueError, TypeError, AttributeError) as error:
        raise sqlite3.DatabaseError(f"a damaged row: {error}") from None


def first_told(path: Path) -> float | None:
    """When the run of a database told its first event, by which another run of the same name is told from it."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)) as connection:
            row = connection.execute("SELECT time FROM events ORDER BY id LIMIT 1").fetchone()
    except sqlite3.Error:
        return None
    return float(row[0]) if row else None


def _select(path: Path, mode: str, after: int) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=5)) as connection:
        query = 'SELECT kind, step, minutes, "values", time FROM events WHERE id > ? ORDER BY id'
        return connection.execute(query, (after,)).fetchall()


class TensorBoard:
    """Writes every number of every event as a scalar named KIND/NAME."""

    def __init__(self, folder: Path, warn: Warn) -> None:
        self._folder, self._warn = folder, warn
        self._writer: Any = None  # made at the first event: every writer begins a file
        self._broken = False

    @staticmethod
    def installed() -> bool:
        return find_spec("tensorboardX") is not None

    def __call__(self, event: Event) -> None:
        if self._broken:
            return
        from tensorboardX import SummaryWriter

        try:
            self._writer = self._writer or SummaryWriter(str(self._folder), flush_secs=30)
            for name, number in event.numbers().items():
                self._writer.add_scalar(f"{event.kind}/{name}", number, event.step, walltime=event.time)
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        if self._writer is not None:
            try:
                self._writer.close()
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._writer, self._broken = None, True
        self._warn(f"no TensorBoard files: {error.strerror or error}")
