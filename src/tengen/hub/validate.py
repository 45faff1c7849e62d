"""Could this have been played? Everything about a stranger's chunk that can be known without a network.

    size → hash → schema, sums → lease, network → the plan of each game → rules, result → visits → some proofs

What is random in a game is named by its seed and number, so its plan (the opening, which moves are searched in full)
is known before it is played: a game sent twice under two numbers does not fit one of them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from tengen._core import Rng, SelfPlay
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.games import Game
from tengen.hub.protocol import Lease
from tengen.records import GameRecord, Limits, RecordError, decode_chunk, verify

__all__ = ["STRANGERS", "Settings", "check_chunk", "way_of"]

# Workers send a quarter of this at once. What it takes to unpack stays below 20 MB, to replay about a second.
STRANGERS = Limits(file_bytes=2 << 20, body_bytes=4 << 20, games=1 << 12, plies=1 << 15, extra=0, old_formats=False)

# Games whose proofs are made again: each may take as long as it took the worker, some 10 ms in Connect4. Two of a chunk
# on average; and at least this share of them, or large chunks would be the place to lie.
PROVEN_AGAIN, PROVEN_SHARE = 2, 1 / 128

Settings = tuple[SearchConfig, SelfPlayConfig]


def check_chunk(
    data: bytes,
    game: Game,
    seed: int,
    lease: Lease,
    networks: Mapping[str, Sequence[Settings]],
    limits: Limits = STRANGERS,
    way: Settings | None = None,
) -> list[GameRecord]:
    """The games of a stranger's chunk. `networks`: how each released network was told to play; `way`: how the lease
    was, where that is known. Raises RecordError."""
    records = decode_chunk(data, limits)
    numbers = {record.number for record in records}
    if len(numbers) < len(records):
        raise RecordError("the same game is in the chunk twice")
    for record in records:
        if record.seed != seed or not lease.holds(record.number):
            raise RecordError(f"game {record.number} does not belong to the lease")
        for network in record.networks:
            if network not in networks:
                raise RecordError(f"game {record.number}: network {network[:16]} was never released")
        verify(record, _own_game(record, game))
        way_of(record, game, networks[record.networks[-1]], way)
    # A worker that could guess what is proven again could be honest just there.
    chance, share = random.SystemRandom(), max(PROVEN_AGAIN / max(1, len(records)), PROVEN_SHARE)
    for record in records:
        if chance.random() < share:
            _check_proofs(record, game, [way] if way else networks[record.networks[-1]])
    return records


def way_of(record: GameRecord, game: Game, candidates: Sequence[Settings], way: Settings | None = None) -> Settings:
    """The settings that a game was played with. A network may have been released with several; a player takes another
    lease when they change, so its lease's are the ones, where that is known. Raises RecordError."""
    problem: str | None = "its network was not released to be played as its lease says"
    for settings in candidates:
        if way is not None and settings != way:
            continue
        if (problem := _problem(record, game, *settings)) is None:
            return settings
    raise RecordError(f"game {record.number}: {problem}")


def _own_game(record: GameRecord, game: Game) -> Game:
    """The game with the options that the record's number gives, if it says that it was played with those."""
    drawn = game.varied(record.seed, record.number)
    return drawn if drawn.id == record.game else game


def _check_proofs(record: GameRecord, game: Game, candidates: Sequence[Settings]) -> None:
    moves, game = record.moves.tolist(), _own_game(record, game)

    def proven(play: SelfPlayConfig) -> bool:
        return np.array_equal(record.exact, SelfPlay.exact_values(game, play, moves, record.opening))

    if not any(proven(play) for _, play in candidates):
        raise RecordError(f"game {record.number}: what it says is proven is not what the rules prove")


def _problem(record: GameRecord, game: Game, search: SearchConfig, selfplay: SelfPlayConfig) -> str | None:
    game = game.varied(record.seed, record.number) if selfplay.vary else game
    if record.game != game.id:
        return f"played as {record.game}, but its number gives {game.id}"
    moves = record.moves.tolist()
    plan = SelfPlay.random_plies(game, selfplay, record.seed, record.number, moves)
    if record.opening != next((ply for ply, action in enumerate(plan) if action is None), len(plan)):
        return "its opening is not the one that its number gives"
    searched, in_full = record.searched.tolist(), record.full.tolist()  # numbers one by one are slow in an array
    for ply, action in enumerate(plan):
        random = action is not None
        if random and (searched[ply] or action != moves[ply]):
            return f"ply {ply}: its move is not the random one that its number gives"
        if not random and not searched[ply]:
            return f"ply {ply}: no search, unlike the plan that its number gives"
        full = not random and searched_in_full(record.seed, record.number, ply, selfplay)
        if in_full[ply] != full:
            return f"ply {ply}: its kind of search is not the one that its number gives"
    if record.ending == "cut" or (record.ending == "resigned" and selfplay.resign_below <= -1):
        return f"ending {record.ending!r} is not possible here"
    loser = 1 if len(record) % 2 else -1  # who moved last: 1 the first player
    if record.ending == "resigned" and (record.q[-1] >= selfplay.resign_below or record.result == loser):
        return "resigned without being lost, or by the winner"
    most = max(search.sims, selfplay.fast_sims) + search.leaves
    for ply in record.full.nonzero()[0].tolist():
        visits = int(record.policy(ply)[1].sum(dtype="int64"))
        if visits > most:
            return f"ply {ply}: {visits} visits, more than the {most} possible"
    return None


def searched_in_full(seed: int, number: int, ply: int, selfplay: SelfPlayConfig) -> bool:
    return Rng(seed, number, ply, "cap").uniform() < selfplay.full_share
