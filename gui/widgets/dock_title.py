"""The header of a dock: title or tabs of its group on the left, the view's controls and a menu on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QMenu, QSizePolicy, QWidget

from gui.fonts import font
from gui.theme import theme_manager
from gui.widgets.icon_button import IconButton

if TYPE_CHECKING:
    from gui.docks import Dock, DockHost

HEIGHT = 29


class DockTitle(QWidget):
    """29 px high; empty places let the dock be dragged."""

    def __init__(self, dock: Dock, host: DockHost) -> None:
        super().__init__(dock)
        self.setObjectName("dockTitle")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self._dock, self._host = dock, host
        self._view: Any = None
        self._tabs: list[_Tab] = []
        self._controls: list[QWidget] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 0, 8, 0)
        self._row.setSpacing(0)
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
        return QSize(80, HEIGHT)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _retranslate(self) -> None:
        self._more.set_tip(self.tr("Panel menu"))
        self._expand.set_tip(self.tr("Show this panel alone, or all again"))
        self._regroup()
        self._on_subtitle()

    def _on_subtitle(self) -> None:
        if self._view is None:
            return
        self._subtitle.set_text(self._view.subtitle() if len(self._tabs) < 2 else "")
        for tab in self._tabs:
            tab.refresh()

    def _regroup(self) -> None:
        if self._view is None and self._dock.isHidden():
            return
        group = self._host.group_of(self._dock) if not self._dock.isFloating() else [self._dock]
        if [tab.dock for tab in self._tabs] != group:
            for tab in self._tabs:
                self._row.removeWidget(tab)
                tab.hide()
                tab.deleteLater()
            self._tabs = [_Tab(dock, dock is self._dock, len(group) == 1, self) for dock in group]
            for place, tab in enumerate(self._tabs):
                self._row.insertWidget(place, tab)
                tab.chosen.connect(self._raise)
            self._row.setContentsMargins(12 if len(group) == 1 else 2, 0, 8, 0)
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
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        floating = self._dock.isFloating()
        text = self.tr("Dock") if floating else self.tr("Float")
        menu.addAction(text, lambda: self._dock.setFloating(not floating))
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


class _Tab(QAbstractButton):
    """The title of a dock; in a group it can be clicked and the one in front has an accent line."""

    chosen = Signal(object)

    def __init__(self, dock: Dock, front: bool, alone: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.dock, self._front, self._alone = dock, front, alone
        self._badge, self._over = "", False
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if alone:
            self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        else:
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.clicked.connect(lambda: self.chosen.emit(self.dock))
        theme_manager.changed.connect(self.update)
        self.refresh()

    def refresh(self) -> None:
        """Take title and count of the view; a view that nobody has seen yet has its name only."""
        count = getattr(self.dock.view, "badge", None)
        badge = str(count()) if count is not None else ""
        name = self.dock.name()
        if (self.text(), self._badge) != (name, badge):
            self.setText(name)
            self._badge = badge
            self.setAccessibleName(name)
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        """Room for title and count."""
        width = QFontMetricsF(font(12, 600)).horizontalAdvance(self.text())
        if self._badge:
            width += 7 + self._badge_width()
        return QSize(round(width) + (0 if self._alone else 20), HEIGHT)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Tint."""
        self._over = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to plain."""
        self._over = False
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw title, count and line."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        strong = self._front or self._alone
        painter.setFont(font(12, 600 if strong else 500))
        painter.setPen(theme.text if strong else theme.text2 if self._over else theme.muted)
        left = 0.0 if self._alone else 10.0
        width = QFontMetricsF(painter.font()).horizontalAdvance(self.text())
        painter.drawText(QRectF(left, 0, width + 2, HEIGHT), Qt.AlignmentFlag.AlignVCenter, self.text())
        if self._badge:
            pill = QRectF(left + width + 6, (HEIGHT - 16) / 2, self._badge_width(), 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.warn_soft)
            painter.drawRoundedRect(pill, 8, 8)
            painter.setFont(font(10, 600))
            painter.setPen(theme.warn)
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, self._badge)
        if self._front and not self._alone:
            painter.fillRect(QRectF(10, HEIGHT - 2.5, self.width() - 20, 2.5), theme.accent)
        if self.hasFocus():
            painter.setPen(theme.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(QPointF(2.5, 3.5), QPointF(self.width() - 2.5, HEIGHT - 4.5)), 4, 4)

    def _badge_width(self) -> float:
        return max(16.0, QFontMetricsF(font(10, 600)).horizontalAdvance(self._badge) + 10)
