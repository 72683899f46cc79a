"""The menus of the Layers view: context menu of the rows, columns, and what stands behind the three dots."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gui.views.layers_columns import COLUMNS, title
from gui.views.layers_copies import LayerCopies
from gui.views.layers_edits import LayerEdits
from gui.views.layers_model import LayersModel
from gui.views.layers_rows import SEGMENTS
from gui.views.layers_table import ROW_HEIGHTS
from gui.widgets.popup import one_use_menu

translate = QCoreApplication.translate


def row_menu(parent: QWidget, edits: LayerEdits, copies: LayerCopies) -> QMenu:
    """Right click on a row; the entries work on the selection."""
    menu, editable = one_use_menu(parent), edits.editable
    for name, key in zip(SEGMENTS, "486", strict=True):
        _add(menu, f"{name}\t{key}", partial(edits.set_family, name)).setEnabled(editable)
    _add(menu, translate("Layers", "Advanced scheme…"), edits.edit_scheme).setEnabled(editable)
    lock = translate("Layers", "Unlock") if edits.locked else translate("Layers", "Lock")
    _add(menu, f"{lock}\tL", edits.toggle_lock)
    similar = menu.addMenu(translate("Layers", "Select similar"))
    for by, words in (
        ("op", translate("Layers", "Same operators")),
        ("kind", translate("Layers", "Same kind")),
        ("scheme", translate("Layers", "Same precision")),
        ("last", translate("Layers", "Same last part of the name")),
    ):
        _add(similar, words, partial(edits.select_similar, by))
    menu.addSeparator()
    _add(menu, translate("Layers", "Copy value"), copies.copy_value)
    _add(menu, translate("Layers", "Copy rows") + "\tCtrl+C", copies.copy_rows)
    _add_export(menu, copies)
    return menu


def more_menu(parent: QWidget, copies: LayerCopies, heights: Callable[[str], None], height: str) -> QMenu:
    """The three dots of the dock header."""
    menu = one_use_menu(parent)
    _add_export(menu, copies)
    menu.addSeparator()
    words = {
        "compact": translate("Layers", "Compact rows"),
        "normal": translate("Layers", "Normal rows"),
        "roomy": translate("Layers", "Roomy rows"),
    }
    for name in ROW_HEIGHTS:
        action = _add(menu, words[name], partial(heights, name))
        action.setCheckable(True)
        action.setChecked(name == height)
    return menu


def columns_menu(
    parent: QWidget,
    shown: Callable[[str], bool],
    show: Callable[[str, bool], None],
    reset: Callable[[], None],
    model: LayersModel,
) -> QMenu:
    """Which columns are on, and which of them the rows are sorted by: a title can only be clicked."""
    menu = one_use_menu(parent)
    order = menu.addMenu(translate("Layers", "Sort by"))
    for column in COLUMNS:
        if shown(column.key):
            now = column.key == model.sort_key
            arrow = "" if not now else "\t↓" if model.descending else "\t↑"
            action = _add(order, title(column.key) + arrow, partial(model.sort_or_turn, column.key))
            action.setCheckable(True)
            action.setChecked(now)
    menu.addSeparator()
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


def _add_export(menu: QMenu, copies: LayerCopies) -> None:
    _add(menu, translate("Layers", "Copy table"), copies.copy_table)
    _add(menu, translate("Layers", "Export table as CSV…"), copies.export_csv)


def _add(menu: QMenu, words: str, act: Callable[[], object]) -> QAction:
    action = menu.addAction(words)
    action.triggered.connect(lambda _=False: act())
    return action
