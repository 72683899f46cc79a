"""How long work reports and is stopped: the two arguments that every slow engine function takes."""

from __future__ import annotations

import threading
from collections.abc import Callable

from engine.errors import Cancelled
from engine.text import Text

Progress = Callable[[float, Text], None]
"""Called with a fraction in [0, 1] and a sentence; may be called often and from any thread."""


def no_progress(fraction: float, text: Text) -> None:
    """Ignore the report."""


class CancelToken:
    """A flag that somebody else raises. Check it at least every 50 ms of work."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the work to stop."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether a stop was asked for."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise Cancelled if a stop was asked for."""
        if self._event.is_set():
            raise Cancelled


NEVER = CancelToken()
"""A token that nobody cancels."""
