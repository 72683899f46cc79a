"""Asks before unsaved edits are lost."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.dialogs.base import Dialog


class UnsavedDialog(Dialog):
    """Save, discard, or stay."""

    saved = Signal()
    discarded = Signal()

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=420)
        self.setWindowTitle(self.tr("Unsaved edits"))
        self.title_label.setText(self.tr("The plan has edits that are not saved."))
        self.add_button(self.tr("Discard"), self._on_discard, left=True)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Save…"), self._on_save, primary=True).setFocus()

    def _on_save(self) -> None:
        self.accept()
        self.saved.emit()

    def _on_discard(self) -> None:
        self.accept()
        self.discarded.emit()
