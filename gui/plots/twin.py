"""The same figures as a plot, as a table: for whoever can't see the plot, or wants to read a figure of it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from gui.plots.columns import NAMES, figure, title
from gui.plots.table import Table

Index = QModelIndex | QPersistentModelIndex
ROW = 24
WIDEST = 320
"""Px that a column gets by itself; it can be dragged wider."""
MEASURED = 100
"""Rows that are looked at for the width of a column."""
KERNEL = "index"
"""The column that says which kernel a row is about."""
Role = Qt.ItemDataRole


def _side(words: bool) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignVCenter | (Qt.AlignmentFlag.AlignLeft if words else Qt.AlignmentFlag.AlignRight)


class TwinModel(QAbstractTableModel):
    """A table with titles and figures as people read them."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table((), ())

    def show(self, table: Table) -> None:
        """Show other rows; where only figures change, the place in the table stays."""
        same = table.header == self.table.header and len(table.rows) == len(self.table.rows) and table.rows
        if not same:
            self.beginResetModel()
        self.table = table
        if same:
            self.dataChanged.emit(self.index(0, 0), self.index(len(table.rows) - 1, len(table.header) - 1))
        else:
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Rows of the table."""
        return 0 if parent is not None and parent.isValid() else len(self.table.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Columns of the table."""
        return 0 if parent is not None and parent.isValid() else len(self.table.header)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Figures, on the right; words, on the left."""
        if not index.isValid():
            return None
        value = self.table.rows[index.row()][index.column()]
        if role in (Role.DisplayRole, Role.AccessibleTextRole, Role.ToolTipRole):
            name = self.table.header[index.column()]
            known = self.table.words.get(value) if isinstance(value, str) and name not in NAMES else None
            return known if known is not None else figure(name, value)
        if role == Role.TextAlignmentRole:
            return _side(isinstance(value, str))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        """Titles with their units, on the side of what is below them."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.TextAlignmentRole:
            words = any(isinstance(row[section], str) for row in self.table.rows[:MEASURED])
            return _side(words)
        return title(self.table.header[section]) if role == Role.DisplayRole else None

    def kernel_of(self, row: int) -> int | None:
        """Number of the kernel that a row is about; None where the table is about something else."""
        if KERNEL not in self.table.header or not 0 <= row < len(self.table.rows):
            return None
        found = self.table.rows[row][self.table.header.index(KERNEL)]
        return found if isinstance(found, int) else None

    def row_of(self, kernel: int) -> int | None:
        """The first row about a kernel."""
        if KERNEL not in self.table.header:
            return None
        place = self.table.header.index(KERNEL)
        return next((i for i, row in enumerate(self.table.rows) if row[place] == kernel), None)


class TableTwin(QTableView):
    """Stands where the plot stands. Arrows walk, Ctrl+C copies the rows that are selected with their titles."""

    kernel_chosen = Signal(int)
    """The current row has become one about this kernel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("twin")  # the style sheet's name for it
        self.rows = TwinModel()
        self._following = False
        self._fitted: tuple[str, ...] = ()
        """The titles that the widths are for."""
        self.setModel(self.rows)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMaximumSectionSize(WIDEST)
        header.setResizeContentsPrecision(MEASURED)
        self.selectionModel().currentRowChanged.connect(self._on_current)

    def show_table(self, table: Table) -> None:
        """Show these figures."""
        self._following = True
        self.rows.show(table)
        self._following = False
        self._fit()

    def retranslate(self) -> None:
        """The language has changed: titles have other widths."""
        self._fitted = ()
        last = self.rows.columnCount() - 1
        if last >= 0:
            self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
        self._fit()

    def follow(self, kernel: int | None) -> None:
        """Go to the row of the kernel that is current elsewhere."""
        row = self.rows.row_of(kernel) if kernel is not None else None
        if row is None or self.rows.kernel_of(self.currentIndex().row()) == kernel:
            return
        self._following = True
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(self.rows.index(row, 0), flags.ClearAndSelect | flags.Rows)
        self._following = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy whole rows with the titles of their columns."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        super().keyPressEvent(event)

    def copy(self) -> None:
        """Put the selected rows on the clipboard, all rows where none is selected."""
        table = self.rows.table
        chosen = sorted(index.row() for index in self.selectionModel().selectedRows())
        rows = [table.rows[i] for i in chosen] if chosen else table.rows
        QGuiApplication.clipboard().setText(Table(table.header, rows).to_tsv())

    def showEvent(self, event: QShowEvent) -> None:
        """Only now the style sheet has given the titles their font."""
        super().showEvent(event)
        self._fit()
        if not self.currentIndex().isValid() and self.rows.rowCount():
            self._following = True
            self.setCurrentIndex(self.rows.index(0, 0))
            self._following = False

    def _fit(self) -> None:
        titles = tuple(map(title, self.rows.table.header))
        if titles != self._fitted and self.isVisible():
            self._fitted = titles
            self.resizeColumnsToContents()

    def _on_current(self, now: QModelIndex, _: QModelIndex) -> None:
        kernel = self.rows.kernel_of(now.row())
        if kernel is not None and not self._following:
            self.kernel_chosen.emit(kernel)
