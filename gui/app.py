"""Start of the window: show it first, bring the engine in behind it."""

from __future__ import annotations

import faulthandler
import gc
import importlib
import logging
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType

import platformdirs
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from engine.text import say
from engine.version import VERSION
from gui import style
from gui.bridge import Dispatcher
from gui.docks import DOCKS, available
from gui.i18n import set_language
from gui.settings import Settings
from gui.theme import theme_manager
from gui.window import Window

log = logging.getLogger(__name__)


def run(path: Path | None) -> int:
    """Open the window, perhaps with a model or project, until it is closed.

    Returns:
        Exit code of the program.
    """
    sys.setswitchinterval(0.0005)
    faulthandler.enable()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("Mixbit")
    app.setApplicationVersion(VERSION)
    app.setDesktopFileName("mixbit")
    settings = Settings(Path(platformdirs.user_config_dir("mixbit", appauthor=False)))
    set_language(settings.language)
    theme_manager.set_mode(settings.mode)
    QGuiApplication.styleHints().colorSchemeChanged.connect(theme_manager.system_changed)
    style.install(app, sheet=False)
    window = Window(settings)
    sys.excepthook = _Hook(window)
    window.show()
    starter = Starter(window, path)
    QTimer.singleShot(0, starter.begin)
    code = app.exec()
    starter.wait()
    return code


class Starter(QObject):
    """Imports the engine and the views in a thread of its own, then gives the window its session."""

    _imported = Signal()

    def __init__(self, window: Window, path: Path | None) -> None:
        super().__init__(window)
        self._window, self._path = window, path
        self._thread = threading.Thread(target=self._import, name="mixbit-start", daemon=True)
        self._failure = ""
        self._imported.connect(self._finish, Qt.ConnectionType.QueuedConnection)

    def begin(self) -> None:
        """Start importing."""
        self._thread.start()

    def wait(self) -> None:
        """Wait for the thread, if it runs."""
        if self._thread.is_alive():
            self._thread.join()

    def _import(self) -> None:
        try:
            importlib.import_module("engine.session.session")
            for spec in DOCKS:
                if available(spec.id):
                    importlib.import_module(spec.module)
        except Exception:
            self._failure = traceback.format_exc()
        self._imported.emit()

    def _finish(self) -> None:
        window = self._window
        if self._failure:
            window.show_error(say("The engine can't start; the details say which part is missing."), self._failure)
            return
        from engine.session import Session

        dispatcher = Dispatcher()
        dispatcher.setParent(window)
        session = Session(dispatch=dispatcher.dispatch, settings=window.settings.folder)
        window.set_session(session)
        window.check_fonts()
        gc.collect()
        gc.freeze()
        if self._path is not None:
            window.actions_.open_path(self._path)


class _Hook:
    """Shows a fault of ours instead of hiding it, and lets the program live on."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        details = "".join(traceback.format_exception(kind, error, trace))
        log.error("%s", details)
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        self._window.show_error(
            say("Internal error: {error}. Please copy the details into a report.", error=repr(error)), details
        )
