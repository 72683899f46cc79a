"""A summary card: state and name, value and change, gauge, one note."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHideEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.fonts import font
from gui.icons import paint_icon
from gui.paint import Gauge, gauge, spinner, triangle_mark
from gui.theme import Theme, theme_manager
from gui.widgets.repaints import repaints

CardState = Literal["met", "near", "missed", "none", "busy"]
STATE_ICONS = {"met": "check", "near": "triangle", "missed": "octagon"}
_EDGE = 14
_MARK = QRect(_EDGE, 7, 14, 14)
"""Place of the state's icon."""


_LINE, _MOST_LINES = 15, 2
"""Height of a line of the note, and how many it may take."""
_BETWEEN = " · "


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


def note_lines(note: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """A note in lines of whole parts, as few as fit into `room` px; what is left over stands on the last line.

    Args:
        note: Parts with " · " between them.
        room: Px of a line.
        width_of: Px of some words.
    """
    lines: list[str] = []
    for part in note.split(_BETWEEN) if note else ():
        longer = f"{lines[-1]}{_BETWEEN}{part}" if lines else part
        if not lines or (len(lines) < _MOST_LINES and width_of(longer) > room):
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


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
        self._lines: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)
        theme_manager.changed.connect(self.update)

    @property
    def look(self) -> CardLook:
        """What it shows."""
        return self._look

    def set_look(self, look: CardLook, *, among_others: bool = False) -> None:
        """Show something else; a card that changes with all the others waits for a frame with few of them."""
        if look != self._look:
            self._look = look
            self.setAccessibleName(f"{look.name} {look.value} {look.unit}")
            self._wrap()
            if among_others:
                repaints.ask(self, self.rect(), share=0.5)
            else:
                self.update()

    def set_notes(self, shown: bool) -> None:
        """Whether the explaining line is shown."""
        self._notes = shown
        self._wrap()
        self.updateGeometry()
        self.update()

    def set_turn(self, turn: float) -> None:
        """Turn of the spinner in [0, 1)."""
        self._turn = turn
        if self._look.state == "busy":
            self.update(_MARK)

    def sizeHint(self) -> QSize:
        """Fixed height, with a second line of the note where it needs one."""
        return QSize(296, 81 + _LINE * (max(1, len(self._lines)) - 1) if self._notes else 62)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The note may need another number of lines."""
        super().resizeEvent(event)
        self._wrap()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing waits to be painted any more."""
        repaints.drop(self)
        super().hideEvent(event)

    def _wrap(self) -> None:
        """Break the note into the lines it needs at this width."""
        metrics, room = QFontMetricsF(font(11)), self.width() - 2.0 * _EDGE
        lines = note_lines(self._look.note, room, metrics.horizontalAdvance) if self._notes else []
        if len(lines) != len(self._lines):
            self.updateGeometry()
        self._lines = lines

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
        self._note(painter, left, right, theme)
        painter.setPen(theme.hair)
        painter.drawLine(QPointF(left, self.height() - 0.5), QPointF(right, self.height() - 0.5))

    def _note(self, painter: QPainter, left: float, right: float, theme: Theme) -> None:
        painter.setFont(font(11))
        painter.setPen(theme.text2)
        metrics = QFontMetricsF(font(11))
        for i, line in enumerate(self._lines):
            text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, right - left)
            painter.drawText(QRectF(left, 61 + _LINE * i, right - left, 16), Qt.AlignmentFlag.AlignVCenter, text)

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
