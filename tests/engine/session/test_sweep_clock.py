"""Time left of a sweep: what it waited for others does not count."""

import threading
from dataclasses import replace

import pytest

from engine.precision.scheme import INT8
from engine.session import sweep_measuring
from engine.session.sweep_measuring import Clock, TimedGate
from engine.tuning.exact import ExactCell
from engine.tuning.store import Figures

FIGURES = Figures(20.0, None, None, 0.99, 0.1, 0.2, None, None, None, 0.0, None)


class Time:
    """A clock that is turned by hand."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(sweep_measuring.time, "perf_counter", lambda: self.now)

    def passes(self, seconds):
        self.now += seconds


def cell(seconds, *, stored=False):
    return ExactCell("k", INT8, "one-in", replace(FIGURES, seconds=seconds), stored)


def test_a_cell_that_waited_is_not_slow(monkeypatch):
    time = Time(monkeypatch)
    gate = TimedGate(lambda: time.passes(30.0))
    clock = Clock(101, gate)
    gate()
    gate()
    assert clock.tick(cell(60.5)) == pytest.approx(50.0)  # 0.5 s of its own, a hundred to go
    assert clock.tick(cell(0.5)) == pytest.approx(49.5)
    assert clock.tick(cell(9.0, stored=True)) == pytest.approx(49.0)


def test_threads_that_wait_side_by_side_count_once(monkeypatch):
    time = Time(monkeypatch)
    inside, leave = threading.Barrier(3), threading.Event()

    def wait():
        inside.wait(5)
        leave.wait(5)

    gate = TimedGate(wait)
    threads = [threading.Thread(target=gate) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.wait(5)
    time.passes(7.0)
    leave.set()
    for thread in threads:
        thread.join(5)
    assert gate.waited == pytest.approx(7.0)
