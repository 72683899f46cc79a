"""Ranking: kernels by their sensitivity at the output. It ranks by what the output loses, never by local error."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, QRectF, Qt
from PySide6.QtGui import QPainter
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

from engine.session.changes import What
from gui.fonts import font
from gui.paint import badge, sensitivity_bar
from gui.plots.export import Exporter
from gui.plots.shapes import plain_text
from gui.plots.table import Table
from gui.plots.view import PlotView
from gui.theme import Theme
from gui.views.ranking_model import CHOICES, KERNEL, NOW, RANK, RankingModel, ranking
from gui.views.sensitivity_data import Metric
from gui.views.words import split_name
from gui.widgets.icon_button import IconButton
from gui.widgets.segmented import SegmentedControl

if TYPE_CHECKING:
    from engine.session import Session

ROW = 24
FIGURE = 48.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _Delegate(QStyledItemDelegate):
    """Paints a row: rank, name, badge, figure with its bar."""

    def __init__(self, model: RankingModel, theme: Theme) -> None:
        super().__init__()
        self._model = model
        self.theme = theme
        self.hovered = -1

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Called by Qt."""
        row, theme, area = self._model.rows[index.row()], self.theme, QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(area, theme.selection)
        elif index.row() == self.hovered:
            painter.fillRect(area, theme.hover)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), theme.hair)
        quiet = theme.text2 if selected else theme.muted
        inner = area.adjusted(8, 0, -8, -1)
        if index.column() == RANK:
            plain_text(painter, inner, str(index.row() + 1), theme.text, font(12, 500), _RIGHT)
        elif index.column() == KERNEL:
            path, tail = split_name(row.name)
            path = path if option.fontMetrics.horizontalAdvance(row.name) < inner.width() else ""
            plain_text(painter, inner, path, quiet, font(12))
            painter.setFont(font(12))
            used = painter.fontMetrics().horizontalAdvance(path)
            plain_text(painter, inner.adjusted(used, 0, 0, 0), tail, theme.text, font(12, 500))
        elif index.column() == NOW:
            corner = inner.topLeft()
            corner.setY(area.center().y() - 8.5)
            badge(painter, corner, row.family, row.label, theme)
        else:
            figure = QRectF(inner.left(), inner.top(), FIGURE, inner.height())
            plain_text(painter, figure, self._model.value(row), theme.text, font(12), _RIGHT)
            if row.cell is not None:
                bar = QRectF(
                    figure.right() + 8, inner.top(), max(20.0, inner.right() - figure.right() - 18), inner.height()
                )
                sensitivity_bar(painter, bar, row.bar, theme, estimated=row.cell.kind == "estimated")


class RankingView(PlotView):
    """A table, worst first; its selection is the session's."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.SENSITIVITY, What.PLAN, What.DATA, What.SELECTION})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.model = RankingModel()
        self.view = QTableView()
        self.delegate = _Delegate(self.model, theme)
        self.view.setModel(self.model)
        self.view.setItemDelegate(self.delegate)
        self._style_table()
        self.set_page(self.view)
        self.choice = SegmentedControl([(key, key) for key in CHOICES])
        self.choice.chosen.connect(lambda _: self.mark_dirty(What.MODEL))
        self.measure = SegmentedControl([("kl", "KL"), ("sqnr", "SQNR")])
        self.measure.chosen.connect(lambda _: self.mark_dirty(What.MODEL))
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(lambda: self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height()))))
        self.exporter = Exporter(self, None, self.table, self.title)
        self.view.customContextMenuRequested.connect(lambda at: self.menu().popup(self.view.viewport().mapToGlobal(at)))
        self.view.selectionModel().selectionChanged.connect(self._on_selected)
        self._showing = False
        self.view.entered.connect(self._on_entered)
        self.view.viewportEntered.connect(self._on_entered)
        self.retranslate()

    def _style_table(self) -> None:
        view = self.view
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(ROW)
        view.verticalHeader().setMinimumSectionSize(ROW)
        view.setShowGrid(False)
        view.setMouseTracking(True)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.setFrameShape(QTableView.Shape.NoFrame)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in ((RANK, 52), (NOW, 78)):
            header.resizeSection(column, width)
        header.setSectionResizeMode(KERNEL, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(3, 170)
        header.setStretchLastSection(False)

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Ranking")

    def header_widgets(self) -> list[QWidget]:
        """What is ranked, by which measure, more."""
        return [self.choice, self.measure, self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.choice.set_choices([("now", self.tr("as planned")), *((key, key) for key in CHOICES if key != "now")])
        self.choice.setAccessibleName(self.tr("Scheme whose sensitivity is ranked"))
        self.measure.setAccessibleName(self.tr("Measure of the output error"))
        self.more.set_tip(self.tr("Copy and export"))
        self.view.setAccessibleName(self.title())
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 3)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        self.delegate.theme = theme
        self.view.viewport().update()

    def on_empty_clicked(self) -> None:
        """Start the sweep."""
        self.session.start_sweep()

    # -- drawing ----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Rank what is known."""
        cells = self.session.sensitivity
        has_kl = any(cell.kl is not None for cell in cells.values())
        metric: Metric = "kl" if self.measure.current == "kl" and has_kl else "sqnr"
        self.measure.set_disabled(frozenset() if has_kl else frozenset({"kl"}))
        rows = ranking(self.shown, self.choice.current, metric)
        if not rows:
            self.show_no_model(self.tr("Open a model to rank its kernels."))
            return
        self.set_subtitle(self.tr("sensitivity at the output"))
        if not cells and not self.session.sweeping:
            self.show_empty(self.tr("The ranking needs a sensitivity sweep."), self.tr("Start the sweep"))
            return
        self.show_page()
        self.model.show(rows, metric)
        self.draw_selection()

    def draw_selection(self) -> None:
        """Select the rows of the session's selection."""
        places = {row.kernel: i for i, row in enumerate(self.model.rows)}
        selection = QItemSelection()
        for kernel in self.session.selection:
            if kernel in places:
                selection.select(self.model.index(places[kernel], 0), self.model.index(places[kernel], 3))
        self._showing = True
        flags = QItemSelectionModel.SelectionFlag
        self.view.selectionModel().select(selection, flags.ClearAndSelect | flags.Rows)
        current = places.get(self.session.current or "")
        if current is not None:
            index = self.model.index(current, 0)
            self.view.selectionModel().setCurrentIndex(index, flags.NoUpdate)
            if not self.view.viewport().rect().intersects(self.view.visualRect(index)):
                self.view.scrollTo(index)
        self._showing = False

    def table(self) -> Table:
        """The rows with plain numbers."""
        return self.model.table()

    def menu(self) -> QMenu:
        """Copy and export."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.exporter.fill(menu)
        return menu

    def _on_entered(self, index: QModelIndex | None = None) -> None:
        self.delegate.hovered = index.row() if index is not None else -1
        self.view.viewport().update()

    def _on_selected(self, *_: object) -> None:
        if self._showing:
            return
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        ids = tuple(self.model.rows[i].kernel for i in rows)
        here = self.view.currentIndex().row()
        current = self.model.rows[here].kernel if 0 <= here < len(self.model.rows) else None
        if ids:
            self.session.select(ids, current if current in ids else ids[0], who=self.who)
