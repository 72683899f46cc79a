"""The note of a kernel: a field that grows with its text and says when what was written is to be kept."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from gui.widgets.escape import EscapeFirst

WAIT_MS = 400
"""After the last key; leaving the field keeps at once."""
_LINES = (1, 5)
_SPARE = 2
"""Px for the frame that shows the focus."""


class NoteField(QPlainTextEdit):
    """Plain text about one kernel at a time."""

    written = Signal(str, str)
    """Kernel id and text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kernel = ""
        self._kept = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self.keep)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._on_text)
        EscapeFirst(self)
        self._grow()

    def show_note(self, kernel: str, note: str) -> None:
        """Show the note of a kernel; what is being written about the same one stays."""
        if kernel != self._kernel:
            self.keep()
        elif note == self._kept:
            return
        self._timer.stop()
        self._kernel, self._kept = kernel, note
        self.blockSignals(True)
        self.setPlainText(note)
        self.blockSignals(False)
        self._grow()

    def keep(self) -> None:
        """Hand over what was written."""
        self._timer.stop()
        note = self.toPlainText().strip()
        if self._kernel and note != self._kept:
            self._kept = note
            self.written.emit(self._kernel, note)

    def forget(self) -> None:
        """The kernel is gone: what was written about it is given up."""
        self._timer.stop()
        self._kernel = self._kept = ""

    def sizeHint(self) -> QSize:
        """As high as its text, within limits."""
        return QSize(160, self._height())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keep."""
        super().focusOutEvent(event)
        self.keep()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+Enter keeps, Esc takes back what is not kept yet."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.keep()
        elif event.key() == Qt.Key.Key_Escape:
            self.setPlainText(self._kept)
            self._timer.stop()
            self.clearFocus()
        else:
            super().keyPressEvent(event)

    def _on_text(self) -> None:
        self._timer.start()
        self._grow()

    def _height(self) -> int:
        lines = max(self.document().lineCount(), self._hint_lines())  # the first letter moves nothing below
        lines = min(max(_LINES[0], lines), _LINES[1])
        margins = self.contentsMargins()
        around = 2 * self.document().documentMargin() + margins.top() + margins.bottom()
        return round(lines * self.fontMetrics().lineSpacing() + around + _SPARE)

    def _hint_lines(self) -> int:
        """Lines that the placeholder takes at this width."""
        room = self.viewport().width() - 2 * round(self.document().documentMargin())
        wrapped = self.fontMetrics().boundingRect(0, 0, room, 999, Qt.TextFlag.TextWordWrap, self.placeholderText())
        return round(wrapped.height() / self.fontMetrics().lineSpacing())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrower field may need another line."""
        super().resizeEvent(event)
        self._grow()

    def _grow(self) -> None:
        if self.height() != self._height():
            self.setFixedHeight(self._height())
