"""What a worker has finished and not sent: a kill loses none of it, and chunks are never more than a hub takes."""

import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path

from support.recorded import play_record
from support.training import GAME
from tengen.hub.spool import Spool
from tengen.hub.validate import STRANGERS
from tengen.records import GameRecord, decode_chunk, encode_chunk


@cache
def game() -> GameRecord:
    return play_record(GAME, 0)


def some_games(count: int, first: int = 0) -> list[GameRecord]:
    return [replace(game(), number=first + number) for number in range(count)]


def in_chunks(spool: Spool) -> list[int]:
    """The numbers of all games in chunks, each of which a hub would take."""
    chunks = [decode_chunk(path.read_bytes(), STRANGERS) for path in spool.chunks()]
    return sorted(record.number for chunk in chunks for record in chunk)


def test_quick_games_make_several_chunks_that_a_hub_takes(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    for first in range(0, 6_000, 300):
        spool.add(some_games(300, first))
    spool.join(0.0, enough=60)
    assert in_chunks(spool) == list(range(6_000)) and len(spool.chunks()) > 1
    assert not list(spool.folder.glob("piece-*"))


def test_many_games_that_end_at_once_are_divided(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    spool.add(some_games(5_000))
    spool.join(0.0, enough=60)
    assert in_chunks(spool) == list(range(5_000))


def test_pieces_wait_until_they_are_enough_or_old(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    for number in range(3):
        spool.add(some_games(1, number))
    spool.join(1000.0, enough=4)
    assert spool.chunks() == []
    spool.add(some_games(1, 3))
    spool.join(1000.0, enough=4)
    assert in_chunks(spool) == [0, 1, 2, 3]


def test_pieces_whose_chunk_was_written_before_a_kill_are_not_sent_twice(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    Spool(folder).add(some_games(2))
    Spool(folder).add(some_games(2, first=2))
    data = encode_chunk(some_games(2))  # a chunk of the first piece, which the kill has left there too
    (folder / f"chunk-{hashlib.sha256(data).hexdigest()}.games").write_bytes(data)
    spool = Spool(folder)
    spool.join(0.0, enough=60)
    assert in_chunks(spool) == [0, 1, 2, 3]


def test_a_damaged_piece_is_put_aside_and_the_others_go_on(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    spool.add(some_games(1))
    spool.add(some_games(1, first=1))
    (spool.folder / "piece-00000000.games").write_bytes(b"damaged")
    spool.join(0.0, enough=60)
    assert in_chunks(spool) == [1]
    assert "not a chunk" in (spool.folder / "refused/piece-00000000.txt").read_text()


def test_games_that_an_older_tengen_left_are_put_aside(tmp_path: Path) -> None:
    """A hub would refuse them, and bar whoever sends many such chunks."""
    folder = tmp_path / "spool"
    folder.mkdir()
    old = (Path(__file__).parents[1] / "records" / "chunks" / "format3.games").read_bytes()
    for name in ("piece-00000000.games", f"chunk-{'ab' * 32}.games"):
        (folder / name).write_bytes(old)
    spool = Spool(folder)
    spool.add(some_games(1))
    spool.join(0.0, enough=60)
    assert in_chunks(spool) == [0]
    assert "old format" in (folder / "refused/piece-00000000.txt").read_text()
