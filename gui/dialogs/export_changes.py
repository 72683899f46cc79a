"""What a target changes of a plan: kernels by what they get instead and why, then what else its reader should know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from engine.interop.handover import Change, Handover, spell
from engine.precision.scheme import Scheme, family, label
from gui.fonts import font, text_width
from gui.i18n import text as translated
from gui.icons import paint_icon
from gui.paint import badge, badge_width
from gui.theme import Theme, theme_manager
from gui.views.scheme_words import scheme_words
from gui.widgets.themed import follow_theme

_ENTRY = Qt.ItemDataRole.UserRole
_OPEN_UP_TO = 12
"""A list of at most so many changes shows every kernel at once; a longer one is folded."""
_LEFT, _ROW = 26, 22
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Group:
    """Kernels that get the same for the same reason."""

    asked: Scheme
    gets: Scheme
    reason: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence about the whole model."""

    sentence: str


def grouped(changes: Iterable[Change]) -> list[Group]:
    """Changes by scheme and reason, in the order in which the network has them."""
    found: dict[tuple[Scheme, Scheme, str], list[str]] = {}
    for change in changes:
        found.setdefault((change.asked, change.gets, translated(change.reason)), []).append(change.name)
    return [Group(asked, gets, reason, tuple(names)) for (asked, gets, reason), names in found.items()]


def words(scheme: Scheme, other: Scheme) -> str:
    """What a badge leaves out; in full where the short words don't tell two schemes apart."""
    if _short(scheme) != _short(other):
        return scheme_words(scheme)
    return spell(scheme).partition("(")[2].rstrip(")")


def _short(scheme: Scheme) -> tuple[object, ...]:
    weights = scheme.weights
    return weights.bits, weights.granularity, weights.group, scheme.activations.bits, scheme.activations.floating


class ChangesView(QTreeWidget):
    """Groups that unfold to their kernels, and notes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("What the target changes"))
        self.setItemDelegate(_Delegate(self))
        self.itemClicked.connect(self._on_click)
        follow_theme(self, self._apply_theme)

    def show_handover(self, handover: Handover) -> None:
        """Show what changes and what else should be known."""
        self.clear()
        for group in grouped(handover.changes):
            top = self._item(group, self._spoken(group))
            self.addTopLevelItem(top)
            for name in group.names:
                top.addChild(self._item(name, name))
            top.setExpanded(len(handover.changes) <= _OPEN_UP_TO)
        for note in handover.notes:
            self.addTopLevelItem(self._item(Note(translated(note)), translated(note)))
        self.scrollToTop()

    def count_text(self, group: Group) -> str:
        """How many kernels a group has."""
        return self.tr("%n kernel(s)", "", len(group.names))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Sentences break anew."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def _spoken(self, group: Group) -> str:
        asked, gets = (f"{label(s)} {words(s, o)}".rstrip() for s, o in _both(group))
        return f"{asked} → {gets}, {self.count_text(group)}: {group.reason}"

    @staticmethod
    def _item(entry: object, spoken: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([spoken])
        item.setData(0, _ENTRY, entry)
        item.setToolTip(0, spoken)
        return item

    @staticmethod
    def _on_click(item: QTreeWidgetItem) -> None:
        if item.childCount():
            item.setExpanded(not item.isExpanded())

    def _apply_theme(self, theme: Theme) -> None:
        self.viewport().update()


def _both(group: Group) -> tuple[tuple[Scheme, Scheme], tuple[Scheme, Scheme]]:
    return (group.asked, group.gets), (group.gets, group.asked)


class _Delegate(QStyledItemDelegate):
    """Paints groups, kernels and notes."""

    def __init__(self, view: ChangesView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A group is a line of badges and its reason, a note its sentence, a kernel one line."""
        entry = index.data(_ENTRY)
        width = max(80, self._view.viewport().width())
        if isinstance(entry, Group):
            return QSize(width, 34 + _height(entry.reason, width - _LEFT - 12))
        if isinstance(entry, Note):
            return QSize(width, 12 + _height(entry.sentence, width - _LEFT - 12))
        return QSize(width, _ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Ground, focus, then what the row is."""
        theme, entry = theme_manager.theme, index.data(_ENTRY)
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.selection)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, theme.hover)
        if isinstance(entry, Group):
            self._group(painter, area, entry, theme, folded=not self._view.isExpanded(index))
        elif isinstance(entry, Note):
            paint_icon(painter, "info", QRectF(area.left() + 6, area.top() + 7, 14, 14), theme.muted)
            self._sentence(painter, area.adjusted(_LEFT, 6, -12, 0), entry.sentence, theme)
        else:
            painter.setFont(font(12))
            painter.setPen(theme.text)
            inner = area.adjusted(_LEFT, 0, -12, 0)
            name = QFontMetrics(font(12)).elidedText(str(entry), Qt.TextElideMode.ElideMiddle, inner.width())
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.accent, 2))
            painter.drawRect(area.adjusted(1, 1, -2, -2))
        painter.restore()

    def _group(self, painter: QPainter, area: QRect, group: Group, theme: Theme, *, folded: bool) -> None:
        arrow = "chevron-right" if folded else "chevron-down"
        paint_icon(painter, arrow, QRectF(area.left() + 6, area.top() + 8, 14, 14), theme.muted)
        x, y = float(area.left() + _LEFT), area.top() + 7.0
        count = self._view.count_text(group)
        end = area.right() - 12 - text_width(count, 11)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for number, (scheme, other) in enumerate(_both(group)):
            if number:
                painter.setFont(font(12))
                painter.setPen(theme.muted)
                painter.drawText(QRectF(x, y, 16, 16), Qt.AlignmentFlag.AlignCenter, "→")
                x += 22
            badge(painter, QPointF(x, y), family(scheme), label(scheme), theme)
            x += badge_width(label(scheme)) + 6
            painter.setFont(font(11))
            painter.setPen(theme.text2)
            room = max(0.0, min(text_width(words(scheme, other), 11), end - x - 8))
            shown = QFontMetrics(font(11)).elidedText(
                words(scheme, other), Qt.TextElideMode.ElideRight, round(room + 1)
            )
            painter.drawText(QRectF(x, y, room + 2, 16), middle, shown)
            x += room + (8 if room else 0)
        painter.setFont(font(11))
        painter.setPen(theme.muted)
        painter.drawText(QRectF(end, y, area.right() - 11 - end, 16), middle, count)
        self._sentence(painter, area.adjusted(_LEFT, 28, -12, 0), group.reason, theme)

    @staticmethod
    def _sentence(painter: QPainter, area: QRect, sentence: str, theme: Theme) -> None:
        painter.setFont(font(11))
        painter.setPen(theme.text2)
        painter.drawText(area, _WRAP, sentence)


def _height(sentence: str, width: int) -> int:
    return QFontMetrics(font(11)).boundingRect(QRect(0, 0, max(40, width), 10_000), int(_WRAP), sentence).height()
