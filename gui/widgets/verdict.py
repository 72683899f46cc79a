"""The verdict on top of Summary: which budgets hold, what is short, and room for the cheapest fix."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gui.theme import theme_manager
from gui.widgets.progress_line import ProgressLine
from gui.widgets.summary_card import CardState, state_mark, state_text_color
from gui.widgets.themed import label


class Verdict(QWidget):
    """A sentence with an icon on a tinted ground; `body` takes further widgets (a fix with Apply)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: CardState = "none"
        self._turn = 0.0
        self._title = label(role="heading")
        self._detail = label(role="caption")
        self._title.setWordWrap(True)
        self._detail.setWordWrap(True)
        self._progress = ProgressLine()
        self.body = QVBoxLayout()
        self.body.setContentsMargins(0, 6, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(44, 8, 14, 10)
        column.setSpacing(2)
        for part in (self._title, self._detail):
            column.addWidget(part)
        outer = QVBoxLayout()
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addLayout(self.body)
        column.addLayout(outer)
        column.addWidget(self._progress)
        self._progress.hide()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    def show_state(self, state: CardState, title: str, detail: str = "", progress: float | None = None) -> None:
        """Say something; `progress` in [0, 1] shows a thin bar."""
        if state != self._state or bool(detail) == self._detail.isHidden():
            self._state = state
            self.update()
        self._title.setText(title)
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))
        self._progress.setVisible(progress is not None)
        if progress is not None:
            self._progress.set_fraction(progress)
        self.setAccessibleName(f"{title}. {detail}")

    def set_turn(self, turn: float) -> None:
        """Turn of the spinner in [0, 1)."""
        self._turn = turn
        if self._state == "busy":
            self.update(self._mark())

    def _mark(self) -> QRect:
        """Place of the state's icon."""
        return QRect(15, 12 if self._detail.isVisible() else round((self.height() - 17) / 2), 17, 17)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw ground, edge and icon."""
        theme, mark = theme_manager.theme, self._mark()
        painter = QPainter(self)
        ground: dict[str, QColor] = {"missed": theme.bad_soft, "near": theme.warn_soft}
        if self._state in ground:
            painter.fillRect(self.rect(), ground[self._state])
            painter.fillRect(QRectF(0, 0, 3, self.height()), state_text_color(self._state, theme))
        else:
            painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), theme.border)
        state_mark(painter, QRectF(mark), self._state, theme, self._turn)
        painter.setPen(Qt.PenStyle.NoPen)
