"""Ranges against the tensors of a whole run; synthetic samples."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import numpy as np
import pytest
from handmade import Step, network, samples_like, small_net
from onnx import TensorProto, helper

from engine.errors import Cancelled, DataError
from engine.fusion.types import Kind
from engine.numerics import Evaluator, SampleSet, calibrate, synthetic_samples
from engine.numerics.lowering import lower
from engine.numerics.synthetic import meanings_of
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8, ActivationFormat, Scheme
from engine.progress import CancelToken
from engine.quant.ranges import Range, Ranges, activation_params


def test_ranges_are_the_extremes_of_every_activation_that_meets_a_weight():
    net, inputs = small_net()
    samples = samples_like(inputs, 4)
    seen = []
    found = calibrate(net, samples, progress=lambda fraction, text: seen.append(fraction))
    assert seen == [0.25, 0.5, 0.75, 1.0]
    assert set(found.ranges) == {"x", "a", "b", "f"}
    assert (found.observer, found.samples, found.synthetic) == ("minmax", 4, False)
    evaluator = Evaluator(net, samples, ranges=found)
    try:
        for kernel in net.tunable:
            name = kernel.weight.activation
            values = [evaluator.capture(kernel.id, Plan(), s).reference_inputs[name] for s in range(4)]
            low, high = min(v.min() for v in values), max(v.max() for v in values)
            assert found.ranges[name].low == pytest.approx(low, rel=1e-4, abs=1e-5)
            assert found.ranges[name].high == pytest.approx(high, rel=1e-4, abs=1e-5)
    finally:
        evaluator.close()


def test_an_activation_inside_a_kernel_is_watched_too():
    x = {"x": np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)}
    step = Step(
        [("Abs", ["x"], ["inner"], {}), ("MatMul", ["inner", "w"], ["y"], {})],
        ["y"], {"w": np.eye(8, dtype=np.float32)}, Kind.MATMUL, "w", (1,), (0,), "inner", anchor=1,
    )  # fmt: skip
    net = network(x, ["y"], [step])
    found = calibrate(net, SampleSet([x], "tests"))
    assert found.ranges == {"inner": Range(float(np.abs(x["x"]).min()), float(np.abs(x["x"]).max()))}
    evaluator = Evaluator(net, SampleSet([x], "tests"), ranges=found)
    try:
        result = evaluator.output(Plan({net.kernels[0].id: INT8}))[0]["y"]
        scale = found.ranges["inner"].high / 255
        np.testing.assert_allclose(result, np.rint(np.abs(x["x"]) / scale) * scale, atol=scale * 0.51)
        assert not np.allclose(result, np.abs(x["x"]), atol=scale * 0.01)
    finally:
        evaluator.close()


def test_percentiles_leave_outliers_out():
    net, inputs = small_net()
    samples = samples_like(inputs, 3)
    samples.feeds[1]["x"][0, 0, 0, 0] = 1000
    assert calibrate(net, samples).ranges["x"].high == 1000
    assert calibrate(net, samples, observer="percentile").ranges["x"].high == 1000  # 1 of 1,296 is more than 0.01 %
    many = SampleSet([*samples.feeds, *samples_like(inputs, 60).feeds], "tests")
    assert calibrate(net, many, observer="percentile").ranges["x"].high < 10


def test_without_ranges_the_samples_themselves_are_taken():
    net, inputs = small_net()
    samples = samples_like(inputs, 3)
    evaluator = Evaluator(net, samples)
    try:
        evaluator.prepare()
        assert evaluator.ranges == calibrate(net, samples)
    finally:
        evaluator.close()


def test_a_cancel_is_answered_while_onnx_runtime_is_busy():
    x = {"x": np.ones((1, 64), np.float32)}
    body = helper.make_graph(
        [helper.make_node("MatMul", ["s", "w"], ["t"]), helper.make_node("Identity", ["c"], ["d"])],
        "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("c", 9, []),
         helper.make_tensor_value_info("s", 1, [1, 64])],
        [helper.make_tensor_value_info("d", 9, []), helper.make_tensor_value_info("t", 1, [1, 64])],
    )  # fmt: skip
    turns = np.array(1)
    loop = Step(
        [("Loop", ["n", "", "x"], ["y"], {"body": body})],
        ["y"], {"n": turns, "w": np.eye(64, dtype=np.float32)},
    )  # fmt: skip
    last = Step([("MatMul", ["y", "w"], ["z"], {})], ["z"], loop.constants, Kind.MATMUL, "w", (1,), (0,), "y")
    net = network(x, ["z"], [loop, last])
    turns[...] = 10**9  # for minutes
    token = CancelToken()
    timer = threading.Timer(0.2, token.cancel)
    timer.start()
    start = time.perf_counter()
    with pytest.raises(Cancelled):
        calibrate(net, SampleSet([x], "tests"), cancel=token)
    assert time.perf_counter() - start < 20  # of minutes, however busy the machine is
    timer.join()


def test_bad_calls_are_refused_and_a_cancel_is_heard():
    net, inputs = small_net()
    with pytest.raises(DataError, match="no samples"):
        calibrate(net, SampleSet([], "none"))
    with pytest.raises(DataError, match="'guess'"):
        calibrate(net, samples_like(inputs, 1), observer="guess")
    token = CancelToken()
    with pytest.raises(Cancelled):
        calibrate(net, samples_like(inputs, 9), progress=lambda f, t: token.cancel(), cancel=token)


def test_synthetic_samples_fit_the_model_and_repeat():
    x = {"ids": np.zeros((1, 6), np.int64), "mask": np.ones((1, 6), np.int64)}
    table = np.random.default_rng(0).standard_normal((7, 4)).astype(np.float32)
    steps = [
        Step([("Cast", ["ids"], ["i"], {"to": 6})], ["i"]),
        Step([("Gather", ["w", "i"], ["y"], {})], ["y"], {"w": table}, Kind.EMBEDDING, "w", (0,), (1,)),
    ]
    net = network(x, ["y"], steps)
    assert {name: each.below for name, each in meanings_of(net.graph).items()} == {"ids": 7}
    first, again, other = (synthetic_samples(net.graph, n, seed) for n, seed in ((3, 0), (5, 0), (3, 1)))
    assert first.synthetic
    for a, b in zip(first.feeds, again.feeds, strict=False):
        for name in x:
            np.testing.assert_array_equal(a[name], b[name])
            assert (a[name].shape, a[name].dtype) == (x[name].shape, x[name].dtype)
    assert any(not np.array_equal(a["ids"], b["ids"]) for a, b in zip(first.feeds, other.feeds, strict=True))
    assert max(feed["ids"].max() for feed in again.feeds) < 7
    evaluator = Evaluator(net, first)
    try:
        assert evaluator.evaluate(Plan({net.kernels[1].id: INT8})).synthetic
    finally:
        evaluator.close()


@pytest.mark.parametrize("observer", ["minmax", "mse", "entropy"])
def test_each_number_of_bits_has_its_range_where_the_observer_asks_for_it(observer):
    net, inputs = small_net()
    found = calibrate(net, samples_like(inputs, 4), observer=observer)
    forms = [ActivationFormat(bits) for bits in (4, 8, 16)]
    narrow, usual, wide = (found.of("a", form) for form in forms)
    assert usual == found.ranges["a"]
    if observer == "minmax":
        assert not found.by_bits
        assert narrow == usual == wide
        return
    assert narrow != usual
    assert usual.high <= wide.high
    kernel = net.tunable[1]
    for form, each in zip(forms, (narrow, usual, wide), strict=True):
        lowered = lower(kernel, Scheme(INT8.weights, form), found, net.tensors, True)
        scale = next(array for name, array in lowered.constants.items() if name.endswith("activation/scale"))
        assert scale == pytest.approx(activation_params(each, form).scale, rel=1e-6)


def test_a_reference_is_let_go_when_calibration_ends_early():
    """Whoever keeps the exception keeps the frames in which it came about, and what they hold."""
    net, inputs = small_net()
    samples, token = samples_like(inputs, 4), CancelToken()
    with closing(Evaluator(net, samples, ranges=Ranges())) as evaluator:
        with pytest.raises(Cancelled) as kept:
            calibrate(
                net, samples, reference=evaluator.reference_values, cancel=token, progress=lambda *_: token.cancel()
            )
        assert kept.value.__traceback__ is not None
        assert not evaluator._lock.locked()
        assert evaluator.evaluate(Plan({kernel.id: FP16 for kernel in net.tunable})).output.sqnr_db > 0
