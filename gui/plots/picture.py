"""A grid of values or colours as one picture in a panel: never an item per cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from engine.graph.types import Array
from gui.paint import map_color
from gui.plots.panel import Panel

LEVELS = 256


def lookup(stops: Sequence[QColor]) -> Array:
    """A colour map as [256, 4] bytes; not to be written to."""
    return _table(tuple(color.rgba() for color in stops))


@lru_cache(maxsize=8)
def _table(stops: tuple[int, ...]) -> Array:
    colors = [QColor.fromRgba(stop) for stop in stops]
    table = np.array([map_color(colors, i / (LEVELS - 1)).getRgb() for i in range(LEVELS)], np.uint8)
    table.setflags(write=False)
    return table


class Picture:
    """Pixels over a data rectangle; the first row is the lowest."""

    def __init__(self, panel: Panel) -> None:
        self._item = pg.ImageItem(axisOrder="row-major")
        panel.box.addItem(self._item, ignoreBounds=True)

    def show_colors(self, pixels: Array, area: QRectF) -> None:
        """Show [rows, columns, 4] bytes."""
        self._item.setImage(np.ascontiguousarray(pixels), autoLevels=False, levels=None, lut=None)
        self._item.setRect(area)

    def show_values(self, values: Array, levels: tuple[float, float], table: Array, area: QRectF) -> None:
        """Show [rows, columns] numbers through a colour table with fixed ends."""
        self._item.setImage(np.ascontiguousarray(values), autoLevels=False, levels=levels, lut=table)
        self._item.setRect(area)
