"""The kernels that take longest, as a table model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

from engine.npu.results import Simulation
from engine.npu.usage import top_kernels
from engine.precision.scheme import family, label
from gui import format as fmt
from gui.plots.table import Table
from gui.views.words import bound_word

if TYPE_CHECKING:
    from engine.session import Session

Index = QModelIndex | QPersistentModelIndex
RANK, KERNEL, TIME, BOUND = range(4)


@dataclass(frozen=True, slots=True)
class TopRow:
    """One kernel."""

    kernel: str
    index: int
    name: str
    family: str
    label: str
    """Of its scheme; '' without a switch."""
    latency_us: float
    share: float
    """Of the run."""
    so_far: float
    """Share of the run of this kernel and all longer ones."""
    bound: str


def top_rows(session: Session, simulation: Simulation) -> list[TopRow]:
    """All kernels that take time, longest first."""
    network = session.network
    if network is None:
        return []
    known = {kernel.id: kernel for kernel in network.kernels}
    whole, total, rows = simulation.latency_us or 1.0, 0.0, []
    for cost in top_kernels(simulation):
        kernel = known.get(cost.kernel)
        if kernel is None or cost.latency_us <= 0.0:
            continue
        total += cost.latency_us
        scheme = session.plan.scheme(kernel.id) if kernel.tunable else None
        rows.append(
            TopRow(
                kernel.id,
                kernel.index,
                kernel.name,
                family(scheme) if scheme is not None else "",
                label(scheme) if scheme is not None else "",
                cost.latency_us,
                cost.latency_us / whole,
                total / whole,
                cost.bound,
            )
        )
    return rows


class TopModel(QAbstractTableModel):
    """Rows of the list; the delegate reads `rows`, `data` serves search, copying and screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[TopRow] = []

    @property
    def longest(self) -> float:
        """Largest share of a kernel."""
        return self.rows[0].share if self.rows else 0.0

    def show(self, rows: list[TopRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Kernels."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Rank, kernel, latency, bound."""
        return 0 if parent is not None and parent.isValid() else 4

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        return (str(index.row() + 1), row.name, fmt.latency_us(row.latency_us), bound_word(row.bound))[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        translate = QCoreApplication.translate
        return (
            translate("Usage", "Rank"),
            translate("Usage", "Kernel"),
            translate("Usage", "Latency"),
            translate("Usage", "Bound by"),
        )[section]

    def table(self) -> Table:
        """The rows with plain numbers."""
        rows = [
            (i, r.index, r.name, r.label, r.latency_us, r.share, r.so_far, r.bound) for i, r in enumerate(self.rows, 1)
        ]
        header = ("rank", "index", "kernel", "scheme", "latency_us", "share", "share_so_far", "bound")
        return Table(header, rows)
