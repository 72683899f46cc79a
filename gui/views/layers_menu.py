"""The menus of the Layers view: context menu of the rows, columns, and what stands behind the three dots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

from gui.views.layers_columns import COLUMNS, title
from gui.views.layers_rows import SEGMENTS
from gui.views.layers_table import ROW_HEIGHTS

translate = QCoreApplication.translate


class Actions(Protocol):
    """What the menus can do; the view implements it."""

    def set_family(self, name: str) -> None:
        """Set INT4, INT8 or FP16."""

    def edit_scheme(self) -> None:
        """Ask for an advanced scheme."""

    def toggle_lock(self) -> None:
        """Lock or unlock."""

    def select_similar(self, by: str) -> None:
        """Extend the selection."""

    def copy_value(self) -> None:
        """Copy one cell."""

    def copy_rows(self) -> None:
        """Copy the selected rows."""

    def copy_table(self) -> None:
        """Copy everything on show."""

    def export_csv(self) -> None:
        """Write a CSV file."""


def row_menu(parent: QWidget, do: Actions, *, editable: bool, locked: bool) -> QMenu:
    """Right click on a row; the entries work on the selection."""
    menu = QMenu(parent)
    for name, key in zip(SEGMENTS, "486", strict=True):
        _add(menu, f"{name}\t{key}", lambda name=name: do.set_family(name)).setEnabled(editable)
    _add(menu, translate("Layers", "Advanced scheme…"), do.edit_scheme).setEnabled(editable)
    lock = translate("Layers", "Unlock") if locked else translate("Layers", "Lock")
    _add(menu, f"{lock}\tL", do.toggle_lock)
    similar = menu.addMenu(translate("Layers", "Select similar"))
    for by, words in (
        ("op", translate("Layers", "Same operators")),
        ("kind", translate("Layers", "Same kind")),
        ("scheme", translate("Layers", "Same precision")),
        ("last", translate("Layers", "Same last part of the name")),
    ):
        _add(similar, words, lambda by=by: do.select_similar(by))
    menu.addSeparator()
    _add(menu, translate("Layers", "Copy value"), do.copy_value)
    _add(menu, translate("Layers", "Copy rows") + "\tCtrl+C", do.copy_rows)
    _add_export(menu, do)
    return menu


def more_menu(parent: QWidget, do: Actions, heights: Callable[[str], None], height: str) -> QMenu:
    """The three dots of the dock header."""
    menu = QMenu(parent)
    _add_export(menu, do)
    menu.addSeparator()
    words = {
        "compact": translate("Layers", "Compact rows"),
        "normal": translate("Layers", "Normal rows"),
        "roomy": translate("Layers", "Roomy rows"),
    }
    for name in ROW_HEIGHTS:
        action = _add(menu, words[name], lambda name=name: heights(name))
        action.setCheckable(True)
        action.setChecked(name == height)
    return menu


def columns_menu(
    parent: QWidget, shown: Callable[[str], bool], show: Callable[[str, bool], None], reset: Callable[[], None]
) -> QMenu:
    """Which columns are on."""
    menu = QMenu(parent)
    for column in COLUMNS:
        if column.key in ("index", "name", "precision"):
            continue
        action = menu.addAction(title(column.key))
        action.setCheckable(True)
        action.setChecked(shown(column.key))
        action.toggled.connect(lambda on, key=column.key: show(key, on))
    menu.addSeparator()
    _add(menu, translate("Layers", "Reset columns"), reset)
    return menu


def _add_export(menu: QMenu, do: Actions) -> None:
    _add(menu, translate("Layers", "Copy table"), do.copy_table)
    _add(menu, translate("Layers", "Export table as CSV…"), do.export_csv)


def _add(menu: QMenu, words: str, act: Callable[[], None]):  # type: ignore[no-untyped-def]
    action = menu.addAction(words)
    action.triggered.connect(lambda _=False: act())
    return action
