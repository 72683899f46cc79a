"""The ranking as a table model: kernels by how much the output suffers from one scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

from engine.precision.notation import name_of, read_scheme
from engine.precision.scheme import FP16, INT4, INT8, Scheme, family, label
from engine.session.state import SensitivityCell
from gui import format as fmt
from gui.plots.table import Table
from gui.views.sensitivity_data import DECIBELS, Metric, Question, harm, used_metric
from gui.views.sweep_words import cell_figure, metric_unit

if TYPE_CHECKING:
    from engine.session import Session

Index = QModelIndex | QPersistentModelIndex
RANK, KERNEL, NOW, VALUE, OUT = range(5)
LEAST_ERROR = 1e-4
"""Bars never end below this: KL in nats, or noise over signal power (40 dB)."""
LEAST_GAIN_DB = 0.5
AS_PLANNED = "now"
"""Ranked is the sensitivity of the scheme in the plan; else that of one scheme for all kernels, by its name."""
_ALWAYS = (INT4, INT8, FP16)


def choices(session: Session) -> dict[str, Scheme]:
    """Schemes that kernels can be ranked by, by their names: the usual ones, and what is swept beside them."""
    others = (scheme for scheme in session.sweeps.schemes if scheme not in _ALWAYS)
    return {name_of(scheme): scheme for scheme in (*_ALWAYS, *others)}


def scheme_of(choice: str) -> Scheme | None:
    """The scheme of a name; None for what is planned."""
    return None if choice == AS_PLANNED else read_scheme(choice)


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
    """What is ranked by; None = not known."""
    bar: float
    """Length of the bar: 1 at the 95th percentile, or at LEAST_ERROR where that is more."""
    gain_db: float | None = None
    """One out: what the output wins when the kernel is restored."""
    guess: SensitivityCell | None = None
    """The estimate of a kernel whose exact figure is still missing."""


def ranking(
    session: Session, choice: str, question: Question = "one-in", kept: Sequence[str] | None = None
) -> list[RankRow]:
    """Worst first. Kernels without the figure that is asked for come last, in the order of the estimate.

    Measured and estimated figures never share a ranking.

    Args:
        session: What to read.
        choice: AS_PLANNED, or the name of a scheme.
        question: What is ranked by; for one out the gain, and the plan's own scheme.
        kept: Kernels that pass the filter; None = all.
    """
    network = session.network
    if network is None:
        return []
    metric, wanted, gains = used_metric(session), scheme_of(choice), session.sweeps.gains()
    estimated = session.sweeps.estimated_cells
    found = []
    for kernel in network.tunable if kept is None else map(network.by_id, kept):
        now = session.plan.scheme(kernel.id)
        key = (kernel.id, now if wanted is None or question == "one-out" else wanted)
        guess, cell = estimated.get(key), session.sensitivity.get(key)
        if question == "estimated":
            cell = guess
        elif cell is not None and cell.kind != "exact":
            cell = None
        gain = gains.get(kernel.id)
        worth = gain if question == "one-out" else None if cell is None else harm(cell, metric)
        found.append((kernel, now, cell, worth, gain, guess))
    top = _top([worth for _, _, _, worth, _, _ in found if worth is not None], question)

    def order(entry: tuple[Any, ...]) -> tuple[object, ...]:
        kernel, _, _, worth, _, guess = entry
        behind = 0.0 if guess is None else harm(guess, metric) or 0.0
        return (worth is None, -(worth or 0.0), -behind, kernel.index)

    found.sort(key=order)
    return [
        RankRow(
            k.id, k.name, k.index, family(now), label(now), cell,
            min(1.0, max(0.0, worth or 0.0) / top) if top > 0 else 0.0, gain, guess if worth is None else None,
        )
        for k, now, cell, worth, gain, guess in found
    ]  # fmt: skip


def _top(known: list[float], question: Question) -> float:
    least = LEAST_GAIN_DB if question == "one-out" else LEAST_ERROR
    finite = [value for value in known if np.isfinite(value)]
    return max(least, float(np.percentile(finite, 95))) if finite else 0.0


class RankingModel(QAbstractTableModel):
    """Rows of a ranking. The delegate reads `rows`; `data` serves search, copying and screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[RankRow] = []
        self.metric: Metric = "sqnr"
        self.question: Question = "one-in"

    def show(self, rows: list[RankRow], metric: Metric, question: Question = "one-in") -> None:
        """Show other rows. When only values changed the table keeps its selection and place."""
        same = [r.kernel for r in rows] == [r.kernel for r in self.rows]
        named = (metric, question) == (self.metric, self.question)
        if not same:
            self.beginResetModel()
        self.rows, self.metric, self.question = rows, metric, question
        if not same:
            self.endResetModel()
        elif rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, OUT))
        if not named:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, OUT)

    def rowCount(self, parent: Index | None = None) -> int:
        """Kernels."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Rank, kernel, scheme, value, gain."""
        return 0 if parent is not None and parent.isValid() else 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts."""
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.rows[index.row()]
        return (self.rank(index.row()), row.name, row.label, self.value(row), self.gain(row))[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        translate = QCoreApplication.translate
        value = (
            translate("Ranking", "Estimate, {measure}")
            if self.question == "estimated"
            else translate("Ranking", "One in, {measure}")
        )
        return (
            translate("Ranking", "Rank"),
            translate("Ranking", "Kernel"),
            translate("Ranking", "Now"),
            value.format(measure=metric_unit(self.metric)),
            translate("Ranking", "One out, dB"),
        )[section]

    def rank(self, row: int) -> str:
        """The place of a row; kernels without the figure that is ranked by have none."""
        found = self.rows[row]
        ranked = found.gain_db if self.question == "one-out" else found.cell
        return fmt.MISSING if ranked is None else str(row + 1)

    def value(self, row: RankRow) -> str:
        """The figure of a row, "≈" before an estimate."""
        shown = row.cell or row.guess
        return fmt.MISSING if shown is None else cell_figure(shown, self.metric)

    def gain(self, row: RankRow) -> str:
        """What restoring wins."""
        return fmt.MISSING if row.gain_db is None else fmt.signed(fmt.fixed(row.gain_db, 2))

    def table(self) -> Table:
        """The rows with plain numbers."""
        name = self.metric + ("_db" if self.metric in DECIBELS else "")
        rows = []
        for i, row in enumerate(self.rows):
            shown = row.cell or row.guess
            value = None if shown is None else shown.figure(self.metric)
            kind = "" if shown is None else shown.kind
            rows.append((i + 1, row.index, row.name, row.label, value, kind, row.gain_db))
        return Table(("rank", "index", "kernel", "now", name, "kind", "one_out_gain_db"), rows)
