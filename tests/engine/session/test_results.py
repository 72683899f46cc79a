"""Undo history, and what becomes of results when the plan changes."""

from __future__ import annotations

import pytest

from engine.numerics.results import ErrorSums, Evaluation, OutputError
from engine.precision import FP16, INT4, INT8, Plan, preset
from engine.session.figures import Results
from engine.session.history import History
from engine.session.state import Staleness
from engine.text import say


def _evaluation(noise: float) -> Evaluation:
    sums = ErrorSums(noise, 1.0, 1.0, 10)
    return Evaluation(OutputError(sums, 0.0, None, None, None, None, None), {}, False, 1, 0.0)


def test_history_goes_back_and_forth_and_forgets_what_was_undone():
    history, plans = History(), [Plan({"a": s}) for s in (FP16, INT8, INT4)]
    assert history.undo() is None
    history.push(say("one"), plans[0], plans[1])
    history.push(say("two"), plans[1], plans[2])
    assert history.redo() is None
    assert str(history.undo_step.title) == "two"
    assert history.undo() == plans[1]
    assert history.undo() == plans[0]
    assert history.redo() == plans[1]
    history.push(say("three"), plans[1], plans[0])
    assert history.redo_step is None
    assert [str(s.title) for s in history.steps] == ["one", "three"]


@pytest.fixture
def shown(cnn):
    results = Results(preset(cnn, "fp16"), preset(cnn, "fp16"))
    results.evaluated(results.figures.plan, _evaluation(0.1))
    return results


def test_an_edit_makes_errors_stale_behind_the_first_changed_kernel(cnn, shown):
    before = shown.figures
    third = cnn.tunable[2]
    shown.show(before.plan.with_schemes({third.id: INT8}), cnn)
    assert shown.staleness == Staleness(True, third.index)
    assert shown.figures.evaluation is before.evaluation  # still on show, but marked
    assert shown.previous is before


def test_a_second_edit_before_the_first_is_measured_widens_the_stale_part(cnn, shown):
    before, plan = shown.figures, shown.figures.plan
    shown.show(plan.with_schemes({cnn.tunable[2].id: INT8}), cnn)
    shown.show(shown.figures.plan.with_schemes({cnn.tunable[3].id: INT8}), cnn)
    assert shown.staleness.from_kernel == cnn.tunable[2].index
    shown.show(shown.figures.plan.with_schemes({cnn.tunable[0].id: INT8}), cnn)
    assert shown.staleness.from_kernel == cnn.tunable[0].index
    assert shown.previous is before  # the last plan that was settled


def test_going_back_to_a_measured_plan_is_settled_at_once(cnn, shown):
    before = shown.figures
    shown.show(before.plan.with_schemes({cnn.tunable[0].id: INT8}), cnn)
    shown.show(before.plan, cnn)
    assert shown.staleness == Staleness()
    assert shown.figures.evaluation is before.evaluation


def test_a_late_evaluation_of_an_older_plan_does_not_settle_the_newer(cnn, shown):
    first = shown.figures.plan.with_schemes({cnn.tunable[0].id: INT8})
    second = shown.figures.plan.with_schemes({cnn.tunable[0].id: INT4})
    shown.show(first, cnn)
    shown.show(second, cnn)
    shown.evaluated(first, _evaluation(0.2))
    assert shown.staleness.stale
    shown.evaluated(second, _evaluation(0.3))
    assert not shown.staleness.stale
    assert shown.figures.evaluation.output.mse == pytest.approx(0.03)
    shown.show(first, cnn)
    assert shown.figures.evaluation.output.mse == pytest.approx(0.02)


def test_new_data_forgets_every_error_but_keeps_the_cost(cnn, shown):
    shown.local["k", INT8] = ErrorSums(1, 1, 1, 1)
    shown.forget_errors()
    assert shown.local == {}
    assert shown.figures.evaluation is None
    assert shown.baseline.evaluation is None
    assert shown.staleness == Staleness(True, 0)
    assert shown.known(shown.figures.plan) is None
