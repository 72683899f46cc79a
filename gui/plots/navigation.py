"""The part of an axis on show: zoom, pan, fit, within limits."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class Span(QObject):
    """A visible interval [low, high] inside [first, last], never narrower than `least`."""

    changed = Signal()

    def __init__(self, first: float = 0.0, last: float = 1.0, least: float = 1e-9) -> None:
        super().__init__()
        self.first, self.last, self.least = first, last, least
        self.low, self.high = first, last

    @property
    def width(self) -> float:
        """Length of the visible interval."""
        return self.high - self.low

    @property
    def is_fit(self) -> bool:
        """Whether everything is visible."""
        return self.width >= (self.last - self.first) * (1 - 1e-9)

    def set_limits(self, first: float, last: float, least: float) -> None:
        """New ends. What is on show stays if it fits in; a view of everything stays one of everything."""
        if (first, last, least) == (self.first, self.last, self.least):
            return
        fit = self.is_fit
        self.first, self.last, self.least = first, last, min(least, last - first)
        self._show(*((first, last) if fit else (self.low, self.high)), force=True)

    def show(self, low: float, high: float) -> None:
        """Show this interval, moved and stretched as far as the limits ask for."""
        self._show(low, high)

    def fit(self) -> None:
        """Show everything."""
        self._show(self.first, self.last)

    def zoom(self, factor: float, center: float | None = None) -> None:
        """Multiply the width by `factor` around a value that stays where it is."""
        center = (self.low + self.high) / 2 if center is None else min(max(center, self.low), self.high)
        width = min(max(self.width * factor, self.least), self.last - self.first)
        part = (center - self.low) / self.width
        self._show(center - part * width, center + (1 - part) * width)

    def pan(self, share: float) -> None:
        """Move by a share of the width; positive goes to higher values."""
        self._show(self.low + share * self.width, self.high + share * self.width)

    def reveal(self, low: float, high: float) -> None:
        """Pan as little as possible so that [low, high] is visible; nothing happens when it is."""
        if low >= self.low and high <= self.high:
            return
        if high - low >= self.width:
            low, high = (low + high - self.width) / 2, (low + high + self.width) / 2
        shift = low - self.low if low < self.low else high - self.high
        margin = min(0.1 * self.width, (self.width - (high - low)) / 2)
        self._show(
            self.low + shift + (margin if shift > 0 else -margin),
            self.high + shift + (margin if shift > 0 else -margin),
        )

    def _show(self, low: float, high: float, *, force: bool = False) -> None:
        width = min(max(high - low, self.least), self.last - self.first)
        low = min(max((low + high - width) / 2, self.first), self.last - width)
        if force or (low, low + width) != (self.low, self.high):
            self.low, self.high = low, low + width
            self.changed.emit()
