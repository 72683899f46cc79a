"""Preflight: what will hurt on the device and why, each with a way to the kernels it is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QKeySequence, QPainter, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QListView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from engine.session.changes import What
from gui.bridge import hub
from gui.fonts import font
from gui.icons import paint_icon
from gui.theme import Theme
from gui.views.preflight_findings import Finding, finding_steps, worded
from gui.views.session_view import SessionView
from gui.views.slices import Slices
from gui.widgets.empty import EmptyState
from gui.widgets.popup import one_use_menu
from gui.widgets.right_press import RightPress

if TYPE_CHECKING:
    from engine.interop.preflight import Finding as Found
    from engine.session import Session

WHO = "preflight"
ROW = 38
"""Height of a finding whose words fit into a line each; more lines make it higher."""
_LEFT, _EDGE, _LINK = 38, 14, 28
MOST_BROKEN = 2000
"""Findings whose heights are kept, each at each width."""
ICONS = {"bad": ("octagon", "bad"), "warn": ("triangle", "warn"), "info": ("info", "muted")}
Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_WRAPPED = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft)


class FindingsModel(QAbstractListModel):
    """Findings as a list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.findings: list[Finding] = []

    def show(self, found: list[Finding]) -> None:
        """Show other findings; nothing happens if they are the same."""
        if found != self.findings:
            self.beginResetModel()
            self.findings = found
            self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """One row per finding."""
        return 0 if parent.isValid() else len(self.findings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Title, and all of it for tooltips and screen readers."""
        if not index.isValid() or index.row() >= len(self.findings):
            return None
        found = self.findings[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return found.title
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{found.title}\n{found.detail}\n{found.advice}".rstrip()
        return None


class FindingDelegate(QStyledItemDelegate):
    """Two lines: title, detail; icon on the left, kernel number as a link on the right."""

    def __init__(self, model: FindingsModel, theme: Theme, parent: QListView) -> None:
        super().__init__(parent)
        self._model = model
        self._view = parent
        self.theme = theme
        self.echoed = -1
        """Kernel under the pointer of another view."""
        self.current = -1
        """The current kernel: its findings have an edge."""
        self._broken: dict[tuple[Finding, int, str, str], tuple[int, int]] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As many lines as title and detail need at the width of the list."""
        if not index.isValid() or index.row() >= len(self._model.findings):
            return QSize(200, ROW)
        title, detail = self._heights(self._model.findings[index.row()], self._view.viewport().width())
        return QSize(200, ROW - 31 + title + detail)

    def _heights(self, found: Finding, width: int) -> tuple[int, int]:
        """Px that title and detail take when they are wrapped, broken into lines once; 16 and 15 for a line of each."""
        key = (found, width, font(12, 600).key(), _link(found))
        known = self._broken.get(key)
        if known is None:
            if len(self._broken) >= MOST_BROKEN:
                self._broken.clear()
            known = self._broken[key] = self._measured(found, width)
        return known

    def _measured(self, found: Finding, width: int) -> tuple[int, int]:
        bold, plain = QFontMetrics(font(12, 600)), QFontMetrics(font(11))
        room = width - _LEFT - self._link_width(found)
        title = bold.boundingRect(QRect(0, 0, room, 999), _WRAPPED, found.title).height() // max(1, bold.height())
        room = width - _LEFT - _EDGE
        detail = plain.boundingRect(QRect(0, 0, room, 999), _WRAPPED, found.detail).height() // max(1, plain.height())
        return 16 * max(1, title), 15 * max(1, detail)

    def _link_width(self, found: Finding) -> int:
        return QFontMetrics(font(11, 600)).horizontalAdvance(_link(found)) + _LINK

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one finding."""
        theme, found = self.theme, self._model.findings[index.row()]
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        selected = bool(state & QStyle.StateFlag.State_Selected) and self._view.hasFocus()
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        if selected or hovered:
            painter.fillRect(rect, theme.selection if selected else theme.hover)
        if self.current in found.kernels:
            painter.fillRect(rect.x(), rect.y(), 3, rect.height() - 1, theme.accent)
        if self.echoed in found.kernels:
            painter.setPen(theme.accent)
            painter.drawRect(rect.adjusted(0, 0, -1, -2))
        painter.fillRect(rect.x() + 12, rect.bottom(), rect.width() - 24, 1, theme.hair)
        icon, token = ICONS[found.severity]
        paint_icon(painter, icon, QRectF(rect.x() + 13, rect.y() + 11, 15, 15), getattr(theme, token))
        painter.setFont(font(11, 600))
        painter.setPen(theme.accent)
        right = rect.adjusted(0, 5, -_EDGE, 0)
        painter.drawText(right, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), _link(found))
        title, detail = self._heights(found, rect.width())
        area = rect.adjusted(_LEFT, 3, -self._link_width(found), 0)
        self._words(painter, QRect(area.x(), area.y(), area.width(), title), found.title, font(12, 600), theme.text)
        below = QRect(area.x(), area.y() + title, rect.right() + 1 - _EDGE - area.x(), detail)
        self._words(painter, below, found.detail, font(11), theme.text2)
        painter.restore()

    def _words(self, painter: QPainter, rect: QRect, words: str, face: QFont, color: QColor) -> None:
        painter.setFont(face)
        painter.setPen(color)
        painter.drawText(rect, _WRAPPED | int(Qt.AlignmentFlag.AlignVCenter), words)


def _link(found: Finding) -> str:
    """The first kernel that a finding is about."""
    return f"#{found.kernels[0]}" if found.kernels else ""


class PreflightView(SessionView):
    """The list of findings; a click selects the kernels, a double click goes to where something can be done."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.PLAN, What.DATA, What.DEVICE, What.SIMULATION, What.LOCAL, What.EVALUATION, What.SELECTION}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.model = FindingsModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self._delegate = FindingDelegate(self.model, theme, self.list)
        self.list.setItemDelegate(self._delegate)
        self.list.setMouseTracking(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)  # words wrap anew at another width
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        RightPress(self.list)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.list.clicked.connect(self._on_chosen)
        self.list.activated.connect(self._on_chosen)
        self.list.activated.connect(self._on_opened)
        self.list.entered.connect(lambda index: self._hover(index.row()))
        self.list.viewport().installEventFilter(self)
        hub.hover_changed.connect(self._on_echo)
        self._looking = Slices(self)
        self.empty = EmptyState()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.list)
        self._pages.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.list)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy_all)
        self.retranslate()
        self.refresh(frozenset({What.MODEL}))

    def title(self) -> str:
        """Name of the dock."""
        return self.tr("Preflight")

    def subtitle(self) -> str:
        """How many entries ask for attention."""
        count = len(self.model.findings)
        return self.tr("%n finding(s)", "", count) if count else ""

    def badge(self) -> str:
        """Count of what is broken or near it, for the tab; "" when there is nothing."""
        count = sum(f.severity != "info" for f in self.model.findings)
        return str(count) if count else ""

    def retranslate(self) -> None:
        """Write the texts again."""
        self.list.setAccessibleName(self.tr("Preflight"))
        self.mark_dirty(What.PLAN)

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self._delegate.theme = theme
        self.list.viewport().update()

    def dispose(self) -> None:
        """Stop listening."""
        if self.listening:
            hub.hover_changed.disconnect(self._on_echo)
        self._looking.stop()
        super().dispose()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Nothing is under the pointer once it has left; words wrap anew at another width.

        Qt lays a list out anew when its height changes, not when a scroll bar takes some of its width.
        """
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide):
            self._hover(-1)
        elif isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            self.list.scheduleDelayedItemsLayout()
        return False

    def refresh(self, changes: frozenset[What]) -> None:
        """Look again at the results."""
        self._mark(self._delegate.echoed, self._index(self.session.current))
        if changes <= {What.SELECTION}:
            return
        self._looking.start(self._look())

    def _look(self) -> Iterator[None]:
        """Check by check; what is found shows when all is looked at."""
        found: list[Found] = []
        for step in finding_steps(self.session):
            found += step
            yield
        self._show(worded(found))

    def refresh_now(self) -> None:
        """Redraw what is due, all of it."""
        super().refresh_now()
        self._looking.finish()

    def _show(self, found: list[Finding]) -> None:
        self.model.show(found)
        self._pages.setCurrentIndex(0 if found else 1)
        if self.session.network is None:
            self.empty.set_texts(self.tr("Open a model to see what will hurt on the device."))
        elif self.session.figures.simulation is None:
            self.empty.set_texts(self.tr("The first simulation is running."))
        else:
            self.empty.set_texts(
                self.tr("Nothing found: every kernel runs natively and none is held up by its launch.")
            )
        self.subtitle_changed.emit()

    def _hover(self, row: int) -> None:
        """Tell the other views of the kernel that a finding is about first of all."""
        network, found = self.session.network, self.model.findings
        kernels = found[row].kernels if 0 <= row < len(found) else ()
        known = network is not None and kernels and kernels[0] < len(network.kernels)
        hub.hover(network.kernels[kernels[0]].id if network is not None and known else None, WHO)

    def _on_echo(self, kernel_id: str, who: str) -> None:
        if who != WHO:
            self._mark(self._index(kernel_id), self._delegate.current)

    def _mark(self, echoed: int, current: int) -> None:
        if (echoed, current) != (self._delegate.echoed, self._delegate.current):
            self._delegate.echoed, self._delegate.current = echoed, current
            self.list.viewport().update()

    def _index(self, kernel_id: str | None) -> int:
        network = self.session.network
        if network is None or not kernel_id:
            return -1
        try:
            return network.by_id(kernel_id).index
        except KeyError:  # of the model before
            return -1

    def _on_chosen(self, index: QModelIndex) -> None:
        network = self.session.network
        if network is None or index.row() >= len(self.model.findings):
            return
        ids = [network.kernels[i].id for i in self.model.findings[index.row()].kernels if i < len(network.kernels)]
        if ids:
            self.session.select(ids, ids[0], who=WHO)

    def _on_opened(self, index: QModelIndex) -> None:
        """Go to where something can be done about it."""
        if index.row() < len(self.model.findings) and self.model.findings[index.row()].place:
            self.command_wanted.emit(self.model.findings[index.row()].place)

    def copy_all(self) -> None:
        """All findings as lines of text."""
        lines = [f"{f.severity}\t{f.title}\t{f.detail}\t{f.advice}" for f in self.model.findings]
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None:
            clipboard.setText("\n".join(lines))

    def _show_menu(self, at) -> None:  # type: ignore[no-untyped-def]
        menu = one_use_menu(self)
        index = self.list.indexAt(at)
        if index.isValid():
            go = menu.addAction(self.tr("Go to where it is mended"))
            go.triggered.connect(lambda _=False: self._on_opened(index))
        menu.addAction(self.tr("Copy all")).triggered.connect(lambda _=False: self.copy_all())
        menu.popup(self.list.viewport().mapToGlobal(at))
