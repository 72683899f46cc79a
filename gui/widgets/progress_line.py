"""A thin progress bar. Qt's own repaints at once on every step, which is too much for what ticks all the time."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.theme import theme_manager


class ProgressLine(QWidget):
    """Shows a fraction in [0, 1], 5 px high."""

    def __init__(self, width: int | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fraction = 0.0
        self.setFixedHeight(5)
        if width is not None:
            self.setFixedWidth(width)
        else:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    @property
    def fraction(self) -> float:
        """What it shows."""
        return self._fraction

    def set_fraction(self, fraction: float) -> None:
        """Show another fraction."""
        fraction = min(max(fraction, 0.0), 1.0)
        if round(fraction * 400) != round(self._fraction * 400):
            self.update()
        self._fraction = fraction
        self.setAccessibleDescription(f"{fraction:.0%}")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw track and part."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.bar2)
        painter.drawRoundedRect(QRectF(self.rect()), 2.5, 2.5)
        if self._fraction > 0:
            painter.setBrush(theme.accent)
            painter.drawRoundedRect(QRectF(0, 0, max(4.0, self.width() * self._fraction), self.height()), 2.5, 2.5)
