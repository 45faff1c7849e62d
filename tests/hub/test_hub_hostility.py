"""Workers that lie: what cannot have been played is refused, what was not searched is found out, honest work passes."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from support.liars import PER_CHUNK, Forge, Player, flipped_results, make_desk, random_policies, replayed_games
from support.training import GAME
from tengen import games
from tengen.hub.desk import Desk
from tengen.hub.ledger import first_game
from tengen.hub.player import ReleasePlayer
from tengen.hub.protocol import Lease, Release
from tengen.hub.validate import check_chunk
from tengen.net.shape import NetworkShape
from tengen.net.tower.export import to_onnx
from tengen.net.tower.model import make_network
from tengen.records import GameRecord, RecordError, encode_chunk
from tengen.run.folder import RunDirectory
from tengen.run.settings import RunConfig

pytestmark = pytest.mark.slow

ALLOWED = 200  # games in which a liar should be found out


LIES: list[Forge] = [flipped_results, random_policies, replayed_games]


def trial(path: Path, liars: int, honest: int, chunks: int) -> None:
    desk = make_desk(path)
    quarantined = played = 0
    for number in range(honest):
        player = Player(desk, f"honest{number}", ("openvino", "onnxruntime")[number % 2])
        for _ in range(chunks):
            assert player.send(), "honest games were refused"
        quarantined += player.sent * (not player.believed)
        played += player.sent
    assert quarantined <= played / 1000
    caught = 0
    for number in range(liars):
        player = Player(desk, f"liar{number}", forge=LIES[number % len(LIES)])
        while player.sent < ALLOWED and player.believed:
            player.send()
        caught += not player.believed
    assert caught >= 0.99 * liars
    desk.gather(lambda _: True)
    left = desk.withdrawn()
    assert left is not None
    holders = {desk.ledger.chunk_of(path.stem.partition("-")[2]) for path in left}
    assert holders == {f"honest{number}" for number in range(honest)}
    desk.close()


def test_liars_are_found_out_and_honest_workers_are_not(tmp_path: Path) -> None:
    trial(tmp_path / "run", liars=12, honest=4, chunks=5)


@pytest.mark.soak
def test_a_hundred_liars_are_found_out(tmp_path: Path) -> None:
    trial(tmp_path / "run", liars=120, honest=20, chunks=50)


@pytest.mark.parametrize("forge", [None, random_policies])
def test_long_games_that_span_releases_are_not_taken_for_lies(tmp_path: Path, forge: Forge | None) -> None:
    """Games of Connect4 are long, their trees are inherited, and each begins with one network and ends with another."""
    game = games.make("connect4")
    run = RunDirectory(tmp_path / "run")
    with run.locked():
        run.configure(RunConfig.of(game).with_settings(["search.sims=16", "search.cache_mb=1", "loop.slots=16"]))
    desk, config, player = Desk(run, 0, "cpu"), run.config(), ReleasePlayer(first_game(1), device="cpu", threads=1)
    offer = None
    for seed in range(3):
        torch.manual_seed(seed)
        file = to_onnx(make_network(NetworkShape.of(game, "8x1")), game)
        made = Release.of(game.id, file.hash, file.data, config.search, config.selfplay, config.loop.seed, 16)
        desk.publish(made)
        offer = desk.pull("w", offer.lease.id if offer else None)
        assert offer is not None
        player.take_up(made)
        before = player.counts()["games"]
        records = player.play(lambda counts, before=before: counts["games"] >= before + 30)  # type: ignore[misc]
        desk.push("w", encode_chunk(forge(records, random.Random(seed)) if forge else records), offer.lease.id)
        desk.referee.finish()
        if forge:
            break
    standing = desk.ledger.standing("w")
    assert standing.checked > 300 and standing.believed == (forge is None)
    desk.close()


NAMES = ["moves", "full", "q", "d", "m", "entries", "actions", "visits", "target"]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, Player, list[GameRecord]]]:
    desk = make_desk(tmp_path_factory.mktemp("desk") / "run")
    player = Player(desk, "w")
    player.take_up()
    yield desk, player, player.play(PER_CHUNK)
    desk.close()


def mutate(records: list[GameRecord], data: st.DataObject) -> bytes:
    """A chunk with some bytes changed, or one of well-formed but changed games."""
    if data.draw(st.booleans()):
        chunk = bytearray(encode_chunk(records))
        for _ in range(data.draw(st.integers(1, 5))):
            chunk[data.draw(st.integers(0, len(chunk) - 1))] = data.draw(st.integers(0, 255))
        return bytes(chunk[: data.draw(st.integers(0, len(chunk)))] if data.draw(st.booleans()) else chunk)
    record = data.draw(st.sampled_from(records))
    name = data.draw(st.sampled_from([*NAMES, "number", "seed", "result", "opening"]))
    value: Any = data.draw(st.integers(-1, 300))
    if name in NAMES:
        array = getattr(record, name).copy()
        if len(array):
            array[data.draw(st.integers(0, len(array) - 1))] = np.int64(data.draw(st.integers(0, 300))).astype(
                array.dtype
            )
        value = array
    return encode_chunk([replace(record, **{name: value})])


def hostile(honest: tuple[Desk, Player, list[GameRecord]], data: st.DataObject) -> None:
    """Refused with a reason of one line, or it is a chunk that could have been played."""
    desk, player, records = honest
    lease = Lease(player.lease, player.lease * (1 << 32) + (1 << 48), 60.0)
    try:
        chunk = mutate(records, data)
        check_chunk(chunk, GAME, 0, lease, desk._networks)
    except RecordError as error:
        assert str(error) and "\n" not in str(error)


@given(st.data())
@settings(max_examples=300)
def test_mutated_chunks_do_no_harm(honest: tuple[Desk, Player, list[GameRecord]], data: st.DataObject) -> None:
    hostile(honest, data)


@pytest.mark.fuzz
@given(st.data())
@settings(max_examples=100_000, deadline=60_000)  # milliseconds: one that hangs is named
def test_many_mutated_chunks_do_no_harm(honest: tuple[Desk, Player, list[GameRecord]], data: st.DataObject) -> None:
    hostile(honest, data)
