"""The graph of a network: one description, by which files are written and by which strangers' files are checked.

An ONNX file can hold any program: operators that take all memory, weights that lie in other files of whoever loads it.
So nothing in a file is looked up here. From the shape and the precision of a network follow all bytes of its graph but
the numbers in its weights; writing fills these in, and reading compares everything else, byte by byte. What a runtime
then sees is a graph that this program would have written itself.

The bytes are written here, not by the onnx package: they depend on nobody's version, and playing needs no such package.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen.net.protobuf import message, number_field, tag, varint
from tengen.net.shape import MIDDLE_SIDE, POLICY_CHANNELS, SIDE_STEP, VALUE_HIDDEN, NetworkShape

__all__ = ["Array", "Graph", "GraphNode", "describe_graph", "read_graph", "weight_bytes", "write_graph"]

TYPES = {"<f4": 1, "|u1": 2, "|i1": 3, "<i8": 7}  # numpy's names, ONNX's numbers
INT, INTS = 2, 7  # ONNX's types of attributes
SCALES = (1e-20, 1e20)  # of 8-bit numbers: what is written is far inside

Arrays = Mapping[str, NDArray[Any]]


class Array(NamedTuple):
    """Numbers in the file (an initializer)."""

    name: str
    type: str
    shape: tuple[int, ...]
    value: bytes | None  # None: weights, each network has its own

    @property
    def bytes(self) -> int:
        return prod(self.shape) * np.dtype(self.type).itemsize


class GraphNode(NamedTuple):
    """An operator with one output, which has its name."""

    kind: str
    inputs: tuple[str, ...]
    name: str
    attributes: dict[str, int | list[int]]


class Graph(NamedTuple):
    nodes: list[GraphNode]
    arrays: list[Array]
    planes: tuple[int | str, ...]  # the input's shape, without the batch; a name for what is free
    answers: dict[str, tuple[int | str, ...]]  # the outputs' shapes, without the batch


def describe_graph(shape: NetworkShape, precision: str) -> Graph:
    """The graph of `Network.answer` in nn/model.py, folded, for any batch size, and for any board where it is
    free. int8 is for the tower alone."""
    return _Describer(shape, precision == "int8").graph()


class _Describer:
    def __init__(self, shape: NetworkShape, in_bytes: bool) -> None:
        self.shape, self.in_bytes = shape, in_bytes
        self.nodes: list[GraphNode] = []
        self.arrays: list[Array] = []

    def graph(self) -> Graph:
        shape = self.shape
        x = self.relu(self.conv("planes", "stem.conv", shape.planes, shape.channels, 3))
        if shape.free:
            self.describe_size()
        for i in range(shape.blocks):
            x = self.block(x, f"tower.{i}", pooled=i % 2 == 1)
        self.policy(self.relu(self.conv(x, "policy.hidden.conv", shape.channels, POLICY_CHANNELS, 1)))
        hidden = self.relu(self.conv(x, "value.hidden.conv", shape.channels, shape.value_channels, 1))
        board = self.whole_board(hidden, "value")
        if shape.counted:
            owners = self.conv(hidden, "value.owners", shape.value_channels, 1, 1)
        hidden = self.relu(self.dense(board, "value.dense", shape.value_channels * shape.seen, VALUE_HIDDEN))
        self.add("Softmax", [self.dense(hidden, "value.wdl", VALUE_HIDDEN, 3)], "wdl", axis=1)
        classes = len(shape.bins)
        by_class = self.dense(hidden, "value.plies", VALUE_HIDDEN, classes)
        by_class = self.add("Softmax", [by_class], "value.plies.softmax", axis=1)
        plies = self.array("bins", "<f4", classes, 1, value=np.array(shape.bins, "<f4").tobytes())
        mean = self.add("MatMul", [by_class, plies], "value.plies.mean")
        axis = self.array("axis", "<i8", 1, value=np.array([1], "<i8").tobytes())
        self.add("Squeeze", [mean, axis], "moves_left")
        if shape.counted:
            self.lead(hidden, axis)
            self.add("Flatten", [self.add("Tanh", [owners], "value.owners.tanh")], "owners", axis=1)
        actions: int | str = "actions" if shape.free else shape.actions
        sides: tuple[int | str, ...] = ("rows", "cols") if shape.free else (shape.rows, shape.cols)
        answers: dict[str, tuple[int | str, ...]] = {"policy": (actions,), "wdl": (3,), "moves_left": ()}
        if shape.counted:
            answers |= {"lead": (), "owners": ("cells" if shape.free else shape.cells,)}
        return Graph(self.nodes, self.arrays, (shape.planes, *sides), answers)

    def lead(self, hidden: str, axis: str) -> None:
        """In points: the layer's number times the side of the board."""
        side = "size.real"
        if not self.shape.free:
            side = self.array("side", "<f4", 1, value=np.array([self.shape.rows], "<f4").tobytes())
        points = self.add("Mul", [self.dense(hidden, "value.lead", VALUE_HIDDEN, 1), side], "value.lead.points")
        self.add("Squeeze", [points, axis], "lead")

    def describe_size(self) -> None:
        """The size of the board, as one number: it is taken from the planes, so that nobody need say it."""
        side = self.add("Shape", ["planes"], "size.side", start=2, end=3)
        side = self.add("Cast", [side], "size.real", to=TYPES["<f4"])
        middle = self.array("size.middle", "<f4", 1, value=np.array([MIDDLE_SIDE], "<f4").tobytes())
        step = self.array("size.step", "<f4", 1, value=np.array([SIDE_STEP], "<f4").tobytes())
        self.add("Div", [self.add("Sub", [side, middle], "size.difference"), step], "size")

    def block(self, x: str, name: str, pooled: bool) -> str:
        channels = self.shape.channels
        y = self.relu(self.conv(x, f"{name}.first.conv", channels, channels, 3, self.in_bytes))
        if pooled:
            bias = self.conv(self.pools(y, name), f"{name}.pool", self.shape.pools * channels, channels, 1)
            y = self.add("Add", [y, bias], f"{name}.biased")
        y = self.conv(y, f"{name}.second.conv", channels, channels, 3, self.in_bytes)
        return self.relu(self.add("Add", [y, x], f"{name}.sum"))

    def pools(self, x: str, name: str) -> str:
        mean, most = (self.add(f"Global{kind}Pool", [x], f"{name}.{kind}") for kind in ("Average", "Max"))
        sized = [self.add("Mul", [mean, "size"], f"{name}.Sized")] if self.shape.free else []
        return self.add("Concat", [mean, *sized, most], f"{name}.pools", axis=1)

    def whole_board(self, x: str, name: str) -> str:
        return self.flat(self.pools(x, name) if self.shape.free else x)

    def policy(self, x: str) -> None:
        shape, parts = self.shape, []
        if shape.kinds:
            cells = self.conv(x, "policy.cells", POLICY_CHANNELS, shape.kinds, 1)
            if shape.kinds > 1:  # cell by cell, its kinds together
                cells = self.add("Transpose", [cells], "policy.kinds", perm=[0, 2, 3, 1])
            parts.append(self.flat(cells))
        if others := shape.actions - shape.cell_actions:
            board = self.whole_board(x, "policy")
            parts.append(self.dense(board, "policy.others", POLICY_CHANNELS * shape.seen, others))
        self.add("Concat", parts, "policy", axis=1)

    def conv(self, x: str, name: str, inputs: int, outputs: int, kernel: int, in_bytes: bool = False) -> str:
        shape = (outputs, inputs, kernel, kernel)
        if in_bytes:
            x, weight = self.rounded(x, name, shape)
        else:
            weight = self.array(f"{name}.weight", "<f4", *shape)
        bias = self.array(f"{name}.bias", "<f4", outputs)
        return self.add("Conv", [x, weight, bias], name, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)

    def rounded(self, x: str, name: str, shape: tuple[int, ...]) -> tuple[str, str]:
        """Input and weight of a convolution, rounded to 8 bits and back: runtimes see the pattern and use integers."""
        step = [self.array(f"{name}.scale", "<f4"), self.array(f"{name}.zero", "|u1")]
        whole = self.add("QuantizeLinear", [x, *step], f"{name}.quantized")
        x = self.add("DequantizeLinear", [whole, *step], f"{name}.dequantized")
        parts = [
            self.array(f"{name}.weight.int8", "|i1", *shape),
            self.array(f"{name}.weight.scale", "<f4", shape[0]),
            self.array(f"{name}.weight.zero", "|i1", shape[0], value=bytes(shape[0])),
        ]
        return x, self.add("DequantizeLinear", parts, f"{name}.weight", axis=0)

    def dense(self, x: str, name: str, inputs: int, outputs: int) -> str:
        weight = self.array(f"{name}.weight", "<f4", outputs, inputs)
        return self.add("Gemm", [x, weight, self.array(f"{name}.bias", "<f4", outputs)], name, transB=1)

    def relu(self, x: str) -> str:
        return self.add("Relu", [x], f"{x}.relu")

    def flat(self, x: str) -> str:
        return self.add("Flatten", [x], f"{x}.flat", axis=1)

    def add(self, kind: str, inputs: Sequence[str], name: str, **attributes: int | list[int]) -> str:
        self.nodes.append(GraphNode(kind, tuple(inputs), name, attributes))
        return name

    def array(self, name: str, type: str, *shape: int, value: bytes | None = None) -> str:
        self.arrays.append(Array(name, type, shape, value))
        return name


def weight_bytes(shape: NetworkShape) -> int:
    """What the weights of a network take, folded and in 32 bits."""
    return sum(array.bytes for array in describe_graph(shape, "f32").arrays)


def write_graph(shape: NetworkShape, precision: str, weights: Arrays) -> bytes:
    """An ONNX GraphProto. Raises ValueError for weights that are not those of the graph."""
    parts = []
    for part in _template(shape, precision):
        if isinstance(part, Array):
            given = weights[part.name]
            if given.shape != part.shape or given.dtype != np.dtype(part.type):
                raise ValueError(
                    f"{part.name} is {given.dtype} of shape {given.shape}, not {part.type} of {part.shape}"
                )
            part = given.astype(part.type, copy=False).tobytes()
        parts.append(part)
    return b"".join(parts)


def read_graph(shape: NetworkShape, precision: str, data: memoryview) -> Arrays:
    """The weights of a graph, as views. Raises ValueError for one that `write_graph` would not have written."""
    parts = _template(shape, precision)
    if len(data) != sum(part.bytes if isinstance(part, Array) else len(part) for part in parts):
        raise ValueError("another length")
    weights, at = {}, 0
    for part in parts:
        if isinstance(part, Array):
            values = np.frombuffer(data, part.type, prod(part.shape), at).reshape(part.shape)
            _check_values(part, values)
            weights[part.name] = values
            at += part.bytes
        else:
            if data[at : at + len(part)] != part:
                raise ValueError("another graph")
            at += len(part)
    return weights


def _check_values(array: Array, values: NDArray[Any]) -> None:
    """With any other number no answer would be one; runtimes also divide by scales."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("a weight that is no finite number")
    if array.name.endswith(".scale") and not SCALES[0] <= values.min() <= values.max() <= SCALES[1]:
        raise ValueError("a scale beyond all that occurs")


def _template(shape: NetworkShape, precision: str) -> list[bytes | Array]:
    """A GraphProto: what is always the same, with weights between."""
    graph = describe_graph(shape, precision)
    parts: list[bytes | Array] = [b"".join(message(1, _node(node)) for node in graph.nodes) + message(2, b"tengen")]
    for array in graph.arrays:
        head = b"".join(number_field(1, size) for size in array.shape) + number_field(2, TYPES[array.type])
        head += message(8, array.name.encode()) + tag(9, 2) + varint(array.bytes)
        parts.append(tag(5, 2) + varint(len(head) + array.bytes) + head)
        parts.append(array if array.value is None else array.value)
    parts.append(message(11, _value("planes", graph.planes)))
    parts += [message(12, _value(name, size)) for name, size in graph.answers.items()]
    return parts


def _node(node: GraphNode) -> bytes:
    """A NodeProto."""
    attributes = []
    for name, value in node.attributes.items():
        numbers = [number_field(8, item) for item in value] if isinstance(value, list) else [number_field(3, value)]
        type = number_field(20, INTS if isinstance(value, list) else INT)
        attributes.append(message(5, message(1, name.encode()) + b"".join(numbers) + type))
    inputs = b"".join(message(1, name.encode()) for name in node.inputs)
    named = message(2, node.name.encode()) + message(3, node.name.encode())
    return inputs + named + message(4, node.kind.encode()) + b"".join(attributes)


def _value(name: str, shape: tuple[int | str, ...]) -> bytes:
    """A ValueInfoProto: float32, the batch first."""
    sizes = [
        number_field(1, size) if isinstance(size, int) else message(2, size.encode()) for size in ("batch", *shape)
    ]
    dimensions = b"".join(message(1, size) for size in sizes)
    return message(1, name.encode()) + message(2, message(1, number_field(1, TYPES["<f4"]) + message(2, dimensions)))
