"""Standard output, kept clean of what a C library prints by itself."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_LOCK = threading.Lock()


@contextmanager
def terminal_set_aside() -> Iterator[None]:
    """Send what is printed meanwhile to standard error.

    HiGHS has a message of its own that no option turns off; a command whose standard output is JSON must not have it in
    there. Without a standard output or error (a windowed program) there is nothing to do.
    """
    with _LOCK:
        try:
            with suppress(AttributeError, ValueError):
                sys.stdout.flush()
            saved = os.dup(1)
        except OSError:
            yield
            return
        try:
            with suppress(OSError):
                os.dup2(2, 1)
            yield
        finally:
            with suppress(OSError, AttributeError, TypeError):
                ctypes.CDLL(None).fflush(None)  # C keeps its own buffer
            os.dup2(saved, 1)
            os.close(saved)
