"""Asks before a plan of another model is applied by names."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.dialogs.base import Dialog


class ForeignPlanDialog(Dialog):
    """Take what fits by names, or leave the plan as it is."""

    chosen = Signal()

    def __init__(self, sentence: str, parent: QWidget | None) -> None:
        super().__init__("", sentence, parent, width=460)
        self.setWindowTitle(self.tr("A plan for another model"))
        self.title_label.setText(self.tr("Take what fits by the names of kernels and weights?"))
        self.add_button(self.tr("Cancel"), self.reject, primary=True).setFocus()
        self.add_button(self.tr("Apply by names"), self._on_apply, left=True)

    def _on_apply(self) -> None:
        self.accept()
        self.chosen.emit()
