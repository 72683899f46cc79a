"""All keys on one page, made from the table of commands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from gui.commands import COMMANDS, GESTURES, MENUS, Command, shown
from gui.dialogs.base import Dialog
from gui.widgets.scrolling import scrolling
from gui.widgets.themed import label


class ShortcutsDialog(Dialog):
    """Commands by menu on the left and in the middle, gestures of the views at the end."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=760)
        self.setWindowTitle(self.tr("Shortcuts"))
        self.title_label.setText(self.tr("Shortcuts"))
        page = QWidget()
        halves = QHBoxLayout(page)
        halves.setContentsMargins(0, 0, 0, 0)
        halves.setSpacing(28)
        columns = [QVBoxLayout(), QVBoxLayout()]
        for column in columns:
            column.setSpacing(12)
            halves.addLayout(column, 1)
        groups = [(shown(title), _keys(name)) for name, title in MENUS.items()]
        groups.append((self.tr("In the views"), [(shown(g.text), (g.keys,)) for g in GESTURES]))
        groups = [(title, rows) for title, rows in groups if rows]
        for (title, rows), place in zip(groups, halved([len(rows) + 2 for _, rows in groups]), strict=True):
            columns[place].addLayout(_group(title, rows))
        for column in columns:
            column.addStretch()
        scroll = scrolling(page, by_key=True)
        scroll.setMinimumHeight(552)
        scroll.setAccessibleName(self.tr("Shortcuts"))
        self.body.addWidget(scroll, 1)
        self.add_button(self.tr("Close"), self.accept, primary=True).setFocus()


def halved(lengths: Sequence[int]) -> tuple[int, ...]:
    """The column of each group, 0 or 1, so that the longer column is as short as can be; the first is on the left."""

    def longer(places: tuple[int, ...]) -> int:
        left = sum(length for length, place in zip(lengths, places, strict=True) if place == 0)
        return max(left, sum(lengths) - left)

    return min(((0, *rest) for rest in product((0, 1), repeat=max(0, len(lengths) - 1))), key=longer)


def _keys(menu: str) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (shown(entry.text), entry.keys)
        for entry in COMMANDS
        if isinstance(entry, Command) and entry.menu == menu and entry.keys and entry.listed
    ]


def _group(title: str, rows: list[tuple[str, tuple[str, ...]]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setVerticalSpacing(5)
    grid.setColumnStretch(0, 1)
    grid.addWidget(label(title, "strong"), 0, 0, 1, 2)
    for number, (text, keys) in enumerate(rows, 1):
        what = label(text, "caption")
        what.setWordWrap(True)
        grid.addWidget(what, number, 0)
        box = QHBoxLayout()
        box.setSpacing(4)
        for key in keys:
            box.addWidget(label(key, "key"), 0, Qt.AlignmentFlag.AlignVCenter)
        grid.addLayout(box, number, 1, Qt.AlignmentFlag.AlignRight)
    return grid
