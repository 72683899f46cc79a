"""Colours computed from tokens: maps, contrast, transparency."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor


def map_color(stops: Sequence[QColor], position: float) -> QColor:
    """The colour at a position in [0, 1] of a colour map with evenly spaced stops; clamped, NaN counts as 0."""
    if not position > 0:
        return QColor(stops[0])
    if position >= 1:
        return QColor(stops[-1])
    place = position * (len(stops) - 1)
    left = int(place)
    share = place - left
    a, b = stops[left], stops[left + 1]
    return QColor(
        round(a.red() + (b.red() - a.red()) * share),
        round(a.green() + (b.green() - a.green()) * share),
        round(a.blue() + (b.blue() - a.blue()) * share),
    )


def luminance(color: QColor) -> float:
    """Relative luminance as WCAG 2 defines it."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF())


def contrast(first: QColor, second: QColor) -> float:
    """WCAG contrast ratio, 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def readable_on(ground: QColor) -> QColor:
    """Black or white, whichever reads better on the ground."""
    black, white = QColor("#000000"), QColor("#FFFFFF")
    return black if contrast(black, ground) >= contrast(white, ground) else white


def with_alpha(color: QColor, alpha: float) -> QColor:
    """The colour at an opacity in [0, 1]."""
    result = QColor(color)
    result.setAlphaF(alpha)
    return result


def blend(under: QColor, over: QColor, share: float) -> QColor:
    """`under` covered by `over` at an opacity; opaque."""
    return map_color((under, over), share)
