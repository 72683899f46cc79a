"""Rounded weights against the formulas written down once more, element by element."""

from __future__ import annotations

import threading

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine.errors import PlanError
from engine.fusion.types import Weight
from engine.precision.scheme import BF16, INT4, WeightFormat
from engine.quant import fake_quantize, quantize_weight, rounding
from engine.quant.matrix import from_matrix, to_matrix
from engine.quant.rounding import not_finite, round_brain, round_half

FLOATS = st.floats(-4, 4, width=32, allow_subnormal=False)


def weight(array: np.ndarray, channels=(0,), reduction=None) -> Weight:
    reduction = tuple(range(1, array.ndim)) if reduction is None else reduction
    return Weight("w", "w", array.shape, channels, reduction, "x", "")


def int4_group(values: np.ndarray) -> np.ndarray:
    """One group by the book: what its weights become."""
    if np.all(values == values[0]):
        return values
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = float(np.float32(np.float16(max((high - low) / 15, 2.0**-24))))
    zero = min(max(round(-8 - low / scale), -8), 7)
    out = []
    for value in values:
        code = min(max(round(float(np.float32(value) / np.float32(scale))) + zero, -8), 7)
        out.append((code - zero) * scale)
    return np.array(out, np.float32)


@given(hnp.arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 70)), elements=FLOATS))
@settings(max_examples=150, deadline=None)
def test_int4_groups_follow_the_formula(array):
    made = quantize_weight(array, weight(array), INT4.weights)
    for integers in (made.codes, made.zero_points):
        assert set(np.unique(integers)) <= set(range(-8, 8))
    found = made.dequantize()
    for row in range(array.shape[0]):
        for start in range(0, array.shape[1], 32):
            part = np.s_[row, start : start + 32]
            np.testing.assert_allclose(found[part], int4_group(array[part]), rtol=1e-6, atol=1e-12)


def test_a_scale_of_a_group_is_a_half():
    array = np.random.default_rng(0).standard_normal((5, 96)).astype(np.float32)
    made = quantize_weight(array, weight(array), INT4.weights)
    np.testing.assert_array_equal(made.scales, made.scales.astype(np.float16))
    assert made.scales.dtype == np.float32
    assert made.scales.shape == (5, 3)


@pytest.mark.parametrize("value", [0.0, 0.37, -1.7, 3.0e38, -1e-41, 7e4])
@pytest.mark.parametrize("bits", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("grain", ["tensor", "channel", "group"])
def test_a_constant_is_exact(value, bits, symmetric, grain):
    array = np.full((3, 40), value, np.float32)
    form = WeightFormat(bits, symmetric=symmetric, granularity=grain, group=32)
    np.testing.assert_array_equal(quantize_weight(array, weight(array), form).dequantize(), array)


@given(
    array=hnp.arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 40)), elements=FLOATS),
    bits=st.sampled_from([2, 3, 4, 8, 16]),
    symmetric=st.booleans(),
    grain=st.sampled_from(["tensor", "channel", "group"]),
    group=st.integers(1, 50),
)
@settings(max_examples=150, deadline=None)
def test_no_weight_moves_further_than_its_rounding(array, bits, symmetric, grain, group):
    form = WeightFormat(bits, symmetric=symmetric, granularity=grain, group=group)
    made = quantize_weight(array, weight(array), form)
    scales = np.repeat(np.broadcast_to(made.scales, (array.shape[0], made.scales.shape[1])), made.group, axis=1)
    # Half a step; a step where the zero point was rounded too; the half-rounded scale shrinks the ends a little.
    bound = scales[:, : array.shape[1]] * ((0.5 if symmetric else 1.0) + 2.0 ** (bits - 1) / 1024) + 1e-6
    assert np.all(np.abs(made.dequantize() - array) <= bound)


@pytest.mark.parametrize(
    ("shape", "channels", "reduction"),
    [((4, 3, 3, 3), (0,), (1, 2, 3)), ((6, 8), (1,), (0,)), ((3, 7, 5), (0, 2), (1,)), ((6, 4, 2, 2), (1,), (0, 2, 3)),
     ((9,), (), (0,))],
)  # fmt: skip
def test_groups_run_along_the_reduction_axes_in_any_layout(shape, channels, reduction):
    array = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    found = quantize_weight(array, weight(array, channels, reduction), WeightFormat(4, granularity="group", group=5))
    matrix = np.ascontiguousarray(to_matrix(array, channels, reduction))
    plain = quantize_weight(matrix, weight(matrix), WeightFormat(4, granularity="group", group=5))
    np.testing.assert_array_equal(to_matrix(found.dequantize(), channels, reduction), plain.dequantize())
    np.testing.assert_array_equal(from_matrix(matrix, shape, channels, reduction), array)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("grain", ["tensor", "channel", "group"])
def test_nan_and_infinity_have_a_defined_result(symmetric, grain):
    array = np.random.default_rng(0).standard_normal((2, 64)).astype(np.float32)
    clean = array.copy()
    array[0, :4] = np.nan, np.inf, -np.inf, np.nan
    clean[0, :4] = 0
    form = WeightFormat(8, symmetric=symmetric, granularity=grain, group=32)
    made, want = (quantize_weight(a, weight(a), form) for a in (array, clean))
    assert made.nonfinite == 4
    assert want.nonfinite == 0
    np.testing.assert_array_equal(made.scales, want.scales)
    found = made.dequantize()
    np.testing.assert_array_equal(found[:, 4:], want.dequantize()[:, 4:])
    assert found[0, 0] == found[0, 3] == 0
    assert found[0, 1] >= clean.max() * 0.4
    assert found[0, 2] <= clean.min() * 0.4


def test_all_nan_becomes_zero():
    array = np.full((2, 8), np.nan, np.float32)
    for form in (INT4.weights, WeightFormat(8), WeightFormat(8, granularity="tensor")):
        np.testing.assert_array_equal(quantize_weight(array, weight(array), form).dequantize(), 0)


@pytest.mark.parametrize("array", [[[3e38, -3e38, 1.0]], [[1e-40, -1e-42, 0.0]], [[65504.0, 1e6, -3.0]]])
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("symmetric", [True, False])
def test_extreme_values_stay_finite(array, bits, symmetric):
    array = np.array(array, np.float32)
    form = WeightFormat(bits, symmetric=symmetric, granularity="group", group=32)
    assert np.isfinite(quantize_weight(array, weight(array), form).dequantize()).all()


def test_half_rounds_and_counts_what_overflows():
    array = np.array([[1 + 2.0**-12, 1e5, 6e-8, -1e-9]], np.float32)
    made = quantize_weight(array, weight(array), WeightFormat(16, floating=True))
    assert made.nonfinite == 1
    np.testing.assert_array_equal(made.dequantize(), np.float32([[1, np.inf, 2.0**-24, 0]]))
    full = quantize_weight(array, weight(array), WeightFormat(32, floating=True))
    np.testing.assert_array_equal(full.dequantize(), array)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, ml_dtypes.bfloat16])
def test_weights_of_any_float_dtype_are_taken(dtype):
    array = np.random.default_rng(0).standard_normal((3, 40)).astype(dtype)
    found = quantize_weight(array, weight(array), INT4.weights).dequantize()
    wide = array.astype(np.float32)
    np.testing.assert_array_equal(found, quantize_weight(wide, weight(wide), INT4.weights).dequantize())


@pytest.mark.parametrize("shape", [(0, 8), (4, 0)])
def test_empty_weights_stay_empty(shape):
    array = np.zeros(shape, np.float32)
    assert quantize_weight(array, weight(array), INT4.weights).dequantize().shape == shape


def test_unknown_formats_are_refused():
    array = np.zeros((2, 2), np.float32)
    with pytest.raises(PlanError, match="5 bits"):
        quantize_weight(array, weight(array), WeightFormat(5))
    with pytest.raises(PlanError, match="'magic'"):
        quantize_weight(array, weight(array), WeightFormat(8), "magic")
    with pytest.raises(PlanError, match="group of 0"):
        quantize_weight(array, weight(array), WeightFormat(8, granularity="group"))


@given(
    shape=st.sampled_from([(6, 9), (5, 33), (3, 8, 7), (4, 3, 3, 3), (7, 1, 3, 3), (1, 50), (50, 1)]),
    layout=st.sampled_from([((0,), None), ((-1,), None), ((0, -1), None)]),
    bits=st.sampled_from([2, 4, 8, 16]),
    symmetric=st.booleans(),
    grain=st.sampled_from(["tensor", "channel", "group"]),
    group=st.sampled_from([1, 4, 32]),
    bad=st.booleans(),
    seed=st.integers(0, 100),
)
@settings(max_examples=150, deadline=None)
def test_the_fast_way_gives_the_same_bits(shape, layout, bits, symmetric, grain, group, bad, seed):
    array = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    if bad:
        array.reshape(-1)[:3] = np.nan, np.inf, -np.inf
    channels = tuple(sorted({axis % array.ndim for axis in layout[0]}))
    reduction = tuple(axis for axis in range(array.ndim) if axis not in channels)
    what, form = weight(array, channels, reduction), WeightFormat(bits, False, symmetric, grain, group)
    fast = fake_quantize(array, what, form)
    made = quantize_weight(array, what, form)
    np.testing.assert_array_equal(fast.values, made.dequantize())
    np.testing.assert_array_equal(fast.scales, made.scales)
    assert fast.nonfinite == made.nonfinite
    assert made.codes.flags.c_contiguous


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("form", [WeightFormat(8), INT4.weights, WeightFormat(4, False, False, "group", 32)])
def test_a_large_weight_rounded_in_threads_is_the_same_and_they_end(order, form, monkeypatch):
    array = np.random.default_rng(4).standard_normal((700, 600)).astype(np.float32)
    array[3, 5], array[650, 7] = np.nan, np.inf
    array, what = np.asarray(array, order=order), weight(array, (0,), (1,))
    alone = fake_quantize(array, what, form)
    used: set[str] = set()
    steps = rounding.steps
    monkeypatch.setattr(rounding, "_LARGE", 1)
    monkeypatch.setattr(rounding, "steps", lambda *a: used.add(threading.current_thread().name) or steps(*a))
    monkeypatch.setattr(rounding.os, "cpu_count", lambda: 2)
    together = fake_quantize(array, what, form)
    np.testing.assert_array_equal(together.values, alone.values)
    np.testing.assert_array_equal(together.scales, alone.scales)
    assert together.nonfinite == alone.nonfinite == 2
    assert used
    assert all(name.startswith("mixbit-rounding") for name in used)
    assert not any(thread.name.startswith("mixbit-rounding") for thread in threading.enumerate())


@given(hnp.arrays(np.uint32, 200, elements=st.integers(0, 2**32 - 1)))
def test_half_by_bits_is_half_by_casts(bits):
    values = bits.view(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_array_equal(round_half(values), values.astype(np.float16).astype(np.float32))


def test_half_by_bits_is_right_at_the_edges():
    edges = np.float32([0, -0.0, 2**-14, 2**-15, 2**-24, 2**-25, 65504, 65519.99, 65520, 1 + 2**-11, 1 + 3 * 2**-11])
    edges = np.concatenate([edges, np.nextafter(edges, np.float32(np.inf)), np.nextafter(edges, np.float32(0))])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(round_half(edges), edges.astype(np.float16).astype(np.float32))


def test_many_halves_at_once_are_halves_by_casts():
    short = rounding._MANY // 3  # of the last piece
    values = np.random.default_rng(1).integers(0, 2**32, (7, short), dtype=np.uint32).view(np.float32)
    values[0, :6] = np.inf, -np.inf, np.nan, 2**-24, 2**-25, 65520
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_array_equal(round_half(values), values.astype(np.float16).astype(np.float32))
        np.testing.assert_array_equal(round_half(values.T), values.T.astype(np.float16).astype(np.float32))


def test_what_is_not_finite_is_counted():
    values = np.ones((3, 1000), np.float32)
    assert not_finite(values) == not_finite(np.full(10, 3e38, np.float32)) == not_finite(values[:0]) == 0
    values[1, ::100] = np.resize([np.inf, -np.inf, np.nan], 10)
    assert not_finite(values) == 10


@given(hnp.arrays(np.uint32, 200, elements=st.integers(0, 2**32 - 1)))
def test_brain_by_bits_is_brain_by_casts(bits):
    values = bits.view(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = values.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(round_brain(values).view(np.uint32), wanted.view(np.uint32))


def test_brain_by_bits_is_right_at_the_edges():
    """Ties go to even; 65504 is nothing special; beyond 3.39e38 is infinity; NaN stays NaN."""
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    values = np.concatenate([upper | low for low in (0, 0x7FFF, 0x8000, 0x8001)]).view(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = values.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(round_brain(values).view(np.uint32), wanted.view(np.uint32))
    odd = np.float32([1 + 2**-8, 1 + 3 * 2**-8, 65520, 1e38, 3.4028235e38, np.inf, -np.inf, np.nan])
    wanted = [1, 1 + 2**-6, 65536, np.float32(ml_dtypes.bfloat16(1e38)), np.inf, np.inf, -np.inf, np.nan]
    np.testing.assert_array_equal(round_brain(odd), np.float32(wanted))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", [(4, 3, 3, 2), (5, 1, 3, 3)], ids=["conv", "depthwise"])
def test_brain_weights_are_those_of_ml_dtypes(shape, dtype):
    array = (np.random.default_rng(0).standard_normal(shape) * 300).astype(dtype)
    array.reshape(-1)[:3] = np.nan, np.inf, -np.inf
    what = Weight("w", "w", shape, (0,), (1, 2, 3), "x", "")
    made, fast = quantize_weight(array, what, BF16.weights), fake_quantize(array, what, BF16.weights)
    wanted = array.astype(np.float32).astype(ml_dtypes.bfloat16)
    assert made.codes.dtype == wanted.dtype
    assert made.nbytes == 2 * array.size
    assert made.nonfinite == fast.nonfinite == 3
    for values in (made.dequantize(), fast.values):
        np.testing.assert_array_equal(values, wanted.astype(np.float32))


@pytest.mark.parametrize("form", [WeightFormat(8, brain=True), WeightFormat(32, floating=True, brain=True)])
def test_brain_is_a_float_of_sixteen_bits_only(form):
    array = np.ones((2, 2), np.float32)
    with pytest.raises(PlanError, match="BF16"):
        quantize_weight(array, Weight("w", "w", (2, 2), (0,), (1,), "x", ""), form)
