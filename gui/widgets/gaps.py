"""Ground between panels: painted in the colours of the theme in use, whatever palette or sheet was there before."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from gui.theme import theme_manager

GAP = 5


class Ground(QWidget):
    """A page whose gaps have the colour of the window."""

    def __init__(self) -> None:
        super().__init__()
        theme_manager.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill it."""
        QPainter(self).fillRect(event.rect(), theme_manager.theme.window)


class _Handle(QSplitterHandle):
    def __init__(self, orientation: Qt.Orientation, parent: QSplitter) -> None:
        super().__init__(orientation, parent)
        theme_manager.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill it."""
        QPainter(self).fillRect(event.rect(), theme_manager.theme.window)


class GapSplitter(QSplitter):
    """Panels side by side with a gap between them that can be dragged."""

    def __init__(self, orientation: Qt.Orientation, *parts: QWidget) -> None:
        super().__init__(orientation)
        self.setHandleWidth(GAP)
        self.setChildrenCollapsible(False)
        for part in parts:
            self.addWidget(part)

    def createHandle(self) -> QSplitterHandle:
        """Called by Qt."""
        return _Handle(self.orientation(), self)
