from math import inf

import numpy as np
import pytest
from scipy import stats

from engine.errors import Cancelled
from engine.numerics.comparison import compare, thinned
from engine.progress import CancelToken


def tensors(shape, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=shape).astype(np.float32)
    return a, a + rng.normal(scale=0.01, size=shape).astype(np.float32)


def test_channels_of_an_image_are_maps():
    a, b = tensors((1, 5, 4, 6))
    found = compare(a, b)
    assert (found.layout, found.channels) == ("maps", 5)
    expected = [np.linalg.norm(b[0, c] - a[0, c]) / np.linalg.norm(a[0, c]) for c in range(5)]
    np.testing.assert_allclose(found.relative_l2, expected, rtol=1e-5)
    assert found.worst == int(np.argmax(expected))
    left, right = found.pictures(3)
    np.testing.assert_array_equal(left, a[0, 3])
    np.testing.assert_array_equal(right, b[0, 3])
    np.testing.assert_allclose(found.spread, np.ptp(a[0], axis=(1, 2)), rtol=1e-6)
    assert found.max_abs == pytest.approx(np.abs(b - a).max(), rel=1e-5)


def test_tokens_are_a_matrix_of_channels():
    a, b = tensors((2, 7, 3))
    found = compare(a, b, channel_axis=-1)
    assert (found.layout, found.channels) == ("matrix", 3)
    flat_a, flat_b = a.reshape(-1, 3), b.reshape(-1, 3)
    np.testing.assert_allclose(
        found.relative_l2, np.linalg.norm(flat_b - flat_a, axis=0) / np.linalg.norm(flat_a, axis=0), rtol=1e-5
    )
    np.testing.assert_array_equal(found.pictures(0)[0], flat_a)
    np.testing.assert_array_equal(found.values(1)[1], flat_b[:, 1])


@pytest.mark.parametrize("shape", [(), (4,), (1, 4), (1, 4, 9), (1, 2, 3, 4, 5)])
def test_any_rank_is_taken(shape):
    a, b = tensors(shape)
    found = compare(a, b, channel_axis=min(1, max(0, len(shape) - 1)))
    left, right = found.pictures(found.worst)
    assert left.ndim == right.ndim == 2
    each = a.size // found.channels
    assert len(found.values(found.worst)[0]) == (each if each >= 8 else a.size)


def test_statistics_agree_with_scipy_and_leave_out_what_is_not_finite():
    a, b = tensors((1, 3, 8, 8))
    a[0, 0, 0, 0] = 0
    b[0, 1, 2, 3], b[0, 1, 2, 4] = np.nan, np.inf
    found = compare(a, b)
    described = stats.describe(b[np.isfinite(b)].astype(np.float64))
    got = found.of_result
    assert (got.low, got.high) == pytest.approx(described.minmax)
    assert got.mean == pytest.approx(described.mean)
    assert got.std**2 == pytest.approx(described.variance * (described.nobs - 1) / described.nobs)
    assert got.nonfinite == 2
    assert found.of_reference.zeros == pytest.approx(1 / a.size)
    assert found.relative_l2[1] == inf
    assert found.worst == 1


def test_histograms_share_their_bins_and_count_levels():
    rng = np.random.default_rng(1)
    a = rng.uniform(0, 1, (1, 1, 32, 32)).astype(np.float32)
    b = np.round(a * 15) / 15
    found = compare(a, b).histogram(0, bins=20)
    assert found.reference.sum() == found.result.sum() == a.size
    assert found.levels == 16
    np.testing.assert_array_equal(found.reference, np.histogram(a, found.edges)[0])


def test_a_constant_channel_has_a_histogram():
    a = np.full((1, 1, 2, 2), 3.0, np.float32)
    found = compare(a, a)
    assert found.histogram(0).reference.sum() == 4
    assert found.relative_l2[0] == 0


def test_thinning_keeps_the_largest_value_of_a_block():
    matrix = np.zeros((3, 4000), np.float32)
    matrix[1, 1234] = -9
    small = thinned(matrix)
    assert small.shape[1] <= 1024
    assert small.min() == -9


def test_it_can_be_cancelled():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        compare(*tensors((1, 2, 3, 3)), cancel=token)


def test_a_silent_channel_is_not_the_worst():
    a, b = tensors((1, 4, 8, 8))
    a[0, 2], b[0, 2] = 0, 1e-5
    b[0, 1] += 0.5
    found = compare(a, b)
    assert found.worst == 1
    assert 0 < found.relative_l2[2] < 0.01


def test_single_values_are_held_against_the_level_of_the_tensor():
    a = np.array([[1.0, 1e-6, -1.0]], np.float32)
    b = np.array([[1.1, 2e-6, -1.0]], np.float32)
    found = compare(a, b, channel_axis=-1)
    assert found.worst == 0
    assert found.relative_l2[0] == pytest.approx(0.1 / np.sqrt(2 / 3), rel=1e-3)
    assert len(found.values(0)[0]) == 3


@pytest.mark.parametrize("shape", [(7, 1300), (1300, 7), (1250, 1250), (1, 5000), (601, 1201)])
def test_each_block_of_a_thinned_matrix_gives_its_value_of_the_largest_size(shape):
    matrix = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    matrix[0, -1], matrix[-1, 0] = np.inf, np.nan
    found = thinned(matrix, 100)
    rows, columns = (-(-length // 100) for length in shape)
    for r in range(found.shape[0]):
        for c in range(0, found.shape[1], 17):
            block = matrix[r * rows : (r + 1) * rows, c * columns : (c + 1) * columns]
            np.testing.assert_equal(abs(found[r, c]), np.abs(block).max())
            assert np.isnan(found[r, c]) or found[r, c] in block
