"""Rating games: matches of a run's networks that players play beside self-play, so the ladder grows with the fleet.

A match is a few pairs of games from openings that its seed gives. What comes back is the moves; the hub replays them.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tengen import games
from tengen.config import ConfigError
from tengen.games import Game, GameError, State
from tengen.hub.ledger import MATCH_SECONDS, Ledger
from tengen.hub.protocol import Contestant, RatedGames, RatingMatch, one_line
from tengen.hub.worker_bounds import BoundsError, fitted, rating_memory
from tengen.net.evaluator import Evaluator, Rollout, make_evaluator
from tengen.net.file import NetworkFile
from tengen.play.arena import draw_openings, mover, play_match, points_of
from tengen.play.elo import Pairing
from tengen.play.players import AgentPlayer, Player, make_player, player_search
from tengen.run.folder import RunDirectory
from tengen.search.agent import Agent

__all__ = ["Ratings", "play_rating", "played_again"]

PAIRS = 4  # in a match: some seconds of one player
SEEDS = 1 << 40  # of rating matches begin here: far from those of the learner's own measurements
CACHE_MB = 16
MOST_NODES = 400_000_000  # of search.max_nodes


def play_rating(
    match: RatingMatch,
    networks: Mapping[str, bytes],
    *,
    device: str,
    threads: int,
    memory: int,
    ended: Callable[[], bool],
) -> RatedGames | None:
    """The games of a match; None if they were not over when `ended` said yes, or when the hub gives them to another.
    `networks`: files by their hashes. `memory`: bytes for everything, as in `bounds`. Raises BoundsError."""
    late = time.monotonic() + MATCH_SECONDS
    try:
        game = games.make(match.game)
        seats = [
            _player(each, match, game, networks, device=device, threads=threads, room=rating_memory(memory))
            for each in (match.first, match.second)
        ]
    except (BoundsError, ConfigError, GameError) as error:
        raise BoundsError(f"a rating match of the hub: {one_line(str(error))}") from None
    (first, fit_first), (second, fit_second) = seats
    openings = draw_openings(game, match.pairs, seed=match.seed)
    slots = min(fit_first, fit_second)
    stopped = lambda: ended() or time.monotonic() > late  # noqa: E731
    played = play_match(game, first, second, openings, slots=slots, stopped=stopped).games
    if len(played) < 2 * match.pairs:
        return None
    return RatedGames(match.id, [list(record.moves) for record in played])


def _player(
    contestant: Contestant,
    match: RatingMatch,
    game: Game,
    networks: Mapping[str, bytes],
    *,
    device: str,
    threads: int,
    room: int,
) -> tuple[Player, int]:
    """A contestant within `room` bytes, and how many games it can play side by side."""
    most, name = 2 * match.pairs, contestant.name
    if name == "random":
        return make_player(name, game, slots=most, seed=match.seed), most
    network: NetworkFile | None = None
    evaluator: Evaluator | Rollout
    if contestant.sha256:
        network = NetworkFile.parse(networks[contestant.sha256], f"network {name}")
        evaluator, search = make_evaluator(network, game, device, threads), match.config()
    else:  # of mcts:N no tree may be short of memory: it would be another player
        plain = player_search(name, game, slots=most)
        evaluator, search = plain.evaluator(device, threads), plain.config.replace(max_nodes=MOST_NODES)
    search, slots = fitted(search, game, network, most, search.sims, most=most, room=room)
    return AgentPlayer(name, Agent(game, evaluator, search, seed=match.seed, slots=slots, threads=threads)), slots


def played_again(
    match: RatingMatch,
    networks: Mapping[str, bytes],
    played: Sequence[Sequence[int]],
    *,
    device: str,
    memory: int,
    ended: Callable[[], bool],
) -> float:
    """The share of a match's moves that its contestants choose again. The games must have passed `judge`; 1.0 if
    `ended` said yes before the end."""
    game, room = games.make(match.game), rating_memory(memory) // 2
    made = [
        _player(each, match, game, networks, device=device, threads=1, room=room)
        for each in (match.first, match.second)
    ]
    players, slots = [player for player, _ in made], min(slots for _, slots in made)
    openings = [opening for opening in draw_openings(game, match.pairs, seed=match.seed) for _ in range(2)]
    same = count = 0
    for start in range(0, len(played), slots):
        tables: list[tuple[int, int, State]] = []  # slot, number, position
        for slot, number in enumerate(range(start, min(start + slots, len(played)))):
            state = game.start()
            for action in openings[number]:
                state.apply(action)
            for player in players:
                player.new_game(slot, number)
            tables.append((slot, number, state))
        while not all(state.is_terminal() for _, _, state in tables):
            for index, player in enumerate(players):
                if ended():
                    return 1.0
                some = [table for table in tables if not table[2].is_terminal() and mover(table[2], table[1]) == index]
                found = player.act_many([state for _, _, state in some], [slot for slot, _, _ in some]) if some else []
                for (_, number, state), chosen in zip(some, found, strict=True):
                    said = played[number][state.ply()]
                    same, count = same + (said == chosen), count + 1
                    state.apply(said)
    return same / max(1, count)


def judge_match(match: RatingMatch, game: Game, played: Sequence[Sequence[int]]) -> float:
    """The first contestant's points. Raises ValueError for games that are not those of the match, or not over."""
    if len(played) != 2 * match.pairs:
        raise ValueError(f"{len(played)} games, not the {2 * match.pairs} of the match")
    openings = draw_openings(game, match.pairs, seed=match.seed)
    points = 0.0
    for number, moves in enumerate(played):
        opening, state = openings[number // 2], game.start()
        if tuple(moves[: len(opening)]) != opening:
            raise ValueError(f"rating game {number} does not begin with its opening")
        try:
            for action in moves:
                state.apply(action)
        except GameError as error:
            raise ValueError(f"rating game {number}: {error}") from None
        if not state.is_terminal():
            raise ValueError(f"rating game {number} is not over")
        points += points_of(state, number)
    return points


class Ratings:
    """The hub's side: what is to be played, by whom it was taken, what came of it."""

    def __init__(self, run: RunDirectory, game: Game, ledger: Ledger) -> None:
        self._run, self._game, self._ledger = run, game, ledger
        self._files: dict[str, Path] = {}  # of networks that play in matches, by hash
        ledger.drop_open_matches()

    def offer(self, pairs: Sequence[tuple[str, str]], players: int) -> None:
        """A match for each player, spread over the pairs; what nobody has taken of the last ones is forgotten."""
        self._ledger.drop_open_matches()
        self._files = {}
        now = self._run.config_now(lambda why: None)  # the loop tells of it
        search = now.arena_search.replace(cache_mb=CACHE_MB).to_dict()
        contestants = [(self._contestant(first), self._contestant(second)) for first, second in pairs]
        for number in range(players):
            first, second = contestants[number % len(contestants)]
            self._ledger.add_match(RatingMatch(0, self._game.id, first, second, search, SEEDS, PAIRS))

    def give(self, worker: str, lease: int) -> RatingMatch | None:
        """A match to play, one at a time; one that was taken and never came back is given again after a while."""
        return self._ledger.take_match(worker, lease)

    def take(self, worker: str, rated: RatedGames) -> RatingMatch | None:
        """What was played; a second time it changes nothing. The match, if it counts. Raises ValueError."""
        match = self._ledger.match(rated.id)
        if match is not None:
            points = judge_match(match, self._game, rated.games)
            if self._ledger.finish_match(worker, match.id, points, len(rated.games)):
                return match
        return None

    def network(self, sha256: str) -> bytes | None:
        path = self._files.get(sha256)
        return path.read_bytes() if path and path.is_file() else None

    def _contestant(self, name: str) -> Contestant:
        if not name.isdecimal():
            return Contestant(name)
        path = self._run.networks / f"{name}.onnx"
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        self._files[sha256] = path
        return Contestant(name, sha256)

    def results(self) -> list[Pairing]:
        """All that was played by workers who are believed."""
        return self._ledger.match_results()
