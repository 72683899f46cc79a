"""A watch over a run of ONNX Runtime: stops it when somebody cancels or memory runs away."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import onnxruntime as ort

from engine.progress import CancelToken

_INTERVAL_S = 0.02
_STATM = Path("/proc/self/statm")


@dataclass(slots=True)
class Guard:
    """`exceeded` is the number of bytes that the process had grown by when the run was stopped, or 0."""

    exceeded: int = 0


@contextmanager
def guarded(options: ort.RunOptions, memory_limit: int, cancel: CancelToken) -> Iterator[Guard]:
    """Watch the process while a run with these options goes on in the calling thread.

    The runtime looks at the flag between nodes, so one huge node is stopped behind it, not inside.
    """
    guard, done, start = Guard(), threading.Event(), resident_bytes()

    def watch() -> None:
        while not done.wait(_INTERVAL_S):
            grown = resident_bytes() - start
            if grown > memory_limit:
                guard.exceeded = grown
            if guard.exceeded or cancel.cancelled:
                options.terminate = True

    thread = threading.Thread(target=watch, name="trial-guard", daemon=True)
    thread.start()
    try:
        yield guard
    finally:
        done.set()
        thread.join()


def resident_bytes() -> int:
    """Resident memory of this process; 0 where the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
