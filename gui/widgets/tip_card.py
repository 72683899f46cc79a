"""Tooltip card: name and badge, then label and value rows. Follows the pointer without taking focus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.fonts import font
from gui.paint import badge, badge_width
from gui.theme import theme_manager

_PAD = 10
_ROW = 18
_LINE = 340
"""Px after which sentences go on in the next line."""
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


@dataclass(frozen=True, slots=True)
class TipContent:
    """What a card says."""

    title: str
    rows: Sequence[tuple[str, str]] = ()
    badge: tuple[str, str] | None = None
    """Precision family and label."""
    note: str = ""
    """A last line in accent colour: what a click would do."""
    text: str = ""
    """Sentences below the rows, in as many lines as they need."""


def spoken(content: TipContent) -> str:
    """The same as one line, for who can't see it."""
    badge = (content.badge[1],) if content.badge is not None else ()
    rows = (f"{label} {value}".strip() for label, value in content.rows)
    return "; ".join(part for part in (content.title, *badge, *rows, content.text, content.note) if part)


class TipCard(QWidget):
    """One card; a view makes one and moves it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._content = TipContent("")
        self._label_width = 0.0
        self._text_height = self._note_height = 0

    @property
    def content(self) -> TipContent:
        """What it says."""
        return self._content

    def show_at(self, content: TipContent, pointer: QPoint) -> None:
        """Show content beside a pointer position in global coordinates, kept on the screen."""
        self._content = content
        size = self._measure()
        self.resize(size)
        place = pointer + QPoint(14, 16)
        screen = self.screen()
        if screen is not None:
            room = screen.availableGeometry()
            if place.x() + size.width() > room.right():
                place.setX(pointer.x() - size.width() - 10)
            if place.y() + size.height() > room.bottom():
                place.setY(max(room.top(), pointer.y() - size.height() - 10))
        self.move(place)
        self.show()
        self.update()

    def _measure(self) -> QSize:
        content = self._content
        strong, plain = QFontMetricsF(font(12, 600)), QFontMetricsF(font(11))
        value = QFontMetricsF(font(11, 600))
        head = strong.horizontalAdvance(content.title)
        if content.badge is not None:
            head += 16 + badge_width(content.badge[1])
        self._label_width = max((plain.horizontalAdvance(name) for name, _ in content.rows), default=0.0) + 12
        wide = max((self._label_width + value.horizontalAdvance(text) for _, text in content.rows), default=0.0)
        widest = round(
            max(head, wide, min(_LINE, max(plain.horizontalAdvance(w) for w in (content.note, content.text))))
        )
        self._text_height, self._note_height = (
            self._height(words, widest) if words else 0 for words in (content.text, content.note)
        )
        below = len(content.rows) * _ROW + self._text_height + self._note_height
        return QSize(widest + 2 * _PAD + 2, 2 * _PAD + 16 + (4 if below else 0) + below)

    @staticmethod
    def _height(words: str, width: int) -> int:
        room = QFontMetricsF(font(11)).boundingRect(QRectF(0, 0, width + 1, 1000), _WRAP, words)
        return max(_ROW, round(room.height()) + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card."""
        theme, content = theme_manager.theme, self._content
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.strong, 1))
        painter.setBrush(theme.raised if theme.dark else theme.panel)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(font(12, 600))
        painter.setPen(theme.text)
        painter.drawText(QRectF(_PAD, _PAD, self.width(), 16), middle, content.title)
        if content.badge is not None:
            family, text = content.badge
            badge(painter, QPointF(self.width() - _PAD - badge_width(text), _PAD), family, text, theme)
        y = _PAD + 20.0
        for name, text in content.rows:
            painter.setFont(font(11))
            painter.setPen(theme.muted)
            painter.drawText(QRectF(_PAD, y, self._label_width, _ROW), middle, name)
            painter.setFont(font(11, 600))
            painter.setPen(theme.text)
            painter.drawText(QRectF(_PAD + self._label_width, y, self.width(), _ROW), middle, text)
            y += _ROW
        painter.setFont(font(11))
        for words, color, height in (
            (content.text, theme.text2, self._text_height),
            (content.note, theme.accent, self._note_height),
        ):
            painter.setPen(color)
            painter.drawText(QRectF(_PAD, y, self.width() - 2 * _PAD, height), _WRAP, words)
            y += height
