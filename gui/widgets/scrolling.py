"""An area that scrolls down where its content is too tall."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gui.accessible import Role


class _WholeWidth(QScrollArea):
    """Asks for as much width as its content needs, in whatever language and font: it never has to scroll sideways."""

    def minimumSizeHint(self) -> QSize:
        """Width of the content, beside the scroll bar."""
        content, own = self.widget(), super().minimumSizeHint()
        if content is None:
            return own
        beside = self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()
        return QSize(max(own.width(), content.minimumSizeHint().width() + beside), own.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass on that the content needs other room: a scroll area keeps that to itself."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()
        return super().eventFilter(watched, event)


class _ByKey(QScrollArea):
    """What the arrows scroll; screen readers know it by its name."""

    spoken_role = Role.Pane

    def spoken_value(self) -> str:
        """None: its content speaks."""
        return ""


def scrolling(content: QWidget, *, by_key: bool = False, whole_width: bool = False) -> QScrollArea:
    """The content, as wide as the area.

    Args:
        content: What may be taller than there is room.
        by_key: The area can be focused, for a content with nothing to focus in it (what is focused comes into sight).
        whole_width: The area gets no narrower than its content can be, as of a form in a dialog.
    """
    area = _WholeWidth() if whole_width else _ByKey() if by_key else QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if not by_key:
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
