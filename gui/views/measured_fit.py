"""What a fit has found: each constant with its uncertainty, the error on kernels it has not seen, and its use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QGridLayout, QWidget

from engine.errors import MixbitError
from engine.interop.fit import Fit, Fitted
from engine.npu.fields import BY_KEY
from gui import folders
from gui import format as fmt
from gui.dialogs.base import Dialog
from gui.i18n import data_text, text
from gui.widgets.themed import label

if TYPE_CHECKING:
    from engine.session import Session

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FitDialog(Dialog):
    """A table of constants; the new profile is written and used on request only."""

    def __init__(self, session: Session, fit: Fit, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=640)
        self._session, self._fit = session, fit
        title = self.tr("Device fitted to %n measured kernel(s)", "", fit.measurements)
        self.setWindowTitle(title)
        self.title_label.setText(title)
        words = self.tr(
            "Median error per kernel: {before} before, {after} now, {held} on kernels that the fit has not seen. "
            "The new error band is ±{band}."
        )
        self.sentence.setText(
            words.format(
                before=fmt.percent(fit.before),
                after=fmt.percent(fit.after),
                held=fmt.percent(fit.held_out),
                band=fmt.percent(fit.band),
            )
        )
        self.sentence.show()
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(6)
        heads = (self.tr("Constant"), self.tr("Before"), self.tr("Fitted"), self.tr("Uncertainty"))
        for column, head in enumerate(heads):
            grid.addWidget(label(head, "muted"), 0, column, _RIGHT if column else Qt.AlignmentFlag.AlignLeft)
        row = 1
        for each in fit.parameters:
            for column, cell in enumerate(_cells(each)):
                grid.addWidget(label(cell), row, column, _RIGHT if column else Qt.AlignmentFlag.AlignLeft)
            row += 1
            if each.sentence is not None:
                note = label(text(each.sentence), "caption")
                note.setWordWrap(True)
                grid.addWidget(note, row, 0, 1, 4)
                row += 1
        grid.setColumnStretch(0, 1)
        self.body.addLayout(grid)
        self.add_button(self.tr("Close"), self.reject)
        self.use = self.add_button(self.tr("Save and use…"), self._on_use, primary=True)

    def _on_use(self) -> None:
        title = self.tr("Save the fitted device profile")
        proposal = folders.to_save(self, f"{self._fit.device.name}.json")
        chosen, _ = QFileDialog.getSaveFileName(self, title, proposal, "JSON (*.json)")
        if not chosen:
            return
        self.save(chosen)

    def save(self, path: str) -> None:
        """Write the profile and use it; a refusal is told here."""
        from pathlib import Path

        try:
            self._session.measurements.use_fit(Path(path))
        except MixbitError as error:
            self.show_problem(text(error.text))
            return
        self.accept()


def _cells(each: Fitted) -> tuple[str, str, str, str]:
    field = BY_KEY[each.key]
    unit = "" if field.unit in ("fraction", "") else f"\u202f{field.unit.replace('us', 'µs')}"
    told = each.error is not None
    return (
        data_text(field.meaning),
        f"{each.before:.4g}{unit}",
        f"{each.value:.4g}{unit}" if told else "–",
        f"±{fmt.percent(each.error)}" if each.error is not None else "–",
    )
