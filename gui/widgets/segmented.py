"""A segmented control: a few exclusive choices side by side; where they don't fit, the chosen one with a menu."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.accessible import Role, say_changed
from gui.fonts import font
from gui.theme import theme_manager
from gui.widgets.popup import one_use_menu

ARROW = 12
"""Px for the arrow of a folded control."""
SLACK = 12
"""Px that segments may lose together before they fold; their padding is more than that."""


class SegmentedControl(QWidget):
    """Exclusive choices; `chosen` carries the key. Arrow keys step."""

    chosen = Signal(str)
    spoken_role = Role.ComboBox

    def __init__(
        self,
        choices: Sequence[tuple[str, str]] = (),
        current: str = "",
        *,
        height: int = 22,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._choices = list(choices)
        self._current = current or (choices[0][0] if choices else "")
        self._hovered: str | None = None
        self._disabled: frozenset[str] = frozenset()
        self.setFixedHeight(height)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    @property
    def current(self) -> str:
        """Key of the choice in use."""
        return self._current

    def spoken_value(self) -> str:
        """The label of the choice in use."""
        return next((text for key, text in self._choices if key == self._current), "")

    def set_current(self, key: str) -> None:
        """Show another choice, without a signal."""
        if key != self._current:
            self._current = key
            self.update()
            say_changed(self)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Replace keys and labels (after a change of language, say)."""
        self._choices = list(choices)
        self.updateGeometry()
        self.update()

    def set_disabled(self, keys: frozenset[str]) -> None:
        """Choices that can't be taken now."""
        self._disabled = keys
        self.update()

    def sizeHint(self) -> QSize:
        """Room for all labels."""
        return QSize(round(sum(self._widths()) + 2), self.height())

    def minimumSizeHint(self) -> QSize:
        """Room for the widest label and the arrow of the menu."""
        return QSize(round(max(self._widths(), default=0.0) + ARROW + 2), self.height())

    @property
    def folded(self) -> bool:
        """Whether the choices stand in a menu, for want of room."""
        return len(self._choices) > 1 and self.width() < self.sizeHint().width() - SLACK

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the track and its segments."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide = min(self.width(), self.minimumSizeHint().width()) if self.folded else self.width()
        frame = QRectF(0, 0, wide, self.height()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.border, 1))
        painter.setBrush(theme.raised)
        painter.drawRoundedRect(frame, 4, 4)
        if self.folded:
            self._paint_folded(painter, wide)
        for (key, text), rect in () if self.folded else zip(self._choices, self._rects(), strict=True):
            active = key == self._current
            if active:
                painter.setPen(QPen(theme.strong, 1))
                painter.setBrush(theme.panel if not theme.dark else theme.window)
                painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            painter.setFont(font(11, 600 if active else 500))
            dim = key in self._disabled
            color = theme.faint if dim else theme.text if active or key == self._hovered else theme.muted
            painter.setPen(color)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        if self.hasFocus():
            painter.setPen(QPen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the segment under the pointer."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self.folded:
            self._show_menu()
        else:
            self._take(self._at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tint the segment under the pointer."""
        self._hovered = self._at(event.position().x())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is hovered any more."""
        self._hovered = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with the arrow keys; Space opens the menu of a folded control."""
        if self.folded and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._show_menu()
            return
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        keys = [key for key, _ in self._choices if key not in self._disabled]
        if step is None or self._current not in keys:
            super().keyPressEvent(event)
            return
        self._take(keys[(keys.index(self._current) + step) % len(keys)])

    def _take(self, key: str | None) -> None:
        if key is not None and key not in self._disabled and key != self._current:
            self.set_current(key)
            self.chosen.emit(key)

    def _show_menu(self) -> None:
        menu = one_use_menu(self)
        for key, text in self._choices:
            action = menu.addAction(text, partial(self._take, key))
            action.setCheckable(True)
            action.setChecked(key == self._current)
            action.setEnabled(key not in self._disabled)
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _paint_folded(self, painter: QPainter, wide: int) -> None:
        theme = theme_manager.theme
        text = self.spoken_value()
        room = QRectF(9, 0, wide - 13 - ARROW, self.height())
        painter.setFont(font(11, 600))
        painter.setPen(theme.text)
        words = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        middle = QPointF(wide - 4 - ARROW / 2, self.height() / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.muted)
        painter.drawPolygon(QPolygonF([middle + QPointF(-4, -2), middle + QPointF(4, -2), middle + QPointF(0, 3)]))

    def _widths(self) -> list[float]:
        metrics = QFontMetricsF(font(11, 600))
        return [metrics.horizontalAdvance(text) + 18 for _, text in self._choices]

    def _rects(self) -> list[QRectF]:
        widths = self._widths()
        scale = (self.width() - 2) / (sum(widths) or 1)
        rects, x = [], 1.0
        for width in widths:
            rects.append(QRectF(x, 1, width * scale, self.height() - 2))
            x += width * scale
        return rects

    def _at(self, x: float) -> str | None:
        for (key, _), rect in zip(self._choices, self._rects(), strict=True):
            if rect.left() <= x < rect.right():
                return key
        return None
