"""A large model shows what one sample gives, then what all give, and is calibrated in the sessions that are there."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from engine.interop.samples import SYNTHETIC
from engine.precision import INT8, preset
from engine.session import work
from engine.session.figures import Results


@pytest.fixture
def large(monkeypatch):
    """Any model counts as large."""
    monkeypatch.setattr(work, "_LARGE_BYTES", 0)


@contextmanager
def prepared(network, *sources, plan=None, found=lambda _: None, **more):
    made = work.prepare(network, *sources, first=None if plan is None else work.First(plan, found), **more)
    with closing(made.evaluator):
        yield made


def test_one_sample_is_told_first_then_all_and_only_then_is_calibrated(cnn, large, monkeypatch):
    order: list[object] = []
    calibrate = work.calibrate
    monkeypatch.setattr(work, "calibrate", lambda *a, **k: (order.append(k["reference"]), calibrate(*a, **k))[1])
    plan = preset(cnn, "fp16")
    with prepared(cnn, plan=plan, found=order.append) as made, prepared(cnn) as other:
        one, full = order[:2]
        assert (one.samples, one.remaining) == (1, 7)
        assert (full.samples, full.remaining) == (8, 0)
        assert full is made.first
        assert order[2] == made.evaluator.reference_values
        assert order[3:] == [None], "without a plan that needs no ranges calibration comes first, as before"
        assert full.output == other.evaluator.evaluate(plan).output
        assert made.info == other.info
        for name, given in other.ranges.ranges.items():
            assert made.ranges.ranges[name].low == pytest.approx(given.low, rel=1e-4, abs=1e-5)
            assert made.ranges.ranges[name].high == pytest.approx(given.high, rel=1e-4, abs=1e-5)


def test_a_plan_with_ranges_and_sessions_that_would_not_fit_wait_for_calibration(cnn, large, monkeypatch):
    found: list[object] = []
    with prepared(cnn, plan=preset(cnn, "int8"), found=found.append):
        assert found == []
    monkeypatch.setattr(work, "samples_within", lambda network: 7)
    with prepared(cnn, samples=8, plan=preset(cnn, "fp16"), found=found.append):
        assert found == []
    with prepared(cnn, samples=7, plan=preset(cnn, "fp16"), found=found.append):
        assert [evaluation.samples for evaluation in found] == [1, 7]


def test_less_samples_are_taken_where_more_would_not_fit_and_it_is_said(cnn, monkeypatch):
    monkeypatch.setattr(work, "_ACTIVATION_BYTES", 0)
    for room, taken in ((100, 8), (8, 8), (6, 6), (1, 4)):
        monkeypatch.setattr(work, "samples_within", lambda network, room=room: room)
        with prepared(cnn) as made:
            assert made.info.evaluation_samples == taken
            said = [str(note) for note in made.info.notes if str(note).startswith("Evaluated on")]
            assert bool(said) == (taken < 8)
            if said:
                assert said[0].startswith(f"Evaluated on {taken} samples instead of 8")
        with prepared(cnn, SYNTHETIC, replace(SYNTHETIC, limit=8)) as made:
            assert made.info.evaluation_samples == 8, "who asks for them gets them"


def test_a_preliminary_error_is_on_show_and_counts_for_nothing_else(cnn, large):
    found = []
    plan = preset(cnn, "fp16")
    with prepared(cnn, plan=plan, found=found.append):
        one, full = found
    results = Results(plan, plan)
    results.output_found(plan, one)
    assert results.figures.evaluation == one
    assert results.staleness.output_stale
    assert results.settled().evaluation is None, "no export has it"
    assert results.known(plan) is None
    results.output_found(plan, full)
    assert results.figures.evaluation.output is full.output
    assert not results.staleness.output_stale
    results.show(plan.with_schemes({cnn.tunable[0].id: INT8}), cnn)
    results.output_found(plan, one)
    assert results.figures.evaluation.output is full.output, "a late one of another plan"
