"""Observers against numpy's percentiles and extremes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.precision.scheme import ActivationFormat
from engine.quant import OBSERVERS
from engine.quant.entropy import LEVELS, absolute_counts, divergences, entropy_threshold
from engine.quant.observers import BINS, Seen, entropy_range, observe_histogram, percentile_range
from engine.quant.ranges import Range, activation_params


def watched(name: str, arrays) -> Range:
    observe, found, _ = OBSERVERS[name]
    seen = Seen()
    for array in arrays:
        seen = observe(seen, array)
    return found(seen)


def test_min_max_is_the_least_and_the_greatest():
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((3, 5)).astype(np.float32) * s for s in (1, 5, 2)]
    found = watched("minmax", arrays)
    assert found == Range(float(min(a.min() for a in arrays)), float(max(a.max() for a in arrays)))


@given(
    scales=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=6),
    shift=st.floats(-100, 100),
    seed=st.integers(0, 100),
)
@settings(max_examples=60, deadline=None)
def test_percentiles_are_right_to_within_a_bin_however_the_range_grows(scales, shift, seed):
    rng = np.random.default_rng(seed)
    arrays = [(rng.standard_normal(2000) * scale + shift).astype(np.float32) for scale in scales]
    seen = Seen()
    for array in arrays:
        seen = observe_histogram(seen, array)
    everything = np.sort(np.concatenate(arrays).astype(np.float64))
    assert seen.counts is not None
    assert seen.counts.shape == (BINS,)
    assert seen.counts.sum() == everything.size
    assert (everything[-1] - everything[0]) / seen.width <= BINS
    found = percentile_range(seen, percentile=99.0)
    outside = everything.size * 0.005
    assert np.count_nonzero(everything < found.low - seen.width) <= outside
    assert np.count_nonzero(everything < found.low + 2 * seen.width) >= outside
    assert np.count_nonzero(everything > found.high + seen.width) <= outside
    assert np.count_nonzero(everything > found.high - 2 * seen.width) >= outside


@pytest.mark.parametrize("spans", [[(0, 1), (-1, 0)], [(5, 6), (-40, -39)], [(-1, 0), (0, 1)], [(1, 1.001), (-7, 900)]])
def test_counts_stay_where_they_belong_when_the_range_grows(spans):
    seen = Seen()
    arrays = [np.linspace(low, high, 1000, dtype=np.float32) for low, high in spans]
    for array in arrays:
        seen = observe_histogram(seen, array)
    edges = (seen.first + np.arange(BINS + 1)) * seen.width
    wanted, _ = np.histogram(np.concatenate(arrays).astype(np.float64), edges)
    assert np.abs(np.cumsum(seen.counts) - np.cumsum(wanted)).max() <= 2  # a value on an edge may fall either way


def test_one_outlier_among_many_is_left_out():
    values = np.random.default_rng(0).uniform(-1, 1, 200_000).astype(np.float32)
    values[7] = 50.0
    found = watched("percentile", np.split(values, 10))
    assert 0.98 < found.high < 1.1
    assert watched("minmax", [values]).high == 50.0


@pytest.mark.parametrize("name", OBSERVERS)
def test_odd_input_has_a_defined_range(name):
    assert watched(name, []) == Range(0, 0)
    assert watched(name, [np.zeros((0, 3), np.float32)]) == Range(0, 0)
    assert watched(name, [np.full(4, np.nan, np.float32)]) == Range(0, 0)
    assert watched(name, [np.array([np.inf, 2, -np.inf, -1], np.float32)]) == Range(-1, 2)
    assert watched(name, [np.full(9, 3.0, np.float16)]) == Range(3, 3)
    assert watched(name, [np.array([3e38, -3e38], np.float32)]).high >= 2.9e38


def distributions():
    rng = np.random.default_rng(5)
    normal = rng.standard_normal(8_000)
    yield "normal", normal
    yield "relu", np.maximum(normal, 0) * 3
    yield "laplace", rng.laplace(0.4, 2.0, 8_000)
    yield "swish", normal * 3 / (1 + np.exp(-normal * 3))
    yield "heavy tail", rng.standard_t(2, 8_000)
    yield "outlier", np.append(rng.uniform(-1, 1, 8_000), 60.0)
    yield "uniform", rng.uniform(-2, 5, 8_000)
    yield "negative", -np.abs(normal) - 0.5


CASES = [pytest.param(v.astype(np.float32), id=name) for name, v in distributions()]


def divergence(counts, kept: int) -> float:
    """KL(P || Q) by the published steps, bin by bin."""
    reference = counts[:kept].astype(float)
    reference[-1] += counts[kept:].sum()
    candidate = np.zeros(kept)
    for level in range(LEVELS):
        part = slice(kept * level // LEVELS, kept * (level + 1) // LEVELS)
        filled = reference[part] > 0
        if filled.any():
            candidate[part] = np.where(filled, counts[:kept][part].sum() / filled.sum(), 0)
    if not candidate.any():
        return np.inf
    p, q = reference / reference.sum(), candidate / candidate.sum()
    with np.errstate(divide="ignore"):
        return float(sum(a * (np.log(a) - np.log(b)) for a, b in zip(p, q, strict=True) if a > 0))


@pytest.mark.parametrize("values", CASES)
def test_entropy_threshold_is_the_published_one(values):
    seen = Seen()
    for part in [*np.split(values[:8_000], 8), values[8_000:]]:
        seen = observe_histogram(seen, part)
    counts, width = absolute_counts(seen)
    raw = np.bincount(np.floor(np.abs(values.astype(np.float64)) / width).astype(int), minlength=counts.size)
    assert np.abs(np.cumsum(raw)[: counts.size] - np.cumsum(counts)).max() <= 1  # the extreme lies on an edge
    tried = {kept: divergence(counts, kept) for kept in range(LEVELS, counts.size + 1, 41)}
    ours = divergences(counts)
    np.testing.assert_allclose([ours[kept - LEVELS] for kept in tried], list(tried.values()), rtol=1e-9, atol=1e-12)
    best = LEVELS + max(np.flatnonzero(ours == ours.min()))
    assert entropy_threshold(seen) == min(float(np.abs(values).max()), (best + 0.5) * width)
    if ours.min() < np.inf:
        assert entropy_range(seen) == Range(
            max(seen.low, -entropy_threshold(seen)), min(seen.high, entropy_threshold(seen))
        ) or entropy_threshold(seen) < min(abs(seen.low), abs(seen.high))


def squared_error(values, low: float, high: float, bits: int = 8) -> float:
    """Of a format without a sign, on raw values."""
    scale, zero = activation_params(Range(low, high), ActivationFormat(bits))
    codes = np.clip(np.rint(values.astype(np.float64) / scale) + zero, 0, 2**bits - 1)
    return float(np.mean(((codes - zero) * scale - values) ** 2))


@pytest.mark.parametrize("values", CASES)
def test_no_range_has_a_smaller_error_than_the_mse_observers(values):
    """Against every pair of 25 lower and 25 upper ends, really rounded."""
    found = watched("mse", [*np.split(values[:8_000], 8), values[8_000:]])
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    best = min(squared_error(values, low * a, high * b) for a in _shares(low) for b in _shares(high))
    assert squared_error(values, found.low, found.high) <= 1.04 * best
    assert squared_error(values, found.low, found.high) <= 1.03 * squared_error(values, low, high)


@pytest.mark.parametrize("value", [3.7, -3.7, 1e-6, -1e30])
@pytest.mark.parametrize("name", OBSERVERS)
def test_a_constant_has_its_own_range(name, value):
    constant = np.full(1000, value, np.float32)
    assert watched(name, [constant, constant]) == Range(float(constant[0]), float(constant[0]))


def test_values_that_round_to_zero_cost_their_own_square():
    """Of values over twelve decades most are far below a step, and don't pay for a coarse one."""
    values = np.concatenate([np.random.default_rng(0).standard_normal(2000) * 2.0**k for k in range(-20, 20)])
    values = values.astype(np.float32)
    found = watched("mse", np.split(values, 40))
    low, high = float(values.min()), float(values.max())
    best = min(squared_error(values, low * a, high * b) for a in _shares(low) for b in _shares(high))
    assert squared_error(values, found.low, found.high) <= 1.04 * best


@pytest.mark.parametrize("bits", [4, 16])
@pytest.mark.parametrize("values", CASES)
def test_the_mse_observer_knows_how_fine_the_steps_are(values, bits):
    seen = OBSERVERS["mse"].observe(Seen(), values)
    found, other = OBSERVERS["mse"].found(seen, bits), OBSERVERS["mse"].found(seen, 8)
    error = squared_error(values, found.low, found.high, bits)
    assert error <= 1.04 * squared_error(values, other.low, other.high, bits)
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    best = min(squared_error(values, low * a, high * b, bits) for a in _shares(low) for b in _shares(high))
    assert error <= 1.1 * best + 1e-9 * float(np.mean(values**2))


def test_entropy_clips_more_where_there_are_fewer_levels():
    values = np.random.default_rng(0).laplace(size=50_000).astype(np.float32)
    seen = OBSERVERS["entropy"].observe(Seen(), values)
    coarse, usual, fine = (OBSERVERS["entropy"].found(seen, bits) for bits in (4, 8, 16))
    assert coarse.high < usual.high < fine.high == seen.high
    assert fine.low == seen.low


def _shares(end: float):
    return np.linspace(0.04, 1, 25) if end else [0.0]


def test_a_moving_average_is_the_mean_of_a_hundred_then_exponential():
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((2, 50)).astype(np.float32) * s for s in rng.uniform(0.5, 2, 160)]
    high = 0.0
    for number, array in enumerate(arrays, 1):
        high = float(array.max()) if number == 1 else high + (float(array.max()) - high) / min(number, 100)
    found = watched("average", arrays)
    assert found.high == pytest.approx(high, rel=1e-12)
    assert watched("average", arrays[:60]).low == pytest.approx(np.mean([a.min() for a in arrays[:60]]), rel=1e-6)
    nothing = np.full(3, np.nan, np.float32)
    assert watched("average", [nothing, arrays[0], nothing]) == Range(float(arrays[0].min()), float(arrays[0].max()))


@pytest.mark.parametrize("name", OBSERVERS)
def test_states_stay_small_and_do_not_depend_on_how_values_are_split(name):
    values = np.random.default_rng(3).laplace(size=120_000).astype(np.float32)
    observe, found, _ = OBSERVERS[name]
    seen = Seen()
    for part in np.split(values, 120):
        seen = observe(seen, part)
    assert seen.counts is None or seen.counts.nbytes <= 8 * BINS
    if name != "average":
        whole, low, high = found(observe(Seen(), values)), found(seen).low, found(seen).high
        assert (low, high) == pytest.approx((whole.low, whole.high), rel=0.06)


def test_codes_of_activations():
    assert activation_params(Range(-1, 3), ActivationFormat(8)) == (4 / 255, 64)
    assert activation_params(Range(1, 3), ActivationFormat(8)).zero_point == 0
    assert activation_params(Range(-3, -1), ActivationFormat(8)).zero_point == 255
    assert activation_params(Range(0, 0), ActivationFormat(8)) == (1.0, 0)
    assert activation_params(Range(-2, 1), ActivationFormat(8, symmetric=True)) == (2 / 127, 0)
