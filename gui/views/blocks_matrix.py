"""The matrix of the Blocks view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.accessible import Role, say_changed
from gui.fonts import font, text_width
from gui.paint import map_color, nibble_mark, readable_on
from gui.theme import Theme
from gui.views.graph_overlay import Overlay

ROW, HEAD, FOOT = 24, 26, 24
NUMBER, TOTAL = 40, 56
CELL = 34
"""Widest a cell gets for its own sake, px; it is not narrower than LEAST."""
LEAST = 18
NAMED = 72
"""Widest a cell gets so that the name over it is whole."""
UPRIGHT = 184
"""Longest a name gets that stands upright, px."""
NEAR = 6
"""Px that names side by side are apart."""
REST_MS = 350


@dataclass(frozen=True, eq=False, slots=True)
class Matrix:
    """All that is drawn."""

    names: tuple[str, ...]
    roles: tuple[str, ...]
    kernels: tuple[tuple[int, ...], ...]
    """Index of the kernel by row and column."""
    overlay: Overlay
    families: tuple[str, ...]
    """Precision of every kernel of the network."""
    totals: tuple[str, ...]
    stale: tuple[bool, ...]
    total_name: str


def role_names(roles: Sequence[str]) -> tuple[str, ...]:
    """Short words for columns: "self_attn.q_proj" is "q"; where two would be the same, the longer ones stay."""
    short = [role.rsplit(".", 1)[-1].removesuffix("_proj") for role in roles]
    longer = [".".join(role.split(".")[-2:]) for role in roles]
    return tuple(s if short.count(s) == 1 else w for s, w in zip(short, longer, strict=True))


class BlockMatrix(QWidget):
    """Draws a matrix; a kernel is known by its index in the network."""

    clicked = Signal(int, object)
    wants_ring = True
    spoken_role = Role.Chart
    hovered = Signal(int)
    rested = Signal(int, QPoint)
    menu_wanted = Signal(QPoint)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.speaker: Callable[[], str] = str
        """Gives the words of the current kernel."""
        self.data: Matrix | None = None
        self._current = self._echo = self._hovered = -1
        self._places: dict[int, tuple[int, int]] = {}
        self._widest = 0.0
        """Px of the longest name of a column."""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._on_rest)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda at: self.menu_wanted.emit(self.mapToGlobal(at)))

    def set(self, data: Matrix) -> None:
        """Draw other figures."""
        if self.data is not None and self.data.kernels != data.kernels:
            self._rest.stop()  # the kernel under the pointer is another one, or none
            self._hovered = -1
        self.data = data
        self._places = {k: (r, c) for r, row in enumerate(data.kernels) for c, k in enumerate(row)}
        self._widest = max((text_width(role, 11, 600) for role in data.roles), default=0.0)
        self.setMinimumWidth(NUMBER + LEAST * len(data.roles) + TOTAL)
        self._fit()
        self.update()

    @property
    def head(self) -> int:
        """Px of the row of names: where one has no room above its column, all stand upright."""
        return round(min(UPRIGHT, self._widest)) + 10 if self._upright else HEAD

    @property
    def _upright(self) -> bool:
        return self._widest + NEAR > self._cell()

    def _fit(self) -> None:
        if self.data is not None:
            self.setMinimumHeight(self.head + ROW * len(self.data.names) + FOOT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names may lie down, or have to stand up."""
        super().resizeEvent(event)
        self._fit()

    def set_current(self, kernel: int) -> None:
        """Outline a kernel, -1 for none."""
        self._current = kernel
        self.update()
        say_changed(self)

    def spoken_value(self) -> str:
        """What is known of the current kernel."""
        return self.speaker()

    def set_echo(self, kernel: int) -> None:
        """Ring the kernel under the pointer of another view."""
        if kernel != self._echo:
            self._echo = kernel
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.update()

    def stop(self) -> None:
        """No card will be asked for any more."""
        self._rest.stop()

    def row_of_kernel(self, kernel: int) -> QRect | None:
        """Where the row of a kernel stands."""
        place = self._places.get(kernel)
        return QRect(0, self.head + place[0] * ROW, self.width(), ROW) if place is not None else None

    def sizeHint(self) -> QSize:
        """Room for all rows."""
        return self.minimumSize()

    def paint_to(self, painter: QPainter, target: QRectF) -> None:
        """Draw everything into a rectangle."""
        painter.save()
        painter.fillRect(target, self.theme.panel)
        painter.translate(target.topLeft())
        painter.scale(target.width() / self.width(), target.height() / self.height())
        self._draw(painter, QRectF(0, 0, self.width(), self.height()))
        painter.restore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows on show."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self.theme.panel)
        self._draw(painter, QRectF(event.rect()))

    def _draw(self, painter: QPainter, area: QRectF) -> None:
        data = self.data
        if data is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cell = self._cell()
        painter.setPen(self.theme.text2)
        painter.setFont(font(11, 600))
        for c, role in enumerate(data.roles):
            self._draw_name(painter, QRectF(NUMBER + c * cell, 0, cell, self.head), role)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self._total(0).translated(0, -ROW), right, data.total_name)
        lit = self._places.get(self._current, (-1, -1))[0]
        first, last = (int((y - self.head) // ROW) for y in (area.top(), area.bottom()))
        for r in range(max(0, first), min(len(data.names), last + 1)):
            self._draw_row(painter, r, cell, lit=r == lit)
        self._draw_foot(painter)

    def _draw_name(self, painter: QPainter, place: QRectF, role: str) -> None:
        """The name of a column, read upwards where it stands."""
        if not self._upright:
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, role)
            return
        words = painter.fontMetrics().elidedText(role, Qt.TextElideMode.ElideMiddle, self.head - 8)
        painter.save()
        painter.translate(place.left(), place.bottom())
        painter.rotate(-90)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(5, 0, place.height() - 5, place.width()), left, words)
        painter.restore()

    def _draw_row(self, painter: QPainter, r: int, cell: float, *, lit: bool) -> None:
        data, theme = self.data, self.theme
        assert data is not None
        if lit:
            painter.fillRect(QRectF(0, self.head + r * ROW, self.width(), ROW), theme.selection)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(11, 600 if lit else 400))
        painter.setPen(theme.text if lit else theme.muted)
        painter.drawText(QRectF(0, self.head + r * ROW, NUMBER - 10, ROW), right, data.names[r])
        for c, kernel in enumerate(data.kernels[r]):
            rect = QRectF(NUMBER + c * cell + 1.5, self.head + r * ROW + 2, cell - 3, ROW - 4)
            self._draw_cell(painter, rect, kernel)
        painter.setFont(font(11, italic=data.stale[r]))
        painter.setPen(theme.text2)
        painter.drawText(self._total(r), right, ("≈" if data.stale[r] else "") + data.totals[r])

    def _draw_cell(self, painter: QPainter, rect: QRectF, kernel: int) -> None:
        data, theme = self.data, self.theme
        assert data is not None
        family, height = data.families[kernel], float(data.overlay.heights[kernel])
        colors = theme.precision(family)
        if data.overlay.scaled and not isnan(height):
            ground = map_color(getattr(theme, data.overlay.token), height)
            ink = readable_on(ground)
        elif data.overlay.scaled:
            ground, ink = theme.sunken, theme.muted
        else:
            ground, ink = colors.soft, colors.main
        ring = kernel in (self._echo, self._hovered)
        edge = theme.accent if ring else theme.border if data.overlay.scaled else colors.line
        painter.setPen(QPen(theme.ink, 2) if kernel == self._current else QPen(edge, 1.4 if ring else 0.6))
        painter.setBrush(ground)
        painter.drawRoundedRect(rect, 3, 3)
        if family != "INT4" or not data.overlay.scaled:
            corner = rect.center() - QPointF(3.5, 3.5)
            nibble_mark(painter, corner, family, ink)

    def _draw_foot(self, painter: QPainter) -> None:
        data = self.data
        assert data is not None
        words = self.tr("unmarked: INT4") if data.overlay.scaled else ""
        y = self.head + ROW * len(data.names) + 4
        x = 12.0
        painter.setFont(font(11))
        for family in ("INT8", "FP16") if data.overlay.scaled else ("INT4", "INT8", "FP16"):
            nibble_mark(painter, QPointF(x, y + 5), family, self.theme.text2)
            painter.setPen(self.theme.muted)
            width = text_width(family, 11)
            painter.drawText(QRectF(x + 12, y, width + 2, 18), Qt.AlignmentFlag.AlignVCenter, family)
            x += 12 + width + 14
        painter.drawText(QRectF(x, y, max(0.0, self.width() - x), 18), Qt.AlignmentFlag.AlignVCenter, words)

    def _cell(self) -> float:
        count = max(1, len(self.data.roles) if self.data is not None else 1)
        room = (self.width() - NUMBER - TOTAL) / count
        wish = self._widest + NEAR
        return wish if CELL < wish <= min(room, NAMED) else min(float(CELL), max(float(LEAST), room))

    def _total(self, r: int) -> QRectF:
        return QRectF(self.width() - TOTAL, self.head + r * ROW, TOTAL - 12, ROW)

    def _kernel_at(self, x: float, y: float) -> int:
        if self.data is None or x < NUMBER or y < self.head:
            return -1
        r, c = int((y - self.head) / ROW), int((x - NUMBER) / self._cell())
        inside = r < len(self.data.names) and c < len(self.data.roles)
        return self.data.kernels[r][c] if inside else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the kernel under the pointer."""
        kernel = self._kernel_at(event.position().x(), event.position().y())
        if event.button() is Qt.MouseButton.LeftButton and kernel >= 0:
            self.clicked.emit(kernel, event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tint the cell under the pointer."""
        kernel = self._kernel_at(event.position().x(), event.position().y())
        self._rest.start()
        if kernel != self._hovered:
            self._hovered = kernel
            self.hovered.emit(kernel)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        self._rest.stop()
        self._hovered = -1
        self.hovered.emit(-1)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys move from cell to cell."""
        step = {
            Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0),
        }.get(Qt.Key(event.key()))  # fmt: skip
        if step is None or self.data is None:
            super().keyPressEvent(event)
            return
        r, c = self._places.get(self._current, (-step[0], -step[1]))
        r = min(max(r + step[0], 0), len(self.data.names) - 1)
        c = min(max(c + step[1], 0), len(self.data.roles) - 1)
        self.clicked.emit(self.data.kernels[r][c], event.modifiers())

    def _on_rest(self) -> None:
        if self._hovered >= 0 and self.underMouse():
            self.rested.emit(self._hovered, self.cursor().pos())
