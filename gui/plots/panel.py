"""One plot area with its axes."""

from __future__ import annotations

from typing import cast

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QGraphicsGridLayout

from gui.plots.axis import PlainAxis
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.theme import LIGHT, Theme


class PlotBox(pg.ViewBox):
    """A view box that leaves gestures to the chart and tells layers where they are."""

    def __init__(self) -> None:
        super().__init__(enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self.disableAutoRange()

    def frame(self) -> Frame:
        """The area in its own pixels and the ranges on show."""
        (x0, x1), (y0, y1) = self.viewRange()
        area: QRectF = self.rect()
        return Frame(area, x0, x1, y0, y1)


def plain_layout(item: pg.GraphicsWidget) -> QGraphicsGridLayout:
    """The grid of an item of pyqtgraph (which hides Qt's `layout()` behind an attribute), without gaps."""
    layout = cast(QGraphicsGridLayout, item.layout)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    return layout


class Panel(pg.PlotItem):
    """A plot area: left and bottom axis, a box, and layers in it."""

    def __init__(self, left: PlainAxis | None, bottom: PlainAxis | None) -> None:
        """An axis that is None takes no room."""
        self.box = PlotBox()
        self.left = left or PlainAxis("left")
        self.bottom = bottom or PlainAxis("bottom")
        axes: dict[str, pg.AxisItem] = {"left": self.left, "bottom": self.bottom}
        super().__init__(viewBox=self.box, axisItems=axes, enableMenu=False)
        self.hideButtons()
        self.left.setVisible(left is not None)
        self.bottom.setVisible(bottom is not None)
        self.setContentsMargins(0, 0, 0, 0)
        plain_layout(self)
        self.theme: Theme = LIGHT
        self.layers: list[Layer] = []

    def fix_height(self, height: int) -> None:
        """Always be this high."""
        self.setFixedHeight(height)

    def add(self, *layers: Layer) -> None:
        """Take layers in: they follow the theme from now on."""
        for layer in layers:
            self.layers.append(layer)
            layer.apply_theme(self.theme)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.left.apply_theme(theme)
        self.bottom.apply_theme(theme)
        for layer in self.layers:
            layer.apply_theme(theme)

    def redraw(self) -> None:
        """Paint the layers again."""
        for layer in self.layers:
            layer.update()

    def set_x(self, low: float, high: float) -> None:
        """Show this part of x."""
        self.box.setXRange(low, high, padding=0)

    def set_y(self, low: float, high: float) -> None:
        """Show this part of y."""
        self.box.setYRange(low, high, padding=0)

    def scene_area(self) -> QRectF:
        """The plot area in scene pixels, which are the widget's."""
        return QRectF(self.box.sceneBoundingRect())

    def to_data(self, position: QPointF) -> QPointF:
        """Data point at a widget position."""
        area, frame = self.scene_area(), self.box.frame()
        local = position - area.topLeft()
        return QPointF(frame.data_x(local.x()), frame.data_y(local.y()))

    def to_widget(self, x: float, y: float) -> QPointF:
        """Widget position of a data point."""
        return self.box.frame().point(x, y) + self.scene_area().topLeft()
