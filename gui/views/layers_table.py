"""The table widget of the Layers view: mouse, keys, hover and selection; it knows kernels, not the session."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QWidget

from gui.theme import Theme
from gui.views.layers_changes import runs
from gui.views.layers_columns import BY_KEY, COLUMNS, COMPARED, Column, fit
from gui.views.layers_delegate import HoverTable, LayersDelegate
from gui.views.layers_header import LayersHeader
from gui.views.layers_model import Index, LayersModel
from gui.widgets.repaints import repaints

_PRECISION = COLUMNS.index(BY_KEY["precision"])
_FAMILY_KEYS = {Qt.Key.Key_4: "INT4", Qt.Key.Key_8: "INT8", Qt.Key.Key_6: "FP16"}
_LADDER = ("INT4", "INT8", "FP16")
CARD_COLUMNS = ("index", "name", "op")
REST_MS, BAND = 350, 10
"""How long the pointer rests before a card comes up; rows that are painted in one frame when many have changed."""
ROW_HEIGHTS = {"compact": 22, "normal": 24, "roomy": 28}


class LayersTable(HoverTable):
    """Rows of kernels. Selection is by whole rows; one click on a segment of the switch sets that kernel."""

    wants_ring = False
    """The switch of the current row has one."""
    segment_clicked = Signal(int, str)
    """Kernel index and family of a clicked switch segment."""
    family_pressed = Signal(str)
    """A key asked for a family on the selection."""
    lock_pressed = Signal()
    chosen = Signal()
    """The user changed the selection or the current row."""
    came_up = Signal()
    """The keys came and made a row current that nobody has chosen."""
    hovered = Signal(int)
    """Kernel index under the mouse, -1 for none."""
    filter_pressed = Signal(str)
    """A key asked for the filter; carries the text to start it with."""
    cancel_pressed = Signal()
    rested = Signal(int, QPoint)
    """Kernel index whose name or operators the pointer rests on, and the global position."""
    moved_on = Signal()
    """The pointer no longer rests."""

    def __init__(self, model: LayersModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.layers = model
        self.hidden: set[str] = {c.key for c in COLUMNS if not c.shown}
        self.fixed_widths: dict[str, int] = {}
        self.compared = False
        """Whether there is a plan B, and so columns for the differences to it."""
        self._pressed: tuple[int, str] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._on_rest)
        self._band_end: int | None = None
        """Px from the top down to which a table that is being filled has been painted; None paints all."""
        self._bands = QTimer(self)
        self._bands.setSingleShot(True)
        self._bands.setInterval(0)
        self._bands.timeout.connect(self._next_band)
        self._at = QPoint()
        self._syncing = False
        self._fitting = False
        self._wishes: dict[str, int] = {}
        self._header = LayersHeader(model, theme, self)
        self.setHorizontalHeader(self._header)
        self.setModel(model)
        self._delegate = LayersDelegate(self, theme)
        self.setItemDelegate(self._delegate)
        self._set_up()
        self.apply_theme(theme)
        model.modelReset.connect(self._on_reset)
        self._header.sectionResized.connect(self._on_section_resized)

    def _set_up(self) -> None:
        self.setAccessibleName(self.tr("Layers"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setCornerButtonEnabled(False)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(20)
        self.set_row_height(ROW_HEIGHTS["normal"])

    def set_row_height(self, pixels: int) -> None:
        """Use another row height; the rows never differ from each other."""
        rows = self.verticalHeader()
        rows.setSectionResizeMode(rows.ResizeMode.Fixed)
        rows.setDefaultSectionSize(pixels)

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, theme.panel)
        palette.setColor(QPalette.ColorRole.Window, theme.panel)
        self.setPalette(palette)
        self._delegate.theme = theme
        self._header.theme = theme
        self.viewport().update()
        self._header.viewport().update()

    def stop(self) -> None:
        """Nothing is waited for any more."""
        self._rest.stop()
        self._bands.stop()

    # Columns.

    def columns(self) -> list[Column]:
        """Columns that the user wants, in the order of the header."""
        order = [COLUMNS[self._header.logicalIndex(place)] for place in range(len(COLUMNS))]
        absent = self.hidden if self.compared else self.hidden | COMPARED.keys()
        return [column for column in order if column.key not in absent]

    def visible_columns(self) -> list[Column]:
        """Columns that are on the screen."""
        return [c for c in self.columns() if not self.isColumnHidden(COLUMNS.index(c))]

    def set_column_shown(self, key: str, shown: bool) -> None:
        """Show or hide a column."""
        (self.hidden.discard if shown else self.hidden.add)(key)
        self.fit_columns()

    def set_compared(self, compared: bool) -> None:
        """A plan B was chosen, or none is any more."""
        if compared != self.compared:
            self.compared = compared
            self.fit_columns()

    def order_columns(self, keys: Sequence[str]) -> None:
        """Put the columns in this order; those that are not named stay behind."""
        for place, key in enumerate(keys):
            self._header.moveSection(self._header.visualIndex(COLUMNS.index(BY_KEY[key])), place)

    def fit_columns(self) -> None:
        """Share the width out again."""
        if self._fitting:
            return
        self._fitting = True
        widths = fit(self.columns(), self.viewport().width(), self._wishes, self.fixed_widths)
        for place, column in enumerate(COLUMNS):
            self.setColumnHidden(place, column.key not in widths)
            if column.key in widths and self.columnWidth(place) != widths[column.key]:
                self.setColumnWidth(place, widths[column.key])
        self._fitting = False

    def _on_section_resized(self, section: int, old: int, new: int) -> None:
        if not self._fitting and new > 0 and old > 0:
            self.fixed_widths[COLUMNS[section].key] = max(new, COLUMNS[section].least)
            self.fit_columns()

    def _on_reset(self) -> None:
        self.hover_row = self.echo_row = -1
        self._delegate.hovered = None
        self._measure()

    def _measure(self) -> None:
        """Find out how wide the texts are, and share the width out."""
        rows = self.layers.rows
        if rows is not None:
            self._wishes = self._delegate.wishes(rows)
        self.fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        """The titles of another language are as wide as they are."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self.fit_columns()

    # Selection. Kernel indices in and out.

    def selected_kernels(self) -> list[int]:
        """Selected kernels in execution order."""
        # `selectedRows` makes an index per row; the ranges say the same a hundred times faster.
        places = np.zeros(len(self.layers.order), bool)
        ranges = self.selectionModel().selection()
        for part in (ranges.at(i) for i in range(ranges.count())):
            places[part.top() : part.bottom() + 1] = True
        return [int(kernel) for kernel in np.sort(self.layers.order[places])]

    def current_kernel(self) -> int:
        """Kernel of the current row, -1 without one."""
        index = self.currentIndex()
        return self.layers.kernel_at(index.row()) if index.isValid() else -1

    def select_kernels(self, kernels: Sequence[int], current: int) -> None:
        """Show a selection that was made elsewhere; scroll only when the current row is out of sight."""
        self._syncing = True
        model = self.selectionModel()
        rows = np.array(sorted(r for r in (self.layers.row_of(k) for k in kernels) if r >= 0), int)
        wanted = QItemSelection()
        for first, last in runs(rows):
            wanted.select(self.layers.index(first, 0), self.layers.index(last, len(COLUMNS) - 1))
        model.select(wanted, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        row = self.layers.row_of(current)
        index = self.layers.index(row, _PRECISION) if row >= 0 else QModelIndex()
        model.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        if row >= 0 and not self.viewport().rect().contains(self.visualRect(index).center()):
            self.scrollTo(self.layers.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
        self._syncing = False
        self.viewport().update()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll to a row; rows are what is selected, so the columns stay where they are."""
        across = self.horizontalScrollBar().value()
        super().scrollTo(index, hint)
        self.horizontalScrollBar().setValue(across)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell that the user has chosen."""
        super().selectionChanged(selected, deselected)
        if not self._syncing:
            self.chosen.emit()

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell that the user has moved."""
        super().currentChanged(current, previous)
        if not self._syncing:
            self.chosen.emit()
        self.viewport().update()

    # Mouse.

    def segment_at(self, position: QPoint) -> tuple[int, str] | None:
        """Kernel index and family of the switch segment under a point of the viewport."""
        index = self.indexAt(position)
        rows = self.layers.rows
        if rows is None or not index.isValid() or index.column() != _PRECISION:
            return None
        kernel = self.layers.kernel_at(index.row())
        if not rows.shape.tunable[kernel]:
            return None
        found = self._delegate.segment_at(self.visualRect(index), position)
        return (kernel, found) if found else None

    def segment_rect(self, kernel: int, family: str) -> QRect:
        """Where a segment is drawn, in viewport coordinates."""
        index = self.layers.index(self.layers.row_of(kernel), _PRECISION)
        return self._delegate.segment_rect(self.visualRect(index), family)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A segment takes the press; all else is selection."""
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.button() == Qt.MouseButton.LeftButton and plain:
            self._pressed = self.segment_at(event.position().toPoint())
            if self._pressed is not None:
                self._press_segment(self._pressed[0])
                return
        super().mousePressEvent(event)

    def _press_segment(self, kernel: int) -> None:
        """Make the row current; a selection that holds it stays as it is."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        index = self.layers.index(self.layers.row_of(kernel), _PRECISION)
        model = self.selectionModel()
        flags = QItemSelectionModel.SelectionFlag
        keep = model.isRowSelected(index.row(), QModelIndex())
        model.setCurrentIndex(index, flags.NoUpdate if keep else flags.ClearAndSelect | flags.Rows)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A segment acts when it is let go where it was pressed."""
        pressed, self._pressed = self._pressed, None
        if pressed is not None and event.button() == Qt.MouseButton.LeftButton:
            if self.segment_at(event.position().toPoint()) == pressed:
                self.segment_clicked.emit(*pressed)
            return
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A second quick click is just another click."""
        self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tint the row, show a hand over segments."""
        if self._pressed is None:
            super().mouseMoveEvent(event)
        point = event.position().toPoint()
        self._set_hover(self.rowAt(point.y()))
        if point != self._at:
            self._at = point
            self._rest.start()
            self.moved_on.emit()
        self._point_at(self.segment_at(point))

    def _point_at(self, segment: tuple[int, str] | None) -> None:
        """Tint the segment under the pointer."""
        if segment == self._delegate.hovered:
            return
        shape = Qt.CursorShape.ArrowCursor if segment is None else Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape)
        for changed in (self._delegate.hovered, segment):
            if changed is not None and self.layers.row_of(changed[0]) >= 0:
                self.update(self.layers.index(self.layers.row_of(changed[0]), _PRECISION))
        self._delegate.hovered = segment

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Paint cells again.

        For those of a hidden column Qt would paint a line of the next one from top to bottom, and for a column with
        cells out of sight the whole table.
        """
        if first.column() != last.column() or first.row() == last.row():
            if first.column() != last.column() or not self.isColumnHidden(first.column()):
                super().dataChanged(first, last, list(roles))
        elif not self.isColumnHidden(first.column()):
            top = self.rowViewportPosition(first.row())
            bottom = self.rowViewportPosition(last.row()) + self.rowHeight(last.row())
            left, width = self.columnViewportPosition(first.column()), self.columnWidth(first.column())
            self._repaint(QRect(left, top, width, bottom - top).intersected(self.viewport().rect()))

    def _repaint(self, area: QRect) -> None:
        """Paint a part again, a band of rows in a frame; the current row is in the first."""
        height = self.verticalHeader().defaultSectionSize()
        if area.height() <= BAND * height:
            self.viewport().update(area)
            return
        rows = self.viewport().height() / height
        deep = ceil(rows / ceil(rows / BAND)) * height
        bands = range(ceil(self.viewport().height() / deep))
        current = self.rowViewportPosition(self.currentIndex().row()) // deep if self.currentIndex().isValid() else 0
        for band in sorted(bands, key=lambda band: band != current):
            part = area.intersected(QRect(area.x(), band * deep, area.width(), deep))
            if not part.isEmpty():
                repaints.ask(self.viewport(), part, band)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells. Qt would ask the style about each first, which has nothing to add and takes longer."""
        self._delegate.paint_rows(QPainter(self.viewport()), self._now(event.region()))

    def fill_in_bands(self) -> None:
        """Paint the rows of another model over several frames: all in one would hold the event loop up."""
        self._band_end = 0

    def _now(self, region: QRegion) -> QRegion:
        """What of a region is painted in this frame; the rest of a table that is being filled is for the next ones."""
        if self._band_end is None:
            return region
        if not self._bands.isActive():
            self._band_end += BAND * self.verticalHeader().defaultSectionSize()
            self._bands.start()
        return region.intersected(QRect(0, 0, self.viewport().width(), self._band_end))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move what is on show; what has not been painted yet would be moved as it was."""
        late = repaints.drop(self.viewport())
        if late or self._band_end is not None:
            self._band_end = None
            self._bands.stop()
            self.viewport().update()
        super().scrollContentsBy(dx, dy)

    def _next_band(self) -> None:
        top = self._band_end
        assert top is not None
        if top >= self.viewport().height():
            self._band_end = None
        else:
            self.viewport().update(0, top, self.viewport().width(), self.viewport().height() - top)

    def viewportEvent(self, event: QEvent) -> bool:
        """Nothing is hovered once the pointer has left."""
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide, QEvent.Type.Wheel, QEvent.Type.MouseButtonPress):
            self._rest.stop()
            self.moved_on.emit()
        if event.type() == QEvent.Type.Hide:
            repaints.drop(self.viewport())
        if event.type() == QEvent.Type.Leave:
            self._set_hover(-1)
            self._point_at(None)
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            # Names and operators have the card; a second tooltip over it would only be in the way.
            index = self.indexAt(event.pos())
            if index.isValid() and COLUMNS[index.column()].key in CARD_COLUMNS:
                return True
        return super().viewportEvent(event)

    def _on_rest(self) -> None:
        index = self.indexAt(self._at)
        if index.isValid() and COLUMNS[index.column()].key in CARD_COLUMNS and self.isVisible():
            self.rested.emit(self.layers.kernel_at(index.row()), self.viewport().mapToGlobal(self._at))

    def _set_hover(self, row: int) -> None:
        if row == self.hover_row:
            return
        for changed in (self.hover_row, row):
            if changed >= 0:
                self.viewport().update(
                    0, self.rowViewportPosition(changed), self.viewport().width(), self.rowHeight(changed)
                )
        self.hover_row = row
        self.hovered.emit(self.layers.kernel_at(row) if 0 <= row < len(self.layers.order) else -1)

    def set_echo(self, row: int) -> None:
        """Outline the row of a kernel that is hovered elsewhere."""
        if row != self.echo_row:
            self.echo_row = row
            self.viewport().update()

    # Keys.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that edit the selection; all else moves it."""
        key, plain = (
            Qt.Key(event.key()),
            event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier),
        )
        if plain and key in _FAMILY_KEYS:
            self.family_pressed.emit(_FAMILY_KEYS[key])
        elif plain and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(1 if key == Qt.Key.Key_Right else -1)
        elif plain and key == Qt.Key.Key_L:
            self.lock_pressed.emit()
        elif plain and key == Qt.Key.Key_Slash:
            self.filter_pressed.emit("")
        elif key == Qt.Key.Key_Escape:
            self.cancel_pressed.emit()
        else:
            super().keyPressEvent(event)

    def _step(self, direction: int) -> None:
        """Step the precision of the selection from where the current kernel is."""
        rows, kernel = self.layers.rows, self.current_kernel()
        if rows is None or kernel < 0 or rows.families[kernel] not in _LADDER:
            return
        place = _LADDER.index(rows.families[kernel]) + direction
        if 0 <= place < len(_LADDER):
            self.family_pressed.emit(_LADDER[place])

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands here; the filter is what finds rows."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The first row becomes current, so that keys have something to work on."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and len(self.layers.order):
            self._syncing = True  # nobody has chosen it: a selection that was made elsewhere stays
            self.selectionModel().setCurrentIndex(
                self.layers.index(0, _PRECISION), QItemSelectionModel.SelectionFlag.NoUpdate
            )
            self._syncing = False
            self.came_up.emit()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes with the focus."""
        super().focusOutEvent(event)
        self.viewport().update()
