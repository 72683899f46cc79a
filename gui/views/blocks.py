"""Blocks: repeated blocks as rows, what stands in them as columns, one cell per kernel in the overlay's colours."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from engine.fusion.blocks import Series, find_series
from engine.session.changes import What
from gui import format as fmt
from gui.bridge import hub
from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.plots.view import PlotView
from gui.theme import Theme
from gui.views.blocks_matrix import BlockMatrix, Matrix, role_names
from gui.views.graph_overlay import Overlay, overlay_of
from gui.views.layers_card import card as kernel_card
from gui.views.layers_rows import LayerRows, Shape, Support, known_shape, rows_of
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.tip_card import TipCard, spoken

if TYPE_CHECKING:
    from engine.session import Session


class BlocksView(PlotView):
    """The longest series of a network. Clicks and arrow keys select; the right column is the error so far."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.PLAN, What.SIMULATION, What.DEVICE, What.LOCAL, What.EVALUATION, What.SENSITIVITY, What.SELECTION}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.rows: LayerRows | None = None
        self.overlay: Overlay | None = None
        self.series: Series | None = None
        self._shape: Shape | None = None
        self._network: object = None
        self._support = Support(session)
        self.matrix = BlockMatrix(theme)
        self.area = QScrollArea()
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the matrix has it, and its current row comes into sight
        self.area.setWidgetResizable(True)
        self.area.setWidget(self.matrix)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.card = TipCard(self.matrix)
        self.more = IconButton("more", token="muted")
        self.exporter = Exporter(self, self.matrix, self.table, self.title, twin=self)
        self.set_page(self.area)
        self.setFocusProxy(self.matrix)
        self.matrix.speaker = self._spoken
        self.matrix.clicked.connect(self._on_click)
        self.matrix.hovered.connect(self._on_hover)
        self.matrix.rested.connect(self._on_rest)
        self.matrix.menu_wanted.connect(self._on_menu)
        self.more.clicked.connect(lambda: self._on_menu(self.matrix.mapToGlobal(QPoint(self.width() - 160, 0))))
        hub.hover_changed.connect(self._on_echo)
        hub.overlay_changed.connect(self._on_overlay)
        self.retranslate()

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Blocks")

    def header_widgets(self) -> list[QWidget]:
        """The "more" button."""
        return [self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.matrix.setAccessibleName(self.tr("Blocks by kernel"))
        self.more.set_tip(self.tr("Copy and export"))

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self.matrix.set_theme(theme)

    def dispose(self) -> None:
        """Stop listening."""
        if self.listening:
            hub.hover_changed.disconnect(self._on_echo)
            hub.overlay_changed.disconnect(self._on_overlay)
        self.matrix.stop()
        self.card.hide()
        super().dispose()

    def hideEvent(self, event: QHideEvent) -> None:
        """A hidden view has no card."""
        self.card.hide()
        super().hideEvent(event)

    def draw(self) -> None:
        """Read the figures and draw the matrix."""
        network = self.shown.network
        if network is None:
            self._network = None
            self.show_no_model(self.tr("Open a model to see its repeated blocks side by side."))
            return
        if network is not self._network:
            self._network, self._shape = network, known_shape(network)
            self._support.forget()
            self.series = max(find_series(network), key=lambda s: (bool(s.prefix), len(s.blocks)), default=None)
        if self.series is None:
            self.set_subtitle("")
            self.show_empty(
                self.tr("No three blocks of this network are alike: Layers and Graph show its kernels one by one.")
            )
            return
        assert self._shape is not None
        self.show_page()
        self.rows = rows_of(self.shown, self._shape, self._support)
        self.overlay = overlay_of(hub.overlay, self.rows)
        self.matrix.set(self._matrix(self.series, self.rows, self.overlay))
        self.set_subtitle(f"{len(self.series.blocks)} × {len(self.matrix.data.roles) if self.matrix.data else 0}")
        self.draw_selection()

    def draw_selection(self) -> None:
        """Outline the current kernel and its row."""
        ids = self._shape.ids if self._shape is not None else ()
        current = ids.index(self.session.current) if self.session.current in ids else -1
        self.matrix.set_current(current)
        if current >= 0:
            row = self.matrix.row_of_kernel(current)
            if row is not None:
                self.area.ensureVisible(0, row.center().y(), 0, row.height())

    def table(self) -> Table:
        """One row per cell."""
        data = self.matrix.data
        if data is None or self.rows is None or self.overlay is None or self.series is None:
            return Table((), ())
        rows = []
        for r, kernels in enumerate(data.kernels):
            for c, k in enumerate(kernels):
                value = float(self.overlay.values[k])
                name = self.series.blocks[r].name
                rows.append((name, data.roles[c], self.rows.labels[k], None if isnan(value) else value, data.totals[r]))
        return Table(("block", "kernel", "scheme", self.overlay.key, data.total_name), rows)

    def _spoken(self) -> str:
        """The card of the current kernel."""
        network, current = self.session.network, self.session.current
        index = next((k.index for k in network.kernels if k.id == current), None) if network is not None else None
        return spoken(kernel_card(self.rows, index)) if self.rows is not None and index is not None else ""

    def _matrix(self, series: Series, rows: LayerRows, overlay: Overlay) -> Matrix:
        tunable = [i for i in range(len(series.roles)) if rows.shape.tunable[series.blocks[0].first + i]]
        kernels = tuple(tuple(block.first + i for i in tunable) for block in series.blocks)
        errors = rows.accumulated_db
        known = bool(np.isfinite([errors[block.last] for block in series.blocks]).any())
        if known:
            totals = tuple(fmt.sqnr_figure(float(errors[b.last])) for b in series.blocks)
        else:
            totals = tuple(
                fmt.latency_figure(float(rows.latency_us[b.first : b.last + 1].sum())) for b in series.blocks
            )
        stale = tuple(known and bool(rows.accumulated_stale[b.last]) for b in series.blocks)
        return Matrix(
            tuple(str(block.number) for block in series.blocks),
            role_names([series.roles[i] for i in tunable]),
            kernels, overlay, rows.families, totals, stale, "dB" if known else "µs",
        )  # fmt: skip

    def _on_click(self, kernel: int, modifiers: Qt.KeyboardModifier) -> None:
        if self._shape is None:
            return
        chosen = self._shape.ids[kernel]
        keep = modifiers & Qt.KeyboardModifier.ControlModifier
        selection = (*self.session.selection, chosen) if keep else (chosen,)
        self.session.select(tuple(dict.fromkeys(selection)), chosen, who=self.who)
        self.draw_selection()

    def _on_hover(self, kernel: int) -> None:
        self.card.hide()
        hub.hover(self._shape.ids[kernel] if self._shape is not None and kernel >= 0 else None, self.who)

    def _on_rest(self, kernel: int, place: QPoint) -> None:
        if self.rows is not None:
            self.card.show_at(kernel_card(self.rows, kernel), place)

    def _on_echo(self, kernel_id: str, who: str) -> None:
        if who != self.who:
            ids = self._shape.ids if self._shape is not None else ()
            self.matrix.set_echo(ids.index(kernel_id) if kernel_id in ids else -1)

    def _on_overlay(self, key: str) -> None:
        if self.rows is None or self.series is None or self.due or not self.isVisible():
            self.mark_dirty(What.PLAN)
            return
        self.overlay = overlay_of(key, self.rows)  # the figures are those on show: only their colours change
        self.matrix.set(self._matrix(self.series, self.rows, self.overlay))

    def _on_menu(self, place: QPoint) -> None:
        menu = one_use_menu(self)
        self.exporter.fill(menu)
        menu.popup(place)
