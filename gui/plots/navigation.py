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
        self._of: object = None
        self._asked: tuple[float, float] | None = None

    @property
    def width(self) -> float:
        """Length of the visible interval."""
        return self.high - self.low

    @property
    def is_fit(self) -> bool:
        """Whether everything is visible."""
        return self.width >= (self.last - self.first) * (1 - 1e-9)

    def set_limits(self, first: float, last: float, least: float, of: object = None) -> None:
        """New ends. What is on show stays if it fits in; a view of everything stays one of everything.

        Args:
            first: low end.
            last: high end.
            least: width that zooming stops at.
            of: what the axis belongs to. That of something else is shown from end to end, or as it was asked for.
        """
        asked, fresh = self._asked, of != self._of
        if (first, last, least) == (self.first, self.last, self.least) and not fresh and asked is None:
            return
        fit = self.is_fit or fresh
        self.first, self.last, self.least = first, last, min(least, last - first)
        self._of, self._asked = of, None
        self._show(*(asked or ((first, last) if fit else (self.low, self.high))), force=True)

    def ask(self, low: float, high: float) -> None:
        """Show this interval as soon as there are the limits that it belongs to."""
        self._asked = low, high

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
