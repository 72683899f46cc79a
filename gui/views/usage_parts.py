"""The head of Utilization: a bar per unit against the rule of thumb, one bar of what the gaps wait for, a sentence."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from engine.npu.usage import UNITS, WELL_USED, Cause, Usage, advice
from gui import format as form
from gui.fonts import font
from gui.i18n import text as translated
from gui.paint import dot, plain_bar
from gui.plots.shapes import pen, plain_text
from gui.theme import Theme, theme_manager
from gui.views.kernel_list import RIGHT
from gui.widgets.themed import label

translate = QCoreApplication.translate
EDGE, ROW, NAME, FIGURE = 12, 18, 84, 50


def cause_word(cause: Cause) -> str:
    """What a gap waits for."""
    return {
        "Invocation": translate("Usage", "invocation"),
        "Launch": translate("Usage", "launches"),
        "CPU": "CPU",
        "First transfer": translate("Usage", "first bytes"),
    }[cause]


def cause_color(cause: Cause, theme: Theme) -> QColor:
    """Colour of a cause in the bar of gaps."""
    return {
        "Invocation": theme.ghost,
        "Launch": theme.bar2,
        "CPU": theme.warn,
        "First transfer": theme.accent,
    }[cause]


class UsageHead(QWidget):
    """Bars and the sentence below them."""

    def __init__(self) -> None:
        super().__init__()
        self.bars = _Bars()
        self.advice = label(role="caption")
        self.advice.setWordWrap(True)
        self.advice.setContentsMargins(EDGE, 0, EDGE, 6)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.bars)
        column.addWidget(self.advice)

    def show_usage(self, found: Usage) -> None:
        """Show another run."""
        self.bars.found = found
        self.advice.setText(translated(advice(found)))
        shares = (f"{lane} {form.percent(us / found.latency_us)}" for lane, us in found.unit_us.items())
        self.bars.setAccessibleName(translate("Usage", "Utilization of the units"))
        self.bars.setAccessibleDescription(", ".join(shares) if found.latency_us else "")
        self.bars.update()


class _Bars(QWidget):
    """All units together first, then each, then the gaps by cause."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Usage | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Room for all rows."""
        return QSize(260, (len(UNITS) + 3) * ROW + 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw everything."""
        found = self.found
        if found is None or not found.latency_us:
            return
        painter, theme = QPainter(self), theme_manager.theme
        color = theme.good if found.well_used else theme.warn
        self._row(painter, 0, translate("Usage", "any unit"), found.utilization, color, theme, strong=True)
        for place, lane in enumerate(UNITS, 1):
            self._row(painter, place, lane, found.unit_us.get(lane, 0.0) / found.latency_us, theme.bar, theme)
        mark = self._bar(0)
        x = round(mark.x() + mark.width() * WELL_USED) + 0.5
        painter.setPen(pen(theme.text2, 1, (2, 2)))
        painter.drawLine(QLineF(x, mark.top() + 2, x, mark.top() + ROW * (len(UNITS) + 1) - 2))
        free = min(range(len(UNITS)), key=lambda i: found.unit_us.get(UNITS[i], 0.0)) + 1
        words, form_ = form.percent(WELL_USED), font(9)
        plate = QRectF(x + 3, free * ROW + 2, QFontMetricsF(form_).horizontalAdvance(words) + 4, ROW - 4)
        painter.fillRect(plate, theme.panel)
        plain_text(painter, plate, words, theme.muted, form_)
        self._gaps(painter, found, theme)

    def _bar(self, place: int) -> QRectF:
        return QRectF(EDGE + NAME, place * ROW, self.width() - 2 * EDGE - NAME - FIGURE, ROW)

    def _row(
        self,
        painter: QPainter,
        place: int,
        name: str,
        share: float,
        color: QColor,
        theme: Theme,
        *,
        strong: bool = False,
    ) -> None:
        row = QRectF(EDGE, place * ROW, self.width() - 2 * EDGE, ROW)
        face = font(11, 600 if strong else 400)
        plain_text(painter, row, name, theme.text if strong else theme.text2, face)
        plain_bar(painter, self._bar(place), share, color, theme)
        plain_text(painter, row, form.percent(share), theme.text, face, RIGHT)

    def _gaps(self, painter: QPainter, found: Usage, theme: Theme) -> None:
        """Gaps as parts of the run, and what they wait for below."""
        place = len(UNITS) + 1
        top = place * ROW + 4
        row = QRectF(EDGE, top, self.width() - 2 * EDGE, ROW)
        plain_text(painter, row, translate("Usage", "gaps"), theme.text2, font(11))
        share = 1.0 - found.utilization
        plain_text(painter, row, form.percent(share), theme.text, font(11), RIGHT)
        track = self._bar(place).translated(0, 4)
        bar = QRectF(track.x(), track.center().y() - 2.5, track.width(), 5)
        painter.fillRect(bar, theme.sunken)
        left, x = bar.x(), bar.x()
        metrics = QFontMetricsF(font(10))
        for cause, us in found.gaps_by_cause().items():
            width = bar.width() * us / found.latency_us
            painter.fillRect(QRectF(left, bar.y(), width, bar.height()), cause_color(cause, theme))
            left += width
            words = f"{cause_word(cause)} {form.percent(us / found.latency_us)}"
            advance = metrics.horizontalAdvance(words)
            if x + advance + 12 <= row.right() + 2:
                dot(painter, QPointF(x + 3, top + ROW + ROW / 2), 3, cause_color(cause, theme))
                plain_text(painter, QRectF(x + 10, top + ROW, advance + 2, ROW), words, theme.text2, font(10))
                x += advance + 22
