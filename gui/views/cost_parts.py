"""Parts of Kernel cost: a section of figures with their formulas, and bars of what would lift the kernel."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui import format as form
from gui.fonts import font, text_width
from gui.paint import plain_bar
from gui.theme import theme_manager
from gui.widgets.themed import label, line

EDGE = 14
_ROW, _LINE = 34, 15
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class SectionBox(QWidget):
    """A heading, then name and value per line with the formula below them."""

    def __init__(self) -> None:
        super().__init__()
        self._title = label(role="strong")
        self._rows: list[tuple[QLabel, QLabel, QLabel]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(5)
        column.addWidget(line())
        column.addWidget(self._title)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        column.addLayout(self._grid)

    def show_section(self, title: str, lines: Sequence[tuple[str, str, str]]) -> None:
        """Show other lines: name, value, formula ('' for none)."""
        self._title.setText(title)
        while len(self._rows) < len(lines):
            self._add_row()
        for number, parts in enumerate(self._rows):
            there = number < len(lines)
            for part, words in zip(parts, lines[number] if there else ("", "", ""), strict=True):
                part.setText(words)
                part.setVisible(there and bool(words))
        self.setAccessibleName(title)
        self.setAccessibleDescription("; ".join(f"{name}: {value} {formula}".strip() for name, value, formula in lines))

    def _add_row(self) -> None:
        name, value, formula = label(role="caption"), label(role="strong"), label(role="muted")
        value.setAlignment(_RIGHT)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        name.setWordWrap(True)
        formula.setWordWrap(True)
        at = 2 * len(self._rows)
        self._grid.setRowMinimumHeight(at, 19)
        self._grid.addWidget(name, at, 0)
        self._grid.addWidget(value, at, 1)
        self._grid.addWidget(formula, at + 1, 0, 1, 2)
        self._rows.append((name, value, formula))


class LiftRows(QWidget):
    """One row per change: what it is, and a bar of the latency that it leaves."""

    def __init__(self) -> None:
        super().__init__()
        self._lifts: list[tuple[str, float]] = []
        self._now = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_lifts(self, lifts: Sequence[tuple[str, float]], now_us: float) -> None:
        """Show other changes with the latency in us that each leaves."""
        self._lifts, self._now = list(lifts), now_us
        self.setVisible(bool(lifts))
        self.setAccessibleDescription("; ".join(f"{words}: {form.latency_us(us)}" for words, us in lifts))
        self.updateGeometry()
        self.update()

    @property
    def lifts(self) -> list[tuple[str, float]]:
        """What is on show."""
        return self._lifts

    def sizeHint(self) -> QSize:
        """Room for all rows."""
        return QSize(240, round(sum(self._height(*lift) for lift in self._lifts)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """At another width other words need a line of their own."""
        super().resizeEvent(event)
        self.updateGeometry()

    def _figure(self, after: float) -> str:
        saved = (self._now - after) / self._now if self._now else 0.0
        return f"{form.latency_us(after)}  −{form.percent(saved)}"

    def _height(self, words: str, after: float) -> float:
        """Px of a row: where words and figure don't fit side by side, the words have a line of their own."""
        needed = text_width(words, 11) + 10 + text_width(self._figure(after), 11, 600)
        return _ROW if needed <= self.width() else _ROW + _LINE

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw all rows."""
        painter, theme = QPainter(self), theme_manager.theme
        y = 0.0
        for words, after in self._lifts:
            height = self._height(words, after)
            line = QRectF(0, y + height - _ROW + 2, self.width(), 17)
            painter.setFont(font(11, 600))
            painter.setPen(theme.text)
            painter.drawText(line, _RIGHT, self._figure(after))
            painter.setFont(font(11))
            painter.setPen(theme.text2)
            painter.drawText(QRectF(0, y + 2, self.width(), 17), _MIDDLE, words)
            bar = QRectF(0, line.bottom(), self.width(), 11)
            plain_bar(painter, bar, after / self._now if self._now else 0.0, theme.accent, theme)
            y += height
