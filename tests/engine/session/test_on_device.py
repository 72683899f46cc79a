"""Kernels as the device runs them: special kernels where it has one, else blocks that give the same bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.errors import PlanError
from engine.fusion import fuse
from engine.graph import load
from engine.npu.blocks import multiply_blocks, multiply_plain
from engine.precision.scheme import FP16, INT4, INT8
from engine.quant.ranges import FromWeights, Range, Ranges
from engine.session.emulating import emulated_output
from engine.session.on_device import device_output

RANDOM = np.random.default_rng(5)


def network(tmp_path, nodes, shape, out, weights):
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, out)],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
    )  # fmt: skip
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path)
    return fuse(load(path), "edge")


def product(tmp_path, rows, k, n):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Add", ["m", "b"], ["y"])]
    weights = {"w": RANDOM.standard_normal((k, n)) * 0.1, "b": RANDOM.standard_normal(n)}
    return network(tmp_path, nodes, [1, rows, k], [1, rows, n], weights)


def convolution(tmp_path, group=1):
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1], group=group),
             helper.make_node("Relu", ["c"], ["y"])]  # fmt: skip
    weights = {"w": RANDOM.standard_normal((12, 20 // group, 3, 3)), "b": RANDOM.standard_normal(12)}
    return network(tmp_path, nodes, [2, 20, 7, 9], [2, 12, 7, 9], weights)


def feeds(net):
    (info,) = net.graph.inputs
    return {"x": RANDOM.standard_normal(info.shape).astype(np.float32)}


def ran(net, scheme, inputs, family):
    ranges = Ranges({"x": Range(-3.0, 3.0)}, "minmax")
    (kernel,) = net.kernels
    found = device_output(kernel, scheme, inputs, net, ranges, family)
    return found, emulated_output(kernel, scheme, inputs, net, ranges)


def sqnr_db(found, wanted):
    noise = ((found.astype(np.float64) - wanted) ** 2).sum()
    return 10 * np.log10((wanted.astype(np.float64) ** 2).sum() / noise) if noise else np.inf


@pytest.mark.parametrize("group", [1, 2, 4])
def test_integer_products_in_blocks_give_the_same_bits(tmp_path, group):
    net = convolution(tmp_path, group)
    found, plain = ran(net, INT8, feeds(net), "ascend")
    np.testing.assert_array_equal(found.values, plain)
    assert "FRACTAL_NZ" in str(found.words)


def test_half_products_in_blocks_differ_by_the_order_of_sums_only(tmp_path):
    net = convolution(tmp_path)
    found, plain = ran(net, FP16, feeds(net), "ascend")
    assert sqnr_db(found.values, plain) > 60


def test_sums_of_blocks_wrap_at_32_bits():
    left, right = np.full((1, 1, 40), 2.0**14), np.full((1, 1, 40), 2.0**14)
    assert multiply_plain(left, right)[0, 0, 0] == 40 * 2.0**28
    assert multiply_blocks(left, right)[0, 0, 0] == 40 * 2.0**28 - 3 * 2.0**32


@pytest.mark.parametrize(("rows", "words"), [(1, "1 × 1"), (70, "1 × 64, 1 × 16"), (128, "2 × 64")])
def test_packed_weights_meet_half_activations_in_quant_matmul(tmp_path, rows, words):
    net = product(tmp_path, rows, 128, 256)
    found, plain = ran(net, INT4, feeds(net), "kirin")
    assert f"({'calls × rows: ' + words})" in str(found.words)
    assert found.values.shape == plain.shape
    assert sqnr_db(found.values, plain) > 55  # it widens weights in two half steps


def test_limits_of_quant_matmul_are_named(tmp_path):
    for k, n, reason in ((96, 128, "K in multiples of 128"), (128, 96, "N in multiples of 128")):
        net = product(tmp_path, 4, k, n)
        found, plain = ran(net, INT4, feeds(net), "kirin")
        assert reason in str(found.words)
        assert sqnr_db(found.values, plain) > 60
    net = product(tmp_path, 64, 4096, 128)
    assert "at most 448 KB" in str(ran(net, INT4, feeds(net), "kirin")[0].words)
    net = product(tmp_path, 16, 128, 128)
    assert "QuantMatMul" not in str(ran(net, INT4, feeds(net), "ascend")[0].words)


class Shifted(FromWeights):
    """Rounds to nearest, and knows what the bias gets."""

    def shift(self, kernel, scheme):
        return np.full(128, 20.0, np.float32)


def test_a_corrected_bias_reaches_quant_matmul(tmp_path):
    net = product(tmp_path, 8, 128, 128)
    inputs, (kernel,) = feeds(net), net.kernels
    ranges = Ranges({"x": Range(-3.0, 3.0)}, "minmax", rounding=Shifted())
    plain, _ = ran(net, INT4, inputs, "kirin")
    found = device_output(kernel, replace(INT4, corrected=True), inputs, net, ranges, "kirin")
    assert "QuantMatMul" in str(found.words)
    np.testing.assert_allclose(found.values - plain.values, 20.0, atol=0.1)


def norm(tmp_path, *, tail="Gelu", beta=True):
    inputs = ["x", "gamma", "beta"] if beta else ["x", "gamma"]
    weights = {"gamma": RANDOM.uniform(0.5, 2, 48), "beta": RANDOM.standard_normal(48)}
    nodes = [helper.make_node("LayerNormalization", inputs, ["c"], epsilon=1e-6),
             helper.make_node(tail, ["c"], ["y"])]  # fmt: skip
    if not beta:
        del weights["beta"]
    return network(tmp_path, nodes, [1, 9, 48], [1, 9, 48], weights)


@pytest.mark.parametrize("beta", [True, False])
def test_a_norm_with_its_gelu_is_one_kernel_in_the_form_of_the_device(tmp_path, beta):
    net = norm(tmp_path, beta=beta)
    inputs = feeds(net)
    (kernel,) = net.kernels
    ranges = Ranges({}, "minmax")
    tanh = device_output(kernel, FP16, inputs, net, ranges, "ascend")
    kirin = device_output(kernel, FP16, inputs, net, ranges, "kirin")
    assert "tanh" in str(tanh.words)
    assert "kirin" in str(kirin.words)
    assert 0 < np.abs(tanh.values - kirin.values).max() < 0.03  # the forms differ by 0.02


def test_other_kernels_without_weights_are_refused(tmp_path):
    net = norm(tmp_path, tail="Tanh")
    inputs, (kernel, *others) = feeds(net), net.kernels
    assert not others
    with pytest.raises(PlanError, match="not a layer norm, a bias and a GELU"):
        device_output(kernel, FP16, inputs, net, Ranges({}, "minmax"), "ascend")
    relu = network(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], [1, 9, 48], [1, 9, 48], {})
    with pytest.raises(PlanError, match="no weights"):
        device_output(relu.kernels[0], FP16, inputs, relu, Ranges({}, "minmax"), "ascend")
