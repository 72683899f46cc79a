"""Graph: the fused network from top to bottom, coloured by precision, error, sensitivity, latency or unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from engine.fusion.blocks import Series
from engine.session.changes import Change, What
from gui.bridge import hub
from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.plots.view import PlotView
from gui.theme import Theme
from gui.views.graph_canvas import GraphCanvas, Marks, Scene, WholeGraph
from gui.views.graph_cards import Opened, Picture, block_of, first_open
from gui.views.graph_faces import edge_table, faces_of, frame_words
from gui.views.graph_layout import Layouter
from gui.views.graph_legend import GraphLegend
from gui.views.graph_minimap import Minimap
from gui.views.graph_overlay import OVERLAYS, SCALED, Overlay, overlay_of
from gui.views.graph_walk import step_from
from gui.views.layers_card import card as kernel_card
from gui.views.layers_rows import LayerRows, Shape, Support, known_shape, rows_of
from gui.widgets.escape import EscapeFirst
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.segmented import SegmentedControl
from gui.widgets.themed import label
from gui.widgets.tip_card import TipCard, spoken

if TYPE_CHECKING:
    from engine.session import Session
    from gui.views.graph_arrange import Arrangement

BAR_HEIGHT = 40


class GraphView(PlotView):
    """Arrow keys follow the edges, Enter folds and unfolds, F fits, "/" searches."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.PLAN, What.SIMULATION, What.DEVICE, What.LOCAL, What.EVALUATION, What.SENSITIVITY, What.SELECTION}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.rows: LayerRows | None = None
        self.overlay: Overlay | None = None
        self.series: tuple[Series, ...] = ()
        self.opened: Opened = frozenset()
        self._auto: tuple[int, int] | None = None
        """The block that was unfolded to show the current kernel, and is folded again when another is."""
        self._seen: str | None = None
        self._shape: Shape | None = None
        self._network: object = None
        self._laid_out: tuple[Picture, Arrangement] | None = None
        self._laid_in_s = 0.0
        self._support = Support(session)
        self.layouter = Layouter(session, self._on_laid_out)
        self.canvas = GraphCanvas(theme)
        self.minimap = Minimap(self.canvas)
        self.legend = GraphLegend(theme)
        self.canvas.speaker = self._spoken
        self.card = TipCard(self.canvas)
        self.overlays = SegmentedControl([(key, key) for key in OVERLAYS], hub.overlay)
        self.collapse = QCheckBox()
        self.collapse.setChecked(True)
        self.hits = label(role="muted")
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(170)
        self.buttons = [IconButton(name) for name in ("fit", "minus", "plus")]
        self.more = IconButton("more", token="muted")
        self.exporter = Exporter(self, WholeGraph(self.canvas), self.table, self.title, twin=self)
        self.set_page(self._build())
        self._connect()
        self.retranslate()

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Graph")

    def header_widgets(self) -> list[QWidget]:
        """Fit, zoom, more."""
        return [*self.buttons, self.more]

    def save_state(self) -> dict[str, object]:
        """Overlay, threshold and folding."""
        return {"overlay": hub.overlay, "thresholds": dict(self.legend.moved), "collapse": self.collapse.isChecked()}

    def restore_state(self, state: dict[str, object]) -> None:
        """Take them back; odd entries are left out."""
        overlay, moved, collapse = (state.get(key) for key in ("overlay", "thresholds", "collapse"))
        if isinstance(overlay, str) and overlay in OVERLAYS:
            hub.set_overlay(overlay)
        if isinstance(moved, dict):
            at = ((key, moved.get(key)) for key in SCALED)
            self.legend.moved = {key: float(v) for key, v in at if isinstance(v, int | float) and 0 <= v <= 1}
        if isinstance(collapse, bool):
            self.collapse.setChecked(collapse)

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.canvas.setAccessibleName(self.tr("Graph of the kernels"))
        self.minimap.setAccessibleName(self.tr("Overview"))
        self.legend.setAccessibleName(self.tr("Threshold"))
        self.overlays.setAccessibleName(self.tr("Overlay"))
        self.overlays.set_choices(self._overlay_words())
        self.collapse.setText(self.tr("Fold repeated blocks"))
        self.search.setPlaceholderText(self.tr("Find kernels"))
        self.search.setAccessibleName(self.tr("Find kernels"))
        tips = (self.tr("Fit (F)"), self.tr("Zoom out (−)"), self.tr("Zoom in (+)"))
        for button, tip in zip(self.buttons, tips, strict=True):
            button.set_tip(tip)
        self.more.set_tip(self.tr("Copy and export"))
        self._say_laid_out()

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self.canvas.set_theme(theme)
        self.legend.theme = theme

    def dispose(self) -> None:
        """Stop listening."""
        if self.listening:
            hub.hover_changed.disconnect(self._on_echo)
            hub.overlay_changed.disconnect(self._on_overlay)
        self.layouter.stop()
        self.canvas.stop()
        self.card.hide()
        super().dispose()

    def hideEvent(self, event: QHideEvent) -> None:
        """A hidden view has no card."""
        self.card.hide()
        super().hideEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The overview stays in its corner; the words fold on small screens."""
        super().resizeEvent(event)
        self.minimap.place()
        self.search.setFixedWidth(170 if event.size().width() > 860 else 110)

    # -- drawing ----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Bring the cards up to date; places are found in the background when other cards are on show."""
        network = self.shown.network
        if network is None:
            self._network = None
            self.show_no_model(self.tr("Open a model to see its kernels and how they are connected."))
            return
        self.show_page()
        if network is not self._network:
            self._network, self._shape = network, known_shape(network)
            self._support.forget()
            self._laid_out = None
            self.layouter.forget()
        assert self._shape is not None
        self.rows = rows_of(self.shown, self._shape, self._support)
        self.overlay = overlay_of(hub.overlay, self.rows)
        if self._laid_out is None:
            self._lay_out()
        else:
            self._show_scene(fit=False)

    def draw_selection(self) -> None:
        """Ring what is selected; a block that hides the current kernel unfolds."""
        if self._laid_out is None or self._shape is None:
            return
        current = self._index(self.session.current)
        picture = self._laid_out[0]
        new, self._seen = self.session.current != self._seen, self.session.current
        if new and current is not None and picture.cards[picture.place[current]].folded:
            block = block_of(self.series, current)
            if block is not None and block not in self.opened:
                previous = {self._auto} if self._auto is not None else set()
                self._auto = block
                self._open((self.opened - previous) | {block})
                return
        self._mark()

    def table(self) -> Table:
        """One row per kernel."""
        if self._laid_out is None or self.rows is None or self.overlay is None:
            return Table((), ())
        return edge_table(self._laid_out[0], self.rows, self.overlay)

    # -- folding ----------------------------------------------------------------------------------------------------

    def toggle_card(self, card: int) -> None:
        """Unfold the first block of a card of folded ones, or fold the block that a kernel stands in."""
        if self._laid_out is None or card < 0:
            return
        shown = self._laid_out[0].cards[card]
        if shown.blocks is not None and shown.series is not None:
            self._open(self.opened | {(shown.series, shown.blocks[0])})
        else:
            block = block_of(self.series, shown.kernels[0])
            if block is not None and block in self.opened:
                self._open(self.opened - {block})

    def _open(self, opened: Opened) -> None:
        self.opened = opened
        self._lay_out()

    def _lay_out(self) -> None:
        network = self.session.network
        if network is not None:
            self.layouter.ask(network, self.opened if self.collapse.isChecked() else None, first=self._laid_out is None)

    def _on_laid_out(
        self, series: tuple[Series, ...], opened: Opened, picture: Picture, arrangement: Arrangement, seconds: float
    ) -> None:
        first = self._laid_out is None
        self.series, self.opened = series, opened
        self._laid_out = (picture, arrangement)
        self._laid_in_s = seconds
        self._say_laid_out()
        self._show_scene(fit=first)
        self.draw_selection()

    def _say_laid_out(self) -> None:
        if self._laid_out is None:
            return
        nodes = sum(len(kernel.nodes) for kernel in self.session.network.kernels) if self.session.network else 0
        words = self.tr("{n} kernels from {m} ONNX nodes, laid out in {time}")
        time_text = f"{1000 * self._laid_in_s:.0f}\u202fms"
        self.set_subtitle(words.format(n=len(self._laid_out[0].place), m=nodes, time=time_text))

    def _show_scene(self, *, fit: bool) -> None:
        if self._laid_out is None or self.rows is None or self.overlay is None:
            return
        picture, arrangement = self._laid_out
        self.legend.set(self.overlay, self._keys())
        faces = faces_of(picture, self.series, self.rows, self.overlay, self.legend.threshold)
        frames = tuple(frame_words(frame, self.series, self.rows) for frame in picture.frames)
        heights = self.overlay.heights[[card.kernels[0] for card in picture.cards]]
        self.canvas.set_scene(Scene(picture, arrangement, faces, frames, self.overlay.token, heights), fit=fit)
        self.overlays.set_current(hub.overlay)
        self._mark()
        self.fill_twin()

    def _mark(self) -> None:
        if self._laid_out is None:
            return
        place = self._laid_out[0].place
        chosen = frozenset(place[i] for i in map(self._index, self.session.selection) if i is not None)
        current = self._index(self.session.current)
        card = place[current] if current is not None else -1
        changed = card != self.canvas.marks.current
        found = self._found()
        cards = frozenset(place[i] for i in found) if found is not None else None
        self._count_hits(found)
        self.canvas.set_marks(Marks(chosen, card, cards))
        if changed and card >= 0:
            self.canvas.reveal([card])

    # -- events -----------------------------------------------------------------------------------------------------

    def changed_by_other(self, change: Change) -> None:
        """A new model is laid out anew."""
        if change.what is What.MODEL:
            self._laid_out, self._auto = None, None
            self.canvas.scene = None
            self.card.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk along the edges, fold, fit, search."""
        key = Qt.Key(event.key())
        current = self.canvas.marks.current
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggle_card(current)
        elif key == Qt.Key.Key_F and not event.modifiers():
            self.canvas.focus_on([current] if current >= 0 and self.canvas.scale < 0.9 else [])
        elif key == Qt.Key.Key_Slash:
            self.search.setFocus()
        elif self._laid_out is not None:
            target = step_from(*self._laid_out, current, key)
            if target is None:
                super().keyPressEvent(event)
                return
            self._select([target])
        event.accept()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """In the search Enter goes to the next kernel found, Escape back to the graph."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.find_next(backwards=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.search.clear()
                self.canvas.setFocus()
                return True
        return False

    def find_next(self, *, backwards: bool = False) -> None:
        """Select the next kernel that the search finds."""
        found = self._found()
        if not found or self._shape is None:
            return
        here = self._index(self.session.current)
        start = here if here is not None else -1
        ahead = [i for i in found if i > start] or found
        behind = [i for i in found if i < start] or found
        kernel = self._shape.ids[behind[-1] if backwards else ahead[0]]
        self.session.select((kernel,), kernel)

    def _count_hits(self, found: list[int] | None) -> None:
        """Say how many kernels the search finds, and which of them the current one is."""
        here = self._index(self.session.current)
        if found is None:
            words = ""
        elif here in found:
            words = self.tr("{place} of {count}").format(place=found.index(here) + 1, count=len(found))
        else:
            words = self.tr("%n found", "", len(found))
        self.hits.setText(words)

    def _found(self) -> list[int] | None:
        words = self.search.text().strip().casefold()
        if not words or self._shape is None:
            return None
        shape = self._shape
        return [i for i, name in enumerate(shape.names) if words in name.casefold() or words in shape.ops[i].casefold()]

    def _on_click(self, card: int, cell: int, modifiers: Qt.KeyboardModifier) -> None:
        self.canvas.setFocus()
        if self._laid_out is None:
            return
        if card < 0:
            self.session.select((), None, who=self.who)
            return
        shown = self._laid_out[0].cards[card]
        if cell >= 0 and shown.series is not None and shown.blocks is not None:
            self._open(self.opened | {(shown.series, shown.blocks[0] + cell)})
            return
        self._select([card], keep=bool(modifiers & Qt.KeyboardModifier.ControlModifier))

    def _select(self, cards: list[int], *, keep: bool = False) -> None:
        assert self._laid_out is not None
        assert self._shape is not None
        picture = self._laid_out[0]
        ids = [self._shape.ids[k] for c in cards for k in picture.cards[c].kernels]
        chosen = tuple(dict.fromkeys([*self.session.selection, *ids])) if keep else tuple(ids)
        self.session.select(chosen, ids[0], who=self.who)
        self._mark()

    def _on_frame(self, frame: int) -> None:
        if self._laid_out is not None:
            shown = self._laid_out[0].frames[frame]
            self._open(self.opened - {(shown.series, shown.block)})

    def _on_hover(self, card: int) -> None:
        self.card.hide()
        kernel = None
        if card >= 0 and self._laid_out is not None and self._shape is not None:
            shown = self._laid_out[0].cards[card]
            kernel = None if shown.folded else self._shape.ids[shown.kernels[0]]
        hub.hover(kernel, self.who)

    def _on_rest(self, card: int, place: QPoint) -> None:
        if self._laid_out is not None and self.rows is not None and not self._laid_out[0].cards[card].folded:
            self.card.show_at(kernel_card(self.rows, self._laid_out[0].cards[card].kernels[0]), place)

    def _spoken(self) -> str:
        """The current kernel's card; the title of folded blocks."""
        card = self.canvas.marks.current
        if self._laid_out is None or self.rows is None or not 0 <= card < len(self._laid_out[0].cards):
            return ""
        shown = self._laid_out[0].cards[card]
        if shown.folded and self.canvas.scene is not None:
            return self.canvas.scene.faces[card].title
        return spoken(kernel_card(self.rows, shown.kernels[0]))

    def _on_echo(self, kernel_id: str, who: str) -> None:
        if who != self.who and self._laid_out is not None:
            index = self._index(kernel_id)
            self.canvas.set_echo(self._laid_out[0].place[index] if index is not None else -1)

    def _on_overlay(self, key: str) -> None:
        self.overlays.set_current(key)
        if self.rows is None or self.due or not self.isVisible():
            self.mark_dirty(What.PLAN)
            return
        self.overlay = overlay_of(key, self.rows)  # the figures are those on show: only their colours change
        self._show_scene(fit=False)

    def _on_threshold(self, threshold: float) -> None:
        self._show_scene(fit=False)

    def _on_menu(self, place: QPoint) -> None:
        menu = one_use_menu(self)
        menu.addAction(self.tr("Fit"), self.canvas.fit)
        menu.addAction(self.tr("Fold all blocks"), lambda: self._open(frozenset()))
        menu.addAction(self.tr("Unfold the first of each"), lambda: self._open(first_open(self.series)))
        menu.addSeparator()
        self.exporter.fill(menu)
        menu.popup(self.canvas.mapToGlobal(place))

    # -- parts ------------------------------------------------------------------------------------------------------

    def _build(self) -> QWidget:
        page, bar = QWidget(), QWidget()
        bar.setFixedHeight(BAR_HEIGHT)
        row = QHBoxLayout(bar)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(12)
        row.addWidget(self.overlays)
        row.addWidget(self.collapse)
        row.addStretch()
        row.addWidget(self.hits)
        row.addWidget(self.search)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.canvas, 1)
        column.addWidget(self.legend)
        self.setFocusProxy(self.canvas)
        return page

    def _connect(self) -> None:
        self.canvas.clicked.connect(self._on_click)
        self.canvas.opened.connect(self.toggle_card)
        self.canvas.frame_clicked.connect(self._on_frame)
        self.canvas.hovered.connect(self._on_hover)
        self.canvas.rested.connect(self._on_rest)
        self.canvas.menu_wanted.connect(self._on_menu)
        self.legend.threshold_changed.connect(self._on_threshold)
        self.overlays.chosen.connect(hub.set_overlay)
        self.collapse.toggled.connect(lambda _: self._lay_out())
        self.search.textChanged.connect(lambda _: self._mark())
        self.search.installEventFilter(self)
        EscapeFirst(self.search)
        fit, smaller, larger = self.buttons
        fit.clicked.connect(self.canvas.fit)
        smaller.clicked.connect(lambda: self.canvas.zoom(1 / 1.2))
        larger.clicked.connect(lambda: self.canvas.zoom(1.2))
        self.more.clicked.connect(lambda: self._on_menu(QPoint(self.canvas.width() - 160, 0)))
        hub.hover_changed.connect(self._on_echo)
        hub.overlay_changed.connect(self._on_overlay)

    def _index(self, kernel_id: str | None) -> int | None:
        network = self.session.network
        if network is None or kernel_id is None or self._laid_out is None:
            return None
        try:
            return network.by_id(kernel_id).index
        except KeyError:  # '' or a kernel of the model before
            return None

    def _keys(self) -> list[tuple[str, str]]:
        none, cpu = ("none", self.tr("no precision switch")), ("CPU", self.tr("CPU fallback"))
        families = [(family, family) for family in ("INT4", "INT8", "FP16")]
        return [none, cpu] if hub.overlay in SCALED else [*families, none, cpu]

    def _overlay_words(self) -> list[tuple[str, str]]:
        return [
            ("none", self.tr("none")),
            ("precision", self.tr("precision")),
            ("sensitivity", self.tr("sensitivity")),
            ("latency", self.tr("latency")),
            ("local", self.tr("local error")),
            ("accumulated", self.tr("accumulated")),
            ("unit", self.tr("unit")),
        ]
