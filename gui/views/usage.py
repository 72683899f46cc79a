"""Utilization: how busy the units are, what the gaps wait for, and the kernels that take longest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.session.changes import What
from gui import format as fmt
from gui.fonts import font
from gui.paint import nibble_mark, nibble_size, plain_bar
from gui.plots.shapes import plain_text
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.kernel_list import RIGHT, Index, KernelDelegate, KernelListView
from gui.views.usage_model import BOUND, KERNEL, RANK, TIME, TopModel, top_rows
from gui.views.usage_parts import UsageHead
from gui.views.words import bound_word

if TYPE_CHECKING:
    from engine.session import Session

FIGURE = 58.0


class _Delegate(KernelDelegate):
    """Rank, name, latency with its share as a bar, bound."""

    def __init__(self, model: TopModel, theme: Theme) -> None:
        super().__init__(theme)
        self._model = model

    def paint_cell(self, painter: QPainter, area: QRectF, index: Index, quiet: QColor) -> None:
        """Paint one column."""
        row, theme = self._model.rows[index.row()], self.theme
        if index.column() == RANK:
            plain_text(painter, area, str(index.row() + 1), theme.text, font(12, 500), RIGHT)
        elif index.column() == KERNEL:
            room = area
            if row.label:
                corner = QPointF(round(area.left()), round(area.center().y() - nibble_size() / 2))
                nibble_mark(painter, corner, row.family, theme.precision(row.family).main)
                room = area.adjusted(13, 0, 0, 0)
            self.paint_name(painter, room, row.name, quiet)
        elif index.column() == TIME:
            figure = QRectF(area.left(), area.top(), FIGURE, area.height())
            plain_text(painter, figure, fmt.latency_us(row.latency_us), theme.text, font(12), RIGHT)
            bar = QRectF(figure.right() + 8, area.top(), area.width() - FIGURE - 8, area.height())
            if bar.width() >= 16:
                plain_bar(painter, bar, row.share / max(self._model.longest, 1e-9), theme.bar, theme)
        else:
            plain_text(painter, area, bound_word(row.bound), theme.text2, font(12))


class UsageView(KernelListView):
    """The rule of thumb: below 70 % it is worth looking for gaps."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.PLAN, What.SIMULATION, What.DEVICE, What.SELECTION})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        self.model = TopModel()
        super().__init__(session, theme, self.model, _Delegate(self.model, theme), parent)
        self.set_columns({RANK: 44, TIME: 104, BOUND: 76}, KERNEL, {TIME: round(FIGURE) + 16})
        self.retranslate()

    def set_page(self, page: QWidget) -> None:
        """The list stands below the bars."""
        both = QWidget()
        column = QVBoxLayout(both)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.head = UsageHead()
        column.addWidget(self.head)
        column.addWidget(page, 1)
        super().set_page(both)

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Utilization")

    def header_widgets(self) -> list[QWidget]:
        """More."""
        return [self.more]

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        self.head.bars.update()

    def kernels(self) -> Sequence[str]:
        """Kernel ids by row."""
        return [row.kernel for row in self.model.rows]

    def card_rows(self, row: int) -> list[tuple[str, str]]:
        """Shares of the run."""
        found = self.model.rows[row]
        return [
            (self.tr("of the run"), fmt.percent(found.share)),
            (self.tr("with all longer ones"), fmt.percent(found.so_far)),
        ]

    def draw(self) -> None:
        """Show the simulation of the session."""
        from engine.npu.usage import usage

        simulation = self.shown.figures.simulation
        if self.session.network is None:
            self.show_no_model(self.tr("Open a model to see how busy the NPU is."))
            return
        if simulation is None or not simulation.kernels:
            self.show_empty(self.tr("The device is being simulated."))
            return
        self.show_page()
        found = usage(simulation)
        self.head.show_usage(found)
        self.model.show(top_rows(self.shown, simulation))
        self.set_subtitle(self.tr("top kernels by time"))
        self.draw_selection()

    def table(self) -> Table:
        """The rows with plain numbers."""
        return self.model.table()
