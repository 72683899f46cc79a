"""An area that scrolls down where its content is too tall."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def scrolling(content: QWidget, *, by_key: bool = False) -> QScrollArea:
    """The content, as wide as the area.

    Args:
        content: What may be taller than there is room.
        by_key: The area can be focused, for a content with nothing to focus in it (what is focused comes into sight).
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if not by_key:
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
