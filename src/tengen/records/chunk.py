"""A chunk: a file of many games of one kind. It holds plain numbers, never code, and a reader trusts none of them.

    magic 8 bytes · format u16 · header length u32 · header (msgpack) · body (one zstd frame with a checksum)

The body is the columns of all games, one after the other, little-endian. Its size follows from the counts in the
header, so limits are checked before anything is allocated. The format before is read as well: `format3`.
"""

from __future__ import annotations

import hashlib
import re
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tengen.games import Game, GameError, input_options, options, without_options
from tengen.records.format3 import OLD_ENDINGS, Header3, from_format3
from tengen.records.header import AnyHeader, Extra, Header
from tengen.records.record import (
    WRITTEN_ENDINGS,
    Columns,
    GameRecord,
    RecordError,
    check_columns,
    from_columns,
    to_columns,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC = b"\x89TENGEN\n"
FORMAT = 4
PREFIX = struct.Struct("<8sHI")
WINDOW_LOG = 22  # a reader of the zstd frame needs 4 MiB for looking back, and grants no more

_MAX_HEADER = 1 << 18
_HEADERS: dict[int, type[AnyHeader]] = {3: Header3, FORMAT: Header}


@dataclass(frozen=True)
class Limits:
    """The most that one chunk may hold. The defaults have room for some 400 000 plies of Connect4."""

    file_bytes: int = 16 << 20
    body_bytes: int = 16 << 20
    games: int = 1 << 16
    plies: int = 1 << 20  # of all games together
    extra: int = 16  # columns that this program does not know
    old_formats: bool = True

    def check(self, header: AnyHeader) -> None:
        """Refuses a chunk by what its header says."""
        if not isinstance(header, Header) and not self.old_formats:
            raise RecordError(f"a chunk of an old format, by Tengen {header.program}; format {FORMAT} is wanted here")
        for number, most, what in (
            (header.body_bytes(), self.body_bytes, "bytes"),
            (header.games, self.games, "games"),
            (header.plies, self.plies, "plies"),
            (_unknown_columns(header), self.extra, "unknown columns"),
        ):
            if number > most:
                raise RecordError(f"a chunk of {number} {what}, more than the {most} allowed")


def _unknown_columns(header: AnyHeader) -> int:
    if not isinstance(header, Header):
        return 0
    known = input_options(re.split("[:,]", header.game)[0])
    return sum(extra.name not in known for extra in header.extra)


def record_schema_hash(game: Game) -> str:
    """Names the meaning of a game's planes, in hex."""
    return hashlib.sha256(game.schema.encode()).hexdigest()


def encode_chunk(records: Sequence[GameRecord], limits: Limits | None = None) -> bytes:
    """The file of some games of one kind; the same records give the same bytes. Raises RecordError."""
    if not records:
        raise RecordError("a chunk needs at least one game")
    game, drawn = _shared_game(records)
    networks = tuple(sorted({network for record in records for network in record.networks}))
    columns = {**to_columns(records, networks), **drawn}
    counts = (len(records), len(columns["moves"]), len(columns["actions"]))
    extra = tuple(Extra(option, "f8", len(records)) for option in drawn)
    header = Header(version("tengen"), game.id, record_schema_hash(game), networks, *counts, extra)
    (limits or Limits()).check(header)
    check_columns(columns, len(networks), game.num_actions, WRITTEN_ENDINGS)
    packed = msgspec.msgpack.encode(header)
    _unpack_header(packed, FORMAT)
    body = b"".join(columns[name].astype(dtype, copy=False).tobytes() for name, dtype, _ in header.layout())
    return PREFIX.pack(MAGIC, FORMAT, len(packed)) + packed + compress_body(body)


def decode_chunk(data: bytes, limits: Limits | None = None) -> list[GameRecord]:
    """The games of a chunk. Raises RecordError for anything that is not a whole chunk within the limits."""
    limits = limits or Limits()
    if len(data) > limits.file_bytes:
        raise RecordError(f"a file of {len(data)} bytes, more than the {limits.file_bytes} allowed")
    header, start = _split(data)
    limits.check(header)
    game = _parse_game(header.game)
    if header.schema != record_schema_hash(game):
        raise RecordError(f"planes of {game.id} had another meaning when this chunk was written by {header.program}")
    columns = _unpack_body(_decompress(memoryview(data)[start:], header.body_bytes()), header)
    old = isinstance(header, Header3)
    if old:
        columns = from_format3(columns)
    check_columns(columns, len(header.networks), game.num_actions, OLD_ENDINGS if old else WRITTEN_ENDINGS)
    records = from_columns(columns, game.id, header.networks)
    drawn = (
        input_options(game.name).keys() & {extra.name for extra in header.extra} if isinstance(header, Header) else ()
    )
    for option in drawn:
        records = _with_option(records, option, columns[option])
    return records


def read_header(data: bytes) -> AnyHeader:
    """The header of a chunk, of which the first 256 KiB suffice. Raises RecordError."""
    return _split(data)[0]


def compress_body(body: bytes) -> bytes:
    """The zstd frame of a body."""
    parameter = zstd.CompressionParameter
    options: dict[int, int] = {
        parameter.compression_level: 9,
        parameter.checksum_flag: 1,
        parameter.window_log: WINDOW_LOG,
    }
    return zstd.compress(body, options=options)


def _split(data: bytes) -> tuple[AnyHeader, int]:
    """The header, and where the body starts."""
    if len(data) < PREFIX.size or not data.startswith(MAGIC):
        raise RecordError("not a chunk of games")
    _, format, length = PREFIX.unpack_from(data)
    if format not in _HEADERS:
        raise RecordError(f"chunk format {format}, but this program reads {' and '.join(map(str, _HEADERS))} only")
    start = PREFIX.size + length
    if length > _MAX_HEADER or start > len(data):
        raise RecordError("the header of the chunk is truncated or too long")
    return _unpack_header(data[PREFIX.size : start], format), start


def _unpack_header(packed: bytes, format: int) -> AnyHeader:
    try:
        header = msgspec.msgpack.decode(packed, type=_HEADERS[format])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RecordError(f"the header of the chunk is damaged: {error}") from None
    if header.games == 0:
        raise RecordError("a chunk needs at least one game")
    return header


def _shared_game(records: Sequence[GameRecord]) -> tuple[Game, Columns]:
    """The game of all records, with the options that a network sees at their usual values if these differ, and then
    those options as columns."""
    ids = list(dict.fromkeys(record.game for record in records))
    played = {id: _parse_game(id) for id in ids}
    if len(ids) == 1:
        return played[ids[0]], {}
    seen = input_options(played[ids[0]].name)
    plain = without_options(ids[0], seen)
    for id in ids:
        if without_options(id, seen) != plain:
            raise RecordError(f"a chunk of {ids[0]} cannot hold a record of {id}")
    values = {id: options(game) for id, game in played.items()}
    return _parse_game(plain), {
        option: np.array([float(values[record.game][option]) for record in records]) for option in seen
    }


def _with_option(records: Sequence[GameRecord], option: str, values: NDArray[Any]) -> list[GameRecord]:
    if values.dtype != np.float64 or len(values) != len(records):
        raise RecordError(f"the column {option} is not one number of eight bytes for each game")
    try:
        ids = {value: Game.parse(f"{records[0].game},{option}={value:.10g}").id for value in set(values.tolist())}
    except GameError as error:
        raise RecordError(str(error)) from None
    return [replace(record, game=ids[value]) for record, value in zip(records, values.tolist(), strict=True)]


def _parse_game(id: str) -> Game:
    try:
        game = Game.parse(id)
    except GameError as error:
        raise RecordError(str(error)) from None
    if game.id != id:
        raise RecordError(f"a record of {id!r}, whose canonical id is {game.id}")
    return game


def _decompress(frame: memoryview, size: int) -> bytes:
    """Unpacks a frame that must hold exactly `size` bytes; never makes more than that, whatever the frame says."""
    unpacker = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: WINDOW_LOG})
    try:
        body = unpacker.decompress(frame, max_length=size + 1)
    except zstd.ZstdError as error:
        raise RecordError(f"the body of the chunk is damaged: {error}") from None
    if len(body) != size or not unpacker.eof or unpacker.unused_data:
        raise RecordError(f"the body of the chunk is not one frame of {size} bytes")
    return body


def _unpack_body(body: bytes, header: AnyHeader) -> Columns:
    columns: dict[str, NDArray[Any]] = {}
    offset = 0
    for name, dtype, length in header.layout():
        column = np.frombuffer(body, dtype, length, offset)
        if dtype == np.bool_ and (column.view(np.uint8) > 1).any():
            raise RecordError(f"{name} is neither 0 nor 1")
        columns[name] = column.astype(dtype.newbyteorder("="))  # a copy: in the body columns are not aligned
        offset += column.nbytes
    return columns
