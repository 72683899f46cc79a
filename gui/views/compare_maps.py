"""Three pictures of one tensor: reference A, plan B, and B - A; A and B share their colour scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.graph.types import Array
from gui import format as fmt
from gui.fonts import font
from gui.plots.caption import Caption
from gui.plots.chart import Chart, Hit
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import Panel, PlotBox
from gui.plots.picture import Picture, lookup
from gui.plots.scale_bar import gradient
from gui.plots.shapes import pen, plain_text
from gui.theme import Theme

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _Cursor(Layer):
    """A box around the pixel under the pointer, in black and white so that it shows on every colour."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 20)
        self.pixel: tuple[int, int] | None = None

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the box, at least 9 px wide."""
        if self.pixel is None:
            return
        row, column = self.pixel
        box = frame.rect(column, column + 1, row, row + 1).normalized()
        grow = max(0.0, (9 - box.width()) / 2)
        box = box.adjusted(-grow, -grow, grow, grow)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(self.theme.on_accent if not self.theme.dark else self.theme.ink, 3))
        painter.drawRoundedRect(box, 2, 2)
        painter.setPen(pen(self.theme.ink if not self.theme.dark else self.theme.on_accent, 1.4))
        painter.drawRoundedRect(box, 2, 2)


class _ColumnMark(Layer):
    """Arrow heads above and below the chosen column of a matrix."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 15)
        self.column: float | None = None

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint two short strokes at the edges."""
        if self.column is None:
            return
        x = frame.x(self.column)
        painter.setPen(pen(self.theme.accent, 2))
        painter.drawLine(int(x), int(frame.area.top()), int(x), int(frame.area.top() + 8))
        painter.drawLine(int(x), int(frame.area.bottom() - 8), int(x), int(frame.area.bottom()))


class _Scale(Layer):
    """The colour bar below a picture, with its two ends."""

    def __init__(self, box: PlotBox, token: str) -> None:
        super().__init__(box, 0, clipped=False, margin=24)
        self._token = token
        self.ends = ("", "")

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the bar between its ends."""
        form = font(10)
        painter.setFont(form)
        metrics = painter.fontMetrics()
        first, last = (metrics.horizontalAdvance(end) for end in self.ends)
        area = frame.area
        row = QRectF(area.left(), area.bottom() + 6, area.width(), 14)
        bar = QRectF(row.left() + first + 5, row.top() + 4, max(10.0, row.width() - first - last - 10), 6)
        plain_text(painter, row, self.ends[0], self.theme.muted, form)
        plain_text(painter, row, self.ends[1], self.theme.muted, form, _RIGHT)
        painter.fillRect(bar, gradient(self.theme, self._token, bar))


@dataclass(frozen=True, eq=False, slots=True)
class _Picture:
    chart: Chart
    caption: Caption
    panel: Panel
    image: Picture
    pointer: _Cursor
    mark: _ColumnMark
    scale: _Scale
    token: str


class DifferenceMaps(QWidget):
    """A, B and B - A side by side, with the values of the pixel under the pointer in a line below."""

    column_clicked = Signal(int)
    """Column of a matrix, in picture pixels."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._a: Array = np.zeros((1, 1), np.float32)
        self._b: Array = self._a
        self._square = True
        self._pictures = tuple(_picture(theme, token) for token in ("cool", "cool", "diverging"))
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for picture in self._pictures:
            row.addWidget(picture.chart, 1)
            picture.chart.hovered.connect(self._on_hover)
            picture.chart.clicked.connect(self._on_click)
            picture.chart.resized.connect(self._fit)
        self.readout = QLabel()
        self.readout.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.readout.setFixedHeight(22)
        self.readout.setFont(font(11))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 6)
        column.setSpacing(0)
        column.addLayout(row, 1)
        column.addWidget(self.readout)
        self.words = ("pixel", "difference")

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The three charts."""
        return tuple(p.chart for p in self._pictures)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        for picture in self._pictures:
            picture.chart.apply_theme(theme)
        self._paint()

    def set_titles(self, titles: tuple[str, str, str], names: tuple[str, str, str], words: tuple[str, str]) -> None:
        """Captions, accessible names, and the words for a pixel and for the difference."""
        self.words = words
        for picture, title, name in zip(self._pictures, titles, names, strict=True):
            picture.caption.set(title)
            picture.chart.setAccessibleName(name)

    def show_pictures(self, a: Array, b: Array, *, square: bool) -> None:
        """Two pictures of one shape; `square` pixels keep their shape, others fill the room."""
        self._a, self._b, self._square = a, b, square
        for picture in self._pictures:
            picture.pointer.pixel = None
        self.readout.setText("")
        self._paint()
        self._fit()

    def mark_column(self, column: float | None) -> None:
        """Mark a column of a matrix, given as its middle."""
        for picture in self._pictures:
            picture.mark.column = column
            picture.mark.update()

    def size_of_all(self) -> QSize:
        """Size of the three charts together."""
        return QSize(sum(c.width() for c in self.charts), max(c.height() for c in self.charts))

    def paint_to(self, painter: QPainter, target: QRectF) -> None:
        """Draw the three pictures on another device."""
        total = self.size_of_all()
        x, scale = target.left(), target.width() / max(1, total.width())
        for chart in self.charts:
            chart.paint_to(painter, QRectF(x, target.top(), chart.width() * scale, target.height()))
            x += chart.width() * scale

    def _paint(self) -> None:
        a, b = self._a, self._b
        finite = np.concatenate([a[np.isfinite(a)], b[np.isfinite(b)]])
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        high = high if high > low else low + 1e-9
        difference = b - a
        known = np.abs(difference[np.isfinite(difference)])
        most = float(known.max()) if known.size and known.max() > 0 else 1e-12
        for picture, data, levels in zip(
            self._pictures, (a, b, difference), ((low, high), (low, high), (-most, most)), strict=True
        ):
            table = lookup(getattr(self.theme, picture.token))
            area = QRectF(0, 0, data.shape[1], data.shape[0])
            picture.image.show_values(data[::-1], levels, table, area)
            signed = fmt.signed if picture.token == "diverging" else str
            picture.scale.ends = (signed(fmt.scientific(levels[0], 3)), signed(fmt.scientific(levels[1], 3)))
            picture.panel.redraw()

    def _fit(self) -> None:
        rows, columns = self._a.shape
        for picture in self._pictures:
            area = picture.chart.viewport().rect()
            width, height = area.width() - 24, area.height() - 54
            if not self._square or width <= 0 or height <= 0:
                picture.panel.set_x(0, columns)
                picture.panel.set_y(0, rows)
                continue
            scale = max(columns / width, rows / height)
            picture.panel.set_x((columns - width * scale) / 2, (columns + width * scale) / 2)
            picture.panel.set_y((rows - height * scale) / 2, (rows + height * scale) / 2)

    def _pixel(self, hit: Hit | None) -> tuple[int, int] | None:
        if hit is None:
            return None
        row, column = int(np.floor(self._a.shape[0] - hit.y)), int(np.floor(hit.x))
        inside = 0 <= row < self._a.shape[0] and 0 <= column < self._a.shape[1]
        return (row, column) if inside else None

    def _on_hover(self, hit: Hit | None) -> None:
        pixel = self._pixel(hit)
        for picture in self._pictures:
            place = None if pixel is None else (self._a.shape[0] - 1 - pixel[0], pixel[1])
            if picture.pointer.pixel != place:
                picture.pointer.pixel = place
                picture.pointer.update()
        if pixel is None:
            self.readout.setText("")
            return
        a, b = float(self._a[pixel]), float(self._b[pixel])
        parts = (
            f"{self.words[0]} {pixel[1]}, {pixel[0]}",
            f"A {fmt.scientific(a, 4)}",
            f"B {fmt.scientific(b, 4)}",
            f"{self.words[1]} {fmt.signed(fmt.scientific(b - a, 3))}",
        )
        self.readout.setText("\u2003".join(parts))

    def _on_click(self, hit: Hit) -> None:
        pixel = self._pixel(hit)
        if pixel is not None:
            self.column_clicked.emit(pixel[1])


def _picture(theme: Theme, token: str) -> _Picture:
    chart = Chart("", theme)
    caption = Caption()
    chart.add_row(caption)
    panel = chart.add_panel(Panel(None, None))
    chart.set_margins(12, 6, 12, 24)
    image = Picture(panel)
    cursor, mark, scale = _Cursor(panel.box), _ColumnMark(panel.box), _Scale(panel.box, token)
    panel.add(cursor, mark, scale)
    return _Picture(chart, caption, panel, image, cursor, mark, scale, token)
