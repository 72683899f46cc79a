"""A segmented control: a few exclusive choices side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.fonts import font
from gui.theme import theme_manager


class SegmentedControl(QWidget):
    """Exclusive choices; `chosen` carries the key. Arrow keys step."""

    chosen = Signal(str)

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
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    @property
    def current(self) -> str:
        """Key of the choice in use."""
        return self._current

    def set_current(self, key: str) -> None:
        """Show another choice, without a signal."""
        if key != self._current:
            self._current = key
            self.update()

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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the track and its segments."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.border, 1))
        painter.setBrush(theme.raised)
        painter.drawRoundedRect(frame, 4, 4)
        for (key, text), rect in zip(self._choices, self._rects(), strict=True):
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
        if event.button() == Qt.MouseButton.LeftButton:
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
        """Step with the arrow keys."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        keys = [key for key, _ in self._choices if key not in self._disabled]
        if step is None or self._current not in keys:
            super().keyPressEvent(event)
            return
        self._take(keys[(keys.index(self._current) + step) % len(keys)])

    def _take(self, key: str | None) -> None:
        if key is not None and key not in self._disabled and key != self._current:
            self._current = key
            self.update()
            self.chosen.emit(key)

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
