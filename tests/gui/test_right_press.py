"""A right press beside the rows of a list takes nothing away."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gui.theme import LIGHT
from gui.views.layers import LayersView
from gui.views.plans import PlansView
from gui.views.tensors import TensorsView


@pytest.mark.parametrize("kind", [LayersView, TensorsView, PlansView])
def test_a_right_press_beside_the_rows_keeps_what_is_chosen(session, qtbot, kind):
    session.keep_plan("one")
    view = kind(session, LIGHT)
    qtbot.addWidget(view)
    view.resize(900, 2600)  # more than the rows need
    view.show()
    qtbot.waitExposed(view)
    view.refresh_now()
    rows = view.table if kind is LayersView else view.list
    rows.selectRow(1)
    chosen = [index.row() for index in rows.selectionModel().selectedRows()]
    assert chosen == [1]
    beside = QPoint(40, rows.viewport().height() - 5)
    assert not rows.indexAt(beside).isValid()
    QTest.mousePress(rows.viewport(), Qt.MouseButton.RightButton, pos=beside)
    QTest.mouseRelease(rows.viewport(), Qt.MouseButton.RightButton, pos=beside)
    assert [index.row() for index in rows.selectionModel().selectedRows()] == chosen
    on_row = rows.visualRect(rows.model().index(0, 0)).center()
    QTest.mousePress(rows.viewport(), Qt.MouseButton.RightButton, pos=on_row)
    QTest.mouseRelease(rows.viewport(), Qt.MouseButton.RightButton, pos=on_row)
    assert [index.row() for index in rows.selectionModel().selectedRows()] == [0]
    view.dispose()
