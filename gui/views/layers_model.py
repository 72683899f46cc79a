"""The Layers table as a Qt model: a snapshot (`LayerRows`), a filter and an order, all computed in numpy.

There is no proxy: `order` maps table rows to kernel indices. While figures move (a job runs) the order is kept, so that
numbers never jump; it is brought up to date when the last job ends or a header is clicked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer

from engine.graph.types import Array
from gui.views.layers_changes import changed_cells, runs
from gui.views.layers_columns import BY_KEY, COLUMNS, explanation, title, unit
from gui.views.layers_order import Filter, matching, ordered
from gui.views.layers_rows import LayerRows
from gui.views.layers_tips import tip

Index = QModelIndex | QPersistentModelIndex
MOST_STRETCHES = 8
"""Above this one large stretch is announced: that is cheaper than many small ones."""
AT_ONCE = frozenset({"precision", "local", "latency"})
"""Columns that answer an edit: painted in the first frame. Figures of a model just opened are in no such hurry."""
FEW_CELLS, STEP_MS = 8, 16
"""More changed cells of any other column are painted in a frame of their own, one column after the other: all in one
would keep timers and keys waiting for longer than anybody waits for these figures."""
_NO_ORDER = np.zeros(0, int)
_ROOT = QModelIndex()
# Asked for twice per painted cell: joining flags in Python each time takes a tenth of the painting.
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
_NO_FLAGS = Qt.ItemFlag.NoItemFlags


class LayersModel(QAbstractTableModel):
    """Rows are kernels that pass the filter, columns are all of COLUMNS (the view hides some)."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: LayerRows | None = None
        self.filter = Filter()
        self.sort_key = "index"
        self.descending = False
        self.order: Array = _NO_ORDER
        self.at_once = AT_ONCE
        """Columns that are painted in the first frame, however many of their cells have changed."""
        self.order_waits = False
        """Figures have changed since the order was made."""
        self._row_of: Array = _NO_ORDER
        self._waiting: dict[str, Array] = {}
        """Changed cells that nobody was told of yet: masks of kernels by column."""
        self._step = QTimer(self)
        self._step.setSingleShot(True)
        self._step.setInterval(STEP_MS)
        self._step.timeout.connect(self._next)

    def stop(self) -> None:
        """Nobody looks any more."""
        self._step.stop()

    def set_rows(self, rows: LayerRows | None, *, keep_order: bool = False) -> None:
        """Show another snapshot. With `keep_order` rows stay where they are, if they are the same kernels."""
        old, self.rows = self.rows, rows
        same = old is not None and rows is not None and old.shape is rows.shape
        if not same:
            self._step.stop()
            self._waiting.clear()
            self.beginResetModel()
            self._take(self._wanted_order())
            self.endResetModel()
            return
        if keep_order:
            self.order_waits = True
        else:
            self.reorder()
        assert old is not None
        assert rows is not None
        # After a reset or a new layout nothing needs to be told again, but it costs little.
        for key, mask in changed_cells(old, rows).items():
            if key in self.at_once or np.count_nonzero(mask) <= FEW_CELLS:
                self._announce(COLUMNS.index(BY_KEY[key]), mask)
            else:
                self._waiting[key] = mask | self._waiting[key] if key in self._waiting else mask
        if self._waiting and not self._step.isActive():
            self._step.start()

    def _next(self) -> None:
        """Say what has changed in the next column."""
        if not self._waiting:  # a timer that was due already when its queue was emptied
            return
        key = next(iter(self._waiting))
        self._announce(COLUMNS.index(BY_KEY[key]), self._waiting.pop(key))
        if self._waiting:
            self._step.start()

    def _announce(self, column: int, mask: Array) -> None:
        """Say which cells of a column look different; mask [kernels]."""
        places = np.sort(self._row_of[mask])
        stretches = runs(places[places >= 0])
        if len(stretches) > MOST_STRETCHES:
            stretches = [(stretches[0][0], stretches[-1][1])]
        for first, last in stretches:
            self.dataChanged.emit(self.index(first, column), self.index(last, column))

    def set_filter(self, wanted: Filter) -> None:
        """Show only kernels that pass."""
        if wanted != self.filter:
            self.filter = wanted
            self.reorder()

    def sort_by(self, key: str, descending: bool) -> None:
        """Sort by a column; ties stay in execution order."""
        self.sort_key, self.descending = key, descending
        self.reorder()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def sort_or_turn(self, key: str) -> None:
        """Sort by a column, the other way round if it is that already; an order that waits for figures comes first."""
        again = key == self.sort_key
        self.sort_by(key, not self.descending if again and not self.order_waits else self.descending and again)

    def reorder(self) -> None:
        """Bring filter and order up to date with the figures."""
        self.order_waits = False
        new = self._wanted_order()
        if np.array_equal(new, self.order):
            return
        if len(new) != len(self.order) or not np.array_equal(np.sort(new), np.sort(self.order)):
            self.beginResetModel()
            self._take(new)
            self.endResetModel()
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kernels = [self.kernel_at(index.row()) for index in before]
        self._take(new)
        after = [self._moved(index, kernel) for index, kernel in zip(before, kernels, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def kernel_at(self, row: int) -> int:
        """Kernel index of a table row."""
        return int(self.order[row])

    def row_of(self, kernel: int) -> int:
        """Table row of a kernel, -1 when it is filtered out."""
        return int(self._row_of[kernel]) if 0 <= kernel < len(self._row_of) else -1

    def _moved(self, index: Index, kernel: int) -> QModelIndex:
        row = self.row_of(kernel)
        return self.index(row, index.column()) if row >= 0 else QModelIndex()

    def _wanted_order(self) -> Array:
        if self.rows is None:
            return _NO_ORDER
        return ordered(matching(self.rows, self.filter), BY_KEY[self.sort_key].number(self.rows), self.descending)

    def _take(self, order: Array) -> None:
        self.order = order
        self._row_of = np.full(len(self.rows) if self.rows else 0, -1)
        self._row_of[order] = np.arange(len(order))

    # What Qt asks for.

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Kernels that pass the filter."""
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """All columns, hidden ones too."""
        return 0 if parent.isValid() else len(COLUMNS)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Rows are selected, cells are not edited in place."""
        return _FLAGS if index.isValid() else _NO_FLAGS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, tooltip, alignment and kernel index of a cell."""
        if self.rows is None or not index.isValid() or not 0 <= index.row() < len(self.order):
            return None
        column, kernel = COLUMNS[index.column()], self.kernel_at(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(self.rows, kernel)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self.rows, kernel, column.key)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{title(column.key)}: {column.text(self.rows, kernel)} {unit(column.key, self.rows)}".strip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return kernel if role == Qt.ItemDataRole.UserRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Name, explanation and (as UserRole) unit of a column."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        key = COLUMNS[section].key
        if role == Qt.ItemDataRole.DisplayRole:
            return title(key)
        if role == Qt.ItemDataRole.ToolTipRole:
            return explanation(key, self.rows)
        return unit(key, self.rows) if role == Qt.ItemDataRole.UserRole else None
