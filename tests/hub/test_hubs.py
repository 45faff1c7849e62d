"""What every hub owes to the loop, whoever plays: the loop cannot tell which one it has."""

import contextlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.hubs import SLOWLY, http_hub, network, patiently, player, release, token_of
from support.training import GAME, sit, tiny_run
from tengen.hub.local import LocalHub
from tengen.hub.protocol import Hub, Release
from tengen.records import GameRecord, encode_chunk, verify
from tengen.records.replay import search_depth
from tengen.records.store import ChunkStore
from tengen.run.events import Event, TurnTaken
from tengen.run.folder import RunDirectory
from tengen.train.loop import Trainer

pytestmark = pytest.mark.slow

WITH_RAY = pytest.param("ray", marks=pytest.mark.skipif(find_spec("ray") is None, reason="pip install 'tengen[ray]'"))
KINDS = ["local", "http", WITH_RAY]


@contextlib.contextmanager
def hub_of(kind: str, path: Path) -> Iterator[tuple[Hub, RunDirectory]]:
    """A hub that has released network 0, and somebody who plays for it."""
    run = tiny_run(path / "run", SLOWLY)
    if kind == "local":
        local = LocalHub(run, 0, "cpu")
        local.publish(release(run))
        yield local, run
        local.close()
    elif kind == "ray":
        from support.rays import ray_hub

        with ray_hub(run) as cluster:
            yield cluster, run
    else:
        with http_hub(run.path) as hub, player(f"http://127.0.0.1:{hub.port}", token_of(hub), path / "w"):
            yield hub, run


def gather(hub: Hub, games: int) -> list[GameRecord]:
    before = hub.counts()["games"]
    return hub.gather(patiently(lambda counts: counts["games"] >= before + games))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_published_is_played_and_what_is_gathered_is_on_disk(kind: str, tmp_path: Path) -> None:
    with hub_of(kind, tmp_path) as (hub, run):
        found = gather(hub, 20)
        assert {name for record in found for name in record.networks} == {network(0).hash}
        hub.publish(release(run, seed=1))
        while not any(network(1).hash in record.networks for record in found):
            found += gather(hub, 10)
        counts = hub.counts()
        stored = [game for _, games in ChunkStore(run.games).read(lambda *_: None) for game in games]
        assert hub.withdrawn() is None
        for path, games in ChunkStore(run.games).read(lambda *_: None):
            assert encode_chunk(games) == path.read_bytes()  # whoever played, the same format byte for byte
    for record in found:
        verify(record, GAME)
    numbers = {record.number for record in found}
    assert len(numbers) == len(found) and numbers <= {record.number for record in stored}
    assert counts["games"] == len(found)
    assert counts["positions"] >= sum(record.positions for record in found) > 0
    if kind == "local":
        assert counts["simulations"] > counts["evaluations"] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_search_is_played_from_the_next_release_on(kind: str, tmp_path: Path) -> None:
    with hub_of(kind, tmp_path) as (hub, run):
        found = gather(hub, 5)
        run.configure(run.config().with_settings(["search.sims=60", "selfplay.full_share=1"]))
        hub.publish(release(run))
        while most_visits(found) <= 40:
            found += gather(hub, 10)
        assert len({record.number for record in found}) == len(found)


def test_searches_deepen_with_the_positions_that_were_played(tmp_path: Path) -> None:
    class Listening(LocalHub):
        def publish(self, release: Release) -> None:
            search, selfplay = release.manifest.configs()
            published.append(search.sims)
            openings.append(selfplay.opening_plies)
            super().publish(release)

    published: list[int] = []
    openings: list[int] = []
    settings = ["loop.steps=120", "search.sims=10", "loop.deeper_after=100", "selfplay.opening_plies=4"]
    run = tiny_run(tmp_path / "run", settings)
    events: list[Event] = []
    with run.locked():
        Trainer(run, events.append, device="cpu", make_hub=Listening).train()
    last = [event.positions or 0 for event in events if isinstance(event, TurnTaken)][-1]
    assert published[0] == 10 and published[-1] == round(10 * search_depth(last, run.config().loop.deeper_after)) > 10
    assert published == sorted(published)
    assert openings[0] == 4 > openings[-1] and openings == sorted(openings, reverse=True)
    assert most_visits([game for _, games in ChunkStore(run.games).read(lambda *_: None) for game in games]) > 12


def most_visits(records: list[GameRecord]) -> int:
    plies = ((record, ply) for record in records for ply in record.full.nonzero()[0].tolist())
    return max((int(record.policy(ply)[1].sum()) for record, ply in plies), default=0)


def test_the_loop_learns_no_more_from_games_that_were_withdrawn(tmp_path: Path) -> None:
    class Withdrawing(LocalHub):
        """Takes every chunk but the first away after some turns."""

        turns = 0

        def withdrawn(self) -> list[Path] | None:
            self.turns += 1
            if self.turns != 4:
                return None
            store = ChunkStore(run.games)
            store.withdraw({path.stem.partition("-")[2] for path in store.paths()[1:]})
            return store.paths()

    run = tiny_run(tmp_path / "run", ["loop.steps=90"])
    events: list[Event] = []
    with run.locked():
        Trainer(run, events.append, device="cpu", make_hub=Withdrawing).train()
    turns = [event for event in events if isinstance(event, TurnTaken)]
    games = [turn.total_games or 0 for turn in turns]
    assert games[2] > games[3] == games[0]
    assert turns[3].positions == turns[0].positions and events[-1].step == 90
    # What was drawn of the games that are gone does not count: learning goes on with what is left.
    assert len(turns) > 7 and all(turn.loss is not None for turn in turns[5:])
    left = sum(len(games) for _, games in ChunkStore(run.games).read(lambda *_: None))
    assert left == games[-1] and list((run.games / "withdrawn").iterdir())


def test_what_counts_as_drawn_follows_the_games_that_are_left(tmp_path: Path) -> None:
    """Also when a kill comes between taking games away and saving the state."""
    run = tiny_run(tmp_path / "run", ["loop.steps=40"])
    sit(run)
    store = ChunkStore(run.games)
    run.configure(run.config().with_settings(["loop.steps=80"]))
    store.withdraw({path.stem.partition("-")[2] for path in store.paths()[1:]})
    turns = [event for event in sit(run) if isinstance(event, TurnTaken)]
    assert len(turns) > 3 and all(turn.loss is not None for turn in turns[1:])
