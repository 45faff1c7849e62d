"""Network files: ONNX that names its game, its inputs and itself, read here without any machine-learning package.

This is the one door for networks, whoever sent them: what passes is, byte for byte, a file that this program could have
written, so its runtimes may be given it (graph.py says why that matters). Its metadata are texts; `network_hash` is
the SHA-256 of its graph, weights included, so a damaged file is noticed.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

from numpy.typing import NDArray

from tengen.games import Family, Game, GameError
from tengen.net.graph import Arrays, read_graph, write_graph
from tengen.net.protobuf import fields, message, number_field, tag, varint
from tengen.net.shape import NetworkShape
from tengen.preset import file_name

__all__ = ["SHIPPED", "NetworkError", "NetworkFile", "schema_hash", "shipped_games", "shipped_network"]

SHIPPED = Path(__file__).parent.parent / "data" / "nets"

GRAPH, METADATA = 7, 14  # field numbers in ONNX's ModelProto
KEY, VALUE = 1, 2  # in StringStringEntryProto
HEAD = number_field(1, 8) + message(2, b"tengen")  # ONNX's version of 2022, and who wrote it
OPERATORS = message(8, message(1, b"") + number_field(2, 17))  # of 2022 too: what every runtime of the last years reads
METADATA_TEXTS = {  # in the file's order
    "game": ".+",
    "schema": "[0-9a-f]{16}",
    "network_hash": "[0-9a-f]{64}",
    "step": "[0-9]{1,18}",
    "version": "[0-9a-z.+]{1,40}",
    "size": "[1-9][0-9]*x[1-9][0-9]*",
    "precision": "f32|int8",
}
HEADS = "lead,owners"  # one text more, `heads`, in files of networks that count; older ones do not have it
LONGEST = 200  # bytes of one of them, with its name
LARGEST = 1 << 30


class NetworkError(GameError):
    """A network that cannot be used: damaged, of another game, or with nothing here to run it."""


def schema_hash(game: Game | Family) -> str:
    """Names the meaning of a game's planes: a network trained on others would see nonsense."""
    return hashlib.sha256(game.schema.encode()).hexdigest()[:16]


def shipped_network(game: Game | Family) -> Path | None:
    """The network that comes with the package for a game: one of its size, else one of several; None when there is
    none. A file is named by the id of what it plays."""
    path = SHIPPED / f"{file_name(game.id)}.onnx"
    if path.is_file():
        return path
    if isinstance(game, Family):
        return None
    others = sorted(SHIPPED.glob(f"{game.name}-*.onnx"))
    return next((path for path in others if game in _shipped_family(path)), None)


def shipped_games() -> list[str]:
    """The ids of the games for which a network comes with the package."""
    return sorted({game.id for path in SHIPPED.glob("*.onnx") for game in _shipped_family(path).games})


@cache
def _shipped_family(path: Path) -> Family:
    return NetworkFile.load(path).family


@dataclass(frozen=True)
class NetworkFile:
    """A network as stored."""

    name: str  # for messages: where it was read from
    data: bytes = field(repr=False)  # the whole file
    game: str  # canonical id, of a game or of a family
    schema: str
    hash: str  # 64 hex digits
    step: int  # of training
    version: str  # of the program that wrote it
    size: str  # CHANNELSxBLOCKS
    precision: str  # f32 or int8
    counted: bool  # does it say the lead, and whose every cell will be?
    weights: Mapping[str, NDArray[Any]] = field(repr=False, compare=False)  # views of the data

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
            graph, metadata = _split(data)
        except ValueError:
            raise NetworkError(f"{name}: not a network file, or a damaged one") from None
        wrong = [key for key, text in METADATA_TEXTS.items() if not re.fullmatch(text, metadata.get(key, ""))]
        wrong += ["heads"] if metadata.get("heads", HEADS) != HEADS else []
        if wrong:
            raise NetworkError(f"{name}: not written by tengen (its metadata lack {', '.join(wrong)})")
        if hashlib.sha256(graph).hexdigest() != metadata["network_hash"]:
            raise NetworkError(f"{name}: damaged (its contents do not have the hash it names)")
        before, after = _around(len(graph), metadata)
        whole = data.startswith(before) and data.endswith(after)
        if not whole or len(data) != len(before) + len(graph) + len(after):
            raise NetworkError(f"{name}: not written by tengen (it holds more than a network)")
        shape, precision = _shape(name, metadata), metadata["precision"]
        try:
            weights = read_graph(shape, precision, graph)
        except ValueError as error:
            raise NetworkError(f"{name}: not a network of {shape.size} in {precision} ({error})") from None
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
            counted=shape.counted,
            weights=weights,
        )

    @classmethod
    def write(
        cls, game: Game | Family, shape: NetworkShape, precision: str, weights: Arrays, step: int, name: str
    ) -> Self:
        """The file of a network with these weights, which are those that `describe_graph` in graph.py names. The same
        weights give the same bytes."""
        from importlib.metadata import version  # slow to import, and playing does not need it

        graph = write_graph(shape, precision, weights)
        metadata = {
            "game": game.id,
            "schema": schema_hash(game),
            "network_hash": hashlib.sha256(graph).hexdigest(),
            "step": str(step),
            "version": version("tengen"),
            "size": shape.size,
            "precision": precision,
        } | ({"heads": HEADS} if shape.counted else {})
        before, after = _around(len(graph), metadata)
        return cls.parse(before + graph + after, name)

    @property
    def network_hash(self) -> int:
        """The first 64 bits of the hash, as the search's cache wants them."""
        return int(self.hash[:16], 16)

    @property
    def family(self) -> Family:
        """The sizes that it plays."""
        return Family.parse(self.game)

    def check_game(self, game: Game) -> None:
        if game not in self.family:
            raise NetworkError(f"{self.name}: this network plays {self.game}, not {game.id}")


def _split(data: bytes) -> tuple[memoryview, dict[str, str]]:
    """The graph and the metadata of an ONNX file, whatever else it holds. Raises ValueError."""
    graph, metadata = memoryview(b""), {}
    for field_number, content in fields(data):
        if field_number == GRAPH:
            graph = content
        elif field_number == METADATA:
            if len(content) > LONGEST:
                raise ValueError("a long text")
            entry = dict(fields(content))
            metadata[str(entry.get(KEY, b""), "utf-8")] = str(entry.get(VALUE, b""), "utf-8")
    return graph, metadata


def _around(graph: int, metadata: Mapping[str, str]) -> tuple[bytes, bytes]:
    """All that is in a file before a graph of so many bytes, and behind it."""
    names = [*METADATA_TEXTS, *(["heads"] if "heads" in metadata else [])]
    texts = [message(KEY, name.encode()) + message(VALUE, metadata[name].encode()) for name in names]
    return HEAD + tag(GRAPH) + varint(graph), OPERATORS + b"".join(message(METADATA, text) for text in texts)


def _shape(name: str, metadata: Mapping[str, str]) -> NetworkShape:
    """The shape that the metadata name. Raises NetworkError."""
    try:
        game = Family.parse(metadata["game"])
        shape = NetworkShape.of(game, metadata["size"], "heads" in metadata)
    except GameError as error:
        raise NetworkError(f"{name}: not a network for this program ({error})") from None
    if metadata["game"] != game.id:
        raise NetworkError(f"{name}: not written by tengen (it calls {game.id} {metadata['game']!r})")
    if metadata["schema"] != schema_hash(game):
        raise NetworkError(
            f"{name}: this network reads inputs {metadata['schema']} of {game.id}, "
            f"this program gives {schema_hash(game)}"
        )
    return shape
