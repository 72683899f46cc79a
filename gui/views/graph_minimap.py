"""The whole graph in a corner of the canvas, with the part on show; a click or a drag goes there."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from gui.paint import with_alpha
from gui.views.graph_canvas import MARGIN, GraphCanvas, Scene
from gui.views.graph_paint import ground_of, rect_of

MOST_WIDTH, MOST_HEIGHT = 120, 170
PAD = 6


class Minimap(QWidget):
    """Drawn once for each scene; only the frame moves."""

    def __init__(self, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._picture = QPixmap()
        self._drawn: object = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        canvas.moved.connect(self._on_moved)

    def place(self) -> None:
        """Take the size that the graph asks for, in the lower right corner; hide where all is on show."""
        size = self._canvas.size_of_graph()
        scale = self._scale()
        self.resize(round(size.width() * scale) + 2 * PAD, round(size.height() * scale) + 2 * PAD)
        self.move(self._canvas.width() - self.width() - 12, self._canvas.height() - self.height() - 12)
        seen = self._canvas.visible()
        small = seen.width() < size.width() - 1 or seen.height() < size.height() - 1
        room = self._canvas.width() > 3 * self.width() and self._canvas.height() > self.height() + 80
        self.setVisible(self._canvas.scene is not None and small and room)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the map and the frame of what is on show."""
        canvas, theme = self._canvas, self._canvas.theme
        if self._drawn is not canvas.scene or self._picture.size() != self.size() * self.devicePixelRatioF():
            self._draw_map()
        painter = QPainter(self)
        painter.setPen(QPen(theme.border, 1))
        painter.setBrush(with_alpha(theme.raised, 0.94))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.drawPixmap(0, 0, self._picture)
        seen, scale = canvas.visible(), self._scale()
        left, top = (seen.x() + MARGIN) * scale + PAD, (seen.y() + MARGIN) * scale + PAD
        frame = QRectF(left, top, seen.width() * scale, seen.height() * scale)
        frame = frame.intersected(QRectF(self.rect()).adjusted(2, 2, -2, -2))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.accent, 1.4))
        painter.setBrush(with_alpha(theme.accent, 0.08))
        painter.drawRoundedRect(frame, 2, 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Not a click on the canvas behind."""
        event.accept()

    def _scale(self) -> float:
        size = self._canvas.size_of_graph()
        return min(MOST_WIDTH / size.width(), MOST_HEIGHT / size.height())

    def _go(self, place: QPointF) -> None:
        scale = self._scale()
        self._canvas.show_at(QPointF((place.x() - PAD) / scale - MARGIN, (place.y() - PAD) / scale - MARGIN))

    def _on_moved(self) -> None:
        self.place()
        self.update()

    def _draw_map(self) -> None:
        canvas, ratio = self._canvas, self.devicePixelRatioF()
        self._drawn = canvas.scene
        self._picture = QPixmap(self.size() * ratio)
        self._picture.setDevicePixelRatio(ratio)
        self._picture.fill(Qt.GlobalColor.transparent)
        if canvas.scene is None:
            return
        painter = QPainter(self._picture)
        scale = self._scale()
        for place in self._chosen(canvas.scene, scale * ratio):
            box, face = canvas.scene.arrangement.cards[place], canvas.scene.faces[place]
            ground = ground_of(face, canvas.theme, canvas.scene.token)
            plain = ground in (canvas.theme.panel, canvas.theme.raised)
            rect = rect_of(box).translated(MARGIN, MARGIN)
            target = QRectF(rect.x() * scale + PAD, rect.y() * scale + PAD, rect.width() * scale, rect.height() * scale)
            painter.fillRect(
                target.adjusted(0, 0, 0, max(0.0, 1 - target.height())), canvas.theme.bar2 if plain else ground
            )
        painter.end()

    def _chosen(self, scene: Scene, scale: float) -> list[int]:
        """The cards to draw: of those that begin on one pixel only the worst, which the others would hide."""
        first = np.floor(self._canvas.corners()[:, :2] * scale)
        worst = np.argsort(-np.nan_to_num(scene.heights, nan=-1.0), kind="stable")
        _, places = np.unique(first[worst], axis=0, return_index=True)
        return sorted(worst[places].tolist())
