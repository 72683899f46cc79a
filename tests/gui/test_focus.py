"""The keyboard alone: Tab goes in reading order through every dock and dialog, and where it is can be seen."""

from itertools import pairwise

import pytest
from all_dialogs import DIALOGS
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from gui.docks import DOCKS
from gui.layouts import LAYOUTS
from gui.settings import Settings
from gui.window import Window

SAME_LINE = 14
"""Px that things on one line may differ by."""
MOST_STOPS = 80


@pytest.fixture
def window(qtbot, session):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    window.set_session(session)
    qtbot.waitUntil(lambda: window.host.settled, timeout=15_000)
    window.activateWindow()
    return window


def stops(root: QWidget) -> list[QWidget]:
    """Where Tab stops inside a widget, in its order, found by pressing it."""
    takes = Qt.FocusPolicy.TabFocus
    parts = [w for w in root.findChildren(QWidget) if w.focusPolicy() & takes and w.isEnabled() and w.isVisible()]
    start = next((w for w in parts if w.focusProxy() is None and _focused(w)), None)
    if start is None:
        return []
    for _ in range(MOST_STOPS):  # back to the first, or once around
        here = QApplication.focusWidget()
        QTest.keyClick(here, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
        now = QApplication.focusWidget()
        if not root.isAncestorOf(now) or now is start:
            _focused(here)
            break
    found: list[QWidget] = []
    while (now := QApplication.focusWidget()) is not None and root.isAncestorOf(now) and now not in found:
        found.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    return found


def _focused(widget: QWidget) -> bool:
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    return QApplication.focusWidget() is widget


def out_of_order(root: QWidget) -> list[str]:
    """Pairs where Tab goes up without going to a column further to the right."""
    there = [widget for widget in stops(root) if not isinstance(widget, QScrollArea)]  # its parts are looked at
    places = [(widget, QRect(widget.mapTo(root, QPoint(0, 0)), widget.size())) for widget in there]
    if root.isWindow() and places:  # Tab goes in a circle, which may be entered anywhere
        centers = [(r.center().y() // SAME_LINE, r.x()) for _, r in places]
        top = centers.index(min(centers))
        places = places[top:] + places[:top]
    return [
        f"{_name(one)} at {a.x()},{a.y()} then {_name(two)} at {b.x()},{b.y()}"
        for (one, a), (two, b) in pairwise(places)
        if (b.center().y() < a.center().y() - SAME_LINE and b.x() < a.right() - SAME_LINE)
        or (abs(b.center().y() - a.center().y()) <= SAME_LINE and b.x() < a.x() - 2)
    ]


def unseen(root: QWidget) -> list[str]:
    """Stops that look the same with and without the focus."""
    found = []
    for widget in stops(root):
        QApplication.processEvents()
        (QApplication.focusWidget() or root).clearFocus()
        before = _picture(widget)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if QApplication.focusWidget() is widget and _picture(widget) == before:
            found.append(_name(widget))
    return found


def _picture(widget: QWidget):
    holder = widget.parentWidget() or widget
    return holder.grab(widget.geometry().adjusted(-3, -3, 3, 3) if holder is not widget else widget.rect()).toImage()


def _name(widget: QWidget) -> str:
    text = getattr(widget, "text", lambda: "")()
    return f"{type(widget).__name__} {widget.accessibleName() or text or widget.objectName()}"


def test_tab_goes_in_reading_order_and_shows_where_it_is_in_docks(window, qtbot):
    wrong, hidden, seen = {}, {}, set()
    for layout in LAYOUTS:
        window.show_layout(layout)
        for name, dock in window.host.docks.items():
            if name in seen or not window.host.placed(name):
                continue
            seen.add(name)
            view = window.reveal(name)
            view.refresh_now()
            QApplication.processEvents()
            if found := out_of_order(view):
                wrong[name] = found
            if found := unseen(dock):
                hidden[name] = found
    assert seen == {spec.id for spec in DOCKS}
    assert wrong == {}
    assert hidden == {}


def test_tab_goes_in_reading_order_and_shows_where_it_is_in_dialogs(window, session):
    wrong, hidden = {}, {}
    for name, make in DIALOGS.items():
        dialog = make(window, session)
        dialog.show()
        dialog.activateWindow()
        QApplication.processEvents()
        if found := out_of_order(dialog):
            wrong[name] = found
        if found := unseen(dialog):
            hidden[name] = found
        dialog.close()
    assert wrong == {}
    assert hidden == {}


def test_a_scrolled_form_is_no_stop_itself(window, session):
    """A frame around a whole form says nothing and lies over its labels: its fields scroll on their own."""
    wrong = []
    for name in ("search", "kernel", "summary"):
        wrong += _scrolled_forms(window.reveal(name))
    for make in DIALOGS.values():
        dialog = make(window, session)
        dialog.show()
        QApplication.processEvents()
        wrong += _scrolled_forms(dialog)
        dialog.close()
    assert wrong == []


def _scrolled_forms(root: QWidget) -> list[str]:
    fields = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit)
    areas = [a for a in root.findChildren(QScrollArea) if a.focusPolicy() & Qt.FocusPolicy.TabFocus]
    return [_name(a) + _name(root) for a in areas if any(isinstance(w, fields) for w in a.findChildren(QWidget))]


def test_sizes_of_a_model_can_be_typed_at_once(window, session, qtbot):
    dialog = DIALOGS["dimensions"](window, session)
    dialog.open()
    qtbot.waitUntil(lambda: QApplication.focusWidget() in dialog.findChildren(QSpinBox))
    for key in (Qt.Key.Key_1, Qt.Key.Key_6):
        QTest.keyClick(QApplication.focusWidget(), key)
    assert dialog.shapes() == {"x": (16, 3)}
    dialog.close()


def test_tab_leaves_lists_and_plots_again(window):
    """Nothing keeps the keyboard: from every stop of a dock Tab goes on."""
    for dock in ("layers", "ranking", "error", "graph", "log"):
        view = window.reveal(dock)
        QApplication.processEvents()
        for widget in stops(view):
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(widget, Qt.Key.Key_Tab)
            assert QApplication.focusWidget() is not widget, (dock, _name(widget))
