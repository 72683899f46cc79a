"""The bar on top of the Compare view: what A and B are, which kernel, which sample."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from gui.fonts import font
from gui.plots.shapes import pen, plain_text
from gui.theme import theme_manager
from gui.widgets.icon_button import IconButton
from gui.widgets.themed import label

_CENTER = Qt.AlignmentFlag.AlignCenter


class Side(QWidget):
    """A letter in a square, a name and a line below it."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter
        self._name, self._details = "", ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(34)
        theme_manager.changed.connect(self.update)

    def set_texts(self, name: str, details: str) -> None:
        """What this side is."""
        self._name, self._details = name, details
        self.setAccessibleName(f"{self._letter}: {name}, {details}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the longer line."""
        wide = max(
            QFontMetricsF(font(12, 600)).horizontalAdvance(self._name),
            QFontMetricsF(font(11)).horizontalAdvance(self._details),
        )
        return QSize(round(min(wide, 260)) + 50, 34)

    def minimumSizeHint(self) -> QSize:
        """The names give way."""
        return QSize(90, 34)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw box, letter and lines."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(theme.border))
        painter.setBrush(theme.raised)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        square = QRectF(7, 8, 18, 18)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text2 if self._letter == "A" else theme.accent)
        painter.drawRoundedRect(square, 3, 3)
        ink = theme.panel if self._letter == "A" else theme.on_accent
        plain_text(painter, square, self._letter, ink, font(11, 700), _CENTER)
        room = self.width() - 32 - 8
        for text, color, form, top in (
            (self._name, theme.text, font(12, 600), 2.0),
            (self._details, theme.muted, font(11), 17.0),
        ):
            shown = QFontMetricsF(form).elidedText(text, Qt.TextElideMode.ElideRight, room)
            plain_text(painter, QRectF(32, top, room, 16), shown, color, form)


class CompareBar(QWidget):
    """A, B, steps through kernels and samples."""

    kernel_stepped = Signal(int)
    sample_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("dockBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(48)
        self.a, self.b = Side("A"), Side("B")
        self.state: QLabel = label("", "muted")
        self.sample_label: QLabel = label("", "caption")
        self.previous_kernel = IconButton("chevron-up", token="muted")
        self.next_kernel = IconButton("chevron-down", token="muted")
        self.previous_sample = IconButton("chevron-left", token="muted")
        self.next_sample = IconButton("chevron-right", token="muted")
        self._sample, self._samples = 0, 0
        self.previous_kernel.clicked.connect(lambda: self.kernel_stepped.emit(-1))
        self.next_kernel.clicked.connect(lambda: self.kernel_stepped.emit(1))
        self.previous_sample.clicked.connect(lambda: self.sample_chosen.emit(self._sample - 1))
        self.next_sample.clicked.connect(lambda: self.sample_chosen.emit(self._sample + 1))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self.a)
        row.addWidget(self.b)
        row.addWidget(self.previous_kernel)
        row.addWidget(self.next_kernel)
        row.addWidget(self.state, 1)
        row.addWidget(self.previous_sample)
        row.addWidget(self.sample_label)
        row.addWidget(self.next_sample)

    def retranslate(self) -> None:
        """Names of the buttons."""
        self.previous_kernel.set_tip(self.tr("Previous kernel (K)"))
        self.next_kernel.set_tip(self.tr("Next kernel (J)"))
        self.previous_sample.set_tip(self.tr("Previous sample"))
        self.next_sample.set_tip(self.tr("Next sample"))

    def set_sample(self, sample: int, samples: int) -> None:
        """Which of how many samples is on show."""
        self._sample, self._samples = sample, samples
        self.sample_label.setText(
            self.tr("Sample {number} of {count}").format(number=sample + 1, count=samples) if samples else ""
        )
        self.previous_sample.setEnabled(sample > 0)
        self.next_sample.setEnabled(sample + 1 < samples)
