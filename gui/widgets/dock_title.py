"""The header of a dock: title or tabs of its group on the left, the view's controls and a menu on the right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gui.fonts import font
from gui.theme import theme_manager
from gui.widgets.dock_tab import HEIGHT, DockTab
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu

if TYPE_CHECKING:
    from gui.docks import Dock, DockHost


_SMALLEST = QSize(80, HEIGHT)
"""Made once: Qt asks for it more than ten thousand times while it arranges a layout."""


def fitting(widths: Sequence[int], front: int, room: int, button: int) -> frozenset[int]:
    """Which tabs show in a header: all if they fit, else the one in front and as many of the others as still fit.

    Args:
        widths: px that each tab needs.
        front: place of the tab in front, which shows in any case.
        room: px for tabs and the button that stands for the rest.
        button: px of that button.
    """
    if sum(widths) <= room:
        return frozenset(range(len(widths)))
    left, shown = room - button - widths[front], {front}
    for place, width in enumerate(widths):
        if place != front and width <= left:
            left -= width
            shown.add(place)
    return frozenset(shown)


class DockTitle(QWidget):
    """29 px high; empty places let the dock be dragged."""

    def __init__(self, dock: Dock, host: DockHost) -> None:
        super().__init__(dock)
        self.setObjectName("dockTitle")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self._dock, self._host = dock, host
        self._view: Any = None
        self._tabs: list[DockTab] = []
        self._controls: list[QWidget] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 0, 8, 0)
        self._row.setSpacing(0)
        self._others = IconButton("chevron-down", size=13, token="muted")
        self._others.clicked.connect(self._show_others)
        self._others.hide()
        self._row.addWidget(self._others)
        self._subtitle = _Subtitle(self)
        self._row.addWidget(self._subtitle, 1)
        self._expand = IconButton("expand", size=15, token="muted")
        self._expand.clicked.connect(lambda: host.toggle_maximized(dock))
        self._more = IconButton("more", token="muted")
        self._more.clicked.connect(lambda: self._show_menu(self._more.mapToGlobal(self._more.rect().bottomLeft())))
        self._row.addWidget(self._expand)
        self._row.addWidget(self._more)
        host.groups_changed.connect(self._regroup)
        self._retranslate()

    def take_view(self, view: Any) -> None:
        """Show title, subtitle and controls of a view."""
        for control in self._controls:
            self._row.removeWidget(control)
        self._view, self._controls = view, []
        if view is None:
            return
        self._controls = list(view.header_widgets())
        for control in self._controls:
            self._row.insertWidget(self._row.count() - 2, control)
            control.show()
        own = [c for c in self._controls if isinstance(c, IconButton) and c.name == "more"]
        self._more.setVisible(not own)
        for control in own:  # the expand button stands in front of "more", whoever that belongs to
            self._row.removeWidget(control)
            self._row.addWidget(control)
        view.subtitle_changed.connect(self._on_subtitle)
        self._regroup()
        self._on_subtitle()

    def minimumSizeHint(self) -> QSize:
        """Narrow: the subtitle gives way."""
        return _SMALLEST

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _retranslate(self) -> None:
        self._more.set_tip(self.tr("Panel menu"))
        self._others.set_tip(self.tr("More panels on this place"))
        self._expand.set_tip(self.tr("Show this panel alone, or all again"))
        self._regroup()
        self._on_subtitle()

    def _on_subtitle(self) -> None:
        if self._view is None:
            return
        self._subtitle.set_text(self._view.subtitle() if len(self._tabs) < 2 else "")
        for tab in self._tabs:
            tab.refresh()
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many tabs as there is room for."""
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        """Tabs that would be cut stand in a menu behind the last that fits; the one in front always shows."""
        if len(self._tabs) < 2:
            self._others.hide()
            return
        margins = self._row.contentsMargins()
        ends = [self._expand, self._more, *self._controls]
        taken = sum(w.sizeHint().width() for w in ends if not w.isHidden())
        room = self.width() - margins.left() - margins.right() - taken
        shown = fitting([tab.sizeHint().width() for tab in self._tabs], self._at_front(), room, self._others.width())
        for place, tab in enumerate(self._tabs):
            tab.setVisible(place in shown)
        self._others.setVisible(len(shown) < len(self._tabs))

    def _at_front(self) -> int:
        return next((place for place, tab in enumerate(self._tabs) if tab.front), 0)

    def _show_others(self) -> None:
        menu = one_use_menu(self)
        for tab in self._tabs:
            if tab.isHidden():
                menu.addAction(tab.text(), partial(self._raise, tab.dock))
        menu.popup(self._others.mapToGlobal(self._others.rect().bottomLeft()))

    def _regroup(self) -> None:
        if self._dock.isHidden():  # with it as with one that nobody has seen yet: it is told again when it comes up
            return
        group = self._host.group_of(self._dock) if not self._dock.isFloating() else [self._dock]
        if [tab.dock for tab in self._tabs] != group:
            for tab in self._tabs:
                self._row.removeWidget(tab)
                tab.hide()
                tab.deleteLater()
            self._tabs = [DockTab(dock, dock is self._dock, len(group) == 1, self) for dock in group]
            for place, tab in enumerate(self._tabs):
                self._row.insertWidget(place, tab)
                tab.chosen.connect(self._raise)
            self._row.setContentsMargins(12 if len(group) == 1 else 2, 0, 8, 0)
        if self._view is None:
            for tab in self._tabs:
                tab.refresh()
        self._on_subtitle()

    def _raise(self, dock: Dock) -> None:
        dock.show()
        dock.raise_()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The panel menu, anywhere on the header."""
        self._show_menu(event.globalPos())

    def _show_menu(self, place: QPoint) -> None:
        menu = one_use_menu(self)
        floating = self._dock.isFloating()
        text = self.tr("Dock") if floating else self.tr("Float")
        menu.addAction(text, self._dock.float_or_dock)
        menu.addAction(self.tr("Show this panel alone, or all again"), lambda: self._host.toggle_maximized(self._dock))
        menu.addAction(self.tr("What is this? (F1)"), lambda: self._host.manual_wanted.emit(self._dock.spec.id))
        menu.addAction(self.tr("Close"), self._dock.close)
        menu.addSeparator()
        menu.addAction(self.tr("Reset layout"), self._host.reset_wanted.emit)
        menu.popup(place)


class _Subtitle(QWidget):
    """Muted words that are cut where room ends."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme_manager.changed.connect(self.update)

    def set_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the words."""
        painter = QPainter(self)
        painter.setFont(font(11))
        painter.setPen(theme_manager.theme.muted)
        text = QFontMetricsF(font(11)).elidedText(self._text, Qt.TextElideMode.ElideRight, self.width() - 12)
        painter.drawText(self.rect().adjusted(9, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)
