"""Flat ends: what clips is told from the values alone, and rounding is never taken for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.numerics.comparison import Levels, compare
from engine.numerics.saturation import flat_ends, known_ends


def values(seed, count=4000):
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


@settings(max_examples=30)
@given(st.integers(0, 1000), st.integers(2, 8), st.floats(0.3, 2.0))
def test_a_clip_is_found_at_both_ends_with_its_share(seed, bits, top):
    a = values(seed)
    step = 2 * top / (2**bits - 1)
    b = np.clip(np.rint(a / step), -(2 ** (bits - 1)), 2 ** (bits - 1) - 1) * step
    found = flat_ends(a, b)
    low, high = (-(2 ** (bits - 1)) - 0.5) * step, (2 ** (bits - 1) - 0.5) * step
    assert found.low == pytest.approx(low, rel=1e-5)
    assert found.high == pytest.approx(high, rel=1e-5)
    assert found.share == pytest.approx(float(((a < low) | (a > high)).mean()), abs=2 / len(a))


@pytest.mark.parametrize(
    "b",
    [
        lambda a: a,
        lambda a: a.astype(np.float16).astype(np.float32),
        lambda a: np.rint(a / 0.05) * 0.05,  # rounded and never clipped
        lambda a: a + values(9) * 0.1,
        lambda a: np.zeros_like(a),
    ],
)
def test_what_does_not_clip_has_no_flat_end(b):
    a = values(3)
    assert flat_ends(a, b(a)) is None


def test_one_end_alone_and_a_relu_that_both_have():
    a = np.maximum(values(1), 0)
    found = flat_ends(a, np.minimum(np.rint(a / 0.1) * 0.1, 1.0))
    assert found.low == -np.inf
    assert found.high == pytest.approx(1.05)
    assert flat_ends(np.minimum(a, 1), np.minimum(a, 1)) is None  # both end flat: nothing is lost


def test_nan_and_nothing():
    a = np.array([np.nan, 1, 2, 3], np.float32)
    assert flat_ends(a, a) is None
    assert flat_ends(a[:0], a[:0]) is None
    assert known_ends(a[:0], Levels(1, 0, 1, 2)).share == 0
    assert known_ends(a, Levels(1.0, 0.0, 2.0, 3)).share == 0.25


def test_channels_that_die_are_told_from_those_that_were_dead():
    a = np.random.default_rng(0).standard_normal((2, 4, 5, 5)).astype(np.float32)
    a[:, 1] = 0
    b = a.copy()
    b[:, 2] = 7
    found = compare(a, b)
    assert (found.dead_channels, found.still) == ((2,), (1, 2))
    single = compare(a[:1, :, 0, 0], b[:1, :, 0, 0])  # one value a channel: nothing can move
    assert (single.dead_channels, single.still) == ((), (0, 0))
