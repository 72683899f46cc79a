"""Panels float, stand alone and close without a mouse: by the palette, for the panel that had the focus."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

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
