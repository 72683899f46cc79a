"""Compare: the output or the weight of one kernel from two sources side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from engine.numerics.comparison import Comparison
from engine.numerics.npu_metrics import NpuErrors
from engine.precision.scheme import family
from engine.precision.scheme import label as scheme_label
from engine.session.changes import Change, What
from engine.session.comparing import Source
from engine.session.state import Captured
from gui import format as fmt
from gui.i18n import text
from gui.plots.chart import Chart
from gui.plots.export import Drawing, Exporter
from gui.plots.table import Table
from gui.plots.view import PlotView
from gui.theme import Theme
from gui.views.compare_bar import CompareBar
from gui.views.compare_charts import ChannelChart, HistogramChart
from gui.views.compare_data import (
    Comparer,
    channel_axis,
    channel_table,
    histogram_table,
    pair_table,
    picture_table,
    worst_channels,
)
from gui.views.compare_figures import error_figures, npu_figures, value_figures, worst_elements
from gui.views.compare_lines import LinesChart
from gui.views.compare_maps import DifferenceMaps
from gui.views.compare_scatter import ScatterChart
from gui.views.compare_section import Section
from gui.views.compare_sources import SourceMenu, match_words, source_words
from gui.views.compare_statistics import Sheet, StatisticsSheet
from gui.widgets.gaps import GapSplitter, Ground
from gui.widgets.icon_button import IconButton
from gui.widgets.segmented import SegmentedControl
from gui.widgets.themed import label

if TYPE_CHECKING:
    from engine.session import Session


MakeTable = Callable[[Comparison], Table]


class CompareView(PlotView):
    """Maps, channels, histogram, scatter and figures; J and K change the kernel, left and right the channel.

    E goes to where the error starts: the first kernel whose accumulated error misses the required SQNR.
    """

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.CAPTURE, What.SELECTION, What.PLAN, What.EVALUATION, What.DATA, What.LOG, What.DEVICE}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.found: Comparison | None = None
        self.captured: Captured | None = None
        """What was captured last."""
        self.pictured: Captured | None = None
        """What `found`, and so every picture, is of: the one captured last, or the one before while it is compared."""
        self.channel = 0
        self.sample = 0
        self._asked: tuple[object, ...] = ()
        self._captured_sides: tuple[object, ...] = ()
        self._pictured_sides: tuple[object, ...] = ()
        """The sources of what was captured last, and of what is on show."""
        self._failed = ""
        self.comparer = Comparer(session, self._on_compared)
        self.bar = CompareBar()
        self.menus = SourceMenu(session, self)
        self.notice = label("", "caption")
        """What speaks against trusting the comparison; takes no room without."""
        self.notice.setContentsMargins(14, 0, 14, 0)
        self.notice.setWordWrap(True)
        self.notice.hide()
        self.maps, self.channels, self.lines = DifferenceMaps(theme), ChannelChart(theme), LinesChart(theme)
        self.kind = SegmentedControl((("maps", ""), ("relative", ""), ("lines", "")), "maps")
        self.scale = SegmentedControl((("log", ""), ("linear", "")), "log")
        self.histogram, self.scatter = HistogramChart(theme), ScatterChart(theme)
        self.statistics = StatisticsSheet(theme)
        self.metrics = SegmentedControl((("own", ""), ("ascend", "")), "own")
        self.npu: NpuErrors | None = None
        self.before, self.after = IconButton("chevron-left", token="muted"), IconButton("chevron-right", token="muted")
        self._lay_out()
        self._connect()
        self.retranslate()

    def _lay_out(self) -> None:
        scroll = QScrollArea()
        scroll.setWidget(self.statistics)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.pictures = QStackedWidget()
        self.pictures.addWidget(self.maps)
        self.pictures.addWidget(self.lines)
        self.sections = {
            "maps": Section(self.pictures, (self.kind, self.before, self.after)),
            "channels": Section(self.channels),
            "histogram": Section(self.histogram, (self.scale,)),
            "scatter": Section(self.scatter),
            "statistics": Section(scroll, (self.metrics,)),
        }
        low = GapSplitter(Qt.Orientation.Horizontal, self.sections["histogram"], self.sections["scatter"])
        middle = GapSplitter(Qt.Orientation.Vertical, self.sections["maps"], self.sections["channels"], low)
        middle.setSizes([340, 132, 230])
        whole = GapSplitter(Qt.Orientation.Horizontal, middle, self.sections["statistics"])
        whole.setSizes([780, 280])
        whole.setStretchFactor(0, 1)
        whole.setStretchFactor(1, 0)
        page = Ground()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addWidget(self.bar)
        column.addWidget(self.notice)
        column.addWidget(whole, 1)
        self.set_page(page)
        tables: dict[str, tuple[Drawing | None, MakeTable]] = {
            "maps": (self.maps, lambda f: picture_table(f, self.channel)),
            "channels": (self.channels, channel_table),
            "histogram": (self.histogram, lambda f: histogram_table(f, self.channel)),
            "scatter": (self.scatter, lambda f: pair_table(f, self.channel)),
            "statistics": (None, lambda f: self._figures_table()),
        }
        for key, (drawing, table) in tables.items():
            section = self.sections[key]
            section.exporter = Exporter(self, drawing, partial(self._table_of, table), section.heading.text)

    def _connect(self) -> None:
        self.before.clicked.connect(lambda: self.choose(self.channel - 1))
        self.after.clicked.connect(lambda: self.choose(self.channel + 1))
        self.channels.channel_chosen.connect(self.choose)
        self.statistics.channel_chosen.connect(self.choose)
        self.maps.column_clicked.connect(self._on_column)
        self.bar.sample_chosen.connect(self._on_sample)
        self.bar.swap.clicked.connect(self.session.comparing.swap)
        self.bar.what.chosen.connect(lambda key: self.session.comparing.choose(weights=key == "weights"))
        self.bar.open_dump.clicked.connect(self.menus.open)
        self.bar.matches.clicked.connect(self.menus.names_of_shown)
        self.bar.a.clicked.connect(lambda: self._choose_source("a"))
        self.bar.b.clicked.connect(lambda: self._choose_source("b"))
        self.kind.chosen.connect(lambda _: self._show_channel())
        self.scale.chosen.connect(lambda _: self._show_channel())
        self.metrics.chosen.connect(self._choose_metrics)
        self.bar.kernel_stepped.connect(self.step_kernel)
        self._menu_on(self.channels, "channels")
        self._menu_on(self.histogram, "histogram")
        self._menu_on(self.scatter, "scatter")
        self._menu_on(self.lines, "maps")
        for chart in self.maps.charts:
            self._menu_on(chart, "maps")

    def _menu_on(self, chart: Chart, key: str) -> None:
        chart.menu_wanted.connect(lambda at: self.sections[key].popup(chart.mapToGlobal(at.toPoint())))
        chart.key_pressed.connect(self.keyPressEvent)

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Compare")

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.bar.retranslate()
        more = self.tr("Copy and export")
        titles = {
            "maps": self.tr("Difference map"),
            "channels": self.tr("Channels"),
            "histogram": self.tr("Histogram"),
            "scatter": self.tr("Scatter"),
            "statistics": self.tr("Statistics"),
        }
        for key, title in titles.items():
            self.sections[key].set_texts(title, more)
        self.before.set_tip(self.tr("Previous channel (←)"))
        self.after.set_tip(self.tr("Next channel (→)"))
        self.statistics.headings = (
            self.tr("Error of B against A"),
            self.tr("limit"),
            self.tr("Values"),
            self.tr("Worst channels"),
            self.tr("relative L2"),
        )
        self.statistics.setAccessibleName(self.tr("Worst channels"))
        self.statistics.range_word = self.tr("range")
        self.statistics.element_words = (self.tr("Worst elements"), self.tr("A → B"))
        self.kind.setAccessibleName(self.tr("How the values are shown"))
        self.scale.set_choices((("log", self.tr("Log")), ("linear", self.tr("Linear"))))
        self.metrics.set_choices((("own", "Mixbit"), ("ascend", "Ascend")))
        self.metrics.setToolTip(self.tr("Figures of Mixbit, or the ten of Ascend's comparison tool (msaccucmp)"))
        self.metrics.setAccessibleName(self.tr("Figures"))
        self.scale.setAccessibleName(self.tr("Scale of the counts"))
        self._name_pictures()
        if self.found is not None and self.channel >= 0:
            self._show_channels()
            self._show_channel()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        for part in (self.maps, self.lines, self.channels, self.histogram, self.scatter, self.statistics):
            part.apply_theme(theme)

    def dispose(self) -> None:
        """Stop listening and asking."""
        self.comparer.stop()
        super().dispose()

    def table(self) -> Table:
        """One row per channel."""
        return self._table_of(channel_table)

    # -- what is on show --------------------------------------------------------------------------------------------

    def changed_by_other(self, change: Change) -> None:
        """A new model has new values; an error may be the answer to our question."""
        if change.what is What.MODEL:
            self.found = self.captured = self.pictured = None
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
        self.bar.set_sample(self.sample, samples)
        comparing = session.comparing
        plan = self.pictured.plan if self.pictured is not None else session.plan
        kernel = self.pictured.kernel if self.pictured is not None else session.current
        self.bar.a.set_texts(*source_words(session, comparing.a, plan, kernel))
        self.bar.b.set_texts(*source_words(session, comparing.b, plan, kernel))
        self.bar.what.set_current("weights" if comparing.weights else "outputs")
        self.bar.set_matches(*match_words(session))
        if self._waiting and self._failed:
            self.set_subtitle(self._name())
            self.show_empty(self._failed)
            return
        if self.found is None:
            self.set_subtitle(self._name())
            self.show_empty(self.tr("The values of this kernel are being read."))
            return
        self.show_page()
        self.bar.state.setText(self._state_words())
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
        self.channel = min(max(channel, 0), found.channels - 1)
        self._show_channel()
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
        self.bar.state.setText(self.tr("No kernel misses {limit}.").format(limit=fmt.sqnr(limit)))

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
        wanted = (session.current, self.sample, session.plan, session.data, self._sides())
        if wanted != self._asked and session.current is not None:
            self._asked, self._failed = wanted, ""
            session.capture(session.current, self.sample)
        captured = session.captured
        if captured is not None and captured is not self.captured and session.network is not None:
            before = self.captured
            fresh = before is None or (captured.kernel, captured.tensor) != (before.kernel, before.tensor)
            self.captured, self._captured_sides = captured, self._sides()
            if fresh:
                self.channel = -1
            kernel = session.network.by_id(captured.kernel)
            axis = channel_axis(kernel, captured.reference.ndim) if captured.axis is None else captured.axis
            self.comparer.ask(captured, axis, ascend=self.metrics.current == "ascend")

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
        self.found, self.pictured, self._pictured_sides = found, captured, self._captured_sides
        if not 0 <= self.channel < found.channels:
            self.channel = found.worst
        self._show_channels()
        self._show_channel()
        self.draw()

    def _on_sample(self, sample: int) -> None:
        self.sample = sample
        self.draw()

    def _on_column(self, column: int) -> None:
        if self.found is not None and self.found.layout == "matrix":
            wide = self.found.pictures(0)[0].shape[1]
            self.choose(column * self.found.channels // wide)

    # -- showing ----------------------------------------------------------------------------------------------------

    def _show_channels(self) -> None:
        found = self.found
        assert found is not None
        self.channels.show_channels(found.relative_l2, self.tr("Relative error by channel, L2"))
        self.sections["channels"].note.setText(fmt.integer(found.channels))
        if found.layout == "matrix":
            self.maps.show_pictures(*found.pictures(0), square=False)

    def _show_channel(self) -> None:
        found = self.found
        if found is None:
            return
        self._show_kind()
        here = self.tr("channel {number} (of 0–{last})").format(number=self.channel, last=found.channels - 1)
        if found.layout == "maps":
            self.maps.show_pictures(*found.pictures(self.channel), square=True)
            self.maps.mark_column(None)
        else:
            wide = found.pictures(0)[0].shape[1]
            self.maps.mark_column((self.channel + 0.5) * wide / found.channels)
            here = self.tr("rows × channels, {where}").format(where=here)
        self.sections["maps"].note.setText(here)
        error = fmt.percent(float(found.relative_l2[self.channel]))
        name = self.tr("channel {number}").format(number=self.channel)
        self.channels.choose(self.channel, f"{name}   {error}")
        if found.few:
            name = self.tr("all channels")
        self._show_values(found, name)

    def _show_values(self, found: Comparison, name: str) -> None:
        """Histogram, scatter and lines of the channel on show."""
        a, b = found.sampled(self.channel)
        histogram = found.histogram(self.channel)
        words = self.tr("%n distinct value(s) in B", "", histogram.levels)
        log = self.scale.current == "log"
        self.sections["histogram"].note.setText(f"{name} · {words}")
        title = self.tr("Count by value, log") if log else self.tr("Count by value")
        self.histogram.show_histogram(histogram, b, title, ("A", "B"), words, levels=found.levels, log=log)
        self.sections["scatter"].note.setText(self.tr("%n value(s)", "", len(a)))
        ends, words = None, ""
        if found.levels is not None:
            half = found.levels.scale / 2  # so far beyond the ends nothing is lost
            ends = (found.levels.low - half, found.levels.high + half)
            beyond = float(((a < ends[0]) | (a > ends[1])).mean()) if len(a) else 0.0
            words = self.tr("{share} saturate").format(share=fmt.percent(beyond)) if beyond else ""
        self.scatter.show_pairs(a, b, self.tr("B by A, {channel}").format(channel=name), ends=ends, words=words)
        total = found.reference.size if found.few else found.reference.size // max(1, found.channels)
        title = self.tr("Values by position, {channel}").format(channel=name)
        self.lines.show_lines(a, b, total, title, ("A", "B", "B − A"))

    def _show_kind(self) -> None:
        """Pictures or lines, and what the third picture is."""
        scales = self.pictured.scales if self.pictured is not None else None
        self.pictures.setCurrentWidget(self.lines if self.kind.current == "lines" else self.maps)
        if scales is not None and self.kind.current == "relative":
            self.maps.show_scales(scales.T)
        else:
            self.maps.show_relative(self.kind.current == "relative")
        self._name_pictures()

    def _name_pictures(self) -> None:
        scaled = self.pictured is not None and self.pictured.scales is not None
        third = self.tr("B − A difference")
        if self.kind.current == "relative":
            third = self.tr("scale of each group") if scaled else self.tr("(B − A) / |A| relative")
        names = (self.tr("Map of A"), self.tr("Map of B"), self.tr("Map of the difference"))
        self.maps.set_titles(("A", "B", third), names, (self.tr("pixel"), self.tr("difference")))
        second = self.tr("Scales") if scaled else self.tr("Relative")
        self.kind.set_choices((("maps", self.tr("Difference")), ("relative", second), ("lines", self.tr("Lines"))))

    def _show_sheet(self) -> None:
        found, captured, network = self.found, self.pictured, self.session.network
        if found is None or captured is None or network is None:
            return
        kernel = network.by_id(captured.kernel)
        scheme = captured.plan.scheme(kernel.id)
        badge = (family(scheme), scheme_label(scheme)) if kernel.tunable else None
        shape = fmt.dims(captured.reference.shape)
        own = self.metrics.current == "own"
        self.statistics.show_sheet(
            Sheet(
                kernel.name,
                badge,
                f"{captured.tensor} · {shape}",
                error_figures(captured, found, self._limit()) if own or self.npu is None else npu_figures(self.npu),
                value_figures(found.of_reference, found.of_result),
                worst_channels(found),
                self.channel,
                worst_elements(found),
            )
        )
        self.sections["statistics"].note.setText(self.tr("this sample"))
        self.set_subtitle(f"{kernel.name} · {shape}")

    def _figures_table(self) -> Table:
        sheet = self.statistics.sheet
        figures = (*sheet.errors, *sheet.values) if sheet is not None else ()
        return Table(("figure", "first", "second"), [(f.label, f.value, f.second) for f in figures])

    def _table_of(self, make: MakeTable) -> Table:
        return make(self.found) if self.found is not None else Table((), ())

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
        self.notice.setText(words)
        self.notice.setVisible(bool(words))

    def _choose_source(self, side: str) -> None:
        comparing = self.session.comparing
        button, chosen = (self.bar.a, comparing.a) if side == "a" else (self.bar.b, comparing.b)

        def choose(source: Source) -> None:
            if side == "a":
                comparing.choose(a=source)
            else:
                comparing.choose(b=source)

        menu = self.menus.menu(chosen, choose)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
