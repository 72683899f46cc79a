"""Ranking: kernels by their sensitivity at the output. It ranks by what the output loses, never by local error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from engine.session.changes import What
from gui.fonts import font
from gui.paint import badge, sensitivity_bar
from gui.plots.shapes import plain_text
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.kernel_list import RIGHT, Index, KernelDelegate, KernelListView
from gui.views.ranking_model import CHOICES, KERNEL, NOW, RANK, VALUE, RankingModel, ranking
from gui.views.sensitivity_data import Metric
from gui.widgets.segmented import SegmentedControl

if TYPE_CHECKING:
    from engine.session import Session

FIGURE = 62.0


class _Delegate(KernelDelegate):
    """Rank, name, badge, figure with its bar."""

    def __init__(self, model: RankingModel, theme: Theme) -> None:
        super().__init__(theme)
        self._model = model

    def paint_cell(self, painter: QPainter, area: QRectF, index: Index, quiet: QColor) -> None:
        """Paint one column."""
        row, theme = self._model.rows[index.row()], self.theme
        if index.column() == RANK:
            plain_text(painter, area, str(index.row() + 1), theme.text, font(12, 500), RIGHT)
        elif index.column() == KERNEL:
            self.paint_name(painter, area, row.name, quiet)
        elif index.column() == NOW:
            badge(painter, QPointF(area.left(), area.center().y() - 8), row.family, row.label, theme)
        else:
            figure = QRectF(area.left(), area.top(), FIGURE, area.height())
            plain_text(painter, figure, self._model.value(row), theme.text, font(12), RIGHT)
            if row.cell is not None:
                bar = QRectF(figure.right() + 8, area.top(), max(20.0, area.width() - FIGURE - 18), area.height())
                sensitivity_bar(painter, bar, row.bar, theme, estimated=row.cell.kind == "estimated")


class RankingView(KernelListView):
    """Worst first, for the schemes in the plan or for one scheme in all kernels."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.SENSITIVITY, What.PLAN, What.DATA, What.SELECTION})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        self.model = RankingModel()
        super().__init__(session, theme, self.model, _Delegate(self.model, theme), parent)
        self.set_columns({RANK: 52, NOW: 78, VALUE: 170}, KERNEL)
        self.choice = SegmentedControl([(key, key) for key in CHOICES])
        self.choice.chosen.connect(lambda _: self.mark_dirty(What.MODEL))
        self.measure = SegmentedControl([("kl", "KL"), ("sqnr", "SQNR")])
        self.measure.chosen.connect(lambda _: self.mark_dirty(What.MODEL))
        self.retranslate()

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

    def on_empty_clicked(self) -> None:
        """Start the sweep."""
        self.session.start_sweep()

    def kernels(self) -> Sequence[str]:
        """Kernel ids by row."""
        return [row.kernel for row in self.model.rows]

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

    def table(self) -> Table:
        """The rows with plain numbers."""
        return self.model.table()
