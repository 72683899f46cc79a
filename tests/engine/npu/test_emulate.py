"""Emulated kernels against ONNX Runtime: results of whole kernels to 60 dB; integer sums bit by bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import onnx.reference
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.errors import PlanError
from engine.fusion.types import Kernel, Kind, Weight
from engine.graph.types import Node, TensorInfo
from engine.npu.emulate import emulate, quantize_activation
from engine.npu.packed import pack, unpack
from engine.npu.patches import geometry, patches
from engine.numerics import lower
from engine.precision.scheme import (
    BF16,
    BRAIN,
    FP16,
    FP32,
    INT4,
    INT8,
    W4A8,
    W8A16,
    ActivationFormat,
    Scheme,
    WeightFormat,
    label,
)
from engine.quant.ranges import Range, Ranges, activation_params
from engine.quant.weights import quantize_weight

RNG = np.random.default_rng(5)
PER_TENSOR = Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(8))


def kernel(op: str, kind: Kind, weight: np.ndarray, axes: tuple[Any, Any], bias: bool, *, first: bool = False,
           **attributes: Any) -> Kernel:  # fmt: skip
    names = ["w", "x"] if first else ["x", "w"]
    channels = weight.shape[axes[0][0]]
    constants = {"w": weight}
    if bias:
        constants["b"] = RNG.standard_normal(channels).astype(np.float32)
        names.append("b")
    proto = helper.make_node(op, names, ["y"], **attributes)
    form = Weight("w", "w", weight.shape, *axes, "x", "b" if bias else "")
    return Kernel("k", 0, "k", op, kind, (Node(0, proto, ""),), 0, ("x",), ("y",), constants, form, None, 0, 0)


def conv(shape: tuple[int, ...], bias: bool = True, **attributes: Any) -> Kernel:
    weight = (RNG.standard_normal(shape) * 0.2).astype(np.float32)
    return kernel("Conv", Kind.CONV, weight, ((0,), tuple(range(1, len(shape)))), bias, **attributes)


def run(model_nodes: list[onnx.NodeProto], constants: dict[str, np.ndarray], x: np.ndarray, kind: int) -> np.ndarray:
    """Run nodes from x to y on ONNX Runtime, exactly as written."""
    model = one_graph(model_nodes, constants, x, kind)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def one_graph(
    model_nodes: list[onnx.NodeProto], constants: dict[str, np.ndarray], x: np.ndarray, kind: int
) -> onnx.ModelProto:
    graph = helper.make_graph(
        model_nodes, "g", [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [helper.make_tensor_value_info("y", kind, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def exact_sums(node: onnx.NodeProto, constants: dict[str, np.ndarray], codes: np.ndarray) -> np.ndarray:
    """By ONNX's reference: ONNX Runtime saturates pairs of u8 x s8 products on processors without VNNI."""
    model = one_graph([node], constants, codes, TensorProto.INT32)
    return onnx.reference.ReferenceEvaluator(model).run(None, {"x": codes})[0]


def rounded(k: Kernel, scheme: Scheme, x: np.ndarray, found: Range) -> np.ndarray:
    """The kernel on ONNX Runtime: Q-DQ on the activation, dequantized weight, float arithmetic."""
    weight = quantize_weight(k.constants["w"], k.weight, scheme.weights).dequantize()
    constants = {**k.constants, "w": weight}
    if scheme.activations.floating:
        constants = {name: array.astype(np.float16).astype(np.float32) for name, array in constants.items()}
        x = x.astype(np.float16).astype(np.float32)
        return run([k.nodes[0].proto], constants, x, TensorProto.FLOAT)
    params = activation_params(found, scheme.activations)
    dtype = np.int8 if scheme.activations.symmetric else np.uint8
    constants |= {"s": np.float32(params.scale), "z": dtype(params.zero_point)}
    node = onnx.NodeProto()
    node.CopyFrom(k.nodes[0].proto)
    node.input[list(node.input).index("x")] = "d"
    quantize = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"])
    dequantize = helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"])
    return run([quantize, dequantize, node], constants, x, TensorProto.FLOAT)


def sqnr_db(reference: np.ndarray, found: np.ndarray) -> float:
    noise = float(((reference.astype(np.float64) - found) ** 2).sum())
    return float("inf") if noise == 0 else 10 * np.log10(float((reference.astype(np.float64) ** 2).sum()) / noise)


KERNELS = {
    "conv": (conv((24, 16, 3, 3), pads=[1, 1, 1, 1]), (2, 16, 9, 11)),
    "strided": (conv((8, 3, 5, 5), strides=[2, 2], auto_pad="SAME_UPPER"), (1, 3, 15, 14)),
    "dilated": (conv((8, 4, 3, 3), False, dilations=[2, 1], pads=[0, 2, 1, 0]), (1, 4, 12, 9)),
    "grouped": (conv((12, 4, 3, 3), group=3), (2, 12, 7, 7)),
    "depthwise": (conv((32, 1, 3, 3), group=32, pads=[1, 1, 1, 1]), (1, 32, 10, 10)),
    "one axis": (conv((16, 8, 5), pads=[2, 2]), (2, 8, 30)),
    "three axes": (conv((4, 2, 2, 3, 3)), (1, 2, 4, 6, 6)),
    "matmul": (
        kernel("MatMul", Kind.MATMUL, RNG.standard_normal((96, 40)).astype(np.float32), ((1,), (0,)), False),
        (3, 7, 96),
    ),
    "left": (
        kernel("MatMul", Kind.MATMUL, RNG.standard_normal((40, 96)).astype(np.float32), ((0,), (1,)), False,
               first=True),
        (2, 96, 5),
    ),
    "gemm": (
        kernel("Gemm", Kind.GEMM, RNG.standard_normal((40, 100)).astype(np.float32), ((0,), (1,)), True, transB=1),
        (6, 100),
    ),
    "scaled gemm": (
        kernel("Gemm", Kind.GEMM, RNG.standard_normal((100, 40)).astype(np.float32), ((1,), (0,)), True,
               transA=1, alpha=0.5, beta=2.0),
        (100, 6),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("scheme", [INT8, INT4, FP16, W4A8, W8A16, PER_TENSOR], ids=label)
def test_agrees_with_onnx_runtime(name, scheme):
    k, shape = KERNELS[name]
    x = RNG.standard_normal(shape).astype(np.float32)
    found = Range(-2.5, 3.0)
    result = emulate(k, scheme, x, found)
    reference = rounded(k, scheme, x, found)
    assert result.output.shape == reference.shape
    assert sqnr_db(reference, result.output) > 60
    assert not result.overflows
    if scheme.weights.bits == 4:
        assert result.packed.nbytes == (k.constants["w"].size + 1) // 2


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("scheme", [INT8, INT4, FP16, BF16, W4A8, W8A16, PER_TENSOR], ids=label)
def test_agrees_with_the_preview(name, scheme):
    k, shape = KERNELS[name]
    x = RNG.standard_normal(shape).astype(np.float32)
    found = Range(-2.5, 3.0)
    result = emulate(k, scheme, x, found)
    tensors = {"x": TensorInfo("x", x.dtype, x.shape), "y": TensorInfo("y", x.dtype, result.output.shape)}
    lowered = lower(k, scheme, Ranges({"x": found}), tensors, False)
    preview = run(list(lowered.nodes), dict(lowered.constants), x, TensorProto.FLOAT)
    assert sqnr_db(preview, result.output) > 60


@pytest.mark.parametrize("symmetric", [False, True])
def test_integer_sums_are_those_of_matmulinteger(symmetric):
    """With every scale 1, the output is the int32 accumulator itself."""
    x = RNG.integers(-100, 100, (5, 300)).astype(np.float32)
    weight = RNG.integers(-127, 128, (300, 20)).astype(np.float32)
    weight[0] = 127
    form = ActivationFormat(8, symmetric=symmetric)
    found = Range(-127.0, 127.0) if symmetric else Range(-100.0, 155.0)
    k = kernel("MatMul", Kind.MATMUL, weight, ((1,), (0,)), False)
    result = emulate(k, Scheme(WeightFormat(8), form), x, found)
    params = activation_params(found, form)
    assert params.scale == 1.0
    codes = quantize_activation(x, params, form).astype(np.int8 if symmetric else np.uint8)
    node = helper.make_node("MatMulInteger", ["x", "w", "z"], ["y"])
    constants = {"w": weight.astype(np.int8), "z": codes.dtype.type(params.zero_point)}
    exact = exact_sums(node, constants, codes)
    np.testing.assert_array_equal(result.output, exact.astype(np.float32))
    assert result.widest_sum == np.abs(exact.astype(np.int64)).max()


def test_integer_sums_are_those_of_convinteger():
    x = RNG.integers(0, 255, (1, 6, 9, 9)).astype(np.float32)
    weight = RNG.integers(-127, 128, (8, 6, 3, 3)).astype(np.float32)
    weight[:, 0, 0, 0] = 127
    k = kernel("Conv", Kind.CONV, weight, ((0,), (1, 2, 3)), False, strides=[2, 2], pads=[1, 1, 1, 1])
    found = Range(0.0, 255.0)
    result = emulate(k, INT8, x, found)
    node = helper.make_node("ConvInteger", ["x", "w"], ["y"], strides=[2, 2], pads=[1, 1, 1, 1])
    exact = exact_sums(node, {"w": weight.astype(np.int8)}, x.astype(np.uint8))
    np.testing.assert_array_equal(result.output, exact.astype(np.float32))


def test_four_bit_groups_are_those_of_a_blocked_dequantizelinear():
    k, _ = KERNELS["matmul"]
    quantized = quantize_weight(k.constants["w"], k.weight, INT4.weights)
    packed = pack(quantized)
    codes, zeros, scales = quantized.codes.T, quantized.zero_points.T, quantized.scales.T

    def int4(name: str, array: np.ndarray) -> onnx.TensorProto:
        return helper.make_tensor(name, TensorProto.INT4, array.shape, array.reshape(-1).astype(int))

    node = helper.make_node("DequantizeLinear", ["w", "s", "z"], ["y"], axis=0, block_size=32)
    graph = helper.make_graph(
        [node], "g", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [int4("w", codes), int4("z", zeros), numpy_helper.from_array(np.ascontiguousarray(scales), "s")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    dense = onnx.reference.ReferenceEvaluator(model).run(None, {})[0]
    columns = np.arange(96) // 32
    np.testing.assert_array_equal(
        (unpack(packed, quantized) * quantized.scales[:, columns]).astype(np.float32), dense.T
    )


def test_patches_of_a_window_are_its_values():
    node = Node(0, helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1]), "")
    x = np.arange(2 * 3 * 4 * 4, dtype=np.float32).reshape(2, 3, 4, 4)
    found = patches(x, geometry(node, x.shape, (5, 3, 3, 3)))
    assert found.shape == (1, 32, 27)
    np.testing.assert_array_equal(found[0, 5].reshape(3, 3, 3), x[0, :, 0:3, 0:3])


def test_a_sum_beyond_32_bits_is_reported():
    def ones(depth: int) -> Kernel:
        weight = np.ones((depth, 1), np.float32)
        weight[0] = 0.5  # one repeated value would be stored as code 1
        return kernel("MatMul", Kind.MATMUL, weight, ((1,), (0,)), False)

    full = Range(0, 255)  # every product is 255 * 127
    assert not emulate(ones(66_000), INT8, np.full((1, 66_000), 255, np.float32), full).overflows
    assert emulate(ones(67_000), INT8, np.full((1, 67_000), 255, np.float32), full).overflows


def test_dynamic_ranges_come_from_the_activation():
    k, shape = KERNELS["gemm"]
    x = RNG.standard_normal(shape).astype(np.float32) * 50
    dynamic = Scheme(INT8.weights, ActivationFormat(8, static=False))
    assert sqnr_db(emulate(k, FP16, x).output, emulate(k, dynamic, x, Range(-1, 1)).output) > 30
    assert sqnr_db(emulate(k, FP16, x).output, emulate(k, INT8, x, Range(-1, 1)).output) < 10


def test_half_overflow_becomes_infinite():
    k = kernel("MatMul", Kind.MATMUL, np.full((64, 1), 100.0, np.float32), ((1,), (0,)), False)
    assert np.isinf(emulate(k, FP16, np.full((1, 64), 1000.0, np.float32)).output).all()


def test_integer_sums_of_a_transposed_convolution():
    """With every scale 1, the output is the accumulator itself."""
    x = RNG.integers(0, 255, (1, 6, 5, 5)).astype(np.float32)
    weight = RNG.integers(-127, 128, (6, 4, 3, 3)).astype(np.float32)
    weight[0, :, 0, 0] = 127
    attributes = {"strides": [2, 3], "dilations": [2, 1], "pads": [1, 0, 2, 1], "output_padding": [1, 0], "group": 2}
    k = kernel("ConvTranspose", Kind.CONV_TRANSPOSE, weight, ((1,), (0, 2, 3)), False, **attributes)
    result = emulate(k, INT8, x, Range(0.0, 255.0))
    exact = run([k.nodes[0].proto], {"w": weight}, x, TensorProto.FLOAT)  # below 2**24, so exact in float32
    assert np.abs(exact).max() < 2**24
    np.testing.assert_array_equal(result.output, exact)


def test_sums_of_two_operands_of_16_bits_have_64():
    weight = np.full((1000, 2), 32767.0, np.float32)
    weight[0] = 100  # one repeated value would be stored as code 1
    k = kernel("MatMul", Kind.MATMUL, weight, ((1,), (0,)), False)
    wide = Scheme(WeightFormat(16), ActivationFormat(16, symmetric=True))
    x, found = np.full((1, 1000), 32767, np.float32), Range(-32767.0, 32767.0)
    result = emulate(k, wide, x, found)
    assert result.accumulator_bits == 64
    assert result.widest_sum > 2**31
    assert not result.overflows
    np.testing.assert_allclose(result.output, x.astype(np.float64) @ k.constants["w"], rtol=1e-4)
    narrow = emulate(k, Scheme(INT8.weights, wide.activations), x, found)
    assert narrow.accumulator_bits == 32
    assert narrow.overflows


@pytest.mark.parametrize("bits", [2, 3, 4, 8, 16])
def test_codes_lie_without_gaps(bits):
    k, shape = KERNELS["gemm"]
    form = WeightFormat(bits, symmetric=False, granularity="group", group=16)
    result = emulate(k, Scheme(form, INT8.activations), np.zeros(shape, np.float32), Range(-1, 1))
    assert result.packed.nbytes == -(-40 * 100 * bits // 8)
    quantized = quantize_weight(k.constants["w"], k.weight, form)
    columns = np.arange(100) // 16
    np.testing.assert_array_equal(
        unpack(pack(quantized), quantized),
        quantized.codes.astype(np.float64) - quantized.zero_points[:, columns],
    )


def test_what_a_gemm_adds_stays_where_its_weight_is_on_the_left():
    weight, x = (RNG.standard_normal(shape).astype(np.float32) for shape in ((6, 20), (20, 4)))
    k = kernel("Gemm", Kind.GEMM, weight, ((0,), (1,)), False, first=True, beta=0.5)
    node = onnx.NodeProto()
    node.CopyFrom(k.nodes[0].proto)
    node.input.append("c")
    added = RNG.standard_normal((6, 4)).astype(np.float32)
    k = replace(k, nodes=(Node(0, node, ""),), constants={**k.constants, "c": added})
    result = emulate(k, FP16, x)
    np.testing.assert_allclose(result.output, weight @ x + 0.5 * added, rtol=0.01, atol=0.02)
    with pytest.raises(PlanError, match="its bias is computed at run time"):
        emulate(replace(k, constants={"w": weight}), FP16, x)


def test_what_can_not_be_emulated_says_so():
    k, shape = KERNELS["conv"]
    x = np.zeros(shape, np.float32)
    with pytest.raises(PlanError, match="is at FP32: there is nothing to emulate"):
        emulate(k, FP32, x)
    with pytest.raises(PlanError, match="weights of 16 bits don't fit the 8 that BF16 keeps"):
        emulate(k, Scheme(WeightFormat(16), BRAIN), x)
    both = replace(k, kind=Kind.MATMUL_DYNAMIC, weight=None)
    with pytest.raises(PlanError, match="both operands are computed at run time"):
        emulate(both, FP16, x)
    with pytest.raises(PlanError, match="has no weights"):
        emulate(replace(k, weight=None), FP16, x)
    other = kernel("Mul", Kind.MATMUL, np.zeros((4, 4), np.float32), ((0,), (1,)), False)
    with pytest.raises(PlanError, match="no emulated kernel for the operator Mul"):
        emulate(other, INT8, np.zeros((4, 4), np.float32))
    spread = kernel("Einsum", Kind.MATMUL, np.zeros((4, 4), np.float32), ((0,), (1,)), False, equation="...k,nk->...n")
    with pytest.raises(PlanError, match="no emulated kernel for this equation"):
        emulate(spread, INT8, np.zeros((4, 4), np.float32))
