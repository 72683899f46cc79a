"""Constants that a file holds in fewer bits than the model computes with."""

import ml_dtypes
import numpy as np
import pytest
from build import F32, N, model, save, weights
from onnx import TensorProto, helper

from engine.graph import StoredFormat, load

BLOCK = np.full((8, 2), 0.1, F32)


def dequantized(array, scale, zero=None, **attributes):
    constants = {"q": np.asarray(array), "s": np.asarray(scale)} | ({} if zero is None else {"z": np.asarray(zero)})
    names = ["q", "s"] + ([] if zero is None else ["z"])
    return [N("DequantizeLinear", names, ["w"], **attributes)], constants


def i4(*shape, kind=ml_dtypes.int4):
    return np.zeros(shape, kind)


CASES = {
    "int8": (dequantized(np.ones((8, 16), np.int8), F32(0.1)), StoredFormat(8)),
    "int8 zero": (dequantized(np.ones((8, 16), np.int8), F32(0.1), np.int8(0)), StoredFormat(8)),
    "int8 offset": (dequantized(np.ones((8, 16), np.int8), F32(0.1), np.int8(3)), StoredFormat(8, symmetric=False)),
    "uint8": (dequantized(np.ones((8, 16), np.uint8), F32(0.1)), StoredFormat(8, symmetric=False)),
    "uint8 middle": (dequantized(np.ones((8, 16), np.uint8), F32(0.1), np.uint8(128)), StoredFormat(8)),
    "channels": (
        dequantized(np.ones((8, 16), np.int8), np.full(8, 0.1, F32), axis=0), StoredFormat(8, granularity="channel")
    ),
    "int16": (dequantized(np.ones((8, 16), np.int16), F32(0.1)), StoredFormat(16)),
    "int4 blocks": (
        dequantized(i4(8, 16), BLOCK, axis=1, block_size=8), StoredFormat(4, granularity="group", group=8)
    ),
    "uint4 blocks": (
        dequantized(i4(8, 16, kind=ml_dtypes.uint4), BLOCK, BLOCK.astype(ml_dtypes.uint4), axis=1, block_size=8),
        StoredFormat(4, symmetric=False, granularity="group", group=8),
    ),
    "one block is a channel": (
        dequantized(i4(8, 16), BLOCK[:, :1], axis=1, block_size=16), StoredFormat(4, granularity="channel")
    ),
    "half": (([N("Cast", ["h"], ["w"], to=1)], {"h": np.ones((8, 16), np.float16)}), StoredFormat(16, floating=True)),
    "cast and scale": (
        (
            [N("Cast", ["q"], ["f"], to=1), N("Mul", ["f", "s"], ["w"])],
            {"q": np.ones((8, 16), np.int8), "s": np.full((8, 1), 0.1, F32)},
        ),
        StoredFormat(8, granularity="channel"),
    ),
    "cast, offset and scale": (
        (
            [N("Cast", ["q"], ["f"], to=1), N("Sub", ["f", "z"], ["c"]), N("Mul", ["c", "s"], ["w"])],
            {"q": np.ones((8, 16), np.uint8), "z": F32(7), "s": F32(0.1)},
        ),
        StoredFormat(8, symmetric=False),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_format_in_the_file(case, tmp_path):
    (nodes, constants), expected = CASES[case]
    nodes = [*nodes, N("Transpose", ["w"], ["t"]), N("MatMul", ["x", "t"], ["y"])]
    graph = load(save(model(nodes, {"x": (2, 16)}, ["y"], constants, opset=21), tmp_path))
    assert graph.stored == {"t": expected}


def test_weights_that_the_file_rounds_itself(tmp_path):
    nodes = [
        N("QuantizeLinear", ["v", "s", "z"], ["q"]),
        N("DequantizeLinear", ["q", "s", "z"], ["w"]),
        N("MatMul", ["x", "w"], ["y"]),
    ]
    constants = {"v": weights(16, 8), "s": F32(0.01), "z": np.int8(0)}
    graph = load(save(model(nodes, {"x": (2, 16)}, ["y"], constants), tmp_path))
    assert graph.stored == {"w": StoredFormat(8)}


def test_plain_floats_and_scaled_floats_are_nothing_special(tmp_path):
    nodes = [N("Mul", ["v", "s"], ["w"]), N("MatMul", ["x", "w"], ["h"]), N("MatMul", ["h", "u"], ["y"])]
    constants = {"v": weights(16, 8), "s": F32(0.5), "u": weights(8, 4)}
    assert load(save(model(nodes, {"x": (2, 16)}, ["y"], constants), tmp_path)).stored == {}


def test_int32_biases_are_no_format_of_weights(tmp_path):
    nodes = [N("DequantizeLinear", ["q", "s"], ["b"]), N("Add", ["x", "b"], ["y"])]
    constants = {"q": np.ones(16, np.int32), "s": F32(0.1)}
    assert load(save(model(nodes, {"x": (2, 16)}, ["y"], constants), tmp_path)).stored == {}


def test_equal_dequantizers_of_one_tensor_become_one(tmp_path):
    nodes = [
        N("QuantizeLinear", ["x", "s", "z"], ["q"]),
        N("DequantizeLinear", ["q", "s", "z"], ["a"]),
        N("DequantizeLinear", ["q", "s", "z"], ["b"]),
        N("DequantizeLinear", ["q", "t", "z"], ["c"]),
        N("Relu", ["a"], ["d"]),
        N("Sigmoid", ["b"], ["e"]),
        N("Sum", ["c", "d", "e"], ["y"]),
    ]
    constants = {"s": F32(0.1), "t": F32(0.2), "z": np.uint8(9)}
    graph = load(save(model(nodes, {"x": (2, 16)}, ["y"], constants), tmp_path))
    assert [node.op_type for node in graph.nodes].count("DequantizeLinear") == 2
    assert [node.inputs for node in graph.nodes if node.op_type == "Sigmoid"] == [("a",)]


def test_float8_is_a_small_float(tmp_path):
    nodes = [N("DequantizeLinear", ["q", "s"], ["w"]), N("MatMul", ["x", "w"], ["y"])]
    proto = model(nodes, {"x": (2, 16)}, ["y"], {"s": F32(0.1)}, opset=21)
    proto.graph.initializer.append(helper.make_tensor("q", TensorProto.FLOAT8E4M3FN, (16, 8), bytes(128), raw=True))
    proto.ir_version = 10
    assert load(save(proto, tmp_path)).stored == {"w": StoredFormat(8, floating=True)}
