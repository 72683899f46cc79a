"""Painted parts of Cold start: the ladder of counter-measures, the parts of a start, and frames on two lanes."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.npu.coldstart import ColdStart, Part, Stage
from engine.npu.flow import Flow, Span
from gui import format as form
from gui.fonts import font
from gui.paint import dot, hatch, plain_bar
from gui.plots.shapes import pen, plain_text
from gui.theme import Theme, theme_manager
from gui.views.coldstart_data import measures_word, stage_word, step_word
from gui.views.kernel_list import RIGHT

EDGE, ROW, NAME, FIGURE = 12, 20, 118, 78
FAR = 6.0
"""A bar so many times as long as the second longest is cut off."""
_CENTER = Qt.AlignmentFlag.AlignCenter


def stage_color(stage: Stage, theme: Theme) -> QColor:
    """Colour of a part."""
    return {
        "read": theme.cool[2],
        "parse": theme.cool[3],
        "init": theme.bar2,
        "compile": theme.warn,
        "load": theme.cool[4],
        "relayout": theme.package,
        "warm-up": theme.int8.line,
        "first run": theme.accent,
    }[stage]


class _Painted(QWidget):
    """A part of fixed height."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def changed(self) -> None:
        """Take another height and draw again."""
        self.updateGeometry()
        self.update()


class Ladder(_Painted):
    """One bar per set of counter-measures: what is waited for, part by part; the chosen one is marked."""

    def __init__(self) -> None:
        super().__init__()
        self._rungs: tuple[ColdStart, ...] = ()
        self._chosen: ColdStart | None = None

    def show_rungs(self, rungs: tuple[ColdStart, ...], chosen: ColdStart) -> None:
        """Show other starts."""
        self._rungs, self._chosen = rungs, chosen
        words = (f"{measures_word(r.measures)}: {form.run_latency(r.wait_us)}" for r in rungs)
        self.setAccessibleDescription("; ".join(words))
        self.changed()

    def sizeHint(self) -> QSize:
        """One row per set."""
        return QSize(280, ROW * len(self._rungs))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        if self._chosen is None:
            return
        painter, theme = QPainter(self), theme_manager.theme
        waits = sorted(rung.wait_us for rung in self._rungs)
        scale = waits[-1] if waits[-1] <= FAR * waits[-2] else waits[-2] * 1.25
        for place, rung in enumerate(self._rungs):
            row = QRectF(EDGE, place * ROW, self.width() - 2 * EDGE, ROW)
            now = rung.measures == self._chosen.measures
            if now:
                painter.fillRect(row.adjusted(-EDGE, 0, EDGE, 0), theme.selection)
            face = font(11, 600 if now else 400)
            plain_text(painter, row, measures_word(rung.measures), theme.text if now else theme.text2, face)
            plain_text(painter, row, form.run_latency(rung.wait_us), theme.text, face, RIGHT)
            track = QRectF(row.x() + NAME, row.y() + 5, row.width() - NAME - FIGURE, ROW - 10)
            self._bar(painter, track, rung, scale, theme)

    def _bar(self, painter: QPainter, track: QRectF, rung: ColdStart, scale: float, theme: Theme) -> None:
        painter.fillRect(track, theme.sunken)
        left = track.x()
        for part in rung.parts:
            if part.ahead:
                continue
            right = min(left + track.width() * part.us / scale, track.right())
            painter.fillRect(QRectF(left, track.y(), right - left, track.height()), stage_color(part.stage, theme))
            left = right
        if rung.wait_us > scale * 1.001:  # cut off: an open end says that the bar goes on
            tip = QPolygonF([QPointF(track.right() + 1, track.top()), QPointF(track.right() + 7, track.center().y()),
                             QPointF(track.right() + 1, track.bottom())])  # fmt: skip
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.warn)
            painter.drawPolygon(tip)


class PartRows(_Painted):
    """The parts of the chosen start with their times; what is over before the request is hatched."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: tuple[Part, ...] = ()
        self._ahead = ""

    def show_parts(self, parts: tuple[Part, ...], ahead: str) -> None:
        """Show other parts; `ahead` is the word for what is done before."""
        self._parts, self._ahead = parts, ahead
        self.setAccessibleDescription("; ".join(f"{stage_word(p.stage)}: {form.run_latency(p.us)}" for p in parts))
        self.changed()

    def sizeHint(self) -> QSize:
        """One row per part."""
        return QSize(280, ROW * len(self._parts))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw dot, name, bar, time."""
        painter, theme = QPainter(self), theme_manager.theme
        longest = max((part.us for part in self._parts), default=1.0)
        for place, part in enumerate(self._parts):
            row = QRectF(EDGE, place * ROW, self.width() - 2 * EDGE, ROW)
            color = stage_color(part.stage, theme)
            dot(painter, QPointF(row.x() + 4, row.center().y()), 3.5, color)
            quiet = theme.muted if part.ahead else theme.text2
            plain_text(painter, row.adjusted(14, 0, 0, 0), stage_word(part.stage), quiet, font(11))
            bar = QRectF(row.x() + NAME, row.y(), row.width() - NAME - FIGURE - 28, row.height())
            plain_bar(painter, bar, 0.0 if part.ahead else part.us / longest, color, theme)
            if part.ahead:
                width = bar.width() * part.us / longest
                hatch(painter, QRectF(bar.x(), round(bar.center().y() - 2.5), max(2.0, width), 5), color, 5)
                word = QRectF(bar.right() + 4, row.y(), 44, row.height())
                plain_text(painter, word, self._ahead, theme.muted, font(10))
            plain_text(painter, row, form.run_latency(part.us), theme.text, font(11), RIGHT)


class FrameLanes(_Painted):
    """A few frames of the steady state on two lanes, CPU above NPU."""

    LANE, HEAD, GUTTER = 22, 16, 40

    def __init__(self) -> None:
        super().__init__()
        self._flow: Flow | None = None

    def show_flow(self, found: Flow) -> None:
        """Show another schedule."""
        self._flow = found
        self.changed()

    def sizeHint(self) -> QSize:
        """Two lanes under a ruler, and the key."""
        return QSize(280, self.HEAD + 2 * self.LANE + 38)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw lanes, bars, frame numbers, key."""
        found = self._flow
        if found is None or not found.spans:
            return
        painter, theme = QPainter(self), theme_manager.theme
        area = QRectF(EDGE + self.GUTTER, 0, self.width() - 2 * EDGE - self.GUTTER, self.height())
        window = self._window(found)
        for place, lane in enumerate(("CPU", "NPU")):
            y = self.HEAD + place * self.LANE
            plain_text(painter, QRectF(EDGE, y, self.GUTTER, self.LANE), lane, theme.text2, font(11, 500))
            painter.fillRect(QRectF(area.x(), y + 2, area.width(), self.LANE - 4), theme.sunken)
        for span in found.spans:
            self._span(painter, span, area, window, theme)
        ruler = QRectF(area.x(), 0, area.width(), self.HEAD)
        plain_text(painter, ruler, "0", theme.muted, font(10))
        plain_text(painter, ruler, form.run_latency(window), theme.muted, font(10), RIGHT)
        self._key(painter, found, theme)

    def _window(self, found: Flow) -> float:
        """Us on show: three periods, or all that is known."""
        last = max(span.start_us + span.duration_us for span in found.spans)
        return min(last, max(3 * found.period_us, found.latency_us))

    def _span(self, painter: QPainter, span: Span, area: QRectF, window: float, theme: Theme) -> None:
        if span.start_us >= window:
            return
        left = area.x() + area.width() * span.start_us / window
        right = area.x() + area.width() * min(span.start_us + span.duration_us, window) / window
        place = 1 if span.lane == "NPU" else 0
        box = QRectF(left, self.HEAD + place * self.LANE + 2, max(1.0, right - left), self.LANE - 4)
        painter.fillRect(box, step_color(span.step, theme))
        painter.setPen(pen(theme.panel))
        painter.drawLine(box.topLeft(), box.bottomLeft())
        if span.lane == "NPU" and box.width() > 16:
            plain_text(painter, box, str(span.frame + 1), theme.on_accent, font(10, 600), _CENTER)

    def _key(self, painter: QPainter, found: Flow, theme: Theme) -> None:
        x, y = float(EDGE), self.HEAD + 2 * self.LANE + 11.0
        metrics = QFontMetricsF(font(10))
        for step, us in found.steps_us.items():
            words = f"{step_word(step)} {form.latency_us(us)}"
            width = metrics.horizontalAdvance(words)
            if us <= 0.0:
                continue
            if x + width + 12 > self.width() - EDGE:
                x, y = float(EDGE), y + 16
            dot(painter, QPointF(x + 3, y), 3, step_color(step, theme))
            plain_text(painter, QRectF(x + 9, y - 8, width + 2, 16), words, theme.text2, font(10))
            x += width + 18


def step_color(step: str, theme: Theme) -> QColor:
    """Colour of a step of a frame."""
    return {
        "preprocess": theme.package,
        "layout": theme.int4.line,
        "copy in": theme.cool[2],
        "submit": theme.ghost,
        "run": theme.accent,
        "copy out": theme.cool[3],
    }[step]
