"""Colours of the bars of the timeline: by precision, or by what a kernel is bound by."""

from __future__ import annotations

from typing import Literal

from PySide6.QtGui import QColor

from gui.paint.colour import blend
from gui.theme import PrecisionColors, Theme

Mode = Literal["precision", "bound"]
BOUNDS = ("Launch", "Cube", "Vector", "MTE1", "DDR weights", "DDR read", "DDR write", "CPU")


def bar_colors(theme: Theme, key: str, mode: Mode) -> PrecisionColors:
    """Four tones of a precision family or a bound."""
    if mode == "precision":
        return theme.precision(key)
    return tones(theme, bound_color(theme, key))


def bound_color(theme: Theme, bound: str) -> QColor:
    """One colour per bound: memory in three blues, compute in accents, overheads in greys."""
    memory = theme.cool[3:6] if theme.dark else theme.cool[5:2:-1]
    return {
        "Launch": theme.none.main,
        "CPU": theme.text2,
        "Cube": theme.good,
        "Vector": theme.die,
        "MTE1": theme.package,
        "DDR weights": memory[0],
        "DDR read": memory[1],
        "DDR write": memory[2],
    }.get(bound, theme.none.line)


def tones(theme: Theme, main: QColor) -> PrecisionColors:
    """Soft, line and text tones of a colour, as the precision families have them."""
    return PrecisionColors(
        main,
        blend(theme.panel, main, 0.24),
        blend(theme.panel, main, 0.66),
        blend(theme.text, main, 0.35),
    )
