"""The canvas of the Graph view: pan, zoom, hit and keys; only what is on show is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from engine.graph.types import Array
from gui.accessible import Role, say_changed
from gui.theme import Theme
from gui.views import graph_paint as paint
from gui.views.graph_arrange import Arrangement, Box
from gui.views.graph_cards import Picture
from gui.views.graph_paint import Face, State

MARGIN = 24.0
"""Px around the graph."""
LEAST_SCALE, MOST_SCALE = 0.03, 2.0
READABLE = 0.45
"""Below this scale cards are drawn without words."""
REST_MS = 350


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """All that the canvas draws."""

    picture: Picture
    arrangement: Arrangement
    faces: Sequence[Face]
    frames: tuple[tuple[str, str], ...]
    """Title and detail of each frame."""
    token: str
    """Colour map of the overlay."""
    heights: Array
    """Place of the first kernel of each card on the colour scale, NaN where it is not known, [cards]."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Which cards stand out."""

    selected: frozenset[int] = frozenset()
    current: int = -1
    found: frozenset[int] | None = None
    """What the search finds; None without a search."""


@dataclass(slots=True)
class _Edges:
    """Lines and heads of one arrangement, made once."""

    paths: list[QPainterPath] = field(default_factory=list)
    heads: list[QPainterPath] = field(default_factory=list)
    bounds: Array = field(default_factory=lambda: np.zeros((0, 4)))
    """Left, top, right and lower end in px, [edges, 4]."""
    ends: Array = field(default_factory=lambda: np.zeros((0, 2), int))
    """Cards of each edge, [edges, 2]."""
    cards: Array = field(default_factory=lambda: np.zeros((0, 4)))
    """As `bounds`, of the cards."""


class GraphCanvas(QWidget):
    """Draws a scene. Cards are known by their place in the picture."""

    hovered = Signal(int)
    """Card under the pointer, -1 for none."""
    rested = Signal(int, QPoint)
    clicked = Signal(int, int, object)
    """Card, place of the strip's cell under the pointer or -1, and keyboard modifiers."""
    frame_clicked = Signal(int)
    opened = Signal(int)
    """A card of folded blocks is to be unfolded."""
    moved = Signal()
    """Another part is on show."""
    menu_wanted = Signal(QPoint)
    wants_ring = True
    """The current card has a ring of its own, but it may be out of sight, or there may be none."""
    spoken_role = Role.Chart

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.speaker: Callable[[], str] = str
        """Gives the words of the current card."""
        self.scene: Scene | None = None
        self.marks = Marks()
        self.scale = 1.0
        self.offset = QPointF(0.0, 0.0)
        """Place of the widget's upper left corner on the graph."""
        self._hovered = -1
        self._echo = -1
        self._pressed: QPointF | None = None
        self._panning = False
        self._edges = _Edges()
        self._fit_pending = False
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._on_rest)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self.menu_wanted)

    # -- content ----------------------------------------------------------------------------------------------------

    def set_scene(self, scene: Scene, *, fit: bool = False) -> None:
        """Draw another scene; `fit` shows its width from the top on."""
        if self.scene is None or self.scene.arrangement is not scene.arrangement:
            self._edges = _edges_of(scene)
            self._hovered = self._echo = -1
        self.scene = scene
        if fit:
            self._fit_pending = True
            self._take_fit()
        self.update()
        self.moved.emit()

    def set_marks(self, marks: Marks) -> None:
        """Let other cards stand out."""
        if marks != self.marks:
            self.marks = marks
            self.update()
            say_changed(self)

    def spoken_value(self) -> str:
        """What the current card says."""
        return self.speaker()

    def set_echo(self, card: int) -> None:
        """Ring the card that is under the pointer of another view."""
        if card != self._echo:
            self._echo = card
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.update()

    def size_of_graph(self) -> QSize:
        """Size of the whole graph in px at scale 1."""
        a = self.scene.arrangement if self.scene is not None else None
        return QSize(round(a.width + 2 * MARGIN), round(a.height + 2 * MARGIN)) if a else QSize(1, 1)

    # -- what is on show --------------------------------------------------------------------------------------------

    def visible(self) -> QRectF:
        """The part of the graph on show."""
        return QRectF(self.offset.x(), self.offset.y(), self.width() / self.scale, self.height() / self.scale)

    def show_at(self, center: QPointF, scale: float | None = None) -> None:
        """Put a place of the graph into the middle."""
        if scale is not None:
            self.scale = min(max(scale, LEAST_SCALE), MOST_SCALE)
        half = QPointF(self.width() / 2 / self.scale, self.height() / 2 / self.scale)
        self._move_to(center - half)

    def fit(self) -> None:
        """Show everything."""
        size = self.size_of_graph()
        scale = min(self.width() / size.width(), self.height() / size.height(), 1.0)
        self.show_at(QPointF(size.width() / 2 - MARGIN, size.height() / 2 - MARGIN), scale)

    def fit_width(self) -> None:
        """Show the whole width, readable if that can be, from the top on."""
        size = self.size_of_graph()
        self.scale = min(max(self.width() / size.width(), 0.6), 1.0)
        self._move_to(QPointF(size.width() / 2 - MARGIN - self.width() / 2 / self.scale, -MARGIN))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom around a place of the widget, its middle if none is given."""
        at = at if at is not None else QPointF(self.width() / 2, self.height() / 2)
        fixed = self.offset + _times(at, 1 / self.scale)
        self.scale = min(max(self.scale * factor, LEAST_SCALE), MOST_SCALE)
        self._move_to(fixed - _times(at, 1 / self.scale))

    def reveal(self, cards: Sequence[int]) -> None:
        """Bring cards into sight if they are outside, as small a step as possible."""
        if self.scene is None or not cards:
            return
        area = _bounds([self.scene.arrangement.cards[c] for c in cards])
        if not self.visible().contains(area):
            self.show_at(area.center())

    def focus_on(self, cards: Sequence[int]) -> None:
        """Show these cards as large as they fit."""
        if self.scene is None or not cards:
            self.fit()
            return
        area = _bounds([self.scene.arrangement.cards[c] for c in cards]).adjusted(-60, -60, 60, 60)
        self.show_at(area.center(), min(self.width() / area.width(), self.height() / area.height(), 1.0))

    def card_at(self, place: QPointF) -> int:
        """The card at a place of the widget, -1 if there is none."""
        if self.scene is None:
            return -1
        x, y = self._on_graph(place)
        found = _within_area(self._edges.cards, QRectF(x, y, 0, 0))
        return int(found[0]) if found.size else -1

    def rect_of_card(self, card: int) -> QRectF:
        """Where a card stands on the widget."""
        assert self.scene is not None
        rect = paint.rect_of(self.scene.arrangement.cards[card])
        corner = _times(rect.topLeft() - self.offset, self.scale)
        return QRectF(corner.x(), corner.y(), rect.width() * self.scale, rect.height() * self.scale)

    def corners(self) -> Array:
        """Left, top, right and lower end of all cards, px on the graph, [cards, 4]."""
        return self._edges.cards

    # -- drawing ----------------------------------------------------------------------------------------------------

    def paint_to(self, painter: QPainter, target: QRectF) -> None:
        """Draw the whole graph into a rectangle."""
        size = self.size_of_graph()
        painter.save()
        painter.fillRect(target, self.theme.panel)
        painter.translate(target.topLeft())
        painter.scale(target.width() / size.width(), target.height() / size.height())
        painter.translate(MARGIN, MARGIN)
        self._draw(painter, QRectF(-MARGIN, -MARGIN, size.width(), size.height()), readable=True)
        painter.restore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is on show."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.panel)
        painter.scale(self.scale, self.scale)
        painter.translate(-self.offset)
        self._draw(painter, self.visible(), readable=self.scale >= READABLE)

    def _draw(self, painter: QPainter, area: QRectF, *, readable: bool) -> None:
        scene = self.scene
        if scene is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, readable)
        near = area.adjusted(-12, -12, 12, 12)
        for box, (title, detail) in zip(scene.arrangement.frames, scene.frames, strict=True):
            if near.intersects(paint.rect_of(box)):
                paint.paint_frame(painter, box, title, detail, self.theme, plain=not readable)
        self._draw_edges(painter, near, readable)
        draw = paint.paint_card if readable else paint.paint_small
        for i in _within_area(self._edges.cards, near).tolist():
            draw(painter, scene.arrangement.cards[i], scene.faces[i], self._state(i), self.theme, scene.token)

    def _draw_edges(self, painter: QPainter, area: QRectF, readable: bool) -> None:
        edges = self._edges
        seen = _within_area(edges.bounds, area)
        lit = np.isin(edges.ends[seen], [c for c in (self._hovered, self.marks.current) if c >= 0]).any(axis=1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        plain = QPen(self.theme.bar if readable else self.theme.bar2, 1.2 if readable else 0)
        for chosen, pen, head in (
            (seen[~lit], plain, self.theme.bar),
            (seen[lit], QPen(self.theme.accent, 1.8), self.theme.accent),
        ):
            painter.setPen(pen)
            for i in chosen.tolist():
                painter.drawPath(edges.paths[i])
            for i in chosen.tolist() if readable else ():
                painter.fillPath(edges.heads[i], head)

    def _state(self, card: int) -> State:
        marks = self.marks
        return State(
            card in marks.selected,
            card == marks.current,
            card in (self._hovered, self._echo),
            marks.found is None or card in marks.found,
            card == marks.current and self.hasFocus(),
        )

    # -- mouse and keys ---------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pan; with Ctrl zoom at the pointer, with Shift pan sideways."""
        fine, coarse = QPointF(event.pixelDelta()), QPointF(event.angleDelta())
        steps = _times(coarse, 0.5) if fine.isNull() else fine
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1.0015 ** (event.angleDelta().y() or event.angleDelta().x()), event.position())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._move_to(self.offset - QPointF((steps.y() or steps.x()) / self.scale, 0.0))
        else:
            self._move_to(self.offset - _times(steps, 1 / self.scale))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click chooses, a drag pans."""
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = event.position()
            self._panning = event.button() is Qt.MouseButton.MiddleButton

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or look for the card under the pointer."""
        place = event.position()
        if self._pressed is not None:
            if self._panning or (place - self._pressed).manhattanLength() > 4:
                self._panning = True
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self._move_to(self.offset - _times(place - self._pressed, 1 / self.scale))
                self._pressed = place
            return
        card = self.card_at(place)
        self._rest.start()
        if card != self._hovered:
            self._hovered = card
            self.hovered.emit(card)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The end of a click or a drag."""
        was_panning, self._panning = self._panning, False
        pressed, self._pressed = self._pressed, None
        self.unsetCursor()
        if pressed is None or was_panning or event.button() is not Qt.MouseButton.LeftButton:
            return
        frame = self._frame_at(event.position())
        card = self.card_at(event.position())
        if card < 0 and frame >= 0:
            self.frame_clicked.emit(frame)
        else:
            self.clicked.emit(card, self._cell_at(card, event.position()), event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Unfold."""
        card = self.card_at(event.position())
        if card >= 0:
            self.opened.emit(card)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        self._rest.stop()
        if self._hovered >= 0:
            self._hovered = -1
            self.hovered.emit(-1)
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plus and minus zoom; all else is the view's."""
        if event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.2)
        elif event.key() == Qt.Key.Key_Minus:
            self.zoom(1 / 1.2)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep to the graph."""
        super().resizeEvent(event)
        self._take_fit()
        self._move_to(self.offset)

    def stop(self) -> None:
        """No card will be asked for any more."""
        self._rest.stop()

    def _take_fit(self) -> None:
        if self._fit_pending and self.width() > 100 and self.scene is not None:
            self._fit_pending = not self.isVisible()
            self.fit_width()

    def _move_to(self, offset: QPointF) -> None:
        size = self.size_of_graph()
        x = _within(offset.x(), self.width() / self.scale, size.width())
        y = _within(offset.y(), self.height() / self.scale, size.height())
        self.offset = QPointF(x, y)
        self.update()
        self.moved.emit()

    def _on_graph(self, place: QPointF) -> tuple[float, float]:
        point = self.offset + _times(place, 1 / self.scale)
        return point.x(), point.y()

    def _frame_at(self, place: QPointF) -> int:
        if self.scene is None:
            return -1
        point = QPointF(*self._on_graph(place))
        frames = self.scene.arrangement.frames
        return next((i for i, box in enumerate(frames) if paint.frame_title(box).contains(point)), -1)

    def _cell_at(self, card: int, place: QPointF) -> int:
        if card < 0 or self.scene is None or not self.scene.faces[card].strip:
            return -1
        strip = paint.strip_rect(self.scene.arrangement.cards[card])
        point = QPointF(*self._on_graph(place))
        cells = len(self.scene.faces[card].strip)
        return int((point.x() - strip.x()) / strip.width() * cells) if strip.contains(point) else -1

    def _on_rest(self) -> None:
        if self._hovered >= 0 and self.underMouse():
            self.rested.emit(self._hovered, self.cursor().pos())


class WholeGraph:
    """The graph of a canvas as a drawing of its own size, for PNG and SVG files."""

    def __init__(self, canvas: GraphCanvas) -> None:
        self._canvas = canvas

    def size(self) -> QSize:
        """Size at scale 1."""
        return self._canvas.size_of_graph()

    def paint_to(self, painter: QPainter, target: QRectF) -> None:
        """Draw all of it."""
        self._canvas.paint_to(painter, target)


def _times(point: QPointF, factor: float) -> QPointF:
    return QPointF(point.x() * factor, point.y() * factor)


def _within(offset: float, room: float, length: float) -> float:
    """Keep a part of the graph on show: it is in the middle if it is smaller than the room."""
    if length <= room:
        return (length - room) / 2 - MARGIN
    return min(max(offset, -MARGIN), length - room - MARGIN)


def _bounds(boxes: Sequence[Box]) -> QRectF:
    area = paint.rect_of(boxes[0])
    for box in boxes[1:]:
        area = area.united(paint.rect_of(box))
    return area.adjusted(-8, -8, 8, 8)


def _within_area(bounds: Array, area: QRectF) -> Array:
    """Which boxes [n, 4] touch an area, in their order; Qt would be asked thousands of times for every frame."""
    left, top, right, low = bounds.T
    found = (left <= area.right()) & (right >= area.left()) & (top <= area.bottom()) & (low >= area.top())
    return np.flatnonzero(found)


def _edges_of(scene: Scene) -> _Edges:
    made, bounds = _Edges(), []
    for points, residual in zip(scene.arrangement.edges, scene.arrangement.residual, strict=True):
        path = paint.edge_path(points, residual)
        made.paths.append(path)
        made.heads.append(paint.arrow_path(points, residual))
        bounds.append(path.boundingRect().adjusted(-1, -1, 1, 1).getCoords())
    made.bounds = np.array(bounds, float).reshape(-1, 4)
    made.ends = np.array(scene.picture.edges, int).reshape(-1, 2)
    made.cards = np.array([(b.x, b.y, b.right, b.bottom) for b in scene.arrangement.cards], float).reshape(-1, 4)
    return made
