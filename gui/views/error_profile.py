"""Error along the network: where the plan loses accuracy, and how fast the loss adds up."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtWidgets import QMenu, QWidget

from engine.session.changes import What
from gui import format as fmt
from gui.plots.caption import Key
from gui.plots.free_place import Drawn
from gui.plots.kernel_view import KernelChartView
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.error_profile_data import ErrorProfile, error_profile, profile_table
from gui.views.error_profile_layers import CurrentRing, Lines, Markers, RequiredLine, RequiredZone, StaleRegion
from gui.views.plan_words import plan_word
from gui.widgets.tip_card import TipContent

if TYPE_CHECKING:
    from engine.session import Session

FAMILIES = ("INT4", "INT8", "FP16", "FP32")


class ErrorProfileView(KernelChartView):
    """Accumulated SQNR of the current plan over the previous one, local SQNR as markers, the requirement as a line."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.SELECTION, What.PLAN, What.EVALUATION, What.LOCAL, What.DEVICE, What.SIMULATION, What.DATA}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        box = self.panel.box
        self.profile: ErrorProfile | None = None
        self.zone, self.required = RequiredZone(box), RequiredLine(box)
        self.stale, self.markers = StaleRegion(box), Markers(box)
        self.lines, self.ring = Lines(box), CurrentRing(box)
        self.panel.add(self.zone, self.stale, self.markers, self.lines, self.required, self.ring)
        self.retranslate()

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Error along the network")

    def draw(self) -> None:
        """Draw the figures of the session."""
        self.refresh_columns()
        if not len(self.columns):
            self.profile = None
            self.show_no_model(self.tr("Open a model to see where accuracy is lost."))
            return
        profile = self.profile = error_profile(self.shown, self.columns)
        if not profile.has_data:
            self.show_empty(self.tr("The errors of this plan are being computed."))
            return
        self.show_page()
        self.panel.set_y(*profile.y_range())
        self.zone.required = self.required.required = profile.required
        here = np.arange(len(self.columns), dtype=float)
        self.required.drawn = (
            Drawn(here, np.minimum(profile.local, fmt.SQNR_CAP_DB), line=False),
            Drawn(here, np.minimum(profile.accumulated, fmt.SQNR_CAP_DB)),
            Drawn(here, np.minimum(profile.previous, fmt.SQNR_CAP_DB)),
        )
        self.required.label = self.tr("required {value}").format(value=fmt.sqnr(profile.required))
        self.stale.start, self.stale.label = profile.stale_from, self.tr("being recomputed")
        self.lines.set(profile.accumulated, profile.previous, profile.stale_from)
        self.markers.set(profile.local, self.columns.families)
        self.show_selection()
        self._write_caption(profile)
        self.panel.redraw()

    def show_selection(self) -> None:
        """Band and ring."""
        super().show_selection()
        index = self.current_index
        known = self.profile is not None and index is not None and index < len(self.profile.accumulated)
        self.ring.set(index, float(self.profile.accumulated[index]) if known else nan)  # type: ignore[union-attr]

    def table(self) -> Table:
        """One row per kernel."""
        return profile_table(self.profile, self.columns) if self.profile is not None else Table((), ())

    def describe(self, index: int) -> TipContent:
        """The three figures of a kernel."""
        profile = self.profile
        assert profile is not None
        stale = profile.stale_from is not None and index >= profile.stale_from
        now = fmt.sqnr(_known(profile.accumulated[index]))
        rows = [(self.tr("accumulated"), f"≈{now}" if stale else now)]
        if _known(profile.previous[index]) is not None:
            rows.append((self.tr("previous plan"), fmt.sqnr(_known(profile.previous[index]))))
        rows.append((self.tr("local"), fmt.sqnr(_known(profile.local[index]))))
        return self.card_content(index, rows)

    def fill_menu(self, menu: QMenu) -> None:
        """Zoom."""
        menu.addAction(self.tr("Show the whole network"), self.span.fit)
        menu.addSeparator()

    def _write_caption(self, profile: ErrorProfile) -> None:
        name, old = plan_word(self.shown.plan.name), plan_word(self.shown.previous_plan.name)
        keys = [
            Key(self.tr("accumulated, {plan}").format(plan=name) if name else self.tr("accumulated"), "line", "ink")
        ]
        if (profile.previous == profile.previous).any():
            text = self.tr("accumulated, {plan}").format(plan=old) if old else self.tr("previous plan")
            keys.append(Key(text, "dash", "ghost"))
        there = [f for f in FAMILIES if f in self.columns.families]
        for family in there:
            keys.append(
                Key(self.tr("local {scheme}").format(scheme=family) if family == there[0] else family, "marker", family)
            )
        title = short = self.tr("SQNR, dB by kernel")
        if profile.synthetic:
            title = self.tr("SQNR, dB by kernel · synthetic input, indicative only")
            short = self.tr("SQNR, dB · indicative only")
        self.caption.set(title, keys, short=short)


def _known(value: float) -> float | None:
    return None if value != value else float(value)
