from dataclasses import replace
from pathlib import Path

import pytest
from fakes import FakeSession, running_job
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QMenu

from engine.fusion.types import Kind
from engine.precision.scheme import FP16, INT4, INT8, W4A8, family, label
from engine.session.changes import What
from engine.text import say
from gui import format as form
from gui.bridge import hub
from gui.fonts import font
from gui.i18n import set_language
from gui.theme import DARK, LIGHT, theme_manager
from gui.views import layers_delegate
from gui.views.layers import LayersView
from gui.views.layers_columns import BY_KEY, COLUMNS, COMPARED, fit, title
from gui.views.layers_delegate import PAD
from gui.views.layers_model import LayersModel
from gui.views.layers_rows import rows_of, shape_of
from gui.views.layers_tips import tip
from gui.views.words import bound_word

NO = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(session: FakeSession, qtbot):
    made = LayersView(session, LIGHT)
    qtbot.addWidget(made)
    made.resize(1114, 640)
    made.show()
    qtbot.waitExposed(made)
    made.refresh_now()
    yield made
    made.dispose()


def cell(view, kernel, key="name"):
    index = view.model.index(view.model.row_of(kernel), COLUMNS.index(BY_KEY[key]))
    view.table.scrollTo(index)
    return view.table.visualRect(index).center()


def click(qtbot, view, kernel, modifier=NO, key="name"):
    qtbot.mouseClick(view.table.viewport(), LEFT, modifier, cell(view, kernel, key))
    settle(view)


def settle(view):
    """What the event loop does once the user lets go."""
    QGuiApplication.processEvents()
    view.refresh_now()


def scheme(session, kernel):
    return session.plan.scheme(session.network.kernels[kernel].id)


def test_the_model_keeps_qts_rules(session, qtmodeltester):
    model = LayersModel()
    model.set_rows(rows_of(session, shape_of(session.network)))
    qtmodeltester.check(model)
    model.sort_by("latency", descending=True)
    qtmodeltester.check(model)


def test_one_click_on_a_segment_sets_that_kernel_only(view, session, qtbot):
    click(qtbot, view, 20)
    click(qtbot, view, 22, CTRL)
    cell(view, 22)
    assert session.selection == ("k20", "k22")
    before = scheme(session, 20)
    target = "FP16" if family(scheme(session, 22)) != "FP16" else "INT8"
    qtbot.mouseClick(view.table.viewport(), LEFT, NO, view.table.segment_rect(22, target).center())
    settle(view)
    assert family(scheme(session, 22)) == target
    assert scheme(session, 20) == before
    assert session.selection == ("k20", "k22")
    assert session.current == "k22"


def test_a_click_on_a_segment_of_another_row_selects_that_row(view, session, qtbot):
    click(qtbot, view, 20)
    cell(view, 24)
    qtbot.mouseClick(view.table.viewport(), LEFT, NO, view.table.segment_rect(24, "FP16").center())
    settle(view)
    assert scheme(session, 24) == FP16
    assert session.selection == ("k24",)


def test_the_segment_under_the_pointer_is_tinted(view, qtbot):
    cell(view, 50, "precision")
    box = view.table.segment_rect(50, "FP16")
    plain = view.table.viewport().grab(box).toImage()
    for at in (cell(view, 48, "name"), box.center()):
        qtbot.mouseMove(view.table.viewport(), at)
    qtbot.waitUntil(lambda: view.table._delegate.hovered == (50, "FP16"), timeout=1000)
    assert view.table.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    assert view.table.viewport().grab(box).toImage() != plain
    qtbot.mouseMove(view.table.viewport(), cell(view, 48, "name"))
    qtbot.waitUntil(lambda: view.table._delegate.hovered is None, timeout=1000)


def test_a_press_that_is_let_go_elsewhere_sets_nothing(view, session, qtbot):
    cell(view, 24)
    before = session.plan
    qtbot.mousePress(view.table.viewport(), LEFT, NO, view.table.segment_rect(24, "FP16").center())
    qtbot.mouseRelease(view.table.viewport(), LEFT, NO, view.table.segment_rect(24, "INT4").center())
    assert session.plan == before


def test_kernels_without_weights_have_no_segments(view, session, qtbot):
    index = next(k.index for k in session.network.kernels if not k.tunable)
    at = cell(view, index, "precision")
    assert view.table.segment_at(at) is None
    before = session.plan
    qtbot.mouseClick(view.table.viewport(), LEFT, NO, at)
    assert session.plan == before


@pytest.mark.parametrize(("key", "expected"), [("4", INT4), ("8", INT8), ("6", FP16)])
def test_keys_set_the_whole_selection_as_one_step(view, session, qtbot, key, expected):
    click(qtbot, view, 10)
    click(qtbot, view, 12, SHIFT)
    assert session.selection == ("k10", "k11", "k12")
    plan = session.plan
    qtbot.keyClick(view.table, key)
    settle(view)
    regular = [i for i in (10, 11, 12) if session.network.kernels[i].kind != "depthwise"]
    assert {scheme(session, i) for i in regular} == {expected}
    if session.plan != plan:
        session.undo()
    assert session.plan == plan


def test_a_key_right_after_an_arrow_applies_to_the_new_row(view, session, qtbot):
    click(qtbot, view, 10)
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    qtbot.keyClick(view.table, "6")
    settle(view)
    assert scheme(session, 11) == FP16
    assert session.selection == ("k11",)


def test_left_and_right_step_the_precision_and_stop_at_the_ends(view, session, qtbot):
    click(qtbot, view, 20)
    session.set_scheme(("k20",), INT8)
    settle(view)
    qtbot.keyClick(view.table, Qt.Key.Key_Right)
    assert scheme(session, 20) == FP16
    settle(view)
    qtbot.keyClick(view.table, Qt.Key.Key_Right)
    assert scheme(session, 20) == FP16
    for expected in (INT8, INT4, INT4):
        settle(view)
        qtbot.keyClick(view.table, Qt.Key.Key_Left)
        assert scheme(session, 20) == expected


def test_locked_kernels_are_left_alone(view, session, qtbot):
    click(qtbot, view, 20)
    qtbot.keyClick(view.table, "l")
    assert "k20" in session.locked
    before = scheme(session, 20)
    qtbot.keyClick(view.table, "6" if before != FP16 else "8")
    assert scheme(session, 20) == before
    settle(view)
    qtbot.keyClick(view.table, "l")
    assert not session.locked


def test_select_all_takes_what_the_filter_shows(view, session, qtbot):
    view.filter_bar.input.setFocus()
    qtbot.keyClicks(view.filter_bar.input, ".dw")
    qtbot.waitUntil(lambda: view.filter_bar.filter.text == ".dw", timeout=1000)
    shown = view.model.rowCount()
    assert 0 < shown < len(session.network.kernels)
    qtbot.keyClick(view.filter_bar.input, Qt.Key.Key_Return)
    qtbot.keyClick(view.table, "a", CTRL)
    settle(view)
    assert len(session.selection) == shown
    assert all(session.network.by_id(i).name.endswith(".dw") for i in session.selection)


def test_typing_waits_before_it_filters(view, session, qtbot):
    qtbot.keyClicks(view.filter_bar.input, "gemm")
    assert view.model.rowCount() == len(session.network.kernels)
    with qtbot.waitSignal(view.filter_bar.changed, timeout=1000):
        pass
    assert view.model.rowCount() == 1


def test_chips_filter_at_once_and_carry_counts(view, session, qtbot):
    chip = view.filter_bar.chips["INT4"]
    count = sum(family(s) == "INT4" for s in session.plan.values())
    qtbot.mouseClick(chip, LEFT)
    assert view.model.rowCount() == count
    qtbot.mouseClick(view.filter_bar.threshold, LEFT)
    assert 0 < view.model.rowCount() <= count
    qtbot.mouseClick(chip, LEFT)
    qtbot.mouseClick(view.filter_bar.threshold, LEFT)
    assert view.model.rowCount() == len(session.network.kernels)


def test_what_is_filtered_away_is_no_longer_selected(view, session, qtbot):
    session.select(("k36", "k37"), "k37")  # an expand in INT4 and a depthwise in INT8
    settle(view)
    plan = session.plan
    view.filter_bar.chips["INT8"].click()
    assert session.selection == ("k37",)
    view.filter_bar.chips["INT8"].click()
    view.filter_bar.chips["FP16"].click()
    assert session.selection == ()
    qtbot.keyClick(view.table, "4")
    assert session.plan == plan


def test_operator_kinds_can_be_chosen_from_a_menu(view, session):
    menu = view.filter_bar.ops_menu()
    entry = next(a for a in menu.actions() if a.text().startswith("Depthwise"))
    entry.trigger()
    assert {session.network.kernels[int(i)].kind for i in view.model.order} == {"depthwise"}
    assert view.filter_bar.ops.text() == "Depthwise"
    menu.deleteLater()


def test_a_header_click_sorts_and_a_second_one_turns_it_round(view, qtbot):
    header = view.table.horizontalHeader()
    section = COLUMNS.index(BY_KEY["latency"])
    at = QPoint(header.sectionViewportPosition(section) + 20, 12)
    qtbot.mouseClick(header.viewport(), LEFT, NO, at)
    values = view.model.rows.latency_us[view.model.order]
    assert (values[:-1] <= values[1:]).all()
    qtbot.mouseClick(header.viewport(), LEFT, NO, at)
    values = view.model.rows.latency_us[view.model.order]
    assert (values[:-1] >= values[1:]).all()


def test_rows_keep_their_place_while_a_job_runs(view, session, qtbot):
    view.model.sort_by("latency", descending=True)
    order = view.model.order.tolist()
    job = running_job(session, say("Evaluating"), 0.3)
    session.apply_preset("fp16")
    settle(view)
    assert view.model.order.tolist() == order
    job.state = "done"
    session.emit(What.JOBS)
    settle(view)
    assert view.model.order.tolist() != order
    values = view.model.rows.latency_us[view.model.order]
    assert (values[:-1] >= values[1:]).all()


def test_the_bulk_bar_takes_the_place_of_the_filter_bar(view, session, qtbot):
    height = view._bars.height()
    click(qtbot, view, 20)
    assert view.filter_bar.isVisible()
    click(qtbot, view, 23, SHIFT)
    assert view.bulk_bar.isVisible()
    assert not view.filter_bar.isVisible()
    assert view._bars.height() == height
    qtbot.mouseClick(view.bulk_bar.clear, LEFT)
    settle(view)
    assert session.selection == ()
    assert view.filter_bar.isVisible()


def test_the_bulk_switch_shows_nothing_for_a_mixed_selection_and_sets_all(view, session, qtbot):
    session.set_scheme(("k20",), INT8)
    session.set_scheme(("k21",), FP16)
    session.select(("k20", "k21"))
    settle(view)
    assert view.bulk_bar.switch.look.chosen is None
    switch = view.bulk_bar.switch
    qtbot.mouseClick(switch, LEFT, NO, QPoint(switch.width() - 12, switch.height() // 2))
    settle(view)
    assert {scheme(session, 20), scheme(session, 21)} == {FP16}
    assert switch.look.chosen == "FP16"


def test_a_foreign_selection_is_shown_and_scrolled_to_only_when_out_of_sight(view, session):
    session.select(("k3",), who="timeline")
    settle(view)
    assert view.table.selected_kernels() == [3]
    top = view.table.verticalScrollBar().value()
    session.select(("k5",), who="timeline")
    settle(view)
    assert view.table.verticalScrollBar().value() == top
    session.select(("k54",), who="timeline")
    settle(view)
    assert view.table.verticalScrollBar().value() > top
    assert view.table.current_kernel() == 54


def test_escape_clears_selection_then_filter_then_job(view, session, qtbot):
    view.filter_bar.chips["INT8"].click()
    session.select(("k2", "k3"))
    job = running_job(session, say("Evaluating"), 0.3)
    settle(view)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Escape)
    settle(view)
    assert session.selection == ()
    assert view.filter_bar.filter.active
    qtbot.keyClick(view.table, Qt.Key.Key_Escape)
    assert not view.filter_bar.filter.active
    assert not job.token.cancelled
    qtbot.keyClick(view.table, Qt.Key.Key_Escape)
    assert job.token.cancelled


def test_slash_leads_to_the_filter_and_enter_back(view, qtbot):
    view.activateWindow()
    view.table.setFocus()
    qtbot.waitUntil(view.table.hasFocus, timeout=1000)
    qtbot.keyClick(view.table, "/")
    assert view.filter_bar.input.hasFocus()
    qtbot.keyClick(view.filter_bar.input, Qt.Key.Key_Return)
    assert view.table.hasFocus()


def test_select_similar_goes_by_the_last_part_of_the_name(view, session):
    session.select(("k4",))
    settle(view)
    view.edits.select_similar("last")
    wanted = session.network.kernels[4].name.rsplit(".", 1)[1]
    assert all(session.network.by_id(i).name.endswith(wanted) for i in session.selection)
    assert len(session.selection) > 5


def test_an_advanced_scheme_keeps_its_name_in_the_switch(view, session):
    session.set_scheme(("k20",), W4A8)
    settle(view)
    assert view.model.rows.labels[20] == "W4A8"
    assert view.model.rows.families[20] == "INT4"


def test_copying_rows_gives_a_header_with_units_and_the_selected_rows(view, session, qtbot):
    click(qtbot, view, 20)
    click(qtbot, view, 21, SHIFT)
    view.table.setFocus()
    qtbot.waitUntil(view.table.hasFocus, timeout=1000)
    qtbot.keyClick(view.table, "c", CTRL)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:3] == ["#", "Layer", "Op"]
    assert "Weights (KiB)" in lines[0]
    assert [line.split("\t")[0] for line in lines[1:]] == ["20", "21"]


def test_csv_has_plain_numbers_for_all_rows_on_show(view, session, tmp_path: Path):
    view.filter_bar.chips["INT4"].click()
    view.copies.write_csv(tmp_path / "层.csv")
    lines = (tmp_path / "层.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == 1 + view.model.rowCount()
    head, first = lines[0].split(","), lines[1].split(",")
    kernel = int(first[0])
    weights = float(first[head.index("Weights (KiB)")])
    assert weights == pytest.approx(view.model.rows.weight_bytes[kernel] / 1024, rel=1e-5)
    assert float(first[head.index("Latency (µs)")]) == pytest.approx(view.model.rows.latency_us[kernel], rel=1e-5)


def test_columns_share_the_width_and_local_folds_first():
    shown = [c for c in COLUMNS if c.shown and c.key not in COMPARED]
    wide = fit(shown, 1114, {"name": 130, "op": 130}, {})
    assert sum(wide.values()) == 1114
    assert set(wide) == {c.key for c in shown}
    narrow = fit(shown, 975, {"name": 130, "op": 130}, {})
    assert set(wide) - set(narrow) == {"local"}
    assert sum(narrow.values()) == 975
    small = fit(shown, 490, {"name": 130, "op": 130}, {})
    assert {"index", "name", "precision", "accumulated"} == set(small)
    assert sum(small.values()) == 490
    assert set(fit(shown, 660, {"name": 130, "op": 130}, {})) == {*small, "op", "latency"}


def test_a_table_of_60_million_weights_shows_their_number_whole(session, qtbot):
    kernels = list(session.network.kernels)
    place = next(i for i, k in enumerate(kernels) if k.tunable)
    kernels[place] = replace(kernels[place], params=63_700_992)
    session.show(replace(session.network, kernels=tuple(kernels)))
    view = LayersView(session, LIGHT)
    qtbot.addWidget(view, before_close_func=lambda v: v.dispose())
    view.resize(980, 460)
    view.show()
    qtbot.waitExposed(view)
    view.refresh_now()
    words = form.kib_figure(2 * 63_700_992)
    wide = view.table.columnWidth(COLUMNS.index(BY_KEY["weights"]))
    assert QFontMetricsF(font(12)).horizontalAdvance(words) + PAD + 2 <= wide
    assert sum(view.table.columnWidth(i) for i in range(len(COLUMNS)) if not view.table.isColumnHidden(i)) <= 980


@pytest.mark.parametrize("words", ["en", "zh"])
def test_what_binds_a_kernel_is_read_whole(qtbot, session, words):
    set_language(words)
    bounds = ("Launch", "DDR weights", "DDR read", "DDR write", "Vector", "Cube", "MTE2", "-")
    needed = max(QFontMetricsF(font(12)).horizontalAdvance(bound_word(bound)) for bound in bounds)
    assert needed + 2 * PAD <= BY_KEY["bound"].least


def test_a_width_that_the_user_chose_stays(view):
    section = COLUMNS.index(BY_KEY["op"])
    view.table.horizontalHeader().resizeSection(section, 201)
    view.resize(1300, 640)
    QGuiApplication.processEvents()
    assert view.table.columnWidth(section) == 201
    state = view.save_state()
    view._reset_columns()
    assert view.table.columnWidth(section) != 201
    view.restore_state(state)
    assert view.table.columnWidth(section) == 201


def test_more_columns_come_from_the_menu_and_are_remembered(view):
    action = next(a for a in view.columns_menu().actions() if a.text() == "MACs")
    action.trigger()
    assert "macs" not in view.save_state()["hidden"]
    view.restore_state({"hidden": ["macs", "bound"], "sort": ["name", True], "rows": "roomy"})
    assert view.model.sort_key == "name"
    assert view.table.verticalHeader().defaultSectionSize() == 28
    assert "bound" not in [c.key for c in view.table.visible_columns()]


def test_odd_saved_states_are_ignored(view):
    view.restore_state({"hidden": 3, "widths": {"name": "x", "?": 3}, "order": ["?"], "sort": "up", "rows": 7})
    assert view.model.sort_key == "index"


def test_without_a_model_there_is_a_sentence(view, session):
    session.close_model()
    settle(view)
    assert view.empty.isVisible()
    assert view.subtitle() == ""


def test_hover_is_told_to_the_other_views_and_theirs_is_outlined_here(view, session, qtbot):
    at = cell(view, 50)
    qtbot.mouseMove(view.table.viewport(), at)
    qtbot.waitUntil(lambda: hub.hovered == "k50", timeout=1000)
    assert view.table.echo_row == -1
    hub.hover("k51", "timeline")
    hub.settle()
    assert view.table.echo_row == view.model.row_of(51)
    hub.hover(None, "timeline")
    assert view.table.echo_row == -1


def test_a_card_appears_where_the_pointer_rests_on_a_name_and_goes_when_it_moves(view, session, qtbot):
    at = cell(view, 50)
    for step in (QPoint(20, 0), QPoint(0, 0)):
        qtbot.mouseMove(view.table.viewport(), at + step)
    qtbot.waitUntil(view.card.isVisible, timeout=2000)
    assert "features.17.project" in view.card._content.title
    qtbot.mouseMove(view.table.viewport(), cell(view, 50, "latency"))
    qtbot.waitUntil(lambda: not view.card.isVisible(), timeout=1000)


def test_while_p_is_held_the_compared_plan_is_shown(view, session):
    now = view.model.rows.labels
    hub.set_peek(True)
    view.refresh_now()
    expected = tuple(label(session.previous_plan.scheme(k.id)) if k.tunable else "" for k in session.network.kernels)
    assert view.model.rows.labels == expected
    assert expected != now
    hub.set_peek(False)
    view.refresh_now()
    assert view.model.rows.labels == now


def test_wheel_scrolls_without_changing_the_plan(view, session):
    before, plan = view.table.verticalScrollBar().value(), session.plan
    at = QPointF(cell(view, 49, "precision"))
    top = view.table.verticalScrollBar().value()
    event = QWheelEvent(
        at, view.table.viewport().mapToGlobal(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, NO,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QGuiApplication.sendEvent(view.table.viewport(), event)
    assert view.table.verticalScrollBar().value() < max(top, before)
    assert session.plan == plan


def test_dark_colours_are_taken(view):
    theme_manager.set_mode("dark")
    view.apply_theme(DARK)
    image = view.table.viewport().grab().toImage()
    assert image.pixelColor(image.width() - 4, 3) == DARK.panel


def test_a_disposed_view_listens_no_more(session, qtbot):
    view = LayersView(session, LIGHT)
    qtbot.addWidget(view)
    count = session.listeners
    view.dispose()
    assert session.listeners == count - 1


@pytest.mark.parametrize("width", [1114, 700, 420, 260])
def test_nothing_of_the_bars_is_cut_off_at_any_width(view, session, width):
    view.resize(width, 400)
    QGuiApplication.processEvents()
    session.select(("k20", "k21"))
    settle(view)
    for bar in (view.bulk_bar, view.filter_bar):
        view._bars.setCurrentWidget(bar)
        QGuiApplication.processEvents()
        parts = [bar.layout().itemAt(i).widget() for i in range(bar.layout().count())]
        shown = [p for p in parts if p is not None and p.isVisible()]
        assert bar.width() == width
        assert all(p.geometry().right() <= width for p in shown)
        assert all(p.width() >= min(p.minimumSizeHint().width(), p.sizeHint().width()) - 1 for p in shown)


def test_moving_down_keeps_the_columns_where_they_are(view, session, qtbot):
    view.resize(420, 400)
    session.select(("k3",), "k3")
    settle(view)
    for _ in range(4):
        qtbot.keyClick(view.table, Qt.Key.Key_Down)
    assert view.table.horizontalScrollBar().value() == 0


def test_depthwise_kernels_say_why_presets_leave_them_at_int8_and_that_a_click_does_not(view, session, qtbot):
    session.apply_preset("int4")
    view.refresh_now()
    kernel = next(k for k in session.network.tunable if k.kind is Kind.DEPTHWISE)
    assert session.plan[kernel.id] == INT8
    words = tip(view.model.rows, kernel.index, "precision")
    assert "bulk edits take INT8" in words
    assert "takes INT4 all the same" in words
    session.set_scheme((kernel.id,), INT4)
    assert session.plan[kernel.id] == INT4
    plain = next(k for k in session.network.tunable if k.kind is Kind.CONV)
    assert "bulk edits" not in tip(view.model.rows, plain.index, "precision")


def test_with_a_plan_b_flags_and_the_difference_in_error_stay_in_sight():
    shown = [c for c in COLUMNS if c.shown]
    wishes = {"name": 130, "op": 130}
    kept = set(fit(shown, 975, wishes, {}))
    assert {"delta_error", "delta_latency", "flags", "accumulated", "latency"} <= kept
    assert not {"local", "weights", "bound"} & kept
    order = [next(iter(set(fit(shown, n, wishes, {})) - set(fit(shown, n - 1, wishes, {}))), "")
             for n in range(1300, 500, -1)]  # fmt: skip
    went = [key for key in order if key]
    assert went.index("flags") > went.index("delta_latency") > went.index("delta_weights") > went.index("bound")
    assert went.index("delta_error") > went.index("flags")


def test_titles_of_figures_are_whole_in_any_font(view, monkeypatch):
    """Fonts differ in width: a system without the usual ones must not cut "Weights"."""
    wide = QFontMetricsF(layers_delegate.font(15, 700))
    monkeypatch.setattr(layers_delegate, "QFontMetricsF", lambda _: wide)
    wishes = view.table._delegate.wishes(view.model.rows)
    shown = [column for column in COLUMNS if column.shown and not column.stretch and column.key != "index"]
    widths = fit(shown, 3000, wishes, {})
    for column in shown:
        assert widths[column.key] >= wide.horizontalAdvance(title(column.key)) + 10, column.key


def test_the_order_can_be_chosen_without_a_mouse(view):
    menu = view.columns_menu()
    order = menu.findChild(QMenu)
    latency = next(a for a in order.actions() if a.text().startswith("Latency"))
    assert not latency.isChecked()
    latency.trigger()
    assert (view.model.sort_key, view.model.descending) == ("latency", False)
    menu = view.columns_menu()
    order = menu.findChild(QMenu)
    now = next(a for a in order.actions() if a.isChecked())
    assert now.text() == "Latency\t↑"
    now.trigger()
    assert view.model.descending, "the same again turns it round"
