"""A line under the context bar for those who open their first model: what to do next, until it is done or closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.widgets.icon_button import IconButton
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from gui.settings import Settings

HEIGHT = 34


class FirstSteps(QWidget):
    """Three steps in a line; it goes with the first edit, by its cross, or when the tour is asked for."""

    tour_wanted = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setFixedHeight(HEIGHT)
        self.words = label()
        self.tour, self.cross = button(flat=True), IconButton("close", size=14, token="muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 2, 10, 2)
        row.setSpacing(10)
        row.addWidget(self.words, 1)
        row.addWidget(self.tour)
        row.addWidget(self.cross)
        self.cross.clicked.connect(self.done)
        self.tour.clicked.connect(self._on_tour)
        self.hide()
        self._retranslate()

    def show_for(self, *, model: bool, edited: bool) -> None:
        """Be there while a model is open that nobody has edited; an edit says that the steps are known."""
        if model and edited and not self._settings.knows_steps:
            self.done()
        self.setVisible(model and self._settings.remembered and not self._settings.knows_steps)

    def done(self) -> None:
        """Never show it again."""
        self._settings.knows_steps = True
        self.hide()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _retranslate(self) -> None:
        self.words.setText(
            self.tr("Next: click a precision in Layers, or press 4, 8 or 6 on a row. Then read Summary, then export.")
        )
        self.words.setToolTip(self.words.text())
        self.words.setMinimumWidth(60)
        self.tour.setText(self.tr("Tour"))
        self.cross.set_tip(self.tr("Don't show this again"))

    def _on_tour(self) -> None:
        self.done()
        self.tour_wanted.emit()
