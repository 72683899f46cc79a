"""A titled part of the Compare view: header like a dock's, one body below it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from gui.plots.export import Exporter
from gui.widgets.icon_button import IconButton
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
        for button in (*buttons, self.more):
            row.addWidget(button)
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

    def popup(self, at: QPoint) -> None:
        """Show the menu at a global position."""
        if self.exporter is not None:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.exporter.fill(menu)
            menu.popup(at)
