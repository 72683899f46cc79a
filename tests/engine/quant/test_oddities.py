"""Odd weights are counted, told, and rounded to something defined by every method."""

from __future__ import annotations

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from handmade import small_net
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine.fusion.types import Weight
from engine.precision.scheme import BF16, FP16, INT4, INT8
from engine.quant import METHODS, quantize_weight
from engine.quant.oddities import Oddities, odd_weights, oddities


def weight(array, channels=(0,), reduction=(1,)) -> Weight:
    return Weight("w", "w", array.shape, channels, reduction, "x", "")


def odd() -> np.ndarray:
    array = np.random.default_rng(0).standard_normal((8, 40)).astype(np.float32)
    array[0] = 0
    array[1] = 0.25
    array[2, :3] = np.nan, np.inf, -np.inf
    array[3, 0] = 70000
    array[4, 0] = 1e-41
    return array


def test_all_kinds_are_counted():
    found = oddities(odd(), weight(odd()))
    assert found == Oddities(1, 2, 1, 1, 1, 1, 8)
    assert found.harmful(INT8.weights)
    assert "rounded as 0" in str(found.words(INT8.weights))
    assert "1 of the weights are NaN and 2 infinite, and stay so in BF16" in str(found.words(BF16.weights))


def test_what_is_lost_is_said_of_the_format_that_loses_it():
    """FP16 is left at both ends, BF16 at the upper one only, integers at none."""
    array = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    array[0, :2] = 3.4e38, 70000
    array[1] = 1e-9
    found = oddities(array, weight(array))
    assert (found.beyond_half, found.beyond_brain, found.vanishing_channels) == (2, 1, 1)
    assert str(found.words(FP16.weights)) == "2 weights are beyond 65504 and become infinite in FP16."
    assert str(found.words(BF16.weights)) == "1 weight is beyond 3.39e38 and becomes infinite in BF16."
    assert not found.harmful(INT4.weights)
    assert "but not in the format here" in str(found.words(INT4.weights))
    small = replace(found, beyond_half=0, beyond_brain=0)
    assert small.harmful(FP16.weights)
    assert not small.harmful(BF16.weights)
    assert str(small.words(FP16.weights)) == "1 of 4 channels is so small that FP16 makes it 0."
    assert "1 of 4 channels would be 0 in FP16" in str(small.words(BF16.weights))
    assert str(Oddities(constant_channels=2, channels=3).words(INT4.weights)).startswith("2 of 3 channels repeat one")


def test_ordinary_weights_are_not_odd():
    array = np.random.default_rng(1).standard_normal((6, 30)).astype(np.float32)
    found = oddities(array, weight(array))
    assert not found
    assert str(found.words(FP16.weights)) == ""
    assert oddities(np.zeros((0, 4), np.float32), weight(np.zeros((0, 4)))) == Oddities()


@given(hnp.arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=st.floats(width=32)))
def test_counts_are_those_of_a_look_at_each(array):
    found = oddities(array, weight(array))
    values = [[float(v) for v in row] for row in array]
    flat = [v for row in values for v in row]
    assert found.nan == sum(v != v for v in flat)
    assert found.infinite == sum(abs(v) == float("inf") for v in flat)
    with np.errstate(over="ignore"):
        halves, brains = array.astype(np.float16), array.astype(ml_dtypes.bfloat16)
    assert found.beyond_half == int(np.isinf(halves).sum() - np.isinf(array).sum())
    assert found.beyond_brain == int(np.isinf(brains).sum() - np.isinf(array).sum())
    gone = (halves == 0).all(axis=1) & ~(array == 0).all(axis=1)
    assert found.vanishing_channels == int(gone.sum())
    assert found.denormal == sum(0 < abs(v) < 2.0**-126 for v in flat)
    assert found.zero_channels == sum(all(v == 0 for v in row) for row in values)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, ml_dtypes.bfloat16])
def test_any_float_dtype_and_layout(dtype):
    array = np.ones((4, 6), dtype)
    array[:, 2] = 0
    assert oddities(array, weight(array, (1,), (0,))).zero_channels == 1


@pytest.mark.parametrize("form", [INT4.weights, INT8.weights])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_something_finite_of_them(form, method):
    made = quantize_weight(odd(), weight(odd()), form, method)
    assert made.nonfinite == 3
    assert np.isfinite(made.dequantize()).all()
    np.testing.assert_array_equal(made.dequantize()[:2], odd()[:2])
    assert made.dequantize()[2, 0] == 0


def test_half_overflows_where_it_is_said():
    made = quantize_weight(odd(), weight(odd()), FP16.weights)
    found = oddities(odd(), weight(odd()))
    assert made.nonfinite == found.nan + found.infinite + found.beyond_half


def test_only_kernels_with_something_odd_are_listed():
    net, _ = small_net()
    assert odd_weights(net) == {}
    net.kernels[0].constants["w0"][2] = 0
    found = odd_weights(net)
    assert set(found) == {net.kernels[0].id}
    assert found[net.kernels[0].id].zero_channels == 1
    assert str(found[net.kernels[0].id].words(FP16.weights)).startswith("1 of 16 channels is all zeros")
