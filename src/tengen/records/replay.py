"""The replay window: recent self-play positions, drawn at random and turned into training batches.

Positions are numbered in the order in which they were played. The window is the last W(n) of them, n so far; what
falls out of it is forgotten. Games are kept as flat arrays of numbers; planes are made by replaying the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.games import Family, Game
from tengen.records import SCORED_ENDINGS, UNSOLVED, GameRecord

__all__ = ["Minibatch", "Replay", "ReplayConfig", "sample_count", "search_depth", "value_targets", "window_size"]

LARGEST_WINDOW = 4_000_000  # positions; bounds memory


@dataclass(frozen=True)
class ReplayConfig:
    """What is drawn from the games, and how often."""

    first_window: int = 20_000
    """Positions in the window before it starts to forget (m)."""
    exponent: float = 0.65
    """How the window grows with the number of positions (e)."""
    scale: float = 0.4
    """Share of each new position by which the window grows at first (k)."""
    samples_per_position: float = 5.0
    """How often a position may be drawn, on average; 4 to 8 is usual."""
    settled_share: float = 1.0
    """Share of the positions with a proven result that are drawn: a search needs no network there."""
    value_lambda: float = 1.0
    """Value target: 1 the game's result, 0 the root value, between them TD(λ): later root values, ever less of each."""

    def __post_init__(self) -> None:
        if not 1 <= self.first_window <= LARGEST_WINDOW:
            raise ValueError(f"first_window must be from 1 to {LARGEST_WINDOW}")
        # Above 1 the window would grow faster than positions come, and want forgotten ones back.
        if not (0 < self.exponent <= 1 and 0 <= self.scale <= 1):
            raise ValueError("exponent must be above 0 and at most 1, scale 0 to 1")
        if not (self.samples_per_position > 0 and 0 <= self.settled_share <= 1 and 0 <= self.value_lambda <= 1):
            raise ValueError("samples_per_position must be above 0, settled_share and value_lambda 0 to 1")


@dataclass(frozen=True)
class Minibatch:
    """Training samples from the side to move's view, each under a random symmetry."""

    planes: NDArray[np.float32]  # [B, planes, rows, cols]
    legal: NDArray[np.uint8]  # [B, actions] 0 or 1, in policy order
    policy: NDArray[np.float32]  # [B, actions] in policy order
    wdl: NDArray[np.float32]  # [B, 3] win, draw, loss
    moves_left: NDArray[np.float32]  # [B] plies to the end of the game
    moves_left_weight: NDArray[np.float32]  # [B] 0 where the end was not played out
    lead: NDArray[np.float32] | None  # [B] points at the end; None where the game is not counted
    owners: NDArray[np.int8] | None  # [B, cells] whose every cell was: 1 own, -1 the opponent's, 0 nobody's
    count_weight: NDArray[np.float32]  # [B] 0 where the board was not counted
    age: NDArray[np.int64]  # [B] positions played since

    def __len__(self) -> int:
        return len(self.planes)


def window_size(positions: int, config: ReplayConfig) -> int:
    """W(n) = ((n^e − m^e) / (e·m^(e−1)))·k + m, the growing window of KataGo (arXiv:1902.10565).

    >>> [window_size(n, ReplayConfig(first_window=1000)) for n in (10, 1000, 10_000, 100_000)]
    [10, 1000, 3133, 12663]
    """
    e, m = config.exponent, float(config.first_window)
    n = max(float(positions), m)
    grown = (n**e - m**e) / (e * m ** (e - 1)) * config.scale + m
    return min(positions, int(grown), LARGEST_WINDOW)


def search_depth(positions: int, deeper_after: int) -> float:
    """How many times as many simulations as at first self-play gives a move.

    The better a network, the rarer its mistakes, and the deeper the search that still finds them: in a run of Connect4
    the squared error of value targets in plies 12 to 17 was 0.16 with 128 simulations, 0.10 with 320. In steps, because
    games under way are given up when their search changes.

    >>> [round(search_depth(n, 100), 2) for n in (0, 199, 200, 400, 1600)]
    [1.0, 1.0, 1.41, 2.0, 4.0]
    """
    if not 0 < deeper_after <= positions:
        return 1.0
    return float(2 ** (((positions // deeper_after).bit_length() - 1) / 2))


def sample_count(positions: int, samples_per_position: float, deeper_after: int) -> int:
    """Samples that may be drawn of the first so many positions: deeper searches are drawn more often.

    >>> [sample_count(n, 4, 100) for n in (100, 200, 300, 400, 600)]
    [400, 800, 1365, 1931, 3531]
    """
    count, start, end = 0.0, 0, 2 * deeper_after or positions
    while start < positions:
        count += (min(positions, end) - start) * search_depth(start, deeper_after)
        start, end = end, 2 * end
    return int(samples_per_position * count)


class Replay:
    """Games in, batches out. What is drawn is a function of the games, the seed and `drawn`; threads do not matter."""

    def __init__(
        self,
        game: Game | Family,
        config: ReplayConfig | None = None,
        *,
        deeper_after: int = 0,
        seed: int = 0,
        drawn: int = 0,
        threads: int = 1,
    ) -> None:
        """`drawn`: samples drawn before, when a run goes on: after adding its games again, batches follow on.
        `deeper_after`: as `loop.deeper_after`, for what deeper searches have found is drawn more often."""
        self.family = Family.of(game)
        self.config, self.deeper_after = config or ReplayConfig(), deeper_after
        self.seed = seed
        self.drawn = drawn
        self.threads = threads
        self._rules = dict[str, int]()  # the games that were added, each in its order: options may differ within a size
        self._policy_index = [_policy_indices(each) for each in self.family.games]
        self._moves = Tape(moves=np.uint16)
        self._games = Tape(start=np.int64, plies=np.int32, rules=np.int32, real_end=np.bool_, counted=np.bool_)
        self._positions = Tape(
            game=np.int64, size=np.uint8, ply=np.int32, v=np.float32, d=np.float32, entry=np.int64, entries=np.int32
        )
        self._entries = Tape(action=np.uint16, target=np.float32)

    @property
    def positions(self) -> int:
        """Positions added so far, forgotten ones included (n)."""
        return self._positions.end

    @property
    def window(self) -> int:
        """Positions that may be drawn now (W)."""
        return window_size(self.positions, self.config)

    @property
    def budget(self) -> int:
        """Samples that may be drawn before more positions come."""
        return max(0, self._allowed - self.drawn)

    @property
    def _allowed(self) -> int:
        return sample_count(self.positions, self.config.samples_per_position, self.deeper_after)

    @property
    def depth(self) -> float:
        """How much deeper than at first self-play searches now."""
        return search_depth(self.positions, self.deeper_after)

    @property
    def nbytes(self) -> int:
        """Memory held for games."""
        return sum(tape.nbytes for tape in (self._moves, self._games, self._positions, self._entries))

    def resume(self, drawn: int) -> None:
        """Goes on after so many samples. Those of games that are no longer there do not count: learning would wait
        until as many new ones have come."""
        self.drawn = min(drawn, self._allowed)

    def add(self, records: Sequence[GameRecord]) -> None:
        """Adds finished games, in the order in which they count. A stranger's must have passed `records.verify`."""
        for game in {record.game for record in records} - self._rules.keys():
            if Game.parse(game) not in self.family:
                raise ValueError(f"a record of {game} where {self.family.id} is learned")
            self._rules[game] = len(self._rules)
        for record in records:
            self._add(record)
        self._forget()

    def _add(self, record: GameRecord) -> None:
        plies = np.arange(len(record), dtype=np.int32)
        chosen = record.full & ~_left_out(record, plies, self.config.settled_share)
        if not chosen.any():
            return
        sizes = record.entries.astype(np.int64)
        starts = self._entries.end + sizes.cumsum() - sizes
        value, draw = value_targets(record, self.config.value_lambda)
        self._positions.extend(
            game=np.full(int(chosen.sum()), self._games.end, np.int64),
            size=np.full(int(chosen.sum()), self.family.size_of(record.game), np.uint8),
            ply=plies[chosen],
            v=value[chosen],
            d=draw[chosen],
            entry=starts[chosen],
            entries=record.entries[chosen],
        )
        self._games.extend(
            start=[self._moves.end],
            plies=[len(record)],
            rules=[self._rules[record.game]],
            real_end=[record.ending == "end"],
            counted=[record.ending in SCORED_ENDINGS],
        )
        self._entries.extend(action=record.actions, target=record.target)
        self._moves.extend(moves=record.moves)

    def _forget(self) -> None:
        """Drops what no position of the window needs; positions refer to games, games to moves, in ascending order."""
        self._positions.forget(self.positions - self.window)
        if self._positions.end == self._positions.first:
            return
        self._entries.forget(int(self._positions["entry"][0]))
        self._games.forget(int(self._positions["game"][0]))
        self._moves.forget(int(self._games["start"][0]))

    def batch(self, size: int) -> Minibatch:
        """Draws samples uniformly from the window, of a family all of one size. Raises ValueError when they are more
        than `budget`."""
        if not 0 < size <= self.budget:
            raise ValueError(f"{size} samples asked for, but only {self.budget} may be drawn before more games come")
        batch = self.look(size)
        self.drawn += size
        return batch

    def look(self, size: int) -> Minibatch:
        """The same samples, not counted as drawn. The window must not be empty."""
        # One stream per batch, named by what was drawn before: a run that goes on draws what it would have drawn.
        rng = np.random.Generator(np.random.Philox(key=np.array([self.seed, self.drawn], np.uint64)))
        rows = np.sort(self._draw(rng, size)) - self._positions.first
        position = self._positions.rows(rows)
        board = int(position["size"][0])
        symmetry = rng.integers(0, self.family.games[board].num_symmetries, size, dtype=np.uint8)
        game = self._games.rows(position["game"] - self._games.first)
        planes, legal, lead, owners = self._replay(board, position["game"], game, position["ply"], symmetry)
        return Minibatch(
            planes=planes,
            legal=legal,
            policy=self._policy(board, position, symmetry),
            wdl=_wdl(position["v"], position["d"]),
            moves_left=(game["plies"] - position["ply"]).astype(np.float32),
            moves_left_weight=game["real_end"].astype(np.float32),
            lead=lead,
            owners=owners,
            count_weight=game["counted"].astype(np.float32),
            age=self._positions.end - 1 - self._positions.first - rows,
        )

    def _draw(self, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
        """Numbers of positions. Of a family one position says which size: so sizes come as often as in the window."""
        first = self.positions - self.window
        if len(self.family.games) == 1:
            return rng.integers(first, self.positions, count)
        sizes = self._positions["size"][first - self._positions.first :]
        alike = np.flatnonzero(sizes == sizes[rng.integers(len(sizes))])
        return first + alike[rng.integers(0, len(alike), count)]

    def _replay(
        self,
        board: int,
        number: NDArray[np.int64],
        game: dict[str, NDArray[Any]],
        ply: NDArray[np.int32],
        symmetry: NDArray[np.uint8],
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.float32] | None, NDArray[np.int8] | None]:
        """Planes and legal moves, lead and owners at the end. Start and end of each drawn game stand alternately in one
        list of offsets, so that games 0, 2, 4, … of the request are the drawn ones, and the others need not be listed.
        Each rules' samples are replayed apart."""
        _, first, index = np.unique(number, return_index=True, return_inverse=True)
        start = game["start"][first] - self._moves.first
        bounds = np.stack([start, start + game["plies"][first]], axis=1).reshape(-1)
        drawn = (2 * index).astype(np.int32)
        like, samples = self.family.games[board], len(number)
        planes = np.empty((samples, *like.planes_shape), np.float32)
        legal = np.empty((samples, like.num_actions), np.uint8)
        lead = np.empty(samples, np.float32) if like.counted else None
        owners = np.empty((samples, prod(like.planes_shape[1:])), np.int8) if like.counted else None
        ids = list(self._rules)
        for number_of_rules in np.unique(game["rules"]).tolist():
            own = np.flatnonzero(game["rules"] == number_of_rules)
            rules = Game.parse(ids[number_of_rules])
            request = (self._moves["moves"], bounds, drawn[own], ply[own], symmetry[own], self.threads)
            planes[own], legal[own] = rules.replay(*request)
            if lead is not None and owners is not None:
                lead[own], owners[own] = rules.count(*request)
        return planes, legal, lead, owners

    def _policy(
        self, board: int, position: dict[str, NDArray[Any]], symmetry: NDArray[np.uint8]
    ) -> NDArray[np.float32]:
        sizes = position["entries"]
        row = np.repeat(np.arange(len(sizes)), sizes)
        within = np.arange(len(row)) - np.repeat(sizes.cumsum() - sizes, sizes)
        entry = self._entries.rows(np.repeat(position["entry"], sizes) + within - self._entries.first)
        policy = np.zeros((len(sizes), self.family.games[board].num_actions), np.float32)
        side = position["ply"] % 2
        policy[row, self._policy_index[board][side[row], symmetry[row], entry["action"]]] = entry["target"]
        return policy


def _left_out(record: GameRecord, plies: NDArray[np.int32], settled_share: float) -> NDArray[np.bool_]:
    """The share of settled positions that is not wanted, spread evenly: by multiples of the golden ratio."""
    settled = (np.abs(record.q) == 1) | (record.d == 1)
    spread = (record.number % 9973 + plies) * 0.6180339887 % 1  # numbers have up to 64 bits
    return np.asarray(settled & (spread >= settled_share))


class Tape:
    """Columns of equal length that grow at the end and are forgotten from the start, in amortised constant time.

    Rows keep their number for ever: `first` … `end` − 1 are there now. Views start at `first`.
    """

    def __init__(self, **columns: type[np.generic]) -> None:
        self.first = 0
        self.end = 0
        self._base = 0  # number of the row at the start of the memory
        self._memory: dict[str, NDArray[Any]] = {name: np.empty(64, dtype) for name, dtype in columns.items()}

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._memory[name][self.first - self._base : self.end - self._base]

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self._memory.values())

    def rows(self, index: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Copies of some rows, counted from `first`."""
        return {name: self[name][index] for name in self._memory}

    def extend(self, **columns: NDArray[Any] | list[Any]) -> None:
        """Adds rows, given by all their columns."""
        (count,) = {len(column) for column in columns.values()}
        at = self.end - self._base
        if at + count > len(next(iter(self._memory.values()))):
            self._make_room(count)
            at = self.end - self._base
        for name, memory in self._memory.items():
            memory[at : at + count] = columns[name]
        self.end += count

    def forget(self, before: int) -> None:
        """Rows below this number are gone."""
        self.first = max(self.first, before)

    def _make_room(self, count: int) -> None:
        """Moves the live rows to new memory of twice their size: paid for by as many rows added since the last time."""
        live = self.end - self.first
        for name, memory in self._memory.items():
            room = np.empty(max(64, 2 * (live + count)), memory.dtype)
            room[:live] = self[name]
            self._memory[name] = room
        self._base = self.first


def _policy_indices(game: Game) -> NDArray[np.uint16]:
    """[side, symmetries, actions] where an action stands in the policy, which depends on the side to move alone."""
    first = game.start()
    second = game.start()
    second.apply(second.legal_actions()[0])
    symmetries, actions = range(game.num_symmetries), range(game.num_actions)
    table = [[[state.policy_index(a, s) for a in actions] for s in symmetries] for state in (first, second)]
    return np.array(table, np.uint16)


def value_targets(record: GameRecord, decay: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The target value of every ply for its side to move, and the share of draws in it: λ-returns of the game.

    A result tells the truth about the last moves and is noise to the first ones, which a later mistake may have turned;
    root values are the other way round. In plies 6 to 17 of Connect4 the squared distance from the exact value was
    0.22 for results, 0.19 for root values, 0.14 for their mean and 0.12 for λ = 0.9 (benchmarks/connect4_labels.py).
    What comes after a random move says nothing of the position before it: there a return begins anew, as it does with
    what was proven of a position after the game.
    """
    sign = np.where(np.arange(len(record)) % 2 == 0, 1.0, -1.0)  # one view for the whole game: the first player's
    value, draw = np.empty(len(record)), np.empty(len(record))
    after, drawn = float(record.result), float(record.result == 0)
    proven = record.exact != UNSOLVED
    q_or_proof = np.where(proven, record.exact, record.q) * sign
    d_or_proof = np.where(proven, record.exact == 0, record.d)
    columns = zip(q_or_proof.tolist(), d_or_proof.tolist(), record.searched.tolist(), proven.tolist(), strict=True)
    known = True
    for ply, (q, d, searched, exact) in reversed(list(enumerate(columns))):
        weight = decay if known and not exact else 0.0
        value[ply] = after = (1 - weight) * q + weight * after
        draw[ply] = drawn = (1 - weight) * d + weight * drawn
        known = searched or exact
    return (value * sign).astype(np.float32), draw.astype(np.float32)


def _wdl(value: NDArray[np.float32], draw: NDArray[np.float32]) -> NDArray[np.float32]:
    """[B, 3] win, draw, loss of a value and a share of draws."""
    return np.stack([(1 - draw + value) / 2, draw, (1 - draw - value) / 2], axis=1).clip(0, 1).astype(np.float32)
