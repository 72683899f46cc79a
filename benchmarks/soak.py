"""Clicks in the window for minutes or hours, by chance but repeatably, and watches whether memory grows.

    python benchmarks/soak.py [--minutes 480] [--sample page_orientation] [--seed 1]

After each round of actions it waits until nothing runs, collects what is garbage, and notes resident memory, Python
objects and Qt objects. The first third is warm-up (caches fill up to their budget); what counts is the slope after it.
Exit code 1 if memory grows by more than 5 MB an hour over at least an hour, or 1 % a round in a short run.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from watch import pause

from engine.session import Session
from gui import style
from gui.bridge import Dispatcher, hub
from gui.i18n import set_language
from gui.settings import Settings
from gui.theme import theme_manager
from gui.window import Window

ROUND = 40
"""Actions between two measurements."""
LAYOUTS = ("tune", "profile", "sweep", "compare", "graph")
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@dataclass(frozen=True, slots=True)
class Measured:
    """State after a round, with nothing running."""

    seconds: float
    actions: int
    resident_mb: float
    python_objects: int
    qt_objects: int


def cancel_file_dialogs() -> None:
    """File dialogs have an event loop of their own, in which nobody would click: they are cancelled at once."""
    for name in ("getOpenFileName", "getSaveFileName"):
        setattr(QFileDialog, name, staticmethod(lambda *_, **__: ("", "")))
    QFileDialog.getExistingDirectory = staticmethod(lambda *_, **__: "")  # type: ignore[method-assign]


class Clicker:
    """A window with a sample, and hands that do something by chance."""

    def __init__(self, sample: str, seed: int) -> None:
        cancel_file_dialogs()
        self.random = random.Random(seed)
        self._dispatcher = Dispatcher()
        self.session = Session(dispatch=self._dispatcher.dispatch)
        self.window = Window(Settings(None), confirm=False)
        self.window.resize(1440, 900)
        self.window.show()
        self.window.set_session(self.session)
        self.session.open_sample(sample)
        self.wait(lambda: self.session.figures.evaluation is not None)
        self.actions: tuple[Callable[[], None], ...] = (
            self.set_scheme, self.set_scheme, self.set_scheme, self.undo, self.redo, self.select, self.select,
            self.layout, self.preset, self.click_somewhere, self.click_somewhere, self.type_filter, self.look,
            self.overlay, self.wheel, self.keys,
        )  # fmt: skip

    def wait(self, done: Callable[[], bool], limit_s: float = 300.0) -> None:
        """Let the window work until something is so."""
        end = time.monotonic() + limit_s
        while not done():
            if time.monotonic() > end:
                raise TimeoutError(f"after {limit_s:g} s: {[str(job.title) for job in self.session.jobs.active]}")
            pause(20)

    def settle(self) -> None:
        """Wait until nothing runs, and drop what is garbage."""
        self.wait(lambda: not self.session.jobs.active)
        pause(300)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        gc.collect()

    def act(self) -> None:
        """Do one thing."""
        self.random.choice(self.actions)()
        pause(self.random.choice((0, 5, 30, 120)))

    def close(self) -> None:
        """End window and session."""
        self.window.close()

    # what a user does

    def set_scheme(self) -> None:
        """One key on a selection."""
        self.select()
        self.window.actions_.set_scheme(self.random.choice(("int4", "int8", "fp16")))

    def undo(self) -> None:
        """Ctrl+Z."""
        self.window.actions_.undo()

    def redo(self) -> None:
        """Ctrl+Shift+Z."""
        self.window.actions_.redo()

    def select(self) -> None:
        """One or a few kernels."""
        kernels = self.session.network.tunable if self.session.network is not None else ()
        chosen = [k.id for k in self.random.sample(kernels, self.random.randint(1, 4))]
        self.session.select(chosen, chosen[0])

    def layout(self) -> None:
        """Another layout."""
        self.window.show_layout(self.random.choice(LAYOUTS))

    def preset(self) -> None:
        """All kernels at once."""
        self.window.actions_.preset(self.random.choice(("int8", "int4", "fp16", "first_last_fp16")))

    def click_somewhere(self) -> None:
        """A click into a view; dialogs and menus that open are closed again."""
        docks = [d for d in self.window.host.docks.values() if d.isVisible() and d.view is not None]
        view: QWidget = self.random.choice(docks).view
        at = QPoint(self.random.randrange(max(1, view.width())), self.random.randrange(max(1, view.height())))
        target = view.childAt(at) or view
        QTest.mouseClick(target, LEFT, NONE, target.mapFrom(view, at))
        for widget in QApplication.topLevelWidgets():
            if widget is not self.window and widget.isVisible():
                widget.close()

    def type_filter(self) -> None:
        """Filter the table, and clear it."""
        layers = self.window.host.docks["layers"].view
        if layers is not None:
            layers.filter_bar.input.setText(self.random.choice(("conv", "1", "", "xyz")))
            pause(160)
            layers.clear_filter()

    def look(self) -> None:
        """Another theme and language."""
        theme_manager.set_mode(self.random.choice(("light", "dark")))
        set_language(self.random.choice(("en", "zh")))

    def overlay(self) -> None:
        """Another overlay of the graph."""
        hub.set_overlay(self.random.choice(("precision", "latency", "local", "sensitivity", "unit")))

    def wheel(self) -> None:
        """Walk with the keys of a view."""
        target = QApplication.focusWidget() or self.window
        QTest.keyClick(target, self.random.choice((Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)))

    def keys(self) -> None:
        """Esc."""
        self.window.actions_.escape()


def measure(start: float, actions: int) -> Measured:
    """Look at the process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    objects = gc.get_objects()
    qt = sum(isinstance(o, QObject) for o in objects)
    resident = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return Measured(time.monotonic() - start, actions, resident, len(objects), qt)


def soak(clicker: Clicker, *, seconds: float, rounds: int = 0) -> list[Measured]:
    """Act in rounds until the time is over, or for so many rounds."""
    start = time.monotonic()
    found: list[Measured] = []
    while (len(found) < rounds) if rounds else (time.monotonic() - start < seconds):
        for _ in range(ROUND):
            clicker.act()
        clicker.settle()
        found.append(measure(start, (len(found) + 1) * ROUND))
    return found


def slope(found: list[Measured]) -> float:
    """Growth of resident memory in MB an hour behind the first third."""
    late = found[len(found) // 3 :]
    if len(late) < 2:
        return 0.0
    return float(np.polyfit([m.seconds / 3600 for m in late], [m.resident_mb for m in late], 1)[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--sample", default="page_orientation")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication(sys.argv[:1])
    style.install(app, sheet=False)
    clicker = Clicker(arguments.sample, arguments.seed)
    try:
        found = soak(clicker, seconds=60 * arguments.minutes)
    finally:
        clicker.close()
    step = max(1, len(found) // 20)
    print(f"{'minutes':>8} {'actions':>8} {'resident MB':>12} {'objects':>9} {'Qt objects':>11}")
    for m in found[::step]:
        print(f"{m.seconds / 60:8.1f} {m.actions:8d} {m.resident_mb:12.1f} {m.python_objects:9d} {m.qt_objects:11d}")
    grown = slope(found)
    hours = found[-1].seconds / 3600
    print(f"{found[-1].actions} actions in {60 * hours:.1f} min; behind the warm-up {grown:+.1f} MB an hour")
    limit = 5.0 if hours >= 1 else 0.01 * found[-1].resident_mb * len(found) / max(hours, 1e-6)
    return int(grown > limit)


if __name__ == "__main__":
    sys.exit(main())
