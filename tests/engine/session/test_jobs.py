"""Jobs: progress, cancel, supersede, errors, lanes."""

from __future__ import annotations

import queue
import threading
import time

import pytest

from engine.errors import DataError
from engine.jobs import JobContext, Jobs
from engine.text import say


class Owner:
    """An owner's thread without an event loop: callbacks wait in a queue until they are pumped."""

    def __init__(self) -> None:
        self.queue: queue.Queue = queue.Queue()

    def pump(self, until, seconds: float = 5.0) -> None:
        end = time.monotonic() + seconds
        while not until():
            self.queue.get(timeout=max(0.001, end - time.monotonic()))()


@pytest.fixture
def owner():
    return Owner()


@pytest.fixture
def jobs(owner):
    made = Jobs(owner.queue.put)
    yield made
    made.close()


def _wait_for_cancel(ctx: JobContext) -> None:
    while True:
        ctx.check()
        threading.Event().wait(0.005)


def test_result_comes_on_the_owners_thread(jobs, owner):
    seen = []
    job = jobs.submit(
        say("add"),
        lambda ctx: (1 + 1, threading.get_ident()),
        on_done=lambda r: seen.append((r, threading.get_ident())),
    )
    owner.pump(lambda: not job.active)
    (((value, worker), here),) = seen
    assert value == 2
    assert here == threading.get_ident() != worker
    assert (job.state, job.fraction) == ("done", 1.0)


def test_cancel_ends_within_100_ms_and_calls_nothing(jobs, owner):
    called = []
    job = jobs.submit(say("wait"), _wait_for_cancel, on_done=called.append, on_failed=called.append)
    owner.pump(lambda: job.state == "running")
    asked = time.monotonic()
    job.cancel()
    owner.pump(lambda: not job.active)
    assert job.state == "cancelled"
    assert job.finished_at - asked < 0.1
    assert called == []


def test_newer_job_with_the_same_key_supersedes_the_older(jobs, owner):
    done = []
    first = jobs.submit(say("one"), _wait_for_cancel, supersede="plan", on_done=lambda _: done.append(1))
    second = jobs.submit(say("two"), lambda ctx: 2, supersede="plan", on_done=done.append)
    owner.pump(lambda: not second.active)
    assert (first.state, second.state, done) == ("cancelled", "done", [2])


def test_a_result_that_arrives_after_its_cancel_is_dropped(jobs, owner):
    done, finished = [], threading.Event()

    def work(ctx):
        finished.set()
        return "late"

    job = jobs.submit(say("late"), work, on_done=done.append)
    finished.wait(5)
    job.cancel()
    owner.pump(lambda: not job.active)
    assert (job.state, done) == ("cancelled", [])


def test_a_fault_after_a_cancel_is_no_fault(jobs, owner):
    called = []

    def work(ctx):
        while not ctx.token.cancelled:
            threading.Event().wait(0.005)
        raise RuntimeError("what it worked on is gone")

    job = jobs.submit(say("work"), work, on_done=called.append, on_failed=called.append)
    owner.pump(lambda: job.state == "running")
    job.cancel()
    owner.pump(lambda: not job.active)
    assert (job.state, job.error, called) == ("cancelled", None, [])


def test_refusal_carries_its_sentence_and_a_fault_its_traceback(jobs, owner):
    sentences = []

    def refuse(ctx):
        raise DataError(say("{file} is empty.", file="a.npy"))

    refused = jobs.submit(say("refuse"), refuse, on_failed=lambda t: sentences.append(str(t)))
    broken = jobs.submit(say("break"), lambda ctx: 1 // 0)
    owner.pump(lambda: not broken.active)
    assert (refused.state, broken.state) == ("failed", "failed")
    assert sentences == ["a.npy is empty."]
    assert refused.details == ""
    assert "ZeroDivisionError" in str(broken.error)
    assert "Traceback" in broken.details


def test_engine_lane_runs_one_job_at_a_time_in_order(jobs, owner):
    running, most, order = [], [], []

    def work(number):
        def run(ctx):
            running.append(number)
            most.append(len(running))
            order.append(number)
            threading.Event().wait(0.01)
            running.remove(number)

        return run

    made = [jobs.submit(say("n"), work(n)) for n in range(5)]
    owner.pump(lambda: not any(j.active for j in made))
    assert order == [0, 1, 2, 3, 4]
    assert max(most) == 1


def test_wait_idle_counts_cancelled_jobs_too(jobs, owner):
    assert jobs.wait_idle("engine", 0)
    first = jobs.submit(say("one"), _wait_for_cancel)
    second = jobs.submit(say("two"), _wait_for_cancel)
    assert not jobs.wait_idle("engine", 0.01)
    second.cancel()
    first.cancel()
    assert jobs.wait_idle("engine", 5)
    owner.pump(lambda: not second.active)
    assert (first.state, second.state) == ("cancelled", "cancelled")


def test_progress_is_clamped_and_gives_an_estimate(jobs, owner):
    go = threading.Event()

    def work(ctx):
        ctx.progress(-7.0, say("too little"))
        assert ctx.job.fraction == 0.0
        ctx.progress(0.5, say("half"))
        ctx.progress(0.3, say("a second part"))
        assert ctx.job.fraction == 0.5
        go.wait(5)
        ctx.progress(7.0, say("too much"))

    job = jobs.submit(say("slow"), work)
    owner.pump(lambda: job.state == "running")
    job.started_at -= 10  # as if it had run for ten seconds
    while job.fraction != 0.5:
        threading.Event().wait(0.002)
    assert job.seconds_left == pytest.approx(10, rel=0.1)
    go.set()
    owner.pump(lambda: not job.active)
    assert (job.state, job.fraction) == ("done", 1.0)


def test_a_job_that_reckons_its_time_itself_is_believed(jobs, owner):
    go, told = threading.Event(), threading.Event()

    def work(ctx):
        ctx.progress(0.5, say("half"), 42.0)
        told.set()
        go.wait(5)

    job = jobs.submit(say("slow"), work)
    owner.pump(lambda: job.state == "running")
    assert told.wait(5)
    job.started_at -= 10_000  # it stood aside nearly all the time
    assert job.seconds_left == 42.0
    go.set()
    owner.pump(lambda: not job.active)
    assert job.seconds_left is None


def test_close_stops_a_running_job_and_delivers_nothing_more(owner):
    jobs = Jobs(owner.queue.put)
    started, called = threading.Event(), []

    def work(ctx):
        started.set()
        _wait_for_cancel(ctx)

    jobs.submit(say("wait"), work, on_done=called.append)
    started.wait(5)
    jobs.close()
    while not owner.queue.empty():
        owner.queue.get()()
    assert called == []


def test_nothing_starts_any_more_once_everything_is_closed(owner):
    """A callback that runs while everything is closed may still ask for work: it must not be waited for."""
    jobs, late, entered, leave = Jobs(), [], threading.Event(), threading.Event()

    def ask_for_more(_: object) -> None:  # without an event loop callbacks run in the worker's own thread
        entered.set()
        leave.wait(5)
        late.append(jobs.submit(say("late"), _wait_for_cancel, lane="sweep"))

    jobs.submit(say("first"), lambda ctx: None, on_done=ask_for_more)
    assert entered.wait(5)
    closer = threading.Thread(target=jobs.close)
    closer.start()
    while not jobs.closed:
        time.sleep(0.001)
    leave.set()
    closer.join(5)
    assert not closer.is_alive()
    assert [job.state for job in late] == ["cancelled"]
    assert jobs.wait_idle("sweep", 0)
    assert jobs.wait_idle("engine", 1)


def test_what_cleans_up_runs_even_if_it_is_cancelled_while_it_waits(jobs, owner):
    block, done = threading.Event(), []
    jobs.submit(say("block"), lambda ctx: block.wait(5))
    cleans = jobs.submit(say("clean"), lambda ctx: done.append(1), anyway=True)
    drops = jobs.submit(say("drop"), lambda ctx: done.append(2))
    cleans.cancel()
    drops.cancel()
    block.set()
    owner.pump(lambda: not drops.active)
    assert done == [1]


def test_a_result_that_its_owner_cannot_take_is_a_failure_that_is_seen(jobs, owner):
    failed = []

    def take(_: object) -> None:
        raise ZeroDivisionError("nobody counted on that")

    job = jobs.submit(say("work"), lambda ctx: 1, on_done=take, on_failed=failed.append)
    owner.pump(lambda: not job.active)
    assert job.state == "failed"
    assert "nobody counted on that" in str(job.error)
    assert "ZeroDivisionError" in job.details
    assert failed == [job.error]


def test_a_paused_job_waits_between_its_steps_and_its_clock_stands_still():
    jobs, steps, started = Jobs(), [], threading.Event()

    def work(ctx):
        for step in range(3):
            steps.append(step)
            started.set()
            ctx.wait_while_paused()
            while step == 0 and not ctx.job.paused and len(steps) == 1:
                time.sleep(0.001)  # until the pause below
            ctx.wait_while_paused()

    job = jobs.submit(say("Sweeping"), work, lane="sweep")
    assert started.wait(10)
    job.pause()
    assert job.paused
    before = job.seconds
    time.sleep(0.06)
    assert steps == [0]
    assert job.seconds == before
    job.resume()
    jobs.wait_idle("sweep", 10)
    assert steps == [0, 1, 2]
    assert job.state == "done"
    assert not job.paused
    jobs.close()


def test_a_paused_job_can_be_cancelled_and_one_that_answers_edits_is_never_paused():
    jobs, started = Jobs(), threading.Event()

    def work(ctx):
        started.set()
        while True:
            ctx.wait_while_paused()
            ctx.check()
            time.sleep(0.001)

    for lane, pausable in (("exact", True), ("engine", False), ("query", False)):
        started.clear()
        job = jobs.submit(say("Working"), work, lane=lane)
        assert started.wait(10)
        job.pause()
        assert (job.pausable, job.paused) == (pausable, pausable)
        job.cancel()
        assert jobs.wait_idle(lane, 10)
        assert job.state == "cancelled"
        assert not job.paused
    jobs.close()
