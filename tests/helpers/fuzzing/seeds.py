"""Small sound models of many kinds: what the mutations start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

N = helper.make_node
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
Spec = tuple[int, Sequence[int | str]]


def seed_models() -> dict[str, onnx.ModelProto]:
    """By name."""
    makers = (picture, tokens, recurrent, branches, loop, quantized, sizes, function, sequences, calls)
    return {maker.__name__: maker() for maker in makers}


def picture() -> onnx.ModelProto:
    """Convolutions, BatchNorm, a residual, pooling, Gemm; free batch."""
    pad = {"pads": [1, 1, 1, 1]}
    nodes = [
        N("Conv", ["x", "w1"], ["c1"], "stem", strides=[2, 2], **pad),
        N("BatchNormalization", ["c1", "g", "b", "m", "v"], ["n1"]),
        N("Relu", ["n1"], ["r1"]),
        N("Conv", ["r1", "w2", "b"], ["c2"], "dw", group=8, **pad),
        N("Sigmoid", ["c2"], ["s"]),
        N("Mul", ["c2", "s"], ["a"]),
        N("Add", ["a", "r1"], ["t"]),
        N("MaxPool", ["t"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        N("GlobalAveragePool", ["p"], ["q"]),
        N("Flatten", ["q"], ["f"]),
        N("Gemm", ["f", "w3", "b3"], ["y"], "head", transB=1),
    ]
    constants = {"w1": f32(8, 3, 3, 3), "w2": f32(8, 1, 3, 3), "w3": f32(10, 8), "b3": f32(10)}
    constants |= {name: np.abs(f32(8)) + 1 for name in "gbmv"}
    return made(nodes, {"x": (FLOAT, ["batch", 3, 16, 16])}, ["y"], constants)


def sequences() -> onnx.ModelProto:
    """A sequence input, a sequence and an optional value inside, a sparse weight, a sequence as output, int4."""
    tensor = helper.make_tensor_type_proto(FLOAT, [2, 8])
    nodes = [
        N("ConcatFromSequence", ["s"], ["c"], axis=0),
        N("MatMul", ["c", "w"], ["h"], "head"),
        N("SplitToSequence", ["h", "one"], ["parts"], axis=0),
        N("SequenceAt", ["parts", "zero"], ["part"]),
        N("MatMul", ["part", "v"], ["m"], "tail"),
        N("SequenceInsert", ["parts", "m"], ["more"]),
        N("Cast", ["m"], ["q"], to=TensorProto.INT4),
        N("Cast", ["q"], ["y"], to=FLOAT),
    ]
    model = made(nodes, {}, ["y"], {"v": f32(4, 4), "one": np.array(1), "zero": np.array(0)}, opset=21)
    model.ir_version = 10
    sequence = helper.make_sequence_type_proto(tensor)
    model.graph.input.append(helper.make_value_info("s", sequence))
    model.graph.output.append(helper.make_value_info("more", sequence))
    values, places = numpy_helper.from_array(f32(6), "w"), numpy_helper.from_array(ints(0, 5, 9, 16, 22, 31), "places")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [8, 4]))
    return model


def calls() -> onnx.ModelProto:
    """Local functions that call each other twice, four levels deep."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    bodies = [[N("Relu", ["a"], ["b"])]]
    for level in range(3):
        bodies.append([N(f"f{level}", [a], [b], domain="local") for a, b in (("a", "t"), ("t", "b"))])
    functions = [helper.make_function("local", f"f{n}", ["a"], ["b"], body, opsets) for n, body in enumerate(bodies)]
    nodes = [N("MatMul", ["x", "w"], ["h"]), N("f3", ["h"], ["y"], domain="local")]
    model = made(nodes, {"x": (FLOAT, [2, 4])}, ["y"], {"w": f32(4, 4)})
    model.opset_import.append(opsets[1])
    model.functions.extend(functions)
    return model


def tokens() -> onnx.ModelProto:
    """Embedding, one attention layer with shape arithmetic, LayerNorm, GELU; free sequence length."""
    nodes = [
        N("Gather", ["table", "ids"], ["e"]),
        N("MatMul", ["e", "wq"], ["q0"]),
        N("Shape", ["e"], ["shape"]),
        N("Gather", ["shape", "one"], ["length"], axis=0),
        N("Unsqueeze", ["length", "zero"], ["lengths"]),
        N("Concat", ["head", "lengths", "split"], ["target"], axis=0),
        N("Reshape", ["q0", "target"], ["q1"]),
        N("Transpose", ["q1"], ["q"], perm=[0, 2, 1, 3]),
        N("Transpose", ["q1"], ["k"], perm=[0, 2, 3, 1]),
        N("MatMul", ["q", "k"], ["scores"]),
        N("Softmax", ["scores"], ["p"], axis=-1),
        N("MatMul", ["p", "q"], ["o"]),
        N("Transpose", ["o"], ["ot"], perm=[0, 2, 1, 3]),
        N("Reshape", ["ot", "flat"], ["of"]),
        N("Add", ["of", "e"], ["h"]),
        N("LayerNormalization", ["h", "g", "b"], ["n"]),
        N("Gelu", ["n"], ["y"]),
    ]
    constants = {"table": f32(50, 16), "wq": f32(16, 16), "g": f32(16), "b": f32(16)}
    constants |= {"one": ints(1)[0], "zero": ints(0), "head": ints(1), "split": ints(4, 4), "flat": ints(1, -1, 16)}
    return made(nodes, {"ids": (INT64, [1, "sequence"])}, ["y"], constants, opset=20)


def recurrent() -> onnx.ModelProto:
    """LSTM in both directions with its state, and a product behind it."""
    nodes = [
        N("LSTM", ["x", "w", "r", "b"], ["o", "h", "c"], hidden_size=4, direction="bidirectional"),
        N("Transpose", ["o"], ["t"], perm=[0, 2, 1, 3]),
        N("Reshape", ["t", "shape"], ["f"]),
        N("MatMul", ["f", "v"], ["y"]),
    ]
    constants = {"w": f32(2, 16, 3), "r": f32(2, 16, 4), "b": f32(2, 32), "v": f32(8, 5), "shape": ints(0, 0, 8)}
    return made(nodes, {"x": (FLOAT, [5, 1, 3])}, ["y", "h"], constants)


def branches() -> onnx.ModelProto:
    """An If that depends on a value, with another one inside that does not, and weights in a branch."""
    inner = helper.make_graph([N("Neg", ["h"], ["i"])], "inner", [], [info("i")])
    other = helper.make_graph([N("Abs", ["h"], ["j"])], "other", [], [info("j")])
    weight = numpy_helper.from_array(f32(4, 4), "u")
    then = helper.make_graph(
        [N("MatMul", ["h", "u"], ["d"]), N("If", ["yes"], ["k"], then_branch=inner, else_branch=other),
         N("Add", ["d", "k"], ["t"])],
        "then", [], [info("t")], [weight],
    )  # fmt: skip
    otherwise = helper.make_graph([N("Relu", ["h"], ["e"])], "else", [], [info("e")])
    nodes = [
        N("MatMul", ["x", "w"], ["h"]),
        N("ReduceSum", ["h"], ["sum"], keepdims=0),
        N("Greater", ["sum", "nothing"], ["c"]),
        N("If", ["c"], ["y"], then_branch=then, else_branch=otherwise),
    ]
    constants = {"w": f32(4, 4), "nothing": np.float32(0), "yes": np.array(True)}
    return made(nodes, {"x": (FLOAT, [2, 4])}, ["y"], constants)


def loop() -> onnx.ModelProto:
    """A Loop that carries a state and collects a result per round."""
    body = helper.make_graph(
        [N("Identity", ["go"], ["on"]), N("MatMul", ["state", "w"], ["next"]), N("Relu", ["next"], ["scan"])],
        "body",
        [value("i", (INT64, [])), value("go", (BOOL, [])), value("state", (FLOAT, [2, 4]))],
        [info("on"), info("next"), info("scan")],
    )
    nodes = [N("Loop", ["count", "yes", "x"], ["last", "all"], body=body), N("Add", ["last", "last"], ["y"])]
    constants = {"w": f32(4, 4), "count": np.array(3, np.int64), "yes": np.array(True)}
    return made(nodes, {"x": (FLOAT, [2, 4])}, ["y", "all"], constants)


def quantized() -> onnx.ModelProto:
    """QDQ around a product with a weight in blocks of 4 bits, and a dynamic product."""
    nodes = [
        N("QuantizeLinear", ["x", "s", "z"], ["q"]),
        N("DequantizeLinear", ["q", "s", "z"], ["d"]),
        N("DequantizeLinear", ["w4", "s4"], ["w"], axis=0, block_size=16),
        N("MatMul", ["d", "w"], ["h"]),
        N("DynamicQuantizeLinear", ["h"], ["hq", "hs", "hz"]),
        N("MatMulInteger", ["hq", "w8", "hz"], ["i"]),
        N("Cast", ["i"], ["f"], to=FLOAT),
        N("Mul", ["f", "hs"], ["y"]),
    ]
    constants = {"s": np.float32(0.05), "z": np.uint8(120), "s4": f32(2, 8), "w8": np.ones((8, 6), np.int8)}
    model = made(nodes, {"x": (FLOAT, [2, 32])}, ["y"], constants, opset=21)
    model.graph.initializer.append(helper.make_tensor("w4", TensorProto.INT4, [32, 8], bytes(range(128)), raw=True))
    return model


def sizes() -> onnx.ModelProto:
    """Sizes that the model computes, also from values: the ways in which a small file grows."""
    nodes = [
        N("ConstantOfShape", ["shape"], ["w"]),
        N("MatMul", ["x", "w"], ["h"]),
        N("Expand", ["h", "wide"], ["e"]),
        N("Tile", ["e", "times"], ["t"]),
        N("ReduceMax", ["n"], ["most"], keepdims=1),
        N("Range", ["start", "end", "step"], ["r"]),
        N("Cast", ["r"], ["rf"], to=FLOAT),
        N("ReduceSum", ["rf"], ["total"], keepdims=1),
        N("ConstantOfShape", ["most"], ["grown"]),
        N("ReduceSum", ["grown"], ["much"], keepdims=1),
        N("Pad", ["t", "pads"], ["p"]),
        N("Sum", ["p", "total", "much"], ["y"]),
    ]
    constants = {"shape": ints(8, 4), "wide": ints(3, 2, 4), "times": ints(1, 2, 1), "pads": ints(0, 0, 1, 0, 0, 1)}
    constants |= {"start": np.array(0, np.int64), "end": np.array(9, np.int64), "step": np.array(1, np.int64)}
    return made(nodes, {"x": (FLOAT, [2, 8]), "n": (INT64, [3])}, ["y"], constants)


def function() -> onnx.ModelProto:
    """A local function, used twice, one inside another."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    twice = helper.make_function("local", "Twice", ["a"], ["b"], [N("Add", ["a", "a"], ["b"])], opsets)
    body = [N("Twice", ["a"], ["c"], domain="local"), N("Twice", ["c"], ["b"], domain="local")]
    fourfold = helper.make_function("local", "Fourfold", ["a"], ["b"], body, opsets)
    nodes = [N("Fourfold", ["x"], ["h"], domain="local"), N("MatMul", ["h", "w"], ["y"])]
    model = made(nodes, {"x": (FLOAT, [2, 4])}, ["y"], {"w": f32(4, 4)})
    model.opset_import.append(helper.make_opsetid("local", 1))
    model.functions.extend([twice, fourfold])
    return model


def made(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Spec],
    outputs: Sequence[str],
    constants: Mapping[str, object],
    opset: int = 17,
) -> onnx.ModelProto:
    """A model of plain parts."""
    graph = helper.make_graph(
        list(nodes),
        "seed",
        [value(name, spec) for name, spec in inputs.items()],
        [info(name) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def value(name: str, spec: Spec) -> onnx.ValueInfoProto:
    """A typed input."""
    return helper.make_tensor_value_info(name, *spec)


def info(name: str) -> onnx.ValueInfoProto:
    """An output whose type the runtime finds."""
    return onnx.ValueInfoProto(name=name)


def f32(*shape: int) -> np.ndarray:
    """Random weights, the same for the same shape."""
    return (np.random.default_rng(shape).standard_normal(shape) * 0.5).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    """A vector of int64."""
    return np.array(values, np.int64)
