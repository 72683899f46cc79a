"""Painted parts of the Kernel inspector: rows of facts, bars of busy time, and the what-if table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from engine.precision.scheme import family, label
from gui import format as form
from gui.accessible import Role, say_changed
from gui.fonts import font
from gui.icons import paint_icon
from gui.paint import badge, badge_width, hatch, plain_bar
from gui.theme import Theme, theme_manager
from gui.views.kernel_data import Fact, Share, WhatIf, what_if_words

translate = QCoreApplication.translate

ROW = 19
EDGE = 14
HEAD, LINE = 32, 22
"""Heights in the what-if table: two lines of header, one row."""
NARROW = 250
"""Below this inner width the what-if table leaves a column out."""
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class Rows(QWidget):
    """A fixed number of rows over the whole width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    def count(self) -> int:
        """Rows to draw."""
        return 0

    def draw(self, painter: QPainter, row: QRectF, place: int, theme: Theme) -> None:
        """Draw one row."""

    def sizeHint(self) -> QSize:
        """Room for all rows."""
        return QSize(260, self.count() * ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw all rows."""
        painter, theme = QPainter(self), theme_manager.theme
        for place in range(self.count()):
            self.draw(painter, self.row_rect(place), place, theme)

    def row_rect(self, place: int) -> QRectF:
        """Where a row is."""
        return QRectF(EDGE, place * ROW, self.width() - 2 * EDGE, ROW)

    def _changed(self) -> None:
        self.updateGeometry()
        self.update()


class FactRows(Rows):
    """Label, value, remark. Names that are too long lose their middle and keep it in the tooltip."""

    def __init__(self, label_width: int = 92, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts: list[Fact] = []
        self._label_width = label_width
        """0 = the label takes what the remark leaves."""

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show other facts."""
        if list(facts) != self._facts:
            self._facts = list(facts)
            self.setAccessibleDescription("; ".join(f"{f.name}: {f.value} {f.remark}" for f in facts))
            self._changed()

    def count(self) -> int:
        """One row per fact."""
        return len(self._facts)

    def draw(self, painter: QPainter, row: QRectF, place: int, theme: Theme) -> None:
        """Label left, value behind it, remark at the right end."""
        fact = self._facts[place]
        painter.setFont(font(11))
        metrics = QFontMetricsF(font(11))
        face = font(11, 400 if fact.quiet else 600)
        needed = self._label_width + QFontMetricsF(face).horizontalAdvance(fact.value)
        remark = metrics.horizontalAdvance(fact.remark)
        if self._label_width and needed + remark + 10 > row.width():
            remark = 0.0  # the value goes first; the tooltip has both
        else:
            painter.setPen(theme.muted)
            painter.drawText(row, _RIGHT, fact.remark)
        room = row.width() - (remark + 10 if remark else 0)
        width = room if not self._label_width else min(self._label_width, room)
        painter.setPen(theme.text2)
        name = metrics.elidedText(fact.name, Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(QRectF(row.x(), row.y(), width, row.height()), _MIDDLE, name)
        painter.setFont(face)
        painter.setPen(theme.text)
        left = row.x() + width
        value = QFontMetricsF(face).elidedText(fact.value, Qt.TextElideMode.ElideRight, room - width)
        painter.drawText(QRectF(left, row.y(), room - width + 2, row.height()), _MIDDLE, value)

    def event(self, event: QEvent) -> bool:
        """Show what was cut off."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = event.pos().y() // ROW
            if 0 <= place < len(self._facts):
                fact = self._facts[place]
                words = fact.tip or f"{fact.name}: {fact.value} {fact.remark}".rstrip()
                QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)


class ShareRows(Rows):
    """Busy time per unit: name, bar, µs, share of the kernel's latency."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shares: list[Share] = []
        self._family = ""

    def show_shares(self, shares: Sequence[Share], name: str) -> None:
        """Show other times; the largest bar has the colour of the precision."""
        if (list(shares), name) != (self._shares, self._family):
            self._shares, self._family = list(shares), name
            words = (f"{s.name}: {form.latency_us(s.us)}, {form.percent(s.of_latency)}" for s in shares)
            self.setAccessibleDescription("; ".join(words))
            self._changed()

    def count(self) -> int:
        """One row per unit."""
        return len(self._shares)

    def draw(self, painter: QPainter, row: QRectF, place: int, theme: Theme) -> None:
        """Name, bar, figure, share."""
        share = self._shares[place]
        strong = share.role == "largest"
        painter.setFont(font(11, 600 if strong else 400))
        painter.setPen(theme.text if strong else theme.text2)
        painter.drawText(row, _MIDDLE, share.name)
        bar = QRectF(row.x() + 84, row.y(), row.width() - 84 - 92, row.height())
        color: QColor = theme.precision(self._family).main if strong else theme.bar
        if share.role == "launch":
            plain_bar(painter, bar, 0.0, color, theme)
            width = bar.width() * min(1.0, share.of_latency)
            hatch(painter, QRectF(bar.x(), round(bar.center().y() - 2.5), width, 5), theme.bar, 5)
        else:
            plain_bar(painter, bar, share.of_latency, color, theme)
        figure = form.latency_figure(share.us) if share.us > 0 else form.MISSING
        painter.setPen(theme.text if share.us > 0 else theme.muted)
        painter.drawText(row.adjusted(0, 0, -40, 0), _RIGHT, figure)
        if share.us > 0:
            painter.setFont(font(11))
            painter.setPen(theme.muted)
            painter.drawText(row, _RIGHT, form.percent(share.of_latency))


class WhatIfTable(Rows):
    """Schemes with their price; a click or Enter on a row sets the scheme."""

    chosen = Signal(object)
    """Carries the Scheme."""
    spoken_role = Role.List

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[WhatIf] = []
        self._hovered = -1
        self._place = 0
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_rows(self, rows: Sequence[WhatIf]) -> None:
        """Show other figures."""
        if list(rows) != self._rows:
            self._rows = list(rows)
            self._place = next((i for i, r in enumerate(rows) if r.now), 0)
            self.setAccessibleName(translate("Kernel", "What if"))
            self.setAccessibleDescription("; ".join(what_if_words(r) for r in rows))
            self._changed()

    def spoken_value(self) -> str:
        """The row that the arrows have come to."""
        return what_if_words(self._rows[self._place]) if self._place < len(self._rows) else ""

    @property
    def rows(self) -> list[WhatIf]:
        """What is on show."""
        return self._rows

    def count(self) -> int:
        """A header and one row per scheme."""
        return len(self._rows) + 1 if self._rows else 0

    def sizeHint(self) -> QSize:
        """Rows are a little higher: they are clicked."""
        return QSize(260, HEAD + len(self._rows) * LINE if self._rows else 0)

    def row_rect(self, place: int) -> QRectF:
        """Where a row is; 0 is the header."""
        wide = self.width() - 2 * EDGE + 12
        if place == 0:
            return QRectF(EDGE - 6, 0, wide, HEAD)
        return QRectF(EDGE - 6, HEAD + (place - 1) * LINE, wide, LINE)

    def draw(self, painter: QPainter, row: QRectF, place: int, theme: Theme) -> None:
        """Header, or badge and figures."""
        inner = row.adjusted(6, 0, -6, 0)
        shares = (0.24, 0.48, 0.74, 1.0) if inner.width() >= NARROW else (0.32, 0.62, 1.0)
        ends = [inner.x() + 70 + (inner.width() - 70) * share for share in shares]
        if place == 0:
            self._header(painter, inner, ends, theme)
            return
        entry = self._rows[place - 1]
        self._ground(painter, row, place, entry, theme)
        badge(painter, QPointF(inner.x(), row.y() + 3), family(entry.scheme), label(entry.scheme), theme)
        painter.setFont(font(11, 600 if entry.now else 400))
        if entry.refused:
            left = inner.x() + badge_width(label(entry.scheme)) + 5
            paint_icon(painter, "triangle", QRectF(left, row.y() + 5, 12, 12), theme.warn)
        figures = (
            form.latency_figure(entry.latency_us),
            form.sqnr_figure(entry.local_db),
            entry.output_figure,
            form.energy_uj_figure(entry.energy_uj),
        )
        for end, figure in zip(ends, self._fitting(figures, len(ends)), strict=True):
            painter.setPen(theme.muted if figure == form.MISSING else theme.text)
            painter.drawText(QRectF(inner.x(), row.y(), end - inner.x(), row.height()), _RIGHT, figure)

    def _header(self, painter: QPainter, inner: QRectF, ends: Sequence[float], theme: Theme) -> None:
        """Names of the columns, their units below."""
        names = (
            translate("Kernel", "Latency"),
            translate("Kernel", "Local"),
            translate("Kernel", "Output"),
            translate("Kernel", "Energy"),
        )
        units = ("µs", "dB", translate("Kernel", "dB, alone"), "µJ")
        for words, top, size in ((names, 0, 11), (units, 14, 10)):
            painter.setFont(font(size))
            painter.setPen(theme.text2 if size == 11 else theme.muted)
            for end, word in zip(ends, self._fitting(words, len(ends)), strict=True):
                painter.drawText(QRectF(inner.x(), inner.y() + top, end - inner.x(), 15), _RIGHT, word)

    @staticmethod
    def _fitting(cells: tuple[str, ...], count: int) -> tuple[str, ...]:
        """All cells, or those without the output error where there is no room for it."""
        return cells if count == len(cells) else (*cells[:2], *cells[3:])

    def _ground(self, painter: QPainter, row: QRectF, place: int, entry: WhatIf, theme: Theme) -> None:
        color = theme.selection if entry.now else theme.hover if place - 1 == self._hovered else None
        if color is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(row, 4, 4)
        if self.hasFocus() and place - 1 == self._place:
            painter.setPen(QPen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), 4, 4)

    def _at(self, y: float) -> int:
        place = int((y - HEAD) // LINE)
        return place if 0 <= place < len(self._rows) else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tint the row."""
        self._hovered = self._at(event.position().y())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """No row is hovered."""
        self._hovered = -1
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Set the scheme of the row."""
        place = self._at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and place >= 0:
            self.chosen.emit(self._rows[place].scheme)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down move, Enter and Space set."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and self._rows:
            self._place = min(max(self._place + step, 0), len(self._rows) - 1)
            self.update()
            say_changed(self)
            entry = self._rows[self._place]  # why a scheme does not run stands nowhere else
            below = self.row_rect(self._place + 1).bottomLeft().toPoint()
            QToolTip.showText(self.mapToGlobal(below), entry.refused, self)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._rows:
            self.chosen.emit(self._rows[self._place].scheme)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the ring."""
        self.update()

    def event(self, event: QEvent) -> bool:
        """The whole reason, and what a click does."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self._at(event.pos().y())
            if 0 <= event.pos().y() < HEAD and self._rows:
                words = translate(
                    "Kernel",
                    "Local: error of this kernel fed with reference inputs.\n"
                    "Output, alone: error at the model's output when only this kernel takes the scheme.",
                )
                QToolTip.showText(event.globalPos(), words, self)
            elif place >= 0:
                entry = self._rows[place]
                words = entry.refused or translate("Kernel", "Click to set {0}").format(label(entry.scheme))
                QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)
