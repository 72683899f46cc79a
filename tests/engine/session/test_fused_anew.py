"""Other fusion rules, or another file under the same name: what happens to plan and undo history is kept or said."""

from __future__ import annotations

import shutil

import onnx
import pytest
from driving import Driver

from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8
from engine.session.history import MOST_REFITTED, History
from engine.text import say


@pytest.fixture
def driver(tmp_path):
    made = Driver(tmp_path)
    yield made
    made.session.close()


def warnings(session):
    return [str(entry.text) for entry in session.log if entry.level == "warning"]


def test_edits_can_be_undone_after_the_kernels_have_changed(driver, cnn_path):
    session = driver.open(cnn_path)
    first, *_, last = session.network.tunable
    session.set_scheme([first.id], INT8)
    session.set_scheme([last.id], INT4)
    driver.settle()
    session.set_rules("cloud")
    driver.settle()
    there = {kernel.id for kernel in session.network.tunable}
    kept = [kernel for kernel in (first, last) if kernel.id in there]
    assert len(session.history) == session.history_place == len(kept)
    lost = 2 - len(kept)
    assert any("whose precision was set" in words for words in warnings(session)) == (lost > 0)
    assert any("of the undo history" in words for words in warnings(session)) == (lost > 0)
    for kernel in reversed(kept):
        assert session.plan.scheme(kernel.id) != FP16
        session.undo()
        assert session.plan.scheme(kernel.id) == FP16
    assert session.undo_step is None
    session.redo()
    assert session.plan.scheme(kept[0].id) != FP16


def test_a_file_that_was_replaced_is_said_to_be_another_model(driver, tmp_path, cnn_path):
    path = tmp_path / "model.onnx"
    shutil.copy(cnn_path, path)
    session = driver.open(path)
    session.set_rules("cloud")
    driver.settle()
    assert not any("another model" in words for words in warnings(session))
    model = onnx.load(path)
    model.graph.doc_string = "other"
    onnx.save(model, path)
    session.set_rules("edge")
    driver.settle()
    assert any("model.onnx is another model than before" in words for words in warnings(session))


def test_a_history_keeps_its_place_and_leaves_out_what_changes_nothing():
    history, asked = History(), []
    plans = [Plan({"a": FP16, "b": FP16})]
    for kernel, scheme in (("a", INT8), ("b", INT4), ("a", INT4)):
        plans.append(plans[-1].with_schemes({kernel: scheme}))
        history.push(say("Set"), plans[-2], plans[-1])
    history.undo()

    def without_b(plan):
        asked.append(plan)
        return Plan({"a": plan.scheme("a")})

    assert history.refit(without_b) == 1
    assert len(asked) == 4
    assert (len(history.steps), history.place) == (2, 1)
    assert history.undo_step.after == Plan({"a": INT8})
    assert history.redo_step.after == Plan({"a": INT4})


def test_of_a_long_history_the_newest_steps_are_kept():
    history, plan = History(), Plan({"a": FP16})
    for place in range(MOST_REFITTED + 20):
        after = plan.with_schemes({"a": (INT8, INT4)[place % 2]})
        history.push(say("Set"), plan, after)
        plan = after
    assert history.refit(lambda plan: plan) == 20
    assert (len(history.steps), history.place) == (MOST_REFITTED, MOST_REFITTED)
    history.go_to(30)
    history.push(say("Set"), plan, plan)
    for _ in range(MOST_REFITTED):
        history.push(say("Set"), plan, plan.with_schemes({"a": FP16}))
    history.go_to(20)
    history.refit(lambda plan: plan)
    assert (len(history.steps), history.place) == (0, 0)
