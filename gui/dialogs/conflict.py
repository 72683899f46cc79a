"""Asks what to do when another window has written the project in the meantime."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engine.text import Text
from gui.dialogs.base import Dialog
from gui.i18n import text as translated


class ConflictDialog(Dialog):
    """Save under another name, overwrite, or stay."""

    overwritten = Signal()
    elsewhere = Signal()

    def __init__(self, sentence: Text, parent: QWidget | None) -> None:
        super().__init__("", translated(sentence), parent, width=460)
        self.setWindowTitle(self.tr("Changed elsewhere"))
        self.title_label.setText(self.tr("Another window has saved this project."))
        self.add_button(self.tr("Overwrite"), self._on_overwrite, left=True)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Save as…"), self._on_elsewhere, primary=True).setFocus()

    def _on_overwrite(self) -> None:
        self.accept()
        self.overwritten.emit()

    def _on_elsewhere(self) -> None:
        self.accept()
        self.elsewhere.emit()
