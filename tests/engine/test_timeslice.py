"""Slices of a core: what is asked for arrives, changes nothing else, and is no more than a wish."""

import ctypes
import os
import platform
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from engine import timeslice
from engine.jobs import Jobs
from engine.text import say


def knows_slices() -> bool:
    """Whether this is a Linux that has them (6.12), on an architecture whose call is known."""
    if sys.platform != "linux" or platform.machine() not in timeslice._SET:
        return False
    major, minor = (int(part) for part in platform.release().split("-")[0].split(".")[:2])
    return (major, minor) >= (6, 12) and bool(timeslice.slice_s())


needs_slices = pytest.mark.skipif(not knows_slices(), reason="the kernel gives no slices on demand")


def in_thread(work: Callable[[], Any]) -> Any:
    """What `work` returns in a thread that ends with it, so that nothing stays changed."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


@needs_slices
def test_a_thread_gets_the_slice_it_asks_for_and_keeps_its_niceness() -> None:
    def work() -> tuple[bool, float | None, int]:
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, 3)
        return timeslice.ask_for_slice(0.0004), timeslice.slice_s(), os.getpriority(os.PRIO_PROCESS, thread)

    assert in_thread(work) == (True, 0.0004, 3)


@needs_slices
def test_zero_gives_back_the_slice_of_the_kernel() -> None:
    def work() -> tuple[float | None, float | None]:
        timeslice.ask_for_slice(0.05)
        asked = timeslice.slice_s()
        timeslice.ask_for_slice(0)
        return asked, timeslice.slice_s()

    asked, back = in_thread(work)
    assert asked == 0.05
    assert back == in_thread(lambda: (timeslice.ask_for_slice(0), timeslice.slice_s())[1])


@needs_slices
@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="Linux only")
def test_a_thread_with_a_policy_of_its_own_is_left_alone() -> None:
    def work() -> tuple[bool, int]:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        return timeslice.ask_for_slice(0.0004), os.sched_getscheduler(0)

    assert in_thread(work) == (False, os.SCHED_BATCH)


@needs_slices
def test_threads_that_compute_have_long_slices_although_a_prompt_thread_starts_them() -> None:
    def work() -> tuple[float | None, float | None]:
        timeslice.ask_for_slice(timeslice.PROMPT_S)
        jobs = Jobs()
        found: list[float | None] = []
        jobs.submit(say("Work"), lambda _: found.append(timeslice.slice_s()))
        jobs.wait_idle("engine", 5)
        jobs.close()
        return timeslice.slice_s(), found[0]

    assert in_thread(work) == (timeslice.PROMPT_S, timeslice.STEADY_S)


@pytest.mark.parametrize(("system", "machine"), [("win32", "AMD64"), ("darwin", "arm64"), ("linux", "armv7l")])
def test_other_systems_are_not_asked(monkeypatch: pytest.MonkeyPatch, system: str, machine: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: pytest.fail("asked"))
    assert not timeslice.ask_for_slice(timeslice.PROMPT_S)
    assert timeslice.slice_s() is None


def test_a_kernel_that_refuses_is_taken_at_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        @staticmethod
        def syscall(*_: object) -> int:
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda _: Refusing)
    assert not timeslice.ask_for_slice(timeslice.PROMPT_S)
