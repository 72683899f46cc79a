"""Thermal: temperature, power, clock and latency over minutes of use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from engine.npu.results import Scenario
from engine.session.changes import What
from gui import format as fmt
from gui.i18n import text as translated
from gui.plots.axis import PlainAxis
from gui.plots.caption import Caption, Key
from gui.plots.chart import Hit
from gui.plots.curve_layers import Crosshair, Curve, CurveGrid, Curves, Limits, VerticalMark
from gui.plots.navigation import Span
from gui.plots.panel import Panel
from gui.plots.table import Table
from gui.plots.view import ChartView
from gui.theme import Theme
from gui.views.thermal_data import ThermalData, back_to_back, thermal_data, thermal_table
from gui.widgets.icon_button import IconButton
from gui.widgets.themed import label
from gui.widgets.tip_card import TipContent

if TYPE_CHECKING:
    from engine.session import Session

LEFT, AXIS = 34, 18
ROOM = 340
"""Px of all plots below which power and clock are no more than their line of words: first and last value."""


@dataclass(frozen=True, eq=False, slots=True)
class _Plot:
    caption: Caption
    panel: Panel
    curves: Curves
    mark: VerticalMark
    cross: Crosshair


class ThermalView(ChartView):
    """Four plots over one time axis: how warm it gets, what it draws, how the clock answers, what that costs."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.PLAN, What.SIMULATION, What.DEVICE})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.data: ThermalData | None = None
        self.span = Span(0.0, 1.0, 0.5)
        self._plots: list[_Plot] = []
        self._folded = False
        self.temperature, self.power, self.clock, self.latency = (self._plot(i) for i in range(4))
        self.trips = Limits(self.temperature.panel.box)
        self.temperature.panel.add(self.trips)
        last = self.latency.panel
        for plot in self._plots:
            plot.panel.add(CurveGrid(plot.panel, last))
        self.foot = Caption()
        self.chart.add_row(self.foot)
        self.chart.navigate(self.span, *(plot.panel for plot in self._plots))
        self.chart.hovered.connect(self._on_hover)
        self.chart.rested.connect(self._on_rest)
        self.chart.double_clicked.connect(lambda _: self.span.fit())
        self.chart.resized.connect(self._fold)
        self.settings = IconButton("settings", token="muted")
        self.settings.clicked.connect(lambda: self.command_wanted.emit("scenario"))
        self.retranslate()

    def set_page(self, page: QWidget) -> None:
        """Below the plots: what is left in the end, and what of the scenario could not be kept."""
        both = QWidget()
        column = QVBoxLayout(both)
        column.setContentsMargins(0, 0, 0, 6)
        column.setSpacing(2)
        column.addWidget(page, 1)
        self.kept, self.said = label(role="caption"), label(role="warn")
        for words in (self.kept, self.said):
            words.setWordWrap(True)
            words.setContentsMargins(12, 0, 12, 0)
            column.addWidget(words)
        super().set_page(both)

    def _fold(self) -> None:
        """Four plots that nobody can read say less than two that can be read."""
        short = self.chart.height() < ROOM
        if short == self._folded:
            return
        self._folded = short
        for plot in (self.power, self.clock):
            self.chart.show_panel(plot.panel, not short)
        if self.data is not None:
            self._mark(self.data)

    def _mark(self, data: ThermalData) -> None:
        """The first throttling in all plots, in words in one that is on show."""
        at = data.throttled_at
        words = self.tr("first throttle {time}").format(time=fmt.clock_time(data.run.throttled_at_s)) if at else ""
        told = self.temperature if self._folded else self.power
        for plot in self._plots:
            plot.mark.set(at, words if plot is told else "")

    def _plot(self, place: int) -> _Plot:
        caption = Caption(6 if place else 0)
        self.chart.add_row(caption)
        left = PlainAxis("left", gap=20 if place == 0 else 26, size=LEFT)
        bottom = PlainAxis("bottom", gap=44, size=AXIS) if place == 3 else None
        share = 11 if place == 0 else 4
        panel = self.chart.add_panel(Panel(left, bottom), stretch=share)
        panel.setPreferredHeight(8 * share + (AXIS if bottom is not None else 0))  # where there is little room for all
        plot = _Plot(caption, panel, Curves(panel.box), VerticalMark(panel.box), Crosshair(panel.box))
        panel.add(plot.curves, plot.mark, plot.cross)
        self._plots.append(plot)
        return plot

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Thermal")

    def header_widgets(self) -> list[QWidget]:
        """Scenario and more."""
        return [self.settings, self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.settings.set_tip(self.tr("Duration, run rate and ambient temperature"))

    # -- drawing ----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw the sustained use of the session's plan."""
        data = self.data = thermal_data(self.shown)
        if data is None:
            self.set_subtitle("")
            if self.session.network is None:
                self.show_no_model(self.tr("Open a model to see how warm the device gets."))
            else:
                self.show_empty(self.tr("Minutes of use are being simulated."))
            return
        self.show_page()
        self.span.set_limits(0.0, max(float(data.minutes[-1]), 1e-3), 0.25)
        self._draw_temperature(data)
        self._draw_others(data)
        self._mark(data)
        for plot in self._plots:
            plot.panel.redraw()
        self.foot.set("", (), self._scenario_words(data.run.scenario), plain=True)
        self.kept.setText(self._kept_words(data))
        self.said.setText(" ".join(translated(note) for note in data.run.notes))
        self.said.setVisible(bool(data.run.notes))

    def spoken(self) -> str:
        """What is left in the end, and when it throttles first."""
        at = self.data.run.throttled_at_s if self.data is not None else None
        throttle = self.tr("first throttle {time}").format(time=fmt.clock_time(at)) if at is not None else ""
        return "; ".join(part for part in (self.kept.text(), throttle) if part)

    def table(self) -> Table:
        """One row per sample of time."""
        return thermal_table(self.data) if self.data is not None else Table((), ())

    def fill_menu(self, menu: QMenu) -> None:
        """Zoom."""
        menu.addAction(self.tr("Show the whole time"), self.span.fit)
        menu.addSeparator()

    def _draw_temperature(self, data: ThermalData) -> None:
        run, t = data.run, data.minutes
        plot = self.temperature
        plot.panel.set_y(*data.temperature_range())
        ghosts = [] if data.previous is None else [Curve(data.previous.time_s / 60, data.previous.skin_c, ghost=True)]
        curves = (
            *ghosts, Curve(t, run.die_c, "die"), Curve(t, run.package_c, "package"), Curve(t, run.skin_c, "skin"),
        )  # fmt: skip
        plot.curves.set(*curves)
        keys = [Key(self.tr("die"), "line", "die"), Key(self.tr("package"), "line", "package")]
        keys.append(Key(self.tr("skin"), "line", "skin"))
        if ghosts:
            keys.append(Key(self.tr("skin before"), "dash", "ghost"))
        plot.caption.set(self.tr("Temperature, °C"), keys)
        trips = sorted(run.trips_c)
        label = ""
        if trips:
            ends = fmt.fixed(trips[0]) if len(trips) == 1 else f"{fmt.fixed(trips[0])} … {fmt.fixed(trips[-1])}"
            label = self.tr("skin trips {values}").format(values=ends)
        self.trips.set(trips, label, curves)

    def _draw_others(self, data: ThermalData) -> None:
        run, t, old = data.run, data.minutes, data.previous
        self.power.panel.set_y(*data.power_range())
        self.power.curves.set(Curve(t, run.power_w, "bar", 1.4, filled=True))
        power = _change(fmt.fixed(float(run.power_w[0]), 2), fmt.fixed(float(run.power_w[-1]), 2))
        self.power.caption.set(self.tr("Power, W"), (), fmt.with_unit(power, "W"))
        self.clock.panel.set_y(*data.clock_range())
        self.clock.curves.set(Curve(t, run.clock * 100, "accent", 1.6))
        clock = _change(fmt.fixed(float(run.clock[0]) * 100, 0), fmt.fixed(float(run.clock[-1]) * 100, 0))
        self.clock.caption.set(self.tr("Clock, %"), (), fmt.with_unit(clock, "%"))
        like = float(run.latency_us.max())
        unit = fmt.run_latency_parts(like)[1]
        scale = 1e3 if unit == "ms" else 1e6 if unit == "s" else 1.0
        low, high = data.latency_range()
        self.latency.panel.set_y(low / scale, high / scale)
        ghosts = [] if old is None else [Curve(old.time_s / 60, old.latency_us / scale, ghost=True)]
        self.latency.curves.set(*ghosts, Curve(t, run.latency_us / scale, "ink", 1.6, filled=True))
        ends = (fmt.run_latency_parts(float(v), like)[0] for v in (run.latency_us[0], run.latency_us[-1]))
        title = self.tr("Latency, {unit}").format(unit=unit)
        self.latency.caption.set(title, (), fmt.with_unit(_change(*ends), unit))

    def _kept_words(self, data: ThermalData) -> str:
        """What is left in the end, and the clock that the governor never lowers."""
        found = data.answers
        words = self.tr("in the end {latency}, {fps} runs/s").format(
            latency=fmt.run_latency(found.sustained_latency_us), fps=fmt.fixed(found.sustained_fps, 0)
        )
        if data.throttled_at is None:
            return words
        return words + self.tr("; {clock} % of the clock stays cool at {latency}").format(
            clock=fmt.fixed(100 * found.cool.clock, 0), latency=fmt.run_latency(found.cool.latency_us)
        )

    def _scenario_words(self, scenario: Scenario) -> str:
        ambient = fmt.with_unit(fmt.fixed(scenario.ambient_c, 0), "°C")
        if scenario.clock_cap is not None:
            ambient += self.tr(", clock at most {cap} %").format(cap=fmt.fixed(100 * scenario.clock_cap, 0))
        if back_to_back(scenario):
            return self.tr("minutes, back-to-back runs at {ambient} ambient").format(ambient=ambient)
        rate = fmt.fixed(scenario.runs_per_second, 0)
        return self.tr("minutes, {rate} runs/s at {ambient} ambient").format(rate=rate, ambient=ambient)

    # -- gestures ---------------------------------------------------------------------------------------------------

    def _on_hover(self, hit: Hit | None) -> None:
        x = hit.x if hit is not None else None
        for plot in self._plots:
            plot.cross.set(x)
        self.card.hide()

    def _on_rest(self, hit: Hit) -> None:
        if self.data is not None:
            self.card.show_at(self.describe(hit.x), self.chart.mapToGlobal(hit.position.toPoint()))

    def describe(self, minute: float) -> TipContent:
        """All figures at a time."""
        assert self.data is not None
        run, i = self.data.run, self.data.at(minute)
        rows = [
            (self.tr("die"), fmt.temperature(float(run.die_c[i]))),
            (self.tr("package"), fmt.temperature(float(run.package_c[i]))),
            (self.tr("skin"), fmt.temperature(float(run.skin_c[i]))),
            (self.tr("power"), fmt.power(float(run.power_w[i]))),
            (self.tr("clock"), fmt.with_unit(fmt.fixed(float(run.clock[i]) * 100, 0), "%")),
            (self.tr("latency"), fmt.run_latency(float(run.latency_us[i]))),
        ]
        return TipContent(fmt.clock_time(float(run.time_s[i])), rows)


def _change(first: str, last: str) -> str:
    return first if first == last else f"{first} → {last}"
