"""The line above a plot: what its axis means on the left, keys of lines and markers on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsWidget, QStyleOptionGraphicsItem, QWidget

from gui.fonts import font, text_width
from gui.paint import marker_path
from gui.plots.shapes import hatch, pen, plain_text
from gui.theme import LIGHT, Theme

HEIGHT = 22.0
TICK = 4.0
"""Px at the lower edge that the topmost label of the axis below reaches into."""
Mark = Literal["line", "dash", "box", "hatch", "marker", "frame", "dot", "cross", "disc", "ring"]


@dataclass(frozen=True, slots=True)
class Key:
    """One entry: a mark in a colour token (or of a precision family) and its word."""

    text: str
    mark: Mark
    color: str = "ink"
    """Token of the theme; with "marker" the precision family."""


class Caption(QGraphicsWidget):
    """A row of fixed height. Keys that don't fit beside the title are left out from the right."""

    def __init__(self, above: float = 0.0) -> None:
        """`above` px are left free, as a distance to the plot above."""
        super().__init__()
        self._above = above
        self.theme: Theme = LIGHT
        self._title, self._value, self._keys = "", "", tuple[Key, ...]()
        self._short, self._plain = "", False
        self.setMinimumHeight(HEIGHT + above)
        self.setMaximumHeight(HEIGHT + above)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.update()

    def set_shown(self, shown: bool) -> None:
        """Take the row's room, or give it back."""
        height = HEIGHT + self._above if shown else 0.0
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)
        self.setVisible(shown)

    def set(
        self, title: str, keys: Sequence[Key] = (), value: str = "", *, plain: bool = False, short: str = ""
    ) -> None:
        """Say what the plot shows; `value` stands bold (or `plain`) on the right.

        `short` takes the place of the title when the keys would not fit beside it.
        """
        self._short = short
        if (title, tuple(keys), value) != (self._title, self._keys, self._value):
            self._title, self._keys, self._value, self._plain = title, tuple(keys), value, plain
            self.update()

    def sizeHint(self, which: Qt.SizeHint, constraint: QSizeF | QRectF | None = None) -> QSizeF:  # type: ignore[override]
        """As wide as there is room."""
        return QSizeF(1e6 if which == Qt.SizeHint.MaximumSize else 10, HEIGHT)

    def content(self) -> QRectF:
        """Where title, keys and value stand."""
        return QRectF(self.rect().adjusted(0, self._above, 0, 0))

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Called by Qt."""
        area = self.content().adjusted(0, 0, 0, -TICK)
        form = font(11)
        title = self._fitting_title(area.width())
        plain_text(painter, area, title, self.theme.muted, form)
        right = area.right()
        if self._value:
            weight = 400 if self._plain else 600
            color = self.theme.muted if self._plain else self.theme.text
            width = text_width(self._value, 11, weight)
            right -= width
            plain_text(
                painter, QRectF(right, area.top(), width + 1, area.height()), self._value, color, font(11, weight)
            )
            right -= 14
        free = area.left() + text_width(title, 11) + 12
        for key in reversed(self._fitting_keys(right - free)):
            mark = _mark_width(key)
            width = mark + 6 + text_width(key.text, 11)
            self._mark(painter, key, QRectF(right - width, area.top(), mark, area.height()))
            box = QRectF(right - width + mark + 6, area.top(), width, area.height())
            plain_text(painter, box, key.text, self.theme.text2, form)
            right -= width + 14

    def _fitting_keys(self, room: float) -> list[Key]:
        """The first keys matter most."""
        chosen: list[Key] = []
        for key in self._keys:
            room -= _mark_width(key) + 6 + text_width(key.text, 11) + (14 if chosen else 0)
            if room < 0:
                break
            chosen.append(key)
        return chosen

    def _fitting_title(self, room: float) -> str:
        keys = sum(text_width(key.text, 11) + 36 for key in self._keys)
        fits = text_width(self._title, 11) + 12 + keys <= room
        return self._title if fits or not self._short else self._short

    def _mark(self, painter: QPainter, key: Key, box: QRectF) -> None:
        painter.save()
        middle = QPointF(box.center().x(), round(box.center().y()))
        if key.mark == "marker":
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillPath(marker_path(key.color, middle, 8), self.theme.precision(key.color).main)
        elif key.mark in ("line", "dash"):
            dashed = key.mark == "dash"
            painter.setPen(pen(self._color(key), 1.4 if dashed else 2.0, (4, 3) if dashed else ()))
            painter.drawLine(QPointF(box.left(), middle.y()), QPointF(box.right(), middle.y()))
        else:
            self._box(painter, key, QRectF(box.left(), middle.y() - 4, 9, 9))
        painter.restore()

    def _box(self, painter: QPainter, key: Key, box: QRectF) -> None:
        if key.mark == "box":
            painter.fillRect(box, self._color(key))
        elif key.mark == "dot":
            painter.fillRect(box, self.theme.heat[2])
            painter.fillRect(QRectF(box.center().x() - 1, box.center().y() - 1, 2, 2), self._color(key))
        elif key.mark == "cross":
            painter.fillRect(box, self.theme.sunken)
            painter.setPen(pen(self._color(key)))
            inner = box.adjusted(2, 2, -2, -2)
            painter.drawLines(
                [QLineF(inner.topLeft(), inner.bottomRight()), QLineF(inner.bottomLeft(), inner.topRight())]
            )
        elif key.mark in ("disc", "ring"):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(pen(self._color(key), 1.4))
            painter.setBrush(self._color(key) if key.mark == "disc" else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(box.center(), 3.6, 3.6)
        elif key.mark == "hatch":
            hatch(painter, [box], self._color(key), 4)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(pen(self._color(key), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 2, 2)

    def _color(self, key: Key) -> QColor:
        found = getattr(self.theme, key.color, None)
        return found if isinstance(found, QColor) else QColor(key.color)


def _mark_width(key: Key) -> float:
    return 16.0 if key.mark in ("line", "dash") else 9.0
