"""The gauge of a summary card: a value against its budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath

from gui.paint.marks import hatch, triangle_mark
from gui.theme import Theme

State = Literal["met", "near", "missed", "none"]
SCALE = 1.25
"""The gauge ends at 125 % of the budget."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """What a gauge shows; values in the unit of the budget.

    Without a budget the end of the gauge is `top` (the value of the all-FP16 plan, say) and no tick is drawn.
    """

    value: float | None
    budget: float | None
    band: float = 0.0
    """Half width of the error band."""
    previous: float | None = None
    state: State = "none"
    stale: bool = False
    top: float | None = None
    least: bool = False
    """The budget is the least that is needed, so the bar should pass its tick; else it is the most."""


def gauge(painter: QPainter, rect: QRectF, look: Gauge, theme: Theme) -> None:
    """Draw a 6 px gauge into the middle of `rect` (about 16 px high, for tick, whisker and triangle)."""
    full = look.budget * SCALE if look.budget else (look.top or 0.0)
    bar = QRectF(rect.x(), round(rect.center().y() - 3), rect.width(), 6)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.sunken if not theme.dark else theme.bar2)
    painter.drawRoundedRect(bar, 3, 3)
    if full > 0 and look.value is not None:
        _fill(painter, bar, look, full, theme)
    painter.restore()
    if full <= 0:
        return
    if look.budget:
        _budget(painter, bar, round(_x(bar, look.budget, full)), theme.ink, least=look.least)
    if look.previous is not None and not look.stale:
        x = min(max(_x(bar, look.previous, full), bar.x() + 3), bar.right() - 3)
        triangle_mark(painter, QPointF(x, bar.y() - 3.5), 6, theme.ghost, up=False)


def state_color(state: State, theme: Theme) -> QColor:
    """Fill of a gauge: only trouble is coloured."""
    return {"near": theme.warn, "missed": theme.bad}.get(state, theme.bar)


def _fill(painter: QPainter, bar: QRectF, look: Gauge, full: float, theme: Theme) -> None:
    assert look.value is not None
    end = _x(bar, look.value, full)
    fill = QRectF(bar.x(), bar.y(), max(end - bar.x(), 3.0), bar.height())
    if look.stale:
        hatch(painter, fill, theme.faint)
        return
    painter.setBrush(state_color(look.state, theme))
    painter.drawRoundedRect(fill, 3, 3)
    if look.band > 0:
        left, right = _x(bar, look.value - look.band, full), _x(bar, look.value + look.band, full)
        middle = bar.center().y()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(left, round(middle - 0.75), right - left, 1.5), theme.ink)
        for x in (left, right):
            painter.fillRect(QRectF(round(x) - 0.5, bar.y() - 1, 1.5, 8), theme.ink)


def _budget(painter: QPainter, bar: QRectF, x: float, color: QColor, *, least: bool) -> None:
    """The tick of the budget with a small flag at its foot: it points to the side where the bar should end."""
    painter.fillRect(QRectF(x - 1, bar.y() - 4, 2, 14), color)
    middle, side = bar.bottom() + 2.5, 1 if least else -1
    path = QPainterPath(QPointF(x + side, middle - 2))
    path.lineTo(x + 6 * side, middle)
    path.lineTo(x + side, middle + 2)
    path.closeSubpath()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillPath(path, color)
    painter.restore()


def _x(bar: QRectF, value: float, full: float) -> float:
    return bar.x() + bar.width() * min(1.0, max(0.0, value / full))
