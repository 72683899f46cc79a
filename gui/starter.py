"""What follows the first frame: the engine is brought in, the window gets its session, then come the other views."""

from __future__ import annotations

import gc
import importlib
import threading
import time
import traceback
from collections.abc import Collection, Iterator
from pathlib import Path

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from engine.text import say
from engine.timeslice import PROMPT_S, ask_for_slice
from gui.bridge import Dispatcher
from gui.docks import DOCKS, available
from gui.garbage import Garbage
from gui.window import Window

_SLICE_S = 0.008
"""How long the window's thread works on it before events get their turn."""
_WAIT_MS = 5
_ASKED_FOR = ("numpy.random", "PIL.JpegImagePlugin", "PIL.PngImagePlugin")
"""What the engine's libraries import only when they are first used, which is while a model is being opened."""
_LATER_MS, _PATIENCE_S = 25, 5.0
"""How often to look whether the first figures are there, and how long plots wait for them at most."""
_FIRST = ("layers", "summary")
"""Docks that show the first figures of a model and draw no plots, which take as long to bring in as the engine."""


class Starter(QObject):
    """Imports the engine in a thread of its own, and in slices what has to do with Qt.

    PySide makes its classes when they are first asked for and does not lock while it does: two threads that ask at
    once end the process. So only the window's thread imports what asks for them; pyqtgraph asks for all. And it does so
    after the engine: two threads that import at once wait for each other's modules, which Python's import locks don't
    survive in every case (least of all when garbage is collected in between: that waits, too, until all is there).

    The session comes before pyqtgraph and the views, so that a model is read and run meanwhile. What its jobs import
    when they need it, the engine's thread has imported before (`_ASKED_FOR`).
    """

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._thread = threading.Thread(target=self._import_engine, name="mixbit-start", daemon=True)
        self._failure = ""
        self._steps = self._all_steps()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._work)

    def begin(self) -> None:
        """Start importing."""
        gc.disable()
        self._thread.start()
        ask_for_slice(PROMPT_S)  # not before: the thread would have inherited it
        self._timer.start(0)

    def wait(self) -> None:
        """Give up what is left, and wait for the thread, if it runs."""
        self._timer.stop()
        if self._thread.is_alive():
            self._thread.join()
        gc.enable()

    def _import_engine(self) -> None:
        try:
            importlib.import_module("engine.session.session")
            for module in _ASKED_FOR:
                importlib.import_module(module)
        except Exception:
            self._failure = traceback.format_exc()

    def _work(self) -> None:
        """Take steps until the slice is used up."""
        end, pause, done = time.monotonic() + _SLICE_S, 0, False
        try:
            while time.monotonic() < end and not pause:
                pause = next(self._steps)
        except StopIteration:
            done = True
        except Exception:
            self._failure = traceback.format_exc()
        if self._failure:
            gc.enable()
            self._window.show_error(
                say("The engine can't start; the details say which part is missing."), self._failure
            )
            return
        if not done:
            self._timer.start(pause)

    def _all_steps(self) -> Iterator[int]:
        """Each step is short, but for one import; what comes with it is how many ms to wait before the next."""
        while self._thread.is_alive():
            yield _WAIT_MS
        if self._failure:
            return
        modules = {spec.id: spec.module for spec in DOCKS if available(spec.id)}
        later = modules.keys() - set(_FIRST)
        self._give_session(later)
        yield 0
        for name in _FIRST:
            importlib.import_module(modules[name])
            yield 0
        end = time.monotonic() + _PATIENCE_S
        while self._answering() and time.monotonic() < end:
            yield _LATER_MS
        for module in (QtCore, QtGui, QtWidgets):
            for name in dir(module):
                getattr(module, name)
                yield 0
        importlib.import_module("pyqtgraph")
        yield 0
        if self._window.host is not None:
            self._window.host.hold_back(())
        yield 0
        for name in sorted(later):
            importlib.import_module(modules[name])
            yield 0
        gc.enable()
        gc.freeze()
        while self._being_asked():
            yield _LATER_MS
        self._window.offer_recoveries()

    def _being_asked(self) -> bool:
        """Whether the model on the command line is still being read, or a dialog is open.

        Its free dimensions or its memory are asked for first, and what it is told of the last crash: the offer of
        unsaved work comes after that, never on top of it.
        """
        session = self._window.session
        reading = session is not None and session.network is None and bool(session.jobs.active)
        return reading or QApplication.activeModalWidget() is not None

    def _answering(self) -> bool:
        """Whether the model on the command line is still on its way to its first figures."""
        session = self._window.session
        return session is not None and bool(session.jobs.active) and session.figures.evaluation is None

    def _give_session(self, later: Collection[str]) -> None:
        from engine.session import Session

        window = self._window
        dispatcher = Dispatcher()
        dispatcher.setParent(window)
        remembered = window.settings
        session = Session(dispatch=dispatcher.dispatch, settings=remembered.folder, recovery=remembered.recovery)
        window.set_session(session)
        Garbage(session)
        if window.host is not None:
            window.host.hold_back(later)
        window.check_fonts()
        if window.actions_.waiting is not None:
            window.actions_.waiting()
        used = (remembered.folder, remembered.device_folder, remembered.recovery, remembered.export_folder)
        session.tidy(Path(folder) for folder in used if folder)
