"""Observers against numpy's percentiles and extremes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.precision.scheme import ActivationFormat
from engine.quant import OBSERVERS
from engine.quant.observers import BINS, Seen, observe_histogram, percentile_range
from engine.quant.ranges import Range, activation_params


def watched(name: str, arrays) -> Range:
    observe, found = OBSERVERS[name]
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
    found = percentile_range(seen, 99.0)
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


def test_codes_of_activations():
    assert activation_params(Range(-1, 3), ActivationFormat(8)) == (4 / 255, 64)
    assert activation_params(Range(1, 3), ActivationFormat(8)).zero_point == 0
    assert activation_params(Range(-3, -1), ActivationFormat(8)).zero_point == 255
    assert activation_params(Range(0, 0), ActivationFormat(8)) == (1.0, 0)
    assert activation_params(Range(-2, 1), ActivationFormat(8, symmetric=True)) == (2 / 127, 0)
