"""Every hazard with a model that has it and one that has not; the command gives exit code 1 on errors."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import onnx
import pytest
from msgspec.structs import replace as changed
from onnx import TensorProto, helper, numpy_helper
from small_models import small_cnn

from engine.cli import main
from engine.interop.preflight import Facts, Limits, Observed, observe, preflight
from engine.interop.preflight.model_checks import OPSETS
from engine.npu import load_device, simulate, sustain
from engine.npu.results import Scenario
from engine.npu.usage import usage
from engine.numerics import Evaluator, SampleSet, synthetic_samples
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.precision.scheme import BF16, FP16, INT4, INT8
from engine.quant import plan_bytes
from engine.quant.ranges import Range, Ranges
from engine.session.checks import free_inputs
from engine.session.work import open_network

RNG = np.random.default_rng(4)
node = helper.make_node


def build(path, nodes, shape, weights, *, opset=17, out=None):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, out)],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
    return open_network(path)


def weight(*shape):
    return (RNG.standard_normal(shape) * 0.2).astype(np.float32)


def conv(name, x, w, y, **attributes):
    return node("Conv", [x, w], [y], name, pads=[1, 1, 1, 1], **attributes)


@pytest.fixture
def convs(tmp_path):
    """Three plain convolutions of 32 channels: nothing to complain about."""
    nodes = [conv(f"/c{i}", f"t{i}" if i else "x", f"w{i}", f"t{i + 1}" if i < 2 else "y") for i in range(3)]
    return build(tmp_path / "convs.onnx", nodes, [1, 32, 64, 64], {f"w{i}": weight(32, 32, 3, 3) for i in range(3)})


def facts_of(network, plan=None, device="kirin9030", scenario=None, **more):
    chip = load_device(device) if isinstance(device, str) else device
    plan = plan if plan is not None else preset(network, "fp16")
    simulation = simulate(network, plan, chip)
    scenario = scenario or Scenario()
    return Facts(
        network,
        plan,
        chip,
        free_inputs=free_inputs(network.graph.path, network.graph.sha256),
        size=plan_bytes(network, plan),
        simulation=simulation,
        baseline=simulate(network, preset(network, "fp16"), chip),
        sustained=sustain(simulation, chip, scenario),
        scenario=scenario,
        **more,
    )


def found(facts, code):
    return [f for f in preflight(facts) if f.code == code]


def only(facts, code):
    (one,) = found(facts, code)
    return one


def names(facts, finding):
    return [facts.network.kernels[i].name for i in finding.kernels]


def test_a_good_model_has_no_error_and_no_warning_but_its_speed(convs):
    left = {f.code for f in preflight(facts_of(convs)) if f.severity != "info"}
    assert left <= {"utilization"}


def test_what_the_npu_waits_for_is_a_word_of_the_sentence(convs):
    words = str(only(facts_of(convs), "utilization").detail)
    assert words.endswith(
        ("mostly waiting for the invocation.", "mostly waiting for launches.", "mostly waiting for the first transfer.")
    )


def test_free_dimensions(tmp_path, convs):
    network = open_network(small_cnn(tmp_path / "free.onnx", batch="N"))
    assert only(facts_of(network), "dynamic-input").severity == "warning"
    assert "image [1, 3, 16, 16]" in str(only(facts_of(network), "dynamic-input").detail)
    assert not found(facts_of(convs), "dynamic-input")


def test_shapes_that_depend_on_values(tmp_path, convs):
    nodes = [conv("/c", "x", "w", "c"), node("NonZero", ["c"], ["i"], "/nz"),
             node("Cast", ["i"], ["y"], "/cast", to=TensorProto.FLOAT)]  # fmt: skip
    network = build(tmp_path / "m.onnx", nodes, [1, 32, 8, 8], {"w": weight(32, 32, 3, 3)}, out=[4, "n"])
    facts = facts_of(network)
    one = only(facts, "dynamic-shape")
    assert one.severity == "error"
    assert network.kernels[one.kernels[0]].index > 0
    assert not found(facts_of(convs), "dynamic-shape")


@pytest.mark.parametrize("version", [6, 13, 18, 21])
def test_opsets(tmp_path, version):
    network = build(tmp_path / "m.onnx", [conv("/c", "x", "w", "y")], [1, 32, 8, 8], {"w": weight(32, 32, 3, 3)},
                    opset=version)  # fmt: skip
    low, high = OPSETS["kirin"]
    assert bool(found(facts_of(network), "opset")) is not (low <= version <= high)


def test_node_names(tmp_path, convs):
    nodes = [conv("", "x", "w", "a"), conv("/b", "a", "w", "b"), conv("", "b", "w", "c"), conv("/d", "c", "w", "y")]
    network = build(tmp_path / "m.onnx", nodes, [1, 32, 8, 8], {"w": weight(32, 32, 3, 3)})
    one = only(facts_of(network), "node-names")
    assert "2 nodes have no name" in str(one.title)
    assert one.kernels == (0, 2)
    assert not found(facts_of(convs), "node-names")


def test_layout_conversions(tmp_path, convs):
    nodes = [node("Transpose", ["x"], ["t"], "/t", perm=[0, 3, 1, 2]), conv("/c", "t", "w", "c"),
             node("Transpose", ["c"], ["y"], "/u", perm=[0, 2, 3, 1])]  # fmt: skip
    network = build(tmp_path / "m.onnx", nodes, [1, 16, 16, 32], {"w": weight(32, 32, 3, 3)})
    facts = facts_of(network)
    one = only(facts, "layout")
    assert one.cost_us == pytest.approx(
        sum(c.latency_us for k, c in zip(network.kernels, facts.simulation.kernels, strict=True) if "T" in k.op), rel=1
    )
    assert len(one.kernels) == 2
    assert not found(facts_of(convs), "layout")
    nodes = [node("Transpose", ["x"], ["t"], "/t", perm=[0, 1, 3, 2]), conv("/c", "t", "w", "y")]
    other = build(tmp_path / "o.onnx", nodes, [1, 32, 16, 16], {"w": weight(32, 32, 3, 3)})
    assert not found(facts_of(other), "layout")


def test_layout_conversions_of_inputs_and_outputs_only(tmp_path):
    """Scaled on the way it is still the input's layout; between two convolutions, or in attention, it is not."""
    far = [node("Mul", ["x", "s"], ["m"], "/m"), node("Transpose", ["m"], ["t"], "/t", perm=[0, 3, 1, 2]),
           conv("/c", "t", "w", "c"), node("Transpose", ["c"], ["u"], "/u", perm=[0, 2, 3, 1]),
           node("Sub", ["u", "s"], ["y"], "/n")]  # fmt: skip
    weights = {"w": weight(32, 32, 3, 3), "s": np.float32(1 / 255)}
    facts = facts_of(build(tmp_path / "far.onnx", far, [1, 16, 16, 32], weights))
    turned = only(facts, "layout").kernels
    assert {n.op_type for i in turned for n in facts.network.kernels[i].nodes} >= {"Transpose"}
    assert len(turned) == 2
    inner = [conv("/c", "x", "w", "c"), node("Transpose", ["c"], ["t"], "/t", perm=[0, 2, 3, 1]),
             conv("/d", "t", "w", "y")]  # fmt: skip
    assert not found(facts_of(build(tmp_path / "in.onnx", inner, [1, 32, 32, 32], weights)), "layout")
    heads = [node("MatMul", ["x", "k"], ["k1"], "/k"), node("Reshape", ["k1", "heads"], ["k2"], "/r"),
             node("Transpose", ["k2"], ["k3"], "/t", perm=[0, 2, 3, 1]),
             node("MatMul", ["k3", "q"], ["y"], "/q")]  # fmt: skip
    weights = {"k": weight(64, 64), "heads": np.asarray([1, 16, 4, 16]), "q": weight(16, 16)}
    assert not found(facts_of(build(tmp_path / "heads.onnx", heads, [1, 16, 64], weights)), "layout")


def test_packed_weights_of_matrix_products(tmp_path, convs):
    network = build(tmp_path / "m.onnx", [node("MatMul", ["x", "w"], ["y"], "/m")], [1, 8, 64], {"w": weight(64, 64)})
    four = preset(network, "int4")
    assert ".ms transposed as [N, K]" in str(only(facts_of(network, four), "packed-layout").detail)
    assert not found(facts_of(network, preset(network, "int8")), "packed-layout")
    assert not found(facts_of(convs, preset(convs, "int4")), "packed-layout")


def test_channels(tmp_path, convs):
    nodes = [conv("/c", "x", "w", "a"), conv("/d", "a", "v", "y")]
    network = build(tmp_path / "m.onnx", nodes, [1, 32, 64, 64], {"w": weight(17, 32, 3, 3), "v": weight(32, 17, 3, 3)})
    facts = facts_of(network)
    one = only(facts, "channels")
    assert (
        names(facts, one) == [k.name for k in sorted(network.kernels, key=lambda k: -one.kernels.index(k.index))][::-1]
    )
    padding = 1 - 17 / 32
    assert one.cost_us == pytest.approx(padding * sum(c.cube_us for c in facts.simulation.kernels))
    assert not found(facts_of(convs), "channels")
    # 16 channels fill a block of halves, and half a block of bytes.
    nodes = [conv("/c", "x", "w", "y")]
    half = build(tmp_path / "h.onnx", nodes, [1, 16, 64, 64], {"w": weight(16, 16, 3, 3)})
    assert not found(facts_of(half), "channels")
    assert found(facts_of(half, preset(half, "int8")), "channels")


def test_constants_that_repeat_themselves(tmp_path, convs):
    mask = np.broadcast_to(RNG.standard_normal((1, 1, 1, 64)).astype(np.float32), (1, 32, 64, 64)).copy()
    nodes = [conv("/c", "x", "w", "c"), node("Add", ["c", "m"], ["y"], "/add")]
    network = build(tmp_path / "m.onnx", nodes, [1, 32, 64, 64], {"w": weight(32, 32, 3, 3), "m": mask})
    assert only(facts_of(network), "constants").cost_bytes == mask.nbytes - 64 * 4
    real = RNG.standard_normal(mask.shape).astype(np.float32)
    other = build(tmp_path / "o.onnx", nodes, [1, 32, 64, 64], {"w": weight(32, 32, 3, 3), "m": real})
    assert not found(facts_of(other), "constants")
    assert not found(facts_of(convs), "constants")


@pytest.fixture
def fallback(tmp_path):
    """CumSum, which the phone has not, between convolutions and at the end."""
    nodes = [conv("/c", "x", "w", "a"), node("CumSum", ["a", "axis"], ["b"], "/mid"), conv("/d", "b", "w", "c"),
             node("CumSum", ["c", "axis"], ["y"], "/end")]  # fmt: skip
    return build(tmp_path / "m.onnx", nodes, [1, 32, 8, 8], {"w": weight(32, 32, 3, 3), "axis": np.int64(1)})


def test_cpu_fallback(fallback, convs):
    facts = facts_of(fallback)
    by_name = {names(facts, f)[0]: f for f in found(facts, "cpu")}
    middle, end = by_name[fallback.kernels[1].name], by_name[fallback.kernels[3].name]
    assert (middle.severity, end.severity) == ("error", "warning")
    assert middle.cost_us == facts.simulation.kernels[1].latency_us
    assert "between kernels of the NPU" in str(middle.title)
    assert ". It takes " in str(middle.detail)  # a sentence, not "NPU.: 604 µs"
    assert not found(facts_of(convs), "cpu")


def test_schemes_that_make_kernels_slower(convs):
    facts = facts_of(convs, preset(convs, "int8"))
    assert not found(facts, "slower")
    slow = [changed(c, latency_us=c.latency_us + (5.0 if i == 1 else 0.0)) for i, c in
            enumerate(facts.simulation.kernels)]  # fmt: skip
    facts = replace(facts, simulation=replace(facts.simulation, kernels=tuple(slow)), baseline=facts.simulation)
    one = only(facts, "slower")
    assert (one.kernels, one.cost_us) == ((1,), pytest.approx(5.0))


def test_islands(convs):
    island = preset(convs, "fp16").with_schemes({convs.kernels[1].id: INT8})
    facts = facts_of(convs, island)
    cheap = replace(facts, baseline=replace(facts.baseline, kernels=tuple(
        changed(c, latency_us=c.latency_us * 2) for c in facts.baseline.kernels)))  # fmt: skip
    assert not found(cheap, "island")
    dear = replace(facts, simulation=replace(facts.simulation, kernels=tuple(
        changed(c, latency_us=b.latency_us + (3.0 if i == 2 else 0.0))
        for i, (c, b) in enumerate(zip(facts.simulation.kernels, facts.baseline.kernels, strict=True)))))  # fmt: skip
    one = only(dear, "island")
    assert (one.kernels, one.cost_us) == ((1,), pytest.approx(3.0))
    everywhere = replace(dear, plan=preset(convs, "int8"))
    assert not found(everywhere, "island")


def test_launches_and_gaps(tmp_path, convs):
    tiny = build(tmp_path / "m.onnx", [conv("/c", "x", "w", "y")], [1, 32, 2, 2], {"w": weight(32, 32, 3, 3)})
    facts = facts_of(tiny)
    assert found(facts, "launch")
    one = only(facts, "utilization")
    seen = usage(facts.simulation)
    assert one.cost_us == pytest.approx(facts.simulation.latency_us - seen.busy_us)
    big = build(tmp_path / "b.onnx", [conv("/c", "x", "w", "y")], [1, 512, 256, 256], {"w": weight(512, 512, 3, 3)})
    facts = facts_of(big)
    assert usage(facts.simulation).utilization >= 0.7
    assert not found(facts, "utilization")
    assert not found(facts, "launch")


def test_planned_load(convs):
    run = facts_of(convs).simulation.latency_us
    busy = facts_of(convs, scenario=Scenario(minutes=1, runs_per_second=0.9 * 1e6 / run))
    assert only(busy, "load").severity == "warning"
    over = facts_of(convs, scenario=Scenario(minutes=1, runs_per_second=1.5 * 1e6 / run))
    assert all(f.severity == "error" for f in found(over, "load"))
    assert not found(facts_of(convs, scenario=Scenario(minutes=1, runs_per_second=0.5 * 1e6 / run)), "load")
    assert not found(facts_of(convs), "load")


def test_throttling(convs):
    facts = facts_of(convs)
    hot = replace(facts, sustained=replace(facts.sustained, throttled_at_s=61.0))
    assert "after 1:01 min" in str(only(hot, "throttling").title)
    assert not found(replace(facts, sustained=replace(facts.sustained, throttled_at_s=None)), "throttling")


def test_budgets(convs):
    facts = facts_of(convs)
    size, peak, run = facts.size.total, facts.simulation.memory.peak_bytes, facts.simulation.latency_us
    tight = replace(facts, limits=Limits(None, run - 1, peak - 10, size - 100))
    assert only(tight, "package").cost_bytes == 100
    assert only(tight, "memory").cost_bytes == 10
    assert only(tight, "memory").kernels == (facts.simulation.memory.peak_kernel,)
    assert only(tight, "latency").cost_us == pytest.approx(1)
    kept = replace(facts, limits=Limits(None, run, peak, size))
    assert not {f.code for f in preflight(kept)} & {"package", "memory", "latency"}


@pytest.fixture
def measured(cnn):
    """A plan run on samples that are much larger than those that gave the ranges."""
    made = Evaluator(cnn, synthetic_samples(cnn.graph, 4, 2))
    yield made
    made.close()


def test_saturation_and_dead_ranges(cnn, measured):
    plan = preset(cnn, "int8")
    measured.prepare()
    activations = [k.weight.activation for k in cnn.tunable]
    ranges = measured.ranges
    seen = observe(measured, activations, ranges)
    assert set(seen) == set(activations)
    first = activations[0]
    values = np.stack([s["image"] for s in measured.samples.feeds])
    assert (seen[first].low, seen[first].high) == pytest.approx((values.min(), values.max()))
    assert all(s.beyond == 0 for s in seen.values())
    assert not found(facts_of(cnn, plan, ranges=ranges, observed=seen), "saturation")
    narrow = Ranges({n: Range(r.low / 2, r.high / 2) for n, r in ranges.ranges.items()})
    seen = observe(measured, activations, narrow)
    slack = (values.max() / 2 - values.min() / 2) / 510
    beyond = float(((values < values.min() / 2 - slack) | (values > values.max() / 2 + slack)).mean())
    assert seen[first].beyond == pytest.approx(beyond, rel=1e-6)
    facts = facts_of(cnn, plan, ranges=narrow, observed=seen)
    assert only(facts, "saturation").place == "data"
    assert not found(facts_of(cnn, preset(cnn, "fp16"), ranges=narrow, observed=seen), "saturation")
    flat = Ranges({**ranges.ranges, first: Range(0.0, 0.0)})
    assert only(facts_of(cnn, plan, ranges=flat), "dead-range").kernels == (0,)
    dead = {first: Observed(0, 1, 0.0, 2, 3)}
    assert only(facts_of(cnn, plan, ranges=ranges, observed=dead), "dead-range").kernels == (0,)
    assert not found(facts_of(cnn, plan, ranges=ranges), "dead-range")


def test_dead_channels_are_counted(cnn):
    image = np.zeros((1, 3, 16, 16), np.float32)
    image[0, 1] = 1.0
    evaluator = Evaluator(cnn, SampleSet([{"image": image}], "zeros"))
    try:
        evaluator.prepare()
        seen = observe(evaluator, ["image"], evaluator.ranges)
    finally:
        evaluator.close()
    assert (seen["image"].dead_channels, seen["image"].channels) == (2, 3)


def test_numbers(cnn, measured):
    plan = preset(cnn, "int4")
    evaluation = measured.evaluate(plan)
    local = {(k, s): sums for k, s, sums in measured.local_errors(tuple(plan.items()))}
    facts = facts_of(cnn, plan, evaluation=evaluation, local=local)
    strict = replace(facts, limits=Limits(min_sqnr_db=200.0))
    assert set(only(strict, "imprecise").kernels) <= {k.index for k in cnn.tunable}
    assert only(strict, "accuracy").severity == "error"
    easy = replace(facts, limits=Limits(min_sqnr_db=1.0))
    assert not {f.code for f in preflight(easy)} & {"imprecise", "accuracy", "overflow", "reference"}
    first = cnn.tunable[0]
    broken = {**local, (first.id, plan[first.id]): replace(local[first.id, plan[first.id]], nonfinite=7)}
    assert only(replace(facts, local=broken), "overflow").kernels == (first.index,)
    sums = evaluation.accumulated[first.id]
    bad = replace(evaluation, accumulated={**evaluation.accumulated, first.id: replace(sums, unmeasured=3)})
    assert only(replace(facts, evaluation=bad), "reference").kernels == (first.index,)


def test_formats_that_the_device_has_not(tmp_path, convs):
    network = build(tmp_path / "m.onnx", [node("Gemm", ["x", "w"], ["y"], "/g")], [1, 48], {"w": weight(48, 48)})
    assert found(facts_of(network, Plan({network.kernels[0].id: INT4})), "not-native")
    assert not found(facts_of(network, Plan({network.kernels[0].id: FP16})), "not-native")
    assert found(facts_of(network, Plan({network.kernels[0].id: BF16})), "not-native")


@pytest.mark.parametrize(("count", "synthetic", "told"), [(99, False, True), (100, False, False), (8, True, True)])
def test_calibration_samples(convs, count, synthetic, told):
    facts = facts_of(convs, preset(convs, "int8"), calibration_samples=count, synthetic=synthetic)
    assert bool(found(facts, "samples")) is told
    assert not found(replace(facts, plan=preset(convs, "fp16")), "samples")


def test_command(fallback, convs, capsys):
    assert main(["check", str(fallback.graph.path), "--device", "kirin9030", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["errors"] >= 1
    first = report["findings"][0]
    assert set(first) == {"code", "severity", "title", "detail", "advice", "kernels", "cost_us", "cost_bytes", "place"}
    assert first["kernels"][0]["id"] in {k.id for k in fallback.kernels}
    assert main(["check", str(convs.graph.path), "--preset", "int8"]) == 0
    assert "0 errors" in capsys.readouterr().out
    assert main(["check", str(convs.graph.path), "--max-size-mb", "0.001"]) == 1
    assert "over its limit" in capsys.readouterr().out
