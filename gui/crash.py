"""What is left of a fault: a report on disk for each, and a trace of crashes that end the process at once."""

from __future__ import annotations

import faulthandler
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from engine.asides import locked
from gui.reports import environment, without_paths

MOST = 20
"""Older reports are thrown away."""


class Crashes:
    """Reports of one user. Without a folder that can be written nothing is kept, and nothing else changes."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._trace: IO[bytes] | None = None
        self._trace_path: Path | None = None

    def watch(self) -> list[Path]:
        """From now on keep a trace of crashes that Python can't catch.

        Returns:
            Traces of processes that have ended that way, newest first; they are given out once.
        """
        if self.folder is None:
            faulthandler.enable()
            return []
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            found = self._collect()
            self._trace_path = self.folder / f"running-{os.getpid()}.txt"
            self._trace = self._trace_path.open("wb", buffering=0)
        except OSError:
            faulthandler.enable()
            return []
        locked(self._trace.fileno())
        faulthandler.enable(self._trace)
        return found

    def write(self, details: str) -> Path | None:
        """Write a report of a fault that Python has caught; None if it can't be written."""
        if self.folder is None:
            return None
        path = self.folder / f"fault-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        lines = [*environment(), "", *(without_paths(line) for line in details.splitlines())]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        except OSError:
            return None
        self._tidy()
        return path

    def stop(self) -> None:
        """The program ends as it should: its trace is empty and goes."""
        if self._trace is not None:
            faulthandler.disable()
            self._trace.close()
            self._trace = None
            with suppress(OSError):
                if self._trace_path is not None:
                    self._trace_path.unlink()

    def _collect(self) -> list[Path]:
        """Traces of ended processes under the names of reports; empty ones are thrown away."""
        assert self.folder is not None
        found = []
        for path in sorted(self.folder.glob("running-*.txt"), key=lambda p: -p.stat().st_mtime):
            with path.open("r+b") as trace:
                if not locked(trace.fileno()):  # its process lives
                    continue
                words = trace.read().decode("utf-8", "replace")
            if words.strip():
                made = self.folder / f"crash-{path.stem.removeprefix('running-')}-{int(path.stat().st_mtime)}.txt"
                made.write_text("\n".join([*environment(), "", without_paths(words)]), encoding="utf-8")
                found.append(made)
            path.unlink()
        self._tidy()
        return found

    def _tidy(self) -> None:
        assert self.folder is not None
        with suppress(OSError):
            reports = [*self.folder.glob("fault-*.txt"), *self.folder.glob("crash-*.txt")]
            for old in sorted(reports, key=lambda p: p.stat().st_mtime)[:-MOST]:
                old.unlink()
