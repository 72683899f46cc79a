"""Latency per kernel: where the time of a run goes, and what the last edit changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QMenu, QWidget

from engine.session.changes import What
from gui import format as fmt
from gui.plots.caption import Key
from gui.plots.kernel_view import KernelChartView
from gui.plots.table import Table
from gui.plots.ticks import round_up
from gui.theme import Theme
from gui.views.latency_data import LatencyBars, latency_bars, latency_table
from gui.views.latency_layers import LatencyBarsLayer
from gui.views.words import bound_word
from gui.widgets.tip_card import TipContent

if TYPE_CHECKING:
    from engine.session import Session


class LatencyView(KernelChartView):
    """A bar per kernel with its launch overhead, and a tick where the previous plan was."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.SELECTION, What.PLAN, What.SIMULATION, What.DEVICE})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.bars: LatencyBars | None = None
        self.layer = LatencyBarsLayer(self.panel.box)
        self.panel.add(self.layer)
        self.retranslate()

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Latency per kernel")

    def draw(self) -> None:
        """Draw the simulation of the session."""
        self.refresh_columns()
        bars = self.bars = latency_bars(self.shown, self.columns)
        if not len(self.columns) or bars is None:
            self.set_subtitle("")
            if self.session.network is None:
                self.show_no_model(self.tr("Open a model to see where the time goes."))
            else:
                self.show_empty(self.tr("The device is being simulated."))
            return
        self.show_page()
        self.panel.set_y(0.0, round_up(bars.top() * 1.02, 4))
        self.layer.set(bars.total, bars.launch, bars.previous)
        self.set_subtitle(self.tr("{latency} per run").format(latency=fmt.run_latency(bars.run_us)))
        keys = [Key(self.tr("kernel"), "box", "bar"), Key(self.tr("launch"), "box", "bar2")]
        if (bars.previous == bars.previous).any():
            keys.append(Key(self.tr("faster than before"), "line", "good"))
            keys.append(Key(self.tr("slower"), "line", "warn"))
        self.caption.set(self.tr("µs by kernel"), keys)
        self.panel.redraw()

    def table(self) -> Table:
        """One row per kernel."""
        return latency_table(self.bars, self.columns) if self.bars is not None else Table((), ())

    def describe(self, index: int) -> TipContent:
        """Latency, its change, its parts and its bound."""
        assert self.bars is not None
        cost, old = self.bars.costs[index], float(self.bars.previous[index])
        if cost is None:
            return self.card_content(index, [])
        rows = [(self.tr("latency"), fmt.latency_us(cost.latency_us))]
        change = cost.latency_us - old
        if abs(change) >= 0.05:
            rows.append((self.tr("before"), f"{fmt.latency_us(old)}, {fmt.delta(change, fmt.latency_us)}"))
        rows.append((self.tr("launch"), fmt.latency_us(cost.launch_us)))
        rows.append((self.tr("bound by"), bound_word(cost.bound)))
        return self.card_content(index, rows)

    def fill_menu(self, menu: QMenu) -> None:
        """Zoom."""
        menu.addAction(self.tr("Show the whole network"), self.span.fit)
        menu.addSeparator()
