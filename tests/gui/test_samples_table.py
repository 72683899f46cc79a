"""The table of the samples in use: by keys alone it is sorted, copied and saved."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from engine.session.state import SampleRow
from gui.dialogs.data_samples import SamplesModel, SamplesTable

Key = Qt.Key
ROWS = (
    SampleRow("calibration", "a.png", "input", -2.1, 2.6, 0.1, 1.2, 0),
    SampleRow("calibration", "b.png", "input", -80.0, 90.0, 4.0, 30.0, 12),
    SampleRow("evaluation", "c.png", "input", -2.0, 2.5, -0.2, 1.1, 0),
)


@pytest.fixture
def table(qtbot):
    made = SamplesTable(SamplesModel(ROWS, None))
    qtbot.addWidget(made)
    made.resize(700, 200)
    made.show()
    made.activateWindow()
    made.setFocus()
    QApplication.processEvents()
    return made


def names(table):
    return [row.sample for row in table.samples.rows]


def sorts(table):
    return table.menu().findChild(QMenu).actions()


def test_the_menu_sorts_by_any_column_and_back(table):
    assert [action.text() for action in sorts(table)][:2] == ["Set\t↑", "Sample"]
    table.setCurrentIndex(table.samples.index(1, 0))
    sorts(table)[6].trigger()
    assert names(table) == ["c.png", "a.png", "b.png"]
    assert table.currentIndex().row() == 2, "the keys stay at their sample"
    assert [action.text() for action in sorts(table) if action.isChecked()] == ["std\t↑"]
    sorts(table)[6].trigger()
    assert names(table) == ["b.png", "a.png", "c.png"]
    assert [action.text() for action in sorts(table) if action.isChecked()] == ["std\t↓"]
    sorts(table)[1].trigger()
    assert names(table) == ["a.png", "b.png", "c.png"]


def test_rows_are_copied_whole_with_titles_and_full_figures(table):
    table.setCurrentIndex(table.samples.index(1, 0))
    QTest.keyClick(table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().splitlines() == [
        "set\tsample\tinput\tmin\tmax\tmean\tstd\twidens",
        "calibration\tb.png\tinput\t-80\t90\t4\t30\t12",
    ]
    table.clearSelection()
    QTest.keyClick(table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert len(QApplication.clipboard().text().splitlines()) == 1 + len(ROWS)
    assert any("CSV" in action.text() for action in table.menu().actions())
