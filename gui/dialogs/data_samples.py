"""The samples in use: doubts about them, and what each looks like, so that a wrong one can be found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QVBoxLayout, QWidget

from engine.session.state import DataInfo, SampleRow
from gui import format as form
from gui.i18n import text as translated
from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.widgets.popup import one_use_menu
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
        kept = [(index, self.rows[index.row()]) for index in self.persistentIndexList()]
        self.rows.sort(key=_READ[column], reverse=order == Qt.SortOrder.DescendingOrder)
        places = {id(row): place for place, row in enumerate(self.rows)}
        for index, row in kept:
            self.changePersistentIndex(index, self.index(places[id(row)], index.column()))
        self.layoutChanged.emit()

    def table(self, places: Sequence[int] | None = None) -> Table:
        """The rows at these places with full figures, to copy and to save; None = all, as they are sorted."""
        rows = self.rows if places is None else [self.rows[place] for place in places]
        return Table(
            ("set", "sample", "input", "min", "max", "mean", "std", "widens"),
            [tuple(read(row) for read in _READ) for row in rows],
        )


class SamplesTable(QTableView):
    """Sorted by a click on a title or from its menu, which keys reach, too. Ctrl+C copies whole rows with titles."""

    def __init__(self, model: SamplesModel) -> None:
        super().__init__()
        self.samples = model
        self.setModel(model)
        self.setTabKeyNavigation(False)
        self.setAccessibleName(_title())
        self.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)  # calibration first, as it is
        self.setSortingEnabled(True)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(24)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setSectionResizeMode(SAMPLE, QHeaderView.ResizeMode.Stretch)
        self.exporter = Exporter(self, None, model.table, _title)

    def menu(self) -> QMenu:
        """What it is sorted by, and ways out of the window."""
        menu, header = one_use_menu(self), self.horizontalHeader()
        order = menu.addMenu(translate("Layers", "Sort by"))
        down = header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
        for column in range(self.samples.columnCount()):
            now = column == header.sortIndicatorSection()
            arrow = "" if not now else "\t↓" if down else "\t↑"
            words = self.samples.headerData(column, Qt.Orientation.Horizontal)
            action = order.addAction(words + arrow, partial(self.sort_or_turn, column))
            action.setCheckable(True)
            action.setChecked(now)
        menu.addSeparator()
        menu.addAction(translate("Layers", "Copy rows") + "\tCtrl+C", self.copy)
        self.exporter.fill(menu)
        return menu

    def sort_or_turn(self, column: int) -> None:
        """Sort by a column; the other way round if it is by that one already."""
        header = self.horizontalHeader()
        again = column == header.sortIndicatorSection()
        turned = again and header.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
        self.sortByColumn(column, Qt.SortOrder.DescendingOrder if turned else Qt.SortOrder.AscendingOrder)

    def copy(self) -> None:
        """Put the selected rows on the clipboard with their titles, all rows where none is selected."""
        chosen = sorted(index.row() for index in self.selectionModel().selectedRows())
        QGuiApplication.clipboard().setText(self.samples.table(chosen or None).to_tsv())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu, at the pointer or where the menu key was pressed."""
        self.menu().popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy whole rows."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        super().keyPressEvent(event)


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
        self.model = SamplesModel(data.samples, self)
        self.table = SamplesTable(self.model)
        column.addWidget(self.table, 1)


def _title() -> str:
    return translate("Samples", "Samples in use")


def _figure(value: float) -> str:
    """Four digits; plain where that is short."""
    return f"{value:.4g}".replace("-", form.MINUS)
