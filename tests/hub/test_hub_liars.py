"""Liars that no single game gives away are held; honest workers, slow ones and other machines among them, are not."""

import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from support.hubs import network
from support.liars import PER_CHUNK, SUBTLE, Player, Slow, make_desk, only_wins, publish, random_policies
from support.networks import make_test_network
from support.training import GAME
from tengen import games
from tengen.hub.again import Again
from tengen.hub.census import OWN, Census, Numbers, missing_verdict
from tengen.hub.desk import Desk
from tengen.hub.evidence import MEASURES, Evidence, Spread
from tengen.hub.ledger import Ledger
from tengen.hub.protocol import HubRefusedError, Release
from tengen.net.evaluator import make_evaluator
from tengen.net.tower.export import sample_planes, to_onnx
from tengen.records import GameRecord, encode_chunk
from tengen.records.selfplay import Actor
from tengen.run.folder import RunDirectory
from tengen.run.settings import RunConfig

pytestmark = pytest.mark.slow

POOL = 120  # honest games of each of three kinds of worker
ALLOWED = 1000  # games of its own in which each kind of liar should be held


def meet(desk: Desk, kind: str, name: str, beside: Sequence[Player]) -> int:
    """A liar plays beside honest workers until it is held; after how many games of its own."""
    make, forge = SUBTLE[kind]
    liar = make(desk, name, forge=forge)
    while liar.believed and liar.sent < ALLOWED:
        for honest in beside:
            assert honest.send(), desk.ledger.standing(honest.name)
        liar.send()
    assert not liar.believed, f"{kind} was not found out"
    return liar.sent


@pytest.mark.parametrize("kind", SUBTLE)
def test_each_kind_of_liar_is_held(tmp_path: Path, kind: str) -> None:
    desk = make_desk(tmp_path / "run", releases=10)  # the first network is no longer handed out
    beside = [Player(desk, "here"), Player(desk, "elsewhere", "onnxruntime")]
    meet(desk, kind, "liar", beside)
    assert all(honest.believed for honest in beside)
    assert desk.ledger.standing("liar").barred is None  # that is for a person to say
    desk.close()


@pytest.mark.soak
@pytest.mark.parametrize("kind", SUBTLE)
def test_ten_liars_of_each_kind_are_held(tmp_path: Path, kind: str) -> None:
    desk = make_desk(tmp_path / "run", releases=10)
    beside = [Player(desk, "here"), Player(desk, "elsewhere", "onnxruntime"), Slow(desk, "slow")]
    games = [meet(desk, kind, f"liar{number}", beside) for number in range(10)]
    print(f"{kind}: held after {sorted(games)} games")
    assert all(honest.believed for honest in beside)
    desk.close()


def test_of_two_workers_the_one_that_chooses_its_games_is_held(tmp_path: Path) -> None:
    """They differ from each other alike; the hub's own games tell which. Its numbers would give it away too: so it says
    that it has as many places as games, and each place is used once."""
    desk = make_desk(tmp_path / "run")
    honest, censor = Player(desk, "honest"), Player(desk, "censor", forge=only_wins)
    desk.referee._slots[censor.lease] = 1 << 16
    while censor.believed and censor.sent < ALLOWED:
        assert honest.send()
        censor.send()
    assert honest.believed and "results" in str(desk.ledger.standing("censor").held)
    desk.close()


def test_games_that_never_come_are_counted() -> None:
    everything = Numbers(0, 4)
    for start in range(0, 400, 10):
        everything.add(range(start, start + 10))
    assert everything.missing == 0 and missing_verdict([everything]) is None
    late = Numbers(0, 4)
    for start in range(0, 400, 20):  # chunks that overtake each other leave no gap in the end
        late.add(range(start + 10, start + 20))
        late.add(range(start, start + 10))
    assert late.missing == 0
    chosen = Numbers(0, 4)
    for start in range(0, 400, 10):
        chosen.add(range(start, start + 10, 2))  # places 0 and 2; nothing is heard of the others
    assert chosen.missing > 50 and "never came" in str(missing_verdict([chosen]))
    gaps = Numbers(0, 4)
    for start in range(0, 400, 10):
        gaps.add(number for number in range(start, start + 10) if number % 7)
    assert gaps.missing > 40 and missing_verdict([gaps]) is not None


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[np.ndarray, GameRecord]]:
    """Games of honest workers, here, on another backend and with a new network for every move, each played again."""
    desk = make_desk(tmp_path_factory.mktemp("pool") / "run", releases=3)
    search, selfplay = desk._releases[desk.version].manifest.configs()
    again = Again(GAME, search, selfplay, 0, desk.referee._evaluator)
    found = []
    for player in (Player(desk, "here"), Player(desk, "elsewhere", "onnxruntime"), Slow(desk, "slow")):
        sent: list[GameRecord] = []
        player.push = lambda records, sent=sent: sent.extend(records) is None  # type: ignore[method-assign,misc]
        while len(sent) < POOL:
            player.send()
        found += list(zip(again.look(sent[:POOL]), sent[:POOL], strict=True))
    desk.close()
    return found


def test_honest_games_are_found_again(pool: list[tuple[np.ndarray, GameRecord]]) -> None:
    rows = np.array([row for row, _ in pool])
    here, slow = rows[:POOL], rows[-POOL:]
    assert np.nanmax(np.abs(here)) < 1e-6 and np.nanmax(np.abs(slow)) < 1e-6  # bit for bit, but for float32 in records
    assert max(len(record.networks) for _, record in pool[-POOL:]) > 3
    assert np.nanmean(np.abs(rows[POOL:-POOL]), axis=0).max() < 0.02


def test_a_worker_on_another_backend_is_played_again_as_on_its_own(tmp_path: Path) -> None:
    """In 8 bits backends differ by more than a small lie."""
    game = games.make("connect4")
    run = RunDirectory(tmp_path / "run")
    with run.locked():
        run.configure(RunConfig.of(game).with_settings(["search.sims=24", "search.cache_mb=1", "loop.slots=16"]))
    config, desk = run.config(), Desk(run, 0, "openvino")
    file = to_onnx(make_test_network(game, "16x2"), game, calibration=sample_planes(game, 64))
    desk.publish(Release.of(game.id, file.hash, file.data, config.search, config.selfplay, config.loop.seed, 16))
    offer = desk.pull("w", None)
    assert offer is not None
    actor = Actor(game, *offer.release.configs(), slots=16, threads=1, first_game=offer.lease.first_game)
    actor.set_evaluator(make_evaluator(file, game, "onnxruntime", 1), file.hash)
    records = actor.play(lambda counts: counts["games"] >= 24)
    way, policy = offer.release.configs(), MEASURES.index("policy")
    here = desk.referee._again(way, desk.referee._evaluator).look(records)[:, policy]
    nearest = desk.referee._nearest("w", way, records)[:, policy]
    assert np.nanmean(nearest) < 0.01 and np.nanmean(nearest) < np.nanmean(here)
    assert desk.referee._machine_of["w"] != "here"
    desk.close()


def histories(pool: list[tuple[np.ndarray, GameRecord]], count: int) -> int:
    """How many of `count` honest workers with 1000 games each, drawn from the pool, would be held."""
    rng, held = random.Random(count), 0
    spread = Spread(np.zeros(len(MEASURES) + 1), np.zeros(len(MEASURES) + 1))  # the strictest there can be
    everybody = Census()
    everybody.add("others", [record for _, record in pool])
    everybody.add(OWN, [record for _, record in rng.sample(pool, POOL)])
    rows = everybody.rows()
    kinds = [pool, pool[:POOL], pool[POOL:-POOL], pool[-POOL:]]
    for number in range(count):
        evidence, census, own = Evidence(), Census(rows), kinds[number % len(kinds)]
        for _ in range(0, 1000, PER_CHUNK):
            games = rng.choices(own, k=PER_CHUNK)
            census.add("w", [record for _, record in games])
            for row, _ in games:
                if rng.random() < evidence.share:
                    evidence.add(np.append(row, np.nan), spread)
            if evidence.verdict(spread) or census.verdict("w"):
                held += 1
                break
    return held


def test_honest_histories_are_not_held(pool: list[tuple[np.ndarray, GameRecord]]) -> None:
    assert histories(pool, 40) == 0


@pytest.mark.soak
def test_three_thousand_honest_histories_are_not_held(pool: list[tuple[np.ndarray, GameRecord]]) -> None:
    assert histories(pool, 3000) == 0


def test_what_cannot_be_examined_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.hub.desk.EXAMINED", 2)
    desk = make_desk(tmp_path / "run")
    player = Player(desk, "w")
    player.take_up()
    records = player.play(PER_CHUNK)
    for _ in range(2):
        publish(desk)
    assert len(list(desk._run.releases.iterdir())) == 2
    with pytest.raises(HubRefusedError, match="superseded") as refusal:
        desk.push("w", encode_chunk(records), player.lease)
    assert refusal.value.status == 410 and desk.ledger.standing("w").refused == 0
    desk.close()


def test_after_a_restart_games_of_earlier_networks_are_examined(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "run")
    player = Player(desk, "w")
    player.take_up()
    records = random_policies(player.play(PER_CHUNK), random.Random(1))
    desk.close()
    desk = Desk(desk._run, 0, "openvino")
    for _ in range(10):
        publish(desk)
    desk.push("w", encode_chunk([record for record in records if record.networks == (network(0).hash,)]), player.lease)
    desk.referee.finish()
    standing = desk.ledger.standing("w")
    assert standing.checked > 0 and standing.held is not None and standing.unseen == 0
    desk.close()


def test_who_is_trusted_again_begins_anew(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "run")
    liar = Player(desk, "w", forge=random_policies)
    while liar.believed:
        liar.send()
    with pytest.raises(HubRefusedError, match="held until"):
        desk.pull("w", liar.lease)
    assert desk.ledger.trust("w")
    liar.forge = None
    for _ in range(12):
        assert liar.send() and liar.believed
    desk.close()


def test_drops_are_fair_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who sends too much loses its own turn, not another's."""
    monkeypatch.setattr("tengen.hub.referee.WAITING", 3)
    desk = make_desk(tmp_path / "run")
    quick, other = Player(desk, "quick"), Player(desk, "other")
    for player in (quick, other):
        player.take_up()
    with monkeypatch.context() as patch:
        patch.setattr(desk.referee, "_take", lambda: None)  # nobody works
        desk.referee.close()
        desk.referee._ended.clear()
        for player, chunks in ((quick, 5), (other, 1)):
            for _ in range(chunks):
                desk.push(player.name, encode_chunk(player.play(PER_CHUNK)), player.lease)
    assert desk.ledger.standing("quick").unseen >= 3 * PER_CHUNK and desk.ledger.standing("other").unseen == 0
    assert [len(lots) for lots in desk.referee._waiting.values()] == [2, 1]
    desk.ledger.close()


def test_what_is_known_of_a_worker_outlives_the_hub(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "run")
    player = Player(desk, "w")
    player.send()
    known = desk.ledger.evidence("w")
    assert known.agreed > 0 and known.share < 1
    desk.close()
    ledger = Ledger(desk._run.hub)
    assert ledger.evidence("w") == known and sum(row[2][0] for row in ledger.tallies() if row[1] == "w") == player.sent
    ledger.close()
    with pytest.raises(sqlite3.ProgrammingError):
        ledger.evidence("w")
