"""Kernel cost: one kernel's simulated cost taken apart, down to tile, bytes and formula, and what would lift it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget

from engine.session.changes import What
from engine.text import say
from gui import format as form
from gui.i18n import text as translated
from gui.kernel_names import names_of
from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.cost_parts import EDGE, LiftRows, SectionBox
from gui.views.session_view import SessionView
from gui.views.words import bound_word
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.scrolling import scrolling
from gui.widgets.themed import label

if TYPE_CHECKING:
    from engine.fusion.types import Kernel
    from engine.jobs import Job
    from engine.npu.breakdown import Breakdown
    from engine.session import Session


class CostView(SessionView):
    """Follows the current kernel; the longest one where none is selected."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.SELECTION, What.PLAN, What.SIMULATION, What.DEVICE})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.found: Breakdown | None = None
        self._job: Job | None = None
        self._asked: tuple[object, ...] = ()
        self.name, self.bound, self.why = label(role="title"), label(role="caption"), label()
        self.why.setWordWrap(True)
        self._sections: list[SectionBox] = []
        self.lifts_title = label(role="strong")
        self.lifts = LiftRows()
        self.empty = EmptyState()
        self.empty.clicked.connect(lambda: self.command_wanted.emit("open_model"))
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(lambda: self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height()))))
        self.exporter = Exporter(self, None, self.table, self.title)
        self._pages = QStackedWidget()
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(EDGE, 10, EDGE, 12)
        column.setSpacing(4)
        for part in (self.name, self.bound, self.why):
            column.addWidget(part)
        column.addSpacing(6)
        column.addWidget(self.lifts_title)
        column.addWidget(self.lifts)
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        column.addLayout(self._column)
        column.addStretch(1)
        self._area = scrolling(content, by_key=True)
        self._pages.addWidget(self._area)
        self._pages.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Kernel cost")

    def header_widgets(self) -> list[QWidget]:
        """More."""
        return [self.more]

    def menu(self) -> QMenu:
        """Copy and export."""
        menu = one_use_menu(self)
        self.exporter.fill(menu)
        return menu

    def retranslate(self) -> None:
        """The language has changed."""
        self.setAccessibleName(self.title())
        self._area.setAccessibleName(self.title())
        self.more.set_tip(self.tr("Copy and export"))
        self.lifts_title.setText(self.tr("What would lift it"))
        self._asked = ()
        self.mark_dirty(What.PLAN)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        self.lifts.update()

    def dispose(self) -> None:
        """Stop listening."""
        if self._job is not None:
            self._job.cancel()
        super().dispose()

    def table(self) -> Table:
        """One row per figure."""
        if self.found is None:
            return Table((), ())
        rows = [
            (translated(section.title), translated(line.name), line.value, _words(line.formula))
            for section in self.found.sections
            for line in section.lines
        ]
        rows += [
            (self.lifts_title.text(), translated(lift.change), f"{lift.latency_us:.3f} µs", f"-{lift.gain_us:.3f} µs")
            for lift in self.found.lifts
        ]
        return Table(("section", "name", "value", "formula"), rows)

    # -- drawing ----------------------------------------------------------------------------------------------------

    def refresh(self, changes: frozenset[What]) -> None:
        """Ask for the breakdown of the current kernel, unless it is on show."""
        network, kernel = self.session.network, self._kernel()
        if network is None or kernel is None:
            self._show_empty(network is None)
            return
        plan, device = self.shown.plan, self.session.device
        wanted = (network, kernel.index, plan, device)
        if self._asked and all(now is old or now == old for now, old in zip(wanted, self._asked, strict=True)):
            return
        self._asked = wanted

        def take_apart(_: object) -> Breakdown:
            from engine.npu.breakdown import breakdown

            return breakdown(network, plan, device, kernel)

        self._job = self.session.jobs.submit(
            say("Taking a kernel's cost apart"),
            take_apart,
            lane="query",
            supersede="breakdown",
            on_done=lambda found: self._take(kernel, found, wanted),
        )

    def _kernel(self) -> Kernel | None:
        """The current kernel, else the one that takes longest."""
        network, simulation = self.session.network, self.shown.figures.simulation
        if network is None:
            return None
        current = next((k for k in network.kernels if k.id == self.session.current), None)
        if current is not None or simulation is None or not simulation.kernels:
            return current
        longest = max(simulation.kernels, key=lambda cost: cost.latency_us).kernel
        return next((k for k in network.kernels if k.id == longest), None)

    def _take(self, kernel: Kernel, found: Breakdown, wanted: tuple[object, ...]) -> None:
        if not self.listening or wanted is not self._asked:
            return
        self.found = found
        cost = found.cost
        network = self.session.network
        self.name.setText(names_of(network).of(kernel.name) if network is not None else kernel.name)
        self.name.setToolTip(kernel.name)
        self.bound.setText(
            self.tr("#{index}, {latency}, bound by {bound}").format(
                index=kernel.index, latency=form.latency_us(cost.latency_us), bound=bound_word(cost.bound)
            )
        )
        self.why.setText(translated(cost.why))
        self.lifts_title.setVisible(bool(found.lifts))
        self.lifts.show_lifts([(translated(lift.change), lift.latency_us) for lift in found.lifts], cost.latency_us)
        while len(self._sections) < len(found.sections):
            box = SectionBox()
            self._sections.append(box)
            self._column.addWidget(box)
        for number, box in enumerate(self._sections):
            there = number < len(found.sections)
            box.setVisible(there)
            if there:
                section = found.sections[number]
                lines = [(translated(line.name), line.value, _words(line.formula)) for line in section.lines]
                box.show_section(translated(section.title), lines)
        self._pages.setCurrentIndex(0)

    def _show_empty(self, no_model: bool) -> None:
        self.found, self._asked = None, ()
        words = (
            self.tr("Open a model to see what its kernels cost and why.")
            if no_model
            else self.tr("The device is being simulated.")
        )
        self.empty.set_texts(words, self.tr("Open a model…") if no_model else "")
        self._pages.setCurrentIndex(1)


def _words(formula: object) -> str:
    return formula if isinstance(formula, str) else translated(formula)  # type: ignore[arg-type]
