"""Ctrl-C is answered at once, even while ONNX Runtime computes."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

STOPPED = 130
"""Exit code of a command that was stopped, as shells have it."""
PATIENCE_S = 2.0
"""How long a stopped command may take to clean up behind itself."""
_LOOK_S = 0.1


def interruptible(work: Callable[[], int]) -> int:
    """Run a command so that Ctrl-C ends it soon.

    Python answers signals only between two steps of the main thread, and a call into ONNX Runtime is one long step. So
    the command runs in a thread of its own. It is asked to stop as if Ctrl-C had reached it, and cleans up; one that
    is still inside a call after `PATIENCE_S` seconds, or after a second Ctrl-C, is left and the process ends.

    Args:
        work: gives the exit code; its exceptions are passed on.

    Returns:
        What `work` gave, or `STOPPED`.
    """
    given: list[int] = []
    failed: list[BaseException] = []
    ended = threading.Event()  # Thread.join takes a thread for ended once Ctrl-C has interrupted it

    def run() -> None:
        try:
            given.append(work())
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    thread = threading.Thread(target=run, name="mixbit-command", daemon=True)
    try:
        thread.start()
        while not ended.wait(_LOOK_S):
            pass
    except KeyboardInterrupt:
        sys.stderr.write("mixbit: stopped\n")
        _stop(thread, ended)
        return STOPPED
    if failed:
        raise failed[0]
    return given[0]


def _stop(thread: threading.Thread, ended: threading.Event) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt))
    with suppress(KeyboardInterrupt):  # a second Ctrl-C
        ended.wait(PATIENCE_S)
    if not ended.is_set():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(STOPPED)
