"""Helpers that most widgets share: follow the theme, carry style-sheet properties."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from gui.theme import Theme, theme_manager


def follow_theme(widget: QWidget, apply: Callable[[Theme], None] | None = None) -> None:
    """Repaint a widget whenever the theme changes, after `apply` (a method of the widget) has taken it over."""
    theme_manager.changed.connect(apply if apply is not None else widget.update)


def restyle(widget: QWidget) -> None:
    """Let the style sheet look at a changed property again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def label(text: str = "", role: str = "", parent: QWidget | None = None) -> QLabel:
    """A label in one of the roles of the style sheet: muted, caption, title, page, heading, strong, bad, warn, key."""
    made = QLabel(text, parent)
    if role:
        made.setProperty("role", role)
    return made


def set_role(made: QLabel, role: str) -> None:
    """Give a label another role."""
    if made.property("role") != role:
        made.setProperty("role", role)
        restyle(made)


def button(text: str = "", *, primary: bool = False, flat: bool = False, link: bool = False) -> QPushButton:
    """A push button; at most one of the flags."""
    made = QPushButton(text)
    for name, wanted in (("primary", primary), ("flat", flat), ("link", link)):
        if wanted:
            made.setProperty(name, True)
    made.setAutoDefault(False)
    return made


def line() -> QFrame:
    """A horizontal hairline."""
    made = QFrame()
    made.setProperty("line", True)
    return made


def box() -> QFrame:
    """A frame with a thin border and round corners."""
    made = QFrame()
    made.setProperty("box", True)
    return made
