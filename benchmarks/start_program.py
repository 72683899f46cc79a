"""Runs the program as its command does, and says when its first frame and its first figures were on the screen.

    python benchmarks/start_program.py [MODEL.onnx]

Prints two readings of the monotonic clock in seconds (the second is 0 without a model), then ends. `bench_window.py`
holds them against the moment when it started this process.
"""

from __future__ import annotations

import sys
import time

from gui.plain_imports import restore

restore()

import gui.app  # noqa: E402 - in the order of the program
from gui.main import main  # noqa: E402


class Watched(gui.app.Window):
    """The window, with a look at the clock once a frame is done."""

    painted = figures = 0.0

    def paintEvent(self, event: object) -> None:
        """Look at the clock once the first frame is done."""
        from PySide6.QtCore import QTimer

        super().paintEvent(event)  # type: ignore[arg-type]
        if not self.painted:
            Watched.painted = -1.0
            QTimer.singleShot(0, self._on_painted)  # after the whole frame, children too

    def _on_painted(self) -> None:
        from PySide6.QtCore import QTimer

        Watched.painted = time.perf_counter()
        if len(sys.argv) < 2:
            self.close()
            return
        self._look = QTimer(self)
        self._look.timeout.connect(self._on_look)
        self._look.start(5)
        QTimer.singleShot(60_000, self.close)  # something is wrong: the second reading stays 0

    def _on_look(self) -> None:
        view = self.view("summary") if self.session is not None and self.session.network is not None else None
        if view is not None and "–" not in (view.cards["sqnr"].look.value, view.cards["latency"].look.value):
            self._look.stop()
            Watched.figures = time.perf_counter()
            self.close()


if __name__ == "__main__":
    gui.app.Window = Watched  # type: ignore[misc]
    main(sys.argv[1:])
    print(Watched.painted, Watched.figures)
