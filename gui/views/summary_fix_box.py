"""The box in the verdict that proposes the cheapest fix. It applies nothing by itself."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from engine.precision.scheme import Scheme, family, label
from gui import format as form
from gui.fonts import font
from gui.icons import paint_icon, pixmap
from gui.paint import badge, badge_width
from gui.theme import Theme, theme_manager
from gui.views.price import Price
from gui.views.summary_fix import Fix
from gui.widgets.themed import button, follow_theme
from gui.widgets.themed import label as text_label

if TYPE_CHECKING:
    from engine.session import Session


class FixBox(QFrame):
    """Kernel, old and new scheme, what it gains (estimated until measured) and costs (simulated), and Apply."""

    applied = Signal(object)
    """Carries the Fix."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("box", True)
        self._fix: Fix | None = None
        self._star = QLabel()
        self._title = text_label(role="strong")
        self.apply = button()
        self.apply.clicked.connect(self._on_apply)
        self._change = _ChangeLine()
        self._price = text_label(role="caption")
        for line in (self._title, self._price):  # a line that does not fit must not widen the dock
            line.setWordWrap(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(8, 5, 5, 8)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(3)
        grid.addWidget(self._star, 0, 0)
        grid.addWidget(self._title, 0, 1)
        grid.addWidget(self.apply, 0, 2)
        grid.addWidget(self._change, 1, 1, 1, 2)
        grid.addWidget(self._price, 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        self.retranslate()
        self._apply_theme(theme_manager.theme)
        follow_theme(self, self._apply_theme)

    def retranslate(self) -> None:
        """Write the texts again."""
        self._title.setText(self.tr("Cheapest fix"))
        self.apply.setText(self.tr("Apply"))

    def show_fix(self, session: Session, fix: Fix, now: Price, then: Price) -> None:
        """Propose an edit."""
        assert session.network is not None
        self._fix = fix
        names = [session.network.by_id(kernel).name for kernel, _ in fix.changes]
        _, scheme = fix.changes[0]
        name = names[0] if len(names) == 1 else self.tr("%n kernel(s)", "", len(names))
        self._change.show_change(name, {session.plan.scheme(k) for k, _ in fix.changes}, {s for _, s in fix.changes})
        self._change.setToolTip("\n".join(f"{n}: {label(s)}" for n, (_, s) in zip(names, fix.changes, strict=True)))
        latency = form.delta(then.simulation.latency_us - now.simulation.latency_us, form.run_latency)
        size = form.delta(then.size.total - now.size.total, form.bytes_)
        gain = form.signed(form.sqnr(fix.gain_db))
        shown = gain if fix.measured else self.tr("≈{gain}, being measured").format(gain=gain)
        self._price.setText("   ".join((shown, latency.replace(" ", "\u00a0"), size.replace(" ", "\u00a0"))))
        self._price.setToolTip(
            self.tr("The gain was measured with this plan; latency and size are simulated.")
            if fix.measured
            else self.tr(
                "The gain is an estimate: errors hide and feed each other. It is being measured; latency and "
                "size are simulated."
            )
        )
        self.setAccessibleName(f"{self._title.text()}: {name} {label(scheme)}, {self._price.text()}")

    def _on_apply(self) -> None:
        if self._fix is not None:
            self.applied.emit(self._fix)

    def _apply_theme(self, theme: Theme) -> None:
        self._star.setPixmap(pixmap("advice", theme.accent, 15, 2.0))


class _ChangeLine(QWidget):
    """What changes, the old badge, an arrow and the new badge; badges only where they hold for all."""

    def __init__(self) -> None:
        super().__init__()
        self._name = ""
        self._old: Scheme | None = None
        self._new: Scheme | None = None
        self.setFixedHeight(18)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As wide as it may be."""
        return QSize(160, 18)

    def show_change(self, name: str, old: Collection[Scheme], new: Collection[Scheme]) -> None:
        """Show another change."""
        self._name = name
        self._old = next(iter(old)) if len(old) == 1 else None
        self._new = next(iter(new)) if len(new) == 1 else None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it; the name gives way in the middle."""
        theme, painter = theme_manager.theme, QPainter(self)
        metrics = QFontMetricsF(font(12))
        badges = sum(badge_width(label(s)) for s in (self._old, self._new) if s is not None) + 24
        name = metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, max(30.0, self.width() - badges - 8))
        painter.setFont(font(12))
        painter.setPen(theme.text)
        painter.drawText(QRectF(0, 0, self.width(), 18), Qt.AlignmentFlag.AlignVCenter, name)
        x = metrics.horizontalAdvance(name) + 8
        if self._old is not None:
            x = badge(painter, QPointF(x, 1), family(self._old), label(self._old), theme).right() + 4
        paint_icon(painter, "chevron-right", QRectF(x, 4, 10, 10), theme.muted)
        if self._new is not None:
            badge(painter, QPointF(x + 14, 1), family(self._new), label(self._new), theme)
