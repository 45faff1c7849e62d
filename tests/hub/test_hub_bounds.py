"""What a hub asks of a worker's machine is lowered where that changes no game, and refused in a line where it would."""

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.hubs import network
from support.nastyhub import manifest
from support.networks import make_test_network
from tengen import games
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.games import Game
from tengen.hub import worker_bounds as bounds
from tengen.hub.protocol import Release
from tengen.hub.worker_bounds import BoundsError, default_memory, fitted, largest_network, within
from tengen.net.evaluator import Hash
from tengen.net.tower.export import to_onnx
from tengen.records import GameRecord
from tengen.records.selfplay import Actor
from tengen.run.settings import RunConfig
from tengen.search.agent import node_bytes

MEMORY = 64 << 20


def released(**changes: Any) -> Release:
    return Release(manifest(**changes), network().data)


def test_what_changes_no_game_is_lowered() -> None:
    wanted = released(search={"max_nodes": 400_000_000, "cache_mb": 1_000_000, "sims": 200}, slots=65536)
    played = within(wanted, MEMORY).manifest
    search = played.configs()[0]
    trees = (played.slots + 1) * search.max_nodes * node_bytes(games.make(played.game))
    assert 100 < played.slots < 65536 and trees + (search.cache_mb << 20) < MEMORY
    assert search.replace(max_nodes=1, cache_mb=0) == wanted.manifest.configs()[0].replace(max_nodes=1, cache_mb=0)
    assert msgspec.structs.replace(played, slots=65536, search=wanted.manifest.search) == wanted.manifest
    assert within(wanted, MEMORY, slots=3).manifest.slots == 3
    as_it_is = within(released(), 1 << 30).manifest
    assert as_it_is.slots == 4 and as_it_is.configs()[0].cache_mb == 0


def first_games(game: Game, search: SearchConfig, slots: int) -> dict[int, GameRecord]:
    """The games that slots play first, by their numbers."""
    actor = Actor(game, search, SelfPlayConfig(), slots=slots, seed=3, threads=1)
    actor.set_evaluator(Hash(game), "00")
    records = actor.play(lambda counts: counts["games"] >= slots)
    return {record.number: record for record in records if record.number < slots}


@pytest.mark.parametrize("max_nodes", [50, 0])  # trees that are full soon, and such as are never full
def test_fewer_games_side_by_side_are_the_same_games(max_nodes: int) -> None:
    game = games.make("connect4")
    search = SearchConfig(sims=120, max_nodes=max_nodes, cache_mb=16, temperature=1.0, temperature_plies=99)
    lowered, slots = fitted(search, game, None, 100, 120, most=100, room=1 << 18)
    assert 1 < slots < 100 and 50 <= lowered.max_nodes < 150
    few, many = first_games(game, lowered, slots), first_games(game, search, 100)
    assert len(few) > 1 and all(few[number] == many[number] for number in few.keys() & many.keys())
    other = first_games(game, search.replace(max_nodes=20), slots)
    assert any(other[number] != few[number] for number in few.keys() & other.keys())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"search": {"sims": 10**9, "max_nodes": 400_000_000}}, "--memory"),
        ({"search": {"sims": 10**6, "max_nodes": 0}}, "--memory"),
        ({"search": {"prove_nodes": 10**6, "leaves": 1024}}, "take too long"),
        ({"selfplay": {"label_nodes": 10**8}}, "label_nodes=100000000 takes too long"),
        ({"game": "gomoku:15", "selfplay": {"opening_lookahead": 4}}, "plays tictactoe, not gomoku:15"),
        ({"game": "chess"}, "chess"),
        ({"game": "go:9,\x1b[31m\nx"}, "go"),
        ({"search": {"simms": 3}}, "simms"),
        ({"search": {"self": 3}}, "make no sense"),
        ({"search": {"sims": "\x1b[31m"}}, "sims must be"),
        ({"search": {"sims": -1}}, "sims must be"),
        ({"search": {"sims": 10**30}}, "sims must be"),
        ({"selfplay": {"full_share": 2}}, "full_share must be"),
    ],
)
def test_what_would_change_games_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(BoundsError, match=reason) as found:
        within(released(**changes), MEMORY)
    assert str(found.value).isprintable() and str(found.value).startswith("release 1 of the hub: ")


def test_searches_by_the_rules_that_never_end_are_refused() -> None:
    game = games.make("gomoku:15")
    file = to_onnx(make_test_network(game, "8x1"), game, 0)
    for changes in ({"search": {"lookahead": 4}}, {"selfplay": {"opening_lookahead": 4}}):
        asked = manifest(game=game.id, **changes)
        with pytest.raises(BoundsError, match="too long in gomoku:15"):
            within(Release(asked, file.data), 1 << 30)
    few = within(Release(manifest(game=game.id, search={"lookahead": 3}, slots=256), file.data), 1 << 30)
    assert few.manifest.slots * 225**3 < bounds.MOST_POSITIONS


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(BoundsError, match="not a network file"):
        within(Release(manifest(), b"\xff" * 100), MEMORY)


@pytest.mark.parametrize("id", ["tictactoe", "connect4", "go:9", "gomoku:9", "hex:7", "othello"])
def test_what_presets_ask_for_fits_into_half_a_gigabyte(id: str) -> None:
    """As many games side by side as they say, and a cache worth having."""
    game = games.make(id)
    config, file = RunConfig.of(game), to_onnx(make_test_network(game, RunConfig.of(game).loop.size), game, 0)
    assert len(file.data) < largest_network(512 << 20)
    release = Release.of(game.id, file.hash, file.data, config.search, config.selfplay, 0, config.loop.slots)
    played = within(release, 512 << 20).manifest
    assert played.slots == config.loop.slots and played.configs()[0].cache_mb >= config.search.cache_mb / 4


def test_the_default_is_a_quarter_of_what_there_is(tmp_path: Path) -> None:
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < default_memory() <= whole // 4
    for name in ("a/b/memory.max", "memory/a/memory.limit_in_bytes"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "a/b/memory.max").write_text("max\n")
    (tmp_path / "a/memory.max").write_text("3000\n")
    (tmp_path / "memory/a/memory.limit_in_bytes").write_text("2000\n")
    assert bounds._group_limits("", "/a/b", tmp_path) == [3000]
    assert bounds._group_limits("cpu,memory", "/a/elsewhere", tmp_path) == [2000]
    assert bounds._group_limits("cpu", "/a", tmp_path) == []
