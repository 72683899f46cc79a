import numpy as np
import pytest
from plot_hand import CTRL, SHIFT, PlotHand, settle, show
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from gui.bridge import hub
from gui.theme import DARK, LIGHT
from gui.views.timeline import TimelineView
from gui.views.timeline_colors import BOUNDS, bar_colors, bound_color
from gui.views.timeline_data import LANES, area_totals
from gui.views.timeline_ground import lane_at, lane_box, time_label

Key = Qt.Key


@pytest.fixture
def view(qtbot, session, theme):
    return show(qtbot, TimelineView, session, theme, 1118, 307)


@pytest.fixture
def hand(view):
    return PlotHand(view)


def middle(view, place):
    low, high = view.data.extent(place)
    return (low + high) / 2


def test_every_bar_of_the_simulation_has_its_lane(session, view):
    bars = session.figures.simulation.bars
    for lane in LANES:
        mine = [bar for bar in bars if bar.lane == lane]
        np.testing.assert_allclose(view.data.lanes[lane].start, [bar.start_us for bar in mine])
    assert len(view.table().rows) == len(bars)


def test_culling_finds_exactly_the_bars_in_sight(view):
    rng = np.random.default_rng(0)
    for lane in view.data.lanes.values():
        for low, high in np.sort(rng.uniform(-50, 1600, (20, 2)), axis=1):
            part = lane.visible(low, high)
            expected = np.flatnonzero((lane.end >= low) & (lane.start <= high))
            np.testing.assert_array_equal(np.arange(len(lane.start))[part], expected)


def test_only_bars_in_sight_are_painted(view):
    view.chart.grab()
    everything = view.bars.painted
    view.span.show(400, 480)
    settle(view)
    view.chart.grab()
    assert 0 < view.bars.painted < everything / 4


def test_a_click_selects_the_kernel_that_runs_there(session, view, hand):
    hand.click(middle(view, 4))
    assert session.current == session.network.kernels[4].id
    hand.click(middle(view, 7), keys=CTRL)
    assert session.selection == (session.network.kernels[4].id, session.network.kernels[7].id)
    hand.click(middle(view, 9), keys=SHIFT)
    assert len(session.selection) == 3


def test_keys_zoom_pan_focus_and_fit(session, view, hand):
    hand.click(middle(view, 20))
    hand.key(Key.Key_W)
    width = view.span.width
    assert width < view.data.total_us
    hand.key(Key.Key_S)
    assert view.span.width > width
    hand.key(Key.Key_W)
    hand.key(Key.Key_W)
    low = view.span.low
    hand.key(Key.Key_D)
    assert view.span.low > low
    hand.key(Key.Key_A)
    assert view.span.low == pytest.approx(low)
    hand.key(Key.Key_F)
    start, end = view.data.extent(20)
    assert view.span.low <= start
    assert view.span.high >= end
    assert view.span.width < 6 * (end - start) + 10
    hand.key(Key.Key_F)
    assert view.span.is_fit


def test_comma_and_full_stop_step_through_the_kernels(session, view, hand):
    hand.click(middle(view, 10))
    view.span.show(*view.data.extent(10))
    hand.key(Key.Key_Period)
    assert session.current == session.network.kernels[11].id
    start, end = view.data.extent(11)
    assert view.span.low <= start
    assert end <= view.span.high + 1e-6
    hand.key(Key.Key_Comma)
    hand.key(Key.Key_Comma)
    assert session.current == session.network.kernels[9].id


def test_the_wheel_zooms_with_control_and_pans_without(view, hand):
    place = middle(view, 6)
    pixel = hand.at(place)
    assert hand.wheel(place, 4, CTRL)
    assert abs((hand.at(place) - pixel).x()) <= 1
    low = view.span.low
    assert hand.wheel(place, -1)
    assert view.span.low > low


def test_a_drag_measures_an_area(session, view, hand):
    hand.drag(300, 500)
    low, high = view.marks.area
    assert (low, high) == pytest.approx((300, 500), abs=3)
    kernels = [c for c in session.figures.simulation.kernels if c.start_us < high and c.start_us + c.latency_us > low]
    totals = area_totals(view.data, low, high)
    assert totals.kernels == len(kernels)
    assert view.marks.area_label[0] == f"{len(kernels)} kernels"
    assert "DDR" in view.marks.area_label[2]
    hand.key(Key.Key_Escape)
    assert view.marks.area is None


def test_the_run_can_be_exported_for_perfetto(session, view, tmp_path):
    view.export_trace()
    (dialog,) = view.findChildren(QFileDialog)
    assert dialog.selectedFiles()[0].endswith(".trace.json")
    dialog.fileSelected.emit(str(tmp_path / "t.trace.json"))
    assert session.calls[-1] == ("export", "trace", tmp_path / "t.trace.json")
    dialog.reject()


def test_the_area_says_how_busy_its_units_are(session, view, hand):
    simulation = session.figures.simulation
    whole = area_totals(view.data, 0.0, simulation.latency_us).busy
    for lane, share in whole.items():
        us = sum(bar.duration_us for bar in simulation.bars if bar.lane == lane)
        assert share == pytest.approx(us / simulation.latency_us, abs=0.02)
    hand.drag(300, 500)
    busiest = max(area_totals(view.data, *view.marks.area).busy.items(), key=lambda entry: entry[1])
    assert view.marks.area_label[3].startswith(busiest[0])


def test_the_area_of_the_whole_run_has_all_its_traffic(session, view):
    costs = session.figures.simulation.kernels
    moving = {int(k) for lane in ("MTE2", "MTE3") for k in view.data.lanes[lane].kernel}
    read = sum(c.ddr_read_bytes for i, c in enumerate(costs) if i in set(view.data.lanes["MTE2"].kernel.tolist()))
    written = sum(c.ddr_write_bytes for i, c in enumerate(costs) if i in set(view.data.lanes["MTE3"].kernel.tolist()))
    assert moving
    assert area_totals(view.data, 0, 1e9).ddr_bytes == pytest.approx(read + written, rel=1e-9)


def test_the_overview_moves_the_window(view):
    view.span.show(400, 500)
    over = PlotHand(view, panel=view.whole)
    over.click(900)
    assert (view.span.low + view.span.high) / 2 == pytest.approx(900, abs=3)
    assert view.span.width == pytest.approx(100)
    over.drag(200, 350)
    assert (view.span.low, view.span.high) == pytest.approx((200, 350), abs=4)


def test_bars_have_the_colour_of_their_precision_or_bound(qtbot, session, view, hand):
    place = 4
    view.span.show(*view.data.extent(place))
    settle(view)
    row = lane_box(view.panel.box.rect(), LANES.index("MTE2"))
    bars = view.data.lanes["MTE2"]
    bar = int(np.flatnonzero(bars.kernel == place)[0])
    x = bars.start[bar] + 0.3 * (bars.end[bar] - bars.start[bar]) / bars.tiles[bar]
    y = view.panel.box.frame().data_y(row.center().y())
    assert hand.color(x, y) == LIGHT.precision(view.columns.families[place]).line
    view.header_widgets()[0].chosen.emit("bound")
    view.colors.set_current("bound")
    settle(view)
    assert view.caption.isVisible()
    y = view.panel.box.frame().data_y(lane_box(view.panel.box.rect(), LANES.index("MTE2")).center().y())
    bound = session.figures.simulation.kernels[place].bound
    assert hand.color(x, y) == bar_colors(LIGHT, bound, "bound").line


def test_bound_colours_can_be_told_from_the_ground():
    from gui.paint import contrast

    for theme in (LIGHT, DARK):
        for bound in BOUNDS:
            assert contrast(bound_color(theme, bound), theme.panel) >= 3, (theme.name, bound)


def test_the_card_tells_of_the_unit_under_the_pointer(qtbot, session, view, hand):
    place = 4
    view.span.show(*view.data.extent(place))
    settle(view)
    frame = view.panel.box.frame()
    y = frame.data_y(lane_box(frame.area, LANES.index("Vector")).center().y())
    content = hand.rest(qtbot, middle(view, place), y)
    cost = session.figures.simulation.kernels[place]
    assert content.title == f"#{place}  {session.network.kernels[place].name}"
    assert dict(content.rows)["Vector"].startswith(f"{cost.vector_us:.1f}\u202fµs of {cost.latency_us:.1f}")
    assert lane_at(frame.area, frame.area.top() + 2) is None


def test_hover_is_shared(session, view):
    hub.hover(session.network.kernels[8].id, "LayersView")
    hub.settle()
    assert view.marks.hovered == view.data.extent(8)
    hub.hover(None, "LayersView")
    assert view.marks.hovered is None


def test_time_labels_change_unit_with_the_step():
    assert time_label(300, 100) == "0.3\u202fms"
    assert time_label(1340, 20) == "1.34\u202fms"
    assert time_label(1342.5, 0.5) == "1342.5\u202fµs"


def test_the_state_is_kept(qtbot, session, view, theme):
    view.span.show(100, 300)
    view.colors.set_current("bound")
    state = view.save_state()
    other = show(qtbot, TimelineView, session, theme, 900, 300)
    other.restore_state(state)
    settle(other)
    assert (other.span.low, other.span.high, other.colors.current) == (100, 300, "bound")


def test_low_docks_leave_the_traffic_out(qtbot, session, theme):
    view = show(qtbot, TimelineView, session, theme, 452, 203)
    assert not view.chart.grab().isNull()
    from gui.views.timeline_ground import rate_box

    assert rate_box(view.panel.box.rect()) is None
