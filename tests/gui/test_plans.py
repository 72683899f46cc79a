"""The Plans and History docks, by keys and mouse."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolTip

from engine.precision.scheme import FP16, INT4, INT8
from engine.session.difference import transitions
from gui.theme import DARK, LIGHT
from gui.views.history import HistoryView
from gui.views.plans import PlansView
from gui.views.plans_ab import ERROR, LATENCY, SIZE
from gui.views.plans_list import WIDTHS

Key = Qt.Key


@pytest.fixture
def show(qtbot, session):
    made = []

    def make(kind, width=900, height=420):
        view = kind(session, LIGHT)
        qtbot.addWidget(view)
        view.resize(width, height)
        view.show()
        qtbot.waitExposed(view)
        settle(view)
        made.append(view)
        return view

    yield make
    for view in made:
        view.dispose()


def settle(view):
    for _ in range(3):
        QApplication.processEvents()
        view.refresh_now()
        if isinstance(view, PlansView):
            view.differences.refresh_now()


def cell(view, row, column):
    return view.model.data(view.model.index(row, column))


def choose(view, name):
    view.list.setFocus()
    view.list.choose(name)


def act(view, title):
    menu = view.menu()
    next(a for a in menu.actions() if a.text() == title).trigger()
    menu.deleteLater()
    settle(view)


def test_the_current_plan_is_kept_and_named_at_once(show, session):
    view = show(PlansView)
    assert cell(view, 0, 0) == "Current plan"
    view.add.click()
    assert [kept.name for kept in session.kept.plans] == ["INT4 tail"]
    editor = view.list.findChild(QLineEdit)
    assert editor.hasFocus()
    editor.selectAll()
    QTest.keyClicks(editor, "night set")
    QTest.keyClick(editor, Key.Key_Return)
    settle(view)
    assert [kept.name for kept in session.kept.plans] == ["night set"]
    assert session.kept.plans[0].plan == session.plan
    assert cell(view, 1, 2) == cell(view, 0, 2)  # the same figures side by side
    assert cell(view, 1, 3) == cell(view, 0, 3)


def test_a_name_that_is_taken_is_refused_with_a_sentence(show, session):
    session.keep_plan("one")
    session.keep_plan("two")
    view = show(PlansView)
    choose(view, "two")
    assert not view.model.setData(view.list.currentIndex(), "one")
    assert "named one already" in QToolTip.text()
    assert [kept.name for kept in session.kept.plans] == ["one", "two"]


def test_enter_applies_delete_deletes_and_the_menu_does_the_rest(show, session, tmp_path):
    session.keep_plan("tail")
    session.apply_preset("int8")
    view = show(PlansView)
    choose(view, "tail")
    QTest.keyClick(view.list, Key.Key_Return)
    assert session.plan == session.kept.find("tail").plan
    settle(view)
    assert view.model.rows[1].same
    act(view, "Duplicate")
    assert [kept.name for kept in session.kept.plans] == ["tail", "tail 2"]
    act(view, "Compare with (B)")
    assert session.kept.b_name == view.list.chosen == "tail"
    act(view, "Compare no more")
    assert session.kept.b is None
    session.export_kept = lambda name, path: path.write_text(name)
    view.export("tail", tmp_path / "tail.json")
    assert (tmp_path / "tail.json").read_text() == "tail"
    choose(view, "tail 2")
    QTest.keyClick(view.list, Key.Key_Delete)
    assert [kept.name for kept in session.kept.plans] == ["tail"]


def test_the_button_compares_with_the_chosen_plan_and_no_more(show, session, qtbot):
    session.keep_plan("tail")
    view = show(PlansView)
    assert not view.against.isEnabled()
    choose(view, "tail")
    settle(view)
    assert view.against.accessibleName() == "Compare with (B)"
    qtbot.mouseClick(view.against, Qt.MouseButton.LeftButton)
    assert session.kept.b_name == "tail"
    settle(view)
    assert view.below.isVisible()
    assert view.against.accessibleName() == "Compare no more"
    qtbot.mouseClick(view.against, Qt.MouseButton.LeftButton)
    assert session.kept.b is None


def test_a_against_b_agrees_with_the_plans(show, session, qtbot):
    session.apply_preset("int8")
    session.keep_plan("eight")
    kernels = session.network.tunable
    session.set_scheme([k.id for k in kernels[3:7]], FP16)
    session.set_scheme([kernels[9].id], INT4)
    session.kept.compare_with("eight")
    view = show(PlansView)
    table = view.differences
    assert table.kernels() == [k.id for k in (*kernels[3:7], kernels[9])]
    for row in table.model.rows:
        assert row.size_bytes.a == session.figures.size.per_kernel[row.kernel]
        assert row.accumulated_db.b == session.kept.b.evaluation.accumulated[row.kernel].sqnr_db
        good = {ERROR: row.accumulated_db.change > 0, SIZE: row.size_bytes.change < 0}
        for column, better in good.items():
            change = {ERROR: row.accumulated_db, SIZE: row.size_bytes}[column].change
            expected = LIGHT.text2 if change == 0 else LIGHT.good if better else LIGHT.bad
            assert table.delegate._color(row, column) == expected
        assert table.model.words(row, LATENCY)[0] in "+−0"
    pairs = transitions(session.network, session.plan, session.kept.b.plan)
    assert sum(pairs.values()) == len(kernels)
    matrix = view.matrix
    shown = {
        matrix.item(r, c).data(Qt.ItemDataRole.UserRole): matrix.item(r, c).text()
        for r in range(matrix.rowCount())
        for c in range(matrix.columnCount())
    }
    assert {pair: int(text) for pair, text in shown.items() if text != "·"} == pairs
    view._select_pair("FP16", "INT8")
    assert session.selection == tuple(k.id for k in kernels[3:7])


def test_figures_of_other_data_are_marked_and_measured_again_on_demand(show, session):
    session.keep_plan("old")
    old = session.kept.plans[0]
    from dataclasses import replace

    session.kept.plans = (replace(old, figures=replace(old.figures, data="other data")),)
    view = show(PlansView)
    assert cell(view, 1, 2).startswith("≈")
    assert "other data" in view.model.tip(view.model.rows[1], 2)
    act(view, "Measure again with the data in use")
    assert not cell(view, 1, 2).startswith("≈")


def test_it_fits_small_docks_and_both_themes(show, session):
    session.keep_plan("a plan with a name that is longer than there will ever be room for in a dock")
    session.apply_preset("int8")
    session.kept.compare_with(session.kept.plans[0].name)
    for width, height in ((300, 150), (452, 232), (1400, 300)):
        view = show(PlansView, width, height)
        assert view.list.columnWidth(0) >= 100
        view.apply_theme(DARK)
        assert not view.grab().isNull()
    session.close_model()
    settle(view)
    assert view._pages.currentWidget() is view.empty


def row_texts(view):
    return [view.list.item(i).text() for i in range(view.list.count())]


def test_history_lists_edits_by_name_and_goes_where_it_is_clicked(show, session, qtbot):
    view = show(HistoryView)
    start = session.previous_plan
    session.apply_preset("int8")
    int8 = session.plan
    session.apply_preset("int4")
    settle(view)
    assert row_texts(view)[0] == "As opened"
    assert row_texts(view)[-1] == "All INT4"
    assert view.list.count() == len(session.history) + 1
    target = view.list.item(view.list.count() - 2)
    qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=view.list.visualItemRect(target).center())
    assert session.plan == int8
    settle(view)
    view.list.setFocus()
    view.list.setCurrentRow(0)
    QTest.keyClick(view.list, Key.Key_Return)
    assert session.plan == start
    settle(view)
    assert not view.undo.isEnabled()
    view.redo.click()
    settle(view)
    assert session.history_place == 1
    session.set_scheme([session.network.tunable[0].id], INT8 if session.plan != int8 else FP16)
    settle(view)
    assert view.list.count() == len(session.history) + 1 == 3  # what was undone is gone


def test_history_is_empty_with_a_sentence(show, empty_session, qtbot):
    view = HistoryView(empty_session, LIGHT)
    qtbot.addWidget(view)
    assert view._pages.currentWidget() is view.empty
    view.dispose()


def test_a_long_history_only_adds_what_is_new(show, session):
    view = show(HistoryView)
    for number in range(60):
        session.set_scheme([session.network.tunable[0].id], (INT8, FP16, INT4)[number % 3])
    settle(view)
    first = view.list.item(5)
    session.set_scheme([session.network.tunable[1].id], INT4)
    settle(view)
    assert view.list.item(5) is first


def test_a_second_click_chooses_and_renames_nothing(show, session, qtbot):
    session.keep_plan("night set")
    view = show(PlansView)
    place = view.list.visualRect(view.model.index(1, 0)).center()
    qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.qWait(QApplication.doubleClickInterval() + 50)
    qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.qWait(QApplication.doubleClickInterval() + 50)
    assert view.list.chosen == "night set"
    assert view.list.findChild(QLineEdit) is None
    QTest.keyClick(view.list, Key.Key_F2)
    assert view.list.findChild(QLineEdit).hasFocus()


def test_a_column_of_plans_has_the_unit_of_its_largest_figure(show, session):
    session.keep_plan("one")
    view = show(PlansView)
    rows = list(view.model.rows)
    figures = replace(rows[0].figures, latency_us=2_340.0, size_bytes=3_500_000, peak_bytes=100_000, energy_uj=1_500.0)
    rows[0] = replace(rows[0], figures=figures)
    rows[1] = replace(rows[1], figures=replace(figures, latency_us=140.0, size_bytes=500_000, energy_uj=99.0))
    view.model.show(rows)

    def column(number):
        title = view.model.headerData(number, Qt.Orientation.Horizontal)
        return title, *(cell(view, row, number) for row in range(2))

    assert column(3) == ("Latency ms", "2.34", "0.14")
    assert column(4) == ("Size MiB", "3.34", "0.48")
    assert column(5) == ("Peak KiB", "97.7", "97.7")
    assert column(6) == ("Energy mJ", "1.50", "0.10")


def test_columns_that_come_back_in_a_wider_dock_have_room_for_their_titles(show, session):
    view = show(PlansView, width=300, height=300)
    header = view.list.horizontalHeader()
    assert any(header.isSectionHidden(column) for column in range(header.count()))
    header.setStyleSheet("QHeaderView::section { font-size: 24px; }")
    view.resize(1400, 300)
    settle(view)
    assert not any(header.isSectionHidden(column) for column in range(header.count()))
    assert all(header.sectionSize(column) >= header.sectionSizeHint(column) for column in WIDTHS)
