"""A summary card: state and name, value and change, gauge, one note."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.fonts import font
from gui.icons import paint_icon
from gui.paint import Gauge, gauge, spinner, triangle_mark
from gui.theme import Theme, theme_manager

CardState = Literal["met", "near", "missed", "none", "busy"]
STATE_ICONS = {"met": "check", "near": "triangle", "missed": "octagon"}
_EDGE = 14
_MARK = QRect(_EDGE, 7, 14, 14)
"""Place of the state's icon."""


@dataclass(frozen=True, slots=True)
class CardLook:
    """What a card shows; all texts are ready to draw."""

    name: str
    value: str = "–"
    unit: str = ""
    band: str = ""
    """"±0.34", or empty."""
    requirement: str = ""
    delta: str = ""
    delta_up: bool | None = None
    """Direction of the change; None when there is none."""
    delta_good: bool | None = None
    """Whether it helps; None is neutral."""
    note: str = ""
    state: CardState = "none"
    stale: bool = False
    gauge: Gauge = field(default_factory=lambda: Gauge(None, None))


def state_mark(painter: QPainter, rect: QRectF, state: CardState, theme: Theme, turn: float = 0.0) -> bool:
    """Draw the icon of a state; False if the state has none."""
    if state == "busy":
        spinner(painter, rect, theme.accent, turn)
        return True
    name = STATE_ICONS.get(state)
    if name is None:
        return False
    paint_icon(painter, name, rect, state_text_color(state, theme))
    return True


def state_text_color(state: CardState, theme: Theme) -> QColor:
    """Colour of a state's icon."""
    return {"met": theme.good, "near": theme.warn, "missed": theme.bad}.get(state, theme.muted)


class SummaryCard(QWidget):
    """Draws a `CardLook`; about 81 px high, 62 without its note."""

    def __init__(self, look: CardLook | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look or CardLook("")
        self._notes = True
        self._turn = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)
        theme_manager.changed.connect(self.update)

    @property
    def look(self) -> CardLook:
        """What it shows."""
        return self._look

    def set_look(self, look: CardLook) -> None:
        """Show something else."""
        if look != self._look:
            self._look = look
            self.setAccessibleName(f"{look.name} {look.value} {look.unit}")
            self.update()

    def set_notes(self, shown: bool) -> None:
        """Whether the explaining line is shown."""
        self._notes = shown
        self.updateGeometry()
        self.update()

    def set_turn(self, turn: float) -> None:
        """Turn of the spinner in [0, 1)."""
        self._turn = turn
        if self._look.state == "busy":
            self.update(_MARK)

    def sizeHint(self) -> QSize:
        """Fixed height."""
        return QSize(296, 81 if self._notes else 62)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the four lines."""
        theme, look = theme_manager.theme, self._look
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if _MARK.contains(event.rect()):  # the spinner alone, ten times a second while something runs
            state_mark(painter, QRectF(_MARK), look.state, theme, self._turn)
            return
        left, right = float(_EDGE), float(self.width() - _EDGE)
        self._head(painter, left, right, theme)
        self._figure(painter, left, right, theme)
        gauge(painter, QRectF(left, 46, right - left, 16), look.gauge, theme)
        if self._notes and look.note:
            painter.setFont(font(11))
            painter.setPen(theme.text2)
            text = QFontMetricsF(font(11)).elidedText(look.note, Qt.TextElideMode.ElideRight, right - left)
            painter.drawText(QRectF(left, 61, right - left, 16), Qt.AlignmentFlag.AlignVCenter, text)
        painter.setPen(theme.hair)
        painter.drawLine(QPointF(left, self.height() - 0.5), QPointF(right, self.height() - 0.5))

    def _head(self, painter: QPainter, left: float, right: float, theme: Theme) -> None:
        look = self._look
        x = left
        if state_mark(painter, QRectF(_MARK), look.state, theme, self._turn):
            x += 19
        painter.setFont(font(12, 500))
        painter.setPen(theme.text)
        painter.drawText(QRectF(x, 5, right - x, 18), Qt.AlignmentFlag.AlignVCenter, look.name)
        painter.setFont(font(11))
        painter.setPen(theme.text2)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(x, 5, right - x, 18), align, look.requirement)

    def _figure(self, painter: QPainter, left: float, right: float, theme: Theme) -> None:
        look = self._look
        base = 43.0
        face = font(21, 600, italic=look.stale)
        value = f"≈{look.value}" if look.stale else look.value
        painter.setFont(face)
        painter.setPen(theme.faint if look.stale else theme.bad if look.state == "missed" else theme.text)
        painter.drawText(QPointF(left, base), value)
        x = left + QFontMetricsF(face).horizontalAdvance(value) + 6
        for text, color in ((look.unit, theme.text2), (look.band, theme.muted)):
            if text:
                painter.setFont(font(12))
                painter.setPen(color)
                painter.drawText(QPointF(x, base), text)
                x += QFontMetricsF(font(12)).horizontalAdvance(text) + 8
        if look.delta and not look.stale:
            good = look.delta_good
            color = theme.muted if good is None else theme.good if good else theme.bad
            width = QFontMetricsF(font(12, 600)).horizontalAdvance(look.delta)
            painter.setFont(font(12, 600))
            painter.setPen(color)
            painter.drawText(QPointF(right - width, base), look.delta)
            if look.delta_up is not None:
                triangle_mark(painter, QPointF(right - width - 9, base - 4.5), 8, color, up=look.delta_up)
