"""The palette: type to find a command, a panel or a kernel, Enter to use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui.actions import Actions
from gui.commands import COMMANDS, MENUS, Command, shown
from gui.fonts import font
from gui.icons import paint_icon
from gui.menus import Menus
from gui.theme import theme_manager

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

_MOST = 60
_ENTRY = Qt.ItemDataRole.UserRole
WHO = "palette"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the palette."""

    title: str
    kind: str
    hint: str
    icon: str
    run: Callable[[], object]
    words: str
    """What is searched, in small letters."""


class Palette(QDialog):
    """A field and a list below the middle of the window's top."""

    def __init__(self, menus: Menus, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("palette")
        self._entries = [
            *_commands(menus),
            *_panels(menus, actions, self.tr("panel")),
            *_kernels(actions, self.tr("kernel")),
        ]
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Search kernels and commands"))
        self.field.setAccessibleName(self.field.placeholderText())
        self.list = QListWidget()
        self.list.setItemDelegate(_EntryDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(lambda _: self._use())
        self.resize(560, 400)
        self._search("")

    def showEvent(self, event: QShowEvent) -> None:
        """Stand below the top of the window, ready to type."""
        super().showEvent(event)
        parent = self.parentWidget()
        if parent is not None:
            corner = parent.mapToGlobal(parent.rect().topLeft())
            self.move(corner.x() + (parent.width() - self.width()) // 2, corner.y() + 40)
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the field move the list."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}.get(
            Qt.Key(event.key())
        )
        if step is not None:
            row = min(max(self.list.currentRow() + step, 0), self.list.count() - 1)
            self.list.setCurrentRow(row)
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._use()
            return True
        return False

    def _search(self, text: str) -> None:
        words = text.lower().split()
        found = [entry for entry in self._entries if all(word in entry.words for word in words)]
        found.sort(key=lambda entry: not entry.title.lower().startswith(text.lower()))
        self.list.clear()
        for entry in found[:_MOST]:
            item = QListWidgetItem(entry.title)
            item.setData(_ENTRY, entry)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _use(self) -> None:
        item = self.list.currentItem()
        if self.list.count() == 0:
            return
        entry = item.data(_ENTRY)
        self.close()
        entry.run()


def _commands(menus: Menus) -> Iterator[Entry]:
    for command in COMMANDS:
        if isinstance(command, Command) and command.listed and command.id != "palette" and menus.enabled(command):
            menu, text = shown(MENUS[command.menu]), shown(command.text)
            words = f"{menu} {text} {command.text}".lower()
            yield Entry(text, menu, command.keys[0] if command.keys else "", command.icon, _bind(menus, command), words)


def _panels(menus: Menus, actions: Actions, word: str) -> Iterator[Entry]:
    """A menu shows and hides panels; by their names one goes there."""
    session = actions.session
    if menus.host is None or session is None or session.network is None:
        return
    for name, dock in menus.host.docks.items():
        title = dock.name()
        yield Entry(title, word, "", "columns", partial(actions.panel, name), f"{word} {title} {name}".lower())


def _bind(menus: Menus, command: Command) -> Callable[[], object]:
    return lambda: menus.run(command)


def _kernels(actions: Actions, word: str) -> Iterator[Entry]:
    session = actions.session
    if session is None or session.network is None:
        return
    for kernel in session.network.kernels:

        def select(kernel_id: str = kernel.id) -> None:
            session.select((kernel_id,), kernel_id, WHO)

        words = f"{kernel.name} {kernel.op} #{kernel.index} {session.notes.get(kernel.id, '')}".lower()
        yield Entry(kernel.name, word, f"#{kernel.index}  {kernel.op}", "model", select, words)


class _EntryDelegate(QStyledItemDelegate):
    """Icon, title, kind; key or operator on the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """26 px high."""
        return QSize(100, 26)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a line."""
        theme = theme_manager.theme
        rect = QRectF(option.rect)
        state = option.state
        entry = index.data(_ENTRY)
        ground: QColor | None = None
        if state & QStyle.StateFlag.State_Selected:
            ground = theme.selection
        elif state & QStyle.StateFlag.State_MouseOver:
            ground = theme.hover
        if ground is not None:
            painter.fillRect(rect, ground)
        if entry.icon:
            paint_icon(painter, entry.icon, QRectF(rect.x() + 8, rect.y() + 6, 14, 14), theme.text2)
        middle = Qt.AlignmentFlag.AlignVCenter
        hint_width = QFontMetricsF(font(11)).horizontalAdvance(entry.hint)
        painter.setFont(font(12, 500))
        painter.setPen(theme.text)
        room = rect.width() - hint_width - 60
        title = QFontMetricsF(font(12, 500)).elidedText(entry.title, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(rect.adjusted(30, 0, 0, 0), middle, title)
        left = 38 + QFontMetricsF(font(12, 500)).horizontalAdvance(title)
        painter.setFont(font(11))
        painter.setPen(theme.text2 if ground is not None else theme.muted)
        painter.drawText(rect.adjusted(left, 0, -hint_width - 12, 0), middle, entry.kind)
        painter.drawText(rect.adjusted(0, 0, -8, 0), middle | Qt.AlignmentFlag.AlignRight, entry.hint)
