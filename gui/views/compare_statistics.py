"""The sheet of figures beside the maps: error of B against A, values of both, worst channels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.accessible import Role, say_changed
from gui.fonts import font
from gui.icons import paint_icon
from gui.paint import badge, badge_width, plain_bar
from gui.plots.shapes import pen, plain_text
from gui.theme import Theme

State = Literal["", "met", "missed"]
PAD, LINE, CHANNEL = 14.0, 20.0, 24.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Figure:
    """A row: label, value, a second value (or the limit), and whether the limit holds."""

    label: str
    value: str
    second: str = ""
    state: State = ""
    alarm: bool = False
    """The second value is out of the ordinary."""


@dataclass(frozen=True, slots=True)
class ChannelRow:
    """One of the worst channels."""

    channel: int
    spread: str
    share: float
    """Length of the bar, 1 for the worst."""
    error: str


@dataclass(frozen=True, slots=True)
class ElementRow:
    """One of the worst elements."""

    index: str
    values: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything on the sheet."""

    name: str
    badge: tuple[str, str] | None
    details: str
    errors: tuple[Figure, ...]
    values: tuple[Figure, ...]
    channels: tuple[ChannelRow, ...]
    chosen: int
    elements: tuple[ElementRow, ...] = ()


class StatisticsSheet(QWidget):
    """Paints a Sheet; a click on a channel row chooses it."""

    channel_chosen = Signal(int)
    wants_ring = True
    spoken_role = Role.List

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.sheet: Sheet | None = None
        self.headings = ("", "", "", "", "")
        """Error heading, limit, values heading, worst channels, their unit."""
        self.range_word = ""
        self.element_words = ("", "")
        """Heading of the worst elements, and of their values."""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.update()

    def show_sheet(self, sheet: Sheet) -> None:
        """Show figures."""
        self.sheet = sheet
        self.setMinimumHeight(round(self._height(sheet)))
        lines = [f"{f.label} {f.value} {f.second}".strip() for f in (*sheet.errors, *sheet.values)]
        self.setAccessibleDescription("; ".join(lines))
        self.update()
        say_changed(self)

    def spoken_value(self) -> str:
        """The channel that is chosen, with its error."""
        rows = self.sheet.channels if self.sheet is not None else ()
        row = next((row for row in rows if self.sheet is not None and row.channel == self.sheet.chosen), None)
        return f"{row.channel}: {self.range_word} {row.spread}, {row.error}" if row is not None else ""

    def sizeHint(self) -> QSize:
        """Room for all rows."""
        return QSize(250, round(self._height(self.sheet)) if self.sheet else 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the sheet."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.panel)
        sheet = self.sheet
        if sheet is None:
            return
        inner = QRectF(PAD, 10, self.width() - 2 * PAD, 0)
        y = self._title(painter, sheet, inner)
        y = self._heading(painter, inner, y + 8, self.headings[0], self.headings[1])
        for figure in sheet.errors:
            y = self._figure(painter, figure, inner, y)
        y = self._rule(painter, y + 6)
        y = self._heading(painter, inner, y + 8, self.headings[2], "B", "A")
        for figure in sheet.values:
            y = self._figure(painter, figure, inner, y)
        if sheet.channels:
            y = self._rule(painter, y + 6)
            y = self._heading(painter, inner, y + 8, self.headings[3], self.headings[4])
            for row in sheet.channels:
                y = self._channel(painter, row, inner, y, row.channel == sheet.chosen)
        self._elements(painter, sheet, inner, y)

    def _elements(self, painter: QPainter, sheet: Sheet, inner: QRectF, y: float) -> None:
        if not sheet.elements:
            return
        y = self._heading(painter, inner, self._rule(painter, y + 6) + 8, *self.element_words)
        for element in sheet.elements:
            box = QRectF(inner.left(), y, inner.width(), LINE)
            plain_text(painter, box, element.index, self.theme.text2, font(11))
            plain_text(painter, box, element.values, self.theme.text, font(11, 500), _RIGHT)
            y += LINE

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the channel under the pointer."""
        row = self._row_at(event.position().y())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self.channel_chosen.emit(row.channel)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A hand over what can be clicked."""
        over = self._row_at(event.position().y()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down go through the worst channels."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or self.sheet is None or not self.sheet.channels:
            super().keyPressEvent(event)
            return
        rows = [row.channel for row in self.sheet.channels]
        place = rows.index(self.sheet.chosen) + step if self.sheet.chosen in rows else 0
        self.channel_chosen.emit(rows[min(max(place, 0), len(rows) - 1)])

    def channel_y(self, place: int) -> float:
        """Middle of a channel row, for pointers."""
        assert self.sheet is not None
        return self._channels_top(self.sheet) + (place + 0.5) * CHANNEL

    def _row_at(self, y: float) -> ChannelRow | None:
        if self.sheet is None or not self.sheet.channels:
            return None
        place = int((y - self._channels_top(self.sheet)) // CHANNEL)
        return self.sheet.channels[place] if 0 <= place < len(self.sheet.channels) else None

    def _channels_top(self, sheet: Sheet) -> float:
        return 10 + 44 + 8 + LINE + LINE * len(sheet.errors) + 7 + 8 + LINE + LINE * len(sheet.values) + 7 + 8 + LINE

    def _height(self, sheet: Sheet) -> float:
        elements = 15 + LINE * (1 + len(sheet.elements)) if sheet.elements else 0
        return self._channels_top(sheet) + CHANNEL * len(sheet.channels) + elements + 10

    def _title(self, painter: QPainter, sheet: Sheet, inner: QRectF) -> float:
        form = font(13, 600)
        room = inner.width()
        if sheet.badge is not None:
            family, text = sheet.badge
            width = badge_width(text)
            badge(painter, QPointF(inner.right() - width, inner.top() + 2), family, text, self.theme)
            room -= width + 8
        name = QFontMetricsF(form).elidedText(sheet.name, Qt.TextElideMode.ElideMiddle, room)
        plain_text(painter, QRectF(inner.left(), inner.top(), room, 22), name, self.theme.text, form)
        line = QRectF(inner.left(), inner.top() + 22, inner.width(), 18)
        details = QFontMetricsF(font(11)).elidedText(sheet.details, Qt.TextElideMode.ElideRight, inner.width())
        plain_text(painter, line, details, self.theme.muted, font(11))
        painter.fillRect(QRectF(0, inner.top() + 43, self.width(), 1), self.theme.border)
        return inner.top() + 44

    def _rule(self, painter: QPainter, y: float) -> float:
        painter.fillRect(QRectF(0, y, self.width(), 1), self.theme.border)
        return y + 1

    def _heading(self, painter: QPainter, inner: QRectF, y: float, text: str, right: str, middle: str = "") -> float:
        box = QRectF(inner.left(), y, inner.width(), LINE)
        plain_text(painter, box, text, self.theme.text, font(12, 600))
        plain_text(painter, box, right, self.theme.muted, font(11), _RIGHT)
        if middle:
            plain_text(painter, self._first_column(box), middle, self.theme.muted, font(11), _RIGHT)
        return y + LINE

    def _first_column(self, box: QRectF) -> QRectF:
        return box.adjusted(0, 0, -box.width() * 0.34, 0)

    def _figure(self, painter: QPainter, figure: Figure, inner: QRectF, y: float) -> float:
        box = QRectF(inner.left(), y, inner.width(), LINE)
        plain_text(painter, box, figure.label, self.theme.text2, font(11))
        plain_text(painter, self._first_column(box), figure.value, self.theme.text, font(12, 500), _RIGHT)
        if figure.state:
            met = figure.state == "met"
            square = QRectF(box.right() - 12, y + LINE / 2 - 6, 12, 12)
            color = self.theme.good if met else self.theme.bad
            paint_icon(painter, "check" if met else "octagon", square, color)
            box.setRight(box.right() - 17)
        color = self.theme.warn if figure.alarm else self.theme.muted if figure.state else self.theme.text
        form = font(12, 600) if figure.alarm else font(12, 400 if figure.state else 500)
        plain_text(painter, box, figure.second, color, form, _RIGHT)
        return y + LINE

    def _channel(self, painter: QPainter, row: ChannelRow, inner: QRectF, y: float, chosen: bool) -> float:
        box = QRectF(inner.left(), y, inner.width(), CHANNEL)
        if chosen:
            painter.setPen(pen(self.theme.selection))
            painter.fillRect(box.adjusted(-6, 1, 6, -1), self.theme.selection)
        plain_text(
            painter, QRectF(box.left(), y, 34, CHANNEL), str(row.channel), self.theme.text, font(12, 500), _RIGHT
        )
        quiet = self.theme.text2 if chosen else self.theme.muted
        text = f"{self.range_word} {row.spread}"
        plain_text(painter, QRectF(box.left() + 42, y, 90, CHANNEL), text, quiet, font(11))
        plain_text(painter, box, row.error, self.theme.text, font(12, 500), _RIGHT)
        bar = QRectF(box.left() + 140, y, max(16.0, box.width() - 140 - 46), CHANNEL)
        plain_bar(painter, bar, row.share, self.theme.bad if row.share >= 1 else self.theme.warn, self.theme)
        return y + CHANNEL
