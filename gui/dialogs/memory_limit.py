"""How much memory a model may take: set at leisure, or asked when a model needs more."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QWidget

from engine.text import Text
from gui.dialogs.base import Dialog
from gui.i18n import text as translated

GB = 1e9
_MARGIN = 1.25
"""What is known to be needed is not all: activations and copies come on top."""
_MOST_GB = 1024.0


class MemoryLimitDialog(Dialog):
    """One number. `chosen` is called with bytes, or with None if the user gives up."""

    def __init__(
        self,
        limit: int,
        chosen: Callable[[int | None], None],
        parent: QWidget | None,
        *,
        refusal: Text | None = None,
        need: int = 0,
    ) -> None:
        """Ask.

        Args:
            limit: bytes that are allowed now.
            chosen: gets the answer.
            parent: window.
            refusal: why it is asked now; None = the user wants to set it.
            need: bytes that are known to be needed.
        """
        super().__init__("", "", parent, width=460)
        general = self.tr(
            "A file of a few bytes can describe a model that fills the memory of this machine; beyond the limit, "
            "Mixbit asks first."
        )
        self.sentence.setText(general if refusal is None else translated(refusal))
        self.sentence.show()
        self.setWindowTitle(self.tr("Memory limit"))
        asked = refusal is not None
        self.title_label.setText(
            self.tr("This model needs more memory than the limit allows.") if asked else self.tr("Memory limit")
        )
        self._chosen = chosen
        self.field = QDoubleSpinBox()
        self.field.setRange(0.1, _MOST_GB)
        self.field.setDecimals(1)
        self.field.setSuffix(" GB")
        self.field.setValue(max(limit, need * _MARGIN) / GB)
        self.add_button(self.tr("Cancel"), self.reject)
        if need <= _MOST_GB * GB:  # beyond, no answer would open it
            form = QFormLayout()
            form.addRow(self.tr("Memory that a model may take"), self.field)
            self.body.addLayout(form)
            words = self.tr("Open with this limit") if asked else self.tr("Apply")
            self.add_button(words, self.accept, primary=not asked)
        self.accepted.connect(lambda: self._chosen(int(self.field.value() * GB)))
        self.rejected.connect(lambda: self._chosen(None))
