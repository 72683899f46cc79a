"""Thousands of kernels: what is drawn grows with the pixels, and what is asked about one kernel with nothing."""

from dataclasses import fields

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from engine.precision.scheme import INT4
from gui.plots import kernel_layers
from gui.plots.frame import Frame
from gui.plots.kernel_layers import PrecisionStrip
from gui.plots.kernels import KernelColumns
from gui.plots.panel import Panel
from gui.plots.shapes import boxes, fill_rects
from gui.theme import LIGHT
from gui.views.layers_card import kernel_card
from gui.views.layers_rows import known_shape, rows_of

WIDE = 400


def drawn(monkeypatch, families, painted=None):
    """Rectangles that the strip of these kernels is painted with."""
    found = []

    def filled(painter, rects, color):
        found.extend(rects)
        fill_rects(painter, rects, color)

    monkeypatch.setattr(kernel_layers, "fill_rects", filled)
    panel = Panel(None, None)
    box = panel.box
    strip = PrecisionStrip(box)
    strip.set(KernelColumns(tuple(map(str, range(len(families)))), families=tuple(families)))
    image = QImage(WIDE, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    strip.draw(painter, Frame(QRectF(0, 0, WIDE, 20), -0.5, len(families) - 0.5, 0, 1))
    painter.end()
    if painted is not None:
        painted.append(image)
    return found


def test_places_that_kernels_share_are_filled_once():
    across = np.round(np.linspace(0, 10, 5000))
    assert len(boxes(across, 2, 3, 3)) == 11


@pytest.mark.parametrize("count", [2000, 5000])
def test_the_strip_of_one_precision_is_one_rectangle(qapp, monkeypatch, count):
    assert drawn(monkeypatch, ["INT8"] * count) == [QRectF(0, 14, WIDE, 6)]


def test_a_strip_of_many_changes_takes_no_more_than_the_pixels(qapp, monkeypatch):
    assert len(drawn(monkeypatch, ["INT8", "INT4"] * 2500)) <= 2 * 2 * WIDE


def test_runs_have_their_places_and_colours(qapp, monkeypatch):
    painted = []
    drawn(monkeypatch, ["INT8"] * 500 + ["INT4"] * 500, painted)
    colors = [painted[0].pixelColor(x, 17) for x in (10, 190, 210, 390)]
    int8, int4 = LIGHT.precision("INT8").main, LIGHT.precision("INT4").main
    assert colors == [int8, int8, int4, int4]


def test_few_kernels_keep_the_gaps_between_them(qapp, monkeypatch):
    assert [box.width() for box in drawn(monkeypatch, ["INT8"] * 40)] == [9.0] * 40


def test_a_card_asks_about_its_own_kernel_only(session, monkeypatch):
    asked, supports = set(), session.supports

    def noted(kernel_id, scheme):
        asked.add(kernel_id)
        return supports(kernel_id, scheme)

    monkeypatch.setattr(session, "supports", noted)
    kernel = next(k for k in session.network.tunable if k.index > 20)
    kernel_card(session, kernel.index)
    assert asked == {kernel.id}


def test_the_row_of_one_kernel_is_that_of_the_table(session):
    session.set_scheme([k.id for k in session.network.tunable[::3]], INT4)
    shape = known_shape(session.network)
    table = rows_of(session, shape)
    for kernel in (0, 5, len(shape.ids) - 1):
        row = rows_of(session, shape, kernel=kernel)
        assert len(row) == 1
        for part in fields(row):
            one, all_ = getattr(row, part.name), getattr(table, part.name)
            if isinstance(all_, tuple):
                assert one == all_[kernel : kernel + 1], part.name
            elif isinstance(all_, np.ndarray):
                np.testing.assert_array_equal(one, all_[kernel : kernel + 1], part.name)


def test_views_share_what_depends_on_the_model_only(session):
    assert known_shape(session.network) is known_shape(session.network)
