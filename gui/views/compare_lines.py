"""Values as lines: A and B by position, and their difference below."""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array
from gui.plots.axis import PlainAxis
from gui.plots.caption import Caption, Key
from gui.plots.chart import Chart
from gui.plots.curve_layers import CurveGrid
from gui.plots.navigation import Span
from gui.plots.panel import Panel
from gui.plots.value_line import ValueLine
from gui.theme import Theme


class LinesChart(Chart):
    """A and B above, B - A below; Ctrl and the wheel zoom along the positions."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("", theme)
        self.caption = Caption()
        self.add_row(self.caption)
        self.values = self.add_panel(Panel(PlainAxis("left", gap=28, size=48), None), stretch=2)
        bottom = PlainAxis("bottom", gap=64, label=lambda value, step: str(round(value)), least_step=1, size=18)
        self.difference = self.add_panel(Panel(PlainAxis("left", gap=28, size=48), bottom), stretch=1)
        self.a = ValueLine(self.values.box, "ghost", 1.6, 8)
        self.b = ValueLine(self.values.box, "accent", 1.2, 10)
        self.d = ValueLine(self.difference.box, "warn", 1.2, 10)
        self.values.add(CurveGrid(self.values, self.values), self.a, self.b)
        self.difference.add(CurveGrid(self.difference, self.difference), self.d)
        self.shown = Span(0.0, 1.0, 1.0)
        self.navigate(self.shown, self.values, self.difference)

    def show_lines(self, a: Array, b: Array, total: int, title: str, words: tuple[str, str, str]) -> None:
        """Values of both, evenly picked out of `total`; words for A, B and the difference."""
        xs = np.linspace(0, max(0, total - 1), len(a)) if len(a) else np.empty(0)
        for line, ys in ((self.a, a), (self.b, b), (self.d, b - a)):
            line.xs, line.ys = xs, ys
        self.caption.set(
            title, (Key(words[0], "line", "ghost"), Key(words[1], "line", "accent"), Key(words[2], "line", "warn"))
        )
        self.shown.set_limits(0.0, float(max(1, total - 1)), float(min(8, max(1, total - 1))))
        _fit(self.values, np.concatenate([a, b]))
        _fit(self.difference, np.concatenate([b - a, np.zeros(1, np.float32)]))
        self.values.redraw()
        self.difference.redraw()


def _fit(panel: Panel, values: Array) -> None:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    pad = (high - low) * 0.06 or 0.5
    panel.set_y(low - pad, high + pad)
