"""Network files as a stranger might write them: each is a real network with something in it that does not belong there,
and names the hash that it has."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, TrainingInfoProto, helper, load_from_string
from onnx import numpy_helper as arrays

from tengen.net.file import NetworkFile
from tengen.net.protobuf import fields, message, number_field, tag, varint

SECRET = Path("secret.txt")  # in the working directory of whoever loads the file
GRAPH = 7

Change = Callable[[ModelProto], None]


def with_hash(model: ModelProto) -> bytes:
    """The file, with the hash of its own graph."""
    graph = model.graph.SerializeToString(deterministic=True)
    (entry,) = (entry for entry in model.metadata_props if entry.key == "network_hash")
    entry.value = hashlib.sha256(graph).hexdigest()
    return bytes(model.SerializeToString(deterministic=True))


def changed(file: NetworkFile, change: Change) -> bytes:
    model = load_from_string(file.data)
    change(model)
    return with_hash(model)


def outside(location: str, name: str = "secret") -> TensorProto:
    """Four bytes that lie somewhere else."""
    tensor = TensorProto(name=name, data_type=TensorProto.UINT8, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", "0"), ("length", "4")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def moves_left_from(model: ModelProto, tensor: str, *before: NodeProto) -> None:
    """The moves-left head answers with the third of four numbers."""
    (head,) = [node for node in model.graph.node if node.output == ["moves_left"]]
    head.output[0] = "left"
    model.graph.initializer.extend(
        [arrays.from_array(np.array(2), "at"), arrays.from_array(np.array(0, np.float32), "nil")]
    )
    model.graph.node.extend(
        [
            *before,
            helper.make_node("Gather", [tensor, "at"], ["byte"]),
            helper.make_node("Cast", ["byte"], ["told"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["left", "nil"], ["none"]),
            helper.make_node("Add", ["none", "told"], ["moves_left"]),
        ]
    )


def external_initializer(model: ModelProto) -> None:
    """The attack that the door was built against: a byte of a file, told as the number of moves left."""
    model.graph.initializer.append(outside(str(SECRET)))
    moves_left_from(model, "secret")


def external_weights(model: ModelProto) -> None:
    weights = model.graph.initializer[0]
    weights.ClearField("raw_data")
    weights.data_location = TensorProto.EXTERNAL
    weights.external_data.add(key="location", value=str(SECRET))


def memory_address(model: ModelProto) -> None:
    model.graph.initializer.append(outside("*/_ORT_MEM_ADDR_/*"))
    moves_left_from(model, "secret")


def external_attribute(model: ModelProto) -> None:
    constant = helper.make_node("Constant", [], ["secret"])
    constant.attribute.add(name="value", type=AttributeProto.TENSOR, t=outside(str(SECRET)))
    moves_left_from(model, "secret", constant)


def sparse_initializer(model: ModelProto) -> None:
    sparse = model.graph.sparse_initializer.add(dims=[4])
    sparse.values.CopyFrom(outside(str(SECRET)))
    sparse.indices.CopyFrom(arrays.from_array(np.arange(4), "indices"))


def subgraph(model: ModelProto) -> None:
    value = helper.make_tensor_value_info("told", TensorProto.UINT8, [4])
    body = helper.make_graph([], "body", [], [value], [outside(str(SECRET), "told")])
    choice = helper.make_node("If", ["yes"], ["secret"], then_branch=body, else_branch=body)
    model.graph.initializer.append(arrays.from_array(np.array(True), "yes"))
    moves_left_from(model, "secret", choice)


def local_function(model: ModelProto) -> None:
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    model.functions.append(helper.make_function("mine", "F", ["x"], ["y"], nodes, [helper.make_opsetid("", 17)]))
    other_domain(model)


def other_domain(model: ModelProto) -> None:
    model.opset_import.append(helper.make_opsetid("mine", 1))
    model.graph.node[1].op_type, model.graph.node[1].domain = "F", "mine"


def training_info(model: ModelProto) -> None:
    model.training_info.append(TrainingInfoProto())


def bomb(model: ModelProto) -> None:
    """A small file that takes gigabytes as soon as it is run."""
    for name, value in (("size", np.array([1 << 29])), ("one", np.array(1, np.float32)), ("zero", np.array(0))):
        model.graph.initializer.append(arrays.from_array(value, name))
    nodes = [
        helper.make_node("Expand", ["one", "size"], ["ones"]),
        helper.make_node("CumSum", ["ones", "zero"], ["secret"]),
    ]
    moves_left_from(model, "secret", *nodes)


def huge_shape(model: ModelProto) -> None:
    model.graph.initializer[0].dims[0] = 1 << 40


def other_shape(model: ModelProto) -> None:
    weights = next(each for each in model.graph.initializer if len(each.dims) == 2)
    weights.dims[:] = reversed(weights.dims)


def typed_data(model: ModelProto) -> None:
    weights = model.graph.initializer[0]
    weights.float_data.extend(np.frombuffer(weights.raw_data, np.float32).tolist())
    weights.ClearField("raw_data")


def other_operator(model: ModelProto) -> None:
    model.graph.node[1].op_type = "Sigmoid"


def other_attribute(model: ModelProto) -> None:
    model.graph.node[0].attribute[1].ints[0] = 1 << 30


def one_node_more(model: ModelProto) -> None:
    model.graph.node.append(helper.make_node("Relu", ["wdl"], ["more"]))


def one_output_more(model: ModelProto) -> None:
    model.graph.output.append(helper.make_tensor_value_info("stem.conv", TensorProto.FLOAT, None))


def other_output(model: ModelProto) -> None:
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value += 1


def quantization(model: ModelProto) -> None:
    model.graph.quantization_annotation.add(tensor_name="wdl")


def remarks(model: ModelProto) -> None:
    model.graph.node[0].doc_string = "hello"


def remarks_outside_the_graph(model: ModelProto) -> None:
    model.doc_string = "hello"


def other_metadata(model: ModelProto) -> None:
    model.metadata_props.add(key="hello", value="world")


def other_size(model: ModelProto) -> None:
    (entry,) = (entry for entry in model.metadata_props if entry.key == "size")
    entry.value = "1024x100"


def not_a_number(model: ModelProto) -> None:
    weights = model.graph.initializer[0]
    weights.raw_data = b"\xff" * len(weights.raw_data)


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        *(external_initializer, external_weights, memory_address, external_attribute, sparse_initializer, subgraph),
        *(local_function, other_domain, training_info, bomb, huge_shape, other_shape, typed_data, other_operator),
        *(other_attribute, one_node_more, one_output_more, other_output, quantization, remarks),
        *(remarks_outside_the_graph, other_metadata, other_size, not_a_number),
    )
}


def ambiguous(file: NetworkFile) -> dict[str, bytes]:
    """Files that two readers may read in two ways. A runtime merges messages that come twice and takes the last of two
    numbers; the bytes of another form are shorter or longer than they must be."""
    graph = bytes(dict(fields(file.data))[GRAPH])
    head = file.data[: file.data.index(graph) - len(tag(GRAPH) + varint(len(graph)))]
    tail = file.data[file.data.index(graph) + len(graph) :]
    attack = load_from_string(changed(file, external_initializer)).graph.SerializeToString()
    right = message(GRAPH, graph)
    return {
        "graph twice, right one last": head + message(GRAPH, attack) + right + tail,
        "graph twice, right one first": head + right + message(GRAPH, attack) + tail,
        "more of the graph at the end": head + right + tail + message(GRAPH, message(10, b"hello")),
        "graph in two parts": head + message(GRAPH, b"") + right + tail,
        "version twice": number_field(1, 7) + file.data,
        "unknown field": file.data + number_field(99, 1),
        "longer number": head + tag(GRAPH) + longer(len(graph)) + graph + tail,
        "metadata twice": file.data + message(14, message(1, b"step") + message(2, b"1")),
        "metadata first": tail + head + right,
        "group": head + b"\x1b\x1c" + right + tail,
        "rest": file.data + b"\x00",
    }


def longer(value: int) -> bytes:
    """A number with an empty byte more than it needs."""
    return varint(value | 1 << 7 * len(varint(value)))[:-1] + b"\x00"
