"""Log: what happened, newest last, with a filter by level and a copy for bug reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QListView,
    QMenu,
    QPlainTextEdit,
    QSplitter,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from engine.session.changes import What
from engine.session.state import LogEntry
from gui.fonts import font
from gui.i18n import text as translated
from gui.icons import paint_icon
from gui.theme import Theme
from gui.views.log_report import clock, report
from gui.views.session_view import SessionView
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.right_press import RightPress
from gui.widgets.segmented import SegmentedControl

if TYPE_CHECKING:
    from engine.session import Session

ROW = 24
_ICONS = {"info": ("info", "muted"), "warning": ("triangle", "warn"), "error": ("octagon", "bad")}
_LEVELS = {"all": ("info", "warning", "error"), "warnings": ("warning", "error"), "errors": ("error",)}
Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class LogModel(QAbstractListModel):
    """Entries of the chosen levels."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[LogEntry] = []

    def show(self, log: Sequence[LogEntry], levels: Sequence[str]) -> None:
        """Show these entries; lines that are only added leave selection and scrolling alone."""
        wanted = [entry for entry in log if entry.level in levels]
        old = len(self.entries)
        if len(wanted) >= old and all(a is b for a, b in zip(self.entries, wanted, strict=False)):
            if len(wanted) > old:
                self.beginInsertRows(_ROOT, old, len(wanted) - 1)
                self.entries = wanted
                self.endInsertRows()
            return
        self.beginResetModel()
        self.entries = wanted
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """One row per entry."""
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The sentence; all of it as a tooltip."""
        if not index.isValid() or index.row() >= len(self.entries):
            return None
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return translated(entry.text)
        if role == Qt.ItemDataRole.ToolTipRole:
            return translated(entry.text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{clock(entry.at)} {entry.level}: {translated(entry.text)}"
        return None


class LogDelegate(QStyledItemDelegate):
    """Time, icon, sentence."""

    def __init__(self, model: LogModel, theme: Theme, parent: QListView) -> None:
        super().__init__(parent)
        self._model = model
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """One line."""
        return QSize(200, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one entry."""
        entry, theme = self._model.entries[index.row()], self.theme
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.selection if selected else theme.hover)
        painter.setFont(font(11))
        painter.setPen(theme.text2 if selected else theme.muted)
        at = clock(entry.at)
        painter.drawText(rect.adjusted(14, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter), at)
        left = self._area(rect).x() - 22
        icon, token = _ICONS[entry.level]
        paint_icon(painter, icon, QRectF(left, rect.y() + 5, 14, 14), getattr(theme, token))
        painter.setFont(font(12))
        painter.setPen(theme.text)
        area = self._area(rect)
        words = painter.fontMetrics().elidedText(translated(entry.text), Qt.TextElideMode.ElideMiddle, area.width())
        painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()

    def cuts(self, rect: QRect, words: str) -> bool:
        """Whether a sentence has not room enough in a row at `rect`."""
        return QFontMetricsF(font(12)).horizontalAdvance(words) > self._area(rect).width()

    def _area(self, rect: QRect) -> QRect:
        left = round(rect.x() + 14 + QFontMetricsF(font(11)).horizontalAdvance("00:00:00") + 10)
        return QRect(left + 22, rect.y(), rect.right() - left - 34, rect.height())


class LogView(SessionView):
    """List of entries and, for those that have more to say than a row holds, a fold below."""

    MARKS_BEHIND = False
    WATCHES: ClassVar[frozenset[What]] = frozenset({What.LOG})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.model = LogModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self._delegate = LogDelegate(self.model, theme, self.list)
        self.list.setItemDelegate(self._delegate)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        RightPress(self.list)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.hide()
        self.levels = SegmentedControl([(key, key) for key in _LEVELS], "all")
        self.levels.chosen.connect(lambda _: self.refresh(frozenset({What.LOG})))
        self.copy_button = IconButton("copy")
        self.copy_button.clicked.connect(self.copy_report)
        self.empty = EmptyState()
        self._pages = QStackedWidget()
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.list)
        split.addWidget(self.details)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        self._pages.addWidget(split)
        self._pages.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.list)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy_selected)
        self.retranslate()
        self.refresh(frozenset({What.LOG}))

    def title(self) -> str:
        """Name of the dock."""
        return self.tr("Log")

    def subtitle(self) -> str:
        """How many errors there are."""
        errors = sum(entry.level == "error" for entry in self.session.log)
        return self.tr("%n error(s)", "", errors) if errors else ""

    def header_widgets(self) -> list[QWidget]:
        """Level filter, copy."""
        return [self.levels, self.copy_button]

    def save_state(self) -> dict[str, object]:
        """The level filter."""
        return {"level": self.levels.current}

    def restore_state(self, state: dict[str, object]) -> None:
        """The level filter."""
        level = state.get("level")
        if isinstance(level, str) and level in _LEVELS:
            self.levels.set_current(level)
            self.refresh(frozenset({What.LOG}))

    def retranslate(self) -> None:
        """Write the texts again."""
        words = {"all": self.tr("All"), "warnings": self.tr("Warnings"), "errors": self.tr("Errors")}
        self.levels.set_choices(list(words.items()))
        self.levels.setAccessibleName(self.tr("Level"))
        self.list.setAccessibleName(self.tr("Log"))
        self.details.setAccessibleName(self.tr("Details"))
        self.copy_button.set_tip(self.tr("Copy for a bug report"))
        self._write_empty()
        self.list.viewport().update()
        self.subtitle_changed.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self._delegate.theme = theme
        self.list.viewport().update()

    def refresh(self, changes: frozenset[What]) -> None:
        """Show the entries; stay at the end if the end was in sight."""
        bar = self.list.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 1
        self.model.show(self.session.log, _LEVELS[self.levels.current])
        self._pages.setCurrentIndex(0 if self.model.entries else 1)
        self._write_empty()
        if at_end:
            self.list.scrollToBottom()
        self.subtitle_changed.emit()

    def _write_empty(self) -> None:
        if self.session.log:
            self.empty.set_texts(self.tr("Nothing of this level."))
        else:
            self.empty.set_texts(self.tr("Nothing has happened yet. Warnings and errors are kept here."))

    def _on_current(self, current: QModelIndex, previous: QModelIndex) -> None:
        """Unfold what an entry has more to say, or all of a sentence that is cut."""
        entry = self.model.entries[current.row()] if current.isValid() else None
        words = translated(entry.text) if entry is not None else ""
        cut = entry is not None and self._delegate.cuts(self.list.visualRect(current), words)
        shown = entry is not None and (bool(entry.details) or cut)
        self.details.setVisible(shown)
        if shown and entry is not None:
            self.details.setPlainText(f"{words}\n\n{entry.details}".rstrip())

    def copy_selected(self) -> None:
        """The selected lines as they are shown."""
        rows = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        chosen = [self.model.entries[row] for row in rows]
        _to_clipboard("\n".join(f"{clock(e.at)} {e.level}: {translated(e.text)}" for e in chosen))

    def copy_report(self) -> None:
        """Versions, device, model and the last entries, without private paths."""
        _to_clipboard(report(self.session))

    def menu(self) -> QMenu:
        """Copy lines, copy a report."""
        menu = one_use_menu(self)
        menu.addAction(self.tr("Copy")).triggered.connect(lambda _=False: self.copy_selected())
        menu.addAction(self.tr("Copy for a bug report")).triggered.connect(lambda _=False: self.copy_report())
        return menu

    def _show_menu(self, at: QPoint) -> None:
        menu = self.menu()
        menu.popup(self.list.viewport().mapToGlobal(at))


def _to_clipboard(words: str) -> None:
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None and words:
        clipboard.setText(words)
