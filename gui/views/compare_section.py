"""A titled part of the Compare view: header like a dock's, one body below it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.plots.export import Exporter
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.themed import label

HEADER = 29


class Section(QWidget):
    """Title, muted note, buttons on the right; a menu to take the body's content out when there is an exporter."""

    def __init__(self, body: QWidget, buttons: tuple[QWidget, ...] = ()) -> None:
        super().__init__()
        self.setObjectName("dockBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.body = body
        self.exporter: Exporter | None = None
        self.heading, self.note = label("", "strong"), label("", "muted")
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(lambda: self.popup(self.more.mapToGlobal(QPoint(0, self.more.height()))))
        header = QWidget()
        header.setObjectName("dockTitle")
        header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        header.setFixedHeight(HEADER)
        row = QHBoxLayout(header)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.heading)
        row.addWidget(self.note, 1)
        self._buttons = (*buttons, self.more)
        for button in self._buttons:
            row.addWidget(button)
        self.note.setMinimumWidth(1)
        self._note = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(body, 1)

    def set_texts(self, heading: str, more: str) -> None:
        """Title and the name of the menu button."""
        self.heading.setText(heading)
        self.more.set_tip(more)
        self.body.setAccessibleName(heading)

    def set_note(self, note: str) -> None:
        """Muted words after the title; the parts behind a "·" are left out where they would be cut, at last all."""
        self._note = note
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Look again whether the note has room."""
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        shown = [button for button in self._buttons if not button.isHidden()]
        taken = self.heading.sizeHint().width() + sum(button.sizeHint().width() for button in shown)
        room = self.width() - 20 - taken - 8 * (len(shown) + 1)
        words = self._note
        while words and self.note.fontMetrics().horizontalAdvance(words) > room:
            words = words.rpartition(" · ")[0]
        self.note.setText(words)
        self.note.setToolTip(self._note)

    def popup(self, at: QPoint) -> None:
        """Show the menu at a global position."""
        if self.exporter is not None:
            menu = one_use_menu(self)
            self.exporter.fill(menu)
            menu.popup(at)
