"""Layouts, QuantMatMul and FusedNormBiasGELU against ONNX Runtime, the ONNX reference and plain numpy, bit by bit."""

from __future__ import annotations

import numpy as np
import onnx.reference
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.errors import PlanError
from engine.fusion.types import Weight
from engine.npu.fused_norm import fused_norm_bias_gelu
from engine.npu.layouts import (
    fractal_product,
    from_nc1hwc0,
    from_nz,
    to_fractal_z,
    to_nc1hwc0,
    to_nz,
)
from engine.npu.quant_matmul import GROUP, calls, operand, quant_matmul, quant_matmul_rows, refusal, widened
from engine.precision.scheme import INT4, INT8, WeightFormat
from engine.quant.weights import quantize_weight

RNG = np.random.default_rng(11)
FLOAT, HALF = TensorProto.FLOAT, TensorProto.FLOAT16


def model(nodes, inputs, outputs, weights=(), opset=21):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, t, None) for n, t in inputs],
        [helper.make_tensor_value_info(n, t, None) for n, t in outputs],
        [*weights],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def run(made, **feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


# -- layouts ----


@pytest.mark.parametrize(("dtype", "c0"), [(np.float16, 16), (np.int8, 32), (np.float16, 4)])
@pytest.mark.parametrize("shape", [(1, 3, 5, 4), (2, 16, 3, 3), (2, 33, 1, 7), (1, 1, 1, 1)])
def test_nc1hwc0_is_pad_reshape_transpose_of_onnx(shape, dtype, c0):
    x = (RNG.standard_normal(shape) * 50).astype(dtype)
    n, c, h, w = shape
    c1 = -(-c // c0)
    ints = [
        numpy_helper.from_array(np.array(v, np.int64), name)
        for name, v in (("pads", [0, 0, 0, 0, 0, c1 * c0 - c, 0, 0]), ("shape", [n, c1, c0, h, w]))
    ]
    nodes = [
        helper.make_node("Pad", ["x", "pads"], ["p"]),
        helper.make_node("Reshape", ["p", "shape"], ["r"]),
        helper.make_node("Transpose", ["r"], ["y"], perm=[0, 1, 3, 4, 2]),
    ]
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    expected = onnx.reference.ReferenceEvaluator(model(nodes, [("x", kind)], [("y", kind)], ints)).run(None, {"x": x})[
        0
    ]
    blocks = to_nc1hwc0(x, c0)
    np.testing.assert_array_equal(blocks, expected)
    np.testing.assert_array_equal(from_nc1hwc0(blocks, c), x)
    assert blocks[..., (c - 1) % c0 + 1 :][:, -1].any() == False  # noqa: E712  the padding is zero


@pytest.mark.parametrize(("dtype", "c0"), [(np.float16, 16), (np.int8, 32)])
@pytest.mark.parametrize("shape", [(1, 1), (16, 32), (17, 33), (2, 3, 40, 20)])
def test_nz_has_each_element_where_the_formula_says(shape, dtype, c0):
    x = (RNG.standard_normal(shape) * 50).astype(dtype)
    blocks = to_nz(x, c0)
    *lead, h, w = shape
    assert blocks.shape == (*lead, -(-w // c0), -(-h // 16), 16, c0)
    for _ in range(30):
        at = tuple(int(RNG.integers(size)) for size in shape)
        *front, row, column = at
        assert blocks[(*front, column // c0, row // 16, row % 16, column % c0)] == x[at]
    assert np.abs(blocks.astype(np.float64)).sum() == pytest.approx(np.abs(x.astype(np.float64)).sum())
    np.testing.assert_array_equal(from_nz(blocks, h, w), x)


def test_products_in_blocks_are_plain_integer_products():
    a, b = (RNG.integers(-128, 128, shape).astype(np.int8) for shape in ((37, 100), (100, 21)))
    sums = fractal_product(to_nz(a, 32), to_nz(np.ascontiguousarray(b.T), 32))
    nodes = [helper.make_node("MatMulInteger", ["a", "b"], ["y"])]
    made = model(nodes, [("a", TensorProto.INT8), ("b", TensorProto.INT8)], [("y", TensorProto.INT32)])
    expected = onnx.reference.ReferenceEvaluator(made).run(None, {"a": a, "b": b})[0]
    found = from_nz(sums, 37, 21)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, expected)


def test_products_of_halves_in_blocks_agree_with_onnx_runtime():
    a, b = (RNG.standard_normal(shape).astype(np.float16) for shape in ((20, 64), (64, 40)))
    sums = fractal_product(to_nz(a, 16), to_nz(np.ascontiguousarray(b.T), 16))
    made = model([helper.make_node("MatMul", ["a", "b"], ["y"])], [("a", FLOAT), ("b", FLOAT)], [("y", FLOAT)])
    expected = run(made, a=a.astype(np.float32), b=b.astype(np.float32))
    np.testing.assert_allclose(from_nz(sums, 20, 40), expected, rtol=1e-5, atol=1e-5)


def test_a_convolution_on_blocks_is_onnxs():
    """load3d's patches of NC1HWC0 times FRACTAL_Z: the sum over blocks, in int32."""
    x, w = (RNG.integers(-50, 50, shape).astype(np.int8) for shape in ((1, 20, 6, 6), (18, 20, 3, 3)))
    feature, weights = to_nc1hwc0(x, 32)[0], to_fractal_z(w, 32)
    assert weights.shape == (9, 2, 16, 32)
    sums = np.zeros((32, 4, 4), np.int64)
    for tap in range(9):
        dy, dx = divmod(tap, 3)
        window = feature[0, dy : dy + 4, dx : dx + 4]
        sums += np.einsum("yxc,noc->noyx", window.astype(np.int64), weights[tap].astype(np.int64)).reshape(32, 4, 4)
    made = model(
        [helper.make_node("ConvInteger", ["x", "w"], ["y"])],
        [("x", TensorProto.INT8), ("w", TensorProto.INT8)],
        [("y", TensorProto.INT32)],
    )
    expected = onnx.reference.ReferenceEvaluator(made).run(None, {"x": x, "w": w})[0]
    np.testing.assert_array_equal(sums[:18], expected[0])
    assert not sums[18:].any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: to_nc1hwc0(np.zeros((2, 3)), 16), "needs 4 axes, not 2"),
        (lambda: to_nc1hwc0(np.zeros((1, 3, 2, 2)), 5), "block of 5 channels"),
        (lambda: from_nc1hwc0(np.zeros((1, 1, 2, 2, 16)), 17), "17 rows or channels"),
        (lambda: to_nz(np.zeros(3), 16), "at least 2 axes"),
        (lambda: from_nz(np.zeros((1, 1, 16, 16)), 17, 3), "the blocks hold 16"),
    ],
)
def test_what_is_no_layout_is_refused(call, words):
    with pytest.raises(PlanError, match=words):
        call()


# -- QuantMatMul ----


def quantized(k=256, n=128, form=INT4.weights):
    values = RNG.standard_normal((k, n)).astype(np.float32)
    weight = Weight("w", "w", (k, n), (1,), (0,), "x", "")
    return quantize_weight(values, weight, form)


def test_widened_weights_are_bit_by_bit_those_of_dequantize_linear():
    found = quantized()
    right = operand(found)
    scales = numpy_helper.from_array(np.ascontiguousarray(found.scales.T.astype(np.float16)), "s")
    zeros = np.broadcast_to(found.zero_points, found.scales.shape).T.astype(np.int8)
    tensors = [
        helper.make_tensor("q", TensorProto.INT4, (256, 128), found.codes.T.astype(np.int8).reshape(-1)),
        scales,
        helper.make_tensor("z", TensorProto.INT4, zeros.shape, np.ascontiguousarray(zeros).reshape(-1)),
    ]
    node = helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=0, block_size=GROUP)
    expected = run(model([node], [], [("y", HALF)], tensors))
    assert expected.dtype == np.float16
    np.testing.assert_array_equal(widened(right), expected)


@pytest.mark.parametrize("rows", [1, 16, 64])
def test_the_product_is_that_of_onnx_runtime_rounded_once(rows):
    right = operand(quantized())
    x = RNG.standard_normal((rows, 256)).astype(np.float16)
    made = model([helper.make_node("MatMul", ["a", "b"], ["y"])], [("a", FLOAT), ("b", FLOAT)], [("y", FLOAT)])
    expected = run(made, a=x.astype(np.float32), b=widened(right).astype(np.float32))
    found = quant_matmul(x, right)
    assert found.dtype == np.float16
    # Sums in another order may round to the neighbouring half.
    assert np.abs(found.astype(np.float32) - expected).max() <= np.spacing(np.abs(expected).max().astype(np.float16))


def test_the_even_element_lies_in_the_low_nibble():
    found = quantized()
    right = operand(found)
    first, second = (int(found.codes[channel, 0]) + 8 for channel in (0, 1))
    assert right.packed[0] == first | second << 4


def test_any_number_of_rows_is_split_and_padded():
    assert calls(0) == ()
    assert calls(1) == (1,)
    assert calls(2) == (16,)
    assert calls(130) == (64, 64, 16)
    right = operand(quantized())
    x = RNG.standard_normal((83, 256)).astype(np.float16)
    found = quant_matmul_rows(x, right)
    expected = (x.astype(np.float64) @ widened(right).astype(np.float64)).astype(np.float16)
    assert found.shape == (83, 128)
    np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=2e-3, atol=1e-2)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((2, 256, 128, 32), "takes 1, 16, 32, 48, 64 rows, not 2"),
        ((1, 200, 128, 32), "takes K in multiples of 128, not 200"),
        ((1, 256, 100, 32), "takes N in multiples of 128, not 100"),
        ((1, 256, 128, 64), "groups of 32 weights, not 64"),
        ((64, 8192, 128, 32), "at most 448 KB of activations, not 1024"),
    ],
)
def test_the_limits_of_the_operator(shape, words):
    assert words in str(refusal(*shape))
    assert refusal(1, 256, 128) is refusal(48, 4096, 128) is None


def test_other_operands_are_refused():
    with pytest.raises(PlanError, match="4 bits, not 8"):
        operand(quantized(form=INT8.weights))
    with pytest.raises(PlanError, match="groups of 32 weights, not 64"):
        operand(quantized(form=WeightFormat(4, symmetric=False, granularity="group", group=64)))
    with pytest.raises(PlanError, match="K in multiples of 128, not 96"):
        operand(quantized(k=96))
    with pytest.raises(PlanError, match="256 columns"):
        quant_matmul(np.zeros((1, 128), np.float16), operand(quantized()))


# -- FusedNormBiasGELU ----


def norm_inputs(shape=(3, 7, 96)):
    width = shape[-1]
    x = (RNG.standard_normal(shape) * 3 + 1).astype(np.float16)
    return x, *(RNG.standard_normal(width).astype(np.float16) for _ in range(3))


def as_nodes(form):
    nodes = [
        helper.make_node("LayerNormalization", ["x", "g", "b"], ["n"], axis=-1, epsilon=1e-5),
        helper.make_node("Add", ["n", "c"], ["v"]),
    ]
    if form == "tanh":
        return [*nodes, helper.make_node("Gelu", ["v"], ["y"], approximate="tanh")], []
    scale = numpy_helper.from_array(np.float32(1.702), "k")
    nodes += [
        helper.make_node("Mul", ["v", "k"], ["kv"]),
        helper.make_node("Sigmoid", ["kv"], ["s"]),
        helper.make_node("Mul", ["v", "s"], ["y"]),
    ]
    return nodes, [scale]


@pytest.mark.parametrize("form", ["tanh", "kirin"])
@pytest.mark.parametrize("shape", [(3, 7, 96), (1, 1), (2, 1000)])
def test_norm_bias_gelu_is_that_of_onnx_runtime_to_the_last_half(form, shape):
    x, g, b, c = norm_inputs(shape)
    nodes, weights = as_nodes(form)
    made = model(nodes, [(n, FLOAT) for n in "xgbc"], [("y", FLOAT)], weights)
    expected = run(made, **{n: v.astype(np.float32) for n, v in zip("xgbc", (x, g, b, c), strict=True)})
    found = fused_norm_bias_gelu(x, g, b, c, form=form)
    assert found.dtype == np.float16
    near = expected.astype(np.float16)
    gap = np.abs(found.astype(np.float32) - near.astype(np.float32))
    assert (gap <= np.maximum(np.spacing(np.abs(near)).astype(np.float32), 1e-6)).all()
    assert (gap == 0).mean() > 0.98


def test_the_two_forms_differ_by_what_the_fast_one_costs():
    x, g, b, c = norm_inputs()
    exact, fast = (fused_norm_bias_gelu(x, g, b, c, form=form).astype(np.float64) for form in ("tanh", "kirin"))
    assert 5e-3 < np.abs(exact - fast).max() < 0.03


def test_large_values_stay_finite_and_exact_at_the_ends():
    wide = np.array([[-60000.0, 0.0, 60000.0, 1.0]], np.float16)
    ones, zeros = np.ones(4, np.float16), np.zeros(4, np.float16)
    for form in ("tanh", "kirin"):
        found = fused_norm_bias_gelu(wide, ones * 100, zeros, zeros, form=form)
        assert np.isfinite(found).all()
        assert found[0, 0] == 0.0


def test_wrong_parameters_are_refused():
    x, g, b, c = norm_inputs()
    with pytest.raises(PlanError, match="96 values of bias"):
        fused_norm_bias_gelu(x, g, b, c[:5])
    with pytest.raises(PlanError, match="no GELU of the form fast"):
        fused_norm_bias_gelu(x, g, b, c, form="fast")
