"""One game, and the same numbers of many games as columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

# How a game ended: by the rules; by a player; where its result was proven, which is read in chunks of format 3 and no
# longer written; scored as it stood, because nothing could change any more or because it had lasted long enough.
ENDINGS = ("end", "resigned", "cut", "counted")
WRITTEN_ENDINGS = ("end", "resigned", "counted")
SCORED_ENDINGS = ("end", "counted")  # the last position has the result

Units = dict[str, np.dtype[Any]]
# The columns: one number per game, per ply, or per policy entry (a move of a full search's root).
PER_GAME: Units = {
    "number": np.dtype(np.uint64),
    "seed": np.dtype(np.uint64),
    "result": np.dtype(np.int8),
    "ending": np.dtype(np.uint8),  # index into ENDINGS
    "opening": np.dtype(np.uint16),
    "plies": np.dtype(np.uint16),
}
PER_PLY: Units = {
    "moves": np.dtype(np.uint16),
    "release": np.dtype(np.uint16),  # index into a list of hashes
    "full": np.dtype(np.bool_),
    "q": np.dtype(np.float32),
    "d": np.dtype(np.float32),
    "m": np.dtype(np.float32),
    "exact": np.dtype(np.int8),
    "entries": np.dtype(np.uint16),
}
PER_ENTRY: Units = {
    "actions": np.dtype(np.uint16),
    "visits": np.dtype(np.uint32),
    "target": np.dtype(np.float32),
}
IN_RECORDS = PER_PLY | PER_ENTRY
Columns = Mapping[str, NDArray[Any]]

UNSOLVED = 2  # stands for an exact value that is not known: kUnsolved of the core
TOLERANCE = 1e-3  # of numbers that should add up to 1: they passed through float32


class RecordError(ValueError):
    """A record or chunk that is damaged, of another version, or no possible game; the message is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(" ".join(reason.split())[:300])  # a reason may quote what a stranger wrote


@dataclass(frozen=True, eq=False)
class GameRecord:
    """One self-play game. Arrays are read-only; values belong to the side to move at their ply."""

    game: str  # canonical id
    number: int  # with the seed it names the game's random streams
    seed: int
    networks: tuple[str, ...]  # hashes in hex of the networks that played, in order of their first move
    result: int  # for the first player: 1 win, 0 draw, −1 loss
    ending: str  # one of ENDINGS
    opening: int  # random plies at the start: not searched, all zeros below, as are random moves on the way
    moves: NDArray[np.uint16]  # [plies]
    release: NDArray[np.uint16]  # [plies] index into networks: which was in use when the move was chosen, random or not
    full: NDArray[np.bool_]  # [plies] a full search, which has a policy target
    q: NDArray[np.float32]  # [plies] root value −1 … 1
    d: NDArray[np.float32]  # [plies] root probability of a draw
    m: NDArray[np.float32]  # [plies] root estimate of the plies left
    exact: NDArray[np.int8]  # [plies] the game's value, proven after its end; UNSOLVED where it was not
    entries: NDArray[np.uint16]  # [plies] number of policy entries; 0 unless full
    actions: NDArray[np.uint16]  # [Σ entries] moves with a visit or a share of the target, ascending within a ply
    visits: NDArray[np.uint32]  # [Σ entries]
    target: NDArray[np.float32]  # [Σ entries] probabilities, adding up to 1 in each ply

    def __post_init__(self) -> None:
        for name, dtype in IN_RECORDS.items():
            array = getattr(self, name)
            if array.dtype != dtype or array.ndim != 1:
                raise RecordError(f"{name} must be one-dimensional {dtype}, not {array.ndim}-dimensional {array.dtype}")
            frozen = array.view()
            frozen.flags.writeable = False
            object.__setattr__(self, name, frozen)
        plies = len(self.moves)
        for unit, length in ((PER_PLY, plies), (PER_ENTRY, int(self.entries.sum()))):
            for name in unit:
                if len(getattr(self, name)) != length:
                    raise RecordError(f"{name} has {len(getattr(self, name))} numbers, not {length}")
        if self.result not in (-1, 0, 1) or self.ending not in ENDINGS:
            raise RecordError(f"result {self.result!r} by {self.ending!r} is not -1, 0 or 1 by {', '.join(ENDINGS)}")
        if not 0 <= self.opening <= plies < 1 << 16:
            raise RecordError(f"a game of {plies} plies cannot have an opening of {self.opening}")
        if not (0 <= self.number < 1 << 64 and 0 <= self.seed < 1 << 64):
            raise RecordError("number and seed must fit in 64 bits")
        for network in self.networks:
            if not re.fullmatch("[0-9a-f]{1,64}", network):
                raise RecordError(f"{network!r} is not a network's hash in hex")
        if not self._networks_in_order():
            raise RecordError("networks must be those that played, each once, in order of their first move")

    def _networks_in_order(self) -> bool:
        if len(self.networks) == 1:
            return not self.release.any()
        used = list(dict.fromkeys(self.release.tolist()))
        return used == list(range(len(self.networks))) and len(set(self.networks)) == len(used)

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def positions(self) -> int:
        """How many there are to learn from: searched in full."""
        return int(self.full.sum())

    @property
    def searched(self) -> NDArray[np.bool_]:
        """[plies] False for random moves."""
        return _searched(self.full, self.q, self.d, self.m)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameRecord):
            return NotImplemented
        return all(np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    def policy(self, ply: int) -> tuple[NDArray[np.uint16], NDArray[np.uint32], NDArray[np.float32]]:
        """Actions, visits and target of one ply; empty unless its search was full."""
        start = int(self.entries[:ply].sum())
        here = slice(start, start + int(self.entries[ply]))
        return self.actions[here], self.visits[here], self.target[here]

    def network_at(self, ply: int) -> str:
        """The hash in hex of the network that was in use when the move of a ply was chosen."""
        return self.networks[int(self.release[ply])]


def to_columns(records: Sequence[GameRecord], networks: Sequence[str]) -> Columns:
    """The columns of some games, one after the other; `networks` must name all of theirs."""
    games = [(r.number, r.seed, r.result, ENDINGS.index(r.ending), r.opening, len(r)) for r in records]
    columns: dict[str, NDArray[Any]] = {
        name: np.array(numbers, dtype)
        for (name, dtype), numbers in zip(PER_GAME.items(), zip(*games, strict=True), strict=True)
    }
    for name in IN_RECORDS:
        columns[name] = np.concatenate([getattr(record, name) for record in records])
    index = {network: i for i, network in enumerate(networks)}
    shared = np.array([index[network] for record in records for network in record.networks], np.uint16)
    before = _sums(np.array([len(record.networks) for record in records]))[:-1]
    columns["release"] = shared[columns["release"] + np.repeat(before, columns["plies"])]
    return columns


def from_columns(columns: Columns, game: str, networks: Sequence[str]) -> list[GameRecord]:
    """The games again, as views of the columns, which must have passed `check_columns`."""
    plies = columns["plies"].cumsum(dtype=np.int64)
    entries = _sums(columns["entries"])[plies]
    played, release = _own_networks(columns, networks)
    columns = {**columns, "release": release}
    start, first, records = 0, 0, []
    scalars = zip(*(columns[name].tolist() for name in PER_GAME), strict=True)
    ends = zip(plies.tolist(), entries.tolist(), strict=True)
    for (number, seed, result, ending, opening, _), own, (end, last) in zip(scalars, played, ends, strict=True):
        arrays = [columns[name][start:end] for name in PER_PLY] + [columns[name][first:last] for name in PER_ENTRY]
        records.append(GameRecord(game, number, seed, own, result, ENDINGS[ending], opening, *arrays))
        start, first = end, last
    return records


def _own_networks(columns: Columns, networks: Sequence[str]) -> tuple[list[tuple[str, ...]], NDArray[np.uint16]]:
    """The networks of each game, and each ply's index into its game's. Most games have one: only others are walked."""
    shared, release = columns["release"], np.zeros(len(columns["release"]), np.uint16)
    ends = columns["plies"].cumsum(dtype=np.int64)
    starts = ends - columns["plies"]
    first = shared[starts]
    played: list[tuple[str, ...]] = [(networks[number],) for number in first.tolist()]
    game = np.repeat(np.arange(len(ends)), columns["plies"])
    for i in np.unique(game[shared != first[game]]).tolist():
        here = slice(int(starts[i]), int(ends[i]))
        own = {number: place for place, number in enumerate(dict.fromkeys(shared[here].tolist()))}
        release[here] = [own[number] for number in shared[here].tolist()]
        played[i] = tuple(networks[number] for number in own)
    return played, release


def _sums(counts: NDArray[Any]) -> NDArray[np.int64]:
    """[n + 1] how many there are before each, and in all."""
    return np.concatenate(([0], counts.cumsum(dtype=np.int64)))


def check_columns(columns: Columns, num_networks: int, num_actions: int, endings: Sequence[str] = ENDINGS) -> None:
    """Refuses numbers that no search can have produced; what needs the rules is left to `verify`."""
    full, entries, actions = columns["full"], columns["entries"], columns["actions"]
    for counts, counted in (("plies", "full"), ("entries", "actions")):
        if int(columns[counts].sum(dtype=np.int64)) != len(columns[counted]):
            raise RecordError(f"the lengths of games or of their policies do not add up: {counts}")
    _refuse(columns["plies"] == 0, "a game without a move")
    _refuse(columns["release"] >= num_networks, "a network is not in the list")
    allowed = [ENDINGS.index(ending) for ending in endings]
    _refuse(~np.isin(columns["ending"], allowed), "an ending that is unknown or no longer written")
    for name in ("moves", "actions"):
        _refuse(columns[name] >= num_actions, f"{name} holds an action that is not one of 0 to {num_actions - 1}")
    for name in ("q", "d", "m", "target"):
        _refuse(~np.isfinite(columns[name]), f"{name} is not a number")
    for name in ("d", "m", "target"):
        _refuse(columns[name] < 0, f"{name} is negative")
    _refuse(np.abs(columns["q"]) + columns["d"] > 1 + TOLERANCE, "q and d are no probabilities")
    _refuse((columns["exact"] < -1) | (columns["exact"] > UNSOLVED), "a proven value that is none")
    _check_openings(columns)
    _refuse((entries > 0) != full, "a full search without a policy, or a policy without a full search")
    _refuse((columns["visits"] == 0) & (columns["target"] == 0), "a policy entry without visits or target")
    if len(actions):
        _check_policies(columns)


def _check_openings(columns: Columns) -> None:
    plies, opening = (columns[name].astype(np.int64) for name in ("plies", "opening"))
    starts = plies.cumsum() - plies
    in_opening = np.arange(plies.sum()) - np.repeat(starts, plies) < np.repeat(opening, plies)
    searched = _searched(*(columns[name] for name in ("full", "q", "d", "m")))
    _refuse(in_opening & searched, "a random opening ply with search results")


def _searched(full: NDArray[Any], q: NDArray[Any], d: NDArray[Any], m: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(full | (q != 0) | (d != 0) | (m != 0))


def _check_policies(columns: Columns) -> None:
    """Sums of each policy, and the order of its actions. Every full ply is known to have entries."""
    sizes = columns["entries"][columns["full"]].astype(np.int64)
    starts = sizes.cumsum() - sizes
    _refuse(np.add.reduceat(columns["visits"], starts, dtype=np.int64) == 0, "a policy without visits")
    sums = np.add.reduceat(columns["target"], starts, dtype=np.float64)
    _refuse(np.abs(sums - 1) > TOLERANCE, "a policy target that does not add up to 1")
    unordered = np.diff(columns["actions"].astype(np.int64), prepend=-1) <= 0
    unordered[starts] = False
    _refuse(unordered, "the actions of a policy do not ascend")


def _refuse(bad: NDArray[np.bool_], reason: str) -> None:
    if bad.any():
        raise RecordError(f"{reason} (at {int(bad.argmax())})")
