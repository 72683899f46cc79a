"""Chooses samples for calibration and for evaluation, and how files become feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QTabWidget, QWidget

from gui.dialogs.base import Dialog
from gui.dialogs.data_source import BadInputError, SourceEditor
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.session import Session
    from gui.actions import Actions


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
        calibration, evaluation, observer = session.data_sources
        self.calibration = SourceEditor(inputs, calibration, self.tr("Automatic: as many as steady ranges need."))
        self.evaluation = SourceEditor(
            inputs, evaluation, self.tr("Automatic: as many as keep a toggle of a precision quick.")
        )
        self._show_used()
        self.pages = QTabWidget()
        self.pages.addTab(self.calibration, self.tr("Calibration"))
        self.pages.addTab(self.evaluation, self.tr("Evaluation"))
        self.pages.setMinimumHeight(350)
        self.body.addWidget(self.pages, 1)
        self.same = button()
        self.same.setToolTip(self.tr("Copies how files are read from this page to the other one"))
        self.same.clicked.connect(self._on_same)
        self.pages.currentChanged.connect(self._name_same)
        self._name_same()
        self.observer = QComboBox()
        for key, title in (("minmax", self.tr("min-max")), ("percentile", self.tr("percentile 99.99"))):
            self.observer.addItem(title, key)
        self.observer.setCurrentIndex(max(0, self.observer.findData(observer)))
        self.observer.setAccessibleName(self.tr("Observer"))
        row = QHBoxLayout()
        row.addWidget(label(self.tr("Observer")))
        row.addWidget(self.observer)
        row.addStretch()
        row.addWidget(self.same)
        self.body.addLayout(row)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Apply"), self._on_apply, primary=True)

    def _show_used(self) -> None:
        data = self._session.data
        if data is not None:
            self.calibration.show_used(data.calibration_samples, data.calibration_available)
            self.evaluation.show_used(data.evaluation_samples, data.evaluation_available)

    def _name_same(self) -> None:
        first = self.pages.currentWidget() is self.calibration
        self.same.setText(
            self.tr("Read evaluation files like these") if first else self.tr("Read calibration files like these")
        )

    def _on_same(self) -> None:
        shown = self.calibration if self.pages.currentWidget() is self.calibration else self.evaluation
        other = self.evaluation if shown is self.calibration else self.calibration
        try:
            other.take_options(shown.options())
        except BadInputError as error:
            self.show_problem(str(error))

    def _on_apply(self) -> None:
        found = []
        for page in (self.calibration, self.evaluation):
            try:
                found.append(page.checked())
            except BadInputError as error:
                self.pages.setCurrentWidget(page)
                self.show_problem("" if page.hinting else str(error))
                return
        calibration, evaluation = found
        observer = str(self.observer.currentData())
        if self._actions.guarded(lambda: self._session.set_data(calibration, evaluation, observer)):
            self.accept()
