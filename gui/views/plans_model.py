"""The plans side by side: the current one first, then those that are kept by name, each with its figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

from engine.errors import MixbitError
from engine.precision.plan import Plan
from engine.precision.scheme import family
from engine.session.kept import PlanFigures, numbers_of
from gui import format as form
from gui.i18n import text as translated
from gui.plots.table import Table, Value

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate
Index = QModelIndex | QPersistentModelIndex
NAME, MIX, SQNR, LATENCY, SIZE, PEAK, ENERGY = range(7)
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One plan."""

    name: str
    """'' for the current plan."""
    plan: Plan
    figures: PlanFigures
    stale: bool
    """Whether the errors are of other data, or of an older plan."""
    mark: str
    """"A" for the current plan, "B" for the one it is compared with, else ''."""
    same: bool
    """Whether a kept plan is what the current plan is, too."""
    mix: tuple[tuple[str, int], ...]
    """Tunable kernels by precision family."""


_UNITS: dict[int, Callable[[float | None, float | None], tuple[str, str]]] = {
    LATENCY: form.run_latency_parts,
    SIZE: form.bytes_parts,
    PEAK: form.bytes_parts,
    ENERGY: form.energy_parts,
}
"""Figure and unit of a column, given a value and one whose unit it is to have."""


def _amount(row: PlanRow, column: int) -> float | None:
    figures = row.figures
    return {
        LATENCY: figures.latency_us,
        SIZE: figures.size_bytes,
        PEAK: figures.peak_bytes,
        ENERGY: figures.energy_uj,
    }[column]


def plan_rows(session: Session) -> list[PlanRow]:
    """All plans; none without a model."""
    network = session.network
    if network is None:
        return []

    def mix(plan: Plan) -> tuple[tuple[str, int], ...]:
        counts = dict.fromkeys(("INT4", "INT8", "FP16", "FP32"), 0)
        for kernel in network.tunable:
            counts[family(plan.scheme(kernel.id))] += 1
        return tuple(counts.items())

    current = session.plan
    rows = [
        PlanRow(
            "",
            current,
            numbers_of(session.figures, session.device.name, "current"),
            session.staleness.output_stale,
            "A",
            False,
            mix(current),
        )
    ]
    for kept in session.kept.plans:
        stale = not session.kept.up_to_date(kept)
        mark = "B" if kept.name == session.kept.b_name else ""
        rows.append(PlanRow(kept.name, kept.plan, kept.figures, stale, mark, kept.plan == current, mix(kept.plan)))
    return rows


class PlansModel(QAbstractTableModel):
    """Rows for the delegate, names that can be edited, texts for copying and screen readers."""

    def __init__(self, rename: Callable[[str, str], None], refused: Callable[[str], None]) -> None:
        super().__init__()
        self._rename, self._refused = rename, refused
        self.rows: list[PlanRow] = []
        self._largest: dict[int, float] = {}

    def show(self, rows: list[PlanRow]) -> None:
        """Show other rows; the selection stays where the plans stay."""
        titles = self._titles()
        if [row.name for row in rows] != [row.name for row in self.rows]:
            self.beginResetModel()
            self._take(rows)
            self.endResetModel()
        elif rows != self.rows:
            self._take(rows)
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, ENERGY))
        if titles != self._titles():
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, ENERGY)

    def _take(self, rows: list[PlanRow]) -> None:
        self.rows = rows
        amounts = {column: [_amount(row, column) for row in rows] for column in _UNITS}
        self._largest = {
            column: max((value for value in found if value is not None), default=0.0)
            for column, found in amounts.items()
        }

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Plans."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Name, mix, figures."""
        return 0 if parent.isValid() else ENERGY + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Names of kept plans can be edited."""
        found = super().flags(index)
        if index.isValid() and index.column() == NAME and self.rows[index.row()].name:
            found |= Qt.ItemFlag.ItemIsEditable
        return found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell."""
        if not index.isValid() or not 0 <= index.row() < len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.EditRole and index.column() == NAME:
            return row.name
        if role == Qt.ItemDataRole.DisplayRole:
            return self.words(row, index.column())
        return self.tip(row, index.column()) if role == Qt.ItemDataRole.ToolTipRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename a plan; a name that can't be is refused with a sentence."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        try:
            self._rename(self.rows[index.row()].name, str(value))
        except MixbitError as error:
            self._refused(translated(error.text))
            return False
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Name and unit."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section in (NAME, MIX) else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._titles()[section]

    def _titles(self) -> tuple[str, ...]:
        """Names with units. A column has one unit, that of its largest figure, so that figures can be compared."""
        names = {
            LATENCY: translate("Plans", "Latency"),
            SIZE: translate("Plans", "Size"),
            PEAK: translate("Plans", "Peak"),
            ENERGY: translate("Plans", "Energy"),
        }
        figures = [
            f"{name} {self._figure(self._largest.get(column, 0.0), column)[1]}" for column, name in names.items()
        ]
        return (translate("Plans", "Plan"), translate("Plans", "Precisions"), "SQNR dB", *figures)

    def words(self, row: PlanRow, column: int) -> str:
        """What a cell says."""
        figures = row.figures
        if column == NAME:
            return row.name or translate("Plans", "Current plan")
        if column == MIX:
            return ", ".join(f"{count} {name}" for name, count in row.mix if count)
        if column == SQNR:
            return ("≈" if row.stale and figures.sqnr_db is not None else "") + form.sqnr_figure(figures.sqnr_db)
        return self._figure(_amount(row, column), column)[0]

    def _figure(self, value: float | None, column: int) -> tuple[str, str]:
        return _UNITS[column](value, self._largest.get(column, 0.0))

    def tip(self, row: PlanRow, column: int) -> str:
        """What more there is to say."""
        if column == SQNR and row.stale and row.name:
            measured = row.figures.data
            return (
                translate("Plans", "Measured with other data: {data}. Measure again to compare.").format(data=measured)
                if measured
                else translate("Plans", "Not measured yet.")
            )
        return self.words(row, column) if column in (NAME, MIX) else ""

    def table(self) -> Table:
        """The rows with plain numbers."""
        header = ("plan", "sqnr_db", "kl", "top1_agreement", "accuracy", "errors_measured_with", "latency_us",
                  "size_bytes", "peak_bytes", "energy_uj", "skin_c", "device")  # fmt: skip

        def line(row: PlanRow) -> tuple[Value, ...]:
            f = row.figures
            return (
                self.words(row, NAME), f.sqnr_db, f.kl, f.top1_agreement, f.accuracy, f.data, f.latency_us,
                f.size_bytes, f.peak_bytes, f.energy_uj, f.skin_c, f.device,
            )  # fmt: skip

        return Table(header, [line(row) for row in self.rows])
