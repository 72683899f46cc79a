"""Layers: what a plot is painted with, in pixels, on top of pyqtgraph's view box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from gui.plots.frame import Frame
from gui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gui.plots.panel import PlotBox


class Layer(QGraphicsObject):
    """Something drawn over the area of a view box.

    It paints in the box's own pixels, so lines keep their width, text its size and edges stay sharp at every zoom.
    """

    def __init__(
        self, box: PlotBox, z: float = 0.0, *, clipped: bool = True, margin: float = 0.0, kept: bool = False
    ) -> None:
        """Paint over a box.

        Args:
            box: the view box.
            z: order among the layers.
            clipped: paint inside the area only.
            margin: px around the area that may be painted when not clipped (the box must be part of a panel by then).
            kept: keep the picture until data, range or size change: for heavy layers below light ones that move.
        """
        super().__init__(box if clipped else box.parentItem())
        self._box, self._clipped, self._margin = box, clipped, margin
        self.theme: Theme = LIGHT
        self._kept: tuple[object, QPixmap] | None = None
        self._keeps = kept
        self.setZValue(z)
        box.sigRangeChanged.connect(self._moved)
        box.sigResized.connect(self._resized)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint; the painter's state is restored afterwards."""
        raise NotImplementedError

    def boundingRect(self) -> QRectF:
        """The area of the box and the margin around it."""
        m = self._margin
        area: QRectF = self._box.rect()
        return area.adjusted(-m, -m, m, m) if self._clipped else area.translated(self._box.pos()).adjusted(-m, -m, m, m)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Called by Qt."""
        area = self._box.rect()
        if area.width() < 2 or area.height() < 2:
            return
        painter.save()
        if self._clipped:
            painter.setClipRect(area)
        else:
            painter.translate(self._box.pos())
        if self._keeps and widget is not None:
            self._paint_kept(painter, self._box.frame(), widget.devicePixelRatioF())
        else:
            self.draw(painter, self._box.frame())
        painter.restore()

    def update(self, *args: object) -> None:
        """Paint again, from the data."""
        self._kept = None
        super().update()

    def _paint_kept(self, painter: QPainter, frame: Frame, ratio: float) -> None:
        """On the screen a picture will do; on paper (no widget) everything is drawn."""
        key = (frame, ratio)
        if self._kept is None or self._kept[0] != key:
            size = frame.area.size().toSize() + QSize(1, 1)
            picture = QPixmap(size * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            inner = QPainter(picture)
            self.draw(inner, frame)
            inner.end()
            self._kept = (key, picture)
        painter.drawPixmap(0, 0, self._kept[1])

    def _moved(self, *_: object) -> None:
        self.update()

    def _resized(self, *_: object) -> None:
        self.prepareGeometryChange()
        self.update()
