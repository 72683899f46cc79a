"""The ranking as a table model: kernels by how much the output suffers from one scheme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

from engine.precision.scheme import FP16, INT4, INT8, Scheme, family, label
from engine.session.state import SensitivityCell
from gui import format as fmt
from gui.plots.table import Table
from gui.views.sensitivity_data import Metric

if TYPE_CHECKING:
    from engine.session import Session

Index = QModelIndex | QPersistentModelIndex
RANK, KERNEL, NOW, VALUE = range(4)
LEAST_ERROR = 1e-4
"""Bars never end below this: KL in nats, or noise over signal power (40 dB)."""
CHOICES: dict[str, Scheme | None] = {"now": None, "INT4": INT4, "INT8": INT8, "FP16": FP16}
"""Whose sensitivity is ranked: of the scheme in the plan, or of one scheme for all."""


@dataclass(frozen=True, slots=True)
class RankRow:
    """One kernel."""

    kernel: str
    name: str
    index: int
    family: str
    label: str
    """Of the scheme in the plan."""
    cell: SensitivityCell | None
    bar: float
    """Length of the bar: 1 at the 95th percentile, or at LEAST_ERROR where that is more."""


def error_of(cell: SensitivityCell, metric: Metric) -> float:
    """A figure that grows linearly with the error: KL, or noise over signal power."""
    if metric == "kl":
        return cell.kl or 0.0
    return float(10 ** (-cell.sqnr_db / 10))


def ranking(session: Session, choice: str, metric: Metric) -> list[RankRow]:
    """Worst first; kernels that were not measured come last, in network order."""
    network = session.network
    if network is None:
        return []
    wanted = CHOICES[choice]
    found = []
    for kernel in network.tunable:
        now = session.plan.scheme(kernel.id)
        cell = session.sensitivity.get((kernel.id, now if wanted is None else wanted))
        found.append((kernel, now, cell, None if cell is None else error_of(cell, metric)))
    known = [error for *_, error in found if error is not None]
    top = max(LEAST_ERROR, float(np.percentile(known, 95))) if known else 0.0
    found.sort(key=lambda entry: (entry[3] is None, -(entry[3] or 0.0), entry[0].index))
    return [
        RankRow(
            k.id, k.name, k.index, family(now), label(now), cell, min(1.0, (error or 0.0) / top) if top > 0 else 0.0
        )
        for k, now, cell, error in found
    ]


class RankingModel(QAbstractTableModel):
    """Rows of a ranking. The delegate reads `rows`; `data` serves search, copying and screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[RankRow] = []
        self.metric: Metric = "sqnr"

    def show(self, rows: list[RankRow], metric: Metric) -> None:
        """Show other rows. When only values changed the table keeps its selection and place."""
        same = [r.kernel for r in rows] == [r.kernel for r in self.rows]
        if same:
            self.rows, self.metric = rows, metric
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, VALUE))
            return
        self.beginResetModel()
        self.rows, self.metric = rows, metric
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Kernels."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Rank, kernel, scheme, value."""
        return 0 if parent is not None and parent.isValid() else 4

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts."""
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole and index.column() == KERNEL:
            return self.rows[index.row()].name
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.rows[index.row()]
        return (str(index.row() + 1), row.name, row.label, self.value(row))[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        translate = QCoreApplication.translate
        value = "KL ×10⁻³" if self.metric == "kl" else "SQNR dB"
        return (
            translate("Ranking", "Rank"),
            translate("Ranking", "Kernel"),
            translate("Ranking", "Now"),
            translate("Ranking", "One in, {measure}").format(measure=value),
        )[section]

    def value(self, row: RankRow) -> str:
        """The figure of a row, "≈" before an estimate."""
        if row.cell is None:
            return fmt.MISSING
        mark = "" if row.cell.kind == "exact" else "≈"
        return mark + (fmt.milli_figure(row.cell.kl) if self.metric == "kl" else fmt.sqnr_figure(row.cell.sqnr_db))

    def table(self) -> Table:
        """The rows with plain numbers."""
        rows = [
            (i + 1, r.index, r.name, r.label, r.cell.sqnr_db if r.cell else None, r.cell.kl if r.cell else None)
            for i, r in enumerate(self.rows)
        ]
        return Table(("rank", "index", "kernel", "now", "one_in_sqnr_db", "one_in_kl_nats"), rows)
