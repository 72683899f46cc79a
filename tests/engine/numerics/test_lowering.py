"""What becomes of a kernel under a scheme, node by node."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from handmade import Step, network, run_whole, small_net, whole_model
from kinds import conv, gemm, matmul
from onnx import TensorProto, helper, numpy_helper

from engine.errors import PlanError
from engine.fusion.types import Kind
from engine.numerics import lower
from engine.numerics.models import build_model
from engine.numerics.runtime import open_session, options
from engine.precision.scheme import BF16, FP16, FP32, HALF, INT4, INT8, W4A8, ActivationFormat, Scheme, WeightFormat
from engine.quant import quantize_weight
from engine.quant.ranges import Range, Ranges


def lowered(net, scheme, packed=False, opset=17, at=0, low=-3.0, high=4.0):
    ranges = Ranges({name: Range(low, high) for name in net.tensors})
    return lower(net.kernels[at], scheme, ranges, net.tensors, packed, opset=opset)


def run(net, made, feeds):
    """A lowered one-kernel network, run."""
    whole = whole_model(net)
    del whole.graph.node[:], whole.graph.initializer[:]
    whole.graph.node.extend(made.nodes)
    whole.graph.initializer.extend(numpy_helper.from_array(np.asarray(a), n) for n, a in made.constants.items())
    whole.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return run_whole(whole, feeds)[0]


def operators(made):
    return [node.op_type for node in made.nodes]


def test_the_reference_is_left_alone():
    net, _ = small_net()
    made = lowered(net, FP32)
    assert all(a is b.proto for a, b in zip(made.nodes, net.kernels[0].nodes, strict=True))
    assert made.constants is net.kernels[0].constants


def test_int8_rounds_activation_weight_and_bias_as_integer_hardware_does():
    net, inputs = conv(np.random.default_rng(0), 17)
    kernel = net.kernels[0]
    made = lowered(net, INT8)
    assert operators(made) == ["QuantizeLinear", "DequantizeLinear", "Conv", "Relu"]
    sa, za = 7 / 255, round(3 / (7 / 255))
    x = (np.clip(np.rint(inputs["x"] / np.float32(sa)) + za, 0, 255) - za).astype(np.int64)
    q = quantize_weight(kernel.constants["w"], kernel.weight, INT8.weights)
    unit = np.float32(sa) * q.scales[:, 0]
    bias = np.rint(kernel.constants["b"] / unit).astype(np.int64)
    codes = q.codes.astype(np.int64).reshape(kernel.weight.shape)
    total = np.zeros((1, 6, 7, 6), np.int64)
    for i in range(7):
        for j in range(6):
            total[0, :, i, j] = np.tensordot(codes, x[0, :, i : i + 3, j : j + 3], 3) + bias
    want = np.maximum(total * unit.astype(np.float64)[None, :, None, None], 0)
    np.testing.assert_allclose(run(net, made, inputs), want, rtol=1e-5, atol=1e-5)


def test_int4_rounds_activations_and_result_to_half_and_nothing_to_eight_bits():
    net, inputs = matmul(np.random.default_rng(0), 17)
    kernel = net.kernels[0]
    made = lowered(net, INT4)
    assert operators(made) == ["Cast", "Cast", "MatMul", "Add", "Cast", "Cast"]
    half = lambda a: a.astype(np.float16).astype(np.float64)
    w = quantize_weight(kernel.constants["w"], kernel.weight, INT4.weights).dequantize().astype(np.float64)
    want = half((half(inputs["x"]) @ w + half(kernel.constants["b"])).astype(np.float32))
    np.testing.assert_allclose(run(net, made, inputs), want, rtol=1.1e-3, atol=1e-3)


@pytest.mark.parametrize("form", [ActivationFormat(8, static=False), ActivationFormat(8, symmetric=True, static=False)])
def test_a_fresh_range_is_that_of_the_run(form):
    net, inputs = gemm(np.random.default_rng(0), 17)
    scheme = Scheme(WeightFormat(32, floating=True), form)
    low, high = float(inputs["x"].min()), float(inputs["x"].max())
    fresh = run(net, lowered(net, scheme), inputs)
    static = Scheme(scheme.weights, ActivationFormat(8, symmetric=form.symmetric))
    fixed = run(net, lowered(net, static, low=low, high=high), inputs)
    np.testing.assert_allclose(fresh, fixed, rtol=1e-4, atol=1e-4)
    assert np.abs(fresh - run(net, lowered(net, FP32), inputs)).max() > 1e-3


def test_biases_stay_as_they_are_where_no_common_unit_exists():
    rng = np.random.default_rng(0)
    for (net, _), scheme in (
        (gemm(rng, 17, factors=True), INT8),
        (gemm(rng, 17), W4A8),
        (gemm(rng, 17), Scheme(INT8.weights, ActivationFormat(16))),
        (gemm(rng, 17), Scheme(INT8.weights, ActivationFormat(8, static=False))),
    ):
        assert lowered(net, scheme).constants["b"] is net.kernels[0].constants["b"]
    tiny, _ = gemm(rng, 17)
    tiny.kernels[0].constants["w"][...] *= 1e-12  # codes beyond 32 bits
    assert "b" in lowered(tiny, INT8).constants
    plain, _ = gemm(rng, 17)
    assert "b" not in lowered(plain, INT8).constants
    assert "b" not in lowered(plain, INT4).constants


def test_a_kernel_without_a_weight_goes_through_half():
    x = {"x": np.float32([[1 + 2**-12, 3]])}
    net = network(x, ["y"], [Step([("Sqrt", ["x"], ["y"], {})], ["y"], {}, Kind.ELEMENTWISE)])
    made = lowered(net, FP16)
    assert operators(made) == ["Cast", "Cast", "Sqrt", "Cast", "Cast"]
    np.testing.assert_array_equal(run(net, made, x), np.float32([[1, np.float16(np.sqrt(3))]]))
    assert operators(lowered(net, INT8)) == ["Sqrt"]


def test_a_result_that_is_read_inside_is_rounded_for_others_only():
    x = {"x": np.float32([[1, 2, 3, 4]])}
    w = np.float32(np.arange(16).reshape(4, 4) / 7)
    nodes = [("MatMul", ["x", "w"], ["m"], {}), ("Sub", ["m", "m"], ["z"], {}), ("Add", ["z", "m"], ["y"], {})]
    step = Step(nodes, ["m", "y"], {"w": w}, Kind.MATMUL, "w", (1,), (0,), "x")
    net = network(x, ["m", "y"], [step])
    made = lowered(net, Scheme(WeightFormat(32, floating=True), HALF))
    outputs = [name for node in made.nodes for name in node.output]
    assert outputs.count("m") == outputs.count("y") == 1
    exact = x["x"] @ w
    np.testing.assert_array_equal(run(net, made, x), exact.astype(np.float16).astype(np.float32))


@pytest.mark.parametrize(
    ("bits", "opset", "domain"), [(8, 9, "com.microsoft"), (8, 10, ""), (16, 17, "com.microsoft"), (16, 21, "")]
)
def test_operators_come_from_onnx_where_it_has_them(bits, opset, domain):
    net, _ = gemm(np.random.default_rng(0), opset)
    made = lowered(net, Scheme(INT8.weights, ActivationFormat(bits)), opset=opset)
    assert made.nodes[0].op_type == "QuantizeLinear"
    assert made.nodes[0].domain == domain


def test_int4_is_packed_blockwise_on_the_original_layout_where_that_can_be_said():
    rng = np.random.default_rng(0)
    for (net, _), axis in ((matmul(rng, 21, k=64), 0), (gemm(rng, 21), 1), (conv(rng, 21, shape=(7, 40, 1, 1)), 1)):
        made = lowered(net, INT4, packed=True, opset=21)
        node = next(n for n in made.nodes if n.op_type == "DequantizeLinear")
        assert {a.name: a.i for a in node.attribute} == {"axis": axis, "block_size": 32}
        assert made.constants[node.input[0]].shape == net.kernels[0].weight.shape
        assert made.constants[node.input[0]].dtype.name == "int4"
        assert made.constants[node.input[1]].dtype == np.float32
    crossing, _ = conv(rng, 21)
    made = lowered(crossing, INT4, packed=True, opset=21)
    node = next(n for n in made.nodes if n.op_type == "DequantizeLinear")
    assert made.constants[node.input[0]].shape == (6, 45)
    assert "Reshape" in operators(made)


def test_a_missing_range_names_layer_and_tensor():
    net, _ = small_net()
    with pytest.raises(PlanError, match="layer0 needs the range of x"):
        lower(net.kernels[0], INT8, Ranges(), net.tensors, False)


def test_half_weights_are_stored_as_halves():
    net, _ = gemm(np.random.default_rng(0), 21)
    made = lowered(net, FP16, packed=True, opset=21)
    kinds = {numpy_helper.from_array(np.asarray(a), n).data_type for n, a in made.constants.items()}
    assert kinds == {TensorProto.FLOAT16}


def test_brain_weights_and_biases_are_stored_as_such():
    net, inputs = gemm(np.random.default_rng(0), 21)
    made = lowered(net, BF16, packed=True, opset=21)
    kinds = {numpy_helper.from_array(np.asarray(a), n).data_type for n, a in made.constants.items()}
    assert kinds == {TensorProto.BFLOAT16}
    brain = lambda a: a.astype(ml_dtypes.bfloat16).astype(np.float64)
    constants = net.kernels[0].constants
    exact = brain(inputs["x"]) @ brain(constants["w"]).T + brain(constants["b"])
    found = run(net, lowered(net, BF16), inputs)
    np.testing.assert_array_equal(found, found.astype(ml_dtypes.bfloat16).astype(np.float32))
    np.testing.assert_allclose(found, exact, rtol=2**-8, atol=1e-4)


@pytest.mark.parametrize("scheme", [FP16, INT4])
def test_values_that_are_halves_already_are_not_rounded_again(scheme):
    net, _ = small_net()
    kernel = net.kernels[2]
    feeds = {name: np.random.default_rng(1).standard_normal(net.tensors[name].shape) for name in kernel.inputs}
    feeds = {name: array.astype(np.float16).astype(np.float32) for name, array in feeds.items()}
    results = []
    for halves in ((), ("b",)):
        made = lower(kernel, scheme, Ranges(), net.tensors, False, halves=halves)
        results.append((len(made.nodes), run_nodes(net, kernel, made, feeds)))
    (more, want), (less, found) = results
    assert more - less == 2  # the Casts to half and back
    np.testing.assert_array_equal(found, want)


def run_nodes(net, kernel, made, feeds):
    built = build_model(net.graph, made.nodes, kernel.inputs, kernel.outputs, made.constants, opsets={"": 21})
    return open_session(built, options()).run(None, feeds)[0]
