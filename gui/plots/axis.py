"""Axes without lines: round numbers in muted 11 px."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10

import pyqtgraph as pg

from gui import format as fmt
from gui.fonts import font
from gui.plots import ticks
from gui.theme import Theme

MOST_TICKS = 12
Label = Callable[[float, float], str]
"""From a tick and the step to what stands at it."""


def number(value: float, step: float) -> str:
    """As many decimals as the step needs."""
    return fmt.fixed(value, ticks.decimals(step))


class PlainAxis(pg.AxisItem):
    """An axis with labels only; the grid belongs to the plot's ground, so that it never covers data."""

    def __init__(
        self, side: str, *, gap: int = 56, label: Label = number, least_step: float = 0.0, size: int = 0
    ) -> None:
        """`gap` is the least distance between ticks in px, `least_step` keeps counts whole, `size` fixes the room."""
        super().__init__(side, showValues=True, maxTickLength=0)
        self._gap, self._label, self._least = gap, label, least_step
        self.enableAutoSIPrefix(False)
        self.setStyle(
            tickLength=0,
            tickTextOffset=6,
            tickFont=font(11),
            autoReduceTextSpace=False,
            autoExpandTextSpace=False,
            hideOverlappingLabels=False,
        )
        if size:
            (self.setWidth if side == "left" else self.setHeight)(size)
        self.setPen(pg.mkPen(None))
        self.setTickPen(pg.mkPen(None))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setTextPen(pg.mkPen(theme.muted))

    def set_label(self, label: Label) -> None:
        """Write ticks another way."""
        self._label = label
        self.picture = None
        self.update()

    def positions(self, low: float, high: float, size: float) -> list[float]:
        """Ticks between two values on `size` px."""
        if not high > low or size <= 0:
            return []
        return ticks.ticks(low, high, self._step(low, high, size))

    def _step(self, low: float, high: float, size: float) -> float:
        most = min(MOST_TICKS, max(1, int(size / self._gap)))
        return max(self._least, ticks.step_for(high - low, most))

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Major ticks only."""
        low, high = sorted((minVal, maxVal))
        if not high > low or size <= 0:
            return []
        return [(self._step(low, high, size), self.positions(low, high, size))]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Labels of the ticks."""
        return [self._label(value, spacing) for value in values]


class LogAxis(PlainAxis):
    """An axis of logarithms of base 10, labelled with the values themselves at 1 and 3 of every decade."""

    def __init__(self, side: str, *, size: int = 0) -> None:
        super().__init__(side, label=_power_of_ten, size=size)

    def positions(self, low: float, high: float, size: float) -> list[float]:
        """Ones and threes, or ones alone where they would be crowded."""
        if not high > low or size <= 0:
            return []
        decades = range(floor(low), ceil(high) + 1)
        both = size / (high - low) >= 2 * LOG_GAP
        marks = [d + part for d in decades for part in ((0.0, log10(3)) if both else (0.0,))]
        return [mark for mark in marks if low <= mark <= high]

    def _step(self, low: float, high: float, size: float) -> float:
        return 1.0


LOG_GAP = 24


def _power_of_ten(value: float, step: float) -> str:
    return fmt.scientific(10**value, 1)
