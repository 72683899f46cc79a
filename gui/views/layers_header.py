"""The header of the Layers table: two lines (name, unit) and an arrow at the column that sorts."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from gui.fonts import font
from gui.icons import paint_icon
from gui.theme import Theme
from gui.views.layers_columns import COLUMNS
from gui.views.layers_model import LayersModel

HEIGHT = 32
_LEFT = {"name": 4}


class LayersHeader(QHeaderView):
    """Click sorts, a second click turns the order round; columns can be dragged and resized."""

    def __init__(self, model: LayersModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._layers = model
        self.theme = theme
        self.setSectionsClickable(True)
        self.setSectionsMovable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(30)
        self.setFixedHeight(HEIGHT)
        self.setSortIndicatorShown(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(self.tr("Column headers"))
        self.sectionClicked.connect(self._on_clicked)

    def sizeHint(self) -> QSize:
        """Two lines."""
        return QSize(super().sizeHint().width(), HEIGHT)

    def _on_clicked(self, section: int) -> None:
        self._layers.sort_or_turn(COLUMNS[section].key)
        self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Paint name, unit and sort arrow of one column."""
        column, theme = COLUMNS[section], self.theme
        painter.save()
        painter.fillRect(rect, theme.raised)
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, theme.border)
        caption = str(self._layers.headerData(section, Qt.Orientation.Horizontal))
        unit = str(self._layers.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.UserRole) or "")
        area = self._text_area(rect, section)
        side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
        sorts = column.key == self._layers.sort_key
        painter.setFont(font(11, 600))
        painter.setPen(theme.text)
        if unit:
            top = QRect(area.x(), rect.y() + 3, area.width(), 14)
            below = QRect(area.x(), rect.y() + 16, area.width(), 13)
        else:
            top, below = QRect(area.x(), rect.y(), area.width(), rect.height() - 1), QRect()
        room = area.width() - (12 if sorts and not column.right else 0)
        shown = painter.fontMetrics().elidedText(caption, Qt.TextElideMode.ElideRight, room)
        painter.drawText(top, int(side | Qt.AlignmentFlag.AlignVCenter), shown)
        width = painter.fontMetrics().horizontalAdvance(shown)
        if unit:
            painter.setFont(font(10))
            painter.setPen(theme.muted)
            painter.drawText(below, int(side | Qt.AlignmentFlag.AlignVCenter), unit)
        if sorts:
            left = top.right() - width - 13 if column.right else top.x() + width + 3
            icon = "chevron-down" if self._layers.descending else "chevron-up"
            paint_icon(painter, icon, QRectF(left, top.center().y() - 5, 11, 11), theme.accent)
        painter.restore()

    def _text_area(self, rect: QRect, section: int) -> QRect:
        column = COLUMNS[section]
        left = 2 if column.right else _LEFT.get(column.key, 8)
        right = 13 if column.key == "index" else 8 if column.right else 2
        return rect.adjusted(left, 0, -right, 0)
