"""A few threads that share the samples of one evaluator, and can be left behind when nobody waits any more."""

from __future__ import annotations

import concurrent.futures as futures
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from engine.progress import CancelToken

P = ParamSpec("P")
T = TypeVar("T")
_POLL_SECONDS = 0.02
"""How soon a cancel is answered, whatever a worker is doing."""


class Workers:
    """Runs calls in threads. A call that outlives its cancelled owner is waited for before the next batch begins."""

    def __init__(self, count: int) -> None:
        self.count = max(1, count)
        self._pool = futures.ThreadPoolExecutor(self.count, "mixbit-numerics")
        self._left: set[futures.Future[object]] = set()
        self._submitted: set[futures.Future[Any]] = set()

    def map(
        self,
        work: Callable[[T], object],
        items: Iterable[T],
        *,
        cancel: CancelToken,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """Call `work` for every item, and wait.

        Args:
            work: Must check `cancel` itself where it takes long.
            items: One call each.
            cancel: Raises Cancelled within 20 ms, even if a call is still busy.
            tick: Called from the waiting thread every 20 ms.

        Raises:
            Cancelled: If asked to stop.
            Exception: The first one that a call raised.
        """
        self.settle(cancel)
        running: set[futures.Future[object]] = {self._pool.submit(work, item) for item in items}
        try:
            while running:
                done, running = futures.wait(running, _POLL_SECONDS, futures.FIRST_EXCEPTION)
                for future in done:
                    future.result()
                cancel.check()
                tick()
        finally:
            self._left |= {future for future in running if not future.cancel()}

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> futures.Future[T]:
        """Queue one call that touches nothing of `map`'s."""
        future = self._pool.submit(work, *args, **kwargs)
        self._submitted.add(future)
        future.add_done_callback(self._submitted.discard)
        return future

    @staticmethod
    def result(future: futures.Future[T], cancel: CancelToken) -> T:
        """Wait for a submitted call.

        Raises:
            Cancelled: Within 20 ms of being asked to stop.
        """
        while True:
            cancel.check()
            done, _ = futures.wait([future], _POLL_SECONDS)
            if done:
                return future.result()

    def settle(self, cancel: CancelToken) -> None:
        """Wait until nothing runs that an earlier, cancelled batch has left behind."""
        while self._left:
            cancel.check()
            self._left = set(futures.wait(self._left, _POLL_SECONDS).not_done)

    def close(self, *, patience: float | None = None) -> None:
        """End the threads, after what they are doing now.

        Args:
            patience: Seconds after which a call that was submitted and still runs is left to end by itself.
        """
        self._pool.shutdown(wait=False, cancel_futures=True)
        busy = patience is not None and bool(futures.wait(set(self._submitted), patience).not_done)
        if not busy:
            self._pool.shutdown(wait=True)
        self._submitted.clear()
        self._left.clear()


@contextmanager
def exclusive(lock: threading.Lock, cancel: CancelToken) -> Iterator[None]:
    """Hold a lock, but don't wait for it any longer than somebody is interested.

    Raises:
        Cancelled: If asked to stop before the lock was free.
    """
    while not lock.acquire(timeout=_POLL_SECONDS):
        cancel.check()
    try:
        yield
    finally:
        lock.release()
