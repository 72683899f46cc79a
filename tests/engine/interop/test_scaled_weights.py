"""AWQ, SmoothQuant and equalisation: scales move between layers, and every figure stays that of the exported file."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace

import numpy as np
import onnx
import pytest
from handmade import Step, network, run_whole, samples_like, whole_model
from scaled_nets import block, convolutions

from engine.errors import PlanError
from engine.fusion.types import Kind
from engine.interop.plain import check_qdq
from engine.interop.qdq import build_qdq, export_qdq
from engine.npu.emulate import emulate
from engine.numerics import Evaluator, calibrate
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, HALF, INT4, INT8, W4A8, ActivationFormat, Scheme, WeightFormat
from engine.quant.folding import Group, groups_of
from engine.quant.matrix import to_matrix
from engine.quant.ranges import range_for
from engine.text import Text
from engine.tuning.methods import apart, refine, together, why_not, with_method

TENSOR = Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(8))
GROUPS = replace(INT4, weights=replace(INT4.weights, group=16))
"""Groups that cross the axes of a convolution's weight."""
BLOCKS = Scheme(WeightFormat(8, granularity="group", group=16), ActivationFormat(8))
"""Held apart from ONNX Runtime's integer kernel by a Reshape."""
SCHEMES = {
    "int4": INT4,
    "int4 groups of 16": GROUPS,
    "w4a8": W4A8,
    "int8": INT8,
    "w8a8 groups": BLOCKS,
    "per tensor": TENSOR,
    "per tensor, half": replace(TENSOR, activations=HALF),
    "dynamic": Scheme(WeightFormat(8), ActivationFormat(8, static=False)),
    "symmetric": Scheme(WeightFormat(8), ActivationFormat(8, symmetric=True)),
    "int16 activations": Scheme(WeightFormat(8), ActivationFormat(16)),
    "weights only": replace(INT4, activations=FP32.activations),
}
NETS = {"block": block, "convolutions": convolutions}


@pytest.fixture(scope="module", params=NETS)
def made(request):
    net, inputs = NETS[request.param]()
    samples = samples_like(inputs, 3, seed=1)
    return net, samples, calibrate(net, samples_like(inputs, 8))


def everywhere(net, scheme, method, corrected=False):
    plan = with_method(net, Plan(dict.fromkeys((k.id for k in net.tunable), scheme)), method, corrected)
    return plan, [k for k in net.tunable if plan[k.id].method == method]


def file_outputs(net, plan, ranges, samples, path):
    export_qdq(net, plan, ranges, path)
    return [run_whole(str(path), feeds)[0] for feeds in samples.feeds], onnx.load(path)


@pytest.mark.parametrize("method", ["awq", "smooth", "cle"])
@pytest.mark.parametrize("name", SCHEMES)
def test_the_file_gives_the_bits_of_the_preview(made, name, method, tmp_path):
    net, samples, ranges = made
    plan, kernels = everywhere(net, SCHEMES[name], method, corrected=name != "w4a8")
    if not kernels:
        assert (method, SCHEMES[name].activations.floating) == ("smooth", True) or method == "cle"
        return
    with closing(Evaluator(net, samples, ranges=ranges)) as evaluator:
        previews = evaluator.output(plan)
    results, _ = file_outputs(net, plan, ranges, samples, tmp_path / "m.onnx")
    for result, preview in zip(results, previews, strict=True):
        if net.tunable[0].kind is Kind.MATMUL and SCHEMES[name].activations.static:
            np.testing.assert_array_equal(result, preview["y"])
        else:  # convolutions in channel blocks add up in another order, which moves single values by a step
            assert np.linalg.norm(result - preview["y"]) < 1e-2 * np.linalg.norm(preview["y"])


@pytest.mark.parametrize("method", ["awq", "smooth", "cle"])
def test_without_rounding_the_scaled_network_is_the_original_bit_for_bit(made, method):
    net, samples, ranges = made
    plan, kernels = everywhere(net, TENSOR if method == "cle" else INT8, method)
    assert kernels
    floats = Plan({k.id: replace(plan[k.id], activations=FP32.activations) for k in kernels})
    model, constants = build_qdq(net, floats, replace(ranges, rounding=Exact(ranges.rounding, plan)))
    told = json.loads({entry.key: entry.value for entry in model.metadata_props}["mixbit.scales"])
    assert told["folded"] >= 1
    assert not told["left"]
    assert not any(node.op_type == "DequantizeLinear" for node in model.graph.node)
    kept = [onnx.numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in constants.items()]
    model.graph.initializer.extend(kept)
    for feeds in samples.feeds:
        np.testing.assert_array_equal(run_whole(model, feeds)[0], run_whole(whole_model(net), feeds)[0])


class Exact:
    """Gives each weight in the units of its scaling, not rounded."""

    def __init__(self, rounding, plan):
        self._rounding, self._plan = rounding, plan

    def weight(self, kernel, weight, scheme):
        made = self._rounding.weight(kernel, weight, self._plan[kernel.id])
        matrix = to_matrix(kernel.constants[weight.constant], weight.channel_axes, weight.reduction_axes)
        ones, zeros = np.ones((1, 1), np.float32), np.zeros((1, 1), np.int8)
        return replace(made, codes=made.scaling.of(matrix), scales=ones, zero_points=zeros, format=FP32.weights)

    def find(self, cells, **_):
        pass


@pytest.mark.parametrize(("scheme", "method"), [(INT8, "smooth"), (GROUPS, "awq"), (BLOCKS, "awq")])
def test_scales_cost_nothing_where_all_readers_share_them(made, tmp_path, scheme, method):
    net, samples, ranges = made
    plan, _ = everywhere(net, scheme, method)
    _, model = file_outputs(net, plan, ranges, samples, tmp_path / "m.onnx")
    told = json.loads({entry.key: entry.value for entry in model.metadata_props}["mixbit.scales"])
    assert told == {"folded": 2, "left": []}
    plain, _ = everywhere(net, scheme, "rtn")
    _, before = file_outputs(net, plain, ranges, samples, tmp_path / "p.onnx")
    assert sorted(n.op_type for n in model.graph.node) == sorted(n.op_type for n in before.graph.node)


def test_a_reader_with_another_scheme_keeps_its_multiplication_and_the_figures(tmp_path):
    net, inputs = block()
    samples = samples_like(inputs, 2, seed=1)
    plan, kernels = everywhere(net, INT8, "awq")
    plan = plan.with_schemes({kernels[0].id: INT8})
    with closing(Evaluator(net, samples, ranges=calibrate(net, samples_like(inputs, 8)))) as evaluator:
        previews = evaluator.output(plan)
        results, model = file_outputs(net, plan, evaluator.ranges, samples, tmp_path / "m.onnx")
    told = json.loads({entry.key: entry.value for entry in model.metadata_props}["mixbit.scales"])
    assert apart(net, plan) == tuple(kernel.id for kernel in kernels[1:3])
    assert any("multiplication of its own" in str(note) for note in check_qdq(net, plan).notes)
    assert not apart(net, everywhere(net, INT8, "awq")[0])
    assert told["folded"] == 1
    assert len(told["left"]) == 2
    for result, preview in zip(results, previews, strict=True):
        np.testing.assert_array_equal(result, preview["y"])


@pytest.mark.parametrize(("net", "scheme", "method"), [(block, INT8, "smooth"), (block, W4A8, "awq"),
                                                       (convolutions, TENSOR, "cle")])  # fmt: skip
def test_each_gains_where_its_paper_says(net, scheme, method):
    net, inputs = net()
    with closing(Evaluator(net, samples_like(inputs, 4, seed=1), ranges=calibrate(net, samples_like(inputs, 8)))) as e:
        level = lambda plan: e.evaluate(plan, accumulated=False).output.sqnr_db
        plain, scaled = (level(everywhere(net, scheme, each)[0]) for each in ("rtn", method))
        assert scaled > plain + 2
        plan = everywhere(net, scheme, "rtn")[0]
        found = refine(e, plan, list(plan), names=("rtn", method))
        assert found.after_db >= scaled - 0.1
        for kernel in found.changed:  # no scale is left half way
            for other, other_scheme in together(net, found.plan, kernel, found.plan[kernel]).items():
                assert found.plan[other].method == other_scheme.method


@pytest.mark.parametrize("scheme", [INT8, W4A8, TENSOR])
def test_emulated_kernels_agree(made, scheme):
    net, samples, ranges = made
    with closing(Evaluator(net, samples, ranges=ranges)) as evaluator:
        evaluator.prepare()
        for method in ("awq", "smooth", "cle"):
            plan, kernels = everywhere(net, scheme, method, True)
            for kernel in (k for k in kernels if len(k.nodes) == 1):
                own, name = plan[kernel.id], kernel.weight.activation
                activation = evaluator.reference(0)[name].numpy(net.tensors[name])
                found = emulate(kernel, own, activation, range_for(kernel, own, ranges), ranges.rounding).output
                preview = evaluator.capture(kernel.id, Plan({kernel.id: own}), 0).result
                lost = np.sum((found - preview).astype(np.float64) ** 2)
                assert lost <= 1e-6 * np.sum(preview.astype(np.float64) ** 2)


def test_reasons_are_told(made):
    net, _, _ = made
    first = net.tunable[0]
    groups = groups_of(net)
    for kernel in net.tunable:
        found = groups.of(kernel)
        assert isinstance(found, Group) == (why_not(net, kernel, INT8, "awq") is None) or kernel.kind is Kind.DEPTHWISE
    if first.weight.activation == "x":
        assert "input of the model" in str(why_not(net, first, INT8, "awq"))
        with pytest.raises(PlanError, match="takes no scale"):
            calibrate(net, samples_like({"x": np.zeros((1, 3, 10, 10), np.float32)}, 2)).rounding.find(
                [(first.id, replace(INT8, method="awq"))]
            )
    assert "floats" in str(why_not(net, net.tunable[-1], INT4, "smooth"))
    assert "more than one scale" in str(why_not(net, net.tunable[-1], INT8, "cle"))


def test_what_does_not_pass_a_scale_is_named():
    rng = np.random.default_rng(0)
    f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    matrix = {"kind": Kind.MATMUL, "channels": (1,), "reduction": (0,)}
    x = {"x": f32(2, 8)}
    steps = [
        Step([("MatMul", ["x", "w"], ["a"], {}), ("Tanh", ["a"], ["b"], {})], ["b"], {"w": f32(8, 8)},
             weight="w", activation="x", **matrix),
        Step([("MatMul", ["b", "v"], ["c"], {})], ["c"], {"v": f32(8, 8)}, weight="v", activation="b", **matrix),
        Step([("MatMul", ["c", "u"], ["d"], {})], ["d"], {"u": f32(8, 8)}, weight="u", activation="c", **matrix),
        Step([("Add", ["d", "c"], ["y"], {})], ["y"], {}),
    ]  # fmt: skip
    net = network(x, ["y"], steps)
    reasons = [str(found) for found in map(groups_of(net).of, net.tunable) if isinstance(found, Text)]
    assert len(reasons) == 3
    assert "Tanh" in reasons[1]
    assert "no weights to take up the scale" in reasons[2]


def test_dead_and_broken_channels_are_survived():
    net, inputs = convolutions()
    kernel = net.tunable[2]
    kernel.constants["w2"][0] = 0
    kernel.constants["w2"][1, 0] = np.nan
    net.tunable[0].constants["w0"][3] = 0
    samples = samples_like(inputs, 3)
    for scheme, method in ((TENSOR, "cle"), (INT8, "smooth"), (INT4, "awq")):
        plan, kernels = everywhere(net, scheme, method)
        ranges = calibrate(net, samples)
        for each in kernels:
            found = ranges.rounding.weight(each, each.weight, plan[each.id])
            assert np.isfinite(found.matrix()).all()
            sides = [side for side in (found.scaling.inputs, found.scaling.outputs) if side is not None]
            assert all((np.frexp(side)[0] == 0.5).all() for side in sides)
