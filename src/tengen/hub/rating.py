"""Rating games: matches of a run's networks that players play beside self-play, so the ladder grows with the fleet.

A match is a few pairs of games from openings that its seed gives. What comes back is the moves; the hub replays them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tengen import games
from tengen.agent import Agent
from tengen.arena import draw_openings, mover, play_match, points_of
from tengen.elo import Pairing
from tengen.evaluator import make_evaluator
from tengen.games import Game, GameError
from tengen.hub.ledger import Ledger
from tengen.hub.protocol import Contestant, RatedGames, RatingMatch
from tengen.network import NetworkFile
from tengen.players import AgentPlayer, Player, make_player, slots_that_fit
from tengen.rundir import RunDirectory

__all__ = ["Ratings", "play_rating", "played_again"]

PAIRS = 4  # in a match: some seconds of one player
SEEDS = 1 << 40  # of rating matches begin here: far from those of the learner's own measurements
CACHE_MB = 16


def play_rating(
    match: RatingMatch, networks: Mapping[str, bytes], *, device: str, threads: int, ended: Callable[[], bool]
) -> RatedGames | None:
    """The games of a match; None if `ended` said yes before they were over. `networks`: files by their hashes."""
    game = games.make(match.game)
    first, second = (
        _player(each, match, game, networks, device=device, threads=threads) for each in (match.first, match.second)
    )
    plain = [each.name for each in (match.first, match.second) if not each.sha256]
    slots = min([2 * match.pairs, *(slots_that_fit(name, game, most=2 * match.pairs) for name in plain)])
    openings = draw_openings(game, match.pairs, seed=match.seed)
    played = play_match(game, first, second, openings, slots=slots, finished=lambda _: ended()).games
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
) -> Player:
    slots = 2 * match.pairs
    if not contestant.sha256:
        slots = slots_that_fit(contestant.name, game, most=slots)
        return make_player(contestant.name, game, slots=slots, seed=match.seed, threads=threads)
    network = NetworkFile.parse(networks[contestant.sha256], contestant.name)
    evaluator = make_evaluator(network, game, device, threads)
    agent = Agent(game, evaluator, match.config(), seed=match.seed, slots=slots, threads=threads)
    return AgentPlayer(contestant.name, agent)


def played_again(
    match: RatingMatch,
    networks: Mapping[str, bytes],
    played: Sequence[Sequence[int]],
    *,
    device: str,
    ended: Callable[[], bool],
) -> float:
    """The share of a match's moves that its contestants choose again. The games must have passed `judge`; 1.0 if
    `ended` said yes before the end."""
    game = games.make(match.game)
    contestants = [
        _player(each, match, game, networks, device=device, threads=1) for each in (match.first, match.second)
    ]
    states, same, count = [], 0, 0
    for number, (moves, opening) in enumerate(
        zip(played, (o for o in draw_openings(game, match.pairs, seed=match.seed) for _ in range(2)), strict=True)
    ):
        states.append(game.start())
        for action in moves[: len(opening)]:
            states[-1].apply(action)
        for contestant in contestants:
            contestant.new_game(number, number)
    while not ended():
        for index, contestant in enumerate(contestants):
            slots = [i for i, state in enumerate(states) if not state.is_terminal() and mover(state, i) == index]
            found = contestant.act_many([states[i] for i in slots], slots) if slots else []
            for slot, action in zip(slots, found, strict=True):
                said = played[slot][states[slot].ply()]
                same, count = same + (said == action), count + 1
                states[slot].apply(said)
        if all(state.is_terminal() for state in states):
            return same / max(1, count)
    return 1.0


def judge(match: RatingMatch, game: Game, played: Sequence[Sequence[int]]) -> float:
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
            points = judge(match, self._game, rated.games)
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
