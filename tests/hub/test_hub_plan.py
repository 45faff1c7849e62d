"""What is random in a game follows from its number: the hub knows it, and refuses games that had it otherwise."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tengen import games
from tengen._core import SelfPlay
from tengen.config import SearchConfig, SelfPlayConfig
from tengen.hub.protocol import Lease
from tengen.hub.validate import check_chunk
from tengen.net.evaluator import Hash
from tengen.records import UNSOLVED, GameRecord, RecordError, encode_chunk
from tengen.records.selfplay import Actor

GAME = games.make("connect4")
SEARCH = SearchConfig(sims=16)
OPENINGS = {"opening_share": 0.7, "opening_plies": 12, "opening_lookahead": 3}
PLAY = SelfPlayConfig(full_share=0.5, stray_share=0.2, label_nodes=500, **OPENINGS)
LEASE = Lease(id=0, first_game=0, seconds=60)


@pytest.fixture(scope="module")
def played() -> list[GameRecord]:
    actor = Actor(GAME, SEARCH, PLAY, slots=16)
    actor.set_evaluator(Hash(GAME), "00")
    return actor.play(lambda counts: counts["games"] >= 40)


def check(*records: GameRecord, **changes: Any) -> list[GameRecord]:
    return check_chunk(encode_chunk(records), GAME, 0, LEASE, {"00": [(SEARCH, PLAY.replace(**changes))]})


def test_games_as_they_were_told_to_be_played_pass(played: list[GameRecord]) -> None:
    assert check(*played) == played
    on_the_way = [ply for record in played for ply in np.flatnonzero(~record.searched) if ply > record.opening]
    assert len(on_the_way) > 40 and {record.opening for record in played} > {0, 1, 12}


def test_other_random_moves_are_refused(played: list[GameRecord]) -> None:
    for changes in ({"stray_share": 0.0}, {"stray_share": 0.4}, {"opening_plies": 11}, {"opening_lookahead": 4}):
        with pytest.raises(RecordError, match="that its number gives"):
            check(*played, **changes)


def test_a_search_where_a_random_move_was_due_is_refused(played: list[GameRecord]) -> None:
    record = next(record for record in played if (~record.searched[record.opening :]).any())
    ply = record.opening + int((~record.searched[record.opening :]).argmax())
    searched = record.m.copy()
    searched[ply] = 5
    with pytest.raises(RecordError, match=f"ply {ply}: its move is not the random one"):
        check(replace(record, m=searched))


def test_what_the_rules_do_not_prove_is_refused(played: list[GameRecord]) -> None:
    record = next(record for record in played if UNSOLVED in record.exact and record.exact[-1] != UNSOLVED)
    more, other = record.exact.copy(), record.exact.copy()
    more[: len(more) - 1][more[:-1] == UNSOLVED] = 1
    other[-1] = 0
    for exact in (more, other, np.full_like(record.exact, UNSOLVED)):
        with pytest.raises(RecordError, match="not what the rules prove"):
            check(replace(record, exact=exact))


def test_nobody_knows_whose_proofs_are_looked_at(played: list[GameRecord]) -> None:
    nothing = replace(played[7], exact=np.full_like(played[7].exact, UNSOLVED))
    games = [*played[:7], nothing]
    refused = 0
    for _ in range(60):  # two of eight are looked at: never or always would be one in millions
        try:
            check(*games)
        except RecordError:
            refused += 1
    assert 0 < refused < 60


@pytest.mark.parametrize(("count", "least", "most"), [(1, 1, 1), (20, 1.4, 2.6), (1000, 6, 10)])
def test_proofs_are_made_again_by_share(count: int, least: float, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of a chunk on average, but never less than one game in 128: a large chunk hides no more than a small one."""
    game, search, play = games.make("tictactoe"), SearchConfig(sims=2), SelfPlayConfig()
    actor = Actor(game, search, play, slots=8)
    actor.set_evaluator(Hash(game), "00")
    chunk = encode_chunk(actor.play(lambda counts: counts["games"] >= count)[:count])
    proven: list[object] = []
    monkeypatch.setattr("tengen.hub.validate._check_proofs", lambda record, *_: proven.append(record.number))
    for name in ("verify", "way_of"):  # what this is not about, and takes long
        monkeypatch.setattr(f"tengen.hub.validate.{name}", lambda *_: None)
    times = 20 if count > 100 else 200
    for _ in range(times):
        check_chunk(chunk, game, 0, LEASE, {"00": [(search, play)]})
    assert least <= len(proven) / times <= most  # four standard deviations or more


def test_moves_that_are_none_are_no_game() -> None:
    with pytest.raises(ValueError, match="illegal"):
        SelfPlay.random_plies(GAME, PLAY, 0, 0, [0] * 7)
