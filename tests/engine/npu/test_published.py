"""Latencies against published ones of real chips: inside the stated band, and far better than a roofline."""

from __future__ import annotations

import pytest
from published import mape, published

from engine.npu import load_device

CONVOLUTIONAL = ("vgg16", "mobilenetv1", "googlenet", "resnet18", "resnet101", "resnet152", "vgg19", "alexnet")


@pytest.fixture(scope="module")
def rows():
    return published(load_device("ascend310b1"))


def test_310b1_is_inside_its_stated_band_on_average(rows):
    assert len(rows) == 12
    assert mape(rows) < load_device("ascend310b1").number("band.convolution")


def test_310b1_beats_the_naive_roofline_twice(rows):
    assert mape(rows) < mape(rows, naive=True) / 2


def test_310b1_has_no_row_off_by_a_third(rows):
    assert max(abs(row.error) for row in rows) < 1 / 3


def test_order_of_the_networks_is_right(rows):
    for batch in (1, 4, 16):
        some = [row for row in rows if row.batch == batch]
        by_model = sorted(some, key=lambda row: row.ours_us)
        assert by_model == sorted(some, key=lambda row: row.measured_us)
