"""Jobs: everything that runs or ran in the background, with progress, time left and a way to stop it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QListView,
    QMenu,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from engine.jobs import Job
from engine.session.changes import What
from gui.fonts import font
from gui.i18n import text as translated
from gui.icons import paint_icon
from gui.paint import spinner
from gui.theme import Theme
from gui.views.jobs_model import Index, JobsModel, detail_words, state_words
from gui.views.session_view import SessionView
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.right_press import RightPress

if TYPE_CHECKING:
    from engine.session import Session

ROW = 40
POLL_MS = 100
_BAR = (60, 160)
"""Px of a bar beside words, at least and at most."""
_ICONS = {
    "done": ("check", "good"),
    "failed": ("octagon", "bad"),
    "cancelled": ("close", "muted"),
    "queued": ("clock", "muted"),
}


def bar_rect(line: QRect, words: int, bottom: int) -> QRectF:
    """Where the progress stands: before the words on their line, as wide as they leave it, else under them.

    Args:
        line: where the words have their place, px.
        words: how wide they are, px.
        bottom: the last line of pixels of the row.
    """
    free = line.width() - words - 10
    if free >= _BAR[0]:
        return QRectF(line.x(), line.y() + 5, min(_BAR[1], free, max(_BAR[0], line.width() * 0.4)), 5)
    return QRectF(line.x(), bottom - 4, line.width(), 3)


class JobsDelegate(QStyledItemDelegate):
    """Icon, title and state on one line; progress or the reason of a failure below."""

    def __init__(self, model: JobsModel, theme: Theme, parent: QListView) -> None:
        super().__init__(parent)
        self._model = model
        self._view = parent
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Two lines."""
        return QSize(200, ROW)

    def cancel_rect(self, row: QRect) -> QRect:
        """Where the cancel cross of a running job is."""
        return QRect(row.right() - 30, row.y() + 8, 22, 22)

    def pause_rect(self, row: QRect) -> QRect:
        """Where the pause of a job is that can be paused."""
        return self.cancel_rect(row).translated(-24, 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one job."""
        job, theme = self._model.jobs[index.row()], self.theme
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        selected = bool(state & QStyle.StateFlag.State_Selected) and self._view.hasFocus()
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.selection if selected else theme.hover)
        painter.fillRect(rect.x() + 12, rect.bottom(), rect.width() - 24, 1, theme.hair)
        mark = QRectF(rect.x() + 13, rect.y() + 12, 15, 15)
        if job.paused:
            paint_icon(painter, "pause", mark, theme.text2)
        elif job.state == "running":
            spinner(painter, mark, theme.accent, time.monotonic() % 1.0)
        else:
            icon, token = _ICONS[job.state]
            paint_icon(painter, icon, mark, getattr(theme, token))
        self._words(painter, rect, job, theme)
        if job.active:
            paint_icon(painter, "close", QRectF(self.cancel_rect(rect)).adjusted(4, 4, -4, -4), theme.text2)
        if job.pausable:
            place = QRectF(self.pause_rect(rect)).adjusted(4, 4, -4, -4)
            paint_icon(painter, "play" if job.paused else "pause", place, theme.text2)
        painter.restore()

    def _words(self, painter: QPainter, rect: QRect, job: Job, theme: Theme) -> None:
        right = rect.right() - (62 if job.pausable else 38 if job.active else 14)
        words = state_words(job)
        painter.setFont(font(11))
        width = painter.fontMetrics().horizontalAdvance(words)
        painter.setPen(theme.text2)
        detail = detail_words(job)
        top = 4 if detail or job.state == "running" else 11
        line = QRect(rect.x() + 38, rect.y() + top, right - rect.x() - 38, 16)
        painter.drawText(line, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), words)
        painter.setFont(font(12, 600 if job.active else 500))
        painter.setPen(theme.text)
        title = painter.fontMetrics().elidedText(
            translated(job.title), Qt.TextElideMode.ElideMiddle, line.width() - width - 12
        )
        painter.drawText(line, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), title)
        below = QRect(line.x(), rect.y() + 20, line.width(), 15)
        painter.setFont(font(11))
        if job.state == "running":
            bar = bar_rect(below, painter.fontMetrics().horizontalAdvance(detail), rect.bottom())
            self._bar(painter, bar, job.fraction, theme)
            if bar.y() < below.bottom():
                below = below.adjusted(round(bar.width()) + 10, 0, 0, 0)
        painter.setPen(theme.bad if job.state == "failed" else theme.text2)
        shown = painter.fontMetrics().elidedText(detail, Qt.TextElideMode.ElideRight, below.width())
        painter.drawText(below, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)

    def _bar(self, painter: QPainter, bar: QRectF, fraction: float, theme: Theme) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.bar2)
        painter.drawRoundedRect(bar, 2.5, 2.5)
        painter.setBrush(theme.accent)
        painter.drawRoundedRect(QRectF(bar.x(), bar.y(), max(3.0, bar.width() * fraction), bar.height()), 2.5, 2.5)


class _List(QListView):
    """Delete stops the job of the current row, Space pauses it; cross and pause work on the one that is clicked."""

    def __init__(self, parent: JobsView) -> None:
        super().__init__(parent)
        self._jobs = parent

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete stops."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._jobs.cancel_at(self.currentIndex())
        elif event.key() == Qt.Key.Key_Space:
            self._jobs.pause_at(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on the cross stops, one on the pause pauses or lets go on."""
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        index = self.indexAt(at)
        if not index.isValid():
            return
        delegate, row = self._jobs.delegate, self.visualRect(index)
        if delegate.cancel_rect(row).contains(at):
            self._jobs.cancel_at(index)
        elif delegate.pause_rect(row).contains(at):
            self._jobs.pause_at(index)


class JobsView(SessionView):
    """List of jobs."""

    MARKS_BEHIND = False
    WATCHES: ClassVar[frozenset[What]] = frozenset({What.JOBS})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.model = JobsModel(self)
        self.list = _List(self)
        self.list.setModel(self.model)
        self.delegate = JobsDelegate(self.model, theme, self.list)
        self.list.setItemDelegate(self.delegate)
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        RightPress(self.list)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.stop_all = IconButton("stop")
        self.stop_all.clicked.connect(lambda: self.session.jobs.cancel_all())
        self.empty = EmptyState()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.list)
        self._pages.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._on_poll)
        self.retranslate()
        self.refresh(frozenset({What.JOBS}))

    def title(self) -> str:
        """Name of the dock."""
        return self.tr("Jobs")

    def subtitle(self) -> str:
        """How many run."""
        running = len(self.session.jobs.active)
        return self.tr("%n running", "", running) if running else ""

    def header_widgets(self) -> list[QWidget]:
        """Stop all."""
        return [self.stop_all]

    def retranslate(self) -> None:
        """Write the texts again."""
        self.list.setAccessibleName(self.tr("Jobs"))
        self.stop_all.set_tip(self.tr("Cancel all jobs"))
        self.empty.set_texts(self.tr("Nothing has run yet. Evaluations, sweeps and exports are listed here."))
        self.list.viewport().update()
        self.subtitle_changed.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self.delegate.theme = theme
        self.list.viewport().update()

    def dispose(self) -> None:
        """Stop listening."""
        self._poll.stop()
        super().dispose()

    def refresh(self, changes: frozenset[What]) -> None:
        """Show the history; while something runs, follow it."""
        self.model.show(self.session.jobs.history)
        self._pages.setCurrentIndex(0 if self.model.jobs else 1)
        active = bool(self.session.jobs.active)
        self.stop_all.setEnabled(active)
        if active and self.isVisible():
            self._poll.start()
        elif not active:
            self._poll.stop()
        self.subtitle_changed.emit()

    def _on_poll(self) -> None:
        if not self.isVisible():
            self._poll.stop()
            self.mark_dirty(What.JOBS)
            return
        self.model.show(self.session.jobs.history)

    def job_at(self, index: QModelIndex) -> Job | None:
        """The job of a row."""
        return self.model.jobs[index.row()] if index.isValid() and index.row() < len(self.model.jobs) else None

    def cancel_at(self, index: QModelIndex) -> None:
        """Stop the job of a row if it still runs."""
        job = self.job_at(index)
        if job is not None and job.active:
            job.cancel()
            self.model.poll()

    def pause_at(self, index: QModelIndex) -> None:
        """Pause the job of a row, or let it go on, if it can be paused."""
        job = self.job_at(index)
        if job is not None and job.pausable:
            sweeps = self.session.sweeps
            if job is sweeps.job:  # its own views show the pause, too
                sweeps.resume() if job.paused else sweeps.pause()
            elif job.paused:
                job.resume()
            else:
                job.pause()
            self.model.poll()

    def row_menu(self, index: QModelIndex) -> QMenu | None:
        """Cancel, pause, and copy what went wrong."""
        job = self.job_at(index)
        if job is None:
            return None
        menu = one_use_menu(self)
        cancel = menu.addAction(self.tr("Cancel"))
        cancel.setEnabled(job.active)
        cancel.triggered.connect(lambda _=False: self.cancel_at(index))
        pause = menu.addAction(self.tr("Go on") if job.paused else self.tr("Pause"))
        pause.setEnabled(job.pausable)
        pause.triggered.connect(lambda _=False: self.pause_at(index))
        copy = menu.addAction(self.tr("Copy details"))
        copy.triggered.connect(lambda _=False: _copy(job))
        return menu

    def _show_menu(self, at: QPoint) -> None:
        menu = self.row_menu(self.list.indexAt(at))
        if menu is not None:
            menu.popup(self.list.viewport().mapToGlobal(at))


def _copy(job: Job) -> None:
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        parts = (translated(job.title), state_words(job), detail_words(job), job.details)
        clipboard.setText("\n".join(part for part in parts if part))
