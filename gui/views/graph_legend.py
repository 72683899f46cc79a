"""The bar below the graph: what the colours say, and a threshold to drag."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.accessible import Role, say_changed
from gui.fonts import font
from gui.icons import paint_icon
from gui.paint import badge, badge_width, hatch, with_alpha
from gui.plots.scale_bar import gradient
from gui.theme import Theme
from gui.views.graph_overlay import START, Overlay

HEIGHT = 40
BAR = 200.0
STEP = 0.02


class GraphLegend(QWidget):
    """Scale, threshold, count of kernels above it, and keys for what has no scale."""

    threshold_changed = Signal(float)
    wants_ring = True
    spoken_role = Role.Slider

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.overlay: Overlay | None = None
        self.moved: dict[str, float] = {}
        """Where the user has put the marker of an overlay, 0 to 1."""
        self._keys: list[tuple[str, str]] = []
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set(self, overlay: Overlay | None, keys: list[tuple[str, str]]) -> None:
        """Show the legend of an overlay. `keys` are (kind, words): a family, "none" or "CPU"."""
        self.overlay, self._keys = overlay, keys
        scaled = overlay is not None and overlay.scaled
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if scaled else Qt.FocusPolicy.NoFocus)
        self.setToolTip(self._tip() if scaled else "")
        self.update()

    @property
    def threshold(self) -> float:
        """Where the marker stands: where it was put, else where the overlay lets it begin."""
        if self.overlay is None:
            return START
        return self.moved.get(self.overlay.key, self.overlay.start)

    def set_threshold(self, threshold: float) -> None:
        """Put the marker of the overlay on show somewhere else, without a signal."""
        if self.overlay is not None:
            self.moved[self.overlay.key] = min(1.0, max(0.0, threshold))
        self.update()

    def set_back(self) -> None:
        """Put the marker of the overlay on show where it began."""
        if self.overlay is not None and self.moved.pop(self.overlay.key, None) is not None:
            self._say()

    def sizeHint(self) -> QSize:
        """Small enough for small screens."""
        return QSize(420, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """It leaves out what has no room."""
        return QSize(120, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw from left to right: words, scale, count, keys."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.theme.hair, 1))
        painter.drawLine(0, 0, self.width(), 0)
        x = 12.0
        if self.overlay is not None and self.overlay.scaled:
            bar = self._bar()
            words = QRectF(x, 0, bar.x() - x - 12, self.height())
            form = font(11, 600)
            text = QFontMetricsF(form).elidedText(self.overlay.caption, Qt.TextElideMode.ElideRight, words.width())
            painter.setFont(form)
            painter.setPen(self.theme.text2)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, text)
            self._paint_scale(painter, bar)
            x = self._paint_count(painter, bar.right() + 14)
        self._paint_keys(painter, x)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the marker."""
        self._drag(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Put the marker back where it began."""
        self.set_back()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the marker."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys move the marker, Delete puts it back."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.set_back()
            return
        step = {Qt.Key.Key_Left: -STEP, Qt.Key.Key_Right: STEP}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._take(self.threshold + step)

    def _drag(self, event: QMouseEvent) -> None:
        bar = self._bar()
        if (
            self.overlay is not None
            and self.overlay.scaled
            and bar.left() - 8 <= event.position().x() <= bar.right() + 8
        ):
            self._take((event.position().x() - bar.x()) / bar.width())

    def _take(self, threshold: float) -> None:
        self.set_threshold(threshold)
        self._say()

    def _say(self) -> None:
        self.update()
        say_changed(self)
        self.threshold_changed.emit(self.threshold)

    def _tip(self) -> str:
        return self.tr("Drag the marker to mark the kernels above a value; a double click or Delete puts it back")

    def _bar(self) -> QRectF:
        words = QFontMetricsF(font(11, 600)).horizontalAdvance(self.overlay.caption if self.overlay else "")
        room = self.width() - BAR - 40  # the words come before the keys, which stand on the cards too
        return QRectF(12 + min(words, max(60.0, room)) + 14, 13, min(BAR, max(80.0, self.width() - 160.0)), 8)

    def _paint_scale(self, painter: QPainter, bar: QRectF) -> None:
        assert self.overlay is not None
        painter.fillRect(bar, gradient(self.theme, self.overlay.token, bar))
        painter.setFont(font(10))
        metrics = QFontMetricsF(font(10))
        last = -1e9
        for place, text in self.overlay.ticks:
            width = metrics.horizontalAdvance(text)
            x = bar.x() + place * bar.width() - width / 2
            if x > last + 6:
                painter.setPen(self.theme.muted)
                painter.drawText(QRectF(x, bar.bottom() + 2, width + 1, 13), Qt.AlignmentFlag.AlignCenter, text)
                last = x + width
        x = bar.x() + self.threshold * bar.width()
        marker = QPainterPath(QPointF(x, bar.top()))
        marker.lineTo(x - 5, bar.top() - 8)
        marker.lineTo(x + 5, bar.top() - 8)
        marker.closeSubpath()
        painter.fillPath(marker, self.theme.accent if self.hasFocus() else self.theme.ink)
        painter.setPen(QPen(self.theme.ink, 1))
        painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))

    def spoken_value(self) -> str:
        """How many kernels reach the threshold."""
        return self.count_text()

    def count_text(self) -> str:
        """How many kernels reach the threshold."""
        if self.overlay is None or not self.overlay.scaled:
            return ""
        over = int(self.overlay.above(self.threshold).sum())
        value = self.overlay.write(self.overlay.value_at(self.threshold))
        falling = self.overlay.value_at(1.0) < self.overlay.value_at(0.0)
        words = self.tr("{n} of {all} below {value}") if falling else self.tr("{n} of {all} above {value}")
        return words.format(n=over, all=self.overlay.known, value=value)

    def _paint_count(self, painter: QPainter, x: float) -> float:
        text = self.count_text()
        form = font(11, 600)
        width = QFontMetricsF(form).horizontalAdvance(text)
        if x + 18 + width > self.width():
            return float(self.width())
        paint_icon(painter, "triangle", QRectF(x, self.height() / 2 - 6, 12, 12), self.theme.warn)
        painter.setFont(form)
        painter.setPen(self.theme.text2)
        painter.drawText(QRectF(x + 17, 0, width + 1, self.height()), Qt.AlignmentFlag.AlignVCenter, text)
        return x + 17 + width + 20

    def _paint_keys(self, painter: QPainter, x: float) -> None:
        form = font(11)
        metrics = QFontMetricsF(form)
        for kind, words in self._keys:
            patch = (
                badge_width(words) if kind in ("INT4", "INT8", "FP16") else 16 + 6 + metrics.horizontalAdvance(words)
            )
            if x + patch > self.width() - 8:
                return
            middle = self.height() / 2
            if kind in ("INT4", "INT8", "FP16"):
                badge(painter, QPointF(x, middle - 8), kind, words, self.theme)
            else:
                box = QRectF(x, middle - 5, 15, 10)
                painter.setPen(QPen(self.theme.strong, 1))
                painter.setBrush(self.theme.warn_soft if kind == "CPU" else self.theme.raised)
                painter.drawRoundedRect(box, 2, 2)
                if kind == "CPU":
                    hatch(painter, box, with_alpha(self.theme.warn, 0.5))
                painter.setFont(form)
                painter.setPen(self.theme.muted)
                area = QRectF(x + 21, 0, metrics.horizontalAdvance(words) + 1, self.height())
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
            x += patch + 16
