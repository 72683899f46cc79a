"""Figures that a superseded or cancelled job has left open come all the same, or the session says so."""

from __future__ import annotations

import queue
import time

import pytest

from engine.precision import INT4, INT8
from engine.session import Session
from engine.session.changes import What


class Owner:
    """A session whose callbacks run when they are pumped."""

    def __init__(self, path) -> None:
        self.queue: queue.Queue = queue.Queue()
        self.session = Session(dispatch=self.queue.put)
        self.seen: list = []
        self.session.subscribe(lambda change: self.seen.append(change.what))
        self.session.open_model(path)

    def pump(self, until=None, seconds: float = 30.0) -> None:
        """Run callbacks until something holds; without that, until nothing is left to do."""
        end = time.monotonic() + seconds
        while not until() if until else (self.session.jobs.active or not self.queue.empty()):
            try:
                self.queue.get(timeout=0.05)()
            except queue.Empty:
                assert time.monotonic() < end


@pytest.fixture
def owner(cnn_path):
    made = Owner(cnn_path)
    yield made
    made.session.close()


def test_an_edit_as_soon_as_the_data_are_there_does_not_cost_the_baseline_its_errors(owner):
    session = owner.session
    owner.pump(lambda: session.data is not None)
    session.apply_preset("int8")  # supersedes the evaluation of all-FP16, which is also the baseline's
    owner.pump()
    assert session.figures.evaluation is not None
    assert session.baseline.plan != session.plan
    assert session.baseline.evaluation.output.sqnr_db > session.figures.evaluation.output.sqnr_db
    assert session.previous.plan == session.baseline.plan


def test_edits_in_a_row_measure_the_baseline_once(owner):
    session = owner.session
    owner.pump(lambda: session.data is not None)
    for kernel in session.network.tunable[:3]:
        session.set_scheme([kernel.id], INT4)
    owner.pump()
    assert session.baseline.evaluation is not None
    titles = [str(job.title) for job in session.jobs.history if job.state == "done"]
    assert titles.count("Evaluating plan All FP16") == 1


def test_figures_of_a_cancelled_job_say_so_and_come_when_asked_for(owner):
    session = owner.session
    owner.pump()
    assert not session.stopped
    session.set_scheme([session.network.tunable[0].id], INT8)
    session.jobs.cancel_all()
    owner.pump()
    assert session.staleness.stale
    assert session.stopped
    session.measure_again()
    assert not session.stopped
    owner.pump()
    assert not session.staleness.stale
    assert session.figures.evaluation.output.sqnr_db < 60
    assert session.figures.simulated
    assert session.figures.warmed


def test_a_cancelled_calibration_can_be_made_up_for(owner):
    session = owner.session
    owner.pump(lambda: session.network is not None)
    session.jobs.cancel_all()
    owner.pump()
    assert session.data is None
    assert session.stopped
    session.measure_again()
    owner.pump()
    assert session.data is not None
    assert not session.stopped
    assert session.figures.evaluation is not None


def test_cost_comes_before_heat_and_old_heat_leaves_in_no_export(owner):
    session = owner.session
    owner.pump()
    old = session.figures.sustained
    session.apply_preset("int4")
    owner.seen.clear()
    owner.pump(lambda: What.SIMULATION in owner.seen)
    assert session.figures.simulated
    assert not session.figures.warmed
    assert session.figures.sustained is old
    assert session.snapshot().figures.sustained is None
    assert session.snapshot().figures.simulation is session.figures.simulation
    owner.pump()
    assert session.figures.warmed
    assert session.figures.sustained is not old
    assert session.snapshot().figures.sustained is session.figures.sustained


def test_a_cancel_at_the_last_moment_leaves_no_evaluator_behind(cnn_path):
    """The calibration has ended and its result is on its way when it is cancelled."""
    owner = Owner(cnn_path)
    session = owner.session
    try:
        owner.pump(lambda: session.network is not None)
        preparing = session._preparing
        end = time.monotonic() + 30
        while not session._work._unclaimed:
            assert time.monotonic() < end
            time.sleep(0.002)
        (lost,) = session._work._unclaimed
        preparing.cancel()
        owner.pump()
        assert preparing.state == "cancelled"
        assert session.data is None
        session.measure_again()
        owner.pump()
        assert session.data is not None
        assert not session._work._unclaimed
        assert lost.memory_bytes == 0
    finally:
        session.close()


def test_cancelling_the_release_of_memory_releases_it(owner):
    session = owner.session
    owner.pump()
    old = session._work._evaluator
    session.open_model(session.path)
    owner.pump(lambda: session._work._evaluator is not old)
    session.jobs.cancel_all()
    owner.pump()
    assert old.memory_bytes == 0
    assert not session._work._leaving
