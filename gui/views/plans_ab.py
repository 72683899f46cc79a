"""A against B: how precisions go over into each other, and every kernel that differs with what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from engine.precision.scheme import Scheme, family, label
from engine.session.changes import What
from engine.session.difference import KernelDifference, Pair, differences, transitions
from gui import format as form
from gui.fonts import font
from gui.paint import badge
from gui.plots.shapes import plain_text
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.kernel_list import RIGHT, Index, KernelDelegate, KernelListView

if TYPE_CHECKING:
    from engine.session import Session

NUMBER, NAME, A, B, ERROR, LATENCY, SIZE = range(7)
WIDTHS = {NUMBER: 38, A: 72, B: 72, ERROR: 66, LATENCY: 74, SIZE: 70}
LEAST_NAME = 110
_ROOT = QModelIndex()


class DifferencesModel(QAbstractTableModel):
    """One row per kernel that differs."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[KernelDifference, ...] = ()
        self.titles: tuple[str, ...] = ("",) * 7

    def show(self, rows: tuple[KernelDifference, ...]) -> None:
        """Show other rows."""
        if rows == self.rows:
            return
        same = [r.kernel for r in rows] == [r.kernel for r in self.rows]
        if not same:
            self.beginResetModel()
        self.rows = rows
        if same:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, SIZE))
        else:
            self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Kernels."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Number, name, two schemes, three changes."""
        return 0 if parent.isValid() else SIZE + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell."""
        if not index.isValid() or not 0 <= index.row() < len(self.rows):
            return None
        row = self.rows[index.row()]
        return self.words(row, index.column()) if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names with units."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section in (NAME, A, B) else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return self.titles[section] if role == Qt.ItemDataRole.DisplayRole else None

    @staticmethod
    def words(row: KernelDifference, column: int) -> str:
        """What a cell says."""
        if column == NUMBER:
            return str(row.index)
        if column == NAME:
            return row.name
        if column in (A, B):
            return label(row.a if column == A else row.b)
        if column == ERROR:
            return _change(row.accumulated_db, form.sqnr_figure)
        if column == LATENCY:
            return _change(row.latency_us, form.latency_figure)
        return _change(row.size_bytes, form.kib_figure)


class _Delegate(KernelDelegate):
    """Badges, and changes in the colour of good or bad."""

    def __init__(self, model: DifferencesModel, theme: Theme) -> None:
        super().__init__(theme)
        self._model = model

    def paint_cell(self, painter: QPainter, area: QRectF, index: Index, quiet: QColor) -> None:
        """Paint one column."""
        row, column = self._model.rows[index.row()], index.column()
        if column == NAME:
            self.paint_name(painter, area, row.name, quiet)
        elif column in (A, B):
            scheme: Scheme = row.a if column == A else row.b
            corner = QPointF(area.left(), area.center().y() - 8)
            badge(painter, corner, family(scheme), label(scheme), self.theme)
        else:
            words = self._model.words(row, column)
            plain_text(painter, area, words, quiet if column == NUMBER else self._color(row, column), font(12), RIGHT)

    def _color(self, row: KernelDifference, column: int) -> QColor:
        """More decibels are good, more time and bytes are not."""
        pair = {ERROR: row.accumulated_db, LATENCY: row.latency_us, SIZE: row.size_bytes}[column]
        change = pair.change
        if change is None or change == 0:
            return self.theme.text2
        good = change > 0 if column == ERROR else change < 0
        return self.theme.good if good else self.theme.bad


class DifferencesView(KernelListView):
    """Kernels that take another scheme in A, the current plan, than in B; a click selects them everywhere."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.PLAN, What.SIMULATION, What.EVALUATION, What.SELECTION, What.DEVICE, What.DATA}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        self.model = DifferencesModel()
        super().__init__(session, theme, self.model, _Delegate(self.model, theme), parent)
        self.set_columns(WIDTHS, NAME)
        self.retranslate()

    def title(self) -> str:
        """What the exported table is called."""
        return self.tr("Differences of A and B")

    def retranslate(self) -> None:
        """The language has changed."""
        self.model.titles = ("#", self.tr("Layer"), "A", "B", "Δ dB", "Δ µs", "Δ KiB")
        super().retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold columns away until a name has room."""
        super().resizeEvent(event)
        room = self.width() - LEAST_NAME - sum(WIDTHS.values())
        for column in (NUMBER, SIZE, LATENCY):
            self.list.setColumnHidden(column, room < 0)
            room += WIDTHS[column] if room < 0 else 0

    def kernels(self) -> Sequence[str]:
        """Kernel ids by row."""
        return [row.kernel for row in self.model.rows]

    def card_rows(self, row: int) -> list[tuple[str, str]]:
        """From which precision to which, and what that changes."""
        found, words = self.model.rows[row], self.model.words
        rows = [("B → A", f"{label(found.b)} → {label(found.a)}")]
        changes = ((ERROR, self.tr("accumulated")), (LATENCY, self.tr("latency")), (SIZE, self.tr("size")))
        return [*rows, *((f"Δ {name}", words(found, column)) for column, name in changes)]

    def draw(self) -> None:
        """Compare the two plans."""
        network, b = self.session.network, self.session.kept.b
        if network is None or b is None:
            self.model.show(())
            self.show_empty(self.tr("Choose a kept plan as B to see what differs."))
            return
        self.model.show(differences(network, self.session.figures, b))
        if not self.model.rows:
            self.show_empty(self.tr("Both plans give every kernel the same precision."))
            return
        self.show_page()
        self.draw_selection()

    def table(self) -> Table:
        """The rows with plain numbers."""
        header = ("index", "kernel", "a", "b", "a_accumulated_sqnr_db", "b_accumulated_sqnr_db", "a_latency_us",
                  "b_latency_us", "a_size_bytes", "b_size_bytes")  # fmt: skip
        return Table(
            header,
            [
                (r.index, r.name, label(r.a), label(r.b), r.accumulated_db.a, r.accumulated_db.b, r.latency_us.a,
                 r.latency_us.b, r.size_bytes.a, r.size_bytes.b)
                for r in self.model.rows
            ],
        )  # fmt: skip


class TransitionMatrix(QTableWidget):
    """How many kernels have which precision in A (rows) and in B (columns). A cell selects its kernels."""

    chosen = Signal(str, str)
    """Labels in A and in B."""
    CELL = 66
    SIDE = 70

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setFrameShape(QTableWidget.Shape.NoFrame)
        self.setShowGrid(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
            header.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter)
        self.horizontalHeader().setDefaultSectionSize(self.CELL)
        self.verticalHeader().setDefaultSectionSize(24)
        self.verticalHeader().setFixedWidth(self.SIDE)
        self.setTabKeyNavigation(False)
        self.cellClicked.connect(self._on_cell)
        self.cellActivated.connect(self._on_cell)
        self.cellActivated.connect(self._on_cell)

    def show_pairs(self, pairs: dict[tuple[str, str], int], tip: str) -> None:
        """Show counts by (label in A, label in B).

        Args:
            pairs: counts; pairs that are missing count 0.
            tip: tooltip with {count}, {a} and {b}.
        """
        names = sorted({name for pair in pairs for name in pair}, key=_place)
        most = max((count for (a, b), count in pairs.items() if a != b), default=1)
        self.setRowCount(len(names))
        self.setColumnCount(len(names))
        self.setVerticalHeaderLabels([f"A {name}" for name in names])
        self.setHorizontalHeaderLabels([f"B {name}" for name in names])
        for row, a in enumerate(names):
            for column, b in enumerate(names):
                count = pairs.get((a, b), 0)
                item = QTableWidgetItem(str(count) if count else "·")
                item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                item.setData(Qt.ItemDataRole.UserRole, (a, b))
                item.setToolTip(tip.format(count=count, a=a, b=b))
                ground = QColor(self.theme.accent)
                ground.setAlphaF(0.0 if a == b or not count else 0.12 + 0.4 * count / most)
                item.setBackground(ground)
                item.setForeground(self.theme.text if count and a != b else self.theme.text2)
                self.setItem(row, column, item)

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours from the next time on."""
        self.theme = theme

    def _on_cell(self, row: int, column: int) -> None:
        item = self.item(row, column)
        if item is not None:
            self.chosen.emit(*item.data(Qt.ItemDataRole.UserRole))


def pairs_of(session: Session) -> dict[tuple[str, str], int]:
    """Counts for the matrix; {} without a plan B."""
    network, b = session.network, session.kept.b
    return transitions(network, session.plan, b.plan) if network is not None and b is not None else {}


def _place(name: str) -> tuple[int, str]:
    known = ("INT4", "INT8", "FP16", "FP32")
    return (known.index(name) if name in known else len(known), name)


def _change(pair: Pair, write: Any) -> str:
    change = pair.change
    if change is None or not isfinite(change):
        return form.MISSING
    return form.delta(change, write) if change else "0"
