"""Precision mix: how kernels, bytes and time are spread over the precisions, as three strips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.precision.scheme import family
from gui import format as form
from gui.fonts import font
from gui.paint import FAMILIES, nibble_mark, nibble_size, share_bar
from gui.theme import Theme, theme_manager
from gui.widgets.repaints import repaints

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate

_ROW = 18
_EDGE = 14
_OTHER = ""


@dataclass(frozen=True, slots=True)
class Strip:
    """One strip: amounts by family ("" = kernels without a switch, or FP32)."""

    key: str
    amounts: tuple[float, ...]
    """INT4, INT8, FP16, other."""

    @property
    def shares(self) -> tuple[float, ...]:
        """Amounts as parts of the whole, zeros if there is nothing."""
        total = sum(self.amounts)
        return tuple(a / total if total else 0.0 for a in self.amounts)


def strips(session: Session) -> list[Strip]:
    """Kernels, bytes and latency by family; a strip whose figures are not known is left out."""
    network = session.network
    if network is None:
        return []
    groups = [family(session.plan.scheme(k.id)) if k.tunable else _OTHER for k in network.kernels]
    found = [Strip("kernels", _sum(groups, [float(k.tunable) for k in network.kernels]))]
    size, simulation = session.figures.size, session.figures.simulation
    if size is not None:
        known = [float(size.per_kernel.get(k.id, 0)) for k in network.kernels]
        amounts = _sum(groups, known)
        found.append(Strip("bytes", (*amounts[:3], amounts[3] + max(0.0, size.total - sum(known)))))
    if simulation is not None and len(simulation.kernels) == len(groups):
        found.append(Strip("latency", _sum(groups, [c.latency_us for c in simulation.kernels])))
    return found


def _sum(groups: list[str], values: list[float]) -> tuple[float, ...]:
    totals = dict.fromkeys((*FAMILIES, _OTHER), 0.0)
    for group, value in zip(groups, values, strict=True):
        totals[group if group in FAMILIES else _OTHER] += value
    return tuple(totals.values())


def strip_words(strip: Strip) -> str:
    """Figures after the strip: counts for kernels, percent for the rest; INT4, INT8, FP16."""
    if strip.key == "kernels":
        return " · ".join(form.integer(a) for a in strip.amounts[:3])
    figures = [form.fixed(100 * share, 0) for share in strip.shares[:3]]
    return form.with_unit(" · ".join(figures), "%")


class PrecisionMix(QWidget):
    """Draws the strips with a caption and a key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._strips: list[Strip] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    def show_strips(self, found: list[Strip]) -> None:
        """Draw other strips."""
        if found != self._strips:
            self._strips = found
            self.setAccessibleName(self.tr("Precision mix"))
            self.setAccessibleDescription("; ".join(f"{self._name(s.key)}: {strip_words(s)}" for s in found))
            repaints.ask(self, self.rect())  # always as high: no layout needs to know

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing waits to be painted any more."""
        repaints.drop(self)
        super().hideEvent(event)

    def sizeHint(self) -> QSize:
        """Caption and three strips."""
        return QSize(280, 34 + _ROW * 3 + 8)

    def _name(self, key: str) -> str:
        return {
            "kernels": translate("Summary", "kernels"),
            "bytes": translate("Summary", "bytes"),
            "latency": translate("Summary", "latency"),
        }[key]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw caption, key and strips."""
        theme, painter = theme_manager.theme, QPainter(self)
        painter.setFont(font(12, 600))
        painter.setPen(theme.text)
        right = self.width() - _EDGE
        painter.drawText(
            QRectF(_EDGE, 8, right, 18), Qt.AlignmentFlag.AlignVCenter, translate("Summary", "Precision mix")
        )
        self._key(painter, right, theme)
        names = 58.0
        words = max((QFontMetricsF(font(11)).horizontalAdvance(strip_words(s)) for s in self._strips), default=0.0)
        colors = [theme.precision(name).main for name in FAMILIES] + [theme.bar2]
        for place, strip in enumerate(self._strips):
            top = 32.0 + place * _ROW
            self._strip(painter, QRectF(_EDGE, top, right - _EDGE, _ROW), strip, names, words + 10, colors, theme)

    def _strip(
        self,
        painter: QPainter,
        row: QRectF,
        strip: Strip,
        names: float,
        words: float,
        colors: list[QColor],
        theme: Theme,
    ) -> None:
        painter.setFont(font(11))
        painter.setPen(theme.text2)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(row.x(), row.y(), names, row.height()), middle, self._name(strip.key))
        bar = QRectF(row.x() + names, row.center().y() - 4, row.width() - names - words, 8)
        share_bar(painter, bar, list(zip(strip.amounts, colors, strict=True)), theme)
        painter.setPen(theme.text)
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, strip_words(strip))

    def _key(self, painter: QPainter, right: float, theme: Theme) -> None:
        metrics, x = QFontMetricsF(font(11)), right
        painter.setFont(font(11))
        for name in reversed(FAMILIES):
            width = metrics.horizontalAdvance(name)
            x -= width
            painter.setPen(theme.text2)
            painter.drawText(QRectF(x, 8, width + 2, 18), Qt.AlignmentFlag.AlignVCenter, name)
            x -= nibble_size() + 4
            nibble_mark(painter, QPointF(round(x), 13), name, theme.precision(name).main)
            x -= 9
