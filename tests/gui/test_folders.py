"""File dialogs of views begin beside the model or where the last file was, never in the working folder."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from gui import folders
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def window(qtbot, session, tmp_path):
    session.path = tmp_path / "net.onnx"
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.show()
    made.set_session(session)
    qtbot.waitUntil(lambda: made.host.settled, timeout=60_000)
    return made


def test_new_files_are_proposed_beside_the_model(window, tmp_path):
    chart = window.reveal("error").chart
    assert folders.to_save(chart, "a.csv") == str(tmp_path / "a.csv")
    window.view("error").exporter.ask("csv")
    dialog = window.view("error").findChild(QFileDialog)
    assert Path(dialog.directory().absolutePath()) == tmp_path
    dialog.reject()


def test_files_are_looked_for_where_the_last_was(window, tmp_path):
    view = window.reveal("jitter")
    assert folders.to_open(view) == str(tmp_path), "beside the model at first"
    there = tmp_path / "logs"
    there.mkdir()
    folders.opened(view, there / "a.txt")
    assert folders.to_open(window.view("measured") or view) == str(there)
    window.host.docks["jitter"].setFloating(True)
    assert folders.to_open(view) == str(there), "from a floating panel, too"


def test_without_a_window_it_is_the_home_folder(qapp):
    from PySide6.QtWidgets import QWidget

    lonely = QWidget()
    assert folders.to_open(lonely) == str(Path.home())
    folders.opened(lonely, Path("/x/y"))
