"""Game records and chunk files: they come back as they were, and nothing hostile gets in or does harm."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.recorded import NETWORK, first_player_result, make_record, some_records
from tengen import Game
from tengen.records import GameRecord, Limits, RecordError, decode_chunk, encode_chunk, read_header, verify
from tengen.records.chunk import FORMAT, MAGIC, PREFIX, _decompress, _split, compress_body

IDS = ["tictactoe", "connect4", "gomoku:6,in_a_row=4", "othello:6", "go:3", "hex:4", "hex:4,swap=on"]
SAMPLES = Path(__file__).parent / "chunks"  # of every format there ever was, each written by the program of its time
GOLDEN = SAMPLES / f"format{FORMAT}.games"
TICTACTOE = Game.parse("tictactoe")


def unpacked(data: bytes) -> tuple[dict[str, Any], bytes]:
    """A chunk's header as a dict, and its body."""
    header, start = _split(data)
    return msgspec.to_builtins(header), _decompress(memoryview(data)[start:], header.body_bytes())


def packed(header: dict[str, Any], frame: bytes) -> bytes:
    text = msgspec.msgpack.encode(header)
    return PREFIX.pack(MAGIC, FORMAT, len(text)) + text + frame


def with_column(data: bytes, name: str, start: bytes) -> bytes:
    """The chunk with other bytes at the start of a column."""
    header, body = unpacked(data)
    at = 0
    for column, dtype, length in read_header(data).layout():
        if column == name:
            return packed(header, compress_body(body[:at] + start + body[at + len(start) :]))
        at += dtype.itemsize * length
    raise KeyError(name)


def with_array(record: GameRecord, name: str, index: int, value: float) -> GameRecord:
    array = getattr(record, name).copy()
    array[index] = value
    return replace(record, **{name: array})


def refused(data: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(RecordError) as error:
        decode_chunk(data, limits)
    reason = str(error.value)
    assert reason and "\n" not in reason
    return reason


def hand_made() -> list[GameRecord]:
    """Two games with every kind of ply: random, fast and full; unvisited moves with a target and the reverse;
    one by a single network, one in which a network came back."""
    full = {"q": 0.5, "d": 0.25, "m": 4, "policy": {3: (3, 0.75), 5: (0, 0.25), 8: (1, 0)}}
    won = TICTACTOE.from_moves("a3 b2 a2 c3 a1").moves()
    resigned = TICTACTOE.from_moves("b2 a1").moves()
    plies: list[dict[str, Any]] = [full, {"q": -0.5, "m": 3}, {"q": 1, "m": 1}]
    both = {"networks": ("ff", NETWORK), "release": np.array([0, 1, 1, 0, 1], np.uint16)}
    return [
        make_record(TICTACTOE, won, plies, number=7, seed=2**64 - 1, result=1, **both),
        make_record(TICTACTOE, resigned, [{"q": 0.125}], networks=("ab12",), result=-1, ending="resigned"),
    ]


@pytest.mark.parametrize("id", IDS)
def test_records_come_back_and_verify(id: str) -> None:
    records, game = list(some_records(id)), Game.parse(id)
    data = encode_chunk(records)
    back = decode_chunk(data)
    assert back == records
    assert encode_chunk(back) == data == encode_chunk(records)
    for record in back:
        verify(record, game)
        assert not record.full[: record.opening].any()
        for ply in np.flatnonzero(record.full).tolist():
            actions, visits, target = record.policy(ply)
            assert len(actions) and visits.sum() > 0 and target.sum() == pytest.approx(1)
    header = read_header(data)
    assert (header.game, header.games, header.networks) == (game.id, len(records), (NETWORK,))
    assert header.plies == sum(map(len, records))


def test_records_are_compared_by_content_and_cannot_be_changed() -> None:
    one, other = hand_made()
    assert one == hand_made()[0] and one != other and one != replace(one, number=8)
    assert one != with_array(one, "q", 3, 0.1)
    with pytest.raises(ValueError):
        one.moves[0] = 1
    with pytest.raises(AttributeError):
        one.result = 0  # type: ignore[misc]


def test_the_golden_chunk_is_still_read_and_written(pytestconfig: pytest.Config) -> None:
    """A change of format must come with a new format number, and a new golden file."""
    if pytestconfig.getoption("regen"):
        GOLDEN.write_bytes(encode_chunk(hand_made()))
    golden = GOLDEN.read_bytes()
    assert decode_chunk(golden) == hand_made()
    assert golden[:10] == b"\x89TENGEN\n\x04\x00"
    header, body = unpacked(golden)
    new_header, new_body = unpacked(encode_chunk(hand_made()))
    assert body == new_body  # the frames may differ between zstd versions, their contents may not
    assert header | {"program": ""} == new_header | {"program": ""}


def test_the_format_before_is_still_read() -> None:
    """Every ply has the game's one network, and what lay beside the games is left out."""
    expected = [
        replace(record, networks=(network,), release=np.zeros(len(record), np.uint16))
        for record, network in zip(hand_made(), (NETWORK, "ab12"), strict=True)
    ]
    assert decode_chunk((SAMPLES / "format3.games").read_bytes()) == expected
    data = (SAMPLES / "format3-beside.games").read_bytes()
    records = decode_chunk(data)
    written = json.loads((SAMPLES / "format3-beside.json").read_text())
    assert {game["ending"] for game in written} == {"end", "cut"} and any(game["beside"] for game in written)
    for record, game in zip(records, written, strict=True):
        verify(record, Game.parse("connect4"))
        assert (record.number, record.ending, record.result) == (game["number"], game["ending"], game["result"])
        assert [record.network_at(ply) for ply in range(len(record))] == [game["network"]] * len(game["moves"])
        for name in ("moves", "exact", "q", "entries"):
            assert getattr(record, name).tolist() == game[name]
    assert read_header(data).games == len(written)
    assert "old format" in refused(data, Limits(old_formats=False))


def test_games_that_were_cut_short_are_no_longer_written() -> None:
    records = decode_chunk((SAMPLES / "format3-beside.games").read_bytes())
    played_out = [record for record in records if record.ending != "cut"]
    assert decode_chunk(encode_chunk(played_out)) == played_out
    with pytest.raises(RecordError, match="no longer written"):
        encode_chunk(records)
    assert "no longer written" in refused(with_column(encode_chunk(hand_made()), "ending", b"\2"))


@pytest.mark.parametrize("format", [1, 2])
def test_formats_that_nothing_reads_any_more_say_so(format: int) -> None:
    reason = refused((SAMPLES / f"format{format}.games").read_bytes())
    assert reason == f"chunk format {format}, but this program reads 3 and 4 only"


def test_columns_that_a_later_version_adds_are_skipped() -> None:
    """A number per game, and one per cell of each board at the end."""
    header, body = unpacked(encode_chunk(hand_made()))
    score, owners = np.array([1.5, -2], "<f4"), np.zeros(18, "<i1")
    extra = [{"name": "score", "dtype": "f4", "length": 2}, {"name": "owners", "dtype": "i1", "length": 18}]
    longer = compress_body(body + score.tobytes() + owners.tobytes())
    data = packed(header | {"extra": extra}, longer)
    assert decode_chunk(data) == hand_made()
    assert "unknown columns" in refused(data, Limits(extra=0))
    assert "not one frame" in refused(packed(header | {"extra": extra[:1]}, longer))
    for wrong in (
        {"name": "score", "dtype": "O8", "length": 2},
        {"name": "../score", "dtype": "f4", "length": 2},
        {"name": "score", "dtype": "f4", "length": -2},
    ):
        refused(packed(header | {"extra": [wrong]}, compress_body(body + score.tobytes())))
    for twice in ([extra[0] | {"name": "moves"}], [extra[0], extra[0]]):
        assert "two columns of one name" in refused(packed(header | {"extra": twice}, longer))
    assert "allowed" in refused(packed(header | {"extra": [extra[0] | {"length": 2**39}]}, longer))


def test_a_chunk_holds_games_of_one_kind() -> None:
    with pytest.raises(RecordError, match="at least one game"):
        encode_chunk([])
    with pytest.raises(RecordError, match="tictactoe cannot hold a record of connect4"):
        encode_chunk([*some_records("tictactoe"), *some_records("connect4")])
    with pytest.raises(RecordError, match="canonical"):
        encode_chunk([replace(hand_made()[0], game="hex:4,swap=off")])
    with pytest.raises(RecordError, match="chess"):
        encode_chunk([replace(hand_made()[0], game="chess")])


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("result", 2, "result 2"),
        ("ending", "won", "'won'"),
        ("opening", 6, "opening of 6"),
        ("opening", -1, "opening of -1"),
        ("number", 2**64, "64 bits"),
        ("seed", -1, "64 bits"),
        ("networks", ("", NETWORK), "hash in hex"),
        ("networks", ("ff", "XYZ"), "hash in hex"),
        ("networks", ("ff",), "in order of their first move"),
        ("networks", ("ff", "ff"), "in order of their first move"),
        ("networks", ("ff", NETWORK, "ab12"), "in order of their first move"),
        ("networks", (), "in order of their first move"),
        ("release", np.array([1, 0, 0, 1, 0], np.uint16), "in order of their first move"),
        ("release", np.array([0, 2, 2, 0, 2], np.uint16), "in order of their first move"),
        ("moves", np.zeros(5, np.int64), "moves must be one-dimensional uint16"),
        ("full", np.zeros((5, 1), np.bool_), "2-dimensional"),
        ("q", np.zeros(4, np.float32), "q has 4 numbers, not 5"),
        ("target", np.zeros(1, np.float32), "target has 1 numbers, not 3"),
    ],
)
def test_a_record_that_does_not_fit_together_cannot_be_made(field: str, value: Any, reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        replace(hand_made()[0], **{field: value})


@pytest.mark.parametrize(
    ("name", "index", "value", "reason"),
    [
        ("moves", 4, 9, "moves holds an action"),
        ("actions", 2, 9, "actions holds an action"),
        ("q", 3, np.nan, "q is not a number"),
        ("d", 3, np.inf, "d is not a number"),
        ("m", 3, np.nan, "m is not a number"),
        ("target", 0, np.nan, "target is not a number"),
        ("target", 0, -0.75, "target is negative"),
        ("d", 3, -0.1, "d is negative"),
        ("m", 3, -1, "m is negative"),
        ("q", 3, -1.5, "no probabilities"),
        ("d", 2, 0.9, "no probabilities"),
        ("q", 0, 0.5, "opening ply with search results"),
        ("full", 3, True, "a full search without a policy"),
        ("full", 2, False, "a policy without a full search"),
        ("visits", 2, 0, "without visits or target"),
        ("target", 0, 0.5, "does not add up to 1"),
        ("actions", 1, 3, "do not ascend"),
        ("actions", 0, 6, "do not ascend"),
        ("exact", 1, 3, "a proven value that is none"),
    ],
)
def test_impossible_numbers_are_refused(name: str, index: int, value: float, reason: str) -> None:
    """By the writer, by the rules' check, and by the reader when a stranger wrote them."""
    good, other = hand_made()
    bad = with_array(good, name, index, value)
    with pytest.raises(RecordError, match=reason):
        encode_chunk([bad, other])
    with pytest.raises(RecordError, match=reason):
        verify(bad, TICTACTOE)
    assert reason in refused(with_column(encode_chunk([good, other]), name, getattr(bad, name).tobytes()))


def test_a_policy_needs_visits() -> None:
    good, _ = hand_made()
    with pytest.raises(RecordError, match="policy without visits"):
        encode_chunk([replace(good, visits=np.zeros(3, np.uint32), target=np.array([0.5, 0.25, 0.25], np.float32))])


def test_verify_replays_the_rules() -> None:
    game = TICTACTOE
    won, resigned = hand_made()
    for record in (won, resigned):
        verify(record, game)
    draw = game.from_moves("b2 a1 a2 c2 b3 b1 c1 a3 c3")
    verify(make_record(game, draw.moves(), [], result=first_player_result(draw)), game)
    unfinished = make_record(game, won.moves[:4].tolist(), [], result=0, ending="cut")
    verify(unfinished, game)

    def reason(record: GameRecord, other: Game = game) -> str:
        with pytest.raises(RecordError) as error:
            verify(record, other)
        return str(error.value)

    assert "connect4" in reason(won, Game.parse("connect4"))
    assert "result -1, but by the rules it is 1" in reason(replace(won, result=-1))
    assert "the game is over" in reason(replace(won, ending="resigned"))
    assert "the game is over" in reason(replace(won, ending="cut"))
    assert "not over" in reason(replace(unfinished, ending="end"))
    assert "nobody won" in reason(replace(resigned, result=0))
    assert "ply 1: illegal move" in reason(with_array(won, "moves", 1, int(won.moves[0])))
    assert "no move can follow" in reason(make_record(game, [*won.moves.tolist(), 8], [], result=1))
    assert "illegal move a3" in reason(with_array(won, "actions", 0, int(won.moves[0])))


def test_damaged_files_are_refused() -> None:
    data = encode_chunk(hand_made())
    for length in range(len(data)):
        refused(data[:length])
    assert "not one frame" in refused(data + b"x")
    assert "not one frame" in refused(data + compress_body(b""))
    assert refused(b"PK\x03\x04" + data) == "not a chunk of games"
    assert "format 5" in refused(PREFIX.pack(MAGIC, 5, 0) + data[PREFIX.size :])
    assert "too long" in refused(PREFIX.pack(MAGIC, FORMAT, 2**32 - 1) + data[PREFIX.size :])
    assert "neither 0 nor 1" in refused(with_column(data, "full", b"\2"))


def test_no_flipped_bit_changes_a_game_unnoticed() -> None:
    """The checksum sees what nothing else sees. (A few bits of a frame have no meaning.)"""
    data = encode_chunk(hand_made())
    start = 8 * _split(data)[1]
    bits, noticed = 8 * len(data) - start, 0
    for bit in range(start, 8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            assert decode_chunk(bytes(flipped)) == hand_made()
        except RecordError:
            noticed += 1
    assert noticed > 0.9 * bits


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("games", 0, "at least one game"),
        ("games", -1, "damaged"),
        ("games", 3, "not one frame"),
        ("games", 2**39, "allowed"),
        ("plies", 2**39, "allowed"),
        ("entries", 2**39, "allowed"),
        ("entries", 2**63, "damaged"),
        ("plies", "7", "damaged"),
        ("game", "connect4", "another meaning"),
        ("game", "chess", "chess"),
        ("game", "hex:4,swap=off", "canonical"),
        ("game", "go:" + "9" * 190, "go"),
        ("game", "go\n:9", "go"),
        ("schema", "00", "another meaning"),
        ("networks", ["ab12"], "a network is not in the list"),
        ("networks", ["ab12", "ab12\n", "ff"], "damaged"),
        ("networks", ["ab12"] * 3000, "damaged"),
        ("networks", ["../../etc", "ab12"], "damaged"),
        ("surprise\n", 1, "damaged"),
    ],
)
def test_headers_that_lie_are_refused(field: str, value: Any, reason: str) -> None:
    header, body = unpacked(encode_chunk(hand_made()))
    assert reason in refused(packed(header | {field: value}, compress_body(body)))


def test_lengths_that_do_not_add_up_are_refused() -> None:
    data = encode_chunk(hand_made())
    for name, wrong in (("plies", [5, 3]), ("plies", [2, 2]), ("plies", [65535, 65535]), ("entries", [0, 0, 2])):
        assert "do not add up" in refused(with_column(data, name, np.array(wrong, "<u2").tobytes()))


def test_limits_hold_for_writers_and_readers() -> None:
    records = hand_made()
    data = encode_chunk(records)
    assert decode_chunk(data, Limits(file_bytes=len(data), body_bytes=read_header(data).body_bytes(), games=2, plies=7))
    assert "bytes" in refused(data, Limits(file_bytes=len(data) - 1))
    for limits, what in (
        (Limits(games=1), "games"),
        (Limits(plies=6), "plies"),
        (Limits(body_bytes=read_header(data).body_bytes() - 1), "bytes"),
    ):
        assert what in refused(data, limits)
        with pytest.raises(RecordError, match=what):
            encode_chunk(records, limits)


BOMBS = """
import resource, sys
sys.path[:0] = ["tests", "tests/records"]
from test_records import compress_body, encode_chunk, hand_made, packed, refused, unpacked
from tengen.records.chunk import zstd
good = encode_chunk(hand_made())
header, body = unpacked(good)
zeros = compress_body(bytes(50 << 20))
parameter = zstd.CompressionParameter
wide = zstd.compress(body, options={parameter.window_log: 27, parameter.content_size_flag: 0})
wide = bytes([*wide[:5], (27 - 10) << 3, *wide[6:]])
bombs = {
    "not one frame": packed(header, zeros),
    "allowed": packed(header | {"plies": 2_000_000}, zeros),
    "too much memory": packed(header, wide),
}
assert all(len(bomb) < 4096 for bomb in bombs.values())
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + (20 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    zstd.decompress(zeros)
    sys.exit("the limit on memory does not work")
except MemoryError:
    pass
for reason, bomb in bombs.items():
    assert reason in refused(bomb), refused(bomb)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_bombs_are_refused_within_20_megabytes() -> None:
    """50 MB in 2 KB, with a modest header or an honest one, and a frame that asks for a window of 128 MB."""
    folder = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", BOMBS], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr


# A mutation: where (wrapping around), how many bytes go, and what comes in their place.
MUTATIONS = st.lists(
    st.tuples(st.integers(0, 1 << 16), st.integers(0, 9), st.binary(max_size=9)), min_size=1, max_size=4
)


def mutated(data: bytes, mutations: list[tuple[int, int, bytes]]) -> bytes:
    for where, gone, new in mutations:
        at = where % (len(data) + 1)
        data = data[:at] + new + data[at + gone :]
    return data


def survives(data: bytes) -> None:
    """Whatever the bytes: RecordError, or records that can be judged by the rules and written again."""
    try:
        records = decode_chunk(data)
        assert decode_chunk(encode_chunk(records)) == records
        for record in records:
            verify(record, Game.parse(record.game))
    except RecordError as error:
        assert str(error) and "\n" not in str(error)


@cache
def victim() -> bytes:
    return encode_chunk([*some_records("tictactoe", 2), *hand_made()])


def check_mutations(mutations: list[tuple[int, int, bytes]], level: str) -> None:
    data = victim()
    header, body = unpacked(data)
    if level == "file":
        survives(mutated(data, mutations))
    elif level == "header":
        text = mutated(msgspec.msgpack.encode(header), mutations)
        survives(PREFIX.pack(MAGIC, FORMAT, len(text)) + text + compress_body(body))
    else:  # the length is kept, or the size alone would give it away
        change = mutated(body, [(where, len(new), new) for where, _, new in mutations])[: len(body)]
        survives(packed(header, compress_body(change.ljust(len(body), b"\0"))))


LEVELS = st.sampled_from(["file", "header", "body"])


@settings(max_examples=500)
@given(MUTATIONS, LEVELS)
def test_mutated_chunks_are_refused_or_sound(mutations: list[tuple[int, int, bytes]], level: str) -> None:
    check_mutations(mutations, level)


@pytest.mark.fuzz
@settings(max_examples=20_000)
@given(MUTATIONS, LEVELS)
def test_many_mutated_chunks_are_refused_or_sound(mutations: list[tuple[int, int, bytes]], level: str) -> None:
    check_mutations(mutations, level)


@given(st.binary(max_size=200))
def test_noise_is_refused(noise: bytes) -> None:
    refused(noise)
    refused(PREFIX.pack(MAGIC, FORMAT, len(noise)) + noise)
    refused(packed(unpacked(victim())[0], noise))
