"""What every plot view is: a widget that listens to the session and draws again when it is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QApplication, QMenu, QStackedLayout, QWidget

from engine.session.changes import What
from gui.bridge import hub
from gui.plots.chart import Chart
from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.session_view import SessionView
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.tip_card import TipCard

if TYPE_CHECKING:
    from engine.session import Session


class PlotView(SessionView):
    """A dock's content. Subclasses name what they watch and bring their plot up to date in `draw`."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self._subtitle = ""
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._page: QWidget = QWidget()
        self.empty = EmptyState()
        self.empty.clicked.connect(self._on_empty)
        self._lost_keys = False
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
        self._stack.setCurrentWidget(self._page)
        if self._lost_keys:
            self._lost_keys = False
            if QApplication.focusWidget() is None and self.isVisible():
                self.take_keys()

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
        else:
            self.draw()

    def retranslate(self) -> None:
        """The language has changed."""
        self.setAccessibleName(self.title())
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
        self.set_page(self.chart)
        self.exporter = Exporter(self, self.chart, self.table, self.title)
        self.chart.menu_wanted.connect(self._on_menu)
        self.card = TipCard(self.chart)
        hub.hover_changed.connect(self._on_echo)
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(self._on_more)

    def fill_menu(self, menu: QMenu) -> None:
        """Add actions of this view in front of the export actions."""

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
