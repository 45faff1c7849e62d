"""Self-play of a game that could last for ever: it is scored as it stands, and whoever gets the record can check it."""

from dataclasses import replace

import numpy as np
import pytest

from tengen import Game, games
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.net.evaluator import Hash
from tengen.records import GameRecord, RecordError, decode_chunk, encode_chunk, verify
from tengen.records.selfplay import Actor


def played(id: str, number: int, **options: float | bool) -> list[GameRecord]:
    game = games.make(id)
    actor = Actor(game, SearchConfig(sims=6, temperature_plies=500), SelfPlayConfig(**options), slots=8, seed=3)
    actor.set_evaluator(Hash(game), "00")
    return actor.play(lambda counts: counts["games"] >= number)


def shortened(record: GameRecord, plies: int) -> GameRecord:
    entries = int(record.entries[:plies].sum())
    per_ply = {name: getattr(record, name)[:plies] for name in ("moves", "release", "full", "q", "d", "m", "exact")}
    per_entry = {name: getattr(record, name)[:entries] for name in ("actions", "visits", "target")}
    return replace(record, entries=record.entries[:plies], **per_ply, **per_entry)


@pytest.mark.parametrize(("id", "stray"), [("go:3", 0.0), ("go:4", 0.3)])
def test_games_end_settled_or_after_twice_the_points(id: str, stray: float) -> None:
    game = games.make(id)
    assert game.counted_after is not None and game.counted_after < game.max_plies
    records = played(id, 24, stray_share=stray, full_share=0.5)
    for record in records:
        assert len(record) <= game.counted_after
        verify(record, game)
    counted = [record for record in records if record.ending == "counted"]
    assert any(len(record) < game.counted_after for record in counted)  # settled
    assert decode_chunk(encode_chunk(records)) == records

    record = max(counted, key=len)
    refuse(replace(record, result=1 if record.result != 1 else 0), "result")
    refuse(replace(record, ending="end"), "not over")
    refuse(replace(shortened(record, len(record) // 2), ending="counted"), "could have gone on|result")


def refuse(record: GameRecord, why: str) -> None:
    with pytest.raises(RecordError, match=why):
        verify(record, Game.parse(record.game))


def test_other_games_are_never_counted() -> None:
    records = played("tictactoe", 20)
    assert games.make("tictactoe").counted_after is None and {record.ending for record in records} == {"end"}
    refuse(replace(shortened(records[0], 3), ending="counted"), "could have gone on")


def test_the_komi_of_a_game_is_drawn_by_its_number() -> None:
    """Near the usual one most often, in half points, and never more than the board has."""
    records, game = played("go:3", 60, vary=True), games.make("go:3")
    for record in records:
        assert record.game == game.varied(record.seed, record.number).id
        verify(record, Game.parse(record.game))
    assert {record.game for record in played("go:3", 20)} == {"go:3"}
    for size in (3, 9):
        base = games.make(f"go:{size}")
        komi = np.array([float(games.options(base.varied(1, number))["komi"]) for number in range(2000)])
        assert (np.abs(komi) <= size**2).all() and (2 * komi == np.round(2 * komi)).all()
        assert 0.4 * size < np.quantile(komi, 0.84) - np.median(komi) < 0.8 * size
        assert abs(np.median(komi) - min(6.5, size**2)) <= 1
    assert games.make("hex:3").varied(1, 2).id == "hex:3"


def test_a_chunk_holds_games_that_differ_in_komi_alone() -> None:
    records = played("go:3", 30, vary=True)
    assert len({record.game for record in records}) > 5
    data = encode_chunk(records)
    assert decode_chunk(data) == records
    same = [record for record in records if record.game == records[0].game]
    assert decode_chunk(encode_chunk(same)) == same
    with pytest.raises(RecordError, match="cannot hold"):
        encode_chunk([*records, *played("go:2", 1)])
