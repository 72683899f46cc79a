"""Plots whose x axis is the kernel number: error profile, latency, memory."""

import numpy as np
import pytest
from plot_hand import CTRL, SHIFT, PlotHand, settle, show
from PySide6.QtCore import Qt

from engine.precision.scheme import FP16, INT8
from engine.session.changes import What
from engine.session.state import Budgets
from gui.bridge import hub
from gui.plots.kernel_layers import column
from gui.theme import DARK, LIGHT
from gui.views.error_profile import ErrorProfileView
from gui.views.latency import LatencyView
from gui.views.layers_card import card, kernel_card
from gui.views.layers_rows import rows_of, shape_of
from gui.views.memory import MemoryView

Key = Qt.Key


def ids(session, *indices):
    return tuple(session.network.kernels[i].id for i in indices)


@pytest.fixture
def view(qtbot, session, theme):
    return show(qtbot, ErrorProfileView, session, theme)


@pytest.fixture
def hand(view):
    return PlotHand(view)


def test_a_click_selects_the_kernel_everywhere(session, hand):
    hand.click(12)
    assert (session.selection, session.current) == (ids(session, 12), ids(session, 12)[0])


def test_control_adds_and_shift_extends(session, hand):
    hand.click(12)
    hand.click(15, keys=CTRL)
    assert session.selection == ids(session, 12, 15)
    hand.click(15, keys=CTRL)
    assert session.selection == ids(session, 12)
    hand.click(12)
    hand.click(9, keys=SHIFT)
    assert session.selection == ids(session, 9, 10, 11, 12)
    assert session.current == ids(session, 12)[0]


def test_a_drag_selects_a_stretch(session, hand):
    hand.drag(20, 24)
    assert session.selection == ids(session, 20, 21, 22, 23, 24)
    assert session.current == ids(session, 24)[0]


def test_arrow_keys_walk_and_home_and_end_jump(session, hand):
    hand.click(10)
    hand.key(Key.Key_Right)
    assert session.current == ids(session, 11)[0]
    hand.key(Key.Key_Left, SHIFT)
    assert set(session.selection) == set(ids(session, 10, 11))
    hand.key(Key.Key_End)
    assert session.current == session.network.kernels[-1].id
    hand.key(Key.Key_Home)
    assert session.current == ids(session, 0)[0]


def test_the_wheel_zooms_at_the_pointer_and_pans(session, view, hand):
    assert not hand.wheel(30, 1), "with everything in sight a plain wheel belongs to whatever scrolls around"
    pixel = hand.at(30)
    assert hand.wheel(30, 3, CTRL)
    assert not view.span.is_fit
    assert abs((hand.at(30) - pixel).x()) <= 1, "the kernel under the pointer stays there"
    low = view.span.low
    assert hand.wheel(30, -1)
    assert view.span.low > low
    hand.key(Key.Key_F)
    assert view.span.is_fit


def test_a_kernel_selected_elsewhere_comes_into_sight_only_when_it_is_outside(session, view, hand):
    view.span.show(20, 30)
    session.select(ids(session, 25), ids(session, 25)[0], who="LayersView")
    settle(view)
    assert view.span.low == 20
    session.select(ids(session, 50), ids(session, 50)[0], who="LayersView")
    settle(view)
    assert view.span.low <= 50 <= view.span.high


def test_the_strip_shows_each_kernels_precision(session, view, hand):
    bottom = view.panel.box.frame().y0
    colors = [LIGHT.precision(view.columns.families[i]).main for i in (0, 10, 36)]
    assert [hand.color(i, bottom, dy=-3) for i in (0, 10, 36)] == colors
    assert len({c.name() for c in colors}) == 3


def test_the_selection_band_is_where_the_kernel_is(session, view, hand):
    hand.click(20)
    top = view.panel.box.frame().y1
    inside, outside = hand.color(20, top, dy=4), hand.color(23, top, dy=4)
    assert outside == LIGHT.panel
    assert inside != outside
    assert inside.blue() > inside.red()


def test_the_card_gives_local_accumulated_and_previous_error(qtbot, session, view, hand):
    content = hand.rest(qtbot, 35)
    assert content.title == f"#35  {session.network.kernels[35].name}"
    rows = dict(content.rows)
    figures = session.figures.evaluation.accumulated[ids(session, 35)[0]].sqnr_db
    assert rows["accumulated"] == f"{figures:.1f}\u202fdB"
    assert {"previous plan", "local"} <= rows.keys()
    assert content.badge == ("INT4", "INT4")


def test_stale_errors_are_marked(session, view, hand):
    session.make_stale(34)
    settle(view)
    assert view.profile.stale_from == 34
    assert dict(view.describe(40).rows)["accumulated"].startswith("≈")
    assert not dict(view.describe(30).rows)["accumulated"].startswith("≈")
    top = view.panel.box.frame().y1
    hatched = view.chart.grab().toImage()
    row = hand.at(36, top).y() + 40
    colors = {hatched.pixelColor(x, row).name() for x in range(hand.at(36).x(), hand.at(54).x())}
    assert len(colors) > 1, "there are strokes on the ground"
    states = [row[-1] for row in view.table().rows]
    assert states[33:35] == ["", "stale"]


def test_the_required_value_moves_with_the_budget(session, view):
    assert view.required.label == "required 22.0\u202fdB"
    session.set_budgets(Budgets(min_sqnr_db=30.0))
    settle(view)
    assert (view.required.required, view.required.label) == (30.0, "required 30.0\u202fdB")
    session.set_budgets(Budgets(min_sqnr_db=None))
    settle(view)
    assert view.required.required is None


def test_an_edit_redraws_line_and_ghost(session, view):
    before = view.profile.accumulated.copy()
    session.set_scheme(ids(session, 36), INT8)
    settle(view)
    np.testing.assert_allclose(view.profile.previous, before)
    assert view.profile.accumulated[40] > before[40]


def test_holding_p_shows_the_previous_plan(session, view):
    now, before = view.profile.accumulated.copy(), view.profile.previous.copy()
    hub.set_peek(True)
    try:
        settle(view)
        np.testing.assert_allclose(view.profile.accumulated, before)
    finally:
        hub.set_peek(False)
    settle(view)
    np.testing.assert_allclose(view.profile.accumulated, now)


def test_hover_is_shared(session, view, hand):
    seen = []
    hub.hover_changed.connect(lambda kernel, who: seen.append((kernel, who)))
    hand.move(7)
    assert seen == []  # a pointer that only passes outlines nothing elsewhere
    hub.settle()
    assert seen == [(ids(session, 7)[0], "ErrorProfileView")]
    hub.hover(ids(session, 30)[0], "LayersView")
    hub.settle()
    assert view.hover.index == 30
    hub.hover(None, "LayersView")
    assert view.hover.index is None


def test_the_zoom_is_kept(session, view, qtbot, theme):
    view.span.show(10, 30)
    other = show(qtbot, ErrorProfileView, session, theme)
    other.restore_state(view.save_state())
    settle(other)
    assert (other.span.low, other.span.high) == (10, 30)
    other.restore_state({"span": "nonsense"})


def test_an_unevaluated_plan_says_so(qtbot, session, theme):
    session.local.clear()
    session.figures = type(session.figures)(session.plan)
    session.previous = None
    view = show(qtbot, ErrorProfileView, session, theme)
    assert view.empty.isVisible()


# -- latency -----------------------------------------------------------------------------------------------------------


def test_latency_bars_are_the_simulations(qtbot, session, theme):
    view = show(qtbot, LatencyView, session, theme)
    costs = session.figures.simulation.kernels
    np.testing.assert_allclose(view.bars.total, [c.latency_us for c in costs])
    assert view.subtitle() == "1.43\u202fms per run"
    assert [row[3] for row in view.table().rows] == [c.latency_us for c in costs]


def test_launch_is_pale_and_the_rest_is_not(qtbot, session, theme):
    view = show(qtbot, LatencyView, session, theme)
    hand = PlotHand(view)
    launch, total = view.bars.launch[5], view.bars.total[5]
    assert hand.color(5, launch * 0.75) == LIGHT.bar2
    assert hand.color(5, (launch + total) / 2) == LIGHT.bar


def test_one_slow_kernel_does_not_flatten_the_rest(qtbot, session, theme):
    view = show(qtbot, LatencyView, session, theme)
    assert view.bars.total.max() > view.panel.box.frame().y1, "the CPU kernel goes on above the plot"
    assert np.median(view.bars.total) > view.panel.box.frame().y1 / 20


def test_a_latency_card_has_the_change(qtbot, session, theme):
    view = show(qtbot, LatencyView, session, theme)
    changed = int(np.nanargmax(np.abs(view.bars.total - view.bars.previous)))
    rows = dict(PlotHand(view).rest(qtbot, changed).rows)
    assert ("−" in rows["before"]) or ("+" in rows["before"])
    assert rows["bound by"]


# -- memory ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def memory(qtbot, session, theme):
    return show(qtbot, MemoryView, session, theme, 380, 420)


def test_buffers_are_drawn_where_they_lie(session, memory):
    hand = PlotHand(memory)
    unit = memory.data.unit[0]
    big = max(memory.data.buffers, key=lambda b: b.nbytes)
    middle = (big.first + big.last) / 2, (big.offset + big.nbytes / 2) / unit
    assert memory.data.at(round(middle[0]), middle[1] * unit) is big
    assert hand.color(*middle) != LIGHT.panel
    frame = memory.panel.box.frame()
    assert hand.color(54, frame.y1 * 0.9) == LIGHT.panel


def test_what_is_alive_follows_the_current_kernel(session, memory):
    session.select(ids(session, 5), ids(session, 5)[0])
    settle(memory)
    alive = [b for b in session.figures.simulation.memory.buffers if b.first <= 5 <= b.last]
    assert len(memory.alive.rows) == len(alive)
    assert memory.alive.title == "Alive at #5"
    session.select((), None)
    session.current = None
    settle(memory)
    assert memory.alive.title.endswith("the peak")


def test_the_card_names_the_buffer_under_the_pointer(qtbot, session, memory):
    unit = memory.data.unit[0]
    big = max(memory.data.buffers, key=lambda b: b.nbytes)
    content = PlotHand(memory).rest(qtbot, big.first, (big.offset + big.nbytes / 2) / unit)
    rows = dict(content.rows)
    assert rows["alive"] == f"#{big.first} – #{big.last}"
    assert rows["address"] == f"0x{big.offset:X}"
    assert memory.outline.buffer is big


def test_the_memory_table_has_every_buffer(session, memory):
    assert [row[4] for row in memory.table().rows] == [b.nbytes for b in memory.data.buffers]


def test_without_a_model_nothing_is_left_of_the_old_one(session, memory):
    session.close_model()
    settle(memory)
    assert memory.empty.isVisible()


def test_the_column_of_a_kernel_is_never_thinner_than_three_pixels(memory):
    memory.span.set_limits(-0.5, 5000.5, 6)
    memory.span.fit()
    assert column(memory.panel.box.frame(), 2500).width() == 3


def test_a_session_change_of_no_concern_draws_nothing(session, memory):
    drawn = []
    memory.draw = lambda: drawn.append(1)
    session.emit(What.LOG)
    settle(memory)
    assert drawn == []


def test_kept_pictures_follow_data_and_theme(session, view, hand):
    bottom = view.panel.box.frame().y0
    assert hand.color(20, bottom, dy=-3) == LIGHT.int8.main
    session.set_scheme(ids(session, 20), FP16)
    settle(view)
    assert hand.color(20, bottom, dy=-3) == LIGHT.fp16.main
    view.apply_theme(DARK)
    settle(view)
    assert hand.color(20, bottom, dy=-3) == DARK.fp16.main


def test_a_kernel_has_the_same_card_in_every_plot(session):
    """What a view says of its own comes first; what all views say of a kernel is the same."""
    common = card(rows_of(session, shape_of(session.network)), 5)
    seen = kernel_card(session, 5, [("latency", "as the view has it"), ("launch", "1 µs")])
    assert (seen.title, seen.badge, seen.note) == (common.title, common.badge, common.note)
    assert seen.rows[:2] == [("latency", "as the view has it"), ("launch", "1 µs")]
    assert seen.rows[2:] == [row for row in common.rows if row[0] != "latency"]
    assert {"op", "shape", "local", "accumulated"} <= {label for label, _ in seen.rows}
