"""The bar on top of the Compare view: what A and B are, which kernel, which sample."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from gui.fonts import font
from gui.icons import paint_icon
from gui.plots.shapes import pen, plain_text
from gui.theme import theme_manager
from gui.widgets.chip import Chip
from gui.widgets.icon_button import IconButton
from gui.widgets.segmented import SegmentedControl
from gui.widgets.themed import label

_CENTER = Qt.AlignmentFlag.AlignCenter


class Side(QAbstractButton):
    """A letter in a square, a name and a line below it; a click opens the menu of sources."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter
        self._name, self._details = "", ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(34)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme_manager.changed.connect(self.update)

    def set_texts(self, name: str, details: str) -> None:
        """What this side is."""
        self._name, self._details = name, details
        self.setAccessibleName(f"{self._letter}: {name}, {details}")
        self.setToolTip(f"{name}\n{details}" if details else name)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the longer line."""
        wide = max(
            QFontMetricsF(font(12, 600)).horizontalAdvance(self._name),
            QFontMetricsF(font(11)).horizontalAdvance(self._details),
        )
        return QSize(round(min(wide, 260)) + 68, 34)

    def minimumSizeHint(self) -> QSize:
        """The names give way."""
        return QSize(110, 34)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw box, letter, lines and arrow."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focus = self.hasFocus()
        painter.setPen(pen(theme.accent if focus else theme.border, 2 if focus else 1))
        painter.setBrush(theme.hover if self.underMouse() else theme.raised)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        square = QRectF(7, 8, 18, 18)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text2 if self._letter == "A" else theme.accent)
        painter.drawRoundedRect(square, 3, 3)
        ink = theme.panel if self._letter == "A" else theme.on_accent
        plain_text(painter, square, self._letter, ink, font(11, 700), _CENTER)
        paint_icon(painter, "chevron-down", QRectF(self.width() - 21, 10, 14, 14), theme.muted)
        room = self.width() - 32 - 26
        for text, color, form, top in (
            (self._name, theme.text, font(12, 600), 2.0),
            (self._details, theme.muted, font(11), 17.0),
        ):
            shown = QFontMetricsF(form).elidedText(text, Qt.TextElideMode.ElideRight, room)
            plain_text(painter, QRectF(32, top, room, 16), shown, color, form)


class CompareBar(QWidget):
    """A, B, what is compared, steps through kernels and samples."""

    kernel_stepped = Signal(int)
    sample_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("dockBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(48)
        self.a, self.b = Side("A"), Side("B")
        self.swap = IconButton("swap", token="muted")
        self.what = SegmentedControl((("outputs", ""), ("weights", "")), "outputs")
        self.matches = Chip(checkable=False)
        self.matches.hide()
        self.state: QLabel = label("", "muted")
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.sample_label: QLabel = label("", "caption")
        self.open_dump = QPushButton()
        self.open_dump.setFocusPolicy(Qt.FocusPolicy.TabFocus)
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
        for part in (self.a, self.swap, self.b, self.what, self.matches, self.previous_kernel, self.next_kernel):
            row.addWidget(part)
        row.addWidget(self.state, 1)
        row.addWidget(self.previous_sample)
        row.addWidget(self.sample_label)
        row.addWidget(self.next_sample)
        row.addWidget(self.open_dump)

    def retranslate(self) -> None:
        """Names of the buttons."""
        self.swap.set_tip(self.tr("Swap A and B"))
        self.what.set_choices((("outputs", self.tr("Outputs")), ("weights", self.tr("Weights"))))
        self.what.setAccessibleName(self.tr("What is compared"))
        self.open_dump.setText(self.tr("Open dump…"))
        self.open_dump.setToolTip(
            self.tr("Values of another tool or of the device: .npy, .npz, Ascend and MindSpore Lite dumps")
        )
        self.previous_kernel.set_tip(self.tr("Previous kernel (K)"))
        self.next_kernel.set_tip(self.tr("Next kernel (J)"))
        self.previous_sample.set_tip(self.tr("Previous sample"))
        self.next_sample.set_tip(self.tr("Next sample"))

    def set_matches(self, short: str, details: str) -> None:
        """How the names of a dump were matched; nothing without one."""
        self.matches.setText(short)
        self.matches.setToolTip(details)
        self.matches.setVisible(bool(short))
        self.matches.updateGeometry()

    def set_sample(self, sample: int, samples: int) -> None:
        """Which of how many samples is on show."""
        self._sample, self._samples = sample, samples
        self.sample_label.setText(
            self.tr("Sample {number} of {count}").format(number=sample + 1, count=samples) if samples else ""
        )
        self.previous_sample.setEnabled(sample > 0)
        self.next_sample.setEnabled(sample + 1 < samples)
