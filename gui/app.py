"""Start of the window: show it first, bring the engine in behind it."""

from __future__ import annotations

import faulthandler
import logging
import sys
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
from gui.i18n import set_language
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
    faulthandler.enable()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("Mixbit")
    app.setApplicationVersion(VERSION)
    app.setDesktopFileName("mixbit")
    settings = Settings(
        Path(platformdirs.user_config_dir("mixbit", appauthor=False)),
        Path(platformdirs.user_data_dir("mixbit", appauthor=False)) / "recovery",
    )
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
