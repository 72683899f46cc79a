"""Ways to damage a model: on its bytes, and on its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

import onnx
from onnx import numpy_helper

ABSURD = (0, -1, 1, 2**31 - 1, 2**31, 2**33, 2**40, 2**62, -(2**63), 65_536, 1_000_000)
"""Sizes that no sane file has at that place."""

PLACES = ("model.onnx", "absent.bin", "../model.onnx", "/etc/hostname", "", ".", "model.onnx\0", "a" * 9999)
"""Where a weight may claim to lie."""


def damaged(model: onnx.ModelProto, rng: Random) -> tuple[str, bytes]:
    """One file, and the name of what was done to it."""
    name = rng.choice((*OF_BYTES, *OF_PARTS))
    if name in OF_BYTES:
        return name, OF_BYTES[name](model.SerializeToString(), rng)
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for _ in range(rng.choice((1, 1, 2, 4))):
        OF_PARTS[name](copy, rng)
    return name, copy.SerializeToString()


def flipped_bits(data: bytes, rng: Random) -> bytes:
    """A few bits the other way round."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8, 64))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def truncated(data: bytes, rng: Random) -> bytes:
    """Cut short."""
    return data[: rng.randrange(len(data))]


def piece_lost(data: bytes, rng: Random) -> bytes:
    """A stretch missing in the middle."""
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.randrange(1, 64) :]


def piece_twice(data: bytes, rng: Random) -> bytes:
    """A stretch repeated."""
    start = rng.randrange(len(data))
    return data[: start + rng.randrange(1, 64)] + data[start:]


def overwritten(data: bytes, rng: Random) -> bytes:
    """A stretch of noise, zeros or ones."""
    start, length = rng.randrange(len(data)), rng.randrange(1, 32)
    filling = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length)))
    return data[:start] + filling + data[start + length :]


def weight_dims_swapped(model: onnx.ModelProto, rng: Random) -> None:
    """The shape of a weight in another order."""
    tensor = rng.choice(model.graph.initializer)
    dims = list(tensor.dims)
    rng.shuffle(dims)
    tensor.dims[:] = dims


def weight_dims_absurd(model: onnx.ModelProto, rng: Random) -> None:
    """One dimension of a weight beyond reason."""
    tensor = rng.choice(model.graph.initializer)
    if tensor.dims:
        tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(ABSURD)


def weight_type_changed(model: onnx.ModelProto, rng: Random) -> None:
    """The same bytes as another type."""
    rng.choice(model.graph.initializer).data_type = rng.randrange(0, 30)


def input_dims_absurd(model: onnx.ModelProto, rng: Random) -> None:
    """An input of a size that does not fit."""
    dims = rng.choice(model.graph.input).type.tensor_type.shape.dim
    if dims:
        rng.choice(dims).dim_value = rng.choice(ABSURD)


def sizes_absurd(model: onnx.ModelProto, rng: Random) -> None:
    """A size that the model computes with."""
    tensors = [t for t in model.graph.initializer if t.data_type == onnx.TensorProto.INT64]
    if tensors:
        tensor = rng.choice(tensors)
        array = numpy_helper.to_array(tensor).copy()
        array.reshape(-1)[rng.randrange(array.size)] = rng.choice(ABSURD)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def attribute_absurd(model: onnx.ModelProto, rng: Random) -> None:
    """An integer attribute beyond reason."""
    attributes = [a for node in _nodes(model.graph) for a in node.attribute]
    if attributes:
        attribute = rng.choice(attributes)
        if attribute.ints:
            attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(ABSURD)
        else:
            attribute.i = rng.choice(ABSURD)


def rewired(model: onnx.ModelProto, rng: Random) -> None:
    """A node that reads some other tensor: circles, wrong shapes and types."""
    nodes = list(_nodes(model.graph))
    node = rng.choice([each for each in nodes if each.input])
    names = [name for each in nodes for name in (*each.input, *each.output)] + ["nowhere", ""]
    node.input[rng.randrange(len(node.input))] = rng.choice(names)


def result_renamed(model: onnx.ModelProto, rng: Random) -> None:
    """A node that writes under the name of some other tensor."""
    nodes = list(_nodes(model.graph))
    node = rng.choice([each for each in nodes if each.output])
    node.output[rng.randrange(len(node.output))] = rng.choice([name for each in nodes for name in each.input] + [""])


def operator_changed(model: onnx.ModelProto, rng: Random) -> None:
    """A node that does something else."""
    nodes = list(_nodes(model.graph))
    node = rng.choice(nodes)
    node.op_type = rng.choice([each.op_type for each in nodes] + ["If", "Loop", "Scan", "Nothing", "", "Range"])
    node.domain = rng.choice(("", "", "", "ai.onnx", "com.microsoft", "nobody"))


def nodes_lost(model: onnx.ModelProto, rng: Random) -> None:
    """A node, weight, input or output that is missing."""
    part = rng.choice((model.graph.node, model.graph.initializer, model.graph.input, model.graph.output))
    if part:
        del part[rng.randrange(len(part))]


def nodes_twice(model: onnx.ModelProto, rng: Random) -> None:
    """A node, weight or input that is there twice."""
    part = rng.choice((model.graph.node, model.graph.initializer, model.graph.input))
    if part:
        part.append(rng.choice(part))


def versions_absurd(model: onnx.ModelProto, rng: Random) -> None:
    """Operator sets and format versions that don't exist."""
    if rng.random() < 0.5 and model.opset_import:
        rng.choice(model.opset_import).version = rng.choice((*range(-1, 40), *ABSURD))
    else:
        model.ir_version = rng.choice((*range(20), *ABSURD))


def bodies_nested(model: onnx.ModelProto, rng: Random) -> None:
    """The graph inside itself, many times."""
    for _ in range(rng.choice((1, 3, 20))):
        graph = onnx.GraphProto()
        graph.CopyFrom(model.graph)
        node = onnx.helper.make_node("If", [graph.node[0].output[0] if graph.node else "x"], ["deep"])
        for branch in ("then_branch", "else_branch"):
            node.attribute.add(name=branch, type=onnx.AttributeProto.GRAPH).g.CopyFrom(graph)
        if model.ByteSize() < 1 << 18:
            model.graph.node.append(node)
            model.graph.output.add(name="deep")


def data_elsewhere(model: onnx.ModelProto, rng: Random) -> None:
    """A weight that claims to lie in another file, or at a place that is not there."""
    tensor = rng.choice(model.graph.initializer)
    length = str(rng.choice((len(tensor.raw_data), *ABSURD)))
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    place = rng.choice(
        ("model.onnx", "absent.bin", "../model.onnx", "/etc/hostname", "", ".", "model.onnx\0", "a" * 9999)
    )
    for key, value in (("location", place), ("offset", str(rng.choice(ABSURD))), ("length", length)):
        tensor.external_data.add(key=key, value=value)


def function_circle(model: onnx.ModelProto, rng: Random) -> None:
    """A function that calls itself."""
    if model.functions:
        function = rng.choice(model.functions)
        node = rng.choice(function.node)
        node.op_type, node.domain = rng.choice(model.functions).name, function.domain


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """All nodes, those in bodies included."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)


OF_BYTES: Mapping[str, Callable[[bytes, Random], bytes]] = {
    made.__name__: made for made in (flipped_bits, truncated, piece_lost, piece_twice, overwritten)
}
OF_PARTS: Mapping[str, Callable[[onnx.ModelProto, Random], None]] = {
    made.__name__: made
    for made in (
        weight_dims_swapped, weight_dims_absurd, weight_type_changed, input_dims_absurd, sizes_absurd,
        attribute_absurd, rewired, result_renamed, operator_changed, nodes_lost, nodes_twice, versions_absurd,
        bodies_nested, data_elsewhere, function_circle,
    )
}  # fmt: skip
