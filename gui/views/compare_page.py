"""The page of Compare: maps, channels, histogram, scatter and figures of one comparison, laid out and worded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from engine.graph.types import Array
from engine.numerics.comparison import Comparison
from engine.numerics.saturation import flat_ends, known_ends
from gui import format as fmt
from gui.accessible import say_changed
from gui.plots.chart import Chart
from gui.plots.export import Drawing, Exporter
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.compare_bar import CompareBar
from gui.views.compare_charts import ChannelChart, HistogramChart
from gui.views.compare_data import channel_table, histogram_table, pair_table, picture_table
from gui.views.compare_lines import LinesChart
from gui.views.compare_maps import DifferenceMaps
from gui.views.compare_scatter import ScatterChart
from gui.views.compare_section import Section
from gui.views.compare_statistics import StatisticsSheet
from gui.widgets.gaps import GapSplitter, Ground
from gui.widgets.icon_button import IconButton
from gui.widgets.scrolling import scrolling
from gui.widgets.segmented import SegmentedControl
from gui.widgets.themed import label

translate = QCoreApplication.translate
MakeTable = Callable[[Comparison], Table]


def parts_of(theme: Theme) -> Iterator[QWidget]:
    """The parts of a page, one by one: together they take long enough to be missed by whoever types meanwhile."""
    yield CompareBar()
    kinds: tuple[Callable[[Theme], QWidget], ...] = (
        DifferenceMaps, ChannelChart, LinesChart, HistogramChart, ScatterChart, StatisticsSheet,
    )  # fmt: skip
    for kind in kinds:
        yield kind(theme)


class ComparePage(Ground):
    """Shows a comparison, one channel of it at a time."""

    channel_chosen = Signal(int)

    def __init__(self, theme: Theme, parts: Sequence[QWidget] = ()) -> None:
        """Make the page.

        Args:
            theme: Colours.
            parts: What `parts_of` gives, if that was made beforehand.
        """
        super().__init__()
        self.found: Comparison | None = None
        self.scales: Array | None = None
        """Scale of each group, of a quantized weight."""
        self.channel = 0
        self.notice = label("", "caption")
        """What speaks against trusting the comparison; takes no room without."""
        self.notice.setContentsMargins(14, 0, 14, 0)
        self.notice.setWordWrap(True)
        self.notice.hide()
        self._take(parts or tuple(parts_of(theme)))
        self.kind = SegmentedControl((("maps", ""), ("relative", ""), ("lines", "")), "maps")
        self.scale = SegmentedControl((("log", ""), ("linear", "")), "log")
        self.metrics = SegmentedControl((("own", ""), ("ascend", "")), "own")
        self.before, self.after = IconButton("chevron-left", token="muted"), IconButton("chevron-right", token="muted")
        self._lay_out()
        self._connect()
        self.retranslate()

    def _take(self, parts: Sequence[Any]) -> None:
        self.bar: CompareBar
        self.maps: DifferenceMaps
        self.channels: ChannelChart
        self.lines: LinesChart
        self.histogram: HistogramChart
        self.scatter: ScatterChart
        self.statistics: StatisticsSheet
        self.bar, self.maps, self.channels, self.lines, self.histogram, self.scatter, self.statistics = parts

    def _lay_out(self) -> None:
        self.pictures = QStackedWidget()
        self.pictures.addWidget(self.maps)
        self.pictures.addWidget(self.lines)
        self.sections = {
            "maps": Section(self.pictures, (self.kind, self.before, self.after)),
            "channels": Section(self.channels),
            "histogram": Section(self.histogram, (self.scale,)),
            "scatter": Section(self.scatter),
            "statistics": Section(scrolling(self.statistics, by_key=True), (self.metrics,)),
        }
        low = GapSplitter(Qt.Orientation.Horizontal, self.sections["histogram"], self.sections["scatter"])
        middle = GapSplitter(Qt.Orientation.Vertical, self.sections["maps"], self.sections["channels"], low)
        middle.setSizes([340, 132, 230])
        whole = GapSplitter(Qt.Orientation.Horizontal, middle, self.sections["statistics"])
        whole.setSizes([780, 280])
        whole.setStretchFactor(0, 1)
        whole.setStretchFactor(1, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addWidget(self.bar)
        column.addWidget(self.notice)
        column.addWidget(whole, 1)
        self._make_exporters()

    def _make_exporters(self) -> None:
        tables: dict[str, tuple[Drawing | None, MakeTable]] = {
            "maps": (self.maps, lambda f: picture_table(f, self.channel)),
            "channels": (self.channels, channel_table),
            "histogram": (self.histogram, lambda f: histogram_table(f, self.channel)),
            "scatter": (self.scatter, lambda f: pair_table(f, self.channel)),
            "statistics": (None, lambda f: self._figures_table()),
        }
        for key, (drawing, make) in tables.items():
            section = self.sections[key]
            section.table = partial(self.table_of, make)
            section.exporter = Exporter(self, drawing, section.table, section.heading.text, twin=section)

    def _connect(self) -> None:
        self.before.clicked.connect(lambda: self.channel_chosen.emit(self.channel - 1))
        self.after.clicked.connect(lambda: self.channel_chosen.emit(self.channel + 1))
        self.channels.channel_chosen.connect(self.channel_chosen)
        self.statistics.channel_chosen.connect(self.channel_chosen)
        self.maps.column_clicked.connect(self._on_column)
        self.kind.chosen.connect(lambda _: self.show_channel())
        self.scale.chosen.connect(lambda _: self.show_channel())
        for chart, key in self.charts():
            chart.speaker = partial(getattr, self.sections[key], "whole_note")
            chart.menu_wanted.connect(lambda at, c=chart, k=key: self.sections[k].popup(c.mapToGlobal(at.toPoint())))

    def charts(self) -> list[tuple[Chart, str]]:
        """Every chart and the section that it lies in."""
        plain: list[tuple[Chart, str]] = [
            (self.channels, "channels"),
            (self.histogram, "histogram"),
            (self.scatter, "scatter"),
            (self.lines, "maps"),
        ]
        return plain + [(chart, "maps") for chart in self.maps.charts]

    # -- words and colours ------------------------------------------------------------------------------------------

    def retranslate(self) -> None:
        """The language has changed."""
        self.bar.retranslate()
        more = translate("CompareView", "Copy and export")
        titles = {
            "maps": translate("CompareView", "Difference map"),
            "channels": translate("CompareView", "Channels"),
            "histogram": translate("CompareView", "Histogram"),
            "scatter": translate("CompareView", "Scatter"),
            "statistics": translate("CompareView", "Statistics"),
        }
        for key, title in titles.items():
            self.sections[key].set_texts(title, more)
        self.before.set_tip(translate("CompareView", "Previous channel (←)"))
        self.after.set_tip(translate("CompareView", "Next channel (→)"))
        self.statistics.headings = (
            translate("CompareView", "Error of B against A"),
            translate("CompareView", "limit"),
            translate("CompareView", "Values"),
            translate("CompareView", "Worst channels"),
            translate("CompareView", "relative L2"),
        )
        self.statistics.setAccessibleName(translate("CompareView", "Worst channels"))
        self.statistics.range_word = translate("CompareView", "range")
        self.statistics.element_words = (
            translate("CompareView", "Worst elements"),
            translate("CompareView", "A → B"),
        )
        self.kind.setAccessibleName(translate("CompareView", "How the values are shown"))
        self.scale.set_choices(
            (("log", translate("CompareView", "Log")), ("linear", translate("CompareView", "Linear")))
        )
        self.metrics.set_choices((("own", "Mixbit"), ("ascend", "Ascend")))
        self.metrics.setToolTip(
            translate("CompareView", "Figures of Mixbit, or the ten of Ascend's comparison tool (msaccucmp)")
        )
        self.metrics.setAccessibleName(translate("CompareView", "Figures"))
        self.scale.setAccessibleName(translate("CompareView", "Scale of the counts"))
        self._name_pictures()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        for part in (self.maps, self.lines, self.channels, self.histogram, self.scatter, self.statistics):
            part.apply_theme(theme)

    # -- showing ----------------------------------------------------------------------------------------------------

    def table_of(self, make: MakeTable) -> Table:
        """A table of the comparison on show; empty without one."""
        return make(self.found) if self.found is not None else Table((), ())

    def show_channels(self) -> None:
        """The errors of all channels."""
        found = self.found
        assert found is not None
        self.channels.show_channels(
            found.relative_l2, translate("CompareView", "Relative error by channel, L2"), found.dead_channels
        )
        words = fmt.integer(found.channels)
        if len(found.dead_channels):
            words += " · " + translate("CompareView", "%n dead in B", "", len(found.dead_channels))
        self.sections["channels"].set_note(words)
        if found.layout == "matrix":
            self.maps.show_pictures(*found.pictures(0), square=False)

    def show_channel(self) -> None:
        """The channel that is chosen."""
        found = self.found
        if found is None:
            return
        self._show_kind()
        here = translate("CompareView", "channel {number} (of 0–{last})")
        here = here.format(number=self.channel, last=found.channels - 1)
        if found.layout == "maps":
            self.maps.show_pictures(*found.pictures(self.channel), square=True)
            self.maps.mark_column(None)
        else:
            wide = found.pictures(0)[0].shape[1]
            self.maps.mark_column((self.channel + 0.5) * wide / found.channels)
            here = translate("CompareView", "rows × channels, {where}").format(where=here)
        self.sections["maps"].set_note(here)
        error = fmt.percent(float(found.relative_l2[self.channel]))
        name = translate("CompareView", "channel {number}").format(number=self.channel)
        self.channels.choose(self.channel, f"{name}   {error}")
        if found.few:
            name = translate("CompareView", "all channels")
        self._show_values(found, name)
        self.fill_twins()

    def fill_twins(self) -> None:
        """Bring the tables that stand instead of pictures up to date, and tell screen readers of another channel."""
        for section in self.sections.values():
            section.fill_twin()
        for chart, _ in self.charts():
            say_changed(chart)

    def section_in_use(self) -> Section:
        """The section that has the keys; the one of the maps where none has."""
        used = (s for s in self.sections.values() if any(part.hasFocus() for part in s.findChildren(QWidget)))
        return next(used, self.sections["maps"])

    def _show_values(self, found: Comparison, name: str) -> None:
        """Histogram, scatter and lines of the channel on show."""
        a, b = found.sampled(self.channel)
        histogram = found.histogram(self.channel)
        words = translate("CompareView", "%n distinct value(s) in B", "", histogram.levels)
        log = self.scale.current == "log"
        self.sections["histogram"].set_note(f"{name} · {words}")
        title = translate("CompareView", "Count by value, log") if log else translate("CompareView", "Count by value")
        self.histogram.show_histogram(histogram, b, title, ("A", "B"), words, levels=found.levels, log=log)
        self._show_scatter(found, a, b, name)
        total = found.reference.size if found.few else found.reference.size // max(1, found.channels)
        title = translate("CompareView", "Values by position, {channel}").format(channel=name)
        self.lines.show_lines(a, b, total, title, ("A", "B", "B − A"))

    def _show_scatter(self, found: Comparison, a: Array, b: Array, name: str) -> None:
        """B by A, with what saturates: beyond known levels, or beyond ends that the values themselves show."""
        self.sections["scatter"].set_note(translate("CompareView", "%n value(s)", "", len(a)))
        ends = known_ends(a, found.levels) if found.levels is not None else flat_ends(a, b)
        words = ""
        if ends is not None and ends.share:
            words = translate("CompareView", "{share} saturate").format(share=fmt.percent(ends.share))
        title = translate("CompareView", "B by A, {channel}").format(channel=name)
        self.scatter.show_pairs(a, b, title, ends=None if ends is None else (ends.low, ends.high), words=words)

    def _show_kind(self) -> None:
        """Pictures or lines, and what the third picture is."""
        self.pictures.setCurrentWidget(self.lines if self.kind.current == "lines" else self.maps)
        if self.scales is not None and self.kind.current == "relative":
            self.maps.show_scales(self.scales.T)
        else:
            self.maps.show_relative(self.kind.current == "relative")
        self._name_pictures()

    def _name_pictures(self) -> None:
        scaled = self.scales is not None
        third = translate("CompareView", "B − A difference")
        if self.kind.current == "relative":
            relative = translate("CompareView", "(B − A) / |A| relative")
            third = translate("CompareView", "scale of each group") if scaled else relative
        names = (
            translate("CompareView", "Map of A"),
            translate("CompareView", "Map of B"),
            translate("CompareView", "Map of the difference"),
        )
        units = translate("CompareView", "pixel"), translate("CompareView", "difference")
        self.maps.set_titles(("A", "B", third), names, units)
        second = translate("CompareView", "Scales") if scaled else translate("CompareView", "Relative")
        self.kind.set_choices(
            (
                ("maps", translate("CompareView", "Difference")),
                ("relative", second),
                ("lines", translate("CompareView", "Lines")),
            )
        )

    def _figures_table(self) -> Table:
        sheet = self.statistics.sheet
        figures = (*sheet.errors, *sheet.values) if sheet is not None else ()
        return Table(("figure", "first", "second"), [(f.label, f.value, f.second) for f in figures])

    def _on_column(self, column: int) -> None:
        if self.found is not None and self.found.layout == "matrix":
            wide = self.found.pictures(0)[0].shape[1]
            self.channel_chosen.emit(column * self.found.channels // wide)
