"""Keys go where the user looks: Esc to the field in use before the window, other keys to a layout's main dock."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.layouts import LAYOUTS, MAIN
from gui.settings import Settings
from gui.views.sweep_controls import FilterInput
from gui.window import Window

Key = Qt.Key


@pytest.fixture
def window(session, qtbot, tmp_path):
    made = Window(Settings(tmp_path / "settings.ini"), confirm=False)
    qtbot.addWidget(made)
    made.show()
    made.set_session(session)
    made.activateWindow()
    qtbot.waitUntil(lambda: made.host.settled)
    yield made
    made.close()


def shown(window, qtbot, layout):
    window.show_layout(layout)
    qtbot.waitUntil(lambda: window.host.settled)
    return window.view(MAIN[layout])


def focus_inside(widget):
    focus = QApplication.focusWidget()
    return focus is not None and (focus is widget or widget.isAncestorOf(focus))


@pytest.mark.parametrize("key", range(1, 6))
def test_the_main_dock_of_a_layout_gets_the_keys(window, qtbot, key):
    start = shown(window, qtbot, "tune" if key != 1 else "graph")
    start.setFocus()
    QTest.keyClick(QApplication.focusWidget(), Key(Key.Key_0 + key), Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.host.settled)
    name = LAYOUTS[key - 1]
    assert window.layout_name == name
    assert focus_inside(window.view(MAIN[name]))


def test_the_table_has_the_keys_when_a_model_is_opened_from_the_start_page(window, qtbot, session):
    network = session.network
    session.close_model()
    qtbot.waitUntil(window.start.isVisible)
    window.start.setFocus()
    session.show(network)
    qtbot.waitUntil(lambda: window.host.settled)
    assert focus_inside(window.view("layers"))


def test_the_first_model_of_a_window_gives_the_table_the_keys(qtbot, session, tmp_path):
    network = session.network
    session.close_model()
    window = Window(Settings(tmp_path / "settings.ini"), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    session.show(network)
    qtbot.waitUntil(lambda: window.host.settled)
    assert focus_inside(window.view("layers"))
    window.close()


def test_no_part_of_a_view_shows_as_a_window_of_its_own(window, qtbot):
    """One that did would flash, and take the keys from the window."""
    for layout in LAYOUTS:
        shown(window, qtbot, layout)
        for name in list(window.host.docks):
            if window.host.placed(name):
                window.reveal(name)
                qtbot.waitUntil(lambda: window.host.settled)
                assert window.isActiveWindow(), name


def test_a_layout_takes_no_focus_from_what_stands_outside_of_the_docks(window, qtbot):
    window.menu_row.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    window.menu_row.setFocus()
    shown(window, qtbot, "profile")
    assert QApplication.focusWidget() is window.menu_row


def test_escape_in_the_search_of_graph_clears_it_and_leaves_the_selection(window, qtbot, session):
    view = shown(window, qtbot, "graph")
    session.select(("k3",), "k3")
    QTest.keyClicks(view.search, "dw")
    view.search.setFocus()
    QTest.keyClick(view.search, Key.Key_Escape)
    assert view.search.text() == ""
    assert view.canvas.hasFocus()
    assert session.selection == ("k3",)


def test_escape_in_the_filter_of_layers_clears_it_and_leaves_the_selection(window, qtbot, session):
    view = shown(window, qtbot, "tune")
    session.select(("k3",), "k3")
    view.focus_filter("k3")
    QTest.keyClick(view.filter_bar.input, Key.Key_Escape)
    assert view.filter_bar.input.text() == ""
    assert session.selection == ("k3",)


def test_escape_in_a_note_takes_back_what_is_not_kept_and_leaves_the_selection(window, qtbot, session):
    session.select(("k3",), "k3")
    window.reveal("kernel")
    qtbot.waitUntil(lambda: window.view("kernel").kernel is not None)
    note = window.view("kernel").note
    qtbot.waitUntil(note.isVisible)
    note.setFocus()
    QTest.keyClicks(note, "later")
    QTest.keyClick(note, Key.Key_Escape)
    assert note.toPlainText() == ""
    assert session.selection == ("k3",)


def test_escape_in_a_filter_of_sweeps_clears_it_and_leaves_the_selection(window, qtbot, session):
    view = shown(window, qtbot, "sweep")
    session.select(("k3",), "k3")
    field = view.findChild(FilterInput) or window.findChild(FilterInput)
    field.setFocus()
    QTest.keyClicks(field, "conv")
    QTest.keyClick(field, Key.Key_Escape)
    assert field.text() == ""
    assert session.selection == ("k3",)
    QTest.keyClick(field, Key.Key_Escape)  # nothing left to clear: now the key is the window's
    assert session.selection == ()


@pytest.mark.parametrize("width", [280, 296, 330])
def test_the_first_letter_of_a_note_moves_nothing_below(window, qtbot, session, width):
    session.select(("k20",), "k20")
    view = window.reveal("kernel")
    view.refresh_now()
    window.host.resizeDocks([window.host.docks["kernel"]], [width], Qt.Orientation.Horizontal)
    QApplication.processEvents()
    note = view.note
    line = note.fontMetrics().lineSpacing()
    before = note.height()
    assert before <= 3 * line, "a line or two"
    note.setFocus()
    QTest.keyClicks(note, "a")
    assert note.height() == before
    for _ in range(3):
        QTest.keyClick(note, Key.Key_Return)
    assert note.height() >= 4 * line
    QTest.keyClick(note, Key.Key_Escape)


Reason = Qt.FocusReason


def focus(chart, kind, reason):
    QApplication.sendEvent(chart, QFocusEvent(kind, reason))


@pytest.mark.parametrize("way", [Reason.ActiveWindowFocusReason, Reason.PopupFocusReason])
def test_the_ring_of_a_plot_comes_back_with_the_window_unless_the_mouse_was_there(window, way):
    chart = window.reveal("error").chart
    into, out = QEvent.Type.FocusIn, QEvent.Type.FocusOut
    for reason, ring in ((Reason.TabFocusReason, True), (Reason.MouseFocusReason, False)):
        focus(chart, into, reason)
        assert chart._ring is ring
        focus(chart, out, way)  # a dialog, a menu or another program
        assert not chart._ring
        focus(chart, into, way)
        assert chart._ring is ring
        focus(chart, out, Reason.TabFocusReason)
    focus(chart, into, way)  # the palette has chosen this panel while it had the keys itself
    assert chart._ring


def test_what_the_button_of_an_empty_panel_brings_has_the_keys(window, qtbot, session):
    session.select((), None)
    view = shown(window, qtbot, "compare")
    view.refresh_now()
    assert view.empty.isVisible()
    view.empty._button.setFocus(Reason.TabFocusReason)
    QTest.keyClick(view.empty._button, Key.Key_Space)
    qtbot.waitUntil(lambda: view.found is not None and not view.empty.isVisible(), timeout=60_000)
    assert session.selection
    assert focus_inside(view.page)
