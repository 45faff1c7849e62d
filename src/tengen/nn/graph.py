"""Writes a folded network as an ONNX graph, operator by operator.

The network needs a dozen kinds of operators, so writing them out is shorter than steering torch's exporter, takes
milliseconds at every release instead of seconds, needs no further package, and gives the same bytes for the same
weights.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from tengen.nn.quantize import Ranges, quantize_range, quantize_weight
from tengen.nn.shape import NetworkShape

OPSET = 17  # 2022: what every runtime of the last years reads
IR_VERSION = 8

Weights = Mapping[str, NDArray[np.float32]]


class _Writer:
    def __init__(self, weights: Weights, ranges: Ranges) -> None:
        self.weights, self.ranges = weights, ranges
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []

    def add(self, kind: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.initializers.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def conv(self, x: str, name: str) -> str:
        kernel = self.weights[f"{name}.weight"].shape[2]
        x, weight = self.in_bytes(x, name) if name in self.ranges else (x, self.weight(f"{name}.weight"))
        inputs = [x, weight, self.weight(f"{name}.bias")]
        return self.add("Conv", inputs, name, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)

    def in_bytes(self, x: str, name: str) -> tuple[str, str]:
        """Input and weight of a convolution, rounded to 8 bits and back: runtimes see the pattern and use integers."""
        scale, zero = quantize_range(*self.ranges[name])
        step = [self.constant(f"{name}.scale", np.array(scale)), self.constant(f"{name}.zero", np.array(zero))]
        rounded = self.add("QuantizeLinear", [x, *step], f"{name}.quantized")
        x = self.add("DequantizeLinear", [rounded, *step], f"{name}.dequantized")
        integers, scales = quantize_weight(self.weights[f"{name}.weight"])
        parts = [
            self.constant(f"{name}.weight.int8", integers),
            self.constant(f"{name}.weight.scale", scales),
            self.constant(f"{name}.weight.zero", np.zeros(len(scales), np.int8)),
        ]
        return x, self.add("DequantizeLinear", parts, f"{name}.weight", axis=0)

    def dense(self, x: str, name: str) -> str:
        return self.add("Gemm", [x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")], name, transB=1)

    def relu(self, x: str) -> str:
        return self.add("Relu", [x], f"{x}.relu")

    def flat(self, x: str) -> str:
        return self.add("Flatten", [x], f"{x}.flat", axis=1)


def make_graph(shape: NetworkShape, weights: Weights, ranges: Ranges | None = None) -> GraphProto:
    """The graph of `Network.answer`, for any batch size; convolutions that `ranges` names compute in 8 bits."""
    w = _Writer(weights, ranges or {})
    x = w.relu(w.conv("planes", "stem.conv"))
    for i in range(shape.blocks):
        x = _block(w, x, f"tower.{i}")
    _policy(w, w.relu(w.conv(x, "policy.hidden.conv")))
    hidden = w.flat(w.relu(w.conv(x, "value.hidden.conv")))
    hidden = w.relu(w.dense(hidden, "value.dense"))
    w.add("Softmax", [w.dense(hidden, "value.wdl")], "wdl", axis=1)
    by_class = w.add("Softmax", [w.dense(hidden, "value.plies")], "value.plies.softmax", axis=1)
    mean = w.add(
        "MatMul", [by_class, w.constant("bins", np.array(shape.bins, np.float32)[:, None])], "value.plies.mean"
    )
    w.add("Squeeze", [mean, w.constant("axis", np.array([1], np.int64))], "moves_left")
    return helper.make_graph(
        w.nodes,
        "tengen",
        [_array("planes", "batch", shape.planes, shape.rows, shape.cols)],
        [_array("policy", "batch", shape.actions), _array("wdl", "batch", 3), _array("moves_left", "batch")],
        w.initializers,
    )


def _block(w: _Writer, x: str, name: str) -> str:
    y = w.relu(w.conv(x, f"{name}.first.conv"))
    if f"{name}.pool.weight" in w.weights:
        pools = [w.add(f"Global{kind}Pool", [y], f"{name}.{kind}") for kind in ("Average", "Max")]
        bias = w.conv(w.add("Concat", pools, f"{name}.pools", axis=1), f"{name}.pool")
        y = w.add("Add", [y, bias], f"{name}.biased")
    return w.relu(w.add("Add", [w.conv(y, f"{name}.second.conv"), x], f"{name}.sum"))


def _policy(w: _Writer, x: str) -> None:
    parts = []
    if "policy.cells.weight" in w.weights:
        parts.append(w.flat(w.conv(x, "policy.cells")))
    if "policy.others.weight" in w.weights:
        parts.append(w.dense(w.flat(x), "policy.others"))
    w.add("Concat", parts, "policy", axis=1)


def _array(name: str, *shape: int | str) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))
