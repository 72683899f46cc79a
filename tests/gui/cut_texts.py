"""Finds texts that have less room than they need, in all widgets on show below one."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QRadioButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

SLACK = 1
"""Px that rounding may cost."""


def cut_texts(root: QWidget) -> list[str]:
    """One line for each label, button or column title whose text is cut."""
    found: list[str] = []
    for widget in (root, *root.findChildren(QWidget)):
        seen = widget.viewport() if isinstance(widget, QHeaderView) else widget  # what lies over a header is its own
        if not widget.isVisible() or seen.visibleRegion().isEmpty():
            continue
        found += [f"{_where(widget)}: {what}" for what in _cut(widget)]
    return sorted(set(found))


def _cut(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel):
        yield from _label(widget)
    elif isinstance(widget, QHeaderView):
        yield from _header(widget)
    elif isinstance(widget, QLineEdit):
        if not widget.text() and not widget.hasFocus():
            icons = [action for action in widget.actions() if "clear" not in action.objectName()]
            yield from _line(widget, widget.placeholderText(), widget.width() - 12 - 36 * len(icons))
    elif isinstance(widget, QAbstractButton):
        yield from _button(widget)
    elif isinstance(widget, QScrollArea):
        yield from _unreachable(widget)
    yield from _outside(widget)


def _label(label: QLabel) -> Iterator[str]:
    words, room = label.text(), label.contentsRect()
    if not words:
        return
    if label.wordWrap():
        needed = label.heightForWidth(label.width())
        if needed > label.height() + SLACK:
            yield f"{words!r} needs {needed} px height, has {label.height()}"
    elif label.minimumSizeHint().width() > label.width() + SLACK:
        yield f"{words!r} needs {label.minimumSizeHint().width()} px, has {room.width()}"


def _button(button: QAbstractButton) -> Iterator[str]:
    if not button.text() or (isinstance(button, QToolButton) and button.toolButtonStyle() == _ICON_ONLY):
        return
    needed = button.sizeHint().width()
    if isinstance(button, (QCheckBox, QRadioButton)) and needed > button.width() + SLACK:
        yield f"{button.text()!r} needs {needed} px, has {button.width()}"
    elif not isinstance(button, (QCheckBox, QRadioButton)):
        text = button.fontMetrics().horizontalAdvance(button.text().replace("&", ""))
        icon = 0 if button.icon().isNull() else button.iconSize().width() + 4
        if text + icon > button.width():
            yield f"{button.text()!r} needs {text + icon} px, has {button.width()}"


def _header(header: QHeaderView) -> Iterator[str]:
    if header.orientation() is not Qt.Orientation.Horizontal or header.model() is None:
        return
    for section in range(header.count()):
        words = str(header.model().headerData(section, Qt.Orientation.Horizontal) or "")
        if header.isSectionHidden(section) or not words:
            continue
        painted = type(header) is not QHeaderView  # pads as it likes
        needed = header.fontMetrics().horizontalAdvance(words) + 6 if painted else header.sectionSizeHint(section)
        if needed > header.sectionSize(section) + SLACK:
            yield f"column {words!r} needs {needed} px, has {header.sectionSize(section)}"
        right = header.sectionViewportPosition(section) + header.sectionSize(section)
        if right > header.viewport().width() + SLACK:
            yield f"column {words!r} ends {right - header.viewport().width()} px outside"


def _line(widget: QWidget, words: str, room: int) -> Iterator[str]:
    needed = widget.fontMetrics().horizontalAdvance(words)
    if words and needed > room + SLACK:
        yield f"{words!r} needs {needed} px, has {room}"


def _unreachable(area: QScrollArea) -> Iterator[str]:
    """What is wider than an area that only scrolls downwards can't be reached."""
    held = area.widget()
    never = area.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    if never and held is not None and held.width() > area.viewport().width() + SLACK:
        yield f"what is scrolled is {held.width()} px wide, has {area.viewport().width()}"


def _outside(widget: QWidget) -> Iterator[str]:
    """A part that reaches over the right edge of what holds it is cut there, unless it can be scrolled to."""
    holder = widget.parentWidget()
    texts = (QLabel, QAbstractButton, QLineEdit)
    if not isinstance(widget, texts) or holder is None or widget.isWindow() or isinstance(holder, QScrollArea):
        return
    over = widget.geometry().right() - holder.rect().right()
    if over > SLACK and getattr(widget, "text", lambda: "")():
        yield f"{widget.text()!r} reaches {over} px out of its place"


def _where(widget: QWidget) -> str:
    from gui.docks import Dock

    up: QWidget | None = widget
    while up is not None:
        if isinstance(up, Dock):
            return f"dock {up.spec.id}"
        if up.isWindow():
            return type(up).__name__
        up = up.parentWidget()
    return "?"


_ICON_ONLY = Qt.ToolButtonStyle.ToolButtonIconOnly
