"""Network files: ONNX that names its game, its inputs and itself, read here without any machine-learning package.

An ONNX file is a protobuf message. Its metadata are (key, value) texts in field 14 and its graph, weights included, is
field 7; `network_hash` is the SHA-256 of that field's bytes, so a damaged file is noticed before anything runs it.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tengen.games import Game, GameError
from tengen.preset import file_name

__all__ = ["SHIPPED", "NetworkError", "NetworkFile", "schema_hash", "shipped_games", "shipped_network"]

SHIPPED = Path(__file__).with_name("nets")

GRAPH, METADATA = 7, 14  # field numbers in ONNX's ModelProto
KEY, VALUE = 1, 2  # in StringStringEntryProto
KEYS = ("game", "schema", "network_hash", "step", "version", "size", "precision")
LARGEST = 1 << 30


class NetworkError(GameError):
    """A network that cannot be used: damaged, of another game, or with nothing here to run it."""


def schema_hash(game: Game) -> str:
    """Names the meaning of a game's planes: a network trained on others would see nonsense."""
    return hashlib.sha256(game.schema.encode()).hexdigest()[:16]


def shipped_network(game: Game) -> Path | None:
    """The network that comes with the package for a game, named by the game's id; None when there is none."""
    path = SHIPPED / f"{file_name(game.id)}.onnx"
    return path if path.is_file() else None


def shipped_games() -> list[str]:
    """The ids of the games for which a network comes with the package."""
    return sorted({NetworkFile.load(path).game for path in SHIPPED.glob("*.onnx")})


@dataclass(frozen=True)
class NetworkFile:
    """A network as stored."""

    name: str  # for messages: where it was read from
    data: bytes = field(repr=False)  # the whole file
    game: str  # canonical id
    schema: str
    hash: str  # 64 hex digits
    step: int  # of training
    version: str  # of the program that wrote it
    size: str  # CHANNELSxBLOCKS
    precision: str  # f32 or int8

    @classmethod
    def load(cls, path: Path | str, game: Game | None = None) -> Self:
        """Reads a file and checks it, also that it is for `game` if one is given. Raises NetworkError."""
        try:
            if Path(path).stat().st_size > LARGEST:
                raise NetworkError(f"{path}: too large for a network ({LARGEST >> 20} MiB at most)")
            data = Path(path).read_bytes()
        except OSError as error:
            raise NetworkError(f"{path}: {error.strerror or error}") from None
        network = cls.parse(data, str(path))
        if game is not None:
            network.check_game(game)
        return network

    @classmethod
    def parse(cls, data: bytes, name: str = "network") -> Self:
        """Like load, from bytes."""
        try:
            graph, metadata = b"", {}
            for number, value in _fields(data):
                if number == GRAPH:
                    graph = value
                elif number == METADATA:
                    entry = dict(_fields(value))
                    metadata[entry[KEY].decode()] = entry[VALUE].decode()
        except (ValueError, KeyError):
            raise NetworkError(f"{name}: not a network file, or a damaged one") from None
        missing = [key for key in KEYS if key not in metadata]
        if missing or not metadata["step"].isdecimal():
            raise NetworkError(f"{name}: not written by tengen (its metadata lack {', '.join(missing) or 'a step'})")
        if hashlib.sha256(graph).hexdigest() != metadata["network_hash"]:
            raise NetworkError(f"{name}: damaged (its contents do not have the hash it names)")
        return cls(
            name=name,
            data=data,
            game=metadata["game"],
            schema=metadata["schema"],
            hash=metadata["network_hash"],
            step=int(metadata["step"]),
            version=metadata["version"],
            size=metadata["size"],
            precision=metadata["precision"],
        )

    @property
    def network_hash(self) -> int:
        """The first 64 bits of the hash, as the search's cache wants them."""
        return int(self.hash[:16], 16)

    def check_game(self, game: Game) -> None:
        if self.game != game.id:
            raise NetworkError(f"{self.name}: this network plays {self.game}, not {game.id}")
        if self.schema != schema_hash(game):
            raise NetworkError(
                f"{self.name}: this network reads inputs {self.schema} of {self.game}, "
                f"this program gives {schema_hash(game)} of {game.id}"
            )


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The length-delimited fields of a protobuf message, as (number, bytes). Raises ValueError."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            _, at = _varint(data, at)
            continue
        size, at = _varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        if at + size > len(data):
            raise ValueError("cut short")
        if kind == 2:
            yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("cut short")
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    raise ValueError("not a number")
