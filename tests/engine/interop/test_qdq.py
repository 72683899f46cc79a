"""What is seen is what is exported: the preview against the file, both run by ONNX Runtime."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from handmade import Step, network, run_whole, samples_like, small_net
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import KINDS, conv, gemm, matmul
from onnx import helper

from engine.errors import Cancelled, ExportError, PlanError
from engine.fusion import fuse
from engine.fusion.types import Kind
from engine.graph import load
from engine.interop.qdq import SETTINGS, export_qdq
from engine.numerics import Evaluator, calibrate
from engine.precision.plan import Plan
from engine.precision.scheme import (
    BF16,
    BRAIN,
    FP16,
    FP32,
    HALF,
    INT4,
    INT8,
    W4A8,
    W8A16,
    ActivationFormat,
    Scheme,
    WeightFormat,
)
from engine.progress import CancelToken
from engine.quant.ranges import Range, Ranges

SCHEMES = {
    "fp32": FP32,
    "fp16": FP16,
    "bf16": BF16,
    "bf16 weights": Scheme(BF16.weights, ActivationFormat(8)),
    "bf16 weights, fp16 activations": Scheme(BF16.weights, HALF),
    "bf16 activations": Scheme(WeightFormat(4, symmetric=False, granularity="group", group=32), BRAIN),
    "int8": INT8,
    "int4": INT4,
    "w4a8": W4A8,
    "w8a16": W8A16,
    "int8 per tensor": Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(8)),
    "int8 asymmetric": Scheme(WeightFormat(8, symmetric=False), ActivationFormat(8, symmetric=True)),
    "int8 dynamic": Scheme(WeightFormat(8), ActivationFormat(8, static=False)),
    "int8 dynamic symmetric": Scheme(WeightFormat(8), ActivationFormat(8, symmetric=True, static=False)),
    "int4 activations": Scheme(WeightFormat(4), ActivationFormat(4)),
    "int4 activations symmetric": Scheme(WeightFormat(4), ActivationFormat(4, symmetric=True)),
    "int16 activations": Scheme(WeightFormat(8), ActivationFormat(16)),
    "int16 weights": Scheme(WeightFormat(16), ActivationFormat(16, symmetric=True)),
    "int4 per tensor": Scheme(WeightFormat(4, symmetric=False, granularity="tensor"), HALF),
    "int4 per channel": Scheme(WeightFormat(4), HALF),
    "int4 groups of 16": Scheme(WeightFormat(4, symmetric=True, granularity="group", group=16), HALF),
    "int8 groups of 48": Scheme(WeightFormat(8, symmetric=False, granularity="group", group=48), ActivationFormat(8)),
    "int3": Scheme(WeightFormat(3, symmetric=False, granularity="group", group=32), HALF),
    "int2": Scheme(WeightFormat(2, symmetric=False, granularity="group", group=16), HALF),
    "weights only": Scheme(WeightFormat(4, symmetric=False, granularity="group", group=32), FP32.activations),
}


def sqnr_db(result: np.ndarray, reference: np.ndarray) -> float:
    noise = np.sum((result.astype(np.float64) - reference) ** 2)
    return np.inf if noise == 0 else 10 * np.log10(np.sum(reference.astype(np.float64) ** 2) / noise)


def worst_db(net, samples, ranges, plan, path: Path) -> float:
    """The lowest SQNR of any output of the file against the preview's."""
    export_qdq(net, plan, ranges, path)
    evaluator = Evaluator(net, samples, ranges=ranges)
    try:
        previews = evaluator.output(plan)
    finally:
        evaluator.close()
    worst = np.inf
    for feeds, preview in zip(samples.feeds, previews, strict=True):
        for info, result in zip(net.graph.outputs, run_whole(str(path), feeds), strict=True):
            worst = min(worst, sqnr_db(result, preview[info.name]))
    return worst


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_one_kernel_computes_in_the_file_what_the_preview_shows(kind, scheme, tmp_path):
    net, inputs = KINDS[kind](np.random.default_rng(1), 17)
    samples = samples_like(inputs, 2)
    plan = Plan({net.kernels[0].id: SCHEMES[scheme]})
    assert worst_db(net, samples, calibrate(net, samples), plan, tmp_path / "m.onnx") >= 60


@pytest.mark.parametrize("kind", ["gemm", "matmul"])
@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("symmetric", [True, False])
def test_eight_bit_groups_beside_eight_bit_activations_run_at_any_setting(kind, static, symmetric, tmp_path):
    """ONNX Runtime would join them into a kernel that knows no groups, and fail at the first run."""
    net, inputs = KINDS[kind](np.random.default_rng(1), 21)
    samples = samples_like(inputs, 2)
    form = WeightFormat(8, symmetric=symmetric, granularity="group", group=7)
    plan = Plan({net.kernels[0].id: Scheme(form, ActivationFormat(8, static=static))})
    assert worst_db(net, samples, calibrate(net, samples), plan, tmp_path / "m.onnx") >= 60
    default = ort.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    for feeds in samples.feeds:
        assert sqnr_db(default.run(None, feeds)[0], run_whole(str(tmp_path / "m.onnx"), feeds)[0]) > 30


@given(
    kind=st.sampled_from(["conv", "gemm", "matmul", *KINDS]),
    bits=st.sampled_from([2, 3, 4, 8, 16]),
    symmetric=st.booleans(),
    grain=st.sampled_from(["tensor", "channel", "group"]),
    group=st.sampled_from([1, 5, 8, 16, 32, 100]),
    activation=st.sampled_from(
        [
            HALF,
            BRAIN,
            FP32.activations,
            *(
                ActivationFormat(b, symmetric=s, static=static)
                for b in (8, 16)
                for s in (True, False)
                for static in (True, False)
            ),
            ActivationFormat(4),
            ActivationFormat(4, symmetric=True),
        ]
    ),
    k=st.integers(1, 70),
    opset=st.sampled_from([7, 11, 13, 17, 21]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_any_format_over_any_shape_is_the_same_in_preview_and_file(
    tmp_path_factory, kind, bits, symmetric, grain, group, activation, k, opset, seed
):
    rng = np.random.default_rng(seed)
    net, inputs = {
        "conv": lambda: conv(rng, opset, shape=(5, k % 9 + 1, 3, 2)),
        "gemm": lambda: gemm(rng, opset, k=k),
        "matmul": lambda: matmul(rng, opset, k=k, n=k % 7 + 1),
    }.get(kind, lambda: KINDS[kind](rng, opset))()
    form = WeightFormat(bits, symmetric=symmetric, granularity=grain, group=group if grain == "group" else 0)
    samples = samples_like(inputs, 1, seed)
    plan = Plan({net.kernels[0].id: Scheme(form, activation)})
    path = tmp_path_factory.mktemp("qdq") / "m.onnx"
    assert worst_db(net, samples, calibrate(net, samples), plan, path) >= 60


@pytest.mark.parametrize("brain", [False, True], ids=["int4", "bf16"])
@pytest.mark.parametrize("opset", [9, 17, 22])
def test_a_whole_network_keeps_its_output_error_in_the_file(opset, brain, tmp_path):
    net, inputs = small_net(opset=opset)
    samples = samples_like(inputs, 6)
    ranges = calibrate(net, samples)
    schemes = dict(zip((k.id for k in net.tunable), (INT8, BF16 if brain else INT4, FP16, W4A8), strict=True))
    path = tmp_path / "名 字.onnx"
    export_qdq(net, Plan(schemes), ranges, path)
    evaluator = Evaluator(net, samples, ranges=ranges)
    try:
        shown = evaluator.evaluate(Plan(schemes)).output.sqnr_db
        references = [out["y"] for out in evaluator.output(Plan())]
    finally:
        evaluator.close()
    results = [run_whole(str(path), feeds)[0] for feeds in samples.feeds]
    assert 5 < shown < 40
    assert abs(sqnr_db(np.stack(results), np.stack(references)) - shown) <= 0.5


def test_the_file_says_what_it_is(tmp_path):
    net, inputs = small_net()
    ranges = calibrate(net, samples_like(inputs, 2))
    plan = Plan({net.kernels[0].id: INT4, net.kernels[4].id: INT8}, "mine")
    export_qdq(net, plan, ranges, tmp_path / "m.onnx")
    model = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert (model.ir_version, model.opset_import[0].version) == (10, 21)
    assert [i.name for i in model.graph.input] == ["x"]
    assert [o.name for o in model.graph.output] == ["y"]
    names = [node.name for node in model.graph.node]
    assert len(set(names)) == len(names)
    assert all(name.split("/")[0] in {k.name for k in net.kernels} for name in names)
    kinds = {init.name: init.data_type for init in model.graph.initializer}
    assert kinds["w0/mixbit/int4_group32_c0"] == onnx.TensorProto.INT4
    assert kinds["w4/mixbit/int_symmetric8_channel_c0"] == onnx.TensorProto.INT8
    assert {onnx.TensorProto.INT32} == {kinds[name] for name in kinds if name.endswith("bias/int32")}
    assert "w0" not in kinds
    notes = {p.key: p.value for p in model.metadata_props}
    assert json.loads(notes["mixbit.plan"])["kernels"][0]["scheme"] == "int4"
    assert json.loads(notes["mixbit.session_settings"]) == SETTINGS
    assert os.listdir(tmp_path) == ["m.onnx"]


@pytest.mark.parametrize("squared", ["Pow", "Mul"])
def test_a_norm_behind_a_half_kernel_loads_at_any_setting(squared, tmp_path):
    rng = np.random.default_rng(0)
    inputs = {"x": rng.standard_normal((1, 4, 16)).astype(np.float32)}
    square = [("Pow", ["d", "two"], ["q"], {})] if squared == "Pow" else [("Mul", ["d", "d"], ["q"], {})]
    weight, ones = rng.standard_normal((16, 16)).astype(np.float32), np.ones(16, np.float32)
    steps = [
        Step([("MatMul", ["x", "w"], ["m"], {})], ["m"], {"w": weight}, Kind.MATMUL, "w", (1,), (0,), "x"),
        Step(
            [("ReduceMean", ["m"], ["a"], {"axes": [-1]}), ("Sub", ["m", "a"], ["d"], {}), *square,
             ("ReduceMean", ["q"], ["v"], {"axes": [-1]}), ("Add", ["v", "e"], ["ve"], {}), ("Sqrt", ["ve"], ["s"], {}),
             ("Div", ["d", "s"], ["n"], {}), ("Mul", ["n", "g"], ["z"], {}), ("Add", ["z", "g"], ["y"], {})],
            ["y"], {"two": np.float32(2), "e": np.float32(1e-5), "g": ones}, Kind.NORM,
        ),
    ]  # fmt: skip
    net = network(inputs, ["y"], steps)
    samples = samples_like(inputs, 2)
    plan = Plan({net.kernels[0].id: FP16})
    assert worst_db(net, samples, calibrate(net, samples), plan, tmp_path / "m.onnx") >= 60
    default = ort.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    assert default.run(None, samples.feeds[0])[0].shape == (1, 4, 16)


def test_a_scale_per_tensor_is_a_scalar(tmp_path):
    net, inputs = small_net()
    scheme = Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(8))
    export_qdq(net, Plan({net.kernels[0].id: scheme}), calibrate(net, samples_like(inputs, 1)), tmp_path / "m.onnx")
    scales = {i.name: i.dims for i in onnx.load(tmp_path / "m.onnx").graph.initializer if i.name.endswith("scale")}
    assert len(scales) == 3
    assert all(list(dims) == [] for dims in scales.values())


def test_big_constants_go_into_a_second_file(tmp_path):
    net, inputs = small_net()
    samples = samples_like(inputs, 1)
    ranges = calibrate(net, samples)
    plan = Plan({k.id: INT8 for k in net.tunable})
    export_qdq(net, plan, ranges, tmp_path / "one.onnx")
    export_qdq(net, plan, ranges, tmp_path / "two.onnx", external_above=100)
    assert sorted(os.listdir(tmp_path)) == ["one.onnx", "two.onnx", "two.onnx.data"]
    one, two = (run_whole(str(tmp_path / name), samples.feeds[0])[0] for name in ("one.onnx", "two.onnx"))
    np.testing.assert_array_equal(one, two)


def test_tied_weights_are_stored_once_per_format(tmp_path):
    net, inputs = small_net()
    ranges = calibrate(net, samples_like(inputs, 1))
    before = net.kernels[4]
    # The same kernel twice more, reading the same weight.
    from dataclasses import replace

    copies = []
    for number in (5, 6):
        node = onnx.NodeProto()
        node.CopyFrom(before.nodes[0].proto)
        node.output[0] = f"y{number}"
        nodes = (replace(before.nodes[0], proto=node),)
        copies.append(replace(before, id=f"k{number}", index=number, name=f"copy{number}", nodes=nodes,
                              outputs=(f"y{number}",)))  # fmt: skip
    tensors = {**net.tensors, **{f"y{n}": replace(net.tensors["y"], name=f"y{n}") for n in (5, 6)}}
    graph = replace(net.graph, tensors=tensors, outputs=tuple(tensors[n] for n in ("y", "y5", "y6")))
    tied = replace(net, graph=graph, kernels=(*net.kernels, *copies))
    export_qdq(tied, Plan({before.id: INT8, "k5": INT8, "k6": INT4}), ranges, tmp_path / "m.onnx")
    names = [init.name for init in onnx.load(tmp_path / "m.onnx").graph.initializer]
    assert [name for name in names if name.startswith("w4/") and name.count("/") == 2] == [
        "w4/mixbit/int_symmetric8_channel_c0",
        "w4/mixbit/int4_group32_c0",
    ]


@pytest.mark.parametrize("place", ["missing/m.onnx", "folder", "file/m.onnx"])
def test_an_impossible_path_is_refused_in_one_sentence(place, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    net, _ = small_net()
    with pytest.raises(ExportError, match="can't be written"):
        export_qdq(net, Plan(), Ranges(), tmp_path / place)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_a_missing_range_or_a_cancel_leaves_the_old_file(tmp_path):
    net, _ = small_net()
    path = tmp_path / "m.onnx"
    path.write_text("old")
    with pytest.raises(PlanError, match="layer0"):
        export_qdq(net, Plan({net.kernels[0].id: INT8}), Ranges(), path)
    token = CancelToken()
    with pytest.raises(Cancelled):
        export_qdq(net, Plan(), Ranges(), path, progress=lambda f, t: token.cancel(), cancel=token)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["m.onnx"]


def already_rounded(path: Path, zero: int, dtype: type) -> Path:
    """Two convolutions whose inputs are rounded in the file itself, with scales that no range of ours gives."""
    rng = np.random.default_rng(4)
    node, constants = helper.make_node, {}
    nodes, last = [], "x"
    for at in (0, 1):
        constants |= {f"s{at}": np.float32(0.21 + at), f"z{at}": np.asarray(zero, dtype)}
        constants |= {f"w{at}": (rng.standard_normal((8, 8, 3, 3)) / 4).astype(np.float32)}
        nodes += [
            node("QuantizeLinear", [last, f"s{at}", f"z{at}"], [f"q{at}"]),
            node("DequantizeLinear", [f"q{at}", f"s{at}", f"z{at}"], [f"d{at}"]),
            node("Conv", [f"d{at}", f"w{at}"], [f"y{at}"], pads=[1, 1, 1, 1]),
        ]
        last = f"y{at}"
    info = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 8, 10, 10])
    initializers = [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "rounded", [info("x")], [info("y1")], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.mark.parametrize("rules", ["edge", "cloud"])
@pytest.mark.parametrize(("zero", "dtype"), [(0, np.int8), (120, np.uint8)])
def test_a_rounding_on_top_of_the_models_own_counts_at_every_level(zero, dtype, rules, tmp_path):
    net = fuse(load(already_rounded(tmp_path / "rounded.onnx", zero, dtype)), rules)
    samples = samples_like({"x": np.zeros((1, 8, 10, 10), np.float32)}, 3)
    ranges = calibrate(net, samples)
    coarse = {name: Range(low=2 * found.low - 0.1, high=1.5 * found.high) for name, found in ranges.ranges.items()}
    ranges = Ranges(coarse, "test", 3)
    assert net.tunable
    for activations in (ActivationFormat(8), ActivationFormat(8, symmetric=True), ActivationFormat(4), HALF):
        plan = Plan({kernel.id: Scheme(INT8.weights, activations) for kernel in net.tunable})
        with closing(Evaluator(net, samples, ranges=ranges)) as evaluator:
            shown = evaluator.evaluate(plan).output.sqnr_db
            previews = [output["y1"] for output in evaluator.output(plan)]
            reference = [output["y1"] for output in evaluator.output(Plan())]
        export_qdq(net, plan, ranges, tmp_path / "file.onnx")
        for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"):
            options = ort.SessionOptions()
            options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
            for entry in SETTINGS.items():
                options.add_session_config_entry(*entry)
            session = ort.InferenceSession(str(tmp_path / "file.onnx"), options, providers=["CPUExecutionProvider"])
            results = [session.run(None, feeds)[0] for feeds in samples.feeds]
            noise = sum(np.sum((a.astype(np.float64) - b) ** 2) for a, b in zip(results, reference, strict=True))
            power = sum(np.sum(b.astype(np.float64) ** 2) for b in reference)
            assert 10 * np.log10(power / noise) == pytest.approx(shown, abs=0.05)
            assert min(sqnr_db(a, b) for a, b in zip(results, previews, strict=True)) > 60
