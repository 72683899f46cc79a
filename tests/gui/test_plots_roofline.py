from math import log10

import numpy as np
import pytest
from plot_hand import PlotHand, settle, show
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.theme import LIGHT
from gui.views.kernel_list import KernelListView
from gui.views.roofline import RooflineView
from gui.views.roofline_layers import clear_of_slope, label_heights
from gui.views.tensors import TensorsView

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def view(qtbot, session, theme):
    return show(qtbot, RooflineView, session, theme, 380, 420)


def test_points_are_macs_per_byte_and_operations_per_second(session, view):
    data = view.data
    for place in (0, 7, 30):
        kernel = session.network.kernels[int(data.kernels[place])]
        cost = session.figures.simulation.kernels[kernel.index]
        assert 10 ** data.intensity[place] == pytest.approx(kernel.macs / (cost.ddr_read_bytes + cost.ddr_write_bytes))
        assert 10 ** data.tops[place] == pytest.approx(2 * kernel.macs / (cost.latency_us * 1e-6) / 1e12)
    drawn = {session.network.kernels[int(k)].name for k in data.kernels}
    assert "postprocess.argmax" not in drawn, "a kernel on the CPU has no place under the NPU's roof"


def test_roofs_are_the_devices(session, view):
    chip = session.device.chip
    m, k, n = chip.cube["int8"]
    assert view.data.roofs[0].tops == pytest.approx(2 * m * k * n * chip.cores / chip.cycle_us / 1e6)
    ridge = view.data.ridge(view.data.roofs[0].tops)
    assert view.data.memory_roof(ridge) == pytest.approx(log10(view.data.roofs[0].tops))


def test_a_click_on_a_point_selects_its_kernel(session, view):
    hand = PlotHand(view)
    place = int(np.argmax(view.data.tops))
    hand.click(view.data.intensity[place], view.data.tops[place])
    assert session.current == view.columns.ids[int(view.data.kernels[place])]
    before = session.current
    hand.click(view.panel.box.frame().x0 + 0.05, view.panel.box.frame().y1 - 0.05)
    assert session.current == before, "a click far from all points selects nothing"


def test_the_card_says_how_far_below_the_roof(qtbot, view):
    place = int(np.argmax(view.data.tops))
    content = PlotHand(view).rest(qtbot, view.data.intensity[place], view.data.tops[place])
    rows = dict(content.rows)
    assert rows["reaches"].endswith("TOPS")
    assert rows["of the roof"].endswith("%")


def test_markers_have_the_colour_of_the_precision(view):
    place = int(np.argmax(view.data.tops))
    family = view.columns.families[int(view.data.kernels[place])]
    assert PlotHand(view).color(view.data.intensity[place], view.data.tops[place]) == LIGHT.precision(family).main


def test_arrows_walk_and_the_table_is_complete(session, view):
    hand = PlotHand(view)
    hand.key(Qt.Key.Key_Right)
    assert session.current in view.columns.ids
    assert len(view.table().rows) == len(view.data.kernels)


def test_tensors_are_listed_worst_first(qtbot, session, theme):
    view = show(qtbot, TensorsView, session, theme, 334, 500)
    assert isinstance(view, KernelListView)
    values = [row.sums.sqnr_db for row in view.model.rows]
    assert values == sorted(values)
    assert len(values) == len(session.figures.evaluation.accumulated)
    place = view.list.visualRect(view.model.index(1, 0)).center()
    QTest.mouseClick(view.list.viewport(), LEFT, NONE, place)
    assert session.current == view.model.rows[1].kernel


def test_stale_tensors_say_so(qtbot, session, theme, qtmodeltester):
    view = show(qtbot, TensorsView, session, theme, 334, 500)
    session.make_stale(30)
    settle(view)
    late = next(row for row in view.model.rows if row.index >= 30)
    early = next(row for row in view.model.rows if row.index < 30)
    assert view.model.sqnr(late).startswith("≈")
    assert not view.model.sqnr(early).startswith("≈")
    qtmodeltester.check(view.model)


def test_names_of_ceilings_keep_a_line_apart_however_small_the_plot():
    assert label_heights([100.0, 60.0, 20.0]) == [91.0, 51.0, 11.0]
    crowded = label_heights([58.0, 50.0, 54.0])
    assert crowded == [67.0, 41.0, 54.0]


def test_a_name_that_reaches_the_slope_goes_below_its_line_where_there_is_room():
    ceilings = [60.0, 20.0]
    assert clear_of_slope([51.0, 11.0], ceilings, [False, False]) == [51.0, 11.0]
    assert clear_of_slope([51.0, 11.0], ceilings, [True, False]) == [69.0, 11.0]
    assert clear_of_slope([51.0, 11.0], ceilings, [True, True]) == [69.0, 29.0]
    assert clear_of_slope([17.0, 4.0], [26.0, 13.0], [False, True]) == [17.0, 4.0], "another name stands there"


def test_names_of_roofs_keep_off_the_slope_in_a_narrow_panel(qtbot, session, theme):
    view = show(qtbot, RooflineView, session, theme, 300, 260)
    frame, roofs, data = view.panel.box.frame(), view.roofs, view.data
    heights = [frame.y(log10(roof.tops)) for roof in data.roofs]
    places = label_heights(heights)
    moved = clear_of_slope(places, heights, roofs._touching(frame, data, places))
    before, after = (sum(roofs._touching(frame, data, each)) for each in (places, moved))
    assert after <= before
