"""What every plot view is: a widget that listens to the session and draws again when it is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QApplication, QMenu, QStackedLayout, QWidget
from shiboken6 import isValid

from engine.session.changes import What
from gui.accessible import say_changed
from gui.bridge import hub
from gui.plots.chart import Chart
from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.plots.twin import TableTwin
from gui.theme import Theme
from gui.views.session_view import SessionView
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.stops import give_keys
from gui.widgets.tip_card import TipCard

if TYPE_CHECKING:
    from engine.session import Session


class PlotView(SessionView):
    """A dock's content. Subclasses name what they watch and bring their plot up to date in `draw`."""

    HAS_TWIN: ClassVar[bool] = True
    """Whether it can stand there as a table; one that is a table anyway can't."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self._subtitle = ""
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._page: QWidget = QWidget()
        self.empty = EmptyState()
        self.empty.clicked.connect(self._on_empty)
        self._lost_keys = False
        self.twin: TableTwin | None = None
        self._as_table = False
        self._left: QWidget | None = None
        """What of the other of the two had the keys."""
        self.mark_dirty(What.MODEL)

    # -- for subclasses ---------------------------------------------------------------------------------------------

    def set_page(self, page: QWidget) -> None:
        """Take the widget that shows data."""
        self._page = page
        self._stack.addWidget(page)
        self._stack.addWidget(self.empty)

    def draw(self) -> None:
        """Read the session and bring the plot up to date."""
        raise NotImplementedError

    def draw_selection(self) -> None:
        """Only the selection has changed."""

    def table(self) -> Table:
        """The numbers on show."""
        raise NotImplementedError

    def on_empty_clicked(self) -> None:
        """The button of the empty state, when there is a model."""

    def show_no_model(self, sentence: str) -> None:
        """Nothing is open."""
        self.set_subtitle("")
        self.show_empty(sentence, self.tr("Open a model…"))

    def show_empty(self, sentence: str, button: str = "") -> None:
        """Nothing to draw: say what is missing and offer the next step."""
        self.empty.set_texts(sentence, button)
        self._lost_keys = self._lost_keys or _has_keys(self._page)
        self._stack.setCurrentWidget(self.empty)

    def show_page(self) -> None:
        """There is something to draw. It gets the keys back that it lost with its place."""
        pressed = self._stack.currentWidget() is self.empty and _has_keys(self.empty)
        self._stack.setCurrentWidget(self.twin if self.twin is not None and self._as_table else self._page)
        if pressed:  # what the button of the empty state brought has its keys
            give_keys(self._stack.currentWidget())
        if self._lost_keys:
            self._lost_keys = False
            if QApplication.focusWidget() is None and self.isVisible():
                self.take_keys()

    # -- the table twin ---------------------------------------------------------------------------------------------

    @property
    def as_table(self) -> bool:
        """Whether the figures stand in a table instead of the plot."""
        return self._as_table

    def toggle_table(self) -> None:
        """Show the figures in a table, or the plot again; whichever comes has the keys if the other had them."""
        self.show_as_table(not self._as_table)

    def show_as_table(self, wanted: bool) -> None:
        """Show the figures in a table, or in the plot."""
        if not self.HAS_TWIN or wanted == self._as_table:
            return
        self._as_table = wanted
        had, left = _has_keys(self._stack.currentWidget()), self._left
        self._left = QApplication.focusWidget() if had else None
        if wanted and self.twin is None:
            self.twin = TableTwin()
            self.twin.setAccessibleName(self.title())
            self.twin.kernel_chosen.connect(self._on_row)
            self._stack.addWidget(self.twin)
        self.fill_twin()
        if self._stack.currentWidget() is not self.empty:
            self.show_page()
        if had:
            self._hand_over(left)

    def _hand_over(self, left: QWidget | None) -> None:
        """Give the keys to what has come: where they were before, if it is the plot that comes back."""
        if left is not None and isValid(left) and left.isVisible():
            left.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            give_keys(self._stack.currentWidget())

    def fill_twin(self) -> None:
        """Bring the table up to date, if that is what is on show."""
        if self.twin is not None and self._as_table:
            self.twin.show_table(self.table())
            self._follow()

    def take_keys(self) -> None:
        """The table gets the keys while it stands there instead of the plot."""
        if self.twin is not None and self._as_table and self._stack.currentWidget() is self.twin:
            self.twin.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().take_keys()

    def _follow(self) -> None:
        network, current = self.session.network, self.session.current
        if self.twin is not None and self._as_table and network is not None and current is not None:
            self.twin.follow(next((i for i, kernel in enumerate(network.kernels) if kernel.id == current), None))

    def _on_row(self, index: int) -> None:
        network = self.session.network
        if network is not None and index < len(network.kernels):
            kernel = network.kernels[index].id
            self.session.select((kernel,), kernel, who=self.who)

    # -- what is said -----------------------------------------------------------------------------------------------

    def set_subtitle(self, subtitle: str) -> None:
        """The muted words after the title."""
        if subtitle != self._subtitle:
            self._subtitle = subtitle
            self.subtitle_changed.emit()

    def _on_empty(self) -> None:
        if self.session.network is None:
            self.command_wanted.emit("open_model")
        else:
            self.on_empty_clicked()

    @property
    def who(self) -> str:
        """How the session knows this view."""
        return type(self).__name__

    # -- what a dock asks for ---------------------------------------------------------------------------------------

    def subtitle(self) -> str:
        """Muted words after the title."""
        return self._subtitle

    def refresh(self, changes: frozenset[What]) -> None:
        """Draw again, or only move the selection."""
        if changes <= {What.SELECTION}:
            self.draw_selection()
            self._follow()
        else:
            self.draw()
            self.fill_twin()
        self.announce()

    def announce(self) -> None:
        """Tell screen readers that something else is current, or has other figures."""

    def retranslate(self) -> None:
        """The language has changed."""
        self.setAccessibleName(self.title())
        if self.twin is not None:
            self.twin.setAccessibleName(self.title())
            self.twin.retranslate()
        self.subtitle_changed.emit()
        self.mark_dirty(What.MODEL)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        self.mark_dirty(What.MODEL)


def _has_keys(widget: QWidget) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and (focused is widget or widget.isAncestorOf(focused))


class ChartView(PlotView):
    """A view that is one chart, with an export menu on right click and in the header."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.chart = Chart("", theme)
        self.chart.speaker = self.spoken
        self.set_page(self.chart)
        self.exporter = Exporter(self, self.chart, self.table, self.title, twin=self)
        self.chart.menu_wanted.connect(self._on_menu)
        self.card = TipCard(self.chart)
        self.chart.left.connect(self.card.hide)
        hub.hover_changed.connect(self._on_echo)
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(self._on_more)

    def fill_menu(self, menu: QMenu) -> None:
        """Add actions of this view in front of the export actions."""

    def spoken(self) -> str:
        """The words of what is current, for screen readers."""
        return ""

    def announce(self) -> None:
        """Tell screen readers that something else is current, or has other figures."""
        say_changed(self.chart)

    def echo(self, kernel_id: str) -> None:
        """Another view has this kernel under the pointer ('' for none)."""

    def hideEvent(self, event: QHideEvent) -> None:
        """A hidden plot has no card."""
        self.card.hide()
        super().hideEvent(event)

    def dispose(self) -> None:
        """Stop listening."""
        self.card.hide()
        if self.listening:
            hub.hover_changed.disconnect(self._on_echo)
        super().dispose()

    def menu(self) -> QMenu:
        """The menu of the plot, made new each time."""
        menu = one_use_menu(self)
        self.fill_menu(menu)
        self.exporter.fill(menu)
        return menu

    def header_widgets(self) -> list[QWidget]:
        """The "more" button."""
        return [self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.chart.setAccessibleName(self.title())
        self.more.set_tip(self.tr("Copy and export"))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        self.chart.apply_theme(theme)

    def _on_echo(self, kernel_id: str, who: str) -> None:
        if who != self.who:
            self.echo(kernel_id)

    def _on_more(self) -> None:
        self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _on_menu(self, position: QPointF) -> None:
        self.menu().popup(self.chart.mapToGlobal(position.toPoint()))
