"""The bulk bar: takes the place of the filter bar while two or more kernels are selected, and names the price first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QWidget

from engine.fusion.types import Kernel
from engine.precision.plan import Plan
from engine.precision.presets import spread
from engine.precision.scheme import family, label
from gui import format as form
from gui.icons import icon
from gui.paint import SwitchLook, switch_hit
from gui.theme import Theme
from gui.views.layers_filter import HEIGHT
from gui.views.layers_rows import SEGMENTS
from gui.views.price import Pricer
from gui.widgets.popup import one_use_menu
from gui.widgets.precision_switch import PrecisionSwitch
from gui.widgets.themed import button
from gui.widgets.themed import label as text_label

if TYPE_CHECKING:
    from engine.session import Session

SIMILAR = ("op", "kind", "scheme", "last")
"""What "Select similar" can go by: operators, kind, precision, last part of the name."""


class _PreviewSwitch(PrecisionSwitch):
    """Says which segment is pointed at, before it is clicked."""

    pointed = Signal(str)
    """Family, or "" when the pointer has left."""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the family under the pointer."""
        super().mouseMoveEvent(event)
        self.pointed.emit(switch_hit(self._track(), event.position()) or "")

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        super().leaveEvent(event)
        self.pointed.emit("")


class BulkBar(QWidget):
    """Edits the selection as one step."""

    family_chosen = Signal(str)
    advanced_pressed = Signal()
    lock_pressed = Signal()
    similar_chosen = Signal(str)
    clear_pressed = Signal()

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self._kernels: tuple[Kernel, ...] = ()
        self._hidden = 0
        self._pointed = ""
        self._question: tuple[object, ...] | None = None
        """What the price on show is about; asking again costs more than comparing."""
        self._pricer = Pricer(session, "bulk preview", self._write_price)
        self._count = text_label(role="strong")
        self.switch = _PreviewSwitch(height=18, segment=46)
        self.switch.chosen.connect(self.family_chosen)
        self.switch.pointed.connect(self._on_pointed)
        self.advanced = button(flat=True)
        self.advanced.clicked.connect(self.advanced_pressed)
        self.lock = button(flat=True)
        self.lock.clicked.connect(self.lock_pressed)
        self.similar = button(flat=True)
        self.similar.clicked.connect(self._show_similar)
        self.price = QLabel()
        self.clear = button(link=True)
        self.clear.clicked.connect(self.clear_pressed)
        self._escape = text_label("Esc", "key")
        self._lay_out()
        self.retranslate()
        self.apply_theme(theme)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(4)
        row.addWidget(self._count)
        row.addSpacing(8)
        row.addWidget(self.switch)
        row.addSpacing(6)
        for part in (self.advanced, self.lock, self.similar):
            row.addWidget(part)
        row.addSpacing(6)
        row.addWidget(self.price, 1)
        row.addWidget(self.clear)
        row.addWidget(self._escape, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setFixedHeight(HEIGHT)
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)

    def show_kernels(self, kernels: Sequence[Kernel], hidden: int) -> None:
        """Take over a selection; `hidden` of its kernels are filtered out of the table."""
        self._kernels, self._hidden = tuple(kernels), hidden
        self._write()

    def retranslate(self) -> None:
        """Write the texts again."""
        self.advanced.setText(self.tr("Advanced…"))
        self.similar.setText(self.tr("Select similar"))
        self.clear.setText(self.tr("Clear"))
        self._question = None
        self._write()

    def apply_theme(self, theme: Theme) -> None:
        """Recolour the icons."""
        self._theme = theme
        self.similar.setIcon(icon("chevron-down", theme.text2, 12))
        self.similar.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._write()
        self.update()

    def stop(self) -> None:
        """No answers are waited for any more."""
        self._pricer.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The bar has the colour of the selection that it is about."""
        painter = QPainter(self)
        ground = self._theme.accent_soft
        painter.fillRect(self.rect(), ground)

    def showEvent(self, event: QShowEvent) -> None:
        """What nobody saw was not priced."""
        super().showEvent(event)
        self._ask()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what has no room: the price is the last to go."""
        super().resizeEvent(event)
        self._fold()

    @property
    def _editable(self) -> list[Kernel]:
        return [k for k in self._kernels if k.tunable and k.id not in self._session.locked]

    def _write(self) -> None:
        words = self.tr("%n kernel(s) selected", "", len(self._kernels))
        if self._hidden:
            words += " " + self.tr("({0} hidden by the filter)").format(self._hidden)
        self._count.setText(words)
        locked = bool(self._kernels) and all(k.id in self._session.locked for k in self._kernels)
        self.lock.setText(self.tr("Unlock") if locked else self.tr("Lock"))
        self.lock.setIcon(icon("unlock" if locked else "lock", self._theme.text2, 14))
        self.switch.set_look(self._look())
        self.switch.setEnabled(bool(self._editable))
        self.advanced.setEnabled(bool(self._editable))
        self._ask()
        self._fold()

    def _look(self) -> SwitchLook:
        schemes = {self._session.plan.scheme(k.id) for k in self._kernels if k.tunable}
        if len(schemes) != 1:
            families = {family(s) for s in schemes}
            return SwitchLook(chosen=families.pop() if len(families) == 1 else None)
        scheme = schemes.pop()
        plain = scheme.rounded
        return SwitchLook(family(scheme), label(plain), scheme.weights.bits, method=plain != scheme)

    def _on_pointed(self, name: str) -> None:
        if name != self._pointed:
            self._pointed = name
            self._ask()

    def target(self) -> str:
        """Family that the price is named for: the one pointed at, else the obvious next one."""
        if self._pointed:
            return self._pointed
        return "INT4" if self.switch.look.chosen == "INT8" else "INT8"

    def _target_plan(self) -> Plan:
        return self._planned(self.target())

    def _planned(self, name: str) -> Plan:
        return self._session.plan.with_schemes(spread(self._editable, SEGMENTS[name]), "")

    def _kept(self, name: str) -> int:
        """How many kernels take INT8 when the others take INT4: depthwise and recurrent ones."""
        return sum(scheme != SEGMENTS[name] for scheme in spread(self._editable, SEGMENTS[name]).values())

    def _ask(self) -> None:
        question = (self._session.plan, self._session.device, self._kernels, self._session.locked, self.target())
        if self._question is not None and all(a is b or a == b for a, b in zip(question, self._question, strict=True)):
            return
        if self._editable and self.isVisible():
            self._question = question
            self._pricer.ask((self._session.plan, self._target_plan()))
        self._write_price()

    def _write_price(self) -> None:
        """Say what is known; nothing at all while the simulation runs."""
        self.price.setText(self._price_words())
        kept = self._kept("INT4")
        self.price.setToolTip(
            self.tr("Depthwise and recurrent kernels take INT8 instead of INT4: 4 bits save next to nothing there.")
            if kept
            else ""
        )
        self._fold()

    def _price_words(self) -> str:
        if not self._editable:
            return ""
        kept = self._kept("INT4")
        if kept and not self._pointed and self._planned("INT4") == self._session.plan:
            return self.tr("INT4; {0} stay INT8").format(kept)
        plan = self._target_plan()
        if plan == self._session.plan:
            return self.tr("Already {0}").format(self.target())
        now, then = self._pricer.known(self._session.plan), self._pricer.known(plan)
        if now is None or then is None:
            return ""
        latency = form.delta(then.simulation.latency_us - now.simulation.latency_us, form.run_latency)
        size = form.delta(then.size.total - now.size.total, form.bytes_)
        parts = [self.tr("latency {0}").format(latency), self.tr("size {0}").format(size)]
        if self._kept(self.target()):
            parts.append(self.tr("{0} stay INT8").format(self._kept(self.target())))
        return self.tr("If set to {0}:").format(self.target()) + "  " + " · ".join(parts)

    def minimumSizeHint(self) -> QSize:
        """Count and switch."""
        return QSize(self.switch.sizeHint().width() + 40, HEIGHT)

    def _fold(self) -> None:
        """Give way in this order: Esc hint, select similar, lock, advanced, the price, the clear button."""
        room = self.width() - 24 - 26 - self._count.sizeHint().width() - self.switch.sizeHint().width()
        for part in (self.clear, self.price, self.advanced, self.lock, self.similar, self._escape):
            room -= part.sizeHint().width() + 4
            part.setVisible(room >= 0)

    def similar_menu(self) -> QMenu:
        """Ways to extend the selection."""
        menu = one_use_menu(self)
        words = {
            "op": self.tr("Same operators"),
            "kind": self.tr("Same kind"),
            "scheme": self.tr("Same precision"),
            "last": self.tr("Same last part of the name"),
        }
        for key in SIMILAR:
            menu.addAction(words[key]).triggered.connect(lambda _=False, key=key: self.similar_chosen.emit(key))
        return menu

    def _show_similar(self) -> None:
        menu = self.similar_menu()
        menu.popup(self.similar.mapToGlobal(QPoint(0, self.similar.height() + 2)))
