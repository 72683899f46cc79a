"""Other fusion rules, or another file under the same name: what happens to plan and undo history is kept or said."""

from __future__ import annotations

import os
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


def told(session):
    return [str(entry.text) for entry in session.log if entry.told]


def rewritten(path):
    """The same model with other weights, under the same name."""
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT:
            tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor) * 2, tensor.name))
    onnx.save(model, path)


def test_a_file_that_was_replaced_is_told_once_and_what_was_opened_is_exported(driver, tmp_path, cnn_path):
    path = tmp_path / "model.onnx"
    shutil.copy(cnn_path, path)
    session = driver.open(path)
    session.export("qdq", tmp_path / "before.onnx")
    driver.settle()
    assert session.look_at_model()
    assert told(session) == []
    other = shutil.copy(path, tmp_path / "other.onnx")
    rewritten(other)
    other.replace(path)
    for _ in range(2):
        session.export("qdq", tmp_path / "after.onnx")
        session.start_sweep()
        driver.settle()
    words = "model.onnx was changed on disk; here it is as it was opened. Open it again for the new one."
    assert told(session) == [words]
    before, after = (onnx.load(tmp_path / name).graph.initializer for name in ("before.onnx", "after.onnx"))
    assert list(before) == list(after)
    assert driver.errors() == []
    session.open_model(path)
    driver.settle()
    assert session.look_at_model()
    assert told(session) == [words]


def test_a_model_that_was_written_over_is_neither_measured_nor_exported(driver, tmp_path, cnn_path):
    path = tmp_path / "model.onnx"
    shutil.copy(cnn_path, path)
    session = driver.open(path)
    rewritten(path)  # large weights are mapped: an export would have some of the one model and some of the other
    session.start_sweep()
    assert not session.sweeping
    assert session.export("qdq", tmp_path / "out.onnx") is None
    (words,) = driver.errors()
    assert words.startswith("model.onnx was written over while it was open")


def test_weights_that_were_written_over_are_neither_measured_nor_exported(driver, tmp_path, cnn_path):
    path, data = tmp_path / "model.onnx", tmp_path / "model.data"
    onnx.save(onnx.load(cnn_path), path, save_as_external_data=True, location=data.name, size_threshold=0)
    session = driver.open(path)
    kept = data.read_bytes()
    with data.open("r+b") as stream:  # in place, as an exporter does that opens it for writing
        stream.write(bytes(len(kept)))
    os.utime(data, (1, 1))
    session.start_sweep()
    assert not session.sweeping
    assert session.export("qdq", tmp_path / "out.onnx") is None
    assert not (tmp_path / "out.onnx").exists()
    words = "model.data was written over while it was open: figures would mix two models. Open the model again."
    assert driver.errors() == [words]
    session.open_model(path)
    driver.settle()
    assert session.export("qdq", tmp_path / "out.onnx") is not None
    driver.settle()
    assert (tmp_path / "out.onnx").exists()


def test_other_data_under_the_same_name_leave_those_that_are_open(driver, tmp_path, cnn_path):
    path, data = tmp_path / "model.onnx", tmp_path / "model.data"
    onnx.save(onnx.load(cnn_path), path, save_as_external_data=True, location=data.name, size_threshold=0)
    session = driver.open(path)
    (tmp_path / "new").write_bytes(bytes(len(data.read_bytes())))
    (tmp_path / "new").replace(data)
    assert session.look_at_model()
    assert [text.split(" ")[0] for text in told(session)] == ["model.data"]
    data.unlink()
    assert session.look_at_model()
