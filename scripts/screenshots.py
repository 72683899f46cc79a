"""Drive the real window without a display, by mouse and key events, and save what it shows.

    python scripts/screenshots.py [--sample NAME] [--out docs/images] [--size 1440x900 ...]

Every picture is of real results: after each step the script waits until no job runs but exact sweeps.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice, QPoint, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from engine.session import Session
from gui import style
from gui.bridge import Dispatcher
from gui.i18n import Language, set_language
from gui.settings import Settings
from gui.theme import Mode, theme_manager
from gui.views.session_view import SessionView
from gui.window import Window

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from watch import pause  # noqa: E402 - found only from here on

SIZES = ("1280x800", "1440x900", "1920x1080")
DEFAULT_SIZE = "1440x900"
LAYOUT_KEYS = {"tune": "1", "profile": "2", "sweep": "3", "compare": "4", "graph": "5"}
LIMIT_S = 180.0


class Driver:
    """A window and hands to use it."""

    def __init__(self, size: tuple[int, int], out: Path) -> None:
        self.out = out
        self._dispatcher = Dispatcher()
        self.session = Session(dispatch=self._dispatcher.dispatch)
        self.window = Window(Settings(None), confirm=False)
        self.window.resize(*size)
        self.window.show()
        self.window.set_session(self.session)
        QTest.qWaitForWindowExposed(self.window)
        self.settle()

    def wait(self, done: Callable[[], bool], what: str) -> None:
        """Let the window work until something is so."""
        end = time.monotonic() + LIMIT_S
        while not done():
            if time.monotonic() > end:
                raise TimeoutError(what)
            pause(20)

    def settle(self) -> None:
        """Wait until everything is drawn and no job runs but exact sweeps, which take minutes on a slow machine."""
        for _ in range(2):  # a view that has just been made may start a job
            self.wait(lambda: all(job.lane == "exact" for job in self.session.jobs.active), "jobs still run")
            self.wait(lambda: self.window.host is not None and self.window.host.settled, "docks are not ready")
            views = [view for view in self.window.findChildren(SessionView) if view.isVisible()]
            self.wait(lambda shown=views: not any(view.due for view in shown), "views are not drawn")
            pause(80)

    def open_sample(self, name: str) -> None:
        """Click Open on a sample's card."""
        card = self.window.start.findChild(QPushButton, f"open_{name}")
        if card is None:
            raise SystemExit(f"There is no sample named {name}.")
        QTest.mouseClick(card, Qt.MouseButton.LeftButton)
        self.wait(lambda: self.session.network is not None, "the sample does not open")
        self.wait(lambda: self.session.figures.evaluation is not None, "no figures come")
        self.settle()

    def keys(self, text: str) -> None:
        """Type a shortcut such as Ctrl+2."""
        *modifiers, key = text.split("+")
        held = Qt.KeyboardModifier.NoModifier
        for name in modifiers:
            held |= getattr(Qt.KeyboardModifier, {"Ctrl": "ControlModifier", "Shift": "ShiftModifier"}[name])
        target = QApplication.focusWidget() or self.window
        QTest.keyClick(target, getattr(Qt.Key, f"Key_{key}"), held)

    def edit(self) -> None:
        """Make a plan as a user would: all INT8 from the menu, then INT4 for the last third by keys."""
        self.window.menus.by_id["preset_int8"].trigger()
        self.settle()
        assert self.session.network is not None
        tunable = self.session.network.tunable
        tail = [k.id for k in tunable[2 * len(tunable) // 3 : -1]]
        self.session.select(tail, tail[-1], "screenshots")
        self.keys("4")
        self.settle()
        shown = tunable[len(tunable) // 3].id
        self.session.select([shown], shown, "screenshots")
        self.window.menus.by_id["sweep"].trigger()
        self.settle()

    def layout(self, name: str) -> None:
        """Change the layout by its key, and let every dock of it fill."""
        self.keys(f"Ctrl+{LAYOUT_KEYS[name]}")
        self.settle()

    def picture(self, name: str) -> None:
        """Save the window."""
        save_packed(self.window.grab(), self.out / f"{name}.png")

    def close(self) -> None:
        """End window and session."""
        self.window.close()


def save_packed(picture: QPixmap, path: Path) -> None:
    """Save what was grabbed without loss, packed as well as the format of that ending can."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(data, "PNG")
    with Image.open(io.BytesIO(data.data().data())) as image:
        packed = image.convert("RGB")
    packed.save(path, optimize=True, lossless=True, method=6)
    print(path.name, flush=True)


def look(mode: Mode, language: Language) -> None:
    """Choose colours and language."""
    theme_manager.set_mode(mode)
    set_language(language)


def name_of(what: str, mode: str, language: str, size: str) -> str:
    """Name of a picture: English and 1440x900 go without saying."""
    parts = [what, mode, *([language] if language != "en" else []), *([size] if size != DEFAULT_SIZE else [])]
    return "-".join(parts)


def take(size: str, sample: str, out: Path, modes: list[Mode], languages: list[Language], layouts: list[str]) -> None:
    """All pictures of one window size."""
    width, height = (int(part) for part in size.split("x"))
    look(modes[0], languages[0])
    driver = Driver((width, height), out)
    try:
        for mode in modes:
            for language in languages:
                look(mode, language)
                driver.settle()
                driver.picture(name_of("start", mode, language, size))
        look(modes[0], languages[0])
        driver.open_sample(sample)
        driver.edit()
        QTest.mouseMove(driver.window, QPoint(5, 5))
        for layout in layouts:
            driver.layout(layout)
            for mode in modes:
                for language in languages:
                    look(mode, language)
                    driver.settle()
                    driver.picture(name_of(layout, mode, language, size))
            look(modes[0], languages[0])
    finally:
        driver.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", default="page_orientation")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--size", nargs="+", default=[DEFAULT_SIZE], help=f"for example {' '.join(SIZES)}")
    parser.add_argument("--theme", nargs="+", default=["light", "dark"], choices=["light", "dark"])
    parser.add_argument("--language", nargs="+", default=["en", "zh"], choices=["en", "zh"])
    parser.add_argument("--layout", nargs="+", default=list(LAYOUT_KEYS), choices=list(LAYOUT_KEYS))
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication(sys.argv[:1])
    style.install(app, sheet=False)
    for size in arguments.size:
        take(size, arguments.sample, arguments.out, arguments.theme, arguments.language, arguments.layout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
