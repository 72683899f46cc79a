"""Rows of the search panel that are buttons: a proposal, a step up."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from engine.precision.scheme import Scheme, family, label
from gui.fonts import font
from gui.icons import paint_icon
from gui.paint import badge
from gui.paint.marks import badge_width
from gui.plots.shapes import plain_text
from gui.theme import theme_manager
from gui.views.fitting import fitting_name

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _Row(QAbstractButton):
    """Two lines over the whole width; hover and focus show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # drawn anew when the pointer comes or goes
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme_manager.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Room for two lines."""
        return QSize(180, 44)

    def ground(self, painter: QPainter) -> QRectF:
        """Paint ground, edge, focus; the area for words."""
        theme, area = theme_manager.theme, QRectF(self.rect())
        if self.isChecked():
            painter.fillRect(area, theme.selection)
            painter.fillRect(QRectF(0, 0, 3, area.height()), theme.accent)
        elif self.underMouse():
            painter.fillRect(area, theme.hover)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), theme.hair)
        if self.hasFocus():
            painter.setPen(QPen(theme.accent, 2))
            painter.drawRect(area.adjusted(1, 1, -1, -2))
        return area.adjusted(10, 3, -10, -4)


class ProposalRow(_Row):
    """Name, number of edits, state, figures."""

    def __init__(self, name: str, detail: str, figures: str, state: str, parent: QWidget | None = None) -> None:
        """`state` is "good", "bad" or "" (nothing was asked for)."""
        super().__init__(parent)
        self._name, self._detail, self._figures, self._state = name, detail, figures, state
        self.setCheckable(True)
        self.setText(name)
        self.setAccessibleName(f"{name}: {figures}, {detail}")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint both lines."""
        theme, painter = theme_manager.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self.ground(painter)
        first, second = QRectF(area.left(), area.top(), area.width(), 18), area.adjusted(0, 18, 0, 0)
        right = first.right()
        if self._state:
            icon = "check-circle" if self._state == "good" else "octagon"
            paint_icon(painter, icon, QRectF(right - 14, first.top() + 2, 14, 14), getattr(theme, self._state))
            right -= 20
        plain_text(painter, first, self._name, theme.text, font(12, 600))
        quiet = theme.text2 if self.isChecked() else theme.muted
        plain_text(painter, QRectF(first.left(), first.top(), right - first.left(), 18), self._detail, quiet, font(11),
                   RIGHT)  # fmt: skip
        plain_text(painter, second, self._figures, theme.text, font(12))


class StepRow(_Row):
    """A kernel, from which scheme to which, what it wins and costs."""

    def __init__(self, name: str, before: Scheme, after: Scheme, figures: str, short: str = "") -> None:
        super().__init__(None)
        self._name, self._before, self._after, self._figures = name, before, after, figures
        self._short = short
        self.setText(name)
        self.setToolTip(name)
        self.setAccessibleName(f"{name}, {label(before)} → {label(after)}: {figures}")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint both lines."""
        theme, painter = theme_manager.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self.ground(painter)
        to, start = label(self._after), label(self._before)
        left = area.right() - badge_width(to)
        badge(painter, QPointF(left, area.top() + 1), family(self._after), to, theme)
        left -= 14
        plain_text(painter, QRectF(left, area.top(), 14, 18), "→", theme.muted, font(11), Qt.AlignmentFlag.AlignCenter)
        left -= badge_width(start) + 2
        badge(painter, QPointF(left, area.top() + 1), family(self._before), start, theme)
        path, tail = fitting_name(self._name, int(left - area.left() - 8), 500, self._short)
        plain_text(painter, area.adjusted(0, 0, 0, -18), path, theme.muted, font(12))
        used = QFontMetricsF(font(12)).horizontalAdvance(path)
        plain_text(painter, area.adjusted(used, 0, 0, -18), tail, theme.text, font(12, 500))
        plain_text(painter, area.adjusted(0, 18, 0, 0), self._figures, theme.text2, font(11))
