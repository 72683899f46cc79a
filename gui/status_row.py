"""The status bar: state, running job with progress and cancel, selection, error band, model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from gui import format as form
from gui.i18n import text as translated
from gui.icons import paint_icon
from gui.paint import spinner
from gui.theme import theme_manager
from gui.widgets.icon_button import IconButton
from gui.widgets.progress_line import ProgressLine
from gui.widgets.themed import button

if TYPE_CHECKING:
    from engine.jobs import Job
    from engine.session import Session
    from engine.text import Text

HEIGHT = 25
_TICK_MS = 80
_SHOW_AFTER_S = 0.2
"""Shorter jobs would only flicker."""
_NEWS_MS = 12_000
"""How long it says what was written, or what an edit did not do."""
_NOTE_WIDTH = 360
"""Px of such a sentence; the tooltip has all of it."""
_READABLE = 60
"""Px below which a sentence that is cut says nothing."""
_ROOMY = 1700
"""Px of a window in which such a sentence and what the errors come from stand side by side."""


class StatusRow(QWidget):
    """25 px high. Polls running jobs ten times a second, and nothing while none runs."""

    jobs_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusRow")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self._session: Session | None = None
        self._job: Job | None = None
        self._mark = _Mark()
        self._state, self._detail = QLabel(), _Elided(_READABLE)
        self._state.setObjectName("statusStrong")
        self._news_box = QWidget()
        self._news = _Elided()
        self._news.setObjectName("statusStrong")
        self._open_folder = button(link=True)
        self._open_folder.clicked.connect(self._on_open_folder)
        self._folder: Path | None = None
        self._job_box = QWidget()
        self._job_title, self._left = _Elided(), QLabel()
        self._job_title.setObjectName("statusStrong")
        self._bar = ProgressLine(92)
        self._cancel = IconButton("close", size=12, token="muted")
        self._cancel.clicked.connect(self._on_cancel)
        self._chosen, self._band, self._model = QLabel(), QLabel(), QLabel()
        self._build()
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._news_timer = QTimer(self)
        self._news_timer.setSingleShot(True)
        self._news_timer.setInterval(_NEWS_MS)
        self._news_timer.timeout.connect(self._end_news)
        self._told: Path | Text | None = None
        """What was written, or what an edit did not do, while it is on show."""
        self.refresh(None)

    def _build(self) -> None:
        job = QHBoxLayout(self._job_box)
        job.setContentsMargins(14, 0, 0, 0)
        job.setSpacing(9)
        for part in (_line(), self._job_title, self._bar, self._left, self._cancel):
            job.addWidget(part)
        news = QHBoxLayout(self._news_box)
        news.setContentsMargins(14, 0, 0, 0)
        news.setSpacing(9)
        for told in (_line(), self._news, self._open_folder):
            news.addWidget(told)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 1, 12, 0)
        row.setSpacing(7)
        row.addWidget(self._mark)
        row.addWidget(self._state)
        row.addWidget(self._detail)
        row.addWidget(self._news_box)
        row.addWidget(self._job_box)
        row.addStretch(1)
        self._lines = (_line(), _line())
        for part in (self._chosen, self._lines[0], self._band, self._lines[1], self._model):
            row.addSpacing(4)
            row.addWidget(part)
        self._job_box.hide()
        self._news_box.hide()

    def refresh(self, session: Session | None) -> None:
        """Read the session again."""
        self._session = session
        self._cancel.set_tip(self.tr("Cancel this job"))
        self._show_right(session)
        active = session.jobs.active if session is not None else ()
        if active and not self._timer.isActive():
            self._timer.start()
        self._show_job()
        self._show_state(session)

    def show_written(self, path: Path) -> None:
        """Say for some seconds what was written, with a way to its folder."""
        self._folder = path.absolute().parent
        self._tell(path)

    def show_note(self, sentence: Text) -> None:
        """Say for some seconds what the log says about the last edit."""
        self._tell(sentence)

    def _tell(self, news: Path | Text) -> None:
        self._told = news
        self._write_news()
        self._news_box.show()
        self._fold()
        self._news_timer.start()

    def _write_news(self) -> None:
        told = self._told
        if isinstance(told, Path):
            self._news.setText(self.tr("Wrote {file}").format(file=told.name))
            self._open_folder.setText(self.tr("Open folder"))
            self._news.setToolTip(str(told.absolute()))
            self._open_folder.setToolTip(str(self._folder))
        elif told is not None:
            words = translated(told)
            self._news.setText(self._news.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, _NOTE_WIDTH))
            self._news.setToolTip(words)
        self._open_folder.setVisible(isinstance(told, Path))

    def _end_news(self) -> None:
        self._told = None
        self._news_box.hide()
        self._fold()

    def _fold(self) -> None:
        """News take the place of the quiet detail where both would be cut."""
        self._detail.setVisible(self._told is None or self.width() >= _ROOMY)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """There may be room for both."""
        super().resizeEvent(event)
        self._fold()

    def changeEvent(self, event: QEvent) -> None:
        """News follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._write_news()

    def stop(self) -> None:
        """Poll no more."""
        self._timer.stop()
        self._news_timer.stop()

    def _tick(self) -> None:
        self._mark.turn()
        self._show_job()
        if self._session is None or not self._session.jobs.active:
            self._timer.stop()
            self._show_state(self._session)

    def _show_state(self, session: Session | None) -> None:
        name, detail = "check-circle", ""
        if session is None:
            state, name = self.tr("Starting"), "spinner"
        elif session.network is None:
            state = self.tr("Opening") if session.jobs.active else self.tr("Ready")
            name = "spinner" if session.jobs.active else name
        elif session.staleness.stale or session.data is None or session.figures.evaluation is None:
            busy = bool(session.jobs.active)
            state = self.tr("Computing") if busy else self.tr("Not computed")
            name = "spinner" if busy else "triangle"
            if busy and session.data is None:
                detail = self.tr("calibration and reference run")
            elif busy:
                detail = self.tr("errors from kernel {kernel} on").format(kernel=session.staleness.from_kernel)
        else:
            state, detail = self.tr("Up to date"), self._up_to_date(session)
        self._mark.set_name(name)
        self._state.setText(state)
        self._detail.setText(detail)
        self._detail.setToolTip(detail)

    def _up_to_date(self, session: Session) -> str:
        found = session.figures.evaluation
        if found is None:
            return ""
        if found.synthetic:
            return self.tr("synthetic data: errors are indicative only")
        text = self.tr("output error from %n sample(s) in {time}", "", found.samples)
        return text.format(time=form.job_time(found.seconds))

    def _show_job(self) -> None:
        session = self._session
        active = session.jobs.active if session is not None else ()
        running = [j for j in active if j.state == "running" and j.seconds >= _SHOW_AFTER_S]
        self._job = min(running, key=_rank, default=None)
        self._job_box.setVisible(self._job is not None)
        if self._job is None:
            return
        title = translated(self._job.title)
        self._job_title.setText(title)
        message = self._job.message
        self._job_title.setToolTip(title if message is None else f"{title}\n{translated(message)}")
        self._bar.set_fraction(self._job.fraction)
        left = form.time_left(self._job.seconds_left)
        if self._job.paused:
            self._left.setText(self.tr("paused"))
        else:
            self._left.setText(self.tr("{time} left").format(time=left) if left else "")
        self._make_room()

    def _make_room(self) -> None:
        """Give new words their width at once: while the window is busy, the next turn of its loop may be far off."""
        for part in (self._job_box, self):
            layout = part.layout()
            if layout is not None:
                layout.activate()

    def _show_right(self, session: Session | None) -> None:
        network = session.network if session is not None else None
        for line in self._lines:
            line.setVisible(network is not None)
        if session is None or network is None:
            self._chosen.setText("")
            self._band.setText("")
            self._model.setText(self.tr("no model open") if session is not None else "")
            return
        self._chosen.setText(
            self.tr("{chosen} of {all} selected").format(chosen=len(session.selection), all=len(network.kernels))
        )
        simulation = session.figures.simulation
        band = form.percent(simulation.band) if simulation is not None else form.MISSING
        self._band.setText(self.tr("device error band ±{band}").format(band=band))
        sha = network.graph.sha256
        self._model.setText(self.tr("model {hash}").format(hash=f"{sha[:4]} {sha[4:8]}"))
        self._model.setToolTip(f"SHA-256 {sha}")

    def _on_open_folder(self) -> None:
        if self._folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()


def _rank(job: Job) -> tuple[bool, bool, float]:
    """Which of several jobs is told of: work before look-ups by the way and before what is paused, then the oldest.

    Short jobs that come and go beside a long one would take its place, its progress and its cancel again and again.
    """
    return (job.lane == "query", job.paused, job.started_at or 0.0)


class _Elided(QLabel):
    """Words that give way to what is beside them: cut with three dots, the tooltip has all of them."""

    def __init__(self, readable: int = 0) -> None:
        """Make it.

        Args:
            readable: px below which nothing is shown instead of a beginning that says nothing.
        """
        super().__init__()
        self._readable = readable
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(10)

    def shown(self) -> str:
        """What is read of them."""
        words, metrics = self.text(), self.fontMetrics()
        if metrics.horizontalAdvance(words) <= self.width():
            return words
        if self.width() < self._readable:
            return ""
        return metrics.elidedText(words, Qt.TextElideMode.ElideRight, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is read."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment()), self.shown())


def _line() -> QFrame:
    made = QFrame()
    made.setFixedSize(1, 13)
    made.setObjectName("statusLine")
    return made


class _Mark(QWidget):
    """Icon of the state; the spinner turns."""

    def __init__(self) -> None:
        super().__init__()
        self._name, self._turn = "", 0.0
        self.setFixedSize(14, 14)
        theme_manager.changed.connect(self.update)

    def set_name(self, name: str) -> None:
        if name != self._name:
            self._name = name
            self.update()

    def turn(self) -> None:
        if self._name == "spinner":
            self._turn = (self._turn + 0.08) % 1
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = theme_manager.theme
        painter = QPainter(self)
        if self._name == "spinner":
            spinner(painter, QRectF(0, 0, 14, 14), theme.accent, self._turn)
        elif self._name:
            color = {"check-circle": theme.good, "triangle": theme.warn}.get(self._name, theme.muted)
            paint_icon(painter, self._name, QRectF(0, 0, 14, 14), color)
