"""What screen readers are told of the widgets that paint themselves: what they are, and what they show now.

Qt knows its own widgets. One of ours says `spoken_role` and has `spoken_value()`, the words of what is chosen or
current in it; it calls `say_changed` when they change. One that can be pressed has `click`, one of several choices
`chosen_now`.
"""

from __future__ import annotations

import sys
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleValueChangeEvent
from PySide6.QtWidgets import QAccessibleWidget, QComboBox, QWidget

Role = QAccessible.Role
_PRESS, _FOCUS = "Press", "SetFocus"


class Spoken(QAccessibleWidget):
    """A widget of ours, as Qt hands it to the screen reader."""

    def text(self, which: QAccessible.Text) -> str:
        """Its value, beside what Qt says anyway."""
        widget: Any = self.object()
        if which is QAccessible.Text.Value and widget is not None:
            return str(widget.spoken_value())
        return super().text(which)

    def state(self) -> QAccessible.State:
        """Whether it is the chosen one of several."""
        found = super().state()
        chosen = getattr(self.object(), "chosen_now", None)
        if chosen is not None:
            found.selectable = True
            found.selected = bool(chosen())
        return found

    def actionNames(self) -> list[str]:
        """What can be done with it."""
        return [_PRESS, _FOCUS] if hasattr(self.object(), "click") else [_FOCUS]

    def doAction(self, name: str) -> None:
        """Do it."""
        widget: Any = self.object()
        if name == _PRESS and hasattr(widget, "click"):
            widget.click()
        else:
            super().doAction(name)


class SpokenChoice(QAccessibleWidget):
    """A list to choose from: on X11 Qt gives the chosen text as its name, and keeps the name to itself."""

    def __init__(self, box: QComboBox) -> None:
        super().__init__(box, Role.ComboBox)
        self._box = box

    def text(self, which: QAccessible.Text) -> str:
        """Its name or that of its label, and the chosen text as its value."""
        return self._box.currentText() if which is QAccessible.Text.Value else super().text(which)

    def actionNames(self) -> list[str]:
        """It can be opened."""
        return [_PRESS, _FOCUS]

    def doAction(self, name: str) -> None:
        """Open it."""
        if name == _PRESS:
            self._box.showPopup()
        else:
            super().doAction(name)


def install() -> None:
    """Let Qt ask us about our widgets; to be called once, before a window is shown."""
    QAccessible.installFactory(_interface)


def say_changed(widget: QWidget) -> None:
    """What a widget shows has changed; costs nothing while nobody listens."""
    if QAccessible.isActive():
        value: Any = widget
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(widget, value.spoken_value()))


def _interface(_: str, thing: QObject) -> QAccessibleWidget | None:
    if isinstance(thing, QComboBox):
        return SpokenChoice(thing) if sys.platform == "linux" and not thing.isEditable() else None
    role = getattr(thing, "spoken_role", None)
    return Spoken(thing, role) if isinstance(thing, QWidget) and role is not None else None
