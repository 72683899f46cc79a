"""Compare: the output of one kernel, as the reference has it and as the plan makes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from engine.numerics.comparison import Comparison
from engine.precision.plan import Plan
from engine.precision.scheme import family, label
from engine.session.changes import Change, What
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
from gui.views.compare_figures import error_figures, value_figures
from gui.views.compare_maps import DifferenceMaps
from gui.views.compare_scatter import ScatterChart
from gui.views.compare_section import Section
from gui.views.compare_statistics import Sheet, StatisticsSheet
from gui.widgets.gaps import GapSplitter, Ground
from gui.widgets.icon_button import IconButton

if TYPE_CHECKING:
    from engine.session import Session


MakeTable = Callable[[Comparison], Table]


class CompareView(PlotView):
    """Maps, channels, histogram, scatter and figures; J and K change the kernel, left and right the channel."""

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
        self._failed = ""
        self.comparer = Comparer(session, self._on_compared)
        self.bar = CompareBar()
        self.maps, self.channels = DifferenceMaps(theme), ChannelChart(theme)
        self.histogram, self.scatter = HistogramChart(theme), ScatterChart(theme)
        self.statistics = StatisticsSheet(theme)
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
        self.sections = {
            "maps": Section(self.maps, (self.before, self.after)),
            "channels": Section(self.channels),
            "histogram": Section(self.histogram),
            "scatter": Section(self.scatter),
            "statistics": Section(scroll),
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
        self.bar.kernel_stepped.connect(self.step_kernel)
        self._menu_on(self.channels, "channels")
        self._menu_on(self.histogram, "histogram")
        self._menu_on(self.scatter, "scatter")
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
        self.maps.set_titles(
            (self.tr("A reference"), self.tr("B plan"), self.tr("B − A difference")),
            (self.tr("Map of the reference"), self.tr("Map of the plan"), self.tr("Map of the difference")),
            (self.tr("pixel"), self.tr("difference")),
        )
        self.statistics.headings = (
            self.tr("Error of B against A"),
            self.tr("limit"),
            self.tr("Values"),
            self.tr("Worst channels"),
            self.tr("relative L2"),
        )
        self.statistics.range_word = self.tr("range")
        if self.found is not None and self.channel >= 0:
            self._show_channels()
            self._show_channel()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        for part in (self.maps, self.channels, self.histogram, self.scatter, self.statistics):
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
        self.bar.a.set_texts(self.tr("Reference"), self.tr("ONNX Runtime, FP32"))
        plan = self.pictured.plan if self.pictured is not None else session.plan
        name = plan.name
        self.bar.b.set_texts(
            self.tr("Plan {name}").format(name=name) if name else self.tr("Plan"), self._scheme_words(plan)
        )
        if self._waiting and self._failed:
            self.set_subtitle(self._name())
            self.show_empty(self._failed)
            return
        if self.found is None:
            self.set_subtitle(self._name())
            self.show_empty(self.tr("The values of this kernel are being read."))
            return
        self.show_page()
        self.bar.state.setText(self.tr("reading {kernel}…").format(kernel=self._name()) if self._waiting else "")
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """J, K, left and right."""
        keys = Qt.Key
        actions = {
            keys.Key_J: lambda: self.step_kernel(1),
            keys.Key_K: lambda: self.step_kernel(-1),
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
        return shown is None or (shown.kernel, shown.sample) != wanted or shown.plan != self.session.plan

    def _ask(self) -> None:
        """Capture the current kernel if that has not been asked for; compare what has been captured."""
        session = self.session
        wanted = (session.current, self.sample, session.plan, session.data)
        if wanted != self._asked and session.current is not None:
            self._asked, self._failed = wanted, ""
            session.capture(session.current, self.sample)
        captured = session.captured
        if captured is not None and captured is not self.captured and session.network is not None:
            fresh = self.captured is None or captured.kernel != self.captured.kernel
            self.captured = captured
            if fresh:
                self.channel = -1
            kernel = session.network.by_id(captured.kernel)
            self.comparer.ask(captured, channel_axis(kernel, captured.reference.ndim))

    def _on_compared(self, captured: Captured, found: Comparison) -> None:
        if captured is not self.captured:
            return
        self.found, self.pictured = found, captured
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
        assert found is not None
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
        a, b = found.values(self.channel)
        histogram = found.histogram(self.channel)
        levels = self.tr("%n distinct value(s) in B", "", histogram.levels)
        if found.few:
            name = self.tr("all channels")
        self.sections["histogram"].note.setText(f"{name} · {levels}")
        self.histogram.show_histogram(histogram, b, self.tr("Count by value, log"), ("A", "B"), levels)
        self.sections["scatter"].note.setText(self.tr("%n value(s)", "", len(a)))
        self.scatter.show_pairs(a, b, self.tr("B by A, {channel}").format(channel=name))

    def _show_sheet(self) -> None:
        found, captured, network = self.found, self.pictured, self.session.network
        if found is None or captured is None or network is None:
            return
        kernel = network.by_id(captured.kernel)
        scheme = captured.plan.scheme(kernel.id)
        badge = (family(scheme), label(scheme)) if kernel.tunable else None
        shape = fmt.dims(captured.reference.shape)
        self.statistics.show_sheet(
            Sheet(
                kernel.name,
                badge,
                f"{captured.tensor} · {shape}",
                error_figures(captured, found, self.session.budgets.min_sqnr_db),
                value_figures(found.of_reference, found.of_result),
                worst_channels(found),
                self.channel,
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

    def _scheme_words(self, plan: Plan) -> str:
        network = self.session.network
        current = self.pictured.kernel if self.pictured is not None else self.session.current
        if network is None or current is None or not network.by_id(current).tunable:
            return self.tr("preview")
        return self.tr("preview, this kernel {scheme}").format(scheme=label(plan.scheme(current)))
