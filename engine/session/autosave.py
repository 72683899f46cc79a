"""Autosave: the newest state of unsaved work is on disk soon after each edit, written by a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ExportError, MixbitError
from engine.session.claim import Claim, claim
from engine.text import Text, say

DELAY_S = 0.2
"""Edits that follow each other this fast are written together."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be written, and where it belongs."""

    encode: Callable[[], bytes]
    """Called on the writing thread."""
    model: Path
    project: Path | None
    base: str


class Autosave:
    """Keeps the unsaved work of one session recoverable. Methods are called on the owner's thread."""

    def __init__(self, folder: Path | None, failed: Callable[[Text], None]) -> None:
        """Do nothing yet.

        Args:
            folder: where claims are, and work that has no project; None = no autosave.
            failed: told once, from the writing thread, why nothing can be written.
        """
        self._folder, self._failed = folder, failed
        self._claim: Claim | None = None
        self._wanted: Work | None = None
        self._busy = False
        self._told = False
        self._closed = False
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None

    def keep(self, work: Work) -> None:
        """Write this soon; what was asked for before and is not written yet is forgotten."""
        if self._folder is None:
            return
        with self._change:
            self._wanted = work
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="mixbit-autosave", daemon=True)
                self._thread.start()
            self._change.notify_all()

    def forget(self) -> None:
        """The work is saved or given up: there is nothing to recover."""
        with self._change:
            self._wanted = None
            self._change.wait_for(lambda: not self._busy)
            if self._claim is not None:
                self._claim.clear()

    def take_over(self, taken: Claim) -> None:
        """Go on with the work of a process that has ended: its files are now written by this one."""
        self.forget()
        with self._change:
            if self._claim is not None:
                self._claim.release()
            self._claim = taken

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until everything is written; whether that is so."""
        with self._change:
            return self._change.wait_for(lambda: self._wanted is None and not self._busy, timeout)

    def close(self) -> None:
        """End the thread and let go. Work that nobody gave up stays, to be offered."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def _run(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._wanted is not None or self._closed)
                if self._closed:
                    return
                self._change.wait_for(lambda: self._closed, DELAY_S)
                work, self._wanted = self._wanted, None
                self._busy = work is not None
            try:
                if work is not None:
                    self._write(work)
            except Exception as error:  # a thread that ended here would keep nothing of what comes later
                self._tell(error.text if isinstance(error, MixbitError) else say("{error}", error=repr(error)))
            finally:
                with self._change:
                    self._busy = False
                    self._change.notify_all()

    def _tell(self, reason: Text) -> None:
        if not self._told:
            self._told = True
            self._failed(
                say("Unsaved edits can't be kept for the case of a crash; save often. Reason: {reason}", reason=reason)
            )

    def _write(self, work: Work) -> None:
        if self._claim is None and self._folder is not None:
            self._claim = claim(self._folder)
        if self._claim is None:
            raise ExportError(say("{folder} can't be used.", folder=self._folder))
        self._claim.write(work.encode(), work.model, work.project, work.base)
