"""A window under observation: what it has painted, and how evenly its event loop turns."""

from __future__ import annotations

import gc
import importlib
import itertools
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from engine.fusion.types import Kernel
from engine.precision.scheme import Scheme
from engine.session import Session
from engine.session.changes import Change
from engine.timeslice import PROMPT_S, ask_for_slice
from gui import style
from gui.app import SWITCH_S
from gui.bridge import Dispatcher
from gui.docks import DOCKS, available
from gui.garbage import Garbage
from gui.plain_imports import restore
from gui.settings import Settings
from gui.window import Window

_application: list[QApplication] = []


def window() -> Window:
    """A window as the program makes it, with its session."""
    if not _application:
        restore()
        sys.setswitchinterval(SWITCH_S)
        ask_for_slice(PROMPT_S)
        _application.append(QApplication(sys.argv[:1]))
        style.install(_application[0], sheet=False)
        bring_in()
    made = Window(Settings(None), confirm=False)
    made.resize(1440, 900)
    made.show()
    dispatcher = Dispatcher()
    dispatcher.setParent(made)
    session = Session(dispatch=dispatcher.dispatch)
    made.set_session(session)
    Garbage(session)
    QApplication.processEvents()
    gc.collect()
    gc.freeze()
    return made


def bring_in() -> None:
    """Import what the program imports in small steps once its window is there; see `gui.starter`."""
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
    for name in ("pyqtgraph", *(spec.module for spec in DOCKS if available(spec.id))):
        importlib.import_module(name)


def pause(milliseconds: int) -> None:
    """Let Qt work; unlike `QTest.qWait` in PySide 6.10, without keeping Python's other threads from working."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


class Watcher(QObject):
    """Waits until what is painted is what is wanted."""

    def __init__(self, watched: Window) -> None:
        super().__init__()
        self.window = watched
        self.session: Any = watched.session
        self._loop: QEventLoop | None = None
        self._condition: Callable[[], bool] = lambda: True
        self._painted = False
        self.first_samples = 0
        """How many samples the first output error of a large model came from."""
        self._frames: tuple[tuple[Callable[[], bool], ...], dict[int, float]] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._look)
        self.session.subscribe(self._on_change)
        watched.installEventFilter(self)

    @property
    def table(self) -> Any:
        """The table of the Layers view."""
        return self.window.view("layers").table

    def until(self, condition: Callable[[], bool], seconds: float = 60.0, *, painted: bool = False) -> None:
        """Turn the event loop until a condition holds.

        It is looked at after every frame and change of the session; with `painted` only after frames, so that what it
        finds in a widget is on the screen.
        """
        if not painted and condition():
            return
        self._condition, self._painted, self._loop = condition, painted, QEventLoop()
        guard = QTimer()
        guard.setSingleShot(True)
        guard.timeout.connect(self._loop.quit)
        guard.start(round(seconds * 1000))
        self._loop.exec()
        self._loop = None
        assert guard.isActive(), "it took too long"

    def first_frames(self, *conditions: Callable[[], bool], seconds: float = 60.0) -> list[float]:
        """When each condition was first on the screen, as `perf_counter` says it, whichever comes first.

        A condition counts for a frame if it holds when that frame begins, and its time is the end of the frame.
        """
        found: dict[int, float] = {}
        self._frames = (conditions, found)
        self.until(lambda: len(found) == len(conditions), seconds)
        self._frames = None
        return [found[at] for at in range(len(conditions))]

    def wait(self, seconds: float) -> None:
        """Turn the event loop for a while."""
        loop = QEventLoop()
        QTimer.singleShot(round(seconds * 1000), loop.quit)
        loop.exec()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """An update request of the window paints a frame."""
        if event.type() == QEvent.Type.UpdateRequest and self._loop is not None:
            if self._frames is not None:
                conditions, found = self._frames
                shown = [at for at, holds in enumerate(conditions) if at not in found and holds()]
                QTimer.singleShot(0, lambda: self._note(shown))
            QTimer.singleShot(0, self._look)
        return False

    def _note(self, shown: list[int]) -> None:
        if self._frames is not None:
            self._frames[1].update(dict.fromkeys(shown, perf_counter()))

    def _on_change(self, change: Change) -> None:
        if not self._painted and not self._soon.isActive():
            self._soon.start(0)

    def _look(self) -> None:
        if self._loop is not None and self._condition():
            self._loop.quit()

    # what is on the screen ------------------------------------------------------------------------------------------

    def has_figures(self) -> bool:
        """Whether the Summary shows latency and output error."""
        view = self.window.view("summary") if self.session.network is not None else None
        return view is not None and "–" not in (view.cards["sqnr"].look.value, view.cards["latency"].look.value)

    def is_idle(self) -> bool:
        """Whether nothing runs."""
        return not self.session.jobs.active

    def shows_output(self) -> bool:
        """Whether the Summary shows the output error of the current plan."""
        look = self.window.view("summary").cards["sqnr"].look
        return not self.session.staleness.output_stale and not look.stale and look.state != "busy"

    def is_settled(self) -> bool:
        """Whether every error on show is the current plan's."""
        return not self.session.staleness.stale and self.shows_output()

    def shows_toggle(self, kernel: Kernel, scheme: Scheme, before: object) -> bool:
        """Whether the table shows local error and latency of a kernel under a scheme that was set just now.

        `before` is the simulation of the plan before.
        """
        session, rows = self.session, self.window.view("layers").model.rows
        error, simulation = session.local.get((kernel.id, scheme)), session.figures.simulation
        if error is None or simulation is before:
            return False
        at = kernel.index
        return bool(rows.local_db[at] == error.sqnr_db and rows.latency_us[at] == simulation.kernels[at].latency_us)

    def close(self) -> None:
        """Close the window and its session."""
        self._soon.stop()
        self.window.close()
        self.window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.unfreeze()
        gc.collect()


def ticks(work: Callable[[], None]) -> list[float]:
    """Milliseconds between the ticks of a 16 ms timer of the window's thread while work goes on."""
    times: list[float] = []
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setInterval(16)
    timer.timeout.connect(lambda: times.append(perf_counter()))
    timer.start()
    work()
    timer.stop()
    return [1e3 * (after - before) for before, after in itertools.pairwise(times)]
