"""A session that a test drives as a window's event loop does."""

from __future__ import annotations

import queue
import time
from pathlib import Path

from engine.session import Session
from engine.session.changes import What


class Driver:
    """A session with an owner's thread that pumps callbacks."""

    def __init__(self, folder: Path, *, recovery: bool = False) -> None:
        self.queue: queue.Queue = queue.Queue()
        self.session = Session(
            dispatch=self.queue.put,
            settings=folder / "settings",
            recovery=folder / "recovery" if recovery else None,
        )
        self.changes: list = []
        self.session.subscribe(self.changes.append)

    def settle(self, seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while self.session.jobs.active or not self.queue.empty():
            try:
                self.queue.get(timeout=0.05)()
            except queue.Empty:
                assert time.monotonic() < end, [str(j.title) for j in self.session.jobs.active]

    def open(self, path: Path) -> Session:
        """Open a model and have everything of it computed."""
        self.session.open_model(path)
        self.settle()
        return self.session

    def seen(self, what: What) -> int:
        return sum(c.what is what for c in self.changes)

    def errors(self) -> list[str]:
        return [str(e.text) for e in self.session.log if e.level == "error"]
