"""Tensors: the outputs that Compare can show, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from engine.session.changes import What
from gui import format as fmt
from gui.fonts import font
from gui.paint import error_bar, nibble_mark, nibble_size
from gui.plots.shapes import plain_text
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.kernel_list import RIGHT, Index, KernelDelegate, KernelListView
from gui.views.tensors_model import COSINE, NAME, SQNR, TensorsModel, tensor_rows

if TYPE_CHECKING:
    from engine.session import Session

FIGURE = 44.0


class _Delegate(KernelDelegate):
    """Mark and name, SQNR with its bar, cosine."""

    def __init__(self, model: TensorsModel, theme: Theme) -> None:
        super().__init__(theme)
        self._model = model
        self.required: float | None = None

    def paint_cell(self, painter: QPainter, area: QRectF, index: Index, quiet: QColor) -> None:
        """Paint one column."""
        row, theme = self._model.rows[index.row()], self.theme
        if index.column() == NAME:
            corner = QPointF(round(area.left() + 2), round(area.center().y() - nibble_size() / 2))
            nibble_mark(painter, corner, row.family, theme.precision(row.family).main)
            self.paint_name(painter, area.adjusted(14, 0, 0, 0), row.name, quiet)
        elif index.column() == SQNR:
            short = self.required is not None and row.sums.sqnr_db < self.required
            face = font(12, 600 if short and not row.stale else 400, italic=row.stale)
            figure = QRectF(area.left(), area.top(), FIGURE, area.height())
            color = theme.faint if row.stale else theme.text
            plain_text(painter, figure, self._model.sqnr(row), color, face, RIGHT)
            bar = QRectF(figure.right() + 6, area.top(), max(20.0, area.width() - FIGURE - 8), area.height())
            error_bar(painter, bar, row.sums.sqnr_db, self.required, theme, stale=row.stale)
        else:
            plain_text(painter, area, fmt.cosine(row.sums.cosine), theme.text, font(12), RIGHT)


class TensorsView(KernelListView):
    """A click makes a tensor's kernel current, and Compare shows it."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.EVALUATION, What.PLAN, What.DATA, What.DEVICE, What.SELECTION})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        self.model = TensorsModel()
        painter = _Delegate(self.model, theme)
        super().__init__(session, theme, self.model, painter, parent)
        self._painter = painter
        self.set_columns({SQNR: 114, COSINE: 72}, NAME)
        self.retranslate()

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Tensors")

    def header_widgets(self) -> list[QWidget]:
        """More."""
        return [self.more]

    def kernels(self) -> Sequence[str]:
        """Kernel ids by row."""
        return [row.kernel for row in self.model.rows]

    def card_rows(self, row: int) -> list[tuple[str, str]]:
        """How close the tensor is."""
        return [(self.tr("cosine"), fmt.cosine(self.model.rows[row].sums.cosine))]

    def draw(self) -> None:
        """List the accumulated errors."""
        if self.session.network is None:
            self.show_no_model(self.tr("Open a model to compare what its kernels compute."))
            return
        rows = tensor_rows(self.shown)
        if not rows:
            self.show_empty(self.tr("The errors of this plan are being computed."))
            return
        self.show_page()
        self._painter.required = self.session.budgets.min_sqnr_db
        self.model.show(rows)
        self.set_subtitle(self.tr("all samples, worst first"))
        self.draw_selection()
        self.list.viewport().update()

    def table(self) -> Table:
        """The rows with plain numbers."""
        return self.model.table()
