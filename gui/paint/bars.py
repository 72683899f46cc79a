"""Inline bars of the tables: 5 px high, drawn after the figure."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath

from gui.paint.cache import draw_cached
from gui.paint.colour import map_color
from gui.paint.marks import hatch
from gui.theme import Theme

BAR_HEIGHT = 5.0
EMPTY_DB = 60.0
FULL_DB = 10.0


def noise_fraction(sqnr_db: float | None) -> float:
    """Length of an error bar: 60 dB is empty, 10 dB is full."""
    if sqnr_db is None or sqnr_db != sqnr_db:
        return 0.0
    return min(1.0, max(0.0, (EMPTY_DB - sqnr_db) / (EMPTY_DB - FULL_DB)))


def error_bar(
    painter: QPainter,
    rect: QRectF,
    sqnr_db: float | None,
    required_db: float | None,
    theme: Theme,
    *,
    stale: bool = False,
) -> None:
    """An error as a length: more noise is longer; a tick at the required value, `warn` when it falls short."""
    short = required_db is not None and sqnr_db is not None and sqnr_db < required_db
    plain_bar(painter, rect, noise_fraction(sqnr_db), theme.warn if short else theme.bar, theme, stale=stale)
    if required_db is not None:
        _tick(painter, rect, noise_fraction(required_db), theme.ink)


def sensitivity_bar(painter: QPainter, rect: QRectF, fraction: float, theme: Theme, *, estimated: bool = False) -> None:
    """A sensitivity in [0, 1] of the 95th percentile, in heat colours; a dot after the bar marks an estimate."""
    fraction = _steps(min(1.0, max(0.0, fraction)), rect.width())
    color = map_color(theme.heat, 0.25 + 0.6 * fraction)
    plain_bar(painter, rect, fraction, color, theme)
    if estimated:
        place = QRectF(rect.right() + 3, round(rect.center().y()) - 2, 4, 4)
        draw_cached(painter, place, 0, ("estimated", theme.name), lambda p, r: _estimated(p, r, theme))


def latency_bar(
    painter: QPainter,
    rect: QRectF,
    fraction: float,
    launch: float,
    previous: float | None,
    theme: Theme,
) -> None:
    """A latency as a share of the column's 95th percentile.

    Args:
        painter: Where to draw.
        rect: Track of the bar.
        fraction: Latency; above 1 the bar ends in an arrow.
        launch: Launch overhead on the same scale: the pale first part.
        previous: Latency under the previous plan on the same scale (a tick), None to leave it out.
        theme: Colours.
    """
    bar = _bar_rect(rect)
    whole = _steps(min(1.0, max(0.0, fraction)), bar.width())
    first = _steps(min(launch, whole), bar.width())
    draw_cached(
        painter, bar, 0, ("latency", whole, first, theme.name), lambda p, r: _two_parts(p, r, whole, first, theme)
    )
    if fraction > 1:
        _arrow(painter, bar, theme.bar)
    if previous is not None and abs(previous - fraction) * bar.width() >= 1:
        _tick(painter, rect, min(previous, 1.12), theme.good if previous > fraction else theme.warn)


def plain_bar(
    painter: QPainter, rect: QRectF, fraction: float, color: QColor, theme: Theme, *, stale: bool = False
) -> None:
    """A bar in a sunken track; hatched when stale."""
    part = _steps(min(1.0, max(0.0, fraction)), rect.width())
    key = ("bar", part, color.rgba(), stale, theme.name)
    draw_cached(painter, _bar_rect(rect), 0, key, lambda p, r: _plain_bar(p, r, part, color, theme, stale))


def _plain_bar(painter: QPainter, bar: QRectF, part: float, color: QColor, theme: Theme, stale: bool) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.sunken)
    painter.drawRoundedRect(bar, 2.5, 2.5)
    width = bar.width() * part
    if width > 0:
        fill = QRectF(bar.x(), bar.y(), max(width, 2.0), bar.height())
        if stale:
            hatch(painter, fill, theme.faint, 5)
        else:
            painter.setBrush(color)
            painter.drawRoundedRect(fill, 2.5, 2.5)
    painter.restore()


def share_bar(
    painter: QPainter, rect: QRectF, parts: Sequence[tuple[float, QColor]], theme: Theme, gap: float = 1.0
) -> None:
    """Parts of a whole side by side (the precision mix); empty parts take no room."""
    total = sum(value for value, _ in parts)
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    if total <= 0:
        painter.fillRect(rect, theme.sunken)
    else:
        x = rect.x()
        for value, color in parts:
            width = rect.width() * value / total
            if width > 0:
                painter.fillRect(QRectF(x, rect.y(), max(1.0, width - gap), rect.height()), color)
            x += width
    painter.restore()


def _two_parts(painter: QPainter, bar: QRectF, whole: float, first: float, theme: Theme) -> None:
    """A bar of that length whose first part is pale; both as shares of `bar`."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    path = QPainterPath()
    path.addRoundedRect(QRectF(bar.x(), bar.y(), bar.width() * whole, bar.height()), 2.5, 2.5)
    painter.fillPath(path, theme.bar)
    painter.setClipPath(path)
    painter.fillRect(QRectF(bar.x(), bar.y(), bar.width() * first, bar.height()), theme.bar2)
    painter.restore()


def _estimated(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """The small dot behind an estimate."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.muted)
    painter.drawEllipse(rect.center(), 1.5, 1.5)
    painter.restore()


def _steps(fraction: float, width: float) -> float:
    """A share of a bar in steps of half a pixel, so that few bars look different."""
    return round(2 * width * fraction) / (2 * width) if width > 0 else 0.0


def _bar_rect(rect: QRectF) -> QRectF:
    return QRectF(rect.x(), round(rect.center().y() - BAR_HEIGHT / 2), rect.width(), BAR_HEIGHT)


def _tick(painter: QPainter, rect: QRectF, fraction: float, color: QColor) -> None:
    bar = _bar_rect(rect)
    x = round(bar.x() + bar.width() * fraction)
    painter.fillRect(QRectF(x, bar.y() - 3, 1.5, bar.height() + 6), color)


def _arrow(painter: QPainter, bar: QRectF, color: QColor) -> None:
    middle = bar.center().y()
    path = QPainterPath(QPointF(bar.right() + 1, middle - 4))
    path.lineTo(bar.right() + 6, middle)
    path.lineTo(bar.right() + 1, middle + 4)
    path.closeSubpath()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillPath(path, color)
    painter.restore()
