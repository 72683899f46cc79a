"""Measured: what a device took for each kernel, beside the simulation; a fit makes the simulation follow it."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, log2
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from engine.session.changes import Change, What
from gui import folders
from gui import format as fmt
from gui.fonts import font
from gui.i18n import text
from gui.plots.shapes import plain_text
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.kernel_list import RIGHT, Index, KernelDelegate, KernelListView
from gui.views.measured_fit import FitDialog
from gui.views.measured_model import (
    MEASURED,
    NAME,
    RATIO,
    SIMULATED,
    MeasuredModel,
    ratio_words,
    rest_words,
    summary_words,
)
from gui.views.names_dialog import NameRow, NamesDialog
from gui.widgets.popup import one_use_menu
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.session import Session

FIGURE = 46.0
WIDEST = 3.0
"""Ratio, as a power of two, at which the bar is full."""


class _Delegate(KernelDelegate):
    """Name, both times, and the ratio with a bar to the right (slower than simulated) or left."""

    def __init__(self, model: MeasuredModel, theme: Theme) -> None:
        super().__init__(theme)
        self._model = model

    def paint_cell(self, painter: QPainter, area: QRectF, index: Index, quiet: QColor) -> None:
        """Paint one column."""
        row, theme = self._model.rows[index.row()], self.theme
        if index.column() == NAME:
            self.paint_name(painter, area, row.name, quiet)
        elif index.column() in (MEASURED, SIMULATED):
            value = row.measured_us if index.column() == MEASURED else row.simulated_us
            color = theme.text if index.column() == MEASURED else quiet
            plain_text(painter, area, fmt.latency_us(value), color, font(12), RIGHT)
        else:
            figure = QRectF(area.left(), area.top(), FIGURE, area.height())
            plain_text(painter, figure, ratio_words(row.ratio), theme.text, font(12, 500), RIGHT)
            if area.width() > FIGURE + 24:
                self._bar(painter, area.adjusted(FIGURE + 8, 0, 0, 0), row.ratio)

    def _bar(self, painter: QPainter, area: QRectF, ratio: float) -> None:
        middle, theme = area.center().x(), self.theme
        painter.fillRect(QRectF(area.left(), area.center().y() - 2.5, area.width(), 5), theme.sunken)
        if isfinite(ratio) and ratio > 0:
            share = max(-1.0, min(1.0, log2(ratio) / WIDEST))
            end = middle + share * area.width() / 2
            color = theme.warn if share > 0 else theme.accent
            painter.fillRect(QRectF(min(middle, end), area.center().y() - 2.5, abs(end - middle), 5), color)
        painter.fillRect(QRectF(middle - 0.5, area.center().y() - 5, 1, 10), theme.strong)


class MeasuredView(KernelListView):
    """A click selects a kernel; profiles are opened, corrected and fitted to from here."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.MEASURED, What.SIMULATION, What.DEVICE, What.PLAN, What.SELECTION}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        self.model = MeasuredModel()
        super().__init__(session, theme, self.model, _Delegate(self.model, theme), parent)
        self._fit_shown: object = None
        self.summary, self.rest = label("", "strong"), label("", "caption")
        self.rest.setWordWrap(True)
        self.summary.setWordWrap(True)
        self.open_button, self.fit_button = button(""), button("")
        self.open_button.clicked.connect(self.open_file)
        self.fit_button.clicked.connect(lambda: self.session.measurements.start_fit())
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.summary.setContentsMargins(12, 6, 12, 0)
        column.addWidget(self.summary)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(12, 4, 12, 6)
        buttons.setSpacing(8)
        buttons.addWidget(self.fit_button)
        buttons.addWidget(self.open_button)
        buttons.addStretch()
        column.addLayout(buttons)
        column.addWidget(self.list, 1)
        self.rest.setContentsMargins(12, 6, 12, 6)
        column.addWidget(self.rest)
        self.set_page(page)
        self.list.show()
        self.set_columns({MEASURED: 76, SIMULATED: 76, RATIO: 110}, NAME, {RATIO: round(FIGURE) + 16})
        self.retranslate()

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Measured")

    def header_widgets(self) -> list[QWidget]:
        """More."""
        return [self.more]

    def kernels(self) -> Sequence[str]:
        """Kernel ids by row."""
        return [row.kernel for row in self.model.rows]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.open_button.setText(self.tr("Open profile…"))
        self.fit_button.setText(self.tr("Fit the device"))
        self.fit_button.setToolTip(
            self.tr("Find launch times, bandwidth and efficiencies that explain the measured times")
        )

    def changed_by_other(self, change: Change) -> None:
        """A finished fit is shown at once, by the view that is on screen."""
        fit = self.session.measurements.fit
        if change.what is What.MEASURED and fit is not None and fit is not self._fit_shown and self.isVisible():
            self._fit_shown = fit
            FitDialog(self.session, fit, self).show()

    def card_rows(self, row: int) -> list[tuple[str, str]]:
        """What the device took."""
        found = self.model.rows[row]
        return [
            (self.tr("measured"), fmt.latency_us(found.measured_us)),
            (self.tr("by simulated"), ratio_words(found.ratio)),
        ]

    def draw(self) -> None:
        """List the kernels, or say what is missing."""
        if self.session.network is None:
            self.show_no_model(self.tr("Open a model to hold its simulation against a device."))
            return
        found = self.session.measurements.measured()
        if found is None:
            self.set_subtitle("")
            if self.session.measurements.profiles:
                self.show_empty(self.tr("The simulation is running."))
            else:
                self.show_empty(
                    self.tr(
                        "No profile yet. A phone's *_op.csv, msprof's op_summary, MindSpore Lite's benchmark "
                        "or a profile of ONNX Runtime can be opened."
                    ),
                    self.tr("Open profile…"),
                )
            return
        self.show_page()
        self.summary.setText(summary_words(found))
        self.rest.setText(rest_words(found))
        self.rest.setVisible(bool(self.rest.text()))
        runs = self.tr("%n inference(s)", "", max(1, len(found.profile.runs)))
        self.set_subtitle(f"{found.profile.path.name} · {runs}")
        self.model.show(found.kernels)
        self.draw_selection()

    def menu(self) -> QMenu:
        """Names, closing, copy and export."""
        menu = one_use_menu(self)
        if self.session.measurements.profiles:
            menu.addAction(self.tr("Names…")).triggered.connect(lambda _=False: self.show_names())
            close = menu.addAction(self.tr("Close profile"))
            close.triggered.connect(lambda _=False: self.session.measurements.close_profile())
            menu.addSeparator()
        self.exporter.fill(menu)
        return menu

    def on_empty_clicked(self) -> None:
        """Open a profile."""
        self.open_file()

    def open_file(self) -> None:
        """Ask for a profile."""
        title = self.tr("Open a measured profile")
        kinds = self.tr("Profiles") + " (*.csv *.json *.txt *.log);;" + self.tr("All files") + " (*)"
        chosen, _ = QFileDialog.getOpenFileName(self, title, folders.to_open(self), kinds)
        if chosen:
            folders.opened(self, Path(chosen))
            self.session.measurements.open_profile(Path(chosen))

    def show_names(self) -> NamesDialog | None:
        """Which operator is which kernel."""
        network = self.session.network
        if network is None or self.session.measurements.measured() is None:
            return None

        def rows() -> list[NameRow]:
            found = self.session.measurements.measured()
            return [
                NameRow(
                    match.op.name,
                    fmt.latency_us(match.op.duration_us),
                    match.kernel or None,
                    match.how,
                    text(match.reason) if match.reason is not None else "",
                )
                for match in (found.matches if found is not None else ())
            ]

        dialog = NamesDialog(
            self.tr("Names of the profile"),
            self.tr("Time"),
            rows,
            [(kernel.name, kernel.id) for kernel in network.kernels],
            lambda name, key: self.session.measurements.correct(name, cast("str | None", key)),
            self,
        )
        dialog.show()
        return dialog

    def table(self) -> Table:
        """The rows with plain numbers."""
        return self.model.table()
