"""A hub knows the options that a game's number gives (Go: komi), and plays such games again with them."""

from dataclasses import replace

import pytest

from tengen import games
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.hub.protocol import Lease
from tengen.hub.validate import check_chunk
from tengen.net.evaluator import Hash
from tengen.records import RecordError, encode_chunk
from tengen.records.selfplay import Actor

SEARCH, PLAY = SearchConfig(sims=4), SelfPlayConfig(vary=True, full_share=1.0)


def test_only_the_drawn_komi_is_taken() -> None:
    game, lease = games.make("go:3"), Lease(1, 0, 60.0)
    actor = Actor(game, SEARCH, PLAY, slots=4, seed=9)
    actor.set_evaluator(Hash(game), "ab")
    records = actor.play(lambda counts: counts["games"] >= 12)
    assert len({record.game for record in records}) > 3
    assert check_chunk(encode_chunk(records), game, 9, lease, {"ab": [(SEARCH, PLAY)]}) == records
    with pytest.raises(RecordError, match="its number gives go:3"):  # a release that does not vary
        check_chunk(encode_chunk(records), game, 9, lease, {"ab": [(SEARCH, PLAY.replace(vary=False))]})
    wrong = [
        replace(record, game=other.game) for record, other in zip(records, [*records[1:], records[0]], strict=True)
    ]
    with pytest.raises(RecordError, match="expected"):
        check_chunk(encode_chunk(wrong), game, 9, lease, {"ab": [(SEARCH, PLAY)]})
