"""What every plot view is: a widget that listens to the session and draws again when it is seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from engine.session.changes import Change, What
from gui.plots.chart import Chart
from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.theme import Theme
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton

if TYPE_CHECKING:
    from engine.session import Session

INTERVAL_MS = 40
"""Least time between two redraws."""


class PlotView(QWidget):
    """A dock's content. Subclasses name what they watch and fill their plot in `refresh`."""

    subtitle_changed = Signal()
    WATCHES: ClassVar[frozenset[What]] = frozenset()

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.theme = session, theme
        self._dirty, self._drawn_at = True, 0.0
        self._subtitle = ""
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._page: QWidget = QWidget()
        self.empty = EmptyState()
        self.empty.clicked.connect(self.on_empty_clicked)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._redraw)
        self._unsubscribe: Callable[[], None] | None = session.subscribe(self._on_change)

    # -- for subclasses ---------------------------------------------------------------------------------------------

    def set_page(self, page: QWidget) -> None:
        """Take the widget that shows data."""
        self._page = page
        self._stack.addWidget(page)
        self._stack.addWidget(self.empty)

    def refresh(self) -> None:
        """Read the session and bring the plot up to date."""
        raise NotImplementedError

    def select_refresh(self) -> None:
        """Only the selection has changed."""
        self.refresh()

    def table(self) -> Table:
        """The numbers on show."""
        raise NotImplementedError

    def on_empty_clicked(self) -> None:
        """The button of the empty state."""

    def show_empty(self, sentence: str, button: str = "") -> None:
        """Nothing to draw: say what is missing and offer the next step."""
        self.empty.set_texts(sentence, button)
        self._stack.setCurrentWidget(self.empty)

    def show_page(self) -> None:
        """There is something to draw."""
        self._stack.setCurrentWidget(self._page)

    def set_subtitle(self, subtitle: str) -> None:
        """The muted words after the title."""
        if subtitle != self._subtitle:
            self._subtitle = subtitle
            self.subtitle_changed.emit()

    @property
    def who(self) -> str:
        """How the session knows this view."""
        return type(self).__name__

    # -- what a dock asks for ---------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        raise NotImplementedError

    def subtitle(self) -> str:
        """Muted words after the title."""
        return self._subtitle

    def header_widgets(self) -> list[QWidget]:
        """Controls for the right side of the dock's header."""
        return []

    def save_state(self) -> dict[str, Any]:
        """What the user has set in this view."""
        return {}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Set it again."""

    def retranslate(self) -> None:
        """The language has changed."""
        self.setAccessibleName(self.title())
        self.subtitle_changed.emit()
        self.mark_dirty()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.mark_dirty()

    def dispose(self) -> None:
        """Stop listening."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._timer.stop()

    # -- redraw -----------------------------------------------------------------------------------------------------

    def mark_dirty(self) -> None:
        """Draw again soon, at most 25 times a second and only while visible."""
        self._dirty = True
        if self.isVisible() and not self._timer.isActive():
            since = (time.monotonic() - self._drawn_at) * 1000
            self._timer.start(max(0, round(INTERVAL_MS - since)))

    def _redraw(self) -> None:
        if not self._dirty or self._unsubscribe is None:
            return
        self._dirty = False
        self.refresh()
        self._drawn_at = time.monotonic()

    def _on_change(self, change: Change) -> None:
        if change.what is What.MODEL or change.what in self.WATCHES:
            self.mark_dirty()
        elif change.what is What.SELECTION and not self._dirty and self.isVisible():
            self.select_refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what has changed while hidden."""
        super().showEvent(event)
        self._redraw()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop listening."""
        self.dispose()
        super().closeEvent(event)


class ChartView(PlotView):
    """A view that is one chart, with an export menu on right click and in the header."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.chart = Chart("", theme)
        self.set_page(self.chart)
        self.exporter = Exporter(self, self.chart, self.table, self.title)
        self.chart.menu_wanted.connect(self._on_menu)
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(self._on_more)

    def fill_menu(self, menu: QMenu) -> None:
        """Add actions of this view in front of the export actions."""

    def menu(self) -> QMenu:
        """The menu of the plot, made new each time."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
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

    def _on_more(self) -> None:
        self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _on_menu(self, position: QPointF) -> None:
        self.menu().popup(self.chart.mapToGlobal(position.toPoint()))
