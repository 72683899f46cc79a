"""Weight methods in a session: compared, chosen, undone, saved and exported."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnxruntime as ort
import pytest
from driving import Driver

from engine.precision import FP16, INT4
from engine.session.changes import What

GPTQ = replace(INT4, method="gptq", corrected=True)


@pytest.fixture
def driver(tmp_path, cnn_path):
    made = Driver(tmp_path)
    made.session.open_model(cnn_path)
    made.settle()
    made.session.apply_preset("int4")
    made.settle()
    yield made
    made.session.close()


def test_methods_of_a_kernel_are_compared_beside_the_current_plan(driver):
    session = driver.session
    stem = session.network.tunable[0].id
    session.refining.compare(stem)
    assert session.refining.comparing
    driver.settle()
    gains = session.refining.gains(stem)
    assert set(gains) == set(session.refining.methods(stem))
    assert gains[INT4].output_db == session.figures.evaluation.output.sqnr_db
    assert driver.seen(What.METHODS) >= 2
    session.set_scheme([stem], GPTQ)
    driver.settle()
    assert session.refining.gains(stem)[GPTQ].output_db == session.figures.evaluation.output.sqnr_db
    session.set_scheme([session.network.tunable[-1].id], FP16)
    assert not session.refining.gains(stem)


def test_rounding_that_takes_long_is_announced_once(driver, monkeypatch):
    session = driver.session
    told = lambda: sum("Rounding by GPTQ takes about" in str(entry.text) for entry in session.log)
    ids = [kernel.id for kernel in session.network.tunable]
    session.set_scheme(ids, replace(INT4, method="gptq"))
    driver.settle()
    assert told() == 0
    monkeypatch.setattr("engine.session.editing._LONG_S", 0.0)
    session.set_scheme(ids, replace(INT4, method="mse"))
    session.undo()
    session.set_scheme(ids, INT4)
    session.set_scheme(ids, replace(INT4, method="gptq"))  # found already
    driver.settle()
    assert told() == 0
    session.set_scheme(ids, replace(INT4, method="gptq", weights=replace(INT4.weights, group=16)))
    assert told() == 1
    driver.settle()


def test_the_best_methods_are_one_undoable_edit_that_gains_what_it_says(driver):
    session = driver.session
    before, plan = session.figures.evaluation.output.sqnr_db, session.plan
    locked = session.network.tunable[0].id
    session.set_locked([locked], True)
    session.refining.refine()
    assert session.refining.refining
    driver.settle()
    assert session.figures.evaluation.output.sqnr_db > before + 0.5
    assert session.plan.scheme(locked) == plan.scheme(locked)
    assert "Weight methods for" in str(session.undo_step.title)
    assert any("dB before" in str(entry.text) for entry in session.log)
    refined = session.plan
    session.undo()
    assert session.plan == plan
    session.redo()
    assert session.plan == refined
    assert not driver.errors()


def test_a_lock_set_while_methods_are_chosen_holds(driver):
    session = driver.session
    plan, kernels = session.plan, [k.id for k in session.network.tunable]
    session.refining.refine()
    session.set_locked(kernels, True)
    driver.settle()
    assert session.plan == plan
    assert any("keep their precision" in str(entry.text) for entry in session.log)


def test_a_method_that_no_kernel_gains_by_is_not_put_on(driver):
    session = driver.session
    session.apply_preset("fp16")
    driver.settle()
    plan = session.plan
    session.refining.refine()
    driver.settle()
    assert session.plan == plan
    assert any("No weight method gains" in str(entry.text) for entry in session.log)


def test_methods_live_in_project_and_export(driver, tmp_path):
    session = driver.session
    session.refining.set_method([k.id for k in session.network.tunable], "gptq", True)
    driver.settle()
    kinds = {session.plan.scheme(k.id).method for k in session.network.tunable}
    assert kinds == {"gptq", "rtn"}
    shown = session.figures.evaluation.output.sqnr_db
    session.save_project(tmp_path / "work.mixbit")
    session.export("qdq", tmp_path / "q.onnx")
    driver.settle()
    plan = session.plan
    session.close_model()
    session.open_project(tmp_path / "work.mixbit")
    driver.settle()
    assert session.plan == plan
    assert session.figures.evaluation.output.sqnr_db == pytest.approx(shown, abs=1e-6)
    options = ort.SessionOptions()
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    file = ort.InferenceSession(str(tmp_path / "q.onnx"), options, providers=["CPUExecutionProvider"])
    plain = ort.InferenceSession(str(session.path), providers=["CPUExecutionProvider"])
    from engine.numerics import synthetic_samples

    feeds = synthetic_samples(session.network.graph, 8, 2).feeds  # what the session evaluates with
    noise = power = 0.0
    for feed in feeds:
        want, got = plain.run(None, feed)[0].astype(np.float64), file.run(None, feed)[0]
        noise, power = noise + np.sum((got - want) ** 2), power + np.sum(want**2)
    assert 10 * np.log10(power / noise) == pytest.approx(shown, abs=0.5)


def test_a_candidate_scheme_is_measured_without_an_edit(driver):
    session = driver.session
    stem = session.network.tunable[0].id
    plan = session.plan
    session.refining.try_schemes([(stem, GPTQ)])
    driver.settle()
    assert 10 < session.local[stem, GPTQ].sqnr_db != session.local[stem, INT4].sqnr_db
    assert session.plan == plan
