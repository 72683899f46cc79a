"""Menus that are made for one use: shown, and gone when it is safe."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

_NAME = "menuForOneUse"


def one_use_menu(parent: QWidget) -> QMenu:
    """An empty menu of `parent`; it lives until `parent` makes its next one, or goes itself.

    A menu that deletes itself when it closes may be gone before the release of the very key or button that closed it.
    """
    for old in parent.findChildren(QMenu, _NAME, Qt.FindChildOption.FindDirectChildrenOnly):
        if not old.isVisible():
            old.setObjectName("")
            old.deleteLater()
    menu = QMenu(parent)
    menu.setObjectName(_NAME)
    return menu
