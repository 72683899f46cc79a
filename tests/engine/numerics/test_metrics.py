"""Figures against numpy and scipy on whole arrays in float64."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from handmade import Step, network
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax, rel_entr, softmax

from engine.errors import DataError
from engine.fusion.types import Kind
from engine.numerics import ErrorSums, Evaluator, SampleSet
from engine.numerics.outputs import OutputSums, Reading, compare_outputs, read_outputs, total
from engine.numerics.sums import PIECE, Sums, error_sums, power_sums
from engine.precision.plan import Plan
from engine.precision.scheme import INT4

SCRATCH = np.empty(PIECE, np.float32)


def head(rows: int, classes: int, softmaxed: bool = False, shape=None) -> tuple:
    """A network that ends in a Gemm (and a Softmax)."""
    x = {"x": np.zeros((rows, 8), np.float32)}
    w = np.random.default_rng(3).standard_normal((8, classes)).astype(np.float32)
    steps = [Step([("Gemm", ["x", "w"], ["l"], {})], ["l"], {"w": w}, Kind.GEMM, "w", (1,), (0,), "x")]
    last = "l"
    if softmaxed:
        steps.append(Step([("Softmax", ["l"], ["p"], {"axis": -1})], ["p"], {}, Kind.SOFTMAX))
        last = "p"
    if shape:
        steps.append(Step([("Reshape", [last, "s"], ["r"], {})], ["r"], {"s": np.array(shape)}, Kind.MOVEMENT))
        last = "r"
    return network(x, [last], steps), last


@given(
    size=st.sampled_from([0, 1, 17, PIECE - 1, PIECE, PIECE + 5]),
    dtype=st.sampled_from([np.float32, np.float64, np.float16]),
    seed=st.integers(0, 99),
)
@settings(max_examples=40, deadline=None)
def test_sums_are_exact_to_six_digits(size, dtype, seed):
    rng = np.random.default_rng(seed)
    reference = (rng.standard_normal(size) * 3 + 1).astype(dtype)
    result = (reference + rng.standard_normal(size) * 0.1).astype(dtype)
    found = error_sums(result, reference, power_sums(reference), SCRATCH)
    r, y = reference.astype(np.float64), result.astype(np.float64)
    assert found.noise == pytest.approx(np.sum((y - r) ** 2), rel=1e-6)
    assert found.reference == pytest.approx(np.sum(r * r), rel=1e-6)
    assert found.result == pytest.approx(np.sum(y * y), rel=1e-6)
    assert (found.elements, found.nonfinite) == (size, 0)
    sums = found.as_result()
    if size:
        assert sums.sqnr_db == pytest.approx(10 * np.log10(np.sum(r * r) / np.sum((y - r) ** 2)), abs=1e-4)
        assert sums.cosine == pytest.approx(r @ y / np.linalg.norm(r) / np.linalg.norm(y), abs=1e-6)
        assert sums.mse == pytest.approx(np.mean((y - r) ** 2), rel=1e-6)
        assert sums.relative_l2 == pytest.approx(np.linalg.norm(y - r) / np.linalg.norm(r), rel=1e-6)


@pytest.mark.parametrize("scale", [1e-38, 1e-30, 1e-22, 1e-19, 1e-16, 1e18, 1e30])
def test_sums_of_tiny_and_huge_values_lose_nothing(scale):
    rng = np.random.default_rng(3)
    reference = (rng.standard_normal(100_003) * scale).astype(np.float32)
    result = (reference * np.float32(1.01)).astype(np.float32)
    exact = [a.astype(np.float64) for a in (reference, result)]
    found = error_sums(result, reference, power_sums(reference), np.empty(PIECE, np.float32))
    assert found.reference == pytest.approx(float(exact[0] @ exact[0]), rel=1e-6)
    assert found.result == pytest.approx(float(exact[1] @ exact[1]), rel=1e-6)
    assert found.noise == pytest.approx(float(np.sum((exact[1] - exact[0]) ** 2)), rel=1e-6)
    assert 39 < found.as_result().sqnr_db < 41


def test_small_noise_on_large_values_is_measured_and_none_is_none():
    reference = np.ones(1000, np.float32)
    reference[3] = 1e-25
    result = reference.copy()
    known = power_sums(reference)
    assert error_sums(result, reference, known, np.empty(PIECE, np.float32)).noise == 0
    result[3] = 3e-25
    assert error_sums(result, reference, known, np.empty(PIECE, np.float32)).noise == pytest.approx(4e-50)
    assert power_sums(np.zeros(10, np.float32)).reference == 0


def test_what_is_not_finite_is_sorted_out():
    reference = np.array([1, np.inf, np.nan, -np.inf, 2, -3e38], np.float32)
    same = error_sums(reference.copy(), reference, power_sums(reference), SCRATCH)
    assert (same.noise, same.elements, same.nonfinite) == (0, 3, 0)
    assert same.reference == pytest.approx(9e76)
    result = np.array([1, 5, 0, 0, np.nan, -3e38], np.float32)
    found = error_sums(result, reference, power_sums(reference), SCRATCH)
    assert (found.noise, found.elements, found.nonfinite) == (inf, 3, 1)
    assert (same.unmeasured, found.unmeasured) == (1, 3)  # a mask's infinities are the same in both


def test_what_has_no_reference_is_never_exact():
    for values in ([np.nan] * 3, [1, np.nan, 2]):
        reference = np.array(values, np.float32)
        found = error_sums(reference.copy(), reference, power_sums(reference), SCRATCH).as_result()
        assert not found.measurable
        for figure in (found.sqnr_db, found.cosine, found.mse, found.relative_l2):
            assert np.isnan(figure)
    mask = np.array([0, -np.inf, 0, 1], np.float32)
    assert error_sums(mask.copy(), mask, power_sums(mask), SCRATCH).as_result().sqnr_db == inf
    assert np.isnan(ErrorSums(0, 0, 0, 0).sqnr_db)


def test_classes_of_a_reference_with_nan_have_no_figures():
    net, name = head(5, 4)
    logits = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    reading = read_outputs(net, {name: logits}, np.zeros((1, 5), np.int64))
    broken = logits.copy()
    broken[2, 1] = np.nan
    found = total([compare_outputs(reading, {name: broken}, {name: broken}, np.zeros(5, np.int64))], reading)
    assert not found.sums.measurable
    assert (found.kl, found.top1_agreement, found.top5_agreement, found.accuracy) == (None,) * 4


def test_figures_at_the_borders():
    assert ErrorSums(0, 0, 0, 4).sqnr_db == inf
    assert ErrorSums(0, 0, 0, 4).cosine == 1
    assert ErrorSums(1, 0, 1, 4).sqnr_db == -inf
    assert ErrorSums(1, 0, 1, 4).cosine == 0
    assert ErrorSums(inf, 5, 1, 4, 1).sqnr_db == -inf
    assert ErrorSums(inf, 5, 1, 4, 1).cosine == 0


@pytest.mark.parametrize("classes", [2, 4, 7, 300])
@pytest.mark.parametrize("softmaxed", [False, True])
def test_classes_against_scipy(classes, softmaxed):
    net, name = head(5, classes, softmaxed)
    rng = np.random.default_rng(classes)
    logits = [rng.standard_normal((5, classes)).astype(np.float32) * 3 for _ in range(3)]
    changed = [a + rng.standard_normal(a.shape).astype(np.float32) * 0.7 for a in logits]
    if softmaxed:
        logits, changed = ([softmax(a, axis=1).astype(np.float32) for a in group] for group in (logits, changed))
    labels = rng.integers(-1, classes, (3, 5))
    reading = read_outputs(net, {name: logits[0]}, labels)
    assert (reading.primary, reading.probabilities) == (name, softmaxed)
    parts = [
        compare_outputs(reading, {name: y}, {name: r}, lab) for y, r, lab in zip(changed, logits, labels, strict=True)
    ]
    found = total(parts, reading)
    r, y, true = np.concatenate(logits).astype(np.float64), np.concatenate(changed), labels.reshape(-1)
    if softmaxed:
        kl = np.mean(rel_entr(r, y.astype(np.float64)).sum(axis=1))
    else:
        kl = np.mean((softmax(r, axis=1) * (log_softmax(r, axis=1) - log_softmax(y.astype(float), axis=1))).sum(axis=1))
    assert found.kl == pytest.approx(kl, rel=1e-4, abs=1e-7)
    best, first = y.argmax(axis=1), r.argmax(axis=1)
    assert found.top1_agreement == np.mean(best == first)
    ranks = np.argsort(-y, axis=1)[:, :5]
    assert found.top5_agreement == np.mean([f in rank for f, rank in zip(first, ranks, strict=True)])
    known = true >= 0
    assert found.accuracy == np.mean(best[known] == true[known])
    assert found.reference_accuracy == np.mean(first[known] == true[known])
    assert found.max_abs == pytest.approx(np.abs(r - y).max())


def test_small_divergences_are_not_lost_in_rounding():
    net, name = head(1, 50)
    r = np.random.default_rng(0).standard_normal((1, 50)).astype(np.float32) * 5
    y = (r.astype(np.float64) + np.random.default_rng(1).standard_normal(50) * 1e-4).astype(np.float32)
    found = total([compare_outputs(read_outputs(net, {name: r}, None), {name: y}, {name: r}, None)], _reading(net, r))
    p, d = softmax(r.astype(np.longdouble), axis=1), y.astype(np.longdouble) - r
    want = float(np.log(np.sum(p * np.exp(d))) - np.sum(p * d))
    assert found.kl == pytest.approx(want, rel=1e-5)
    assert 0 < found.kl < 1e-8


def test_a_large_vocabulary_has_the_same_figures():
    r = np.random.default_rng(0).standard_normal((40, 30000)).astype(np.float32) * 4
    noise = np.random.default_rng(1).standard_normal(r.shape).astype(np.float32)
    r[0, :100] = -np.inf
    for scale in (1e-3, 0.1, 2.0):
        y = r + scale * noise
        part = compare_outputs(Reading(("y",), "y", False, 0), {"y": y}, {"y": r}, None)
        p = softmax(r.astype(np.float64), axis=1)
        with np.errstate(invalid="ignore"):
            log = log_softmax(r.astype(np.float64), axis=1) - log_softmax(y.astype(np.float64), axis=1)
        assert part.kl == pytest.approx(np.sum(p * np.where(np.isneginf(r), 0, log)), rel=1e-4)
        assert part.top1 == np.count_nonzero(r.argmax(axis=1) == y.argmax(axis=1))
        finite = np.isfinite(r)
        assert part.max_abs == pytest.approx(np.abs(y[finite].astype(np.float64) - r[finite]).max(), rel=1e-5)


def _reading(net, values):
    return read_outputs(net, {net.graph.outputs[0].name: values}, None)


def test_classes_are_found_behind_reshapes_and_before_trailing_ones():
    net, name = head(2, 6, shape=[2, 6, 1, 1])
    values = np.random.default_rng(0).standard_normal((2, 6, 1, 1)).astype(np.float32)
    reading = read_outputs(net, {name: values}, np.array([[1, 2]]))
    assert (reading.primary, reading.label_rows) == (name, 2)
    part = compare_outputs(reading, {name: values}, {name: values}, np.array([1, 2]))
    assert (part.rows, part.top1, part.kl) == (2, 2, 0)
    assert read_outputs(net, {name: values}, None).primary == name


def test_what_has_no_classes_has_no_class_figures():
    x = {"x": np.ones((1, 4, 8), np.float32)}
    norm = Step([("LayerNormalization", ["x", "s"], ["y"], {})], ["y"], {"s": np.ones(8, np.float32)}, Kind.NORM)
    net = network(x, ["y"], [norm])
    values = {"y": np.random.default_rng(0).standard_normal((1, 4, 8)).astype(np.float32)}
    reading = read_outputs(net, values, None)
    found = total([compare_outputs(reading, values, values, None)], reading)
    assert reading.primary is None
    assert (found.kl, found.top1_agreement, found.top5_agreement, found.accuracy) == (None, None, None, None)
    assert read_outputs(net, values, np.zeros((3, 4))).primary == "y"  # labels say that they are classes
    with pytest.raises(DataError, match="5 labels for each sample"):
        read_outputs(net, values, np.zeros((3, 5)))


def test_several_outputs_count_alike_whatever_their_size():
    parts = [Sums(1.0, 100.0, 101.0, 10), Sums(1.0, 1e-4, 1.0, 10)]
    both = Reading(("a", "b"), None, False, 0)
    found = total([OutputSums(tuple(parts), 0.5)], both)
    assert found.sums.reference_power == pytest.approx(2)
    assert found.sums.noise == pytest.approx(0.01 + 1e4)


def test_labels_reach_the_evaluation():
    net, _ = head(1, 4)
    rng = np.random.default_rng(0)
    feeds = [{"x": rng.standard_normal((1, 8)).astype(np.float32)} for _ in range(20)]
    w = net.kernels[0].constants["w"]
    labels = np.array([int((f["x"] @ w).argmax()) for f in feeds])
    labels[:2] = -1
    evaluator = Evaluator(net, SampleSet(feeds, "tests", labels=labels))
    try:
        found = evaluator.evaluate(Plan({net.kernels[0].id: INT4})).output
        assert found.reference_accuracy == 1.0
        assert 0.5 < found.accuracy <= 1.0
    finally:
        evaluator.close()
