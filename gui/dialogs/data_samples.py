"""The samples in use: doubts about them, and what each looks like, so that a wrong one can be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QVBoxLayout, QWidget

from engine.session.state import DataInfo, SampleRow
from gui import format as form
from gui.i18n import text as translated
from gui.widgets.themed import label

translate = QCoreApplication.translate
Index = QModelIndex | QPersistentModelIndex
_READ: tuple[Callable[[SampleRow], Any], ...] = (
    lambda row: row.which,
    lambda row: row.sample,
    lambda row: row.input,
    lambda row: row.low,
    lambda row: row.high,
    lambda row: row.mean,
    lambda row: row.std,
    lambda row: row.widens,
)
SAMPLE, FIRST_NUMBER, WIDENS = 1, 3, 7


class SamplesModel(QAbstractTableModel):
    """A row for each sample and input."""

    def __init__(self, rows: tuple[SampleRow, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = list(rows)

    def rowCount(self, parent: Index | None = None) -> int:
        """Samples times inputs."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Set, sample, input, four figures, ranges widened."""
        return 0 if parent is not None and parent.isValid() else len(_READ)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts; figures to the right."""
        if not index.isValid():
            return None
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole and column >= FIRST_NUMBER:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        value = _READ[column](self.rows[index.row()])
        if role == Qt.ItemDataRole.ToolTipRole and column == SAMPLE:
            return value
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        if column == 0:
            return translate("Samples", "calibration") if value == "calibration" else translate("Samples", "evaluation")
        if column == WIDENS:
            return form.integer(value) if value else ""
        return _figure(value) if column >= FIRST_NUMBER else value

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles; the last one explains itself."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section >= FIRST_NUMBER else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole and section == WIDENS:
            return translate(
                "Samples", "Activation ranges that this sample alone makes at least twice as wide as all others need"
            )
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            translate("Samples", "Set"),
            translate("Samples", "Sample"),
            translate("Samples", "Input"),
            translate("Samples", "min"),
            translate("Samples", "max"),
            translate("Samples", "mean"),
            translate("Samples", "std"),
            translate("Samples", "widens"),
        )[section]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By value, not by text."""
        self.layoutAboutToBeChanged.emit()
        self.rows.sort(key=_READ[column], reverse=order == Qt.SortOrder.DescendingOrder)
        self.layoutChanged.emit()


class SamplesPage(QWidget):
    """Doubts on top, the table below."""

    def __init__(self, data: DataInfo) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(8)
        for note in data.notes:
            shown = label(translated(note), "warn")
            shown.setWordWrap(True)
            column.addWidget(shown)
        if not data.notes:
            column.addWidget(label(translate("Samples", "Nothing about these samples looks wrong."), "caption"))
        self.table = QTableView()
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName(translate("Samples", "Samples in use"))
        self.model = SamplesModel(data.samples, self)
        self.table.setModel(self.model)
        self.table.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)  # calibration first, as it is
        self.table.setSortingEnabled(True)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(24)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(SAMPLE, QHeaderView.ResizeMode.Stretch)
        column.addWidget(self.table, 1)


def _figure(value: float) -> str:
    """Four digits; plain where that is short."""
    return f"{value:.4g}".replace("-", form.MINUS)
