"""Workers without a wire, for tests of the hub: honest ones, and liars of many kinds who play real games, then lie."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from support.hubs import network, release
from support.recorded import first_player_result, make_record
from support.training import GAME, tiny_run
from tengen._core import BatchSearch, SelfPlay
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.hub.desk import Desk
from tengen.hub.protocol import HubRefusedError, RatedGames, Report
from tengen.hub.rating import play_rating
from tengen.hub.validate import searched_in_full
from tengen.net.evaluator import NetworkEvaluator, make_evaluator
from tengen.records import GameRecord, encode_chunk
from tengen.records.selfplay import Actor
from tengen.search.agent import run_searches

PER_CHUNK = 20
SLOTS = 8
Forge = Callable[[list[GameRecord], random.Random], list[GameRecord]]


def flipped_results(records: list[GameRecord], rng: random.Random) -> list[GameRecord]:
    return [replace(record, result=-record.result) for record in records]


def replayed_games(records: list[GameRecord], rng: random.Random) -> list[GameRecord]:
    """Real games, most of them sent again under numbers that are still free."""
    return [replace(records[0], number=record.number) for record in records]


def random_policies(records: list[GameRecord], rng: random.Random) -> list[GameRecord]:
    """The moves are those of real games; what the searches found is made up."""
    return [_with_policies(record, lambda ply, target: _made_up(target, rng)) for record in records]


def random_every_fourth(records: list[GameRecord], rng: random.Random) -> list[GameRecord]:
    return [
        _with_policies(record, lambda ply, target: target if ply % 4 else _made_up(target, rng)) for record in records
    ]


def mass_on_the_worst(records: list[GameRecord], rng: random.Random) -> list[GameRecord]:
    """15 % of every policy go to its worst move."""

    def worse(ply: int, target: np.ndarray) -> np.ndarray:
        moved = 0.85 * target
        moved[target.argmin()] += 0.15
        return moved

    return [_with_policies(record, worse) for record in records]


def better_values(records: list[GameRecord], rng: random.Random) -> list[GameRecord]:
    """Every position is 0.4 better than it was found, as far as probabilities allow."""
    forged = []
    for record in records:
        q = np.where(record.searched, np.clip(record.q + 0.4, record.d - 1, 1 - record.d), record.q)
        forged.append(replace(record, q=q.astype(np.float32)))
    return forged


def only_wins(records: list[GameRecord], rng: random.Random) -> list[GameRecord]:
    """Only the games that the first player has won; each of them is honest."""
    return [record for record in records if record.result == 1]


def of_the_first_network(records: list[GameRecord], rng: random.Random) -> list[GameRecord]:
    """Made up, and said to be of a network that was superseded long ago."""
    made = random_policies(records, rng)
    return [replace(record, networks=(network(0).hash,), release=np.zeros_like(record.release)) for record in made]


def _made_up(target: np.ndarray, rng: random.Random) -> np.ndarray:
    weights = np.array([rng.random() + 0.01 for _ in target])
    return np.asarray(weights / weights.sum())


def _with_policies(record: GameRecord, change: Callable[[int, np.ndarray], np.ndarray]) -> GameRecord:
    target, at = record.target.copy(), 0
    for ply, entries in enumerate(record.entries.tolist()):
        if entries:
            target[at : at + entries] = change(ply, target[at : at + entries].astype(float))
        at += entries
    return replace(record, target=target)


class Player:
    """A worker in this process; its games have the numbers of its lease."""

    def __init__(self, desk: Desk, name: str, backend: str = "openvino", forge: Forge | None = None) -> None:
        offer = desk.pull(name, None)
        assert offer is not None
        self.desk, self.name, self.lease, self.backend, self.forge = desk, name, offer.lease.id, backend, forge
        self.rng, self.sent, self.version = random.Random(name), 0, 0
        search, selfplay = offer.release.configs()
        self.actor = Actor(GAME, search, selfplay, slots=SLOTS, seed=0, threads=1, first_game=offer.lease.first_game)
        self.report()

    def report(self, rated: RatedGames | None = None, free: bool = False) -> None:
        orders = self.desk.report(self.name, Report(self.lease, 1, slots=SLOTS, rated=rated, free=free))
        self.match = orders.match

    def take_up(self) -> None:
        """The newest release, if it is another."""
        if self.version != self.desk.version:
            self.version = self.desk.version
            file = self.desk._releases[self.version]
            evaluator = make_evaluator(network(newest(self.desk)), GAME, self.backend, 1)
            self.actor.set_evaluator(evaluator, file.manifest.network)

    def play(self, games: int) -> list[GameRecord]:
        before = self.actor.counts()["games"]
        return self.actor.play(lambda counts: counts["games"] >= before + games)

    def send(self) -> bool:
        """One chunk; whether it was accepted."""
        self.take_up()
        records = self.play(PER_CHUNK)
        self.sent += len(records)
        return self.push(self.forge(records, self.rng) if self.forge else records)

    def push(self, records: list[GameRecord]) -> bool:
        if not records:
            return True
        try:
            self.desk.push(self.name, encode_chunk(records), self.lease)
        except HubRefusedError:
            return False
        self.desk.referee.finish()
        return True

    @property
    def believed(self) -> bool:
        return self.desk.ledger.standing(self.name).believed


class Slow(Player):
    """Plays a move or so in each game between two releases."""

    def send(self) -> bool:
        records: list[GameRecord] = []
        while len(records) < PER_CHUNK:
            publish(self.desk)
            self.take_up()
            moves = self.actor.counts()["moves"]
            records += self.actor.play(lambda counts, moves=moves: counts["moves"] >= moves + SLOTS)  # type: ignore[misc]
        self.sent += len(records)
        return self.push(records)


class Rating(Player):
    """Honest in self-play; the rating games that it sends are invented."""

    def send(self) -> bool:
        self.desk.rate([("00000001", "00000002")])
        self.report(free=True)
        if self.match is not None and self.forge is not None:
            data = {each.sha256: self.desk.network(each.sha256) for each in (self.match.first, self.match.second)}  # type: ignore[arg-type]
            real = play_rating(self.match, data, device="cpu", threads=1, memory=1 << 30, ended=lambda: False)  # type: ignore[arg-type]
            assert real is not None
            self.report(RatedGames(self.match.id, [self._invented(moves) for moves in real.games]))
            self.desk.referee.finish()
        records = self.play_honestly()
        return self.push(records)

    def play_honestly(self) -> list[GameRecord]:
        self.take_up()
        records = self.play(PER_CHUNK)
        self.sent += len(records)
        return records

    def _invented(self, moves: list[int]) -> list[int]:
        """The opening is kept; then anything that is legal."""
        state = GAME.start()
        state.apply(moves[0])
        while not state.is_terminal():
            state.apply(self.rng.choice(state.legal_actions()))
        return list(state.moves())


class Steering(Player):
    """Searches honestly, and now and then plays another move than the search has chosen: towards what it likes."""

    def play(self, games: int) -> list[GameRecord]:
        offer = self.desk._releases[self.desk.version].manifest
        search, selfplay = offer.configs()
        evaluator = make_evaluator(network(newest(self.desk)), GAME, self.backend, 1)
        first = self.desk._releases[self.desk.version].manifest.network
        found = []
        for index in range(games):
            number = (1 << 48) + self.lease * (1 << 32) + self.sent + index
            found.append(self._game(number, search, selfplay, evaluator, first))
        return found

    def _game(
        self, number: int, search: SearchConfig, selfplay: SelfPlayConfig, evaluator: NetworkEvaluator, name: str
    ) -> GameRecord:
        fast = search.replace(sims=selfplay.fast_sims, noise_epsilon=0.0)
        trees, state = BatchSearch(GAME, 1, search, 0, 1), GAME.start()
        trees.set_network(evaluator.network_hash)
        opening = SelfPlay.opening(GAME, selfplay, 0, number)
        for action in opening:
            state.apply(action)

        def config(ply: int) -> SearchConfig:
            return search if searched_in_full(0, number, ply, selfplay) else fast

        trees.configure(0, config(state.ply()))
        trees.reset(0, state, number)
        plies: list[dict[str, object]] = []
        while not state.is_terminal():
            run_searches([trees], evaluator)
            q, d, m = trees.worth(0)
            target = trees.target(0)
            full = searched_in_full(0, number, state.ply(), selfplay)
            visited = {edge.action: edge.visits for edge in trees.node(0).edges}
            policy = {a: (visited[a], target[a]) for a in visited if visited[a] or np.float32(target[a])}
            plies.append({"q": q, "d": d, "m": m, "policy": policy if full else {}})
            action = trees.choose(0)
            if self.rng.random() < 0.3:
                action = self.rng.choice(sorted(state.legal_actions())[:2])
            state.apply(action)
            if not state.is_terminal():
                trees.configure(0, config(state.ply()))
                trees.advance(0, action)
        result = first_player_result(state)
        return make_record(GAME, state.moves(), plies, number=number, seed=0, result=result, networks=(name,))


def newest(desk: Desk) -> int:
    """The seed of the network that was released last."""
    return (desk.version - 1) % SEEDS


SEEDS = 12  # different networks; then they come again


def publish(desk: Desk) -> None:
    desk.publish(release(desk._run, desk.version % SEEDS))


def make_desk(path: Path, releases: int = 1) -> Desk:
    desk = Desk(tiny_run(path), 0, "openvino")
    for _ in range(releases):
        publish(desk)
    for step in (1, 2):
        desk._run.network(step).write_bytes(network(step).data)
    return desk


# Kinds of liars that only statistics find out.
SUBTLE: dict[str, tuple[type[Player], Forge | None]] = {
    "censor": (Player, only_wins),
    "steering": (Steering, None),
    "values": (Player, better_values),
    "policy mass": (Player, mass_on_the_worst),
    "every fourth ply": (Player, random_every_fourth),
    "old network": (Player, of_the_first_network),
    "rating games": (Rating, random_policies),
    "policies": (Player, random_policies),
}
