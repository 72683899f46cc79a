"""Where Tab stops: what gets the keys is always something whose focus can be seen."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

_TAB = Qt.FocusPolicy.TabFocus


def stops_in(*roots: QWidget) -> Iterator[QWidget]:
    """What takes the keys by Tab inside these widgets, themselves included, and is on show."""
    for root in roots:
        for widget in (root, *root.findChildren(QWidget)):
            if widget.isEnabled() and widget.isVisibleTo(root.window()) and widget.focusPolicy() & _TAB:
                yield widget


def give_keys(*roots: QWidget) -> bool:
    """Give the keys to the first stop inside these widgets; whether there is one."""
    first = next(stops_in(*roots), None)
    if first is not None:
        first.setFocus(Qt.FocusReason.TabFocusReason)
    return first is not None
