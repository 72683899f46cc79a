"""The tensors that can be compared: outputs of kernels with their accumulated error, worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

from engine.numerics.results import ErrorSums
from gui import format as fmt
from gui.plots.kernels import kernel_columns
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session

Index = QModelIndex | QPersistentModelIndex
NAME, SQNR, COSINE = range(3)


@dataclass(frozen=True, slots=True)
class TensorRow:
    """The first output of one kernel."""

    kernel: str
    index: int
    name: str
    family: str
    sums: ErrorSums
    stale: bool


def tensor_rows(session: Session) -> list[TensorRow]:
    """Worst first; kernels without a float output are absent."""
    evaluation = session.figures.evaluation
    if evaluation is None:
        return []
    columns, staleness = kernel_columns(session), session.staleness
    rows = [
        TensorRow(
            kernel,
            i,
            columns.names[i],
            columns.families[i],
            evaluation.accumulated[kernel],
            staleness.stale and i >= staleness.from_kernel,
        )
        for i, kernel in enumerate(columns.ids)
        if kernel in evaluation.accumulated
    ]
    return sorted(rows, key=lambda row: (row.sums.sqnr_db, row.index))


class TensorsModel(QAbstractTableModel):
    """Rows for the delegate; texts for search and screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[TensorRow] = []

    def show(self, rows: list[TensorRow]) -> None:
        """Show other rows; the place in the table is kept when only figures changed."""
        if [r.kernel for r in rows] == [r.kernel for r in self.rows] and rows:
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, COSINE))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Tensors."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Name, SQNR, cosine."""
        return 0 if parent is not None and parent.isValid() else 3

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts."""
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.rows[index.row()]
        return (row.name, self.sqnr(row), fmt.cosine(row.sums.cosine))[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        translate = QCoreApplication.translate
        return (translate("Tensors", "Output of"), "SQNR dB", translate("Tensors", "Cosine"))[section]

    def sqnr(self, row: TensorRow) -> str:
        """The figure of a row, "≈" when it belongs to an older plan."""
        return ("≈" if row.stale else "") + fmt.sqnr_figure(row.sums.sqnr_db)

    def table(self) -> Table:
        """The rows with plain numbers."""
        rows = [(r.index, r.name, r.sums.sqnr_db, r.sums.cosine, "stale" if r.stale else "") for r in self.rows]
        return Table(("index", "kernel", "accumulated_sqnr_db", "cosine", "state"), rows)
