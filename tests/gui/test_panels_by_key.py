"""Panels float, stand alone and close without a mouse: by the palette, for the panel that had the focus."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QPushButton, QVBoxLayout

from gui.layouts import LAYOUTS, MAIN
from gui.palette import Palette
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def window(qtbot, session):
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    made.set_session(session)
    qtbot.waitUntil(lambda: made.host.settled, timeout=15_000)
    made.activateWindow()
    return made


def run(window, qtbot, words):
    """Open the palette, type, press Enter."""
    window.open_palette()
    palette = window.findChildren(Palette)[-1]
    qtbot.waitUntil(palette.field.hasFocus)
    QTest.keyClicks(palette.field, words)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    QApplication.processEvents()


def test_the_panel_that_had_the_focus_floats_and_comes_back(window, qtbot):
    dock = window.host.docks["error"]
    dock.view.chart.setFocus()
    place = dock.mapToGlobal(dock.rect().topLeft())
    run(window, qtbot, "float or dock")
    assert dock.isFloating()
    assert dock.pos() != place, "it is seen to have come loose"
    assert not window.host.docks["layers"].isFloating()
    window.view("summary")
    run(window, qtbot, "float or dock")
    assert not any(other.isFloating() for other in window.host.docks.values()), "the same comes back"


def test_a_panel_that_is_put_back_is_in_front_of_its_group(window, qtbot):
    window.reveal("kernel").take_keys()
    kernel = window.host.docks["kernel"]
    for _ in range(2):
        QApplication.processEvents()
        kernel.float_or_dock()
    qtbot.waitUntil(lambda: not kernel.isFloating() and not kernel.visibleRegion().isEmpty())


def test_a_panel_stands_alone_and_is_closed(window, qtbot):
    layers, error = window.host.docks["layers"], window.host.docks["error"]
    layers.view.table.setFocus()
    run(window, qtbot, "in use alone")
    assert layers.isVisible()
    assert not error.isVisible()
    run(window, qtbot, "in use alone")
    assert error.isVisible()
    error.view.chart.setFocus()
    run(window, qtbot, "close the panel")
    assert not error.isVisible()
    assert layers.isVisible()


def test_without_a_focus_the_panel_of_the_layout_is_meant(window, session):
    (QApplication.focusWidget() or window).clearFocus()
    window.host.docks["error"].close()
    assert window.panel_in_use() is window.host.docks["layers"]
    session.close_model()
    assert window.panel_in_use() is None


def key(name, modifiers=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(QApplication.focusWidget(), name, modifiers)
    QApplication.processEvents()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_f6_goes_around_all_panels_on_show_and_back(window, qtbot, layout):
    window.show_layout(layout)
    qtbot.waitUntil(lambda: window.host.settled, timeout=15_000)
    window.focus_main()
    panels = [dock.spec.id for dock in window.host.panels_on_show()]
    assert len(panels) > 1
    seen = [window.focused_dock()]
    for _ in panels:
        key(Qt.Key.Key_F6)
        seen.append(window.focused_dock())
        assert QApplication.focusWidget().focusPolicy() & Qt.FocusPolicy.TabFocus, "it can be seen where the keys are"
    assert seen[0] == seen[-1] == MAIN[layout]
    assert sorted(seen[1:]) == sorted(panels)
    key(Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert window.focused_dock() == seen[-2]


def test_f6_comes_in_from_outside_of_the_panels(window):
    window.menu_row.search.setFocus()
    key(Qt.Key.Key_F6)
    assert window.focused_dock() == "layers"


@pytest.mark.parametrize(("words", "name"), [("thermal panel", "thermal"), ("panel timeline", "timeline")])
def test_a_panel_is_found_by_its_name_and_gets_the_keys(window, qtbot, words, name):
    run(window, qtbot, words)
    window.activateWindow()  # without a window manager nobody gives it back what the palette had
    qtbot.waitUntil(lambda: window.focused_dock() == name)
    assert not window.host.docks[name].visibleRegion().isEmpty()


@pytest.mark.parametrize("enter", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_presses_the_button_that_has_the_keys(window, qtbot, enter):
    window.menu_row.search.setFocus(Qt.FocusReason.TabFocusReason)
    key(enter)
    qtbot.waitUntil(lambda: window.findChildren(Palette) != [])
    window.findChildren(Palette)[-1].close()


def test_enter_presses_a_button_of_a_floating_panel_but_is_the_default_of_a_dialog(window, qtbot):
    dock = window.host.docks["layers"]
    dock.float_or_dock()
    button, pressed = dock.view.filter_bar.findChild(QAbstractButton), []
    button.clicked.connect(lambda: pressed.append("button"))
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(button.hasFocus)
    key(Qt.Key.Key_Return)
    assert pressed == ["button"]
    dock.float_or_dock()
    dialog = QDialog(window)
    column = QVBoxLayout(dialog)
    for name in ("one", "default"):
        made = QPushButton(name)
        made.setAutoDefault(False)
        made.setDefault(name == "default")
        made.clicked.connect(lambda _=False, name=name: pressed.append(name))
        column.addWidget(made)
    dialog.open()
    dialog.activateWindow()
    column.itemAt(0).widget().setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is column.itemAt(0).widget())
    key(Qt.Key.Key_Return)
    assert pressed == ["button", "default"]
    dialog.close()
