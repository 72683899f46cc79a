"""What a screen reader would get, and where the keys can't go on: looked for in all widgets below one."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QTableView,
    QTabWidget,
    QTextBrowser,
    QWidget,
)

ROWS = 3
"""That are listened to of each list."""
MOST_STOPS, MOST_LINKS = 120, 60
Text, Role = QAccessible.Text, QAccessible.Role


def stops(root: QWidget) -> Iterator[QWidget]:
    """What takes the keys by Tab, without the parts that Qt makes of lists, fields and choices."""
    for widget in (root, *root.findChildren(QWidget)):
        takes = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
        if takes and not _part(widget) and not isinstance(widget, QTabWidget):
            yield widget


def _part(widget: QWidget) -> bool:
    up = widget.parentWidget()
    if isinstance(up, QAbstractScrollArea) and widget is up.viewport():
        return True
    while up is not None and not up.isWindow():
        if isinstance(up, (QAbstractSpinBox, QComboBox)):
            return True
        up = up.parentWidget()
    return False


def silent(root: QWidget) -> list[str]:
    """Stops without a name or of no known kind, and rows of lists that say nothing."""
    found = []
    for widget in stops(root):
        said = QAccessible.queryAccessibleInterface(widget)
        name = said.text(Text.Name).strip()
        if not name or said.role() is Role.Client:
            found.append(f"{_who(widget)} is a {said.role().name} named {name!r}")
        plain = isinstance(widget, QComboBox) and not widget.isEditable()  # else its field has the name
        if plain and name == widget.currentText() != widget.accessibleName():
            found.append(f"{_who(widget)} is named by what is chosen: {name!r}")
        if isinstance(widget, QAbstractItemView) and not isinstance(widget, QHeaderView):
            found += [f"{_who(widget)} {what}" for what in _silent_cells(widget)]
    return found


def _silent_cells(view: QAbstractItemView) -> Iterator[str]:
    model, role = view.model(), Qt.ItemDataRole
    if model is None:
        return
    columns = model.columnCount(QModelIndex()) if isinstance(model, QAbstractTableModel) else 1
    for row in range(min(ROWS, model.rowCount(QModelIndex()))):
        for column in range(columns):
            index = model.index(row, column)
            if isinstance(view, QTableView) and view.isColumnHidden(column):
                continue
            if index.data(role.AccessibleTextRole) is None and index.data(role.DisplayRole) is None:
                yield f"says nothing in row {row}, column {column}"


def trapped(root: QWidget) -> list[str]:
    """Stops that Tab does not leave, and stops that Tab never comes to from the first of a window."""
    found, wanted = [], [w for w in stops(root) if w.isEnabled() and w.focusProxy() is None]
    for widget in wanted:
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        for key, modifier in ((Qt.Key.Key_Tab, _NONE), (Qt.Key.Key_Backtab, _SHIFT)):
            if QApplication.focusWidget() is not widget:
                widget.setFocus(Qt.FocusReason.TabFocusReason)
            before = QApplication.focusWidget()
            for _ in range(MOST_LINKS if isinstance(widget, QTextBrowser) else 1):  # goes through its links first
                QTest.keyClick(before, key, modifier)
                if QApplication.focusWidget() is not before:
                    break
            if QApplication.focusWidget() is before and len(wanted) > 1:
                found.append(f"{_who(widget)} keeps {'Tab' if modifier is _NONE else 'Shift+Tab'}")
    return found + _never_reached(root, wanted)


def _never_reached(root: QWidget, wanted: list[QWidget]) -> list[str]:
    if not wanted:
        return []
    wanted[0].setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[QWidget] = []
    for _ in range(MOST_STOPS):
        now = QApplication.focusWidget()
        if now is None or now in seen:
            break
        seen.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    return [f"{_who(w)} is never reached" for w in wanted if root.isWindow() and w not in seen]


def _who(widget: QWidget) -> str:
    text = getattr(widget, "text", lambda: "")()
    return f"{type(widget).__name__} {widget.accessibleName() or text or widget.objectName()}"


_NONE, _SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
