"""Rows of the Measured view: kernels with measured and simulated time, worst first."""

from __future__ import annotations

from math import isfinite
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

from engine.interop.profile_compare import KernelTime, Measured
from gui import format as fmt
from gui.plots.table import Table

Index = QModelIndex | QPersistentModelIndex
translate = QCoreApplication.translate
NAME, MEASURED, SIMULATED, RATIO = range(4)


def ratio_words(ratio: float) -> str:
    """Measured by simulated: two decimals below 10, else one."""
    if not isfinite(ratio):
        return "–"
    return f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.0f}×"


def summary_words(found: Measured) -> str:
    """The whole run in one line."""
    return translate("Measured", "measured {measured} · simulated {simulated} · median ratio {ratio}").format(
        measured=fmt.run_latency(found.total_us),
        simulated=fmt.run_latency(found.simulated_us),
        ratio=ratio_words(found.median_ratio),
    )


def rest_words(found: Measured) -> str:
    """What belongs to no kernel."""
    parts = []
    if found.submit_us is not None:
        parts.append(translate("Measured", "submit and sync {time}").format(time=fmt.latency_us(found.submit_us)))
    if found.inserted_us:
        words = translate("Measured", "conversions put in by the compiler {time}")
        parts.append(words.format(time=fmt.latency_us(found.inserted_us)))
    loose = [m for m in found.matches if not m.kernel and not m.inserted]
    if loose:
        words = translate("Measured", "%n operator(s) of no kernel, {time}", "", len(loose))
        parts.append(words.format(time=fmt.latency_us(found.unmatched_us)))
    if found.missing:
        parts.append(translate("Measured", "%n kernel(s) not measured", "", len(found.missing)))
    return " · ".join(parts)


class MeasuredModel(QAbstractTableModel):
    """Rows for the delegate; texts for search and screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[KernelTime, ...] = ()

    def show(self, rows: tuple[KernelTime, ...]) -> None:
        """Show other rows."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Kernels."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Name, measured, simulated, ratio."""
        return 0 if parent is not None and parent.isValid() else 4

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts."""
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.rows[index.row()]
        return (
            row.name,
            fmt.latency_us(row.measured_us),
            fmt.latency_us(row.simulated_us),
            ratio_words(row.ratio),
        )[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            translate("Measured", "Kernel"),
            translate("Measured", "Measured"),
            translate("Measured", "Simulated"),
            translate("Measured", "Ratio"),
        )[section]

    def table(self) -> Table:
        """The rows with plain numbers."""
        rows = [(r.index, r.name, r.measured_us, r.simulated_us, r.ratio, r.ops) for r in self.rows]
        return Table(("index", "kernel", "measured_us", "simulated_us", "ratio", "operators"), rows)
