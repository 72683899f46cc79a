"""Models, projects and samples that are dropped on the window or on Analyze > Data."""

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent

from gui.dialogs.data import DataDialog
from gui.dropping import SAMPLE_SUFFIXES, samples_among
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def window(qtbot, session, tmp_path):
    made = Window(Settings(tmp_path / "settings"), confirm=False)
    qtbot.addWidget(made)
    made.show()
    made.set_session(session)
    return made


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "扫描 件"
    folder.mkdir()
    for i in range(3):
        Image.new("RGB", (8, 8), (40 * i, 0, 0)).save(folder / f"{i}.png")
    return folder


def drop(widget, *paths):
    """Drag files over a widget and let them go; whether they were taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    given = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPointF(9, 9).toPoint(), *given)
    enter.setAccepted(False)
    widget.dragEnterEvent(enter)
    if enter.isAccepted():
        widget.dropEvent(QDropEvent(QPointF(9, 9), *given))
    return enter.isAccepted()


def opened(window):
    return window.findChild(DataDialog)


def test_pictures_that_are_dropped_on_the_window_stand_in_the_data_dialog(qtbot, window, pictures):
    assert drop(window, pictures)
    dialog = opened(window)
    qtbot.waitUntil(lambda: dialog.calibration.kind.current == "images", timeout=10_000)
    assert dialog.calibration.path.text() == str(pictures)
    assert dialog.evaluation.path.text() == ""
    dialog.reject()


def test_pictures_that_are_dropped_on_the_dialog_go_to_the_page_on_show(qtbot, window, pictures):
    window.actions_.data()
    dialog = opened(window)
    dialog.pages.setCurrentWidget(dialog.evaluation)
    assert drop(dialog, *sorted(pictures.iterdir()))
    assert dialog.evaluation.path.text() == str(pictures), "several of one folder are that folder"
    assert not dialog.evaluation.path.acceptDrops(), "else it takes the address as text"
    qtbot.waitUntil(lambda: dialog.evaluation.kind.current == "images", timeout=10_000)
    dialog.reject()


def test_a_model_is_opened_even_before_the_engine_is_there(qtbot, tmp_path):
    window = Window(Settings(tmp_path), confirm=False)
    qtbot.addWidget(window)
    assert drop(window, tmp_path / "notes.txt", tmp_path / "net.ONNX")
    assert window.start.drop.opening == "net.ONNX"
    assert not drop(window, tmp_path), "a folder says nothing while no model is open"
    assert not drop(window, tmp_path / "notes.txt")


def test_one_file_of_samples_is_itself(tmp_path):
    urls = [QUrl.fromLocalFile(str(tmp_path / "set.npz")), QUrl("https://example.org/a.png")]
    assert samples_among(urls) == tmp_path / "set.npz"
    from engine.interop.pictures import SUFFIXES

    assert set(SAMPLE_SUFFIXES) >= SUFFIXES
