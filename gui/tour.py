"""Help > Tour: six cards beside the parts that they speak of. The window stays usable below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from gui.docks import dock_around
from gui.paint import with_alpha
from gui.theme import theme_manager
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from gui.window import Window

WIDTH = 330
GAP = 12
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Stop:
    """One card of the tour."""

    layout: str
    """The layout that shows its target."""
    target: Callable[[Window], QWidget | None]
    title: str
    text: str


def stops() -> tuple[Stop, ...]:
    """The tour in the language in use."""
    return (
        Stop("tune", lambda w: w.context.model, translate("Tour", "A model is open"), translate(
            "Tour", "Its ONNX nodes are fused into kernels: one kernel is one launch on the NPU, one row, one bar. "
            "Open your own with Ctrl+O or by dropping it here.")),
        Stop("tune", lambda w: w.context.data, translate("Tour", "Errors come from your samples"), translate(
            "Tour", "Calibration samples set the ranges of the activations, evaluation samples measure the errors. "
            "Give both here; without them the figures are indicative only.")),
        Stop("tune", lambda w: w.reveal("layers"), translate("Tour", "Click a precision"), translate(
            "Tour", "Each row has a switch: INT4, INT8 or FP16. Or select rows and press 4, 8 or 6. "
            "Nothing is confirmed; Ctrl+Z takes any step back.")),
        Stop("tune", lambda w: w.reveal("summary"), translate("Tour", "See what it does"), translate(
            "Tour", "Size, latency, memory, energy, heat and the error at the output, against your budgets and beside "
            "the previous plan. “≈” marks what is being computed.")),
        Stop("sweep", lambda w: w.reveal("sensitivity"), translate("Tour", "Find the layers that hurt"), translate(
            "Tour", "One cell per kernel and precision: the error at the output if only that one is quantized. "
            "A click applies a cell.")),
        Stop("tune", lambda w: w.context.export, translate("Tour", "Hand over"),
             translate("Tour", "Export a quantized ONNX model, or the files that your toolchain reads, with a report "
                       "of what it can't do.")),
    )  # fmt: skip


class Tour(QWidget):
    """Dims the window except for the part that the card speaks of."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._had: QWidget | None = window.focusWidget()
        """What gets the keys back: the panel that was in use still is afterwards."""
        self._stops = stops()
        self._place = 0
        self._hole = QRect()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.card = QWidget(self)
        self.card.setObjectName("tourCard")
        self.card.setFixedWidth(WIDTH)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(16, 14, 16, 12)
        column.setSpacing(8)
        self.title, self.text, self.count = label("", "title"), label(), label("", "muted")
        self.text.setWordWrap(True)
        self.back, self.next, self.end = button(), button(primary=True), button(flat=True)
        row = QHBoxLayout()
        row.addWidget(self.count)
        row.addStretch()
        for part in (self.end, self.back, self.next):
            row.addWidget(part)
        for widget in (self.title, self.text):
            column.addWidget(widget)
        column.addLayout(row)
        self.back.clicked.connect(lambda: self.go(self._place - 1))
        self.next.clicked.connect(lambda: self.go(self._place + 1))
        self.end.clicked.connect(self.finish)
        window.installEventFilter(self)
        if window.host is not None:  # a layout settles after it was asked for
            window.host.groups_changed.connect(self._settle)
        self.resize(window.size())
        self.show()
        self.raise_()
        self.setFocus()
        self.go(0)

    def go(self, place: int) -> None:
        """Show a card; behind the last one the tour ends."""
        if place >= len(self._stops):
            self.finish()
            return
        self._place = max(0, place)
        stop = self._stops[self._place]
        self._window.show_layout(stop.layout)
        self.title.setText(stop.title)
        self.text.setText(stop.text)
        self.count.setText(f"{self._place + 1} / {len(self._stops)}")
        self.back.setText(translate("Tour", "Back"))
        self.back.setEnabled(self._place > 0)
        last = self._place == len(self._stops) - 1
        self.next.setText(translate("Tour", "Done") if last else translate("Tour", "Next"))
        self.end.setText(translate("Tour", "End tour"))
        self.end.setVisible(not last)
        self._settle()

    def finish(self) -> None:
        """Leave the window as it is, and give the keys back."""
        self._window.removeEventFilter(self)
        if self._window.host is not None:
            self._window.host.groups_changed.disconnect(self._settle)
        had = self._had
        self._had = None
        if had is not None and isValid(had) and had.isVisible():
            had.setFocus()
        else:
            self._window.focus_main()
        self.hide()
        self.setParent(None)
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size and the language of the window."""
        if event.type() == QEvent.Type.Resize:
            self.resize(self._window.size())
            self._settle()
        elif event.type() == QEvent.Type.LanguageChange:
            self._stops = stops()
            self.go(self._place)
        return False

    def event(self, event: QEvent) -> bool:
        """Escape is the tour's while it is there, not the command's of the same key."""
        if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys and Enter step, Escape ends."""
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.finish()
        elif key in (Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.go(self._place + 1)
        elif key == Qt.Key.Key_Left:
            self.go(self._place - 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim everything but the target, and draw the ground of the card."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        dim = QPainterPath()
        dim.addRect(QRectF(self.rect()))
        dim.addRoundedRect(QRectF(self._hole), 6, 6)
        painter.fillPath(dim, with_alpha(theme.window if theme.dark else theme.ink, 0.62 if theme.dark else 0.38))
        painter.setPen(QPen(theme.accent, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self._hole), 6, 6)
        painter.setPen(QPen(theme.strong, 1))
        painter.setBrush(theme.panel)
        painter.drawRoundedRect(QRectF(self.card.geometry()), 6, 6)

    def _settle(self) -> None:
        target = self._stops[self._place].target(self._window)
        dock = dock_around(target)
        target = dock if dock is not None else target  # its title belongs to a panel
        if target is not None and target.isVisible():
            self._hole = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size()).adjusted(-2, -2, 2, 2)
        else:
            self._hole = QRect()
        self.text.setFixedHeight(self.text.heightForWidth(WIDTH - 32))  # a wrapped label asks for too little
        self.card.adjustSize()
        self.card.move(self._card_place())
        self.raise_()
        self.update()

    def _card_place(self) -> QPoint:
        """Below the target, else beside it, else in the middle of it."""
        hole, size = self._hole, self.card.size()
        if hole.isNull():
            return self.rect().center() - QPoint(size.width() // 2, size.height() // 2)
        x = min(max(hole.left(), GAP), self.width() - size.width() - GAP)
        if hole.bottom() + GAP + size.height() < self.height():
            return QPoint(x, hole.bottom() + GAP)
        if hole.left() - GAP - size.width() > 0:
            return QPoint(hole.left() - GAP - size.width(), min(hole.top() + 40, self.height() - size.height() - GAP))
        if hole.right() + GAP + size.width() < self.width():
            return QPoint(hole.right() + GAP, hole.top() + 40)
        return hole.center() - QPoint(size.width() // 2, size.height() // 2)
