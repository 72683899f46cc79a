"""Forms of dialogs: nothing is cut at the side, no field moves under the pointer, a list shows all of its entries."""

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QScrollArea, QVBoxLayout, QWidget

from gui.dialogs.data import DataDialog
from gui.i18n import set_language
from gui.settings import Settings
from gui.style import install
from gui.window import Window


@pytest.fixture
def dialog(qtbot, session):
    install(QApplication.instance())
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    made = DataDialog(session, window.actions_, window)
    made.open()
    QApplication.processEvents()
    yield made
    made.reject()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", ["images", "raw"])
def test_the_fields_of_a_kind_of_data_are_there_as_a_whole(dialog, language, kind):
    set_language(language)
    dialog.calibration.kind.set_current(kind)
    dialog.calibration._show_kind(kind)
    QApplication.processEvents()
    areas = [area for area in dialog.calibration.findChildren(QScrollArea) if area.isVisible()]
    assert areas
    for area in areas:
        assert area.widget().minimumSizeHint().width() <= area.viewport().width()
        assert area.widget().width() == area.viewport().width()


def test_counting_files_moves_no_field(dialog):
    editor = dialog.calibration
    editor.kind.set_current("arrays")
    editor._show_kind("arrays")
    QApplication.processEvents()
    before = editor._used.y()
    editor._show_count(7)
    assert editor._found.isVisible()
    QApplication.processEvents()
    assert editor._used.y() == before


@pytest.mark.parametrize("count", [2, 3, 5, 9])
def test_a_list_shows_all_of_its_entries(qtbot, count):
    install(QApplication.instance())
    page = QWidget()
    qtbot.addWidget(page)
    box = QComboBox()
    box.addItems([f"entry {number}" for number in range(count)])
    column = QVBoxLayout(page)
    column.addWidget(box)
    page.show()
    box.setFocus()
    box.showPopup()
    QApplication.processEvents()
    view = box.view()
    last = view.visualRect(box.model().index(count - 1, 0))
    assert last.bottom() <= view.viewport().rect().bottom()
    assert view.verticalScrollBar().maximum() == 0
    assert view.mapToGlobal(last.topLeft()).y() >= box.mapToGlobal(box.rect().bottomLeft()).y()  # below its field
    box.hidePopup()
