"""A watch over a run of ONNX Runtime: stops it when somebody cancels, time is over or memory runs away."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import onnxruntime as ort

from engine.errors import Cancelled
from engine.progress import NEVER, CancelToken

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_INTERVAL_S = 0.02
_STATM = Path("/proc/self/statm")
_SLACK = 128 << 20
"""Bytes of address space that a run may take beyond its limit: stacks, the allocator's reserves, other threads."""


@dataclass(slots=True)
class Guard:
    """Why a run was stopped."""

    exceeded: int = 0
    """Bytes that the process had grown by, or 0."""
    late: bool = False
    """Whether its time was over."""


@contextmanager
def guarded(
    options: ort.RunOptions, memory_limit: int, cancel: CancelToken, seconds: float = math.inf
) -> Iterator[Guard]:
    """Watch the process while a run with these options goes on in the calling thread.

    The runtime looks at the flag between nodes, also inside loops. What one node takes at once is beyond the watch:
    there the system refuses to give more memory, where it can be asked to.
    """
    guard, done, start = Guard(), threading.Event(), own_bytes()
    end = time.monotonic() + seconds

    def watch() -> None:
        while not done.wait(_INTERVAL_S):
            grown = own_bytes() - start
            if grown > memory_limit:
                guard.exceeded = grown
            guard.late = guard.late or time.monotonic() > end
            if guard.exceeded or guard.late or cancel.cancelled:
                options.terminate = True

    thread = threading.Thread(target=watch, name="trial-guard", daemon=True)
    thread.start()
    try:
        with _address_space(memory_limit + _SLACK):
            yield guard
    finally:
        done.set()
        thread.join()


@contextmanager
def watched(stop: Callable[[], None], cancel: CancelToken) -> Iterator[None]:
    """Call `stop` as soon as somebody cancels what the calling thread does; what fails then has been cancelled.

    Raises:
        Cancelled: Instead of whatever the block raises once it has been cancelled, or when it ends.
    """
    if cancel is NEVER:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_INTERVAL_S):
            if cancel.cancelled:
                stop()
                return

    thread = threading.Thread(target=watch, name="open-guard", daemon=True)
    thread.start()
    try:
        yield
    except Exception as error:
        if cancel.cancelled:
            raise Cancelled from error
        raise
    finally:
        done.set()
        thread.join()
    cancel.check()


_limiting = threading.Lock()
"""The limit is one for the whole process: of two runs at a time, only the first sets it."""


@contextmanager
def _address_space(growth: int) -> Iterator[None]:
    """Let allocations fail that make the process larger than it is now by more than `growth` bytes."""
    size = _pages(0)
    if resource is None or not size or not _limiting.acquire(blocking=False):
        yield
        return
    try:
        before = resource.getrlimit(resource.RLIMIT_AS)
        wanted = size + growth
        # A limit beyond what the system can count to is none.
        free = wanted < (sys.maxsize if before[0] == resource.RLIM_INFINITY else before[0])
        if free:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, before[1]))
        try:
            yield
        finally:
            if free:
                resource.setrlimit(resource.RLIMIT_AS, before)
    finally:
        _limiting.release()


def own_bytes() -> int:
    """Resident memory of this process without mapped files, which the system can drop; 0 where it does not say."""
    return _pages(1) - _pages(2)


def _pages(field: int) -> int:
    """Bytes of a field of the system's account of this process: 0 address space, 1 resident, 2 of that mapped files."""
    try:
        return int(_STATM.read_text().split()[field]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
