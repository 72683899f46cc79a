"""Where files are dropped on the start page, and what is said there while one is being opened."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.fonts import font
from gui.i18n import text as translated
from gui.icons import paint_icon
from gui.paint import spinner
from gui.theme import theme_manager
from gui.widgets.progress_line import ProgressLine

if TYPE_CHECKING:
    from engine.session import Session

TICK_MS = 120


class DropTarget(QWidget):
    """A dashed box that says where files can be dropped; the window itself takes the drop."""

    def __init__(self) -> None:
        super().__init__()
        self.session: Session | None = None
        """None until the engine is there."""
        self._title = self._detail = self._opening = ""
        self._hot = False
        self.progress = ProgressLine(280)
        self.progress.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 18)
        column.addStretch()
        column.addWidget(self.progress, 0, Qt.AlignmentFlag.AlignHCenter)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.setFixedHeight(122)
        theme_manager.changed.connect(self.update)

    @property
    def opening(self) -> str:
        """Name of the file that is being opened; "" if none is."""
        return self._opening

    def set_texts(self, title: str, detail: str) -> None:
        """What it says while nothing is being opened."""
        self._title, self._detail = title, detail
        self._changed()

    def set_hot(self, hot: bool) -> None:
        """Whether a file is held over the window."""
        self._hot = hot
        self.update()

    def show_opening(self, name: str) -> None:
        """Name the file until its model is there or has been refused: until no job runs any more."""
        self._opening = name
        self.progress.set_fraction(0.0)
        self.progress.show()
        self._timer.start()
        self._changed()

    def words(self) -> tuple[str, str]:
        """What stands in the box: large, and small below it."""
        if not self._opening:
            return self._title, self._detail
        return self.tr("Opening {name}").format(name=self._opening), self._stage()

    def _stage(self) -> str:
        if self.session is None:
            return self.tr("The engine is starting…")
        job = next(iter(self.session.jobs.active), None)
        return translated(job.message or job.title) if job is not None else ""

    def _tick(self) -> None:
        session = self.session
        if session is not None:
            active = session.jobs.active
            if not active or session.network is not None:
                self._end()
                return
            self.progress.set_fraction(active[0].fraction)
        self._changed()

    def _end(self) -> None:
        self._opening = ""
        self._timer.stop()
        self.progress.hide()
        self._changed()

    def _changed(self) -> None:
        title, detail = self.words()
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail if self._opening else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw box, arrow or spinner, and words."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = Qt.PenStyle.SolidLine if self._opening else Qt.PenStyle.DashLine
        painter.setPen(QPen(theme.accent if self._hot else theme.strong, 1.4, line))
        painter.setBrush(theme.accent_soft if self._hot else theme.panel)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
        title, detail = self.words()
        painter.setFont(font(14, 500))
        room = self.width() - 36 - 48
        title = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideMiddle, room)
        left = (self.width() - painter.fontMetrics().horizontalAdvance(title) - 36) / 2
        mark, top = QRectF(left, 26 if self._opening else 36, 24, 24), 26 if self._opening else 36
        if self._opening:
            spinner(painter, mark, theme.accent, time.monotonic() % 1.0)
        else:
            paint_icon(painter, "download", mark, theme.accent)
        painter.setPen(theme.text)
        painter.drawText(QRectF(left + 36, top, self.width(), 24), Qt.AlignmentFlag.AlignVCenter, title)
        painter.setFont(font(11))
        painter.setPen(theme.text2)
        painter.drawText(QRectF(0, top + 32, self.width(), 18), Qt.AlignmentFlag.AlignCenter, detail)
