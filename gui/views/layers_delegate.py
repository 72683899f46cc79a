"""How the cells of the Layers table are painted.

Everything is read from the model's snapshot; a cell costs a few painter calls and no computation beyond its bar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, isnan

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QRegion
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTableView

from engine.precision.scheme import label
from gui import format as form
from gui import paint
from gui.fonts import face, font
from gui.i18n import language
from gui.icons import paint_icon
from gui.theme import Theme
from gui.views.fitting import fitting_name
from gui.views.fitting_ops import fitting_op
from gui.views.layers_columns import BY_KEY, COLUMNS, COMPARED, title
from gui.views.layers_flags import flags_of
from gui.views.layers_model import LayersModel
from gui.views.layers_rows import LEAST_KL, LEAST_L2, LayerRows, with_threshold
from gui.views.words import no_switch_word

PAD = 8
"""Room left of text and right of figures."""
FIGURE = {"accumulated": 44, "sensitivity": 54, "latency": 44}
"""Width of the figure in columns with a bar, so that figures and bar starts are straight."""
SWITCH = QSize(144, 17)
# Flags are joined once: doing it per cell costs more than drawing the text.
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_TAIL = {"accumulated": 12, "sensitivity": 16, "latency": 20}
"""Room after the bar, for ticks, dots and arrows."""


class Pen:
    """A painter that is told of a font only when it changes: that costs more than writing a figure."""

    __slots__ = ("_face", "painter")

    def __init__(self, painter: QPainter) -> None:
        self.painter = painter
        self._face: QFont | None = None

    def take(self, face: QFont) -> None:
        """Write in a font of `gui.fonts.face`."""
        if face is not self._face:
            self._face = face
            self.painter.setFont(face)


@dataclass(slots=True)
class Cell:
    """What a painting function gets."""

    pen: Pen
    rect: QRect
    rows: LayerRows
    kernel: int
    theme: Theme
    selected: bool
    focused: bool
    hovered_segment: str | None

    @property
    def painter(self) -> QPainter:
        """Where to paint. Whoever changes more than the colour of the pen puts it back."""
        return self.pen.painter

    @property
    def quiet(self) -> QColor:
        """Colour of secondary text: `muted` becomes `text2` on a selected row."""
        return self.theme.text2 if self.selected else self.theme.muted


class HoverTable(QTableView):
    """A table that knows which rows are hovered."""

    layers: LayersModel
    hover_row = -1
    echo_row = -1
    """Row of the kernel that is hovered in another view."""


class LayersDelegate(QStyledItemDelegate):
    """Paints cells, and knows where the segments of a switch are."""

    def __init__(self, view: HoverTable, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self.theme = theme
        self.hovered: tuple[int, str] | None = None
        """Kernel index and family of the segment under the mouse."""
        self._scaled_for: LayerRows | None = None
        self._scale: dict[str, float] = {}
        self._painters = self._all_painters()

    def paint_rows(self, painter: QPainter, region: QRegion) -> None:
        """Paint all cells that a region of the viewport touches."""
        view, rows = self._view, self._view.layers.rows
        if rows is None:
            return
        dirty = region.boundingRect()
        placed = [
            (column, view.columnViewportPosition(place), view.columnWidth(place))
            for place, column in enumerate(COLUMNS)
            if not view.isColumnHidden(place)
        ]
        first, last = view.rowAt(dirty.top()), view.rowAt(dirty.bottom())
        if first < 0 or not placed:
            return
        left = min(x for _, x, _ in placed)
        width = max(x + wide for _, x, wide in placed) - left
        start, height = view.rowViewportPosition(first), view.rowHeight(first)  # rows never differ in height
        shown = range(first, (last if last >= 0 else len(view.layers.order) - 1) + 1)
        parts = list(region) if region.rectCount() > 1 else [dirty]  # type: ignore[call-overload]
        places = {row: QRect(left, start + (row - first) * height, width, height) for row in shown}
        places = {row: area for row, area in places.items() if any(map(area.intersects, parts))}
        selected, current = _selected_rows(view, shown), view.currentIndex().row()
        for row, area in places.items():  # all grounds first, as the cells are clipped
            self._ground(painter, area, row, current, row in selected)
        columns = [at for at in placed if at[1] <= dirty.right() and at[1] + at[2] > dirty.left()]
        pen, active = Pen(painter), view.hasFocus()
        for row, area in places.items():
            kernel = view.layers.kernel_at(row)
            segment = self.hovered[1] if self.hovered and self.hovered[0] == kernel else None
            for column, x, wide in columns:
                rect = QRect(x, area.y(), wide, height)
                if not any(map(rect.intersects, parts)):
                    continue
                painter.setClipRect(rect)
                cell = Cell(pen, rect, rows, kernel, self.theme, row in selected, active and row == current, segment)
                self._painters[column.paint](cell, column.key)
        painter.setClipping(False)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Comfortable width of the column."""
        return QSize(COLUMNS[index.column()].width, 24)

    def wishes(self, rows: LayerRows) -> dict[str, int]:
        """Width at which the longest name, operator and number of weights are whole, and every title of figures."""
        bold, plain = QFontMetricsF(font(12, 500)), QFontMetricsF(font(12))
        largest = 2.0 * float(max(rows.shape.params, default=0.0))  # bytes in FP16, whatever the plan has now
        longest = sorted(rows.shape.names, key=len)[-24:]
        ops = sorted(set(rows.shape.ops), key=len)[-24:]
        heading = QFontMetricsF(font(11, 600))
        titles = {
            column.key: round(heading.horizontalAdvance(title(column.key))) + 2 * PAD
            for column in COLUMNS
            if not column.stretch and column.key != "index"
        }
        weights = round(plain.horizontalAdvance(form.kib_figure(largest))) + 2 * PAD
        return titles | {
            "name": round(max(map(bold.horizontalAdvance, longest), default=0)) + 2 * PAD + 2,
            "op": round(max(map(plain.horizontalAdvance, ops), default=0)) + 2 * PAD,
            "weights": max(titles["weights"], weights),
        }

    # The switch.

    def segment_at(self, cell: QRect, position: QPoint) -> str | None:
        """Family under a point, for the switch of the cell at `cell`."""
        return paint.switch_hit(switch_rect(cell), QPointF(position))

    def segment_rect(self, cell: QRect, family: str) -> QRect:
        """Where a segment is."""
        return paint.switch_segments(switch_rect(cell))[paint.FAMILIES.index(family)].toRect()

    # Painting.

    def _all_painters(self) -> dict[str, Callable[[Cell, str], None]]:
        return {
            "text": _text,
            "index": _index,
            "name": _name,
            "switch": _switch,
            "number": _number,
            "delta": _delta,
            "error": _local,
            "accumulated": _accumulated,
            "sensitivity": self._sensitivity,
            "latency": self._latency,
            "flags": _flags,
        }

    def _ground(self, painter: QPainter, area: QRect, row: int, current: int, selected: bool) -> None:
        theme = self.theme
        ground = theme.selection if selected else theme.hover if row == self._view.hover_row else None
        if ground is not None:
            painter.fillRect(area, ground)
        painter.fillRect(area.x(), area.bottom(), area.width(), 1, theme.hair)
        if row == self._view.echo_row:
            painter.fillRect(area.x(), area.y(), area.width(), 1, theme.accent)
            painter.fillRect(area.x(), area.bottom(), area.width(), 1, theme.accent)
        if row == current:
            painter.fillRect(area.x(), area.y(), 3, area.height(), theme.accent)

    def _sensitivity(self, cell: Cell, key: str) -> None:
        value = float(cell.rows.sensitivity[cell.kernel])
        _figure(cell, key, BY_KEY[key].text(cell.rows, cell.kernel), cell.theme.text, indicative=cell.rows.synthetic)
        if isnan(value):
            return
        full = self._full(cell.rows, "sensitivity")
        estimated = bool(cell.rows.sensitivity_estimated[cell.kernel])
        fraction = value / full if full > 0 else 0.0
        paint.sensitivity_bar(cell.painter, bar_rect(cell.rect, key), fraction, cell.theme, estimated=estimated)

    def _latency(self, cell: Cell, key: str) -> None:
        rows, i = cell.rows, cell.kernel
        value, launch, before = float(rows.latency_us[i]), float(rows.launch_us[i]), float(rows.previous_us[i])
        _figure(cell, key, BY_KEY[key].text(rows, i), cell.theme.text)
        full = self._full(rows, "latency")
        if isnan(value) or not full > 0:
            return
        previous = None if isnan(before) else before / full
        paint.latency_bar(cell.painter, bar_rect(cell.rect, key), value / full, launch / full, previous, cell.theme)

    def _full(self, rows: LayerRows, key: str) -> float:
        """Value at the end of the bars, once per snapshot."""
        if self._scaled_for is not rows:
            self._scaled_for = rows
            self._scale = {
                "sensitivity": with_threshold(rows.sensitivity, least=LEAST_KL if rows.sensitivity_is_kl else LEAST_L2),
                "latency": with_threshold(rows.latency_us),
            }
        return self._scale[key]


def _selected_rows(view: HoverTable, shown: range) -> set[int]:
    """Which of these rows are selected. Asking the selection row by row takes longer than their ground."""
    ranges = view.selectionModel().selection()
    found: set[int] = set()
    for part in (ranges.at(i) for i in range(ranges.count())):
        found.update(range(max(part.top(), shown.start), min(part.bottom() + 1, shown.stop)))
    return found


def switch_rect(cell: QRect) -> QRectF:
    """The switch inside its cell."""
    top = cell.y() + (cell.height() - 1 - SWITCH.height()) // 2 + 0
    return QRectF(cell.x() + PAD, top, SWITCH.width(), SWITCH.height())


def bar_rect(cell: QRect, key: str) -> QRectF:
    """The track of an inline bar inside its cell."""
    left = cell.x() + PAD + FIGURE[key] + 6
    return QRectF(left, cell.y(), max(12, cell.right() - _TAIL[key] - left), cell.height() - 1)


def _draw(cell: Cell, rect: QRect, words: str, color: QColor, align: int) -> None:
    cell.painter.setPen(color)
    cell.painter.drawText(rect, align, words)


def _elided(cell: Cell, words: str, width: int) -> str:
    return cell.painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, width)


def _text(cell: Cell, key: str) -> None:
    rect = cell.rect.adjusted(PAD, 0, -2, -1)
    words = BY_KEY[key].text(cell.rows, cell.kernel)
    cell.pen.take(face(12))
    launch = key == "bound" and cell.rows.bounds[cell.kernel] in ("Launch", "-", "")
    color = cell.quiet if launch or key in ("shape", "unit") else cell.theme.text2
    words = fitting_op(words, "", rect.width(), 12) if key == "op" else _elided(cell, words, rect.width())
    _draw(cell, rect, words, color, _LEFT)


def _index(cell: Cell, key: str) -> None:
    cell.pen.take(face(12))
    _draw(cell, cell.rect.adjusted(4, 0, -13, -1), str(cell.kernel), cell.quiet, _RIGHT)
    if cell.rows.differs[cell.kernel]:
        middle = QPointF(cell.rect.right() - 4, cell.rect.y() + (cell.rect.height() - 1) / 2)
        paint.dot(cell.painter, middle, 2.25, cell.theme.accent)


def _name(cell: Cell, key: str) -> None:
    """Path in secondary colour, the last part emphasised; the path gives way first."""
    rect = cell.rect.adjusted(4, 0, -4, -1)
    shape = cell.rows.shape
    head, tail = fitting_name(shape.names[cell.kernel], rect.width(), short=shape.short[cell.kernel])
    cell.pen.take(face(12))
    _draw(cell, rect, head, cell.theme.text2, _LEFT)
    left = cell.painter.fontMetrics().horizontalAdvance(head)
    cell.pen.take(face(12, 600))
    _draw(cell, rect.adjusted(left, 0, 0, 0), tail, cell.theme.text, _LEFT)


def _switch(cell: Cell, key: str) -> None:
    rows, i = cell.rows, cell.kernel
    if not rows.shape.tunable[i]:
        cell.pen.take(face(11, italic=language() != "zh"))
        rect = cell.rect.adjusted(PAD, 0, -4, -1)
        words = _elided(cell, no_switch_word(rows.shape.kinds[i], rows.units[i]), rect.width())
        _draw(cell, rect, words, cell.quiet, _LEFT)
        return
    family = rows.families[i] if rows.families[i] in paint.FAMILIES else None
    look = paint.SwitchLook(
        chosen=family,
        label=label(rows.schemes[i].rounded),
        method=rows.schemes[i] != rows.schemes[i].rounded,
        bits=rows.schemes[i].weights.bits,
        unsupported=rows.unsupported_families[i],
        focused=cell.focused,
        hovered=cell.hovered_segment,
        locked=bool(rows.locked[i]),
    )
    paint.paint_switch(cell.painter, switch_rect(cell.rect), look, cell.theme)


def _number(cell: Cell, key: str) -> None:
    words = BY_KEY[key].text(cell.rows, cell.kernel)
    color = cell.theme.text if words != form.MISSING else cell.quiet
    cell.pen.take(face(12))
    _draw(cell, cell.rect.adjusted(2, 0, -PAD, -1), words, color, _RIGHT)


def _delta(cell: Cell, key: str) -> None:
    """A difference to plan B: green where this plan is better, red where it is worse."""
    value = float(BY_KEY[key].number(cell.rows)[cell.kernel]) * COMPARED[key]
    color = cell.theme.good if value > 0 else cell.theme.bad if value < 0 else cell.theme.text2
    cell.pen.take(face(12))
    _draw(cell, cell.rect.adjusted(2, 0, -8, -1), BY_KEY[key].text(cell.rows, cell.kernel), color, _RIGHT)


def _local(cell: Cell, key: str) -> None:
    rows, i = cell.rows, cell.kernel
    words = BY_KEY[key].text(rows, i)
    if rows.local_overflow[i]:
        _draw_overflow(cell, cell.rect.adjusted(2, 0, -PAD, -1))
        return
    known = words != form.MISSING
    cell.pen.take(face(12))
    rect = cell.rect.adjusted(2, 0, -PAD, -1)
    _draw(cell, rect, words, cell.theme.text if known else cell.quiet, _RIGHT)
    if known and rows.synthetic:
        _indicative(cell, rect, words)


def _accumulated(cell: Cell, key: str) -> None:
    rows, i, theme = cell.rows, cell.kernel, cell.theme
    value = float(rows.accumulated_db[i])
    if rows.accumulated_overflow[i]:
        _draw_overflow(cell, figure_rect(cell.rect, key))
        return
    words = BY_KEY[key].text(rows, i)
    if isnan(value):
        _figure(cell, key, words, cell.quiet)
        return
    stale = bool(rows.accumulated_stale[i])
    required = None if isnan(rows.required_db) else rows.required_db
    if stale:
        cell.pen.take(face(12, italic=True))
        color = theme.faint if not cell.selected else cell.quiet
        _draw(cell, figure_rect(cell.rect, key), f"≈{words}", color, _RIGHT)
    else:
        short = required is not None and value < required
        _figure(cell, key, words, theme.text, weight=600 if short else 400, indicative=rows.synthetic)
    shown = value if isfinite(value) else (99.0 if value > 0 else 0.0)
    paint.error_bar(cell.painter, bar_rect(cell.rect, key), shown, required, theme, stale=stale)


def _flags(cell: Cell, key: str) -> None:
    x = cell.rect.x() + 6
    y = cell.rect.y() + (cell.rect.height() - 1 - 14) / 2
    for flag in flags_of(cell.rows, cell.kernel)[:3]:
        paint_icon(cell.painter, flag.icon, QRectF(x, y, 14, 14), getattr(cell.theme, flag.token))
        x += 16


def figure_rect(cell: QRect, key: str) -> QRect:
    """Where the figure of a column with a bar stands, right-aligned."""
    return QRect(cell.x() + 2, cell.y(), PAD - 2 + FIGURE[key], cell.height() - 1)


def _figure(cell: Cell, key: str, words: str, color: QColor, *, weight: int = 400, indicative: bool = False) -> None:
    rect = figure_rect(cell.rect, key)
    cell.pen.take(face(12, weight))
    missing = words == form.MISSING
    _draw(cell, rect, words, cell.quiet if missing else color, _RIGHT)
    if indicative and not missing:
        _indicative(cell, rect, words)


def _indicative(cell: Cell, rect: QRect, words: str) -> None:
    """A quiet "~" in front of a figure that comes from synthetic input."""
    width = cell.painter.fontMetrics().horizontalAdvance(words)
    _draw(cell, rect.adjusted(0, 0, -width - 1, 0), "~", cell.quiet, _RIGHT)


def _draw_overflow(cell: Cell, rect: QRect) -> None:
    cell.pen.take(face(11, 600))
    words = cell.painter.fontMetrics().elidedText("NaN", Qt.TextElideMode.ElideRight, rect.width())
    _draw(cell, rect, words, cell.theme.bad, _RIGHT)
    left = rect.right() - cell.painter.fontMetrics().horizontalAdvance(words) - 15
    paint_icon(cell.painter, "octagon", QRectF(left, rect.center().y() - 6, 12, 12), cell.theme.bad)
