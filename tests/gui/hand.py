"""A hand on mouse and keyboard: drives a window by events only, and waits on conditions instead of sleeping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QLineEdit, QMenu, QPushButton, QWidget
from shiboken6 import isValid

from gui.dialogs.error import ErrorDialog
from gui.window import Window

LEFT = Qt.MouseButton.LeftButton
NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


class Hand:
    """Does to a window what a user does."""

    def __init__(self, qtbot, window: Window) -> None:
        self.qtbot, self.window = qtbot, window

    def until(self, condition: Callable[[], object], seconds: float = 15.0) -> None:
        """Let the window work until something holds."""
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=round(seconds * 1000))

    # mouse and keys -------------------------------------------------------------------------------------------------

    def click(self, widget: QWidget, at: QPoint | None = None, keys: Qt.KeyboardModifier = NONE) -> None:
        """Move there and click."""
        assert widget.isVisible(), widget
        assert widget.isEnabled(), widget
        place = at if at is not None else widget.rect().center()
        assert widget.rect().contains(place), (widget, place)
        self._activate(widget.window())
        QTest.mouseMove(widget, place)
        QTest.mouseClick(widget, LEFT, keys, place)

    @staticmethod
    def _activate(window: QWidget) -> None:
        """Give a window the keyboard when none has it, as a window manager does after a dialog has closed."""
        if QApplication.activeWindow() is None:
            window.activateWindow()
            QApplication.processEvents()

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        """Press a key: it goes to the widget that has the keyboard, as all keys do."""
        self._activate(self.window)
        QTest.keyClick(QApplication.focusWidget() or self.window, key, keys)

    def type(self, field: QLineEdit, text: str) -> None:
        """Write over what a field holds."""
        self.click(field)
        QTest.keyClick(field, Qt.Key.Key_A, CTRL)
        QTest.keyClicks(field, text) if text else QTest.keyClick(field, Qt.Key.Key_Delete)

    def menu(self, name: str, command: str) -> None:
        """Choose an entry of the menu bar."""
        bar = self.window.menu_row.bar
        title = next(a for a in bar.actions() if a.menu().objectName() == f"menu_{name}")
        self.click(bar, bar.actionGeometry(title).center())
        self.choose(title.menu(), self.window.menus.by_id[command])

    def choose(self, menu: QMenu, entry: QAction) -> None:
        """Click on an entry of an open menu."""
        self.until(menu.isVisible, 2)
        assert entry.isEnabled(), entry.text()
        self.click(menu, menu.actionGeometry(entry).center())

    def drop(self, path: Path) -> None:
        """Drag a file in and let it go."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        where, action = QPointF(400, 400), Qt.DropAction.CopyAction
        enter = QDragEnterEvent(where.toPoint(), action, data, LEFT, NONE)
        QApplication.sendEvent(self.window, enter)
        assert enter.isAccepted()
        QApplication.sendEvent(self.window, QDropEvent(where, action, data, LEFT, NONE))

    # dialogs --------------------------------------------------------------------------------------------------------

    def dialog(self, kind: type[QDialog]) -> QDialog:
        """The open dialog of a kind, as soon as it is there."""
        self.until(lambda: self._dialogs(kind), 10)
        return self._dialogs(kind)[0]

    def _dialogs(self, kind: type[QDialog]) -> list[QDialog]:
        return [d for d in self.window.findChildren(kind) if d.isVisible()]

    def press(self, dialog: QWidget, text: str) -> None:
        """Click the button that says so."""
        self.click(next(b for b in dialog.findChildren(QPushButton) if b.text() == text and b.isVisible()))

    def answer_file_dialog(self, *paths: Path) -> list[str]:
        """Paste paths into the file dialogs that open next (each has an event loop of its own).

        Returns:
            The titles of those that have been answered, so far.
        """
        timer, left, titles = QTimer(self.window), list(paths), list[str]()

        def look() -> None:
            found = QApplication.activeModalWidget()
            if isinstance(found, QFileDialog) and found.isVisible():
                titles.append(found.windowTitle())
                path = left.pop(0)
                if not left:
                    timer.stop()
                    timer.deleteLater()
                field = found.findChild(QLineEdit, "fileNameEdit")
                QTest.keyClick(field, Qt.Key.Key_A, CTRL)
                QApplication.clipboard().setText(str(path))
                QTest.keyClick(field, Qt.Key.Key_V, CTRL)
                QTest.keyClick(field, Qt.Key.Key_Return)

        timer.timeout.connect(look)
        timer.start(5)
        return titles

    def said(self) -> str:
        """What the error dialog says; it is closed again."""
        dialog = self.dialog(ErrorDialog)
        text = dialog.message.text()
        self.press(dialog, "Close")
        self.until(lambda: not self._dialogs(ErrorDialog), 2)
        return text

    def refusal(self, dialog: QDialog) -> str:
        """What a dialog says against what was typed into it, or what the error dialog says once it has closed."""
        self.until(lambda: self._dialogs(ErrorDialog) or self._complaints(dialog), 10)
        if self._dialogs(ErrorDialog):
            return self.said()
        text = self._complaints(dialog)[0]
        self.press(dialog, "Cancel")
        return text

    @staticmethod
    def _complaints(dialog: QDialog) -> list[str]:
        if not isValid(dialog) or not dialog.isVisible():
            return []
        labels = dialog.findChildren(QLabel)
        return [found.text() for found in labels if found.property("role") == "bad" and found.isVisible()]

    # docks ----------------------------------------------------------------------------------------------------------

    def layout(self, name: str) -> None:
        """Click on a layout tab."""
        tabs = self.window.menu_row.tabs
        place = [key for key, _ in tabs._tabs].index(name)
        self.click(tabs, tabs._rects()[place].center().toPoint())
        self.until(lambda: self.window.layout_name == name, 2)

    def view(self, dock: str) -> Any:
        """The view of a dock, as soon as somebody can see it."""
        self.until(lambda: self.window.view(dock) is not None and self.window.view(dock).isVisible(), 5)
        return self.window.view(dock)

    def row(self, kernel: int, keys: Qt.KeyboardModifier = NONE) -> None:
        """Click on the name of a kernel in the Layers table."""
        table = self.view("layers").table
        index = table.layers.index(table.layers.row_of(kernel), 1)
        self.click(table.viewport(), table.visualRect(index).center(), keys)

    def segment(self, kernel: int, family: str) -> None:
        """Click on a segment of a kernel's precision switch."""
        table = self.view("layers").table
        self.click(table.viewport(), table.segment_rect(kernel, family).center())

    def column(self, key: str) -> int:
        """Where a column stands in the model of the Layers table."""
        from gui.views.layers_columns import BY_KEY, COLUMNS

        return COLUMNS.index(BY_KEY[key])

    def cell(self, kernel: int, column: str) -> str:
        """What the Layers table shows of a kernel."""
        layers = self.view("layers").model
        return str(layers.data(layers.index(layers.row_of(kernel), self.column(column))))
