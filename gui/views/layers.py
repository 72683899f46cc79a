"""Layers: one row per kernel, with the switch that sets its precision and all that is known of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget

from engine.fusion.types import Kernel
from engine.session.changes import Change, What
from gui import stored
from gui.bridge import hub
from gui.theme import Theme
from gui.views import layers_menu
from gui.views.layers_bulk import BulkBar
from gui.views.layers_card import card
from gui.views.layers_columns import BY_KEY, COLUMNS, unit
from gui.views.layers_copies import LayerCopies
from gui.views.layers_edits import WHO, LayerEdits
from gui.views.layers_filter import HEIGHT, FilterBar
from gui.views.layers_model import AT_ONCE, LayersModel
from gui.views.layers_order import Filter
from gui.views.layers_rows import SEGMENTS, Shape, Support, known_shape, rows_of, switched
from gui.views.layers_table import ROW_HEIGHTS, LayersTable
from gui.views.session_view import HOLD_MS, OF_AN_EDIT, SessionView
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.right_press import RightPress
from gui.widgets.tip_card import TipCard

if TYPE_CHECKING:
    from engine.session import Session

WIDEST = 4000
"""Px of a column that a project file may ask for."""
FEW_KERNELS, SOON_S = 8, 0.08
"""An edit of no more kernels, whose output error takes no longer, shows the new precision at once and all figures once
that error is drawn: whatever is drawn before takes its share of the cores that compute it."""
SUMMARY_FIRST_MS = 4
"""What gives the Summary its turn when both have waited for the same figures."""
_FIGURES = frozenset(
    {What.PLAN, What.DATA, What.DEVICE, What.SIMULATION, What.LOCAL, What.EVALUATION, What.SENSITIVITY}
)


class LayersView(SessionView):
    """Table, filter bar and bulk bar over one session."""

    WATCHES: ClassVar[frozenset[What]] = _FIGURES | {What.SELECTION, What.JOBS}
    RANK: ClassVar[int] = 0

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self._shape: Shape | None = None
        self._support = Support(session)
        self._row_height = "normal"
        self._units: tuple[str, ...] = ()
        self._switched = False
        """Whether the precision of the last edit is on show already, and nothing else of it."""
        self._edited: tuple[str, ...] = ()
        """Ids of the kernels that it was about."""
        self._sorted = ""
        """Hash of the model that the order was chosen for; a new one is listed in order of execution."""
        self.model = LayersModel(self)
        self.table = LayersTable(self.model, theme)
        self.filter_bar = FilterBar(theme)
        self.bulk_bar = BulkBar(session, theme)
        self.edits = LayerEdits(session, self._settled_selection, self)
        self.copies = LayerCopies(session, self.table)
        self.card = TipCard(self)
        self.empty = EmptyState()
        self._bars = QStackedWidget()
        self._pages = QStackedWidget()
        self._choosing = QTimer(self)
        self._choosing.setSingleShot(True)
        self._choosing.setInterval(0)
        self._choosing.timeout.connect(self._push_selection)
        self._columns_button = IconButton("columns")
        self._export_button = IconButton("download")
        self._more_button = IconButton("more")
        self._lay_out()
        self._connect()
        self.retranslate()
        self.refresh(frozenset({What.MODEL}))

    def _lay_out(self) -> None:
        self._bars.addWidget(self.filter_bar)
        self._bars.addWidget(self.bulk_bar)
        self._bars.setFixedHeight(HEIGHT)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bars)
        column.addWidget(self.table)
        self._pages.addWidget(content)
        self._pages.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)

    def _connect(self) -> None:
        table, bulk = self.table, self.bulk_bar
        table.segment_clicked.connect(self._on_segment)
        table.family_pressed.connect(self.edits.set_family)
        table.lock_pressed.connect(self.edits.toggle_lock)
        table.chosen.connect(self._choosing.start)
        table.came_up.connect(self._on_came_up)
        table.hovered.connect(self._on_hovered)
        table.rested.connect(self._show_card)
        table.moved_on.connect(self.card.hide)
        hub.hover_changed.connect(self._on_echo)
        table.filter_pressed.connect(self.focus_filter)
        table.cancel_pressed.connect(self._on_cancel)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        RightPress(table)
        table.customContextMenuRequested.connect(self._show_row_menu)
        table.horizontalHeader().customContextMenuRequested.connect(
            lambda at: self._popup(self.columns_menu(), table.horizontalHeader().mapToGlobal(at))
        )
        self.filter_bar.changed.connect(self._on_filter)
        self.filter_bar.left_downwards.connect(self._focus_table)
        self.filter_bar.bulk_edit_pressed.connect(self.open_bulk_edit)
        bulk.family_chosen.connect(self.edits.set_family)
        bulk.advanced_pressed.connect(self.edits.edit_scheme)
        bulk.lock_pressed.connect(self.edits.toggle_lock)
        bulk.similar_chosen.connect(self.edits.select_similar)
        bulk.clear_pressed.connect(self.clear_selection)
        self._columns_button.clicked.connect(lambda: self._popup_below(self.columns_menu(), self._columns_button))
        self._export_button.clicked.connect(self.copies.export_csv)
        self._more_button.clicked.connect(lambda: self._popup_below(self.more_menu(), self._more_button))
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copies.copy_rows)

    # What the dock asks for.

    def title(self) -> str:
        """Name of the dock."""
        return self.tr("Layers")

    def subtitle(self) -> str:
        """How many kernels there are and are shown."""
        network = self.session.network
        if network is None:
            return ""
        count, shown = len(network.kernels), len(self.model.order)
        fusion = self.tr("edge fusion") if network.rules == "edge" else self.tr("cloud fusion")
        kernels = self.tr("%n kernel(s)", "", count)
        if shown != count:
            kernels = self.tr("{0} of {1}").format(shown, kernels)
        return self.tr("{0}, {1}").format(kernels, fusion)

    def header_widgets(self) -> list[QWidget]:
        """Columns, CSV, more."""
        return [self._columns_button, self._export_button, self._more_button]

    def save_state(self) -> dict[str, object]:
        """Columns, their widths and order, sorting, row height."""
        header = self.table.horizontalHeader()
        return {
            "hidden": sorted(self.table.hidden),
            "widths": dict(self.table.fixed_widths),
            "order": [COLUMNS[header.logicalIndex(place)].key for place in range(len(COLUMNS))],
            "sort": [self.model.sort_key, self.model.descending],
            "rows": self._row_height,
        }

    def restore_state(self, state: dict[str, object]) -> None:
        """Take back what `save_state` gave."""
        hidden = stored.choices(state.get("hidden"), BY_KEY)
        if hidden is not None:
            self.table.hidden = set(hidden) - {"index", "name", "precision"}
        widths = stored.widths(state.get("widths"), BY_KEY, 1, WIDEST)
        self.table.fixed_widths = {key: max(width, BY_KEY[key].least) for key, width in widths.items()}
        order = stored.choices(state.get("order"), BY_KEY)
        if order is not None:
            self.table.order_columns(order)
        sort = state.get("sort")
        if isinstance(sort, list) and len(sort) == 2 and stored.choice(sort[0], BY_KEY) and isinstance(sort[1], bool):
            self.model.sort_by(sort[0], sort[1])
        self.set_row_height(stored.choice(state.get("rows"), ROW_HEIGHTS) or "normal")
        self.table.fit_columns()

    def retranslate(self) -> None:
        """Write the texts again."""
        self._columns_button.set_tip(self.tr("Columns and order"))
        self._export_button.set_tip(self.tr("Export table as CSV…"))
        self._more_button.set_tip(self.tr("More"))
        self.empty.set_texts(self.tr("Open a model to see its layers here."))
        self.filter_bar.retranslate()
        self.bulk_bar.retranslate()
        self.table.horizontalHeader().viewport().update()
        self.table.viewport().update()
        self.subtitle_changed.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self.table.apply_theme(theme)
        self.filter_bar.apply_theme(theme)
        self.bulk_bar.apply_theme(theme)

    def dispose(self) -> None:
        """Stop listening."""
        self._choosing.stop()
        self.table.stop()
        self.model.stop()
        self.filter_bar.stop()
        self.card.hide()
        self.bulk_bar.stop()
        if self.listening:
            hub.hover_changed.disconnect(self._on_echo)
        super().dispose()

    # Drawing.

    def refresh(self, changes: frozenset[What]) -> None:
        """Take a new snapshot if figures changed; the order waits while a job runs."""
        self._switched = False
        if What.MODEL in changes:
            self._take_model()
        if self._shape is None:
            return
        if changes & _FIGURES or What.MODEL in changes:
            fresh = What.MODEL in changes
            rows = rows_of(self.shown, self._shape, self._support)
            if fresh and self._working:
                self.table.fill_in_bands()
            self.model.set_rows(rows, keep_order=self._working and not fresh)
            self.table.set_compared(self.session.kept.b is not None)
            self.filter_bar.set_rows(rows)
            self._show_units()
        elif What.JOBS in changes and self.model.order_waits and not self._working:
            self.model.reorder()
        if What.MODEL in changes:
            self.table.scrollToTop()
        self._show_selection()
        self.subtitle_changed.emit()

    def _show_units(self) -> None:
        """Paint the header again if a unit is another one: with the synthetic mark, or by another metric."""
        units = tuple(unit(column.key, self.model.rows) for column in COLUMNS)
        if units != self._units:
            self._units = units
            self.table.horizontalHeader().viewport().update()

    @property
    def _working(self) -> bool:
        return any(job.lane != "query" for job in self.session.jobs.active)

    def _take_model(self) -> None:
        network = self.session.network
        self._support.forget()
        if network is not None:
            if self._sorted not in ("", self.model_hash):  # an order that was asked for among other kernels
                self.model.sort_by("index", descending=False)
            self._sorted = self.model_hash
        self._shape = known_shape(network) if network is not None else None
        self._pages.setCurrentIndex(0 if network is not None else 1)
        if network is None:
            self.model.set_rows(None)
            self.subtitle_changed.emit()

    def changed_by_other(self, change: Change) -> None:
        """Show a foreign selection at once; of a model that is gone nothing can be clicked any more."""
        if change.what is What.MODEL:
            self._choosing.stop()
            self._shape = None
            self.model.at_once = frozenset()
        elif change.what is What.SELECTION and change.who != WHO and self._shape is not None:
            self._choosing.stop()  # what was chosen here is older
            self._show_selection()
        elif change.what is What.PLAN:
            self.model.at_once = AT_ONCE
            self._switched = self._switch()

    def _switch(self) -> bool:
        """Show an edit of few kernels at once where all its figures will be there soon; whether that was done."""
        session, rows = self.session, self.model.rows
        if rows is None or self._shape is None or hub.peek or not self.isVisible():
            return False
        if not session.staleness.output_stale or session.last_output_s > SOON_S:
            return False
        schemes = enumerate(zip(self._shape.ids, rows.schemes, strict=True))
        changed = [at for at, (kernel, scheme) in schemes if session.plan.scheme(kernel) != scheme]
        if not changed or len(changed) > FEW_KERNELS:
            return False
        self._edited = tuple(self._shape.ids[at] for at in changed)
        self.model.set_rows(switched(session, rows, changed, self._support), keep_order=True)
        return True

    def _lead(self) -> int:
        """Once the new precision is on show, the output error goes first, but not for longer than `HOLD_MS`."""
        if not self._switched or not self._dirty <= OF_AN_EDIT:
            return 0
        if not self._awaits():
            return SUMMARY_FIRST_MS
        return max(0, round(HOLD_MS - 1000 * (time.monotonic() - self._due_since)))

    def _awaits(self) -> bool:
        """Local errors belong to what answers an edit here."""
        session, edited = self.session, self._edited if self._switched else ()
        return super()._awaits() or any((kernel, session.plan.scheme(kernel)) not in session.local for kernel in edited)

    # Selection.

    def _show_selection(self) -> None:
        if self._choosing.isActive():
            return
        wanted = self._indices(self.session.selection)
        current = self._indices((self.session.current,) if self.session.current else ())
        if wanted != self.table.selected_kernels() or (current or [-1])[0] != self.table.current_kernel():
            self.table.select_kernels(wanted, current[0] if current else -1)
        self._show_bar()

    def _show_bar(self) -> None:
        many = len(self.session.selection) >= 2
        self._bars.setCurrentIndex(1 if many else 0)
        if many:
            kernels = self._kernels(self.session.selection)
            hidden = sum(self.model.row_of(k.index) < 0 for k in kernels)
            self.bulk_bar.show_kernels(kernels, hidden)

    def _push_selection(self) -> None:
        """Tell the session what the user has selected in the table."""
        self._choosing.stop()
        if self._shape is None:
            return
        ids = [self._shape.ids[i] for i in self.table.selected_kernels()]
        current = self.table.current_kernel()
        self.session.select(ids, self._shape.ids[current] if current >= 0 else None, who=WHO)
        self._show_bar()

    def _on_came_up(self) -> None:
        """The first row is the current one for all views, unless another is; what is selected stays."""
        current = self.table.current_kernel()
        if self._shape is not None and current >= 0 and self.session.current is None:
            self.session.select(self.session.selection, self._shape.ids[current], who=WHO)

    def _indices(self, ids: tuple[str, ...]) -> list[int]:
        return sorted(kernel.index for kernel in self._kernels(ids))

    def _kernels(self, ids: tuple[str, ...]) -> list[Kernel]:
        network, wanted = self.session.network, set(ids)
        return [k for k in network.kernels if k.id in wanted] if network is not None else []

    def _settled_selection(self) -> tuple[str, ...]:
        """The selection, with what the table has not told yet; with none the current row."""
        if self._choosing.isActive():
            self._push_selection()
        current = self.table.current_kernel()
        if not self.session.selection and self._shape is not None and current >= 0:
            return (self._shape.ids[current],)
        return self.session.selection

    def clear_selection(self) -> None:
        """Select nothing; the current row stays."""
        self.session.select((), self.session.current, who="")
        self._focus_table()

    # Editing.

    def open_bulk_edit(self) -> None:
        """Ask for a rule and a scheme for all kernels that match it."""
        if self.model.rows is not None and self._shape is not None:
            self.edits.edit_by_rule(self.model.rows, self.filter_bar.filter)

    def _on_segment(self, kernel: int, name: str) -> None:
        self._push_selection()
        if self._shape is not None:
            self.session.set_scheme((self._shape.ids[kernel],), SEGMENTS[name], who=WHO)

    # Filter and keys.

    def focus_filter(self, text: str = "") -> None:
        """Let the user type a filter."""
        if self._bars.currentIndex() == 1:
            self.clear_selection()
        self.filter_bar.focus_input(text)

    def clear_filter(self) -> bool:
        """Show all rows again; whether any were hidden."""
        active = self.filter_bar.filter.active
        self.filter_bar.clear()
        return active

    def _on_filter(self, wanted: Filter) -> None:
        self.model.set_filter(wanted)
        self._drop_hidden()
        self._show_selection()
        self.subtitle_changed.emit()

    def _drop_hidden(self) -> None:
        """Rows that the user filters away are no longer selected: a key must not edit what nobody sees."""
        session = self.session
        kept = [k.id for k in self._kernels(session.selection) if self.model.row_of(k.index) >= 0]
        if len(kept) < len(session.selection):
            session.select(kept, session.current if session.current in kept else None, who=WHO)

    def take_keys(self) -> None:
        """The table gets them."""
        self._focus_table()

    def _focus_table(self) -> None:
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_cancel(self) -> None:
        """Esc: clear the selection, then the filter, then the job."""
        if self._choosing.isActive():
            self._push_selection()
        if self.session.selection:
            self.clear_selection()
        elif not self.clear_filter():
            for job in self.session.jobs.active[-1:]:
                job.cancel()

    def _on_hovered(self, kernel: int) -> None:
        hub.hover(self._shape.ids[kernel] if self._shape is not None and kernel >= 0 else None, WHO)

    def _show_card(self, kernel: int, at: QPoint) -> None:
        if self.model.rows is not None:
            self.card.show_at(card(self.model.rows, kernel), at)

    def _on_echo(self, kernel_id: str, who: str) -> None:
        """Another view has a kernel under the pointer."""
        found = self._indices((kernel_id,)) if kernel_id and who != WHO else []
        self.table.set_echo(self.model.row_of(found[0]) if found else -1)

    # Menus.

    def columns_menu(self) -> QMenu:
        """Which columns are on, and which of them sorts."""
        return layers_menu.columns_menu(
            self, lambda key: key not in self.table.hidden, self.table.set_column_shown, self._reset_columns, self.model
        )

    def more_menu(self) -> QMenu:
        """Behind the three dots."""
        return layers_menu.more_menu(self, self.copies, self.set_row_height, self._row_height)

    def row_menu(self) -> QMenu:
        """Right click on a row."""
        return layers_menu.row_menu(self, self.edits, self.copies)

    def set_row_height(self, name: str) -> None:
        """Compact, normal or roomy rows."""
        self._row_height = name if name in ROW_HEIGHTS else "normal"
        self.table.set_row_height(ROW_HEIGHTS[self._row_height])

    def _reset_columns(self) -> None:
        self.table.hidden = {c.key for c in COLUMNS if not c.shown}
        self.table.fixed_widths = {}
        self.table.order_columns([c.key for c in COLUMNS])
        self.table.fit_columns()

    def _show_row_menu(self, at: QPoint) -> None:
        if self.table.indexAt(at).isValid():
            self._popup(self.row_menu(), self.table.viewport().mapToGlobal(at))

    def _popup_below(self, menu: QMenu, button: QWidget) -> None:
        self._popup(menu, button.mapToGlobal(QPoint(0, button.height() + 2)))

    def _popup(self, menu: QMenu, at: QPoint) -> None:
        menu.popup(at)
