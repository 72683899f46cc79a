"""A short table of kernels whose selection is the session's: what Ranking and Tensors have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    Qt,
)
from PySide6.QtGui import QColor, QHideEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.bridge import hub
from gui.fonts import font
from gui.kernel_names import names_of, short_name
from gui.plots.export import Exporter
from gui.plots.shapes import plain_text
from gui.plots.view import PlotView
from gui.theme import Theme
from gui.views.fitting import fitting_name
from gui.views.layers_card import kernel_card
from gui.views.layers_changes import runs
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.resting import Resting
from gui.widgets.right_press import RightPress
from gui.widgets.tip_card import TipCard

if TYPE_CHECKING:
    from engine.session import Session

ROW = 24
EDGE = 3.0
"""Px of the mark of the current kernel."""
NAMES = 120
"""Px of the names below which figures do without their bars."""
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


class KernelDelegate(QStyledItemDelegate):
    """Paints selection, hover and row line; subclasses paint what a column holds."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.short: Callable[[str], str] = short_name
        """Short name of a kernel of the network that is listed."""
        self.hovered = self.echoed = self.current = -1
        """Rows: under the pointer here, under it in another view, of the current kernel."""

    def paint_cell(self, painter: QPainter, area: QRectF, index: Index, quiet: QColor) -> None:
        """Paint the content; `quiet` is the colour of secondary text on this row."""
        raise NotImplementedError

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Called by Qt."""
        area = QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(area, self.theme.selection)
        elif index.row() == self.hovered:
            painter.fillRect(area, self.theme.hover)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), self.theme.hair)
        if index.row() == self.current and area.left() <= 0:
            painter.fillRect(QRectF(area.left(), area.top(), EDGE, area.height() - 1), self.theme.accent)
        if index.row() == self.echoed:
            painter.fillRect(QRectF(area.left(), area.top(), area.width(), 1), self.theme.accent)
            painter.fillRect(QRectF(area.left(), area.bottom() - 2, area.width(), 1), self.theme.accent)
        quiet = self.theme.text2 if selected else self.theme.muted
        self.paint_cell(painter, area.adjusted(8, 0, -8, -1), index, quiet)

    def paint_name(self, painter: QPainter, area: QRectF, name: str, quiet: QColor) -> None:
        """The path quiet, the last part strong; what tells layers apart stays where there is no room."""
        path, tail = fitting_name(name, int(area.width()), 500, self.short(name))
        plain_text(painter, area, path, quiet, font(12))
        painter.setFont(font(12))
        used = painter.fontMetrics().horizontalAdvance(path)
        plain_text(painter, area.adjusted(used, 0, 0, 0), tail, self.theme.text, font(12, 500))


class KernelListView(PlotView):
    """Clicks select kernels in all views, and the selection of others is followed."""

    HAS_TWIN = False

    def __init__(
        self,
        session: Session,
        theme: Theme,
        model: QAbstractTableModel,
        delegate: KernelDelegate,
        parent: QWidget | None,
    ) -> None:
        super().__init__(session, theme, parent)
        self._widths: dict[int, int] = {}
        self._spare: dict[int, int] = {}
        self.list = QTableView()
        self.delegate = delegate
        self.list.setModel(model)
        self.list.setItemDelegate(delegate)
        self.list.viewport().installEventFilter(self)
        model.headerDataChanged.connect(lambda *_: self.fit_titles())
        self._style_list()
        self.set_page(self.list)
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(lambda: self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height()))))
        self.exporter = Exporter(self, None, self.table, self.title)
        self._showing = False
        self._followed: str | None = None
        """The current kernel that was brought into sight last."""
        self._listed: object = None
        """The network whose kernels are listed."""
        self.list.customContextMenuRequested.connect(lambda at: self.menu().popup(self.list.viewport().mapToGlobal(at)))
        self.list.selectionModel().selectionChanged.connect(self._on_selected)
        self.card = TipCard(self.list)
        self.resting = Resting(self.list)
        self.resting.entered.connect(self._on_entered)
        self.resting.rested.connect(self._show_card)
        self.resting.moved.connect(self.card.hide)
        hub.hover_changed.connect(self._on_echo)

    # -- for subclasses ---------------------------------------------------------------------------------------------

    def kernels(self) -> Sequence[str]:
        """Kernel ids by row."""
        raise NotImplementedError

    def card_rows(self, row: int) -> list[tuple[str, str]]:
        """What this list alone says of a kernel, for its card."""
        return []

    def set_columns(self, widths: dict[int, int], stretched: int, spare: Mapping[int, int] | None = None) -> None:
        """Fixed widths in px, more where a title needs it, and the column that takes the rest.

        Args:
            widths: by column.
            stretched: the column of the names.
            spare: narrower widths of columns that have a bar beside their figure: names that are cut tell no kernel
                from another, so the bars go before them.
        """
        self._widths, self._spare = widths, dict(spare or {})
        header = self.list.horizontalHeader()
        for column in widths:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
        self.fit_titles()

    def fit_titles(self) -> None:
        """Give each title the room that it needs in the language in use."""
        header = self.list.horizontalHeader()
        whole = {column: max(width, header.sectionSizeHint(column)) for column, width in self._widths.items()}
        cramped = self.list.viewport().width() - sum(whole.values()) < NAMES
        for column, width in whole.items():
            narrow = max(self._spare.get(column, width), header.sectionSizeHint(column))
            header.resizeSection(column, min(width, narrow) if cramped else width)

    # -- dock -------------------------------------------------------------------------------------------------------

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.more.set_tip(self.tr("Copy and export"))
        self.list.setAccessibleName(self.title())
        model = self.list.model()
        model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, model.columnCount() - 1)
        self.fit_titles()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        self.delegate.theme = theme
        self.list.viewport().update()

    def dispose(self) -> None:
        """Stop listening."""
        if self.listening:
            hub.hover_changed.disconnect(self._on_echo)
        self.resting.stop()
        self.card.hide()
        super().dispose()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another width may have room for bars, or no more."""
        if event.type() == QEvent.Type.Resize and self._spare:
            self.fit_titles()
        return super().eventFilter(watched, event)

    def hideEvent(self, event: QHideEvent) -> None:
        """A hidden list has no card."""
        self.card.hide()
        super().hideEvent(event)

    def menu(self) -> QMenu:
        """Copy and export."""
        menu = one_use_menu(self)
        self.exporter.fill(menu)
        return menu

    def show_page(self) -> None:
        """A list that appears begins at its top; only now the style sheet has given its titles their font."""
        network = self.session.network
        self.delegate.short = names_of(network).of if network is not None else short_name
        self.fit_titles()
        if not self.list.isVisibleTo(self):
            self._followed = self.session.current
            self.list.scrollToTop()
        super().show_page()

    def draw_selection(self) -> None:
        """Select the rows of the session's selection; only another current kernel is brought into sight."""
        places = {kernel: i for i, kernel in enumerate(self.kernels())}
        model, chosen = self.list.model(), QItemSelection()
        rows = sorted(places[kernel] for kernel in self.session.selection if kernel in places)
        last = model.columnCount() - 1
        for first, end in runs(np.array(rows, int)):  # row by row Qt takes 0.1 ms for each, again and again
            chosen.select(model.index(first, 0), model.index(end, last))
        current = places.get(self.session.current or "")
        if self.session.network is not self._listed:
            self._listed, self._followed = self.session.network, self.session.current
            self.list.scrollToTop()
        follow = self.session.current != self._followed
        self._followed = self.session.current
        self._showing = True
        self.list.setAutoScroll(False)
        flags = QItemSelectionModel.SelectionFlag
        self.list.selectionModel().select(chosen, flags.ClearAndSelect)
        if current is not None:
            self.list.selectionModel().setCurrentIndex(model.index(current, 0), flags.NoUpdate)
            if follow:
                self.list.scrollTo(model.index(current, 0))
        self.list.setAutoScroll(True)
        self._showing = False
        self._mark(current=-1 if current is None else current)

    def _style_list(self) -> None:
        view = self.list
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(ROW)
        view.verticalHeader().setMinimumSectionSize(ROW)
        view.setShowGrid(False)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        RightPress(view)
        view.setFrameShape(QTableView.Shape.NoFrame)
        view.setTabKeyNavigation(False)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def _on_selected(self, *_: Any) -> None:
        if self._showing:
            return
        kernels = self.kernels()
        ranges = self.list.selectionModel().selection()
        rows = {row for i in range(ranges.count()) for row in range(ranges.at(i).top(), ranges.at(i).bottom() + 1)}
        ids = tuple(kernels[i] for i in sorted(rows))
        here = self.list.currentIndex().row()
        current = kernels[here] if 0 <= here < len(kernels) else None
        if ids:
            self.session.select(ids, current if current in ids else ids[0], who=self.who)

    def _on_entered(self, row: int) -> None:
        self._mark(hovered=row)
        kernels = self.kernels()
        hub.hover(kernels[row] if 0 <= row < len(kernels) else None, self.who)

    def _on_echo(self, kernel_id: str, who: str) -> None:
        if who != self.who:
            kernels = list(self.kernels())
            self._mark(echoed=kernels.index(kernel_id) if kernel_id in kernels else -1)

    def _mark(self, **rows: int) -> None:
        """Give rows the look that the delegate has for them."""
        for name, row in rows.items():
            if getattr(self.delegate, name) != row:
                setattr(self.delegate, name, row)
                self.list.viewport().update()

    def _show_card(self, row: int, place: QPoint) -> None:
        kernels, network = self.kernels(), self.session.network
        if network is not None and row < len(kernels):
            index = network.by_id(kernels[row]).index
            self.card.show_at(kernel_card(self.shown, index, self.card_rows(row)), place)
