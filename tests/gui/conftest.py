"""Shared fixtures: no display, one look, and nothing left running after a test."""

import gc
import os
import threading
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from fakes import FakeSession, with_model
from PySide6.QtCore import QEvent, QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication

from gui import style
from gui.bridge import hub
from gui.i18n import set_language
from gui.theme import LIGHT, Theme, theme_manager


@pytest.fixture(scope="module", autouse=True)
def _old_objects_aside():
    """Collecting garbage after each test looks at what this module made, not at all that older ones have left."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_left_running(qapp):
    """Fail a test that leaves a thread, a job's worker or a running timer of a live object behind."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        qapp.processEvents()
        left = [t for t in threading.enumerate() if t not in before and t.is_alive()]
        if not left:
            break
        left[0].join(0.02)
    assert not left, f"threads left running: {[t.name for t in left]}"
    for widget in QApplication.topLevelWidgets():
        if widget.parent() is None and widget.isVisible():
            widget.close()
    hub.hover(None, "nobody")  # one hub serves all windows and outlives them
    qapp.processEvents()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # no loop runs that would do it
    gc.collect()
    alive = [o for o in gc.get_objects() if isinstance(o, QObject) and _running(o)]
    assert not alive, f"still running: {[(type(o).__name__, o.objectName()) for o in alive]}"


def _running(thing: QObject) -> bool:
    try:
        if isinstance(thing, QThread):
            return thing is not QThread.currentThread() and thing.isRunning() and thing.parent() is None
        return isinstance(thing, QTimer) and thing.isActive()
    except RuntimeError:  # its C++ half is gone
        return False


@pytest.fixture(scope="session")
def _style(qapp):
    """Font and colours of the program; a window brings its style sheet itself."""
    style.install(qapp, sheet=False)


@pytest.fixture(autouse=True)
def _plain_look(_style):
    """Every test starts in English and light."""
    set_language("en")
    theme_manager.set_mode("light")
    yield
    set_language("en")
    theme_manager.set_mode("light")


@pytest.fixture
def session():
    """A fake session with a model of 56 kernels, all results there."""
    made = with_model()
    yield made
    made.close()


@pytest.fixture
def empty_session():
    """A fake session without a model."""
    made = FakeSession()
    yield made
    made.close()


@pytest.fixture
def theme() -> Theme:
    return LIGHT
