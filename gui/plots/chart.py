"""The widget that plots live in: panels in a column, one set of gestures, hover and export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QGraphicsItem, QWidget

from gui.accessible import Role
from gui.plots.navigation import Span
from gui.plots.panel import Panel, plain_layout
from gui.theme import Theme

Modifiers = Qt.KeyboardModifier
HOVER_DELAY_MS = 350
_Reason = Qt.FocusReason
_KEYS = (_Reason.TabFocusReason, _Reason.BacktabFocusReason, _Reason.ShortcutFocusReason)
_WINDOWS = (_Reason.ActiveWindowFocusReason, _Reason.PopupFocusReason)
"""A dialog, a menu or another program had the keys for a while, and nobody has gone elsewhere in the window."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Where in which panel the pointer is."""

    panel: Panel
    x: float
    y: float
    position: QPointF
    """In the widget."""
    modifiers: Modifiers


class Chart(pg.GraphicsView):
    """Panels under each other in one scene whose units are the widget's pixels.

    Wheel pans and Ctrl+wheel zooms the shared x range of the panels that have a `span`; clicks and drags are announced.
    """

    hovered = Signal(object)
    """Hit under the pointer, or None."""
    rested = Signal(object)
    """Hit where the pointer has stayed for a moment."""
    clicked = Signal(object)
    double_clicked = Signal(object)
    dragged = Signal(object, object)
    """Hits where a drag began and is now."""
    drag_ended = Signal(object, object)
    menu_wanted = Signal(QPointF)
    """Position in the widget."""
    key_pressed = Signal(object)
    """A QKeyEvent that the chart has no use for; accept it to keep it."""
    resized = Signal()
    left = Signal()
    keys_taken = Signal()
    """It has the keyboard now, by whatever way."""
    """The keys have gone elsewhere."""
    spoken_role = Role.Chart

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.theme = theme
        self.speaker: Callable[[], str] = str
        """Gives the words of what is current in the plot."""
        self.panels: list[Panel] = []
        self.span: Span | None = None
        self._linked: list[Panel] = []
        self._pressed: Hit | None = None
        self._dragging = False
        self._last: Hit | None = None
        self._items: list[QGraphicsItem] = []
        self._stretches: list[int] = []
        self.grid = pg.GraphicsLayout()
        self._rows = plain_layout(self.grid)
        self._rows.setContentsMargins(12, 4, 12, 6)
        self.setCentralItem(self.grid)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.viewport().setMouseTracking(True)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(HOVER_DELAY_MS)
        self._rest.timeout.connect(self._on_rest)
        self.apply_theme(theme)

    def spoken_value(self) -> str:
        """What is current in the plot."""
        return self.speaker()

    # -- building ---------------------------------------------------------------------------------------------------

    def add_panel(self, panel: Panel, *, stretch: int = 1) -> Panel:
        """Put a panel below what is there."""
        self._place(panel, stretch)
        self.panels.append(panel)
        panel.apply_theme(self.theme)
        return panel

    def show_panel(self, panel: Panel, shown: bool) -> None:
        """Hide a panel, with the room of its row, or show it again."""
        row = self._items.index(panel)
        panel.setVisible(shown)
        self._rows.setRowStretchFactor(row, self._stretches[row] if shown else 0)
        self._rows.setRowMaximumHeight(row, 1e6 if shown else 0)

    def add_row(self, item: QGraphicsItem) -> None:
        """Put an item of fixed height (a caption) below what is there."""
        self._place(item, 0)

    def set_margins(self, left: float, top: float, right: float, bottom: float) -> None:
        """Room around the panels in px."""
        self._rows.setContentsMargins(left, top, right, bottom)

    def navigate(self, span: Span, *panels: Panel) -> None:
        """Let the gestures move the x range of these panels within `span`."""
        self.span, self._linked = span, list(panels)
        span.changed.connect(self._on_span)
        self._on_span()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.setBackground(theme.panel)
        for panel in self.panels:
            panel.apply_theme(theme)
        for item in self._items:
            apply = getattr(item, "apply_theme", None)
            if apply is not None and item not in self.panels:
                apply(theme)
        self.viewport().update()

    def panel_at(self, position: QPointF) -> Panel | None:
        """The panel whose area holds this widget position."""
        return next((p for p in self.panels if p.isVisible() and p.scene_area().contains(position)), None)

    def hit(self, position: QPointF, modifiers: Modifiers = Modifiers.NoModifier) -> Hit | None:
        """What is at a widget position."""
        panel = self.panel_at(position)
        return self._hit_in(panel, position, modifiers) if panel is not None else None

    def paint_to(self, painter: QPainter, target: QRectF) -> None:
        """Draw everything but the focus ring on another device, on the theme's ground."""
        painter.fillRect(target, self.theme.panel)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        ring, self._ring = self._ring, False
        self.render(painter, target, self.viewport().rect())
        self._ring = ring

    # -- gestures ---------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start of a click or drag."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._rest.stop()
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self.hit(event.position(), event.modifiers())
            self._dragging = False
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag while a button is down, else hover."""
        position = event.position()
        pressed = self._pressed
        if pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            moved = (position - pressed.position).manhattanLength()
            self._dragging = self._dragging or moved >= QApplication.startDragDistance()
            if self._dragging:
                self.dragged.emit(pressed, self._hit_in(pressed.panel, position, event.modifiers()))
        else:
            self._hover(self.hit(position, event.modifiers()))
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End of a click or drag."""
        position = event.position()
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_wanted.emit(position)
        pressed, self._pressed = self._pressed, None
        if event.button() == Qt.MouseButton.LeftButton and pressed is not None:
            now = self._hit_in(pressed.panel, position, event.modifiers())
            (self.drag_ended.emit(pressed, now) if self._dragging else self.clicked.emit(now))
        self._dragging = False
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click: whoever listens decides."""
        hit = self.hit(event.position(), event.modifiers())
        if hit is not None and event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit(hit)
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ctrl zooms at the pointer, the plain wheel pans; an unused wheel goes to whatever scrolls around."""
        delta = event.angleDelta()
        turn = (delta.y() or delta.x()) / 120
        panel = self._linked[0] if self._linked else None
        if self.span is None or panel is None or not turn:
            event.ignore()
            return
        if event.modifiers() & Modifiers.ControlModifier:
            self.span.zoom(0.8**turn, panel.to_data(event.position()).x())
            event.accept()
        elif self.span.is_fit:
            event.ignore()
        else:
            self.span.pan(-turn * 0.12)
            event.accept()

    def hideEvent(self, event: QHideEvent) -> None:
        """A hidden chart waits for nothing."""
        self._rest.stop()
        self._last = None
        super().hideEvent(event)

    def leaveEvent(self, event: object) -> None:
        """The pointer has gone."""
        self._hover(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Menu key and Shift+F10 open the menu; all else is announced."""
        menu = event.key() == Qt.Key.Key_Menu
        if menu or (event.key() == Qt.Key.Key_F10 and event.modifiers() & Modifiers.ShiftModifier):
            self.menu_wanted.emit(QPointF(self.rect().center()))
            return
        event.ignore()
        self.key_pressed.emit(event)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep the scene at the widget's size."""
        super().resizeEvent(event)
        self.resized.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus, and as it was when only the window was left."""
        if event.reason() not in _WINDOWS:
            self._by_keys = event.reason() in _KEYS
        self._ring = self._by_keys
        self.keys_taken.emit()
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        self._ring = False
        if event.reason() not in _WINDOWS:
            self._by_keys = True  # until the mouse says otherwise: keys that come with the window back have no reason
        super().focusOutEvent(event)
        self.viewport().update()
        self.left.emit()

    _ring, _by_keys = False, True

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        """The focus ring."""
        if self._ring:
            painter.setPen(QPen(QColor(self.theme.accent), 2))
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1))

    def _place(self, item: QGraphicsItem, stretch: int) -> None:
        row = len(self._items)
        self._items.append(item)
        self._stretches.append(stretch)
        self.grid.addItem(item, row=row, col=0)
        self._rows.setRowStretchFactor(row, stretch)
        apply = getattr(item, "apply_theme", None)
        if apply is not None:
            apply(self.theme)

    def _hit_in(self, panel: Panel, position: QPointF, modifiers: Modifiers) -> Hit:
        data = panel.to_data(position)
        return Hit(panel, data.x(), data.y(), position, modifiers)

    def _hover(self, hit: Hit | None) -> None:
        if hit is None and self._last is None:
            return
        self._last = hit
        self.hovered.emit(hit)
        if hit is None:
            self._rest.stop()
        else:
            self._rest.start()

    def _on_rest(self) -> None:
        if self._last is not None:
            self.rested.emit(self._last)

    def _on_span(self) -> None:
        if self.span is not None:
            for panel in self._linked:
                panel.set_x(self.span.low, self.span.high)
