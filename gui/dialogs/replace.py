"""Asks before something that exists is written over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.dialogs.base import Dialog


class ReplaceDialog(Dialog):
    """Replace, or stay; Enter stays."""

    replaced = Signal()

    def __init__(self, path: Path, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=420)
        folder = path.is_dir()
        self.setWindowTitle(self.tr("Replace"))
        self.title_label.setText(self.tr("{name} exists already.").format(name=path.name))
        self.title_label.setWordWrap(True)
        self.sentence.setText(
            self.tr("Files of the same names in this folder will be replaced:\n{folder}").format(folder=path)
            if folder
            else self.tr("Its content will be lost. It is in\n{folder}").format(folder=path.parent)
        )
        self.sentence.show()
        self.replace = self.add_button(self.tr("Replace"), self._on_replace)
        self.stay = self.add_button(self.tr("Cancel"), self.reject, primary=True)
        self.stay.setFocus()

    def _on_replace(self) -> None:
        self.accept()
        self.replaced.emit()


def unless_exists(path: Path, parent: QWidget | None, go: Callable[[], object]) -> None:
    """Do something that writes to `path`, after asking if a file or a folder with something in it is there."""
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        dialog = ReplaceDialog(path, parent)
        dialog.replaced.connect(go)
        dialog.open()
    else:
        go()
