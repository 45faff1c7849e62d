"""One game, and the same numbers of many games as columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

ENDINGS = ("end", "resigned", "cut")  # by the rules; by a player; by a limit on plies or time

# The columns: one number per game, per ply, per policy entry (a move of a full search's root), per position beside the
# game (one that a full search asked about), or per move that leads to such a position.
PER_GAME: dict[str, np.dtype[Any]] = {
    "number": np.dtype(np.uint64),
    "seed": np.dtype(np.uint64),
    "network": np.dtype(np.uint16),  # index into a list of hashes
    "result": np.dtype(np.int8),
    "ending": np.dtype(np.uint8),  # index into ENDINGS
    "opening": np.dtype(np.uint16),
    "plies": np.dtype(np.uint16),
    "sides": np.dtype(np.uint32),
}
PER_PLY: dict[str, np.dtype[Any]] = {
    "moves": np.dtype(np.uint16),
    "full": np.dtype(np.bool_),
    "q": np.dtype(np.float32),
    "d": np.dtype(np.float32),
    "m": np.dtype(np.float32),
    "exact": np.dtype(np.int8),
    "entries": np.dtype(np.uint16),
}
PER_ENTRY: dict[str, np.dtype[Any]] = {
    "actions": np.dtype(np.uint16),
    "visits": np.dtype(np.uint32),
    "target": np.dtype(np.float32),
}
PER_SIDE: dict[str, np.dtype[Any]] = {
    "side_ply": np.dtype(np.uint16),
    "side_q": np.dtype(np.float32),
    "side_d": np.dtype(np.float32),
    "side_exact": np.dtype(np.int8),
    "side_plies": np.dtype(np.uint16),
}
PER_SIDE_MOVE: dict[str, np.dtype[Any]] = {"side_moves": np.dtype(np.uint16)}
IN_RECORDS = PER_PLY | PER_ENTRY | PER_SIDE | PER_SIDE_MOVE
Columns = Mapping[str, NDArray[Any]]

UNPROVEN = 2
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
    network: str  # hash in hex of the network that played
    result: int  # for the first player: 1 win, 0 draw, −1 loss
    ending: str  # one of ENDINGS
    opening: int  # random plies at the start: not searched, all zeros below, as are random moves on the way
    moves: NDArray[np.uint16]  # [plies]
    full: NDArray[np.bool_]  # [plies] a full search, which has a policy target
    q: NDArray[np.float32]  # [plies] root value −1 … 1
    d: NDArray[np.float32]  # [plies] root probability of a draw
    m: NDArray[np.float32]  # [plies] root estimate of the plies left
    exact: NDArray[np.int8]  # [plies] the game's value, proven after its end; UNPROVEN where it was not
    entries: NDArray[np.uint16]  # [plies] number of policy entries; 0 unless full
    actions: NDArray[np.uint16]  # [Σ entries] moves with a visit or a share of the target, ascending within a ply
    visits: NDArray[np.uint32]  # [Σ entries]
    target: NDArray[np.float32]  # [Σ entries] probabilities, adding up to 1 in each ply
    side_ply: NDArray[np.uint16]  # [sides] the ply whose search asked about a position beside the game
    side_q: NDArray[np.float32]  # [sides] what the search thought of it: value
    side_d: NDArray[np.float32]  # [sides] and probability of a draw
    side_exact: NDArray[np.int8]  # [sides] its value, proven after the game; UNPROVEN where it was not
    side_plies: NDArray[np.uint16]  # [sides] how many moves lead there
    side_moves: NDArray[np.uint16]  # [Σ side_plies]

    def __post_init__(self) -> None:
        for name, dtype in IN_RECORDS.items():
            array = getattr(self, name)
            if array.dtype != dtype or array.ndim != 1:
                raise RecordError(f"{name} must be one-dimensional {dtype}, not {array.ndim}-dimensional {array.dtype}")
            frozen = array.view()
            frozen.flags.writeable = False
            object.__setattr__(self, name, frozen)
        plies, sides = len(self.moves), len(self.side_ply)
        entries, ways = int(self.entries.sum()), int(self.side_plies.sum())
        for unit, length in ((PER_PLY, plies), (PER_ENTRY, entries), (PER_SIDE, sides), (PER_SIDE_MOVE, ways)):
            for name in unit:
                if len(getattr(self, name)) != length:
                    raise RecordError(f"{name} has {len(getattr(self, name))} numbers, not {length}")
        if self.result not in (-1, 0, 1) or self.ending not in ENDINGS:
            raise RecordError(f"result {self.result!r} by {self.ending!r} is not -1, 0 or 1 by {', '.join(ENDINGS)}")
        if not 0 <= self.opening <= plies < 1 << 16:
            raise RecordError(f"a game of {plies} plies cannot have an opening of {self.opening}")
        if not (0 <= self.number < 1 << 64 and 0 <= self.seed < 1 << 64):
            raise RecordError("number and seed must fit in 64 bits")
        if not re.fullmatch("[0-9a-f]{1,64}", self.network):
            raise RecordError(f"{self.network!r} is not a network's hash in hex")

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def positions(self) -> int:
        """How many there are to learn from: searched in full, or beside the game."""
        return int(self.full.sum()) + len(self.side_ply)

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

    def sides(self) -> list[tuple[int, list[int]]]:
        """The positions beside the game: the ply where each leaves it, and the moves from there."""
        ways = np.split(self.side_moves, self.side_plies.cumsum()[:-1]) if len(self.side_ply) else []
        return [(ply, way.tolist()) for ply, way in zip(self.side_ply.tolist(), ways, strict=True)]


def to_columns(records: Sequence[GameRecord], networks: Sequence[str]) -> Columns:
    """The columns of some games, one after the other; `networks` must name all of theirs."""
    index = {network: i for i, network in enumerate(networks)}
    games = [
        (r.number, r.seed, index[r.network], r.result, ENDINGS.index(r.ending), r.opening, len(r), len(r.side_ply))
        for r in records
    ]
    columns: dict[str, NDArray[Any]] = {
        name: np.array(numbers, dtype)
        for (name, dtype), numbers in zip(PER_GAME.items(), zip(*games, strict=True), strict=True)
    }
    for name in IN_RECORDS:
        columns[name] = np.concatenate([getattr(record, name) for record in records])
    return columns


def from_columns(columns: Columns, game: str, networks: Sequence[str]) -> list[GameRecord]:
    """The games again, as views of the columns, which must have passed `check_columns`."""
    plies, sides = columns["plies"].cumsum(dtype=np.int64), columns["sides"].cumsum(dtype=np.int64)
    entries, ways = _sums(columns["entries"])[plies], _sums(columns["side_plies"])[sides]
    units = (PER_PLY, PER_ENTRY, PER_SIDE, PER_SIDE_MOVE)
    starts, records = [0] * len(units), []
    scalars = zip(*(columns[name].tolist() for name in PER_GAME), strict=True)
    ends = zip(plies.tolist(), entries.tolist(), sides.tolist(), ways.tolist(), strict=True)
    for (number, seed, network, result, ending, opening, *_), until in zip(scalars, ends, strict=True):
        arrays = [
            columns[name][start:end] for unit, start, end in zip(units, starts, until, strict=True) for name in unit
        ]
        records.append(GameRecord(game, number, seed, networks[network], result, ENDINGS[ending], opening, *arrays))
        starts = list(until)
    return records


def _sums(counts: NDArray[Any]) -> NDArray[np.int64]:
    """[n + 1] how many there are before each, and in all."""
    return np.concatenate(([0], counts.cumsum(dtype=np.int64)))


def check_columns(columns: Columns, num_networks: int, num_actions: int) -> None:
    """Refuses numbers that no search can have produced; what needs the rules is left to `verify`."""
    full, entries, actions = columns["full"], columns["entries"], columns["actions"]
    for counts, counted in (
        ("plies", "full"),
        ("entries", "actions"),
        ("sides", "side_ply"),
        ("side_plies", "side_moves"),
    ):
        if int(columns[counts].sum(dtype=np.int64)) != len(columns[counted]):
            raise RecordError(f"the lengths of games or of their policies do not add up: {counts}")
    _refuse(columns["network"] >= num_networks, "a network is not in the list")
    _refuse(columns["ending"] >= len(ENDINGS), "an unknown ending")
    for name in ("moves", "actions", "side_moves"):
        _refuse(columns[name] >= num_actions, f"{name} holds an action that is not one of 0 to {num_actions - 1}")
    for name in ("q", "d", "m", "target", "side_q", "side_d"):
        _refuse(~np.isfinite(columns[name]), f"{name} is not a number")
    for name in ("d", "m", "target", "side_d"):
        _refuse(columns[name] < 0, f"{name} is negative")
    for q, d in (("q", "d"), ("side_q", "side_d")):
        _refuse(np.abs(columns[q]) + columns[d] > 1 + TOLERANCE, f"{q} and {d} are no probabilities")
    for name in ("exact", "side_exact"):
        _refuse((columns[name] < -1) | (columns[name] > UNPROVEN), "a proven value that is none")
    _check_openings(columns)
    _refuse((entries > 0) != full, "a full search without a policy, or a policy without a full search")
    _refuse((columns["visits"] == 0) & (columns["target"] == 0), "a policy entry without visits or target")
    if len(actions):
        _check_policies(columns)
    _check_sides(columns)


def _check_openings(columns: Columns) -> None:
    plies, opening = (columns[name].astype(np.int64) for name in ("plies", "opening"))
    starts = plies.cumsum() - plies
    in_opening = np.arange(plies.sum()) - np.repeat(starts, plies) < np.repeat(opening, plies)
    searched = _searched(*(columns[name] for name in ("full", "q", "d", "m")))
    _refuse(in_opening & searched, "a random opening ply with search results")


def _check_sides(columns: Columns) -> None:
    plies = np.repeat(columns["plies"].astype(np.int64), columns["sides"])
    starts = np.repeat(_sums(columns["plies"])[:-1], columns["sides"])
    ply = columns["side_ply"].astype(np.int64)
    _refuse(ply >= plies, "a position beside a ply that its game does not have")
    _refuse(~columns["full"][starts + ply], "a position beside a ply without a full search")
    _refuse(columns["side_plies"] == 0, "a position beside the game that is in it")


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
