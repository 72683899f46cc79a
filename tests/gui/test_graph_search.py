"""The search of the Graph view says how many kernels it finds and where one stands among them."""

import pytest
from plot_hand import show
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.views.graph import GraphView


@pytest.fixture
def view(qtbot, session, theme):
    made = show(qtbot, GraphView, session, theme, 1000, 600)
    qtbot.waitUntil(lambda: made.canvas.scene is not None)
    return made


def test_hits_are_counted_and_numbered(qtbot, session, view):
    session.select((), None, who="test")
    assert view.hits.text() == ""
    QTest.keyClicks(view.search, "dw")
    count = sum("dw" in kernel.name or "dw" in kernel.op.casefold() for kernel in session.network.kernels)
    assert count > 2
    assert view.hits.text() == f"{count} found"
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.hits.text() == f"1 of {count}")
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.hits.text() == f"2 of {count}")
    view.search.setText("no such kernel")
    assert view.hits.text() == "0 found"
    QTest.keyClick(view.search, Qt.Key.Key_Escape)
    assert view.hits.text() == ""
