"""Empty state of a dock: one sentence that says what will appear here, and one button that makes it appear."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.widgets.themed import button, label


class EmptyState(QWidget):
    """A centred sentence and, if it has a text, a button."""

    clicked = Signal()

    def __init__(self, sentence: str = "", action: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = label(sentence, "caption")
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence.setWordWrap(True)
        self._button = button(action)
        self._button.clicked.connect(self.clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 12, 24, 12)
        column.setSpacing(10)
        column.addStretch()
        column.addWidget(self._sentence)
        column.addWidget(self._button, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch()
        self._button.setVisible(bool(action))

    def set_texts(self, sentence: str, action: str = "") -> None:
        """Show another sentence and button; no button for an empty text."""
        if not action and self._button.hasFocus():
            self.setFocus(Qt.FocusReason.OtherFocusReason)  # the keys stay here, else the window hands them to anybody
        self._sentence.setText(sentence)
        self._button.setText(action)
        self._button.setVisible(bool(action))
