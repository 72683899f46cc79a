"""Compare: the output or the weight of one kernel from two sources side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from engine.numerics.comparison import Comparison
from engine.numerics.npu_metrics import NpuErrors
from engine.precision.scheme import family
from engine.precision.scheme import label as scheme_label
from engine.session.changes import Change, What
from engine.session.comparing import ON_DEVICE, Source
from engine.session.state import Captured
from gui import format as fmt
from gui.i18n import text
from gui.plots.table import Table
from gui.plots.view import PlotView
from gui.theme import Theme
from gui.views.compare_data import Comparer, channel_axis, channel_table, worst_channels
from gui.views.compare_figures import error_figures, npu_figures, value_figures, worst_elements
from gui.views.compare_page import ComparePage, parts_of
from gui.views.compare_sources import SourceMenu, match_words, source_words
from gui.views.compare_statistics import Sheet

if TYPE_CHECKING:
    from engine.session import Session


class CompareView(PlotView):
    """Maps, channels, histogram, scatter and figures; J and K change the kernel, left and right the channel.

    E goes to where the error starts: the first kernel whose accumulated error misses the required SQNR.
    """

    HAS_TWIN = False
    """Its parts have one each."""
    MARKS_BEHIND = False
    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.CAPTURE, What.SELECTION, What.PLAN, What.EVALUATION, What.DATA, What.LOG, What.DEVICE}
    )

    make_parts: ClassVar[Callable[[Theme], Iterator[QWidget]]] = staticmethod(parts_of)

    def __init__(
        self, session: Session, theme: Theme, parent: QWidget | None = None, *, parts: Sequence[QWidget] = ()
    ) -> None:
        super().__init__(session, theme, parent)
        self.captured: Captured | None = None
        """What was captured last."""
        self.pictured: Captured | None = None
        """What every picture is of: the one captured last, or the one before while it is compared."""
        self.sample = 0
        self._asked: tuple[object, ...] = ()
        self._captured_sides: tuple[object, ...] = ()
        self._pictured_sides: tuple[object, ...] = ()
        """The sources of what was captured last, and of what is on show."""
        self._failed = ""
        self.npu: NpuErrors | None = None
        self.comparer = Comparer(session, self._on_compared)
        self.menus = SourceMenu(session, self)
        self.page = ComparePage(theme, parts)
        self.set_page(self.page)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        page, bar = self.page, self.page.bar
        page.channel_chosen.connect(self.choose)
        page.metrics.chosen.connect(self._choose_metrics)
        bar.sample_chosen.connect(self._on_sample)
        bar.swap.clicked.connect(self.session.comparing.swap)
        bar.what.chosen.connect(lambda key: self.session.comparing.choose(weights=key == "weights"))
        bar.open_dump.clicked.connect(lambda: self.menus.ask(bar.open_dump))
        bar.matches.clicked.connect(self.menus.names_of_shown)
        bar.a.clicked.connect(lambda: self._choose_source("a"))
        bar.b.clicked.connect(lambda: self._choose_source("b"))
        bar.kernel_stepped.connect(self.step_kernel)
        for chart, _ in page.charts():
            chart.key_pressed.connect(self.keyPressEvent)

    @property
    def found(self) -> Comparison | None:
        """The comparison on show."""
        return self.page.found

    @property
    def channel(self) -> int:
        """The channel on show; -1 until the first comparison of other values has arrived."""
        return self.page.channel

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Compare")

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.page.retranslate()
        if self.page.found is not None and self.channel >= 0:
            self.page.show_channels()
            self.page.show_channel()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        self.page.apply_theme(theme)

    def dispose(self) -> None:
        """Stop listening and asking."""
        self.comparer.stop()
        super().dispose()

    @property
    def as_table(self) -> bool:
        """Whether the part in use stands there as a table."""
        return self.page.section_in_use().as_table

    def toggle_table(self) -> None:
        """Show the part in use as a table, or as a picture again."""
        self.page.section_in_use().toggle_table()

    def table(self) -> Table:
        """One row per channel."""
        return self.page.table_of(channel_table)

    # -- what is on show --------------------------------------------------------------------------------------------

    def changed_by_other(self, change: Change) -> None:
        """A new model has new values; an error may be the answer to our question."""
        if change.what is What.MODEL:
            self.page.found = self.captured = self.pictured = None
            self._asked, self.sample, self._failed = (), 0, ""
        elif change.what is What.LOG and self._waiting and self.session.last_error is not None:
            self._failed = text(self.session.last_error)

    def draw(self) -> None:
        """Ask for what is missing, show what is there."""
        session = self.session
        network = session.network
        if network is None:
            self.show_no_model(self.tr("Open a model to compare what its kernels compute."))
            return
        if session.current is None or not session.selection:
            self.set_subtitle("")
            self.show_empty(self.tr("Select a kernel to compare its values."), self.tr("Select the worst kernel"))
            return
        self._ask()
        samples = session.data.evaluation_samples if session.data is not None else 0
        self.page.bar.set_sample(self.sample, samples)
        comparing = session.comparing
        plan = self.pictured.plan if self.pictured is not None else session.plan
        kernel = self.pictured.kernel if self.pictured is not None else session.current
        self.page.bar.a.set_texts(*source_words(session, comparing.a, plan, kernel))
        self.page.bar.b.set_texts(*source_words(session, comparing.b, plan, kernel))
        self.page.bar.what.set_current("weights" if comparing.weights else "outputs")
        self.page.bar.set_matches(*match_words(session))
        if self._waiting and self._failed:
            self.set_subtitle(self._name())
            self.show_empty(self._failed)
            return
        if self.found is None:
            self.set_subtitle(self._name())
            self.show_empty(self.tr("The values of this kernel are being read."))
            return
        self.show_page()
        self.page.bar.state.setText(self._state_words())
        self._show_notice()
        self._show_sheet()

    def draw_selection(self) -> None:
        """Another kernel may be current."""
        self.draw()

    def on_empty_clicked(self) -> None:
        """Select the kernel with the lowest accumulated SQNR."""
        evaluation, network = self.session.figures.evaluation, self.session.network
        if network is None:
            return
        known = evaluation.accumulated if evaluation is not None else {}
        worst = min(known, key=lambda i: known[i].sqnr_db) if known else network.kernels[0].id
        self.session.select((worst,), worst, who=self.who)

    def choose(self, channel: int) -> None:
        """Show another channel."""
        found = self.found
        if found is None or not found.channels:
            return
        self.page.channel = min(max(channel, 0), found.channels - 1)
        self.page.show_channel()
        self._show_sheet()

    def step_kernel(self, by: int) -> None:
        """Go to the next or previous kernel that has values."""
        network = self.session.network
        if network is None or not network.kernels:
            return
        ids = [kernel.id for kernel in network.kernels]
        here = ids.index(self.session.current) if self.session.current in ids else -1
        chosen = ids[min(max(here + by, 0), len(ids) - 1)]
        self.session.select((chosen,), chosen, who=self.who)

    def go_to_start_of_error(self) -> None:
        """Select the first kernel whose accumulated error misses the required SQNR."""
        evaluation, network = self.session.figures.evaluation, self.session.network
        limit = self.session.budgets.min_sqnr_db
        if evaluation is None or network is None or limit is None:
            return
        for kernel in network.kernels:
            sums = evaluation.accumulated.get(kernel.id)
            if sums is not None and sums.sqnr_db < limit:
                self.session.select((kernel.id,), kernel.id, who=self.who)
                self.draw()
                return
        self.page.bar.state.setText(self.tr("No kernel misses {limit}.").format(limit=fmt.sqnr(limit)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """J, K, E, left and right."""
        keys = Qt.Key
        actions: dict[Qt.Key, Callable[[], None]] = {
            keys.Key_J: lambda: self.step_kernel(1),
            keys.Key_K: lambda: self.step_kernel(-1),
            keys.Key_E: self.go_to_start_of_error,
            keys.Key_Left: lambda: self.choose(self.channel - 1),
            keys.Key_Right: lambda: self.choose(self.channel + 1),
        }
        action = actions.get(keys(event.key()))
        if action is None or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        action()
        event.accept()

    # -- asking -----------------------------------------------------------------------------------------------------

    @property
    def _waiting(self) -> bool:
        """Whether what is shown is not what is wanted."""
        shown = self.pictured
        wanted = (self.session.current, self.sample)
        if shown is None or (shown.kernel, shown.sample) != wanted or shown.plan != self.session.plan:
            return True
        return self._pictured_sides != self._sides()

    def _sides(self) -> tuple[object, ...]:
        """What is compared: both sources, outputs or weights, and how the names of dumps are matched."""
        comparing = self.session.comparing
        tables = tuple(comparing.dumps.get(source.name) for source in (comparing.a, comparing.b))
        return (comparing.a, comparing.b, comparing.weights, tables)

    def _ask(self) -> None:
        """Capture the current kernel if that has not been asked for; compare what has been captured."""
        session = self.session
        # What runs as the device runs it is another kernel on another family of devices.
        family = session.device.operators if ON_DEVICE in (session.comparing.a, session.comparing.b) else ""
        wanted = (session.current, self.sample, session.plan, session.data, self._sides(), family)
        if wanted != self._asked and session.current is not None:
            self._asked, self._failed = wanted, ""
            session.capture(session.current, self.sample)
        captured = session.captured
        if captured is not None and captured is not self.captured and session.network is not None:
            before = self.captured
            fresh = before is None or (captured.kernel, captured.tensor) != (before.kernel, before.tensor)
            self.captured, self._captured_sides = captured, self._sides()
            if fresh:
                self.page.channel = -1
            kernel = session.network.by_id(captured.kernel)
            axis = channel_axis(kernel, captured.reference.ndim) if captured.axis is None else captured.axis
            self.comparer.ask(captured, axis, ascend=self.page.metrics.current == "ascend")

    def _choose_metrics(self, key: str) -> None:
        """Other figures on the sheet; those of the Ascend tool are computed when they are first wanted."""
        network, captured = self.session.network, self.captured
        if key == "ascend" and self.npu is None and network is not None and captured is not None:
            kernel = network.by_id(captured.kernel)
            axis = channel_axis(kernel, captured.reference.ndim) if captured.axis is None else captured.axis
            self.comparer.ask(captured, axis, ascend=True)
        self._show_sheet()

    def _on_compared(self, captured: Captured, found: Comparison, npu: NpuErrors | None = None) -> None:
        if captured is not self.captured:
            return
        self.npu = npu
        self.page.found, self.page.scales = found, captured.scales
        self.pictured, self._pictured_sides = captured, self._captured_sides
        if not 0 <= self.channel < found.channels:
            self.page.channel = found.worst
        self.page.show_channels()
        self.page.show_channel()
        self.draw()

    def _on_sample(self, sample: int) -> None:
        self.sample = sample
        self.draw()

    # -- showing ----------------------------------------------------------------------------------------------------

    def _show_sheet(self) -> None:
        found, captured, network = self.found, self.pictured, self.session.network
        if found is None or captured is None or network is None:
            return
        kernel = network.by_id(captured.kernel)
        scheme = captured.plan.scheme(kernel.id)
        badge = (family(scheme), scheme_label(scheme)) if kernel.tunable else None
        shape = fmt.dims(captured.reference.shape)
        own = self.page.metrics.current == "own"
        self.page.statistics.show_sheet(
            Sheet(
                kernel.name,
                badge,
                f"{captured.tensor} · {shape}",
                error_figures(captured, found, self._limit()) if own or self.npu is None else npu_figures(self.npu),
                value_figures(found),
                worst_channels(found),
                self.channel,
                worst_elements(found),
            )
        )
        self.page.sections["statistics"].fill_twin()
        self.page.sections["statistics"].set_note(self.tr("this sample"))
        self.set_subtitle(f"{kernel.name} · {shape}")

    def _name(self) -> str:
        network, current = self.session.network, self.session.current
        return network.by_id(current).name if network is not None and current is not None else ""

    def _limit(self) -> float | None:
        """The required SQNR is one of outputs."""
        return None if self.session.comparing.weights else self.session.budgets.min_sqnr_db

    def _state_words(self) -> str:
        waiting = self._waiting and not self._failed
        return self.tr("reading {kernel}…").format(kernel=self._name()) if waiting else ""

    def _show_notice(self) -> None:
        notes = self.pictured.notes if self.pictured is not None else ()
        words = self._failed if self._waiting and self._failed else " ".join(text(note) for note in notes)
        self.page.notice.setText(words)
        self.page.notice.setVisible(bool(words))

    def _choose_source(self, side: str) -> None:
        comparing = self.session.comparing
        button, chosen = (self.page.bar.a, comparing.a) if side == "a" else (self.page.bar.b, comparing.b)

        def choose(source: Source) -> None:
            if side == "a":
                comparing.choose(a=source)
            else:
                comparing.choose(b=source)

        menu = self.menus.menu(chosen, choose)
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
