"""What a hub must remember beside the games themselves, in `hub.sqlite`: tokens, leases, releases, whose games.

Other processes may write here too (`tengen hub token revoke` while the hub runs), so nothing of it is cached.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import msgspec

from tengen.hub.database import HubDatabase
from tengen.hub.evidence import Evidence
from tengen.hub.protocol import LEASE_GAMES, LEASED, Manifest, RatingMatch
from tengen.play.elo import Pairing

__all__ = ["Chunk", "Ledger", "Standing", "first_game", "lease_of"]

MATCH_SECONDS = 600.0  # after which a rating match that did not come back is given to another
HALF_LIFE = 86_400.0  # seconds in which what was refused comes to count half: a disk that fails once a month is no lie


@dataclass(frozen=True)
class Standing:
    """What is thought of a worker."""

    games: int = 0  # accepted
    refused: int = 0  # chunks
    checked: int = 0  # plies that were searched again
    unseen: int = 0  # games that were chosen to be played again, and were not: too many waited, or a file was missing
    trusted_at: float = 0.0  # when a person last said that it is to be believed
    barred: str | None = None  # why nothing more is taken from it, for good
    held: str | None = None  # why nothing more is taken from it until a person has looked

    @property
    def believed(self) -> bool:
        """Whether its games count."""
        return self.barred is None and self.held is None


@dataclass(frozen=True)
class Chunk:
    """A chunk that is not where it belongs: among the games that count, or among those that do not."""

    sha256: str
    worker: str
    withdraw: bool  # or bring back


class Ledger(HubDatabase):
    """Every change is on disk when its method returns."""

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

    def add_lease(self, worker: str, version: int) -> tuple[int, int]:
        """A lease that never was before, to be played as a release says: its id and the number of its first game."""
        statement = "INSERT INTO leases (worker, created, version) VALUES (?, ?, ?)"
        id = self._write(statement, worker, time.time(), version).lastrowid
        assert id is not None
        self.count(worker)
        return id, first_game(id)

    def holder(self, lease: int) -> str | None:
        """Whose lease it is."""
        rows = self._read("SELECT worker FROM leases WHERE id = ?", lease)
        return str(rows[0][0]) if rows else None

    def leases_since(self, worker: str, moment: float) -> int:
        """How many it has taken."""
        ((count,),) = self._read("SELECT count(*) FROM leases WHERE worker = ? AND created >= ?", worker, moment)
        return int(count)

    def add_release(self, manifest: Manifest, step: int) -> Manifest:
        """Numbers a release of the learner's step."""
        with self.transaction():
            version = self._write("INSERT INTO releases (manifest, step) VALUES (x'', ?)", step).lastrowid
            assert version is not None
            numbered = msgspec.structs.replace(manifest, version=version)
            self._write("UPDATE releases SET manifest = ? WHERE version = ?", msgspec.json.encode(numbered), version)
        return numbered

    def releases(self) -> list[Manifest]:
        rows = self._read("SELECT manifest FROM releases ORDER BY version")
        return [msgspec.json.decode(row[0], type=Manifest) for row in rows]

    # Chunks

    def add_chunk(self, sha256: str, worker: str, numbers: Iterable[int], version: int) -> None:
        """To be called within a transaction, with the newest release. Raises ValueError when one of the games is known
        already."""
        rows = [(number,) for number in numbers]
        try:
            with self.alone() as connection:
                connection.executemany("INSERT INTO games VALUES (?)", rows)
        except sqlite3.IntegrityError:
            raise ValueError("a game of this number is there already") from None
        columns = "INSERT INTO chunks (sha256, worker, games, time, withdrawn, version) VALUES (?, ?, ?, ?, 0, ?)"
        self._write(columns, sha256, worker, len(rows), time.time(), version)
        self.count(worker, games=len(rows))

    def chunk_of(self, sha256: str) -> str | None:
        """Whose chunk it is."""
        rows = self._read("SELECT worker FROM chunks WHERE sha256 = ?", sha256)
        return str(rows[0][0]) if rows else None

    def known_chunks(self) -> set[str]:
        return {str(row[0]) for row in self._read("SELECT sha256 FROM chunks")}

    def misplaced(self, most: int) -> list[Chunk]:
        """Some chunks of workers that are not believed and still count, or of believed ones that do not."""
        # Asked several times a second: CROSS makes SQLite look at the few workers first, not at all chunks.
        query = (
            "SELECT sha256, worker, withdrawn = 0 FROM workers CROSS JOIN chunks ON worker = name "
            "AND withdrawn = (barred IS NULL AND held IS NULL) LIMIT ?"
        )
        return [Chunk(sha256, worker, bool(withdraw)) for sha256, worker, withdraw in self._read(query, most)]

    def placed(self, chunks: Iterable[Chunk]) -> None:
        """They are where they belong now."""
        with self.transaction():
            for chunk in chunks:
                self._write("UPDATE chunks SET withdrawn = ? WHERE sha256 = ?", chunk.withdraw, chunk.sha256)

    def first_step(self, worker: str) -> int | None:
        """The learner's step of the newest release when a worker's first chunk came; before it, nothing was learned
        from that worker. 0 if it is not known, None if no chunk came."""
        query = "SELECT min(ifnull(step, 0)) FROM chunks LEFT JOIN releases USING (version) WHERE worker = ?"
        ((step,),) = self._read(query, worker)
        return None if step is None else int(step)

    # Rating matches

    def add_match(self, match: RatingMatch) -> None:
        """Numbers a match, and gives it openings of its own."""
        with self.transaction():
            names = (match.first.name, match.second.name)
            id = self._write("INSERT INTO matches (first, second, match) VALUES (?, ?, x'')", *names).lastrowid
            assert id is not None
            numbered = msgspec.structs.replace(match, id=id, seed=match.seed + id)
            self._write("UPDATE matches SET match = ? WHERE id = ?", msgspec.json.encode(numbered), id)

    def take_match(self, worker: str, lease: int) -> RatingMatch | None:
        """The oldest match that is still to be played; none while the lease has one that did not come back."""
        now = time.time()
        open_one = "SELECT 1 FROM matches WHERE lease = ? AND points IS NULL AND taken >= ?"
        query = "SELECT id, match FROM matches WHERE points IS NULL AND ifnull(taken, 0) < ? ORDER BY id LIMIT 1"
        with self.transaction():
            rows = self._read(query, now - MATCH_SECONDS)
            if not rows or self._read(open_one, lease, now - MATCH_SECONDS):
                return None
            statement = "UPDATE matches SET worker = ?, lease = ?, taken = ? WHERE id = ?"
            self._write(statement, worker, lease, now, rows[0][0])
        return msgspec.json.decode(rows[0][1], type=RatingMatch)

    def match(self, id: int) -> RatingMatch | None:
        rows = self._read("SELECT match FROM matches WHERE id = ?", id)
        return msgspec.json.decode(rows[0][0], type=RatingMatch) if rows else None

    def finish_match(self, worker: str, id: int, points: float, games: int) -> bool:
        """Counts once, from whom it was given to last; whether it did."""
        statement = "UPDATE matches SET points = ?, games = ? WHERE id = ? AND worker = ? AND points IS NULL"
        return self._write(statement, points, games, id, worker).rowcount > 0

    def drop_open_matches(self) -> None:
        self._write("DELETE FROM matches WHERE points IS NULL")

    def match_results(self) -> list[Pairing]:
        """Without those of workers that are not believed."""
        rows = self._read(
            "SELECT first, second, sum(points), sum(matches.games) FROM matches JOIN workers ON name = worker "
            "WHERE points NOT NULL AND barred IS NULL AND held IS NULL GROUP BY first, second ORDER BY min(id)"
        )
        return [Pairing(*row) for row in rows]

    # What the referee has found out

    def evidence(self, worker: str) -> Evidence:
        rows = self._read("SELECT found FROM evidence WHERE worker = ?", worker)
        return msgspec.json.decode(rows[0][0], type=Evidence) if rows else Evidence()

    def set_evidence(self, worker: str, evidence: Evidence) -> None:
        self._write("INSERT OR REPLACE INTO evidence VALUES (?, ?)", worker, msgspec.json.encode(evidence))

    def tallies(self) -> list[tuple[str, str, list[float]]]:
        """Network, worker and tally, oldest network first."""
        rows = self._read("SELECT network, worker, tally FROM tallies ORDER BY id")
        return [(network, worker, msgspec.json.decode(found)) for network, worker, found in rows]

    def set_tallies(self, rows: Iterable[tuple[str, str, Sequence[float]]]) -> None:
        """Instead of those that there were."""
        with self.transaction():
            self._write("DELETE FROM tallies")
            for network, worker, found in rows:
                statement = "INSERT INTO tallies (network, worker, tally) VALUES (?, ?, ?)"
                self._write(statement, network, worker, msgspec.json.encode(list(found)))

    def numbers(self, lease: int) -> list[int]:
        """The games of a lease that have come."""
        query = "SELECT number FROM games WHERE number >= ? AND number < ?"
        return [number for (number,) in self._read(query, first_game(lease), first_game(lease + 1))]

    def lease_created(self, lease: int) -> float:
        rows = self._read("SELECT created FROM leases WHERE id = ?", lease)
        return float(rows[0][0]) if rows else 0.0

    def lease_version(self, lease: int) -> int:
        """The release with which it was taken; 0 if that is not known."""
        rows = self._read("SELECT version FROM leases WHERE id = ?", lease)
        return int(rows[0][0]) if rows else 0

    # Workers

    def count(self, worker: str, *, games: int = 0, checked: int = 0, unseen: int = 0) -> None:
        self._write("INSERT OR IGNORE INTO workers (name) VALUES (?)", worker)
        changes = "games = games + ?, checked = checked + ?, unseen = unseen + ?"
        self._write(f"UPDATE workers SET {changes} WHERE name = ?", games, checked, unseen, worker)

    def refuse(self, worker: str) -> float:
        """Counts something that cannot have been played; returns how much of that came lately."""
        now = time.time()
        with self.transaction():
            self.count(worker)
            query = "SELECT refused_lately, refused_at FROM workers WHERE name = ?"
            ((lately, moment),) = self._read(query, worker)
            lately = 1 + lately * 0.5 ** (max(0.0, now - moment) / HALF_LIFE)
            statement = "UPDATE workers SET refused = refused + 1, refused_lately = ?, refused_at = ? WHERE name = ?"
            self._write(statement, lately, now, worker)
        return float(lately)

    def bar(self, worker: str, reason: str) -> bool:
        """Nothing more is taken from a worker, and what it sent counts no more. False if nobody of that name has ever
        played; so the two below."""
        return self._write("UPDATE workers SET barred = ? WHERE name = ?", reason, worker).rowcount > 0

    def hold(self, worker: str, reason: str) -> bool:
        """The same until a person has looked: what follows from statistics is no proof."""
        return self._write("UPDATE workers SET held = ifnull(held, ?) WHERE name = ?", reason, worker).rowcount > 0

    def trust(self, worker: str) -> bool:
        """A worker is believed again, and what it sent counts again."""
        clean = "barred = NULL, held = NULL, refused = 0, refused_lately = 0, trusted_at = ?"
        with self.transaction():
            self._write("DELETE FROM evidence WHERE worker = ?", worker)
            self._write("DELETE FROM tallies WHERE worker = ?", worker)
            return self._write(f"UPDATE workers SET {clean} WHERE name = ?", time.time(), worker).rowcount > 0

    def standing(self, worker: str) -> Standing:
        rows = self._read(f"SELECT {_STANDING} FROM workers WHERE name = ?", worker)
        return Standing(*rows[0]) if rows else Standing()

    def standings(self) -> dict[str, Standing]:
        rows = self._read(f"SELECT name, {_STANDING} FROM workers ORDER BY name")
        return {name: Standing(*standing) for name, *standing in rows}


_STANDING = ", ".join(each.name for each in fields(Standing))


def first_game(lease: int) -> int:
    """The number of a lease's first game."""
    return LEASED + lease * LEASE_GAMES


def lease_of(number: int) -> int:
    """The lease that a game's number belongs to."""
    return (number - LEASED) // LEASE_GAMES
