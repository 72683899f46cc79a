"""Chooses samples for calibration and for evaluation, and how files become feeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QTabWidget, QWidget

from gui.dialogs import data_check
from gui.dialogs.base import Dialog
from gui.dialogs.data_samples import SamplesPage
from gui.dialogs.data_source import BadInputError, SourceEditor
from gui.dropping import samples_among
from gui.i18n import text as translated
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.interop.samples import DataSource
    from engine.jobs import Job
    from engine.session import Session
    from engine.text import Text
    from gui.actions import Actions


@dataclass(frozen=True, slots=True)
class TriedData:
    """Sources that were asked for: they are offered again where they could not be read."""

    network: object
    before: tuple[DataSource, DataSource, str]
    """What was set then; if it still is, the sources came to nothing."""
    wanted: tuple[DataSource, DataSource, str]


def _wanted(session: Session, actions: Actions) -> tuple[DataSource, DataSource, str]:
    """What is set, or what was asked for last if that could not be read: one broken file should not cost it all."""
    tried = actions.tried_data
    if tried is not None and tried.network is session.network and tried.before == session.data_sources:
        return tried.wanted
    return session.data_sources


class DataDialog(Dialog):
    """One page for calibration, one for evaluation, and the observer."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=640)
        self.setWindowTitle(self.tr("Data"))
        self.title_label.setText(self.tr("Samples that the model is calibrated and evaluated with"))
        self.sentence.setText(
            self.tr(
                "Calibration finds the ranges of activations, evaluation measures errors; use different samples for "
                "the two. Without data Mixbit takes seeded noise, and errors are indicative only."
            )
        )
        self.sentence.show()
        self._session, self._actions = session, actions
        assert session.network is not None
        inputs = session.network.graph.inputs
        calibration, evaluation, observer = _wanted(session, actions)
        self._checking: Job | None = None
        self._waiting = False
        """Whether to apply as soon as the paths have been looked at."""
        self.calibration = SourceEditor(
            inputs, calibration, session.jobs, self.tr("Automatic: as many as steady ranges need.")
        )
        self.evaluation = SourceEditor(
            inputs, evaluation, session.jobs, self.tr("Automatic: as many as keep a toggle of a precision quick.")
        )
        self._show_used()
        self.pages = QTabWidget()
        self.pages.addTab(self.calibration, self.tr("Calibration"))
        self.pages.addTab(self.evaluation, self.tr("Evaluation"))
        if session.data is not None and session.data.samples:
            self.pages.addTab(SamplesPage(session.data), self._samples_title(len(session.data.notes)))
        self.pages.setMinimumHeight(350)
        self.body.addWidget(self.pages, 1)
        self.same = button()
        self.same.setToolTip(self.tr("Copies how files are read from this page to the other one"))
        self.same.clicked.connect(self._on_same)
        self.pages.currentChanged.connect(self._on_page)
        self._name_same()
        self.observer = QComboBox()
        for key, title, tip in self._observers():
            self.observer.addItem(title, key)
            self.observer.setItemData(self.observer.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.observer.setCurrentIndex(max(0, self.observer.findData(observer)))
        self.observer.setAccessibleName(self.tr("Observer"))
        row = QHBoxLayout()
        words = label(self.tr("Observer"))
        words.setBuddy(self.observer)
        row.addWidget(words)
        row.addWidget(self.observer)
        row.addStretch()
        row.addWidget(self.same)
        self.body.addLayout(row)
        self.add_button(self.tr("Cancel"), self.reject)
        self._apply = self.add_button(self.tr("Apply"), self._on_apply, primary=True)
        for page in (self.calibration, self.evaluation):
            page.looked.connect(self._on_looked)
            page.path.setAcceptDrops(False)  # it would take the address as text
        self.finished.connect(self._stop)
        self.setAcceptDrops(True)

    def choose(self, path: Path) -> None:
        """Take a folder or file for the page on show, or for calibration."""
        page = self.pages.currentWidget()
        if not isinstance(page, SourceEditor):
            page = self.calibration
            self.pages.setCurrentWidget(page)
        page.choose(path)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take samples."""
        if samples_among(event.mimeData().urls()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Samples for the page on show."""
        path = samples_among(event.mimeData().urls())
        if path is not None:
            event.acceptProposedAction()
            self.choose(path)

    def _observers(self) -> tuple[tuple[str, str, str], ...]:
        """Name, title and explanation of each observer."""
        return (
            ("minmax", self.tr("min-max"), self.tr("From the least to the greatest value of all samples.")),
            ("percentile", self.tr("percentile 99.99"), self.tr("Leaves out 0.005 % of the values at each end.")),
            ("average", self.tr("moving average"), self.tr("Averages the extremes of the samples.")),
            ("entropy", self.tr("entropy (KL)"), self.tr("Clips where the histogram loses least information.")),
            ("mse", self.tr("least squared error"), self.tr("Balances clipping against rounding to 8 bits.")),
        )

    def _show_used(self) -> None:
        data = self._session.data
        if data is not None:
            self.calibration.show_used(data.calibration_samples, data.calibration_available)
            self.evaluation.show_used(data.evaluation_samples, data.evaluation_available)

    def _samples_title(self, doubts: int) -> str:
        return self.tr("Samples in use · %n warning(s)", "", doubts) if doubts else self.tr("Samples in use")

    def _on_page(self) -> None:
        self.same.setVisible(isinstance(self.pages.currentWidget(), SourceEditor))
        self._name_same()

    def _name_same(self) -> None:
        first = self.pages.currentWidget() is self.calibration
        self.same.setText(
            self.tr("Read evaluation files like these") if first else self.tr("Read calibration files like these")
        )

    def _on_same(self) -> None:
        shown = self.calibration if self.pages.currentWidget() is self.calibration else self.evaluation
        other = self.evaluation if shown is self.calibration else self.calibration
        try:
            lacks_path = other.read_like(shown)
        except BadInputError as error:
            self.show_problem(str(error))
            return
        if lacks_path:
            self.pages.setCurrentWidget(other)
            other.path.setFocus()

    def _on_apply(self) -> None:
        """Apply, but not before the options of a path that was just typed stand in the fields."""
        settled = [page.settle() for page in (self.calibration, self.evaluation)]
        self._waiting = not all(settled)
        self._show_busy(self._waiting)
        if not self._waiting:
            self._check()

    def _on_looked(self) -> None:
        if self._waiting:
            self._on_apply()

    def _show_busy(self, busy: bool) -> None:
        self._apply.setEnabled(not busy)
        self._apply.setText(self.tr("Looking at the files…") if busy else self.tr("Apply"))

    def _check(self) -> None:
        found = []
        for page in (self.calibration, self.evaluation):
            try:
                found.append(page.source())
            except BadInputError as error:
                self.pages.setCurrentWidget(page)
                self.show_problem(str(error))
                return
        self.show_problem("")
        self._show_busy(True)
        self._checking = data_check.check(
            self._session.jobs, found, lambda problems: self._on_checked(found, problems), self._on_failed
        )

    def _on_checked(self, found: Sequence[DataSource], problems: Sequence[Text | None]) -> None:
        if not self._end_check():
            return
        for page, problem in reversed(tuple(zip((self.calibration, self.evaluation), problems, strict=True))):
            page.hint(problem)
            if problem is not None:
                self.pages.setCurrentWidget(page)
                page.path.setFocus()
        if any(problem is not None for problem in problems):
            return
        calibration, evaluation = found
        observer = str(self.observer.currentData())
        session, before = self._session, self._session.data_sources
        if self._actions.guarded(lambda: session.set_data(calibration, evaluation, observer)):
            self._actions.tried_data = TriedData(session.network, before, (calibration, evaluation, observer))
            self.accept()

    def _on_failed(self, problem: Text) -> None:
        if self._end_check():
            self.show_problem(translated(problem))

    def _end_check(self) -> bool:
        """Whether somebody still waits for what was looked at."""
        waited, self._checking = self._checking is not None, None
        if waited:
            self._show_busy(False)
        return waited

    def _stop(self) -> None:
        """Nobody waits for what the dialog looks at any more."""
        self._waiting = False
        for page in (self.calibration, self.evaluation):
            page.forget()
        if self._checking is not None:
            self._checking.cancel()
            self._checking = None
