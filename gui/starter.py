"""What follows the first frame: the engine and the views are brought in, then the window gets its session."""

from __future__ import annotations

import gc
import importlib
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer

from engine.text import say
from gui.bridge import Dispatcher
from gui.docks import DOCKS, available
from gui.window import Window

_SLICE_S = 0.008
"""How long the window's thread works on it before events get their turn."""
_WAIT_MS = 5


class Starter(QObject):
    """Imports the engine in a thread of its own, and in slices what has to do with Qt.

    PySide makes its classes when they are first asked for and does not lock while it does: two threads that ask at
    once end the process. So only the window's thread imports what asks for them; pyqtgraph asks for all. And it does so
    after the engine: two threads that import at once wait for each other's modules, which Python's import locks don't
    survive in every case (least of all when garbage is collected in between: that waits, too, until all is there).
    """

    def __init__(self, window: Window, path: Path | None) -> None:
        super().__init__(window)
        self._window, self._path = window, path
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
        except Exception:
            self._failure = traceback.format_exc()

    def _work(self) -> None:
        """Take steps until the slice is used up."""
        end, pause = time.monotonic() + _SLICE_S, 0
        try:
            while time.monotonic() < end and not pause:
                pause = next(self._steps)
        except StopIteration:
            return
        except Exception:
            self._failure = traceback.format_exc()
        if self._failure:
            gc.enable()
            self._window.show_error(
                say("The engine can't start; the details say which part is missing."), self._failure
            )
            return
        self._timer.start(pause)

    def _all_steps(self) -> Iterator[int]:
        """Each step is short, but for one import; what comes with it is how many ms to wait for the thread."""
        for module in (QtCore, QtGui, QtWidgets):
            for name in dir(module):
                getattr(module, name)
                yield 0
        while self._thread.is_alive():
            yield _WAIT_MS
        importlib.import_module("pyqtgraph")
        yield 0
        for spec in DOCKS:
            if available(spec.id):
                importlib.import_module(spec.module)
                yield 0
        self._give_session()

    def _give_session(self) -> None:
        from engine.session import Session

        window = self._window
        dispatcher = Dispatcher()
        dispatcher.setParent(window)
        remembered = window.settings
        window.set_session(
            Session(dispatch=dispatcher.dispatch, settings=remembered.folder, recovery=remembered.recovery)
        )
        window.check_fonts()
        gc.enable()
        gc.collect()
        gc.freeze()
        if self._path is not None:
            window.actions_.open_path(self._path)
        window.offer_recoveries()
