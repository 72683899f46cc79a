"""The card beside the pointer: a name with its badge, then label and value rows."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QGraphicsDropShadowEffect, QWidget

from gui.fonts import font
from gui.paint import badge, badge_width
from gui.plots.shapes import pen, plain_text
from gui.theme import Theme

_PAD, _LINE, _GAP = 10.0, 17.0, 14.0
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True, slots=True)
class CardContent:
    """What a card says."""

    title: str
    rows: tuple[tuple[str, str], ...] = ()
    family: str = ""
    """Precision family of the badge; '' for none."""
    badge: str = ""
    aside: str = ""
    """Muted words at the right of the title, in place of a badge."""
    note: str = ""
    """Last line, in the accent colour: what a click does."""


class HoverCard(QWidget):
    """A card that floats over the window, never under the pointer and never out of the window."""

    def __init__(self, theme: Theme, owner: QWidget) -> None:
        super().__init__(owner)
        self.theme, self._owner = theme, owner
        self.content = CardContent("")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(16)
        shadow.setOffset(0, 3)
        self.setGraphicsEffect(shadow)
        self._shadow = shadow
        self.apply_theme(theme)
        self.hide()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self._shadow.setColor(QColor(0, 0, 0, 140 if theme.dark else 60))
        self.update()

    def show_at(self, content: CardContent, position: QPoint) -> None:
        """Show beside a global position."""
        window = self._owner.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        self.content = content
        self.setAccessibleName(", ".join([content.title, *(f"{a} {b}" for a, b in content.rows)]))
        width, height = self._measure()
        place = QRect(window.mapFromGlobal(position) + QPoint(12, 14), QSize(round(width), round(height)))
        inside = window.rect()
        if place.right() > inside.right() - 4:
            place.moveRight(window.mapFromGlobal(position).x() - 8)
        if place.bottom() > inside.bottom() - 4:
            place.moveBottom(window.mapFromGlobal(position).y() - 8)
        place.moveTopLeft(QPoint(max(place.left(), 0), max(place.top(), 0)))
        self.setGeometry(place)
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw plate, title, rows and note."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(self.theme.strong))
        painter.setBrush(self.theme.raised if self.theme.dark else self.theme.panel)
        plate = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(plate, 6, 6)
        inner = plate.adjusted(_PAD, _PAD - 2, -_PAD, -_PAD)
        line = QRectF(inner.left(), inner.top(), inner.width(), 18)
        self._title(painter, line)
        labels = self._label_width()
        y = line.bottom() + 3
        for label, value in self.content.rows:
            plain_text(painter, QRectF(inner.left(), y, labels, _LINE), label, self.theme.muted, font(11))
            box = QRectF(inner.left() + labels + _GAP, y, inner.width() - labels - _GAP + 2, _LINE)
            plain_text(painter, box, value, self.theme.text, font(11, 600))
            y += _LINE
        if self.content.note:
            box = QRectF(inner.left(), y + 1, inner.width(), _LINE)
            plain_text(painter, box, self.content.note, self.theme.accent, font(11))

    def _title(self, painter: QPainter, line: QRectF) -> None:
        content = self.content
        plain_text(painter, line, content.title, self.theme.text, font(12, 600))
        if content.badge:
            corner = QPointF(line.right() - badge_width(content.badge), line.top() + 1)
            badge(painter, corner, content.family, content.badge, self.theme)
        elif content.aside:
            plain_text(painter, line, content.aside, self.theme.muted, font(11), _RIGHT)

    def _label_width(self) -> float:
        metrics = QFontMetricsF(font(11))
        return max((metrics.horizontalAdvance(label) for label, _ in self.content.rows), default=0.0)

    def _measure(self) -> tuple[float, float]:
        content = self.content
        strong, plain = QFontMetricsF(font(11, 600)), QFontMetricsF(font(11))
        rows = [self._label_width() + _GAP + strong.horizontalAdvance(value) for _, value in content.rows]
        title = QFontMetricsF(font(12, 600)).horizontalAdvance(content.title)
        if content.badge:
            title += 20 + badge_width(content.badge)
        elif content.aside:
            title += 20 + plain.horizontalAdvance(content.aside)
        note = plain.horizontalAdvance(content.note) if content.note else 0.0
        width = max(160.0, title, note, *rows) if rows else max(title, note)
        height = 18 + (3 + _LINE * len(content.rows) if rows else 0) + (_LINE + 1 if content.note else 0)
        return width + 2 * _PAD + 4, height + 2 * _PAD - 3
