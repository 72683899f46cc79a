"""Three pictures of one tensor: A, B, and B - A; A and B share their colour scale, all share zoom and position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.graph.types import Array
from engine.numerics.comparison import relative_difference
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

MOST_ZOOM = 64.0
MOST_RELATIVE = 99.0
"""Percentile of relative differences at which the colours end."""
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
        self.token = token
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
        painter.fillRect(bar, gradient(self.theme, self.token, bar))


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
    """A, B and B - A side by side, with the values of the pixel under the pointer in a line below.

    The wheel zooms all three at the pointer, a drag moves them, a double click shows everything again.
    """

    column_clicked = Signal(int)
    """Column of a matrix, in picture pixels."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._a: Array = np.zeros((1, 1), np.float32)
        self._b: Array = self._a
        self._square = True
        self._relative = False
        self._extra: Array | None = None
        self._zoom, self._center = 1.0, (0.5, 0.5)
        """How much larger than fitting; the middle of what is on show, as shares of columns and rows from below."""
        self._pictures = tuple(_picture(theme, token) for token in ("cool", "cool", "diverging"))
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for picture in self._pictures:
            row.addWidget(picture.chart, 1)
            picture.chart.hovered.connect(self._on_hover)
            picture.chart.clicked.connect(self._on_click)
            picture.chart.resized.connect(self._fit)
            picture.chart.dragged.connect(self._on_drag)
            picture.chart.double_clicked.connect(lambda _: self.fit())
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
        if a.shape != self._a.shape:
            self._zoom, self._center = 1.0, (0.5, 0.5)
        self._a, self._b, self._square = a, b, square
        for picture in self._pictures:
            picture.pointer.pixel = None
        self.readout.setText("")
        self._paint()
        self._fit()

    def show_relative(self, relative: bool) -> None:
        """Show (B - A) / |A| instead of B - A in the third picture."""
        self._relative, self._extra = relative, None
        self._paint()

    def show_scales(self, scales: Array) -> None:
        """Show another grid (a scale per group) in the third picture, stretched over the same area."""
        self._extra = scales
        self._paint()

    def fit(self) -> None:
        """Show everything."""
        self._zoom, self._center = 1.0, (0.5, 0.5)
        self._fit()

    @property
    def zoomed(self) -> float:
        """How much larger than fitting the pictures are."""
        return self._zoom

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom all pictures at the pointer."""
        turn = (event.angleDelta().y() or event.angleDelta().x()) / 120
        for picture in self._pictures:
            at = picture.chart.mapFrom(self, event.position().toPoint())
            hit = picture.chart.hit(at.toPointF())
            if hit is None or not turn:
                continue
            rows, columns = self._a.shape
            zoom = min(max(self._zoom * 1.25**turn, 1.0), MOST_ZOOM)
            keep = self._zoom / zoom  # the point under the pointer stays where it is
            x, y = hit.x / columns, hit.y / rows
            self._center = (x + (self._center[0] - x) * keep, y + (self._center[1] - y) * keep)
            self._zoom = zoom
            self._fit()
            event.accept()
            return
        event.ignore()

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
        third = relative_difference(a, b) if self._relative else b - a
        known = np.abs(third[np.isfinite(third)])
        # Single values near zero are off by any factor: they must not take the colour from all others.
        most = float(np.percentile(known, MOST_RELATIVE) if self._relative else known.max()) if known.size else 0.0
        most = most if most > 0 else 1e-12
        ends = (-most, most)
        if self._extra is not None:
            third, ends = self._extra, _ends(self._extra)
        for picture, data, levels in zip(self._pictures, (a, b, third), ((low, high), (low, high), ends), strict=True):
            plain = picture.token != "diverging" or self._extra is not None
            table = lookup(self.theme.cool if plain else getattr(self.theme, picture.token))
            area = QRectF(0, 0, a.shape[1], a.shape[0])
            picture.image.show_values(data[::-1], levels, table, area)
            if not plain and self._relative:
                words = tuple(fmt.signed(fmt.percent(end)) for end in levels)
            else:
                words = tuple(fmt.scientific(end, 3) if plain else fmt.signed(fmt.scientific(end, 3)) for end in levels)
            picture.scale.ends = (words[0], words[1])
            picture.scale.token = "cool" if plain else "diverging"
            picture.panel.redraw()

    def _fit(self) -> None:
        rows, columns = self._a.shape
        half = 0.5 / self._zoom
        self._center = (
            min(max(self._center[0], half), 1 - half),
            min(max(self._center[1], half), 1 - half),
        )
        for picture in self._pictures:
            area = picture.chart.viewport().rect()
            width, height = area.width() - 24, area.height() - 54
            wide, high = float(columns), float(rows)
            if self._square and width > 0 and height > 0:
                scale = max(columns / width, rows / height)
                wide, high = width * scale, height * scale
            wide, high = wide / self._zoom, high / self._zoom
            x, y = self._center[0] * columns, self._center[1] * rows
            picture.panel.set_x(x - wide / 2, x + wide / 2)
            picture.panel.set_y(y - high / 2, y + high / 2)

    def _on_drag(self, pressed: Hit, now: Hit) -> None:
        if self._zoom > 1:
            rows, columns = self._a.shape
            x, y = self._center
            self._center = (x + (pressed.x - now.x) / columns, y + (pressed.y - now.y) / rows)
            self._fit()

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
            *([f"{fmt.signed(fmt.percent((b - a) / abs(a)))}"] if a else []),
        )
        self.readout.setText("\u2003".join(parts))

    def _on_click(self, hit: Hit) -> None:
        pixel = self._pixel(hit)
        if pixel is not None:
            self.column_clicked.emit(pixel[1])


def _ends(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    return low, high if high > low else low + 1e-9


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
