"""Sensitivity: how much the output suffers when one kernel alone takes a scheme. A click on a cell applies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from engine.precision.scheme import Scheme, family, label
from engine.session.changes import What
from gui import format as fmt
from gui.bridge import hub
from gui.i18n import text
from gui.plots.axis import PlainAxis
from gui.plots.caption import Key
from gui.plots.chart import Hit
from gui.plots.navigation import Span
from gui.plots.panel import Panel
from gui.plots.scale_bar import ScaleCaption
from gui.plots.table import Table
from gui.plots.view import ChartView
from gui.theme import Theme
from gui.views.price import Pricer
from gui.views.scheme_words import scheme_words
from gui.views.sensitivity_data import (
    KL_LEVELS,
    SQNR_LEVELS,
    Metric,
    Reasons,
    SensitivityMap,
    block_name,
    blocks,
    map_table,
    sensitivity_map,
    usual_prefix,
)
from gui.views.sensitivity_layers import BlockNames, CellCursors, CellImage, CellMarks, SchemeNames
from gui.widgets.icon_button import IconButton
from gui.widgets.segmented import SegmentedControl
from gui.widgets.tip_card import TipContent

if TYPE_CHECKING:
    from engine.session import Session

GUTTER, FOOT = 158, 26
LEAST_COLUMNS = 6
Shift = Qt.KeyboardModifier.ShiftModifier
Cell = tuple[int, int]


class SensitivityView(ChartView):
    """Schemes as rows, kernels as columns; the plan is outlined. Arrows move a cursor, Enter applies its cell."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.SENSITIVITY, What.PLAN, What.DEVICE, What.DATA, What.SELECTION, What.JOBS}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.data: SensitivityMap | None = None
        self.caption = ScaleCaption("heat")
        self.chart.add_row(self.caption)
        left = PlainAxis("left", label=lambda value, step: "", size=GUTTER)
        bottom = PlainAxis("bottom", label=lambda value, step: "", size=FOOT)
        self.panel = self.chart.add_panel(Panel(left, bottom))
        self.image = CellImage(self.panel)
        box = self.panel.box
        self.marks, self.schemes, self.blocks = CellMarks(box), SchemeNames(box, GUTTER), BlockNames(box)
        self.cursors = CellCursors(box)
        self.panel.add(self.cursors, self.marks, self.schemes, self.blocks)
        self.span = Span(0.0, 1.0, 1.0)
        self.chart.navigate(self.span, self.panel)
        self.measure = SegmentedControl([("kl", "KL"), ("sqnr", "SQNR")])
        self.measure.chosen.connect(lambda _: self.mark_dirty(What.MODEL))
        self.sweep = IconButton("play", token="text2")
        self.sweep.clicked.connect(self.on_empty_clicked)
        self.pricer = Pricer(session, "sensitivity price", self._on_price)
        self._pointer: QPoint | None = None
        self._reasons = Reasons()
        self.chart.hovered.connect(self._on_hover)
        self.chart.rested.connect(self._on_rest)
        self.chart.clicked.connect(self._on_click)
        self.chart.key_pressed.connect(self._on_key)
        self.retranslate()

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Sensitivity")

    def header_widgets(self) -> list[QWidget]:
        """Metric, start or stop, more."""
        return [self.measure, self.sweep, self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.measure.setAccessibleName(self.tr("Measure of the output error"))
        self._show_sweep()

    def save_state(self) -> dict[str, object]:
        """The metric."""
        return {"metric": self.measure.current}

    def restore_state(self, state: dict[str, object]) -> None:
        """Set it again."""
        metric = state.get("metric")
        if isinstance(metric, str) and metric in ("kl", "sqnr"):
            self.measure.set_current(metric)
            self.mark_dirty(What.MODEL)

    def dispose(self) -> None:
        """Stop listening and asking."""
        self.pricer.stop()
        super().dispose()

    def on_empty_clicked(self) -> None:
        """Start the sweep, or stop it."""
        if self.session.sweeping:
            self.session.stop_sweep()
        else:
            self.session.start_sweep()

    # -- drawing ----------------------------------------------------------------------------------------------------

    def refresh(self, changes: frozenset[What]) -> None:
        """A job alone changes no cell, but may end the sweep."""
        if changes <= {What.JOBS}:
            self._show_sweep()
            if self.data is not None:
                self._write_subtitle(self.data)
        else:
            super().refresh(changes)

    def draw(self) -> None:
        """Draw what is known."""
        data = self.data = sensitivity_map(self.shown, self._reasons)
        self._show_sweep()
        if data is None:
            self.set_subtitle("")
            if self.session.network is None:
                self.show_no_model(self.tr("Open a model to see which kernels are sensitive."))
            else:
                self.show_empty(self.tr("This model has no kernel whose precision can be set."))
            return
        self._write_subtitle(data)
        if not data.known and not self.session.sweeping:
            words = self.tr("No sweep yet. Measure %n kernel(s) one at a time in every precision.", "", len(data.ids))
            self.show_empty(words, self.tr("Start the sweep"))
            return
        self.show_page()
        self.measure.set_disabled(frozenset() if data.has_kl else frozenset({"kl"}))
        heights = data.heights(self.used_metric)
        rows, columns = len(data.schemes), len(data.ids)
        self.span.set_limits(0.0, float(columns), float(min(LEAST_COLUMNS, columns)))
        self.panel.set_y(0.0, float(rows))
        self.image.set(heights, data.refused, self.theme)
        self.marks.set(data, heights)
        self.cursors.rows = rows
        self.schemes.set(data, [scheme_words(s) for s in data.schemes])
        self._write_blocks(data)
        self._write_caption(data)
        self.draw_selection()
        self.panel.redraw()

    def draw_selection(self) -> None:
        """Bring the current kernel into sight."""
        column = self._current_column()
        if column is not None:
            self.span.reveal(column, column + 1)

    def table(self) -> Table:
        """One row per measured cell."""
        return map_table(self.data) if self.data is not None else Table((), ())

    @property
    def used_metric(self) -> Metric:
        """KL if it is asked for and has a meaning, else SQNR."""
        wanted = self.measure.current == "kl" and self.data is not None and self.data.has_kl
        return "kl" if wanted else "sqnr"

    def fill_menu(self, menu: QMenu) -> None:
        """Zoom."""
        menu.addAction(self.tr("Show the whole network"), self.span.fit)
        menu.addSeparator()

    def _show_sweep(self) -> None:
        running = self.session.sweeping
        self.sweep.set_icon_name("pause" if running else "play")
        self.sweep.set_tip(self.tr("Stop the sweep") if running else self.tr("Start the sweep"))
        self.sweep.setEnabled(self.session.network is not None)

    def _write_subtitle(self, data: SensitivityMap) -> None:
        size = self.tr("{kernels} kernels × {schemes} schemes").format(kernels=len(data.ids), schemes=len(data.schemes))
        if self.session.sweeping:
            total = sum(1 for row in data.cells for _ in row)
            size += " · " + self.tr("{known} of {total}").format(known=data.known, total=total)
        self.set_subtitle(size)

    def _write_blocks(self, data: SensitivityMap) -> None:
        """Blocks below the columns; numbers where every kernel is a block of its own."""
        found = blocks(data.names)
        alone = len(found) == len(data.ids)
        usual = usual_prefix(data.names)
        word = self.tr("Block of {name}").format(name=usual.split(".")[-1]) if usual else self.tr("Block")
        self.schemes.block_word = self.tr("Kernel") if alone else word
        if alone:
            found = [(f"{number}", c, c) for c, number in enumerate(data.index)]
        long = data.names if alone else [data.names[first] for _, first, _ in found]
        self.blocks.set(found, [block_name(name, number) for name, (number, _, _) in zip(long, found, strict=True)])

    def _write_caption(self, data: SensitivityMap) -> None:
        keys = [Key(self.tr("current plan"), "frame", "ink")]
        if any(c is not None and c.kind == "estimated" for row in data.cells for c in row):
            keys.append(Key(self.tr("estimate only"), "dot", "ink"))
        if any(reason is not None for row in data.reasons for reason in row):
            keys.append(Key(self.tr("not on this device"), "cross", "muted"))
        if self.used_metric == "kl":
            title = self.tr("Output error when only this kernel takes the scheme, KL ×10⁻³")
            short = self.tr("Output error, KL ×10⁻³")
            low, high = (level * 1e3 for level in KL_LEVELS)
            marks = [(i / 4, f"{low * 10**i:g}") for i in range(5)]
            assert marks[-1][1] == f"{high:g}"
        else:
            title = self.tr("Output error when only this kernel takes the scheme, SQNR dB")
            short = self.tr("Output error, SQNR dB")
            none, full = SQNR_LEVELS
            marks = [(i / 5, f"{none + (full - none) * i / 5:g}") for i in range(6)]
        self.caption.set(title, keys, short=short)
        self.caption.set_scale(marks)

    # -- gestures ---------------------------------------------------------------------------------------------------

    def echo(self, kernel_id: str) -> None:
        """Outline the plan's cell of the kernel under the pointer of another view."""
        data = self.data
        column = data.ids.index(kernel_id) if data is not None and kernel_id in data.ids else None
        row = data.plan_rows[column] if data is not None and column is not None else None
        self.cursors.hovered = (row, column) if row is not None and column is not None else None
        self.cursors.update()

    def cell_at(self, hit: Hit | None) -> Cell | None:
        """Row and column under a hit."""
        if hit is None or self.data is None:
            return None
        row, column = len(self.data.schemes) - 1 - int(hit.y // 1), int(hit.x // 1)
        inside = 0 <= row < len(self.data.schemes) and 0 <= column < len(self.data.ids)
        return (row, column) if inside else None

    def apply(self, cell: Cell) -> None:
        """Give the kernel of a cell its scheme, and make it current."""
        if self.data is not None:
            kernel = self.data.ids[cell[1]]
            self.session.select((kernel,), kernel, who=self.who)
            self.session.set_scheme((kernel,), self.data.schemes[cell[0]], who=self.who)

    def describe(self, cell: Cell) -> TipContent:
        """What is known of a cell, and what a click does."""
        data = self.data
        assert data is not None
        row, column = cell
        kernel, scheme, found = data.ids[column], data.schemes[row], data.cells[row][column]
        rows = []
        if found is None:
            rows.append((self.tr("output error"), self.tr("not measured yet")))
        else:
            mark = "" if found.kind == "exact" else "≈"
            if found.kl is not None:
                rows.append(("KL", f"{mark}{fmt.scientific(found.kl)}"))
            rows.append(("SQNR", f"{mark}{fmt.sqnr(found.sqnr_db)}"))
            rows.append((self.tr("value"), self.tr("exact") if found.kind == "exact" else self.tr("estimate")))
        rows += self._price_rows(kernel, scheme)
        reason = data.reasons[row][column]
        if reason is not None:
            rows.append((self.tr("device"), text(reason)))
        return TipContent(data.names[column], rows, (family(scheme), label(scheme)), self._note(kernel, cell))

    def _note(self, kernel: str, cell: Cell) -> str:
        if self.data is not None and self.data.plan_rows[cell[1]] == cell[0]:
            return self.tr("in the plan")
        if kernel in self.session.locked:
            return self.tr("locked · Shift+click selects")
        return self.tr("click to apply · Shift+click selects")

    def _price_rows(self, kernel: str, scheme: Scheme) -> list[tuple[str, str]]:
        """What the click would do to latency and size, once it is known."""
        now, size = self.session.figures.simulation, self.session.figures.size
        if self.session.plan.scheme(kernel) == scheme or now is None or size is None:
            return []
        price = self.pricer.known(self.session.plan.with_schemes({kernel: scheme}))
        if price is None:
            return []
        return [
            (self.tr("latency"), fmt.delta(price.simulation.latency_us - now.latency_us, fmt.latency_us)),
            (self.tr("size"), fmt.delta(price.size.total - size.total, fmt.bytes_)),
        ]

    def _on_hover(self, hit: Hit | None) -> None:
        cell = self.cell_at(hit)
        if cell != self.cursors.hovered:
            self.card.hide()
            self._pointer = None
            self.cursors.hovered = cell
            self.cursors.update()
            hub.hover(self.data.ids[cell[1]] if self.data is not None and cell is not None else None, self.who)

    def _on_rest(self, hit: Hit) -> None:
        cell = self.cell_at(hit)
        if cell is None or self.data is None:
            return
        self._pointer = self.chart.mapToGlobal(hit.position.toPoint())
        self.card.show_at(self.describe(cell), self._pointer)
        kernel, scheme = self.data.ids[cell[1]], self.data.schemes[cell[0]]
        if self.session.plan.scheme(kernel) != scheme:
            self.pricer.ask([self.session.plan.with_schemes({kernel: scheme})])

    def _on_price(self) -> None:
        if self.cursors.hovered is not None and self._pointer is not None and self.card.isVisible():
            self.card.show_at(self.describe(self.cursors.hovered), self._pointer)

    def _on_click(self, hit: Hit) -> None:
        cell = self.cell_at(hit)
        if cell is None or self.data is None:
            return
        self.cursors.keyed = cell
        self.card.hide()
        if hit.modifiers & Shift:
            kernel = self.data.ids[cell[1]]
            self.session.select((kernel,), kernel, who=self.who)
        else:
            self.apply(cell)
        self.cursors.update()

    def _current_column(self) -> int | None:
        current = self.session.current
        return self.data.ids.index(current) if self.data is not None and current in self.data.ids else None

    def _on_key(self, event: QKeyEvent) -> None:
        data, keys = self.data, Qt.Key
        if data is None:
            return
        steps = {
            keys.Key_Left: (0, -1), keys.Key_Right: (0, 1), keys.Key_Up: (-1, 0), keys.Key_Down: (1, 0),
        }  # fmt: skip
        key = event.key()
        start = self._current_column() or 0
        cursor = self.cursors.keyed or (data.plan_rows[start] or 0, start)
        if key in steps:
            if self.cursors.keyed is not None:
                down, right = steps[keys(key)]
                row = min(max(cursor[0] + down, 0), len(data.schemes) - 1)
                cursor = row, min(max(cursor[1] + right, 0), len(data.ids) - 1)
            self.cursors.keyed = cursor
            self.span.reveal(cursor[1], cursor[1] + 1)
            self.cursors.update()
        elif key in (keys.Key_Return, keys.Key_Enter, keys.Key_Space):
            if event.modifiers() & Shift or key == keys.Key_Space:
                self.session.select((data.ids[cursor[1]],), data.ids[cursor[1]], who=self.who)
            else:
                self.apply(cursor)
        elif key == keys.Key_F:
            self.span.fit()
        else:
            return
        event.accept()
