"""A command does all it says, whatever views, older dialogs or hostile values do."""

from __future__ import annotations

import sys

import pytest
from driving import Driver
from small_models import small_cnn

from engine.precision import INT4, INT8, preset
from engine.session.changes import What
from engine.text import say


@pytest.fixture
def driver(tmp_path):
    made = Driver(tmp_path)
    yield made
    made.session.close()


def test_a_view_that_fails_keeps_neither_the_session_nor_the_next_view_from_going_on(driver, cnn_path, monkeypatch):
    faults = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: faults.append(error))

    def broken(change):
        raise RuntimeError(f"view fails on {change.what.value}")

    session = driver.session
    session.subscribe(broken)
    later = []
    session.subscribe(later.append)
    driver.open(cnn_path)
    session.apply_preset("int8")
    session.set_scheme([session.network.tunable[0].id], INT4)
    driver.settle()
    assert session.plan[session.network.tunable[0].id] == INT4
    assert session.figures.simulated
    assert not session.staleness.stale
    assert len(session.history) == session.history_place == 2
    assert {What.MODEL, What.PLAN, What.SIMULATION, What.EVALUATION} <= {change.what for change in later}
    assert any("fails on plan" in str(fault) for fault in faults)
    session.undo()
    assert session.plan == preset(session.network, "int8")


def test_closing_gives_an_opening_up(driver, cnn_path, tmp_path):
    session = driver.session
    driver.open(cnn_path)
    other = small_cnn(tmp_path / "other.onnx", seed=3)
    job = session.open_model(other)
    session.close_model()
    driver.settle()
    assert job.state == "cancelled"
    assert session.network is None
    assert other not in session.recent


@pytest.mark.parametrize("then", ["close", "open"])
def test_an_answer_about_shapes_of_a_model_that_nobody_wants_any_more_opens_nothing(driver, tmp_path, then):
    session, asked = driver.session, []
    session.open_model(small_cnn(tmp_path / "free.onnx", batch="N"), None, lambda _, proceed: asked.append(proceed))
    driver.settle()
    if then == "close":
        session.close_model()
    else:
        session.open_model(small_cnn(tmp_path / "wanted.onnx", seed=4))
    asked[0]({"image": (1, 3, 16, 16)})
    driver.settle()
    assert (session.path.name if session.path else None) == (None if then == "close" else "wanted.onnx")


def test_kernels_that_the_model_does_not_have_are_left_out(driver, cnn_path):
    session = driver.open(cnn_path)
    first, last = session.network.tunable[0], session.network.tunable[-1]
    session.set_scheme([first.id, "of another model"], INT8)
    session.set_locked([last.id, "of another model"], True)
    session.select(["of another model", last.id], "of another model")
    session.set_note("of another model", "lost")
    assert session.plan[first.id] == INT8
    assert session.locked == {last.id}
    assert (session.selection, session.current) == ((last.id,), last.id)
    assert session.notes == {}
    session.close_model()
    session.set_scheme([first.id], INT4)
    session.select([first.id], first.id)
    session.set_locked([first.id], True)
    session.apply_plan(preset_of(driver), None)
    session.undo()
    assert (session.selection, session.current, session.locked, session.history) == ((), None, frozenset(), ())


def preset_of(driver):
    from engine.precision.plan import Plan

    return Plan({"of another model": INT8})


def test_notes_are_kept_for_kernels(driver, cnn_path):
    session = driver.open(cnn_path)
    kernel = session.network.tunable[1].id
    session.set_note(kernel, "  saturates on night pictures\n")
    assert session.notes == {kernel: "saturates on night pictures"}
    assert session.modified
    session.set_note(kernel, " ")
    assert session.notes == {}
    assert not session.modified


def test_history_is_walked_by_place(driver, cnn_path):
    session = driver.open(cnn_path)
    kernel = session.network.tunable[2].id
    plans = [session.plan]
    for scheme in (INT8, INT4):
        session.set_scheme([kernel], scheme)
        plans.append(session.plan)
    session.apply_preset("int8")
    plans.append(session.plan)
    for place in (1, 3, 0, 2, 2):
        session.go_to(place)
        assert session.plan == plans[place]
        assert session.history_place == place
    assert len(session.history) == 3
    session.set_scheme([kernel], INT8)  # from the middle: what was undone is forgotten
    assert [len(session.history), session.history_place] == [3, 3]
    session.go_to(99)
    session.go_to(-5)
    assert session.plan == plans[0]


def test_a_proposed_plan_is_measured_by_the_way_and_never_keeps_an_edit_waiting(driver, cnn_path):
    session = driver.open(cnn_path)
    proposed = preset(session.network, "int8")
    assert session.known(proposed) is None
    session.try_plan(proposed)
    session.try_plan(proposed)
    assert sum(job.active for job in session.jobs.history) == 1
    driver.settle()
    measured = session.known(proposed)
    assert session.plan != proposed
    session.apply_plan(proposed, say("Fix"))
    driver.settle()
    assert session.figures.evaluation is measured
    other = preset(session.network, "int4")
    session.try_plan(other)
    trial = session._trial[1]
    session.set_scheme([session.network.tunable[0].id], INT4)
    assert trial.token.cancelled
    session.try_plan(other)  # the edit's own errors come first
    assert session._trial is None
    driver.settle()


def test_a_plan_is_called_by_the_preset_that_it_equals_however_it_came_about(driver, cnn_path):
    session = driver.session
    driver.open(cnn_path)
    every = [kernel.id for kernel in session.network.tunable]
    session.set_scheme(every, INT8)
    assert (session.plan.name, session.plan) == ("int8", preset(session.network, "int8"))
    session.set_scheme(every[:1], INT4)
    assert session.plan.name == ""
    session.set_scheme(every[:1], INT8)
    assert session.plan.name == "int8"
    session.set_locked(every[:1], True)
    session.apply_preset("int4")  # one layer keeps INT8: no longer the preset
    assert session.plan.name == ""
    session.set_locked(every[:1], False)
    session.apply_preset("fp16")
    assert session.plan.name == "fp16"
