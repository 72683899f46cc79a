"""Rounding with data: the rows that meet a weight, what methods gain, and that a file holds what the preview shows."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from handmade import Step, network, run_whole, samples_like, small_net, whole_model
from kinds import KINDS, conv, conv_transpose

from engine.errors import Cancelled, PlanError
from engine.fusion.types import Kind
from engine.interop.qdq import export_qdq
from engine.npu.emulate import emulate
from engine.numerics import Evaluator, calibrate, rounded
from engine.numerics.learned import LearnedWeights, can_correct, learning_s
from engine.numerics.operands import has_rows, rows_of
from engine.numerics.rounded import RoundedWeights
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, HALF, INT4, INT8, Scheme, WeightFormat
from engine.progress import CancelToken
from engine.quant.matrix import to_matrix
from engine.quant.ranges import Ranges

GPTQ = replace(INT4, method="gptq")
WITH_ROWS = [name for name in KINDS if has_rows(KINDS[name](np.random.default_rng(0), 17)[0].kernels[0])]
SHAPED = {
    "strides, pads": {"strides": [2, 1], "pads": [1, 2, 0, 1]},
    "dilations": {"dilations": [2, 2], "pads": [2, 2, 2, 2]},
    "same upper": {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
    "same lower": {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
    "valid": {"auto_pad": "VALID"},
}


def anchor_only(attributes: dict, op: str = "Conv", shape=(6, 5, 3, 3), size=(9, 8)):
    rng = np.random.default_rng(0)
    inputs = {"x": rng.standard_normal((2, 5, *size)).astype(np.float32)}
    channels, reduction = ((0,), (1, 2, 3)) if op == "Conv" else ((1,), (0, 2, 3))
    step = Step(
        [(op, ["x", "w"], ["y"], attributes)],
        ["y"],
        {"w": rng.standard_normal(shape).astype(np.float32)},
        Kind.CONV if op == "Conv" else Kind.CONV_TRANSPOSE,
        "w",
        channels,
        reduction,
        "x",
    )
    return network(inputs, ["y"], [step]), inputs


def products(net, inputs) -> list[np.ndarray]:
    """Rows times weight matrix, group by group of a convolution."""
    kernel = net.kernels[0]
    weight = kernel.weight
    matrix = to_matrix(kernel.constants[weight.constant], weight.channel_axes, weight.reduction_axes)
    rows = rows_of(kernel, inputs[weight.activation], 1 << 40)
    return [each.values @ matrix[each.channels, each.columns].T for each in rows]


@pytest.mark.parametrize("attributes", SHAPED.values(), ids=SHAPED)
def test_rows_times_weights_are_the_convolution(attributes):
    net, inputs = anchor_only(attributes)
    (found,) = products(net, inputs)
    wanted = run_whole(whole_model(net), inputs)[0]
    np.testing.assert_allclose(found, np.moveaxis(wanted, 1, -1).reshape(-1, 6), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "attributes",
    [{}, {"strides": [2, 2], "pads": [1, 1, 1, 1]}, {"strides": [3, 2], "dilations": [1, 2]}, {"pads": [2, 2, 2, 2]}],
    ids=str,
)
def test_rows_times_weights_are_the_transposed_convolution(attributes):
    net, inputs = anchor_only(attributes, "ConvTranspose", (5, 4, 3, 3))
    (found,) = products(net, inputs)
    wanted = run_whole(whole_model(net), inputs)[0]
    np.testing.assert_allclose(found, np.moveaxis(wanted, 1, -1).reshape(-1, 4), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", WITH_ROWS)
def test_rows_of_every_kind_have_the_mean_of_the_product(kind):
    net, inputs = KINDS[kind](np.random.default_rng(3), 17)
    kernel = net.kernels[0]
    anchor = kernel.nodes[kernel.anchor].proto
    given = {a.name: onnx.helper.get_attribute_value(a) for a in anchor.attribute if a.name not in ("alpha", "beta")}
    weight = kernel.weight
    step = Step(
        [(anchor.op_type, list(anchor.input[:2]), ["p"], given)],
        ["p"],
        {"w": kernel.constants["w"]},
        kernel.kind,
        "w",
        weight.channel_axes,
        weight.reduction_axes,
        "x",
    )
    made = network(inputs, ["p"], [step])
    wanted = run_whole(whole_model(made), inputs)[0].astype(np.float64)
    total = sum(found.astype(np.float64).sum() for found in products(made, inputs))
    assert total == pytest.approx(wanted.sum(), rel=1e-3, abs=1e-2)


def test_as_many_rows_as_are_asked_for_are_drawn():
    net, inputs = conv(np.random.default_rng(0), 17)
    (some,) = rows_of(net.kernels[0], inputs["x"], 7, 1)
    (again,) = rows_of(net.kernels[0], inputs["x"], 7, 1)
    (all_of_them,) = rows_of(net.kernels[0], inputs["x"], 1 << 20)
    assert some.values.shape == (7, 45)
    np.testing.assert_array_equal(some.values, again.values)
    known = {row.tobytes() for row in all_of_them.values}
    assert len({row.tobytes() for row in some.values} & known) == 7


def shared_signal(inputs, count: int = 6) -> SampleSet:
    """Samples whose channels go together, as those of real networks do."""
    rng = np.random.default_rng(9)
    mixed = {n: rng.standard_normal((a.shape[1], a.shape[1])) / 2 for n, a in inputs.items()}
    draw = lambda n, a: np.einsum("oc,nc...->no...", mixed[n], rng.standard_normal(a.shape)) + 0.5
    return SampleSet([{n: draw(n, a).astype(a.dtype) for n, a in inputs.items()} for _ in range(count)], "mixed")


@pytest.mark.parametrize(
    "scheme",
    [
        GPTQ,
        replace(GPTQ, corrected=True),
        replace(INT8, corrected=True),
        replace(INT4, method="hqq"),
        replace(INT4, method="mse", corrected=True),
        Scheme(WeightFormat(3, granularity="channel"), INT8.activations, "gptq", True),
        Scheme(WeightFormat(8, granularity="tensor"), INT8.activations, "gptq"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["conv 3x3", "grouped conv", "conv transpose", "gemm", "matmul", "matmul left"])
def test_a_file_computes_what_the_preview_shows_by_any_method(kind, scheme, tmp_path):
    net, inputs = KINDS[kind](np.random.default_rng(1), 17)
    samples = samples_like(inputs, 3)
    ranges = calibrate(net, samples)
    plan = Plan({net.kernels[0].id: scheme})
    path = tmp_path / "m.onnx"
    export_qdq(net, plan, ranges, path)
    evaluator = Evaluator(net, samples, ranges=ranges)
    try:
        previews = evaluator.output(plan)
        rounded = evaluator.output(Plan({net.kernels[0].id: scheme.rounded}))
    finally:
        evaluator.close()
    for feeds, shown in zip(samples.feeds, previews, strict=True):
        (found,) = run_whole(str(path), feeds)
        noise = np.sum((found.astype(np.float64) - shown["y"]) ** 2)
        assert noise <= 1e-6 * np.sum(shown["y"].astype(np.float64) ** 2)
    preview, other = previews[0], rounded[0]
    if scheme.corrected and not can_correct(net.kernels[0]) and scheme.method == "rtn":
        np.testing.assert_array_equal(preview["y"], other["y"])
    else:
        assert not np.array_equal(preview["y"], other["y"])


@pytest.mark.parametrize(
    "scheme", [replace(GPTQ, corrected=True), replace(INT8, method="gptq", corrected=True)], ids=str
)
@pytest.mark.parametrize("kind", ["conv 3x3", "gemm", "matmul"])
def test_the_emulated_kernel_computes_what_the_preview_shows_by_any_method(kind, scheme):
    net, inputs = KINDS[kind](np.random.default_rng(1), 17)
    samples = samples_like(inputs, 3)
    ranges = calibrate(net, samples)
    kernel = net.kernels[0]
    evaluator = Evaluator(net, samples, ranges=ranges)
    try:
        shown = evaluator.output(Plan({kernel.id: scheme}))[0]["y"]
    finally:
        evaluator.close()
    found = emulate(kernel, scheme, samples.feeds[0]["x"], ranges.ranges["x"], ranges.rounding).output
    found = np.maximum(found, 0) if kind == "conv 3x3" else found
    if kind == "matmul":
        assert "b" in kernel.constants
    noise = np.sum((found.astype(np.float64) - shown) ** 2)
    assert noise <= 1e-6 * np.sum(shown.astype(np.float64) ** 2)


def local_db(net, samples, ranges, scheme) -> float:
    evaluator = Evaluator(net, samples, ranges=ranges)
    try:
        ((_, _, sums),) = evaluator.local_errors([(net.kernels[0].id, scheme)])
        return sums.sqnr_db
    finally:
        evaluator.close()


def test_gptq_beats_rounding_on_samples_it_has_not_seen():
    net, inputs = conv(np.random.default_rng(4), 17, shape=(16, 32, 1, 1), size=(20, 20))
    samples = shared_signal(inputs, 12)
    seen, new = SampleSet(samples.feeds[:8], "seen"), SampleSet(samples.feeds[8:], "new")
    ranges = calibrate(net, seen)
    assert local_db(net, new, ranges, GPTQ) > local_db(net, new, ranges, INT4) + 1.5


def test_a_corrected_bias_has_the_mean_of_the_reference():
    net, inputs = anchor_only({})
    samples = shared_signal(inputs)
    ranges = calibrate(net, samples)
    crude = Scheme(WeightFormat(2, granularity="channel"), FP32.activations)
    evaluator = Evaluator(net, samples, ranges=ranges)
    plan = lambda scheme: Plan({net.kernels[0].id: scheme})
    try:
        mean = lambda scheme: np.mean([out["y"].mean(axis=(0, 2, 3)) for out in evaluator.output(plan(scheme))], axis=0)
        exact, crude_mean, corrected = mean(FP32), mean(crude), mean(replace(crude, corrected=True))
    finally:
        evaluator.close()
    assert np.abs(crude_mean - exact).max() > 0.05
    np.testing.assert_allclose(corrected, exact, atol=2e-3)  # the samples' means are of rows drawn evenly


def test_without_a_place_for_a_bias_nothing_is_corrected():
    left, _ = KINDS["matmul left"](np.random.default_rng(0), 17)
    grouped, _ = conv_transpose(np.random.default_rng(0), 17, group=2)
    factors, _ = KINDS["gemm with factors"](np.random.default_rng(0), 17)
    plain, _ = conv(np.random.default_rng(0), 17)
    assert [can_correct(net.kernels[0]) for net in (left, grouped, factors, plain)] == [False, False, False, True]


def test_a_kernel_that_a_method_does_not_fit_is_refused():
    net, inputs = KINDS["depthwise"](np.random.default_rng(0), 17)
    samples = samples_like(inputs)
    evaluator = Evaluator(net, samples, ranges=calibrate(net, samples))
    try:
        with pytest.raises(PlanError, match="Layer layer0 can't be rounded by GPTQ"):
            evaluator.evaluate(Plan({net.kernels[0].id: GPTQ}))
    finally:
        evaluator.close()


def test_without_data_gptq_and_a_corrected_bias_are_refused(tmp_path: Path):
    net, _ = conv(np.random.default_rng(0), 17)
    for scheme, reason in ((GPTQ, "needs calibration samples"), (replace(INT4, corrected=True), "corrected bias")):
        with pytest.raises(PlanError, match=reason):
            export_qdq(net, Plan({net.kernels[0].id: scheme}), Ranges(), tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_results_are_kept_by_content(monkeypatch):
    net, inputs = small_net()
    samples = samples_like(inputs)
    kept = RoundedWeights()
    plan = Plan({k.id: GPTQ for k in net.tunable if has_rows(k)})
    LearnedWeights(net, samples, kept).find(plan.items())
    again = LearnedWeights(net, SampleSet(samples.feeds, "the same under another name"), kept)
    assert not again.missing(plan.items())
    assert again.missing((k, replace(s, weights=INT8.weights)) for k, s in plan.items())
    other = LearnedWeights(net, samples_like(inputs, seed=5), kept)
    assert other.missing(plan.items())
    assert not other.missing((k, INT4) for k in plan)


def test_kept_results_stay_within_the_budget():
    kept = RoundedWeights(limit=40_000)
    net, inputs = conv(np.random.default_rng(0), 17, shape=(64, 32, 3, 3))
    learned = LearnedWeights(net, samples_like(inputs, 1), kept)
    kernel = net.kernels[0]
    schemes = [replace(INT4, method="mse", weights=WeightFormat(bits)) for bits in (2, 3, 4)]
    first = learned.weight(kernel, kernel.weight, schemes[0])
    for scheme in schemes[1:]:
        learned.weight(kernel, kernel.weight, scheme)
    assert learned.missing([(kernel.id, schemes[0])])
    assert not learned.missing([(kernel.id, schemes[2])])
    np.testing.assert_array_equal(learned.weight(kernel, kernel.weight, schemes[0]).codes, first.codes)


def test_a_cancel_is_answered_while_large_weights_are_looked_at(monkeypatch):
    monkeypatch.setattr(rounded, "_PIECE", 64)
    array = np.arange(1000, dtype=np.float32)
    looks = []
    token = CancelToken()
    token.check = lambda: looks.append(1)
    whole = rounded.content(array, token)
    assert len(looks) == -(-array.nbytes // 64)
    monkeypatch.setattr(rounded, "_PIECE", 1 << 20)
    assert rounded.content(array) == whole
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        rounded.content(array, token)


def test_a_cancel_is_answered_at_once():
    net, inputs = conv(np.random.default_rng(0), 17, shape=(64, 256, 3, 3), size=(20, 20))
    learned = LearnedWeights(net, samples_like(inputs, 8))
    token = CancelToken()
    answered: list[float] = []
    started = threading.Event()

    def work() -> None:
        with pytest.raises(Cancelled):
            learned.find([(net.kernels[0].id, GPTQ)], progress=lambda f, t: started.set(), cancel=token)
        answered.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    assert started.wait(20)
    token.cancel()
    thread.join(20)
    assert answered
    assert learned.missing([(net.kernels[0].id, GPTQ)])


def test_half_results_and_weight_formats_are_left_alone():
    net, inputs = conv(np.random.default_rng(0), 17)
    learned = LearnedWeights(net, samples_like(inputs))
    half = Scheme(WeightFormat(16, floating=True), HALF, "gptq")
    assert not learned.missing([(net.kernels[0].id, half)])
    made = learned.weight(net.kernels[0], net.kernels[0].weight, half)
    np.testing.assert_array_equal(
        made.dequantize(), net.kernels[0].constants["w"].astype(np.float16).astype(np.float32)
    )


def test_the_time_that_gptq_takes_is_told_beforehand():
    """In proportion to channels, reduction and stretch; nothing for other methods and depthwise kernels."""
    net, _ = small_net()
    by = lambda method: learning_s(net, [(kernel.id, replace(INT4, method=method)) for kernel in net.tunable])
    assert by("rtn") == by("hqq") == 0
    products = 16 * 27 * 27 + 16 * 16 * 16 + 10 * 16 * 16
    assert by("gptq") == pytest.approx(products / 2e9)
