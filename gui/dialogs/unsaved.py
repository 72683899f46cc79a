"""Asks before unsaved edits are lost."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.dialogs.base import Dialog


class UnsavedDialog(Dialog):
    """Save, discard, or stay."""

    saved = Signal()
    discarded = Signal()

    def __init__(self, parent: QWidget | None, *, has_file: bool = False) -> None:
        """Ask; without a file of the project a place is asked for next, which the dots on the button say."""
        super().__init__("", "", parent, width=420)
        self.setWindowTitle(self.tr("Unsaved edits"))
        self.title_label.setText(self.tr("The plan has edits that are not saved."))
        self.add_button(self.tr("Discard"), self._on_discard, left=True)
        self.add_button(self.tr("Cancel"), self.reject)
        save = self.tr("Save") if has_file else self.tr("Save…")
        self.add_button(save, self._on_save, primary=True).setFocus()

    def _on_save(self) -> None:
        self.accept()
        self.saved.emit()

    def _on_discard(self) -> None:
        self.accept()
        self.discarded.emit()
