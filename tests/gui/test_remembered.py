"""What a window finds again after a new start, what follows the desktop, and docks that float."""

import json

import pytest
from fakes import with_model
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

import gui.theme
from gui.layouts import LAYOUTS
from gui.settings import Settings
from gui.theme import DARK, LIGHT, theme_manager
from gui.window import Window


@pytest.fixture
def start(qtbot, tmp_path):
    """Start the program again: a new window and a new session with the same folder of settings."""
    sessions = []

    def make():
        window = Window(Settings(tmp_path), confirm=False)
        qtbot.addWidget(window)
        window.show()
        sessions.append(with_model())
        window.set_session(sessions[-1])
        qtbot.waitUntil(lambda: window.host.settled, timeout=15_000)
        return window

    yield make
    for session in sessions:
        session.close()


def test_a_new_start_finds_everything_as_it_was(start, qtbot, tmp_path):
    window = start()
    window.resize(1300, 850)
    layers = window.reveal("layers")
    header = layers.table.horizontalHeader()
    section = next(
        s for s in range(header.count()) if layers.model.headerData(s, Qt.Orientation.Horizontal) == "Latency"
    )
    for _ in range(2):  # the second click turns the order round
        qtbot.mouseClick(
            header.viewport(),
            Qt.MouseButton.LeftButton,
            pos=header.viewport().rect().topLeft() + _middle(header, section),
        )
    assert (layers.model.sort_key, layers.model.descending) == ("latency", True)
    layers.table.set_column_shown("macs", True)
    window.host.docks["preflight"].close()
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    window.host.docks["memory"].setFloating(True)
    window.settings.mode, window.settings.language = "dark", "zh"
    window.close()

    again = start()
    assert again.layout_name == "profile"
    again.resize(1300, 850)  # the screen of the tests is smaller, and cuts what was remembered
    assert again.host.docks["memory"].isFloating()
    assert (again.settings.mode, again.settings.language) == ("dark", "zh")
    again.show_layout("tune")
    model = again.reveal("layers").model
    assert (model.sort_key, model.descending) == ("latency", True)
    assert "macs" not in again.view("layers").table.hidden
    assert again.host.docks["preflight"].isHidden()


def _middle(header, section):
    from PySide6.QtCore import QPoint

    return QPoint(header.sectionViewportPosition(section) + header.sectionSize(section) // 2, header.height() // 2)


@pytest.mark.parametrize("views", ["[]", "{", '{"layers": 7, "graph": {"overlay": 3}}', "[" * 5000])
def test_settings_that_make_no_sense_cost_nothing(start, tmp_path, views):
    settings = Settings(tmp_path)
    settings._set("views", views)
    settings.layout = "nowhere"
    settings.sync()
    window = start()
    assert window.layout_name == "tune"
    assert window.reveal("layers").model.sort_key == "index"


def test_what_is_remembered_is_no_more_than_the_look(start, tmp_path):
    window = start()
    for name in LAYOUTS:
        window.show_layout(name)
        QApplication.processEvents()
    window.reveal("search")
    window.close()
    stored = json.loads(Settings(tmp_path)._text("views"))
    assert "layers" in stored
    assert "search" not in stored  # its limits are about one model
    assert all("span" not in state for state in stored.values())


def test_floating_docks_show_their_view_and_come_back_by_reset(start, qtbot):
    window = start()
    dock = window.host.docks["error"]
    dock.setFloating(True)
    dock.resize(700, 420)
    QApplication.processEvents()
    assert dock.isWindow()
    assert dock.view.isVisible()
    assert dock.view.width() > 600
    window.session.select([window.session.network.kernels[7].id], window.session.network.kernels[7].id, "somebody")
    qtbot.waitUntil(lambda: dock.view.current_index == 7, timeout=2000)
    window.reset_layout()
    assert not dock.isFloating()
    assert dock.view.isVisible()


def test_the_theme_follows_the_desktop(start, monkeypatch):
    window = start()
    desktop = {"theme": LIGHT}
    monkeypatch.setattr(gui.theme, "_system_theme", lambda: desktop["theme"])
    theme_manager.set_mode("system")
    view = window.reveal("error")
    assert view.theme is LIGHT
    desktop["theme"] = DARK
    theme_manager.system_changed()
    assert theme_manager.theme is view.theme is view.chart.theme is DARK
    assert DARK.window.name().upper() in window.styleSheet().upper()
    theme_manager.set_mode("light")
    theme_manager.system_changed()
    assert view.theme is LIGHT
