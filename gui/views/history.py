"""History: every edit by its name, done and undone; a click goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from engine.session.changes import What
from gui.fonts import font
from gui.i18n import text as translated
from gui.icons import paint_icon
from gui.plots.shapes import plain_text
from gui.theme import Theme
from gui.views.kernel_list import RIGHT, Index
from gui.views.session_view import SessionView
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton

if TYPE_CHECKING:
    from engine.session import Session
    from engine.session.state import Step

WHO = "history"
ROW = 26
_UNDONE, _HERE, _COUNT = (Qt.ItemDataRole.UserRole + i for i in range(3))


class _Delegate(QStyledItemDelegate):
    """What is on show is marked, what is undone is quiet."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """One line."""
        return QSize(120, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Called by Qt."""
        theme, area = self.theme, QRectF(option.rect)
        here, undone = bool(index.data(_HERE)), bool(index.data(_UNDONE))
        if option.state & QStyle.StateFlag.State_Selected and option.state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(area, theme.selection)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, theme.hover)
        painter.fillRect(QRectF(area.left() + 12, area.bottom() - 1, area.width() - 24, 1), theme.hair)
        if here:
            paint_icon(painter, "check", QRectF(area.left() + 12, area.center().y() - 7, 14, 14), theme.accent)
        color: QColor = theme.muted if undone else theme.text
        count = str(index.data(_COUNT) or "")
        face = font(12, 600 if here else 400, italic=undone)
        painter.setFont(font(11))
        used = painter.fontMetrics().horizontalAdvance(count)
        line = area.adjusted(34, 0, -14, -1)
        plain_text(painter, line, count, theme.text2, font(11), RIGHT)
        painter.setFont(face)
        room = int(line.width()) - used - 10
        shown = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, room)
        plain_text(painter, line, shown, color, face)


class HistoryView(SessionView):
    """The newest edit is at the bottom, as it was made."""

    MARKS_BEHIND = False
    WATCHES: ClassVar[frozenset[What]] = frozenset({What.PLAN})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.list = QListWidget()
        self._delegate = _Delegate(theme)
        self.list.setItemDelegate(self._delegate)
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._on_item)
        self.list.itemActivated.connect(self._on_item)
        self.undo, self.redo = IconButton("undo"), IconButton("redo")
        self.undo.clicked.connect(lambda: self.session.undo(WHO))
        self.redo.clicked.connect(lambda: self.session.redo(WHO))
        self.empty = EmptyState()
        self._steps: tuple[Step, ...] = ()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.list)
        self._pages.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 2, 8, 2)
        foot.addWidget(self.undo)
        foot.addWidget(self.redo)
        foot.addStretch()
        column.addLayout(foot)
        self.retranslate()
        self.refresh(frozenset({What.MODEL}))

    def title(self) -> str:
        """Name of the dock."""
        return self.tr("History")

    def subtitle(self) -> str:
        """How many edits are done."""
        done = self.session.history_place
        return self.tr("%n edit(s)", "", done) if done else ""

    def header_widgets(self) -> list[QWidget]:
        """None: undo and redo stand below the list, where they push no tab of the group out of the header."""
        return []

    def retranslate(self) -> None:
        """Write the texts again."""
        self.list.setAccessibleName(self.tr("History"))
        self.undo.set_tip(self.tr("Undo"))
        self.redo.set_tip(self.tr("Redo"))
        self.empty.set_texts(
            self.tr("Nothing has been edited yet. Every edit of the plan is listed here and can be undone.")
        )
        self._steps = ()
        self.mark_dirty(What.MODEL)
        self.subtitle_changed.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self._delegate.theme = theme
        self.list.viewport().update()

    def refresh(self, changes: frozenset[What]) -> None:
        """List the edits; only new ones are added, so that long histories stay quick."""
        steps, place = self.session.history, self.session.history_place
        self._pages.setCurrentIndex(0 if steps else 1)
        kept = 0
        while kept < min(len(steps), len(self._steps)) and steps[kept] is self._steps[kept]:
            kept += 1
        if not kept:
            self.list.clear()
        if steps and not self.list.count():
            self.list.addItem(QListWidgetItem(self.tr("As opened")))
        while self.list.count() > kept + 1:
            self.list.takeItem(self.list.count() - 1)
        for step in steps[kept:]:
            item = QListWidgetItem(translated(step.title))
            item.setData(_COUNT, self.tr("%n kernel(s)", "", step.touched))
            item.setToolTip(item.text())
            self.list.addItem(item)
        self._steps = steps
        for row in range(self.list.count()):
            self.list.item(row).setData(_UNDONE, row > place)
            self.list.item(row).setData(_HERE, row == place)
        if self.list.count():
            self.list.setCurrentRow(place)
            self.list.scrollToItem(self.list.item(place))
        self.undo.setEnabled(self.session.undo_step is not None)
        self.redo.setEnabled(self.session.redo_step is not None)
        self.subtitle_changed.emit()

    def _on_item(self, item: QListWidgetItem) -> None:
        self.session.go_to(self.list.row(item), WHO)
