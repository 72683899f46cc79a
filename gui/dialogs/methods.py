"""What each weight method gains on one kernel and at the output; the best for all kernels by measurement."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from engine.fusion.types import Kernel
from engine.precision.scheme import Scheme
from engine.session.changes import Change, What
from gui import format as form
from gui.dialogs.base import Dialog
from gui.i18n import text
from gui.views.scheme_words import method_name, method_words
from gui.widgets.themed import label

if TYPE_CHECKING:
    from engine.session import Session
    from engine.tuning.methods import Gain

WHO = "methods"
_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class MethodsDialog(Dialog):
    """One row per method, measured while it is open; a row can be taken, or the best be found for every kernel."""

    def __init__(self, session: Session, kernel: Kernel, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=620)
        self._session, self._kernel = session, kernel
        self.setWindowTitle(self.tr("Weight methods"))
        self.title_label.setText(self.tr("Weight methods for {0}").format(kernel.name))
        self.title_label.setWordWrap(True)
        self.sentence.setText(
            self.tr(
                "Formats and size stay the same; only how weights are rounded differs. At the output: with the rest of "
                "the plan as it is."
            )
        )
        self.sentence.show()
        self.table = QTableWidget(0, 5)
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName(self.windowTitle())
        self.table.setHorizontalHeaderLabels(
            [self.tr("Method"), self.tr("This kernel"), self.tr("Gain, dB"), self.tr("Output"), self.tr("Gain, dB")]
        )
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        for column in range(5):
            heading = self.table.horizontalHeaderItem(column)
            assert heading is not None
            heading.setTextAlignment(_NUMBER if column else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.body.addWidget(self.table)
        self.state = label(role="caption")
        self.body.addWidget(self.state)
        self.refused = label(role="caption")
        self.refused.setWordWrap(True)
        self.body.addWidget(self.refused)
        self.best = self.add_button(self.tr("Best for all kernels"), self._on_best, left=True)
        self.best.setToolTip(
            self.tr("Measures all methods on every kernel and keeps those that help at the output; one undo step.")
        )
        self.add_button(self.tr("Close"), self.reject)
        self.use = self.add_button(self.tr("Use"), self._on_use, primary=True)
        self._schemes = session.refining.methods(kernel.id)
        self._fill()
        self.refused.setText(self._why_not())
        self.refused.setVisible(bool(self.refused.text()))
        self.table.setVisible(bool(self._schemes))
        self.table.itemSelectionChanged.connect(self._enable)
        self.table.itemDoubleClicked.connect(lambda _: self._on_use())
        self.finished.connect(session.subscribe(self._on_change))
        if self._schemes:
            self.finished.connect(session.refining.stop_comparing)
            session.refining.compare(kernel.id)
        self._write()

    def chosen(self) -> Scheme | None:
        """The scheme of the selected row."""
        row = self.table.currentRow()
        return self._schemes[row] if self.table.selectedItems() and 0 <= row < len(self._schemes) else None

    def _fill(self) -> None:
        self.table.setRowCount(len(self._schemes))
        now = self._session.plan.scheme(self._kernel.id)
        for row, scheme in enumerate(self._schemes):
            for column in range(5):
                item = QTableWidgetItem(method_words(scheme) if column == 0 else form.MISSING)
                if column:
                    item.setTextAlignment(_NUMBER)
                if others := self._session.refining.shared(self._kernel.id, scheme):
                    item.setToolTip(self._along(others))
                self.table.setItem(row, column, item)
            if scheme == now:
                self.table.selectRow(row)
        self.table.setMinimumHeight(
            self.table.horizontalHeader().sizeHint().height()
            + max(1, len(self._schemes)) * self.table.verticalHeader().defaultSectionSize()
            + 4
        )

    def _along(self, others: int) -> str:
        return self.tr(
            "%n other kernel(s) share the scale and take the method too; at the output all count.", "", others
        )

    def _why_not(self) -> str:
        """Methods that are not in the table, those with the same reason together."""
        by_reason: dict[str, list[str]] = {}
        for name, reason in self._session.refining.refused(self._kernel.id).items():
            by_reason.setdefault(text(reason), []).append(method_name(name))
        lines = (self.tr("{0}: {1}.").format(", ".join(names), reason) for reason, names in by_reason.items())
        return "\n".join([self.tr("Not offered here:"), *lines]) if by_reason else ""

    def _on_change(self, change: Change) -> None:
        if change.what in (What.METHODS, What.PLAN, What.DATA):
            self._write()

    def _write(self) -> None:
        gains = self._session.refining.gains(self._kernel.id)
        base = next((gains[s] for s in self._schemes if s == s.rounded and s in gains), None)
        best = max(gains.values(), key=_output, default=None)
        for row, scheme in enumerate(self._schemes):
            gain = gains.get(scheme)
            words = _words(gain, base)
            for column, figure in enumerate(words, 1):
                item = self._item(row, column)
                item.setText(figure)
            face = self._item(row, 0).font()
            face.setBold(gain is not None and gain is best and len(gains) == len(self._schemes))
            for column in range(5):
                self._item(row, column).setFont(face)
        self._say(len(gains))
        self._enable()

    def _say(self, count: int) -> None:
        refining = self._session.refining
        if not self._schemes:
            words = self.tr("This kernel has float weights: there is nothing to round. Choose INT8 or INT4 first.")
        elif self._session.data is None:
            words = self.tr("No data yet.")
        elif refining.refining:
            words = self.tr("Choosing for all kernels… Jobs shows how far it is.")
        elif count < len(self._schemes):
            words = self.tr("{0} of {1} measured…").format(count, len(self._schemes))
        else:
            words = self.tr("All measured. The best at the output is bold.")
        self.state.setText(words)

    def _enable(self) -> None:
        locked = self._kernel.id in self._session.locked
        self.use.setEnabled(self.chosen() is not None and not locked)
        self.best.setEnabled(not self._session.refining.refining and self._session.data is not None)

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        found = self.table.item(row, column)
        assert found is not None
        return found

    def _on_use(self) -> None:
        scheme = self.chosen()
        if scheme is not None and self.use.isEnabled():
            self._session.set_scheme((self._kernel.id,), scheme, who=WHO)
            self.accept()

    def _on_best(self) -> None:
        self._session.refining.refine(who=WHO)


def _words(gain: Gain | None, base: Gain | None) -> tuple[str, str, str, str]:
    if gain is None:
        return (form.MISSING,) * 4
    at_output = form.MISSING if gain.output_db is None else form.sqnr(gain.output_db)
    if base is None:
        return form.sqnr(gain.local_db), form.MISSING, at_output, form.MISSING
    return (
        form.sqnr(gain.local_db),
        _gain(gain.local_db, base.local_db),
        at_output,
        _gain(gain.output_db, base.output_db),
    )


def _gain(value: float | None, base: float | None) -> str:
    if value is None or base is None or not isfinite(value) or not isfinite(base):
        return form.MISSING
    difference = value - base
    sign = "+" if difference > 0 else "−" if difference < 0 else ""
    return f"{sign}{form.fixed(abs(difference), 1)}"


def _output(gain: Gain) -> float:
    return gain.output_db if gain.output_db is not None and isfinite(gain.output_db) else float("-inf")
