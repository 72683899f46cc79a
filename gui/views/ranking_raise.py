"""The foot of the ranking: raise the worst few kernels, with what that costs before it is applied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QSlider, QVBoxLayout, QWidget

from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8, W8A16, Scheme, label
from engine.session.raising import raised
from engine.text import say
from gui import format as fmt
from gui.views.price import Pricer
from gui.widgets.segmented import SegmentedControl
from gui.widgets.themed import button
from gui.widgets.themed import label as make_label

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate
TARGETS: dict[str, Scheme] = {"FP16": FP16, "W8A16": W8A16, "INT8": INT8}
MOST = 40


class RaiseBar(QWidget):
    """Slider, target, preview, button."""

    def __init__(self, session: Session, who: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._who = session, who
        self._order: Sequence[str] = ()
        self._plan: Plan | None = None
        self._kernels: tuple[str, ...] = ()
        self.pricer = Pricer(session, "raise price", self._show)
        self.setObjectName("dockBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title: QLabel = make_label("", "strong")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, 1)
        self.slider.setPageStep(5)
        self.slider.setMinimumWidth(60)
        self.slider.valueChanged.connect(lambda _: self._renew())
        self.count: QLabel = make_label("0", "strong")
        self.count.setMinimumWidth(22)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.to: QLabel = make_label("", "muted")
        self.target = SegmentedControl([(key, key) for key in TARGETS])
        self.target.chosen.connect(lambda _: self._renew())
        self.preview: QLabel = make_label("", "muted")
        self.preview.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.apply = button()
        self.apply.clicked.connect(self._apply)
        self._lay_out()

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(8)
        for widget in (self.title, self.slider, self.count, self.to, self.target):
            first.addWidget(widget, 1 if widget is self.slider else 0)
        left = QVBoxLayout()
        left.setSpacing(3)
        left.addLayout(first)
        left.addWidget(self.preview)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 7)
        row.setSpacing(14)
        row.addLayout(left, 1)
        row.addWidget(self.apply)

    def retranslate(self) -> None:
        """The language has changed."""
        self.title.setText(translate("Ranking", "Raise the worst"))
        self.to.setText(translate("Ranking", "to"))
        self.slider.setAccessibleName(translate("Ranking", "How many of the worst kernels are raised"))
        self.target.setAccessibleName(translate("Ranking", "Scheme that they get"))
        self._show()

    def set_order(self, worst_first: Sequence[str]) -> None:
        """Kernels as they are ranked now."""
        self._order = worst_first
        self._renew()

    def stop(self) -> None:
        """Nobody waits for prices any more."""
        self.pricer.stop()

    def _renew(self) -> None:
        """Find the edit, and ask for its price."""
        session, target = self._session, TARGETS[self.target.current]
        _, possible = raised(session.plan, self._order, len(self._order), target, session.locked)
        most = min(MOST, len(possible))
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(1, most))
        self.slider.blockSignals(False)
        self.slider.setEnabled(most > 0)
        plan, self._kernels = raised(session.plan, self._order, self.slider.value(), target, session.locked)
        self._plan = plan if self._kernels else None
        if self._plan is not None:
            self.pricer.ask([self._plan])
        self._show()

    def _show(self) -> None:
        self.count.setText(str(len(self._kernels)))
        self.apply.setEnabled(bool(self._kernels))
        self.apply.setText(translate("Ranking", "Apply %n edit(s)", "", len(self._kernels)))
        words = self._words()
        self.preview.setText(words)
        self.preview.setToolTip(words)

    def _words(self) -> str:
        session, plan = self._session, self._plan
        if plan is None:
            if not self.slider.isEnabled():
                return translate("Ranking", "Nothing is coarser than {scheme}.").format(scheme=self.target.current)
            return translate("Ranking", "Move the slider to see what it costs.")
        words = []
        change, evaluation = session.sweeps.change_db(plan), session.figures.evaluation
        if change is not None and evaluation is not None:
            now = evaluation.output.sqnr_db
            words.append(
                translate("Ranking", "output SQNR {now} → ≈{then}").format(
                    now=fmt.sqnr_figure(now), then=fmt.sqnr(now + change)
                )
            )
        price, now_simulated, size = self.pricer.known(plan), session.figures.simulation, session.figures.size
        if price is not None and now_simulated is not None and size is not None:
            latency = price.simulation.latency_us - now_simulated.latency_us
            words.append(translate("Ranking", "latency {change}").format(change=fmt.delta(latency, fmt.latency_us)))
            more = price.size.total - size.total
            words.append(translate("Ranking", "size {change}").format(change=fmt.delta(more, fmt.bytes_)))
        return "   ".join(words)

    def _apply(self) -> None:
        if self._plan is not None:
            scheme = label(TARGETS[self.target.current])
            title = say("{scheme} for the {count} worst kernels", scheme=scheme, count=len(self._kernels))
            plan, self._plan = self._plan, None
            self.slider.setValue(0)  # a second click must not raise the next ones
            self._session.apply_plan(plan, title, self._who)
