"""What a plot shows when there is nothing to draw: one sentence and one button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from gui.theme import Theme


class EmptyState(QWidget):
    """A sentence in the middle, and the next step below it if there is one."""

    clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence, self.button = QLabel(), QPushButton()
        self.sentence.setWordWrap(True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button.clicked.connect(self.clicked)
        layout = QVBoxLayout(self)
        layout.addStretch()
        layout.addWidget(self.sentence)
        layout.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignCenter)
        layout.addStretch()
        self.apply_theme(theme)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.sentence.setStyleSheet(f"color: {theme.muted.name()}; font-size: 12px;")

    def set(self, sentence: str, button: str = "") -> None:
        """What is missing, and what the button does ('' for no button)."""
        self.sentence.setText(sentence)
        self.button.setText(button)
        self.button.setVisible(bool(button))
