"""The precision switch as a widget: for the inspector and the bulk bar. Tables paint the same thing themselves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.accessible import Role, say_changed
from gui.paint import FAMILIES, SwitchLook, paint_switch, switch_hit
from gui.theme import theme_manager


class PrecisionSwitch(QWidget):
    """INT4, INT8 or FP16; `chosen` carries the family. Arrow keys step."""

    chosen = Signal(str)
    spoken_role = Role.ComboBox

    def __init__(self, *, height: int = 19, segment: int = 48, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = SwitchLook()
        self._hovered: str | None = None
        self._segment = segment
        self.setFixedHeight(height + 4)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("INT4, INT8, FP16")
        theme_manager.changed.connect(self.update)

    @property
    def look(self) -> SwitchLook:
        """What it shows."""
        return self._look

    def set_look(self, look: SwitchLook) -> None:
        """Show something else, without a signal."""
        said, self._look = self.spoken_value(), look
        self.update()
        if self.spoken_value() != said:
            say_changed(self)

    def spoken_value(self) -> str:
        """The scheme that is set."""
        return self._look.label or self._look.chosen or ""

    def sizeHint(self) -> QSize:
        """Three segments."""
        return QSize(3 * self._segment + 4, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the switch."""
        look = self._look
        shown = SwitchLook(
            look.chosen, look.label, look.bits, look.unsupported, self.hasFocus(), self._hovered, look.locked
        )
        pixels = 11 if self.height() >= 28 else 10
        paint_switch(QPainter(self), self._track(), shown, theme_manager.theme, pixels)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the segment under the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._take(switch_hit(self._track(), event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tint the segment under the pointer."""
        self._hovered = switch_hit(self._track(), event.position())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is hovered any more."""
        self._hovered = None
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the ring."""
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with the arrow keys."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        at = FAMILIES.index(self._look.chosen) if self._look.chosen in FAMILIES else 1 - step
        self._take(FAMILIES[min(max(at + step, 0), len(FAMILIES) - 1)])

    def _take(self, family: str | None) -> None:
        if family is not None and not self._look.locked:
            self.chosen.emit(family)

    def _track(self) -> QRectF:
        return QRectF(self.rect()).adjusted(2, 2, -2, -2)
