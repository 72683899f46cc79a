"""Thousands of kernels: what is drawn grows with the pixels, and what is asked about one kernel with nothing."""

from dataclasses import fields

import numpy as np
import pytest
from plot_hand import settle, show
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest

from engine.precision.scheme import INT4
from gui.plots import kernel_layers
from gui.plots.frame import Frame
from gui.plots.kernel_layers import PrecisionStrip, SelectionBand
from gui.plots.kernels import KernelColumns
from gui.plots.panel import Panel
from gui.plots.shapes import boxes, fill_rects, stretches, thin
from gui.theme import LIGHT
from gui.views import roofline_layers
from gui.views.layers_card import kernel_card
from gui.views.layers_rows import known_shape, rows_of
from gui.views.ranking import RankingView

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


def bands(monkeypatch, selected, across):
    """Rectangles that a selection is painted with, over kernels -0.5 to `across` - 0.5 on 400 px."""
    found = []
    monkeypatch.setattr(kernel_layers, "fill_rects", lambda painter, rects, color: found.extend(rects))
    panel = Panel(None, None)
    band = SelectionBand(panel.box)
    band.set(selected, None)
    band.draw(None, Frame(QRectF(0, 0, WIDE, 20), -0.5, across - 0.5, 0, 1))
    return found


def test_a_selection_of_all_is_one_rectangle(qapp, monkeypatch):
    (band,) = bands(monkeypatch, range(5000), 5000)
    assert (band.left(), band.right()) == (pytest.approx(0, abs=1.5), pytest.approx(WIDE, abs=1.5))


def test_kernels_apart_have_bands_of_their_own(qapp, monkeypatch):
    found = bands(monkeypatch, [3, 4, 5, 20], 40)
    assert [(band.left(), band.right()) for band in found] == [(30, 60), (200, 210)]


def test_what_touches_or_lies_over_each_other_is_one_stretch():
    left, right = np.array([6.0, 0.0, 2.0, 1.0, 9.0]), np.array([8.0, 5.0, 3.0, 2.0, 9.5])
    assert list(stretches(left, right)) == [(0, 5), (6, 8), (9, 9.5)]
    assert list(stretches(np.zeros(0), np.zeros(0))) == []


def test_markers_on_one_place_are_drawn_once_and_others_where_they_are():
    xs, ys, sizes = np.array([10.0, 10.01, 10.0, 50.0]), np.array([5.0, 5.0, 5.0, 7.0]), np.full(4, 6.0)
    assert roofline_layers._distinct(["INT8", "INT8", "INT4", "INT8"], xs, ys, sizes) == [
        ("INT8", 10, 5, 6), ("INT4", 10, 5, 6), ("INT8", 50, 7, 6),
    ]  # fmt: skip


def test_a_list_selects_rows_in_stretches(qtbot, session, theme):
    view = show(qtbot, RankingView, session, theme, 600, 300)
    ids = [k.id for k in session.network.tunable]
    session.select(ids, ids[3])
    settle(view)
    chosen = view.list.selectionModel().selection()
    assert (chosen.count(), chosen.at(0).height()) == (1, len(ids))
    apart = (view.kernels()[2], view.kernels()[7])
    session.select(apart, apart[0])
    settle(view)
    assert sorted(part.top() for part in view.list.selectionModel().selection()) == [2, 7]


def test_rows_selected_by_hand_are_the_sessions(qtbot, session, theme):
    view = show(qtbot, RankingView, session, theme, 600, 300)
    view.list.setFocus()
    QTest.keyClick(view.list, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert set(session.selection) == set(view.kernels())


@pytest.mark.parametrize("seed", range(4))
def test_a_dense_line_keeps_the_ends_and_extremes_of_each_pixel(seed):
    rng = np.random.default_rng(seed)
    xs = np.sort(rng.uniform(0, 90, 4000))
    ys = np.round(rng.normal(0, 3, 4000))  # equal extremes: the first one counts
    ys[rng.integers(0, 4000, 40)] = np.nan
    kept = dict(zip(*(values.tolist() for values in thin(xs, ys)), strict=True))
    expected = set()
    for pixel in range(90):
        places = np.flatnonzero(np.floor(xs) == pixel)
        if places.size:
            known = np.nan_to_num(ys[places], nan=0.0)
            expected |= {places[0], places[-1], places[known.argmin()], places[known.argmax()]}
    assert set(kept) == set(xs[sorted(expected)].tolist())


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
