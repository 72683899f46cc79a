"""Weight methods against what they promise, and GPTQ against the paper's algorithm written down once more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine.errors import Cancelled, PlanError
from engine.fusion.types import Weight
from engine.precision.scheme import INT4, INT8, WeightFormat
from engine.progress import CancelToken
from engine.quant import quantize_weight
from engine.quant.gptq import Moments, second_order
from engine.quant.rounding import Codes, extremes, grid_of

FORMS = [
    INT4.weights,
    replace(INT4.weights, symmetric=True),
    INT8.weights,
    WeightFormat(3, symmetric=False, granularity="group", group=16),
    WeightFormat(2, granularity="channel"),
    WeightFormat(4, symmetric=False, granularity="tensor"),
]
FLOATS = st.floats(-4, 4, width=32, allow_subnormal=False)
MATRICES = hnp.arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 70)), elements=FLOATS)


def weight(array: np.ndarray) -> Weight:
    return Weight("w", "w", array.shape, (0,), (1,), "x", "")


def by(method: str, array: np.ndarray, form: WeightFormat) -> np.ndarray:
    return quantize_weight(array, weight(array), form, method).dequantize().astype(np.float64)


def values_of(made: Codes, form: WeightFormat) -> np.ndarray:
    """Codes as weights, without the code under test."""
    columns = np.arange(made.codes.shape[1]) // (form.group if form.granularity == "group" else 1 << 30)
    columns %= made.scales.shape[1]
    return (made.codes.astype(np.float64) - made.zero_points[:, columns]) * made.scales[:, columns]


def correlated(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    return (rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns)) / columns).astype(np.float32)


@pytest.mark.parametrize("form", FORMS, ids=str)
@given(array=MATRICES)
@settings(max_examples=20)
def test_mse_clip_never_loses_more_than_rounding(form, array):
    def lost(method):
        return np.sum((by(method, array, form) - array) ** 2)

    assert lost("mse") <= lost("rtn") * (1 + 1e-6) + 1e-12


def test_mse_clip_takes_the_best_share_of_a_range_with_an_outlier():
    rng = np.random.default_rng(0)
    array = rng.standard_normal((64, 32)).astype(np.float32)
    array[:, 5] *= 4
    form = replace(INT4.weights, symmetric=True)
    made = quantize_weight(array, weight(array), form, "mse")
    lost = np.sum((made.dequantize() - array) ** 2, axis=1)
    for share in (1.0, 0.8, 0.6, 0.44):  # some of the candidates, by the book
        scales = (
            (np.abs(array).max(axis=1, keepdims=True) * np.float32(share) / 7).astype(np.float16).astype(np.float64)
        )
        tried = np.clip(np.rint(array / scales), -8, 7) * scales
        assert np.all(lost <= np.sum((tried - array) ** 2, axis=1) * (1 + 1e-5))
    assert np.all(made.scales[:, 0] < np.abs(array).max(axis=1) / 7 * 1.001)
    assert np.sum(lost) < 0.9 * np.sum((by("rtn", array, form) - array) ** 2)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_hqq_loses_less_in_its_norm_than_rounding(form):
    array = np.random.default_rng(1).standard_t(4, (48, 96)).astype(np.float32)

    def lost(method):
        return np.sum(np.abs(by(method, array, form) - array) ** 0.7)

    assert lost("hqq") < lost("rtn")


def gptq_by_the_paper(array: np.ndarray, hessian: np.ndarray, form: WeightFormat) -> np.ndarray:
    """Optimal brain quantization, column after column, with the inverse Hessian shrunk by elimination each time."""
    order = np.argsort(-np.diagonal(hessian), kind="stable")
    grid = grid_of(extremes(array, form), form)
    group = form.group if form.granularity == "group" else array.shape[1]
    left = array.astype(np.float64)
    damped = hessian.astype(np.float64) + 0.01 * np.diagonal(hessian).mean() * np.eye(len(hessian))
    inverse = np.linalg.inv(damped[np.ix_(order, order)])
    found = np.zeros_like(left)
    for at, column in enumerate(order):
        scale = grid.scales[:, column // group].astype(np.float64)
        zero = grid.zeros[:, column // group]
        code = np.clip(np.rint(left[:, column] / scale) + zero, -(2 ** (form.bits - 1)), 2 ** (form.bits - 1) - 1)
        found[:, column] = (code - zero) * scale
        error = (left[:, column] - found[:, column]) / inverse[0, 0]
        later = order[at + 1 :]
        left[:, later] -= np.outer(error, inverse[0, 1:])
        inverse = inverse[1:, 1:] - np.outer(inverse[1:, 0], inverse[0, 1:]) / inverse[0, 0]
    return found


@pytest.mark.parametrize("form", [INT4.weights, replace(INT4.weights, symmetric=True), INT8.weights], ids=str)
def test_gptq_is_at_least_as_good_as_the_paper_and_better_than_rounding(form):
    rng = np.random.default_rng(2)
    array = rng.standard_normal((24, 100)).astype(np.float32)
    inputs = correlated(rng, 500, 100)
    hessian = inputs.T @ inputs / 500
    made = values_of(second_order(array, form, [Moments(slice(0, 24), slice(0, 100), hessian)]), form)
    paper = gptq_by_the_paper(array, hessian, form)

    def lost(values):
        return np.sum((inputs @ (values - array).T.astype(np.float64)) ** 2, axis=0)

    assert np.all(lost(made) <= lost(paper) * 1.02 + 1e-9)
    rounded = by("rtn", array, form)
    assert 10 * np.log10(lost(rounded).sum() / lost(made).sum()) > 3


def test_gptq_on_unrelated_columns_is_rounding():
    array = np.random.default_rng(3).standard_normal((8, 64)).astype(np.float32)
    form = INT8.weights
    made = second_order(array, form, [Moments(slice(0, 8), slice(0, 64), np.eye(64, dtype=np.float32))])
    lost = np.sum((values_of(made, form) - array) ** 2)
    assert lost <= np.sum((by("rtn", array, form) - array) ** 2) * (1 + 1e-6)


@pytest.mark.parametrize("form", FORMS, ids=str)
@given(array=MATRICES, seed=st.integers(0, 99), rows=st.integers(1, 40))
@settings(max_examples=20)
def test_gptq_never_expects_more_error_than_rounding(form, array, seed, rows):
    inputs = np.random.default_rng(seed).standard_normal((rows, array.shape[1])).astype(np.float32)
    hessian = inputs.T @ inputs / rows
    made = second_order(array, form, [Moments(slice(0, len(array)), slice(0, array.shape[1]), hessian)])
    low, high = -(2 ** (form.bits - 1)), 2 ** (form.bits - 1) - 1
    assert made.codes.min(initial=0) >= low
    assert made.codes.max(initial=0) <= high

    def lost(values):
        return np.sum((inputs @ (values - array).T) ** 2)

    assert lost(values_of(made, form)) <= lost(by("rtn", array, form)) * 1.001 + 1e-6


@pytest.mark.parametrize("method", ["mse", "hqq"])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_odd_weights_have_a_defined_result(form, method):
    array = np.random.default_rng(4).standard_normal((6, 64)).astype(np.float32)
    array[0] = 0
    array[1] = 0.3
    array[2, :3] = [np.nan, np.inf, -np.inf]
    array[3] *= np.float32(1e-41)
    array[4] *= np.float32(1e30)
    made = quantize_weight(array, weight(array), form, method)
    assert made.nonfinite == 3
    assert np.isfinite(made.dequantize()).all()
    if form.granularity != "tensor":
        np.testing.assert_array_equal(made.dequantize()[:2], array[:2])


def test_gptq_takes_odd_weights_and_moments():
    form = INT4.weights
    array = np.random.default_rng(5).standard_normal((5, 64)).astype(np.float32)
    array[0], array[1] = 0, 0.3
    array[2, :2] = [np.nan, np.inf]
    for hessian in (np.zeros((64, 64)), np.full((64, 64), np.nan), np.ones((64, 64))):
        made = second_order(array, form, [Moments(slice(0, 5), slice(0, 64), hessian.astype(np.float32))])
        values = values_of(made, form)
        assert made.nonfinite == 2
        assert np.isfinite(values).all()
        np.testing.assert_allclose(values[:2], array[:2], rtol=1e-6)


def test_gptq_stops_when_asked():
    array = np.ones((4, 512), np.float32)
    token = CancelToken()
    token.cancel()
    moments = [Moments(slice(0, 4), slice(0, 512), np.eye(512, dtype=np.float32))]
    with pytest.raises(Cancelled):
        second_order(array, INT4.weights, moments, token.check)


def test_methods_are_refused_by_name():
    array = np.ones((2, 8), np.float32)
    with pytest.raises(PlanError, match="There is no weight method 'awesome'; choose one of rtn, mse, hqq, gptq"):
        quantize_weight(array, weight(array), INT4.weights, "awesome")
    with pytest.raises(PlanError, match="GPTQ needs calibration samples"):
        quantize_weight(array, weight(array), INT4.weights, "gptq")
