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
    edges = np.array([(p.left(), p.top(), p.right(), p.bottom()) for p in places]).T[:, :, None]
    boxes = edges + np.array([-CLEAR, -CLEAR, CLEAR, CLEAR])[:, None, None]
    covered = np.zeros(len(places), int)
    for one in drawn:
        known = np.isfinite(one.y)
        if known.any():
            covered += (_on_line if one.line else _on_points)(boxes, frame.xs(one.x[known]), frame.ys(one.y[known]))
    return places[int(covered.argmin())]


def along(area: QRectF, width: float, height: float, tops: Sequence[float]) -> list[QRectF]:
    """Places for a label at these heights, at both ends of the area and between, all inside the area."""
    room = area.width() - width - 10
    return [
        QRectF(area.left() + 5 + share * room, top, width, height)
        for share in PLACES
        for top in tops
        if area.top() <= top and top + height <= area.bottom()
    ]


def _on_points(boxes: Array, xs: Array, ys: Array) -> Array:
    """Points inside each box; `boxes` are left, top, right and lower ends, [4, boxes, 1]."""
    left, top, right, low = boxes
    found: Array = ((xs > left) & (xs < right) & (ys > top) & (ys < low)).sum(axis=1)
    return found


def _on_line(boxes: Array, xs: Array, ys: Array) -> Array:
    """Samples of the line inside each box, and how often it goes right through; `boxes` as for points."""
    left, top, right, low = boxes
    at = left + (right - left) * np.linspace(0.0, 1.0, SAMPLES)
    y = np.interp(at.ravel(), xs, ys, left=np.nan, right=np.nan).reshape(at.shape)
    within = (y > top) & (y < low)
    before, after = y[:, :-1], y[:, 1:]
    through = ((before <= top) & (after >= low)) | ((after <= top) & (before >= low))
    found: Array = within.sum(axis=1) + through.sum(axis=1)
    return found
