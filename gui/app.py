"""Start of the window: show it first, bring the engine in behind it."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType

import platformdirs
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from engine.text import say
from engine.version import VERSION
from gui import style
from gui.bridge import Dispatcher
from gui.crash import Crashes
from gui.i18n import set_language
from gui.interrupts import Interrupts
from gui.settings import Settings
from gui.starter import Starter
from gui.theme import theme_manager
from gui.window import Window

log = logging.getLogger(__name__)
SWITCH_S = 0.0001
"""How long a thread keeps the interpreter while others wait for it. Kernels are run in steps of some 20 microseconds of
Python between calls into the runtime that need none of it: with Python's own 5 ms they would wait most of the time."""


def run(path: Path | None) -> int:
    """Open the window, perhaps with a model or project, until it is closed.

    Returns:
        Exit code of the program.
    """
    sys.setswitchinterval(SWITCH_S)
    data = Path(platformdirs.user_data_dir("mixbit", appauthor=False))
    crashes = Crashes(data / "crashes")
    left = crashes.watch()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("Mixbit")
    app.setApplicationVersion(VERSION)
    app.setDesktopFileName("mixbit")
    settings = Settings(
        Path(platformdirs.user_config_dir("mixbit", appauthor=False)),
        data / "recovery",
    )
    set_language(settings.language)
    theme_manager.set_mode(settings.mode)
    QGuiApplication.styleHints().colorSchemeChanged.connect(theme_manager.system_changed)
    style.install(app, sheet=False)
    window = Window(settings)
    hook = Hook(window, crashes)
    sys.excepthook, threading.excepthook = hook, hook.in_thread
    if path is not None:
        window.actions_.open_path(path)  # named from the first frame on, opened once the engine is there
    window.fit(window.screen().availableSize())
    window.show()
    if left:
        hook.tell_of(left[0])

    def leave() -> None:
        window.end()
        app.exit()  # dialogs that are open have loops of their own; `quit` would ask about unsaved edits

    interrupts = Interrupts(leave)
    starter = Starter(window)
    QTimer.singleShot(0, starter.begin)
    code = app.exec()
    interrupts.stop()
    starter.wait()
    crashes.stop()
    return code


class Hook:
    """Shows a fault of ours instead of hiding it, writes a report, and lets the program live on."""

    def __init__(self, window: Window, crashes: Crashes) -> None:
        self._window, self._crashes = window, crashes
        self._dispatcher = Dispatcher()
        self._dispatcher.setParent(window)

    def tell_of(self, trace: Path) -> None:
        """Say that the program ended by itself last time."""
        try:
            details = trace.read_text(encoding="utf-8", errors="replace")
        except OSError:
            details = ""
        sentence = say("Mixbit crashed the last time it ran. {file} helps to find out why.", file=trace.name)
        self._window.show_error(sentence, details, trace)

    def in_thread(self, given: threading.ExceptHookArgs) -> None:
        """A fault in a thread of ours: shown on the window's own."""
        error = given.exc_value or given.exc_type()
        self._dispatcher.dispatch(lambda: self(given.exc_type, error, given.exc_traceback))

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Take what nobody has caught."""
        details = "".join(traceback.format_exception(kind, error, trace))
        log.error("%s", details)
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        self._window.show_error(
            say("Internal error: {error}. Please copy the details into a report.", error=repr(error)),
            details,
            self._crashes.write(details),
        )
