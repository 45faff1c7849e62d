"""Network files changed at random, field by field at any depth, and given to the door; what passes is run.

python -m support.networkfuzz CASES SEED, in a folder of its own: prints what happened as JSON. A process of its own, so
that a
crash is seen, memory is measured and every file that is opened is known.
"""

import ctypes
import hashlib
import json
import os
import random
import resource
import struct
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from support.networks import make_test_network
from support.strangers import CHANGES, changed
from tengen.config import SearchConfig
from tengen.games import Family, Game, GameError
from tengen.net.evaluator import Batch, make_evaluator
from tengen.net.file import NetworkError, NetworkFile
from tengen.net.protobuf import message, number_field, tag, varint
from tengen.net.tower.export import sample_planes, to_onnx
from tengen.search.agent import Agent

FAMILIES = [Family.parse("tictactoe"), Family.parse("hex:3-4,swap=on")]
DEVICES = ("openvino", "onnxruntime", "torch")
BAITS = ("secret.txt", "planes", ".ssh/id_rsa")  # files that a network might ask for
LOCATIONS = (*BAITS, "./secret.txt", "*/_ORT_MEM_ADDR_/*", "/proc/self/environ")

# Which fields of a message are messages: of ONNX's ModelProto, as far as networks have them.
VALUE: Any = {2: {1: {2: {1: {}}}}}
SCHEMA: Any = {7: {1: {5: {}}, 5: {}, 11: VALUE, 12: VALUE}, 8: {}, 14: {}}
GRAPH, METADATA, TENSOR, RAW_DATA = 7, 14, 5, 9

OUTSIDE = [message(13, message(1, b"location") + message(2, place.encode())) for place in LOCATIONS]
EXTERNAL = number_field(14, 1)
TENSORS = [number_field(1, 1) + number_field(2, 2) + message(8, b"t") + each + EXTERNAL for each in OUTSIDE]
# Fields that do not belong there: external data, attributes with tensors and graphs, functions, training, annotations.
STRANGE = [
    *OUTSIDE,
    EXTERNAL,
    *(message(field, tensor) for field in (5, 15, 22) for tensor in TENSORS),
    *(message(field, message(5, TENSORS[0])) for field in (6, 7, 20, 25)),
    *(message(field, b"hello") for field in (3, 4, 6, 7, 8, 10, 13, 14, 16, 99)),
    *(number_field(field, value) for field in (1, 2, 3, 7, 14, 20, 99) for value in (0, 1, 1 << 31, (1 << 64) - 1)),
    *(b"\x1b\x1c", b"\x0d1234", b"\x0912345678", b"\x00", b"\xff" * 11, tag(9) + varint(1 << 40)),
]
TEXTS = (
    *(b"Expand", b"CumSum", b"If", b"Loop", b"Constant", b"Gather", b"Relu", b"planes", b"policy", b"wdl", b"axis"),
    *(
        b"",
        b"\xff",
        b"a" * 1000,
        b"connect4",
        b"go:19",
        b"hex:4",
        b"hex:3-5,swap=on",
        b"hex:3-19,swap=on",
        b"1024x100",
        b"8x1",
        b"int8",
        b"f32",
        b"9" * 5000,
    ),
)


@dataclass
class Field:
    number: int
    kind: int
    value: Any  # int, bytes, or fields
    raw: bytes = b""  # what stands there instead


Tree = list[Field]


def read_tree(data: bytes, schema: Any) -> Tree:
    """A well-formed message."""
    at, tree = 0, Tree()

    def read() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = read()
        value: Any = read()
        if key & 7 == 2:
            at, value = at + value, data[at : at + value]
            if key >> 3 in schema:
                value = read_tree(value, schema[key >> 3])
        tree.append(Field(key >> 3, key & 7, value))
    return tree


def write_tree(tree: Tree) -> bytes:
    return b"".join([write_field(field) for field in tree])


def write_field(field: Field) -> bytes:
    if field.raw:
        return field.raw
    if field.kind == 0:
        return number_field(field.number, field.value)
    return message(field.number, write_tree(field.value) if isinstance(field.value, list) else field.value)


def copied(tree: Tree) -> Tree:
    return [
        Field(
            field.number, field.kind, copied(field.value) if isinstance(field.value, list) else field.value, field.raw
        )
        for field in tree
    ]


def change(rng: random.Random, model: Tree) -> None:
    """One change somewhere."""
    trees = [model, *(tree for field in model if isinstance(field.value, list) for tree in all_trees(field.value))]
    tree = rng.choice(trees)
    if not tree:
        return
    at, other = rng.randrange(len(tree)), rng.randrange(len(tree))
    field = tree[at]
    match rng.choice(("drop", "double", "swap", "insert", "insert", "move", "long", "raw", "number", "value", "value")):
        case "drop":
            del tree[at]
        case "double":
            tree.insert(other, *copied([field]))
        case "swap":
            tree[at], tree[other] = tree[other], tree[at]
        case "insert":
            tree.insert(at, Field(0, 0, 0, rng.choice(STRANGE)))
        case "move":
            rng.choice(trees).append(tree.pop(at))
        case "long":  # a number in more bytes than it needs
            data = write_field(field)
            field.raw = bytes([data[0] | 0x80, 0]) + data[1:]
        case "raw":
            damaged = bytearray(write_field(field)[:2000])
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            field.raw = bytes(damaged[: rng.choice((len(damaged), rng.randrange(1, len(damaged) + 1)))])
        case "number":
            field.number = rng.choice((*range(1, 30), 1 << 20))
        case "value":
            change_value(rng, field)


def all_trees(tree: Tree) -> list[Tree]:
    return [tree, *(each for field in tree if isinstance(field.value, list) for each in all_trees(field.value))]


def change_value(rng: random.Random, field: Field) -> None:
    if isinstance(field.value, int):
        values = (0, 1, field.value + 1, field.value ^ 1 << rng.randrange(63), 1 << 31, (1 << 63) - 1, (1 << 64) - 1)
        field.value = rng.choice(values)
    elif isinstance(field.value, bytes):
        cut = field.value[: rng.randrange(len(field.value) + 1)]
        field.value = rng.choice((*TEXTS, cut, field.value + b"\x00"))


def change_weights(rng: random.Random, model: Tree) -> None:
    """Other numbers: the only change that leaves a network a network."""
    (graph,) = (field.value for field in model if field.number == GRAPH)
    tensor = rng.choice([field.value for field in graph if field.number == TENSOR])
    (content,) = (field for field in tensor if field.number == RAW_DATA)
    data = bytearray(content.value)
    for _ in range(rng.choice((1, 3, 30))):
        some = rng.choice((rng.randbytes(4), struct.pack("<f", rng.choice((0, 1, -1, 1e-42, 3e38, -3e38, 1e9)))))
        at = rng.randrange(0, len(data), 4)
        data[at : at + 4] = some[: len(data) - at]
    content.value = bytes(data)


def name_hash(model: Tree) -> None:
    """Names the hash that the graph has now, so that it is not this that is refused."""
    graphs = [field for field in model if field.number == GRAPH and not field.raw]
    for entry in (field.value for field in model if field.number == METADATA and isinstance(field.value, list)):
        if graphs and len(entry) == 2 and entry[0].value == b"network_hash":
            content = graphs[-1].value
            content = write_tree(content) if isinstance(content, list) else content
            entry[1].value = hashlib.sha256(content).hexdigest().encode() if isinstance(content, bytes) else b""


def mutated(rng: random.Random, bases: list[Tree], hostile: list[Tree]) -> bytes:
    if rng.random() < 0.04:
        model = copied(rng.choice(bases))
        change_weights(rng, model)
    else:
        model = copied(rng.choice(hostile if rng.random() < 0.2 else bases))
        for _ in range(rng.choice((1, 1, 2, 4))):
            change(rng, model)
    if rng.random() < 0.95:
        name_hash(model)
    return write_tree(model)


def run(file: NetworkFile, found: Counter[str]) -> None:
    for game in file.family.games:
        run_game(file, game, found)


def run_game(file: NetworkFile, game: Game, found: Counter[str]) -> None:
    """Every backend answers in the right shape, and a search takes the answers or says why not."""
    planes = sample_planes(game, 3)
    for device in DEVICES if file.precision == "f32" else DEVICES[:2]:
        evaluator = make_evaluator(file, game, device, 1)
        answer = [array for array in evaluator(Batch(planes, np.zeros(3, np.uint64))) if array is not None]
        shapes: list[tuple[int, ...]] = [(3, game.num_actions), (3, 3), (3,)]
        assert [array.shape for array in answer] == shapes + [(3,)] * file.counted
        assert all(array.dtype == np.float32 for array in answer)
        finite = all(np.isfinite(array).all() for array in answer)
        found[f"{device} {'answers' if finite else 'overflows'}"] += 1
        try:
            Agent(game, evaluator, SearchConfig(sims=4, cache_mb=0), threads=1).analyze(game.start())
        except GameError as error:
            assert "finite" in str(error), error


class Watch:
    """Notes every file that Python opens, and every bait that anything in this process opens."""

    def __init__(self) -> None:
        self.on, self.opened = False, list[str]()
        sys.addaudithook(self._hear)
        self._c = ctypes.CDLL(None, use_errno=True)
        self._events = self._c.inotify_init1(os.O_NONBLOCK)
        for bait in map(Path, BAITS):
            bait.parent.mkdir(exist_ok=True)
            bait.write_bytes(b"secret" * 100)
            assert self._c.inotify_add_watch(self._events, os.fsencode(bait), 0x20 | 0x1) >= 0  # IN_OPEN | IN_ACCESS
        assert self._seen() == b""
        Path(BAITS[0]).read_bytes()
        assert self._seen() != b"", "the watch does not see"

    def _hear(self, event: str, details: tuple[object, ...]) -> None:
        if self.on and event == "open":
            self.opened.append(str(details[0]))

    def _seen(self) -> bytes:
        try:
            return os.read(self._events, 1 << 16)
        except BlockingIOError:
            return b""

    def found(self) -> list[str]:
        return self.opened + (["a bait"] if self._seen() else [])


def main(cases: int, seed: int) -> None:
    files = []
    for family in FAMILIES:
        network, seen = make_test_network(family, "4x2"), [sample_planes(game, 8) for game in family.games]
        files += [to_onnx(network, family), to_onnx(network, family, calibration=seen)]
    bases = [read_tree(file.data, SCHEMA) for file in files]
    assert [write_tree(base) for base in bases] == [file.data for file in files]
    hostile = [read_tree(changed(file, made), SCHEMA) for file in files for made in CHANGES.values()]
    found: Counter[str] = Counter()
    for _ in range(3):  # everything is imported, and has the memory that it wants anyway
        for file in files:
            run(file, Counter())
    watch, before = Watch(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    watch.on = True
    for case in range(cases):
        rng = random.Random(f"{seed} {case}")
        data = mutated(rng, bases, hostile)
        try:
            file = NetworkFile.parse(data)
        except NetworkError as error:
            assert "\n" not in str(error) and len(str(error)) < 300, (case, error)
            found["refused: " + str(error).removeprefix("network: ").partition("(")[0].strip()[:30]] += 1
            continue
        found["taken"] += 1
        if all(data != each.data for each in files):
            try:
                run(file, found)
            except Exception as error:
                raise AssertionError(f"case {case} of seed {seed}") from error
    watch.on = False
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"found": found, "opened": watch.found(), "grown_kib": grown}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
