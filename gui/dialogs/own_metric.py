"""A Python function as a figure of one's own: which file, which function, how long it may take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QWidget

from engine.errors import MixbitError
from engine.numerics.user_metric import TIME_LIMIT_S, named_metric
from engine.session.changes import Change, What
from gui import folders
from gui import format as form
from gui.dialogs.base import Dialog
from gui.i18n import text as translated
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.session import Session


class OwnMetricDialog(Dialog):
    """Takes a metric, shows its figure for the current plan, and what went wrong."""

    applied = Signal()
    """A function was taken."""

    def __init__(self, session: Session, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=560)
        self._session = session
        self.setWindowTitle(self.tr("Metric of your own"))
        self.title_label.setText(self.tr("A Python function that rates the outputs"))
        self.sentence.setText(
            self.tr(
                "It is called as function(outputs, references, labels) for every plan, in a process of its own, and "
                "returns one number. It is not kept in projects: opening a file never runs code."
            )
        )
        self.sentence.show()
        metric = session.own_metric.metric
        self.path = QLineEdit(str(metric.path) if metric is not None else "")
        self.path.setAccessibleName(self.tr("Python file"))
        self.function = QLineEdit(metric.function if metric is not None else "metric")
        self.function.setAccessibleName(self.tr("Function"))
        self.seconds = QDoubleSpinBox()
        self.seconds.setRange(0.1, 3600)
        self.seconds.setDecimals(1)
        self.seconds.setSuffix("\u202fs")
        self.seconds.setValue(metric.time_limit_s if metric is not None else TIME_LIMIT_S)
        self.seconds.setAccessibleName(self.tr("Time limit"))
        self.browse = button(self.tr("Browse…"))
        self.browse.clicked.connect(self._on_browse)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.path, 1)
        row.addWidget(self.browse)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.addWidget(label(self.tr("Python file")), 0, 0)
        grid.addLayout(row, 0, 1)
        grid.addWidget(label(self.tr("Function")), 1, 0)
        grid.addWidget(self.function, 1, 1)
        grid.addWidget(label(self.tr("Time limit")), 2, 0)
        short = QHBoxLayout()
        short.addWidget(self.seconds)
        short.addStretch()
        grid.addLayout(short, 2, 1)
        self.body.addLayout(grid)
        self.figure = label(role="caption")
        self.body.addWidget(self.figure)
        self.remove = self.add_button(self.tr("Remove"), self._on_remove, left=True)
        self.add_button(self.tr("Close"), self.reject)
        self.add_button(self.tr("Apply"), self._on_apply, primary=True)
        self.finished.connect(session.subscribe(self._on_change))
        self._write()

    def _on_browse(self) -> None:
        start = str(Path(self.path.text()).parent) if self.path.text() else folders.to_open(self)
        path, _ = QFileDialog.getOpenFileName(self, self.tr("Python file"), start, "Python (*.py)")
        if path:
            self.path.setText(path)

    def _on_apply(self) -> None:
        try:
            metric = named_metric(f"{self.path.text().strip()}:{self.function.text().strip()}", self.seconds.value())
        except MixbitError as error:
            self.show_problem(translated(error.text))
            return
        self.show_problem("")
        self._session.own_metric.choose(metric)
        self.applied.emit()
        self._write()

    def _on_remove(self) -> None:
        self._session.own_metric.choose(None)
        self.show_problem("")
        self._write()

    def _on_change(self, change: Change) -> None:
        if change.what in (What.EVALUATION, What.JOBS, What.PLAN):
            self._write()

    def _write(self) -> None:
        own = self._session.own_metric
        self.remove.setEnabled(own.metric is not None)
        figure = own.figure
        if own.problem is not None:
            self.show_problem(translated(own.problem))
        if own.metric is None:
            words = ""
        elif figure is not None:
            words = self.tr("Current plan: {0} · FP32: {1}").format(
                form.small_figure(figure.value, 4), form.small_figure(figure.reference, 4)
            )
        elif own.busy:
            words = self.tr("Being computed…")
        else:
            words = "" if own.problem is not None else self.tr("Computed with the next evaluation.")
        self.figure.setText(words)
