"""The list of plans: painted rows, names edited in place, keys that apply, rename and delete."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.fonts import font
from gui.plots.shapes import plain_text
from gui.theme import Theme
from gui.views.plans_model import ENERGY, LATENCY, MIX, NAME, PEAK, SIZE, SQNR, Index, PlansModel
from gui.widgets.right_press import RightPress

ROW = 26
WIDTHS = {MIX: 84, SQNR: 76, LATENCY: 86, SIZE: 74, PEAK: 74, ENERGY: 82}
LEAST_NAME = 130
_FOLDED = (ENERGY, PEAK, MIX, SIZE)
"""Columns that go first where it gets narrow."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PlansDelegate(QStyledItemDelegate):
    """Mark and name, mix of precisions, figures."""

    def __init__(self, model: PlansModel, theme: Theme) -> None:
        super().__init__()
        self._model = model
        self.theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Called by Qt."""
        row, theme, area = self._model.rows[index.row()], self.theme, QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(area, theme.selection)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, theme.hover)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), theme.hair)
        area = area.adjusted(8, 0, -8, -1)
        if index.column() == NAME:
            self._paint_name(painter, area, row.mark, self._model.words(row, NAME), not row.name, row.same)
        elif index.column() == MIX:
            self._paint_mix(painter, area, row.mix)
        else:
            stale = index.column() == SQNR and row.stale
            color = theme.text2 if stale else theme.text
            plain_text(painter, area, self._model.words(row, index.column()), color, font(12, italic=stale), _RIGHT)

    def _paint_name(self, painter: QPainter, area: QRectF, mark: str, name: str, current: bool, same: bool) -> None:
        theme = self.theme
        if mark:
            spot = QRectF(area.left(), area.center().y() - 7.5, 15, 15)
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent if mark == "A" else theme.text2)
            painter.drawRoundedRect(spot, 3, 3)
            painter.restore()
            plain_text(painter, spot, mark, theme.panel, font(10, 700), Qt.AlignmentFlag.AlignCenter)
        words = area.adjusted(22, 0, 0, 0)
        painter.setFont(font(12, 600 if current else 500))
        shown = painter.fontMetrics().elidedText(
            name, Qt.TextElideMode.ElideMiddle, int(words.width()) - (14 if same else 0)
        )
        plain_text(painter, words, shown, theme.text, font(12, 600 if current else 500))
        if same:
            plain_text(painter, words, "=", theme.text2, font(12, 600), _RIGHT)

    def _paint_mix(self, painter: QPainter, area: QRectF, mix: tuple[tuple[str, int], ...]) -> None:
        total = sum(count for _, count in mix)
        left, bar = area.left(), QRectF(area.left(), area.center().y() - 4, area.width(), 8)
        for name, count in mix:
            width = bar.width() * count / total if total else 0.0
            if width > 0:
                color: QColor = self.theme.precision(name).main
                painter.fillRect(QRectF(left, bar.top(), max(1.0, width - 1), bar.height()), color)
            left += width


class PlansList(QTableView):
    """One row per plan."""

    apply_pressed = Signal(str)
    delete_pressed = Signal(str)

    def __init__(self, model: PlansModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plans = model
        self.delegate = PlansDelegate(model, theme)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)  # a click chooses, whatever was chosen
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        RightPress(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self.fit_columns()
        self.doubleClicked.connect(self._on_double_click)

    def fit_columns(self) -> None:
        """Give columns their widths, more where the font or the language needs more for the title.

        Columns are folded away until a name has room.
        """
        header = self.horizontalHeader()
        for column in _FOLDED:
            self.setColumnHidden(column, False)  # one that is hidden has no width to tell
        wanted = {column: max(width, header.sectionSizeHint(column)) for column, width in WIDTHS.items()}
        for column, width in wanted.items():
            header.resizeSection(column, width)
        room = self.viewport().width() - LEAST_NAME - sum(wanted.values())
        for column in _FOLDED:
            self.setColumnHidden(column, room < 0)
            room += wanted[column] if room < 0 else 0

    def changeEvent(self, event: QEvent) -> None:
        """Titles of another language or font want other widths."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.fit_columns()

    def showEvent(self, event: QShowEvent) -> None:
        """Fonts of the style sheet are known from here on."""
        super().showEvent(event)
        self.fit_columns()

    def name_of(self, index: Index) -> str:
        """Name of the kept plan in a row; '' for the current plan or none."""
        return self.plans.rows[index.row()].name if index.isValid() else ""

    @property
    def chosen(self) -> str:
        """Name of the kept plan that is selected, or ''."""
        return self.name_of(self.currentIndex())

    def choose(self, name: str, *, edit: bool = False) -> None:
        """Select a plan, and let its name be edited."""
        for row, plan in enumerate(self.plans.rows):
            if plan.name == name:
                index = self.plans.index(row, NAME)
                self.setCurrentIndex(index)
                if edit:
                    self.edit(index)

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.delegate.theme = theme
        self.viewport().update()

    def resizeEvent(self, event: object) -> None:
        """More or fewer columns have room."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter applies, Delete deletes, F2 renames."""
        editing = self.state() == QAbstractItemView.State.EditingState
        if not editing and self.chosen and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.apply_pressed.emit(self.chosen)
        elif not editing and self.chosen and event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit(self.chosen)
        elif not editing and event.key() == Qt.Key.Key_F2:
            self.edit(self.plans.index(self.currentIndex().row(), NAME))
        else:
            super().keyPressEvent(event)

    def _on_double_click(self, index: Index) -> None:
        if self.name_of(index):
            self.apply_pressed.emit(self.name_of(index))

    def corner(self, row: int) -> QPointF:
        """Where a row is, in viewport coordinates."""
        return QPointF(self.visualRect(self.plans.index(row, NAME)).center())
