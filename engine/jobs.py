"""Background work: submit, progress, cancel, supersede.

A job is a plain function that takes a JobContext; it runs in a worker thread. Everything that the owner sees (state
changes, results, errors) is delivered through `dispatch`, so that a window gets it on its own thread.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from engine.errors import Cancelled, MixbitError
from engine.progress import CancelToken
from engine.text import Text, say
from engine.timeslice import STEADY_S, ask_for_slice

T = TypeVar("T")
_NICENESS = 1
"""At 3, six busy programs beside left jobs half of that, and the window waited longer for what starved threads held."""
Dispatch = Callable[[Callable[[], None]], None]
"""Runs a callback on the owner's thread, soon and in order."""
Lane = Literal["engine", "sweep", "exact", "query"]
"""Threads of their own: what an edit waits for, short work by the way, long sweeps, read-only queries."""
State = Literal["queued", "running", "done", "failed", "cancelled"]
_PATIENT: frozenset[Lane] = frozenset({"sweep", "exact"})
"""Lanes whose jobs can be paused: what answers an edit is never made to wait."""
_LOOK_S = 0.02


def run_now(callback: Callable[[], None]) -> None:
    """A dispatch for programs without an event loop: run at once, in the calling thread."""
    callback()


@dataclass(eq=False)
class Job:
    """One piece of work, as the job list shows it. Change it only through `cancel`, `pause` and `resume`."""

    id: int
    title: Text
    lane: Lane
    state: State = "queued"
    fraction: float = 0.0
    message: Text | None = None
    error: Text | None = None
    details: str = ""
    """Traceback of a failed job, to copy into a report."""
    submitted_at: float = field(default_factory=time.monotonic)
    started_at: float | None = None
    finished_at: float | None = None
    token: CancelToken = field(default_factory=CancelToken)
    _paused_at: float | None = None
    _paused_s: float = 0.0
    """Seconds of pauses that are over."""
    _told_left: float | None = None
    """Seconds left by the job's own reckoning."""

    def cancel(self) -> None:
        """Ask the job to stop; it ends as "cancelled" within 100 ms."""
        self.token.cancel()

    @property
    def pausable(self) -> bool:
        """Whether a pause is offered: while it runs in a lane that nothing else waits for."""
        return self.state == "running" and self.lane in _PATIENT and not self.token.cancelled

    @property
    def paused(self) -> bool:
        """Whether it waits, or is about to, until it is resumed."""
        return self._paused_at is not None and self.active

    def pause(self) -> None:
        """Let it wait between two kernels."""
        if self.pausable and self._paused_at is None:
            self._paused_at = time.monotonic()

    def resume(self) -> None:
        """Let it go on."""
        if self._paused_at is not None:
            self._paused_s += time.monotonic() - self._paused_at
            self._paused_at = None

    @property
    def active(self) -> bool:
        """Whether it is still queued or running."""
        return self.state in ("queued", "running")

    @property
    def seconds(self) -> float:
        """Seconds it has run so far, without pauses."""
        if self.started_at is None:
            return 0.0
        until = self.finished_at or self._paused_at or time.monotonic()
        return until - self.started_at - self._paused_s

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left, once there is something to judge by: by the job itself, else by its fraction."""
        if self.state != "running":
            return None
        if self._told_left is not None:
            return self._told_left
        if self.fraction < 0.02 or self.seconds < 0.3:
            return None
        return self.seconds * (1 - self.fraction) / self.fraction


@dataclass(frozen=True, slots=True)
class JobContext:
    """What a running job may use."""

    job: Job
    token: CancelToken

    def progress(self, fraction: float, text: Text, seconds_left: float | None = None) -> None:
        """Report a fraction in [0, 1] and a sentence. Cheap: views poll it. What was reached once never goes back.

        A job that stood aside for others knows better than its fraction how many seconds are left.
        """
        self.job.fraction, self.job.message = min(max(fraction, self.job.fraction), 1.0), text
        self.job._told_left = seconds_left

    def check(self) -> None:
        """Raise Cancelled if a stop was asked for."""
        self.token.check()

    def wait_while_paused(self) -> None:
        """Return when the job may go on; raise Cancelled if a stop was asked for."""
        while self.job.paused:
            self.token.check()
            time.sleep(_LOOK_S)


def _stand_back() -> None:
    """Let the owner's thread go first where all cores are busy; threads that a job starts do as the job's thread.

    Linux has a niceness per thread. Only a little: a thread that hardly runs may hold what the owner waits for. And
    slices of a core, which don't say how much one gets but who goes first.
    """
    ask_for_slice(STEADY_S)
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS))


def _fault(error: Exception) -> Text:
    return say("Internal error: {error}. The details can be copied from the job list.", error=repr(error))


class Jobs:
    """Runs jobs in lanes: one thread each for the engine, short sweeps and long ones, two for read-only queries."""

    def __init__(self, dispatch: Dispatch = run_now, changed: Callable[[], None] | None = None) -> None:
        self._dispatch = dispatch
        self._changed = changed or (lambda: None)
        self._ids = itertools.count(1)
        self._lanes: dict[Lane, ThreadPoolExecutor] = {}
        self._newest: dict[str, Job] = {}
        self._idle = threading.Condition()
        self._books = threading.RLock()
        self._unfinished: dict[Lane, int] = {"engine": 0, "sweep": 0, "exact": 0, "query": 0}
        self._closed = False
        self.history: list[Job] = []
        """All jobs, oldest first; at most 200 finished ones are kept."""

    @property
    def active(self) -> tuple[Job, ...]:
        """Jobs that are queued or running, oldest first."""
        return tuple(job for job in self.history if job.active)

    def submit(
        self,
        title: Text,
        work: Callable[[JobContext], T],
        *,
        lane: Lane = "engine",
        supersede: str | None = None,
        on_done: Callable[[T], None] | None = None,
        on_failed: Callable[[Text], None] | None = None,
        anyway: bool = False,
    ) -> Job:
        """Queue `work`. A newer job with the same `supersede` key cancels the older one.

        `on_done` and `on_failed` run on the owner's thread; a cancelled or superseded job calls neither. Once
        everything is closed nothing starts any more: a job that comes too late is cancelled from the beginning.

        Args:
            title: For the job list.
            work: What to do.
            lane: Where.
            supersede: See above.
            on_done: Gets the result.
            on_failed: Gets the reason.
            anyway: Do it even if it is cancelled while it waits: it cleans up.
        """
        job = Job(next(self._ids), title, lane)
        with self._books:  # callbacks that run at once come from any thread
            if self._closed:
                job.cancel()
                job.state = "cancelled"
                return job
            if supersede is not None:
                older = self._newest.get(supersede)
                if older is not None and older.active:
                    older.cancel()
                self._newest[supersede] = job
            self.history.append(job)
            self._forget_old()
            with self._idle:
                self._unfinished[lane] += 1
            future = self._lane(lane).submit(self._run, job, work, on_done, on_failed, anyway)
        future.add_done_callback(lambda _: self._left(lane))
        self._changed()
        return job

    @property
    def closed(self) -> bool:
        """Whether `close` has been called."""
        return self._closed

    def wait_idle(self, lane: Lane, timeout: float) -> bool:
        """Wait until nothing is queued or running in a lane; False if that takes longer than `timeout` seconds."""
        with self._idle:
            return self._idle.wait_for(lambda: self._unfinished[lane] == 0, timeout)

    def deliver(self, callback: Callable[[], None]) -> None:
        """Run a callback on the owner's thread; for results of a job that still goes on."""
        if not self._closed:
            self._dispatch(callback)

    def cancel_all(self) -> None:
        """Ask every active job to stop."""
        for job in self.active:
            job.cancel()

    def close(self) -> None:
        """Cancel everything and wait until the worker threads have ended."""
        with self._books:
            self._closed = True
            self.cancel_all()
        for pool in self._lanes.values():
            pool.shutdown(wait=True, cancel_futures=True)
        self._lanes.clear()

    def _lane(self, lane: Lane) -> ThreadPoolExecutor:
        if lane not in self._lanes:
            self._lanes[lane] = ThreadPoolExecutor(2 if lane == "query" else 1, f"mixbit-{lane}", _stand_back)
        return self._lanes[lane]

    def _left(self, lane: Lane) -> None:
        with self._idle:
            self._unfinished[lane] -= 1
            self._idle.notify_all()

    def _forget_old(self) -> None:
        finished = [job for job in self.history if not job.active]
        for job in finished[: max(0, len(finished) - 200)]:
            self.history.remove(job)

    def _run(
        self,
        job: Job,
        work: Callable[[JobContext], Any],
        on_done: Callable[[Any], None] | None,
        on_failed: Callable[[Text], None] | None,
        anyway: bool,
    ) -> None:
        if job.token.cancelled and not anyway:
            self._finish(job, "cancelled")
            return
        job.started_at, job.state = time.monotonic(), "running"
        self.deliver(self._changed)
        try:
            result = work(JobContext(job, job.token))
        except Cancelled:
            self._finish(job, "cancelled")
        except Exception as error:
            self._fail(job, error, on_failed)
        else:
            self._finish(job, "done", None, on_failed, on_done, result)

    def _fail(self, job: Job, error: Exception, on_failed: Callable[[Text], None] | None) -> None:
        if job.token.cancelled:  # what it worked on may have been taken away: nobody waits for it
            self._finish(job, "cancelled")
        elif isinstance(error, MixbitError):
            self._finish(job, "failed", error.text, on_failed)
        else:  # a fault of ours: show it, keep the program alive
            job.details = traceback.format_exc()
            self._finish(job, "failed", _fault(error), on_failed)

    def _hand_over(
        self, job: Job, on_done: Callable[[Any], None], result: Any, on_failed: Callable[[Text], None] | None
    ) -> None:
        """Give the owner a result; if it can't take it, the job has failed: nobody must wait for its figures."""
        try:
            on_done(result)
        except Exception as error:
            job.state, job.error, job.details = "failed", _fault(error), traceback.format_exc()
            if on_failed is not None:
                on_failed(job.error)

    def _finish(
        self,
        job: Job,
        state: State,
        error: Text | None = None,
        on_failed: Callable[[Text], None] | None = None,
        on_done: Callable[[Any], None] | None = None,
        result: Any = None,
    ) -> None:
        job.finished_at = time.monotonic()

        def deliver() -> None:
            late = job.token.cancelled and state == "done"
            job.state, job.error = ("cancelled" if late else state), error
            if state == "done":
                job.fraction = 1.0
            if error is not None and on_failed is not None:
                on_failed(error)
            if state == "done" and not late and on_done is not None:
                self._hand_over(job, on_done, result, on_failed)
            self._changed()

        self.deliver(deliver)
