"""Layers: what a plot is painted with, in pixels, on top of pyqtgraph's view box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from gui.plots.frame import Frame
from gui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gui.plots.panel import PlotBox


class Layer(QGraphicsObject):
    """Something drawn over the area of a view box.

    It paints in the box's own pixels, so lines keep their width, text its size and edges stay sharp at every zoom.
    """

    def __init__(self, box: PlotBox, z: float = 0.0, *, clipped: bool = True, margin: float = 0.0) -> None:
        """`margin` px around the area may be painted when not `clipped` (the box must be part of a panel by then)."""
        super().__init__(box if clipped else box.parentItem())
        self._box, self._clipped, self._margin = box, clipped, margin
        self.theme: Theme = LIGHT
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
        self.draw(painter, self._box.frame())
        painter.restore()

    def _moved(self, *_: object) -> None:
        self.update()

    def _resized(self, *_: object) -> None:
        self.prepareGeometryChange()
        self.update()
