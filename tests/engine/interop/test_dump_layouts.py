"""Device layouts of dumps come back to logical order; what can't be known is not guessed."""

from __future__ import annotations

import numpy as np
import pytest
from dump_layouts import counting, fractal_nz, fractal_z, fractal_z_of_groups, nc1hwc0
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.interop.layouts import to_logical


@given(
    st.tuples(*[st.integers(1, 40) if i == 1 else st.integers(1, 4) for i in range(4)]), st.sampled_from([4, 16, 32])
)
def test_feature_maps_come_back(shape, c0):
    x = counting(shape)
    np.testing.assert_array_equal(to_logical(nc1hwc0(x, c0), "NC1HWC0", shape), x)


@settings(max_examples=30)
@given(st.integers(0, 2), st.integers(1, 40), st.integers(1, 40), st.sampled_from([16, 32]))
def test_matrices_come_back(batches, h, w, c0):
    x = counting((*(2, 3)[:batches], h, w))
    np.testing.assert_array_equal(to_logical(fractal_nz(x, c0), "FRACTAL_NZ", x.shape), x)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (16, 16, 3, 3), (17, 5, 1, 2), (40, 33, 2, 1)])
def test_convolution_weights_come_back(shape):
    x = counting(shape)
    np.testing.assert_array_equal(to_logical(fractal_z(x, 16), "FRACTAL_Z", shape), x)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(1, 5), st.integers(1, 5), st.sampled_from([16, 32]), st.integers(1, 2))
def test_weights_of_grouped_convolutions_come_back(groups, each, c, c0, depth):
    x = 1 + counting((groups * each, c, depth, 2, 1))
    stored = fractal_z_of_groups(x, c0, groups)
    np.testing.assert_array_equal(to_logical(stored, "FRACTAL_Z_3D", x.shape, groups), x)
    if depth == 1:
        np.testing.assert_array_equal(to_logical(stored, "FRACTAL_Z", x[:, :, 0].shape, groups), x[:, :, 0])


def test_groups_that_a_header_does_not_give_are_told_by_the_padding_or_not_at_all():
    depthwise = 1 + counting((64, 1, 1, 3, 3))
    found = to_logical(fractal_z_of_groups(depthwise, 16, 64), "FRACTAL_Z", (64, 1, 3, 3))
    np.testing.assert_array_equal(found, depthwise[:, :, 0])
    assert to_logical(fractal_z_of_groups(depthwise, 16, 64), "FRACTAL_Z", (64, 1, 3, 3), groups=7) is None
    assert to_logical(np.zeros((9, 4, 16, 16)), "FRACTAL_Z", (1 << 40, 1, 3, 3)) is None


def test_weights_of_a_small_first_layer_come_back():
    x = 1 + counting((20, 3, 3, 3))
    wide = np.zeros((32, 3, 3, 4), np.float32)
    wide[:20, :, :, :3] = x.transpose(0, 2, 3, 1)
    flat = np.zeros((32, 48), np.float32)
    flat[:, :36] = wide.reshape(32, 36)
    stored = flat.reshape(2, 16, 3, 16).transpose(2, 0, 1, 3)
    np.testing.assert_array_equal(to_logical(stored, "FRACTAL_Z_C04", x.shape), x)


@given(st.integers(1, 3), st.integers(1, 40), st.integers(1, 3), st.sampled_from([16, 32]))
def test_volumes_come_back(n, c, depth, c0):
    x = 1 + counting((n, c, depth, 2, 3))
    slices = np.stack([nc1hwc0(x[:, :, d], c0) for d in range(depth)], axis=1)
    np.testing.assert_array_equal(to_logical(slices, "NDC1HWC0", x.shape), x)


@pytest.mark.parametrize("layout", ["NC1HWC0", "FRACTAL_NZ", "FRACTAL_Z", "NCHW"])
def test_a_shape_that_does_not_fit_the_layout_is_not_guessed(layout):
    assert to_logical(counting((2, 1, 4, 4, 16)), layout, (2, 40, 4, 4)) is None


# raw dumps, written with Google's protobuf library from the published field numbers
