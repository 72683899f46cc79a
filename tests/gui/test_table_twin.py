"""Every plot can stand there as a table of the same figures, reached and left by the key T alone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.i18n import set_language
from gui.layouts import LAYOUTS
from gui.plots.chart import Chart
from gui.plots.columns import figure, title
from gui.plots.table import Table
from gui.plots.twin import TableTwin, TwinModel
from gui.settings import Settings
from gui.views.blocks_matrix import BlockMatrix
from gui.views.graph_canvas import GraphCanvas
from gui.window import Window

PLOTS = (Chart, BlockMatrix, GraphCanvas)
Key = Qt.Key


@pytest.fixture
def window(qtbot, session, tmp_path):
    (tmp_path / "l.txt").write_text("\n".join(str(1000 + i % 17) for i in range(200)))
    session.measurements.open_latencies(tmp_path / "l.txt")
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    made.set_session(session)
    qtbot.waitUntil(lambda: made.host.settled, timeout=60_000)
    made.activateWindow()
    return made


def press(key, modifiers=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(QApplication.focusWidget(), key, modifiers)
    QApplication.processEvents()


def first_rows(twin):
    rows, columns = range(min(5, twin.rows.rowCount())), range(twin.rows.columnCount())
    return [[twin.rows.index(r, c).data() for c in columns] for r in rows]


def test_t_changes_every_plot_into_a_table_with_its_figures_and_back(window, qtbot):
    seen = set()
    for layout in LAYOUTS:
        window.show_layout(layout)
        qtbot.waitUntil(lambda: window.host.settled, timeout=60_000)
        for name, dock in window.host.docks.items():
            if name in seen or not window.host.placed(name) or name == "compare":
                continue
            view = window.reveal(name)
            view.refresh_now()
            QApplication.processEvents()
            plots = [plot for kind in PLOTS for plot in view.findChildren(kind) if plot.isVisible()]
            if not plots or not view.table().rows:
                continue
            seen.add(name)
            plots[0].setFocus(Qt.FocusReason.TabFocusReason)
            press(Key.Key_T)
            assert isinstance(QApplication.focusWidget(), TableTwin), name
            table, twin = view.table(), view.twin
            assert [twin.rows.headerData(i, Qt.Orientation.Horizontal) for i in range(len(table.header))] == [
                title(column) for column in table.header
            ]
            assert twin.rows.rowCount() == len(table.rows) > 0
            assert first_rows(twin)[0] == [figure(c, v) for c, v in zip(table.header, table.rows[0], strict=True)]
            assert not any(plot.isVisible() for plot in plots)
            press(Key.Key_T)
            assert view.twin is twin
            assert QApplication.focusWidget() in plots, name
            assert not twin.isVisible()
            assert dock.isVisible()
    assert seen >= {"error", "latency", "timeline", "roofline", "memory", "thermal", "sensitivity", "jitter", "blocks",
                    "graph"}  # fmt: skip


def test_columns_of_all_tables_have_titles_in_words_in_both_languages(window, qtbot):
    names = set()
    for name in ("error", "latency", "timeline", "memory", "thermal", "sensitivity", "jitter", "coldstart"):
        view = window.reveal(name)
        view.refresh_now()
        names |= set(view.table().header)
    assert len(names) > 25
    for language in ("en", "zh"):
        set_language(language)
        assert [n for n in names if "_" in title(n)] == []
    assert title("latency_us") == "时延, µs"


def test_each_part_of_compare_has_its_table(window, qtbot, session):
    session.select(("k3",), "k3")
    window.show_layout("compare")
    view = window.reveal("compare")
    qtbot.waitUntil(lambda: view.found is not None, timeout=60_000)
    view.refresh_now()
    for chart, key in view.page.charts():
        if not chart.isVisible():
            continue
        section = view.page.sections[key]
        chart.setFocus(Qt.FocusReason.TabFocusReason)
        press(Key.Key_T)
        assert section.as_table, key
        assert QApplication.focusWidget() is section.twin
        assert len(section.table().rows) == section.twin.rows.rowCount() > 0
        before = first_rows(section.twin)
        view.choose(view.channel + 1 if view.channel + 1 < view.found.channels else 0)
        if key == "histogram":
            assert first_rows(section.twin) != before, "it follows the channel"
        press(Key.Key_T)
        assert not section.as_table
        assert QApplication.focusWidget() is not section.twin
        assert section.isAncestorOf(QApplication.focusWidget())


def test_rows_choose_kernels_and_follow_them(window, session):
    view = window.reveal("error")
    view.show_as_table(True)
    view.take_keys()
    session.select(("k5",), "k5")
    view.refresh_now()
    assert view.twin.currentIndex().row() == 5
    press(Key.Key_Down)
    assert session.current == "k6"
    assert session.selection == ("k6",)


def test_figures_follow_an_edit_and_rows_keep_their_place(window, session, qtbot):
    view = window.reveal("error")
    view.show_as_table(True)
    view.take_keys()
    view.twin.setCurrentIndex(view.twin.rows.index(7, 0))
    place = view.table().header.index("scheme")
    other = "int4" if "INT8" in view.twin.rows.index(7, place).data() else "int8"
    window.actions_.set_scheme(other)
    view.refresh_now()
    assert view.twin.rows.index(7, place).data() == other.upper()
    assert view.twin.currentIndex().row() == 7


def test_selected_rows_are_copied_with_their_titles(window):
    view = window.reveal("latency")
    view.show_as_table(True)
    view.take_keys()
    press(Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 3
    assert lines[0].split("\t") == list(view.table().header)


def test_a_table_is_found_again(window, session):
    window.reveal("error").show_as_table(True)
    states = window.host.save_states()
    window.view("error").show_as_table(False)
    window.host.restore_states(states)
    assert window.view("error").as_table
    assert "table" not in states["latency" if "latency" in states else "summary"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("latency_us", 12.345, "12.3"),
        ("accumulated_sqnr_db", None, "–"),
        ("accumulated_sqnr_db", 95.0, ">\u202f90"),
        ("bytes", 2048, "2.0"),
        ("relative_l2", 0.5, "50"),
        ("state", "stale", "stale"),
        ("index", 3, "3"),
        ("a", float("nan"), "NaN"),
    ],
)
def test_figures_are_written_as_in_plots(qapp, name, value, words):
    assert figure(name, value) == words


def test_titles_stand_on_the_side_of_what_is_below_them():
    twin = TwinModel()
    twin.show(Table(("kernel", "latency_us", "note"), [(None, 1.5, "slow"), ("conv", 2.5, "")]))
    sides = [twin.headerData(i, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole) for i in range(3)]
    left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
    assert [bool(side & left) for side in sides] == [True, False, True]
    assert [bool(side & right) for side in sides] == [False, True, False]


def test_names_of_the_model_are_no_words_of_ours():
    set_language("zh")
    twin = TwinModel()
    words = {"slow": "慢"}
    twin.show(Table(("lane", "kernel", "tensor", "note"), [("Kernel", "Kernel", "front", "slow")] * 2, words))
    assert [twin.data(twin.index(0, column)) for column in range(4)] == ["算子", "Kernel", "front", "慢"]
    twin.show(Table(("kernel",), [("slow",)], words))
    assert twin.data(twin.index(0, 0)) == "slow"
