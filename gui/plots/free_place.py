"""Where a label covers as little as possible of what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF

from engine.graph.types import Array
from gui.plots.frame import Frame

CLEAR = 4.0
"""Free pixels that a label wants around itself."""
SAMPLES = 48
PLACES = (0.0, 1.0, 0.5, 0.25, 0.75)
"""Where along the area a label may stand, the usual ends first."""


@dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """What a label should keep clear of, in data coordinates; NaN where there is nothing."""

    x: Array
    y: Array
    line: bool = True
    """Points are joined."""


def freest(places: Sequence[QRectF], drawn: Sequence[Drawn], frame: Frame) -> QRectF:
    """The first place with the least under it."""
    inside = [(d.line, frame.xs(d.x[np.isfinite(d.y)]), frame.ys(d.y[np.isfinite(d.y)])) for d in drawn]

    def covered(place: QRectF) -> int:
        box = place.adjusted(-CLEAR, -CLEAR, CLEAR, CLEAR)
        return sum((_on_line if line else _on_points)(box, xs, ys) for line, xs, ys in inside if xs.size)

    return min(places, key=covered)


def along(area: QRectF, width: float, height: float, tops: Sequence[float]) -> list[QRectF]:
    """Places for a label at these heights, at both ends of the area and between, all inside the area."""
    room = area.width() - width - 10
    return [
        QRectF(area.left() + 5 + share * room, top, width, height)
        for share in PLACES
        for top in tops
        if area.top() <= top and top + height <= area.bottom()
    ]


def _on_points(box: QRectF, xs: Array, ys: Array) -> int:
    there = (xs > box.left()) & (xs < box.right()) & (ys > box.top()) & (ys < box.bottom())
    return int(there.sum())


def _on_line(box: QRectF, xs: Array, ys: Array) -> int:
    """Samples of the line inside the box, and how often it goes right through."""
    at = np.linspace(box.left(), box.right(), SAMPLES)
    y = np.interp(at, xs, ys, left=np.nan, right=np.nan)
    within = (y > box.top()) & (y < box.bottom())
    through = ((y[:-1] <= box.top()) & (y[1:] >= box.bottom())) | ((y[1:] <= box.top()) & (y[:-1] >= box.bottom()))
    return int(within.sum() + through.sum())
