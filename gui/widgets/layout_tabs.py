"""The layout tabs in the middle of the menu row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.accessible import Role, say_changed
from gui.fonts import font
from gui.theme import theme_manager

HEIGHT = 34


class LayoutTabs(QWidget):
    """Names of layouts side by side; the one in use is underlined. Arrow keys step."""

    chosen = Signal(str)
    spoken_role = Role.PageTabList

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tabs: list[tuple[str, str]] = []
        self._tips: dict[str, str] = {}
        self._current = ""
        self._over: str | None = None
        self._pad = 20
        self.setFixedHeight(HEIGHT)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    def set_tabs(self, tabs: Sequence[tuple[str, str]], disabled: dict[str, str]) -> None:
        """Keys and titles; `disabled` has a reason for each key that can't be chosen."""
        self._tabs, self._tips = list(tabs), dict(disabled)
        self.updateGeometry()
        self.update()

    def set_current(self, key: str) -> None:
        """Underline a tab."""
        if key != self._current:
            self._current = key
            self.update()
            say_changed(self)

    def spoken_value(self) -> str:
        """The title of the layout in use."""
        return next((title for key, title in self._tabs if key == self._current), "")

    def set_pad(self, pad: int) -> None:
        """Room on both sides of a title, in px."""
        if pad != self._pad:
            self._pad = pad
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        """All tabs in full."""
        return QSize(round(sum(self._widths())), HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw titles and the line."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for (key, title), rect in zip(self._tabs, self._rects(), strict=True):
            active = key == self._current
            painter.setFont(font(12, 600 if active else 500))
            if key in self._tips:
                painter.setPen(theme.faint)
            else:
                painter.setPen(theme.text if active else theme.text2 if key == self._over else theme.muted)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, title)
            if active:
                line = QRectF(rect.x() + self._pad - 4, HEIGHT - 2.5, rect.width() - 2 * self._pad + 8, 2.5)
                painter.fillRect(line, theme.accent)
                if self.hasFocus():
                    painter.setPen(theme.accent)
                    painter.drawRoundedRect(rect.adjusted(self._pad - 9, 5, 9 - self._pad, -6), 4, 4)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the tab under the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._take(self._at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tint the tab under the pointer."""
        self._over = self._at(event.position().x())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is hovered any more."""
        self._over = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with the arrow keys."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        keys = [key for key, _ in self._tabs if key not in self._tips]
        if step is None or self._current not in keys:
            super().keyPressEvent(event)
            return
        self._take(keys[(keys.index(self._current) + step) % len(keys)])

    def event(self, event: QEvent) -> bool:
        """Say why a tab can't be chosen."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            key = self._at(event.pos().x())
            QToolTip.showText(event.globalPos(), self._tips.get(key or "", ""), self)
            return True
        return super().event(event)

    def _take(self, key: str | None) -> None:
        if key is not None and key not in self._tips and key != self._current:
            self.chosen.emit(key)

    def _widths(self) -> list[float]:
        metrics = QFontMetricsF(font(12, 600))
        return [metrics.horizontalAdvance(title) + 2 * self._pad for _, title in self._tabs]

    def _rects(self) -> list[QRectF]:
        rects, x = [], 0.0
        for width in self._widths():
            rects.append(QRectF(x, 0, width, HEIGHT))
            x += width
        return rects

    def _at(self, x: float) -> str | None:
        for (key, _), rect in zip(self._tabs, self._rects(), strict=True):
            if rect.left() <= x < rect.right():
                return key
        return None
