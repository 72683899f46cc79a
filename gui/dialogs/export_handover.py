"""The part of the export dialog that says what the target makes of the plan: a verdict, its price, the changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from engine.text import Text
from gui import format as form
from gui.dialogs.export_changes import ChangesView
from gui.dialogs.export_check import Checked
from gui.i18n import text as translated
from gui.widgets.themed import label
from gui.widgets.verdict import Verdict


class HandoverPanel(QWidget):
    """Busy, as planned, changed, or refused."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.verdict = Verdict()
        self.changes = ChangesView()
        self.refusal: Text | None = None
        """Why the target can't take the plan; None if it can, or if nobody knows yet."""
        self._prices = QWidget()
        grid = QGridLayout(self._prices)
        grid.setContentsMargins(0, 2, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(3, 1)
        self.bytes_row, self.latency_row = self._row(grid, 0), self._row(grid, 1)
        self.verdict.body.addWidget(self._prices)
        self.verdict.body.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.verdict)
        column.addWidget(self.changes, 1)
        column.addStretch()
        self._prices.hide()

    @staticmethod
    def _row(grid: QGridLayout, row: int) -> tuple[QLabel, QLabel, QLabel]:
        made = (label(role="caption"), label(), label(role="caption"))
        for column, part in enumerate(made):
            grid.addWidget(part, row, column)
        return made

    def show_busy(self) -> None:
        """The answer is on its way."""
        self._clear()
        self.verdict.show_state("busy", self.tr("Checking what it makes of the plan"))

    def show_refusal(self, sentence: Text) -> None:
        """The target can't take this."""
        self._clear()
        self.refusal = sentence
        self.verdict.show_state("missed", self.tr("This can't be exported now"), translated(sentence))

    def show_checked(self, checked: Checked, kernels: int, device: str) -> None:
        """Show what becomes of a plan of so many tunable kernels."""
        self._clear()
        handover, effect = checked.handover, checked.effect
        if not handover.changes:
            self.verdict.show_state("met", self.tr("As planned: every kernel keeps its precision"))
        else:
            title = self.tr("Another precision for {count} of {all} kernels")
            detail = translated(checked.problem) if checked.problem is not None else ""
            self.verdict.show_state("near", title.format(count=len(handover.changes), all=kernels), detail)
        if effect is not None:
            self._price(self.bytes_row, self.tr("Model size"), effect.asked_bytes, effect.gets_bytes, form.bytes_)
            latency = self.tr("Simulated latency")
            self.latency_row[0].setToolTip(device)
            self._price(self.latency_row, latency, effect.asked_latency_us, effect.gets_latency_us, form.run_latency)
            self._prices.show()
        self.changes.show_handover(handover)
        self.changes.setVisible(bool(handover.changes or handover.notes))

    def _price(
        self,
        row: tuple[QLabel, QLabel, QLabel],
        name: str,
        asked: float | None,
        gets: float | None,
        shown: Callable[[float | None], str],
    ) -> None:
        share = gets / asked - 1 if asked and gets is not None else None
        row[0].setText(name)
        row[1].setText(f"{shown(asked)} → {shown(gets)}")
        row[2].setText(form.delta(share, form.percent))

    def _clear(self) -> None:
        self.refusal = None
        self._prices.hide()
        self.changes.clear()
        self.changes.hide()
