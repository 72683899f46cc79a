"""What dialogs share: a title, a sentence, a body, buttons below; they open without blocking and end themselves."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui.widgets.themed import button, label

SIDE = 20
"""Px left and right of the content."""


class Dialog(QDialog):
    """Subclasses fill `body` and add buttons."""

    def __init__(self, title: str, sentence: str, parent: QWidget | None, *, width: int = 520) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setModal(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, 18, SIDE, 16)
        column.addStrut(width - 2 * SIDE)  # a minimum of the dialog itself would go before what its content needs
        column.setSpacing(10)
        self.title_label = label(title, "title")
        column.addWidget(self.title_label)
        self.sentence = label(sentence, "caption")
        self.sentence.setWordWrap(True)
        self.sentence.setVisible(bool(sentence))
        column.addWidget(self.sentence)
        self.body = QVBoxLayout()
        self.body.setSpacing(8)
        column.addLayout(self.body, 1)
        self.problem = label(role="bad")
        self.problem.setWordWrap(True)
        self.problem.hide()
        column.addWidget(self.problem)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        self._buttons.addStretch()
        column.addLayout(self._buttons)

    def add_button(self, text: str, slot: object, *, primary: bool = False, left: bool = False) -> QPushButton:
        """Add a button at the right end, or at the left."""
        made = button(text, primary=primary)
        made.clicked.connect(slot)
        if left:
            self._buttons.insertWidget(0, made)
        else:
            self._buttons.addWidget(made)
        if primary:
            made.setDefault(True)
        items = (self._buttons.itemAt(place) for place in range(self._buttons.count()))
        row = (item.widget() for item in items if item is not None)
        for one, after in pairwise(
            widget for widget in row if widget is not None
        ):  # Tab goes from left to right, whatever was added first
            self.setTabOrder(one, after)
        return made

    def show_problem(self, text: str) -> None:
        """Say what is wrong with the input; '' for nothing."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
