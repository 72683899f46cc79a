"""Rows and cards of the start page."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui import format as form
from gui.fonts import font
from gui.icons import paint_icon
from gui.theme import theme_manager
from gui.widgets.themed import button, label


class StepRow(QWidget):
    """A numbered step: a ring, what to do, how."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number, self._title, self._detail = number, "", ""
        self.setFixedHeight(44)
        theme_manager.changed.connect(self.update)

    def set_texts(self, title: str, detail: str) -> None:
        """What it says."""
        self._title, self._detail = title, detail
        self.setAccessibleName(f"{self._number}. {title}: {detail}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw ring and words."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.strong, 1.2))
        painter.setBrush(theme.panel)
        ring = QRectF(1, 10, 23, 23)
        painter.drawEllipse(ring)
        painter.setFont(font(11, 600))
        painter.setPen(theme.text)
        painter.drawText(ring, Qt.AlignmentFlag.AlignCenter, str(self._number))
        painter.setFont(font(12, 600))
        painter.drawText(QRectF(37, 5, self.width(), 17), Qt.AlignmentFlag.AlignVCenter, self._title)
        painter.setFont(font(11))
        painter.setPen(theme.text2)
        painter.drawText(QRectF(37, 22, self.width(), 17), Qt.AlignmentFlag.AlignVCenter, self._detail)


class RecentRow(QAbstractButton):
    """A file opened lately: name, folder, when it was changed and how big it is."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # drawn anew when the pointer comes or goes
        stat = path.stat()
        self._when = time.strftime("%Y-%m-%d %H:%M", time.localtime(stat.st_mtime))
        self._size = form.bytes_(stat.st_size)
        self.setFixedHeight(50)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(path.name)
        self.setToolTip(str(path))
        theme_manager.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Wide."""
        return QSize(300, 50)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the row."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.setPen(QPen(theme.accent, 2) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.hover)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        project = self._path.suffix == ".mixbit"
        paint_icon(
            painter, "plan" if project else "model", QRectF(10, 10, 16, 16), theme.accent if project else theme.text2
        )
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(12, 600))
        painter.setPen(theme.text)
        painter.drawText(QRectF(40, 7, self.width() - 180, 18), middle, self._elided(self._path.name, 12, 600, 180))
        painter.setFont(font(11))
        painter.setPen(theme.text2)
        painter.drawText(QRectF(40, 25, self.width(), 17), middle, self._elided(_home(self._path.parent), 11, 400, 140))
        right = middle | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(0, 7, self.width() - 12, 18), right, self._when)
        painter.setFont(font(11, 500))
        painter.setPen(theme.text)
        painter.drawText(QRectF(0, 25, self.width() - 12, 17), right, self._size)
        painter.fillRect(QRectF(40, self.height() - 1, self.width() - 40, 1), theme.hair)

    def _elided(self, text: str, pixels: int, weight: int, taken: int) -> str:
        metrics = QFontMetricsF(font(pixels, weight))
        return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, self.width() - taken)


class SampleCard(QFrame):
    """A model that comes with Mixbit: what it is, how good it is, Open."""

    clicked = Signal()

    def __init__(self, title: str, description: str, size: str, badge: str, name: str) -> None:
        super().__init__()
        self.setProperty("box", True)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 12, 10)
        row.setSpacing(12)
        row.addWidget(_Tile("graph" if "decoder" in name else "image"))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label(title, "strong"))
        detail = label(description, "caption")
        detail.setWordWrap(True)
        words.addWidget(detail)
        words.addWidget(label(size, "muted"))
        row.addLayout(words, 1)
        right = QVBoxLayout()
        right.setSpacing(8)
        if badge:
            right.addWidget(_Pill(badge), 0, Qt.AlignmentFlag.AlignRight)
        self.open = button(self.tr("Open"))
        self.open.setAccessibleName(f"{self.tr('Open')} {title}")
        self.open.setObjectName(f"open_{name}")
        self.open.clicked.connect(self.clicked)
        right.addStretch()
        right.addWidget(self.open, 0, Qt.AlignmentFlag.AlignRight)
        row.addLayout(right)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The whole card opens it; its button is for the keyboard, and says so."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()


class _Tile(QWidget):
    """A grey square with an icon."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setFixedSize(48, 48)
        theme_manager.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.sunken)
        painter.drawRoundedRect(self.rect(), 8, 8)
        paint_icon(painter, self._name, QRectF(13, 13, 22, 22), theme.text2)


class _Pill(QLabel):
    """A small rounded remark."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setObjectName("pill")


def _home(folder: Path) -> str:
    try:
        return Path("~", folder.relative_to(Path.home())).as_posix()
    except ValueError:
        return str(folder)
