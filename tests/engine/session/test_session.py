"""A session doing the whole main job on a small real model, without a window."""

from __future__ import annotations

import csv
import queue
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from small_models import small_cnn

from engine.errors import DeviceError, ExportError, PlanError
from engine.interop.samples import guess_source
from engine.npu import simulate
from engine.npu.results import Scenario
from engine.precision import FP16, INT4, INT8, preset
from engine.quant import plan_bytes
from engine.session import Session
from engine.session.changes import What
from engine.session.state import Budgets
from engine.session.sweeps import OFFERED


class Driver:
    """A session with an owner's thread that pumps callbacks, as a window's event loop does."""

    def __init__(self, tmp_path) -> None:
        self.queue: queue.Queue = queue.Queue()
        self.session = Session(dispatch=self.queue.put, settings=tmp_path / "settings")
        self.changes: list = []
        self.session.subscribe(self.changes.append)

    def settle(self, seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while self.session.jobs.active or not self.queue.empty():
            try:
                self.queue.get(timeout=0.05)()
            except queue.Empty:
                assert time.monotonic() < end, [str(j.title) for j in self.session.jobs.active]

    def seen(self, what: What) -> int:
        return sum(c.what is what for c in self.changes)

    def errors(self) -> list[str]:
        return [str(e.text) for e in self.session.log if e.level == "error"]


@pytest.fixture
def driver(tmp_path):
    made = Driver(tmp_path)
    yield made
    made.session.close()


@pytest.fixture
def opened(driver, cnn_path):
    driver.session.open_model(cnn_path)
    driver.settle()
    return driver


def test_the_first_output_error_is_there_before_the_data_and_stays(driver, cnn_path):
    seen: list[tuple] = []

    def look(change):
        if change.what in (What.EVALUATION, What.DATA):
            session = driver.session
            output = session.figures.evaluation.output if session.figures.evaluation is not None else None
            seen.append((session.data is not None, output, session.staleness.output_stale))

    driver.session.subscribe(look)
    driver.session.open_model(cnn_path)
    driver.settle()
    known = [entry for entry in seen if entry[1] is not None]
    assert not known[0][0], "it waited for calibration"
    assert all(output == known[0][1] and not stale for _, output, stale in known)
    assert all(output is not None for with_data, output, _ in seen if with_data), "it vanished in between"


def test_an_edit_while_calibration_runs_leaves_no_error_of_the_old_plan(driver, cnn_path):
    driver.session.open_model(cnn_path)
    end = time.monotonic() + 20
    while driver.session.figures.evaluation is None:
        assert time.monotonic() < end
        driver.queue.get(timeout=5)()
    old = driver.session.figures.evaluation.output
    driver.session.apply_preset("int4")
    assert driver.session.staleness.output_stale
    driver.settle()
    assert not driver.session.staleness.stale
    assert driver.session.figures.evaluation.output != old


def test_opening_gives_kernels_cost_and_errors_and_says_that_data_is_synthetic(opened):
    session = opened.session
    assert [k.kind.value for k in session.network.tunable] == ["conv", "depthwise", "conv", "gemm"]
    assert session.plan == preset(session.network, "fp16")
    assert session.figures.simulation.latency_us > 0
    assert session.figures.size.total > 0
    assert session.figures.sustained.final_skin_c > 25
    assert session.figures.evaluation.output.sqnr_db > 50
    assert session.data.synthetic
    assert session.figures.evaluation.synthetic
    assert not session.staleness.stale
    assert {(k.id, s) for k in session.network.tunable for s in (INT4, INT8, FP16)} <= set(session.local)
    assert session.recent[0] == session.path
    assert opened.errors() == []


def test_a_toggle_is_announced_in_waves_and_undo_returns_at_once(opened):
    session = opened.session
    kernel = session.network.tunable[2]
    fp16 = session.figures.evaluation
    opened.changes.clear()
    session.set_scheme([kernel.id], INT4, who="table")
    assert (opened.changes[0].what, opened.changes[0].who) == (What.PLAN, "table")
    assert session.staleness.stale
    assert session.staleness.from_kernel == kernel.index
    opened.settle()
    assert opened.seen(What.SIMULATION) == 2  # cost first, heat afterwards
    assert session.figures.warmed
    assert not session.staleness.stale
    assert session.figures.evaluation.output.sqnr_db < fp16.output.sqnr_db
    assert session.previous.evaluation is fp16
    assert session.figures.size.total < session.previous.size.total
    assert "INT4" in str(session.undo_step.title)
    session.undo()
    assert not session.staleness.stale  # known: nothing runs
    assert session.figures.evaluation is fp16
    opened.settle()
    session.redo()
    assert session.plan[kernel.id] == INT4


def test_the_error_on_show_is_the_error_of_the_exported_file(opened, tmp_path):
    session = opened.session
    session.apply_preset("int8")
    opened.settle()
    session.export("qdq", tmp_path / "out.onnx")
    opened.settle()
    assert opened.errors() == []
    options = ort.SessionOptions()
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    runs = [
        ort.InferenceSession(str(p), options, providers=["CPUExecutionProvider"])
        for p in (session.path, tmp_path / "out.onnx")
    ]
    noise = power = 0.0
    from engine.session.work import SYNTHETIC_SAMPLES, synthetic_samples

    for feed in synthetic_samples(session.network.graph, SYNTHETIC_SAMPLES, 2).feeds:
        reference, quantized = (run.run(None, dict(feed))[0].astype(np.float64) for run in runs)
        noise += np.sum((quantized - reference) ** 2)
        power += np.sum(reference**2)
    assert 10 * np.log10(power / noise) == pytest.approx(session.figures.evaluation.output.sqnr_db, abs=0.5)


def test_one_step_for_many_kernels_and_locks_are_respected(opened):
    session = opened.session
    ids = [k.id for k in session.network.tunable]
    session.set_locked(ids[:1], True)
    session.set_scheme(ids, INT8)
    assert session.plan[ids[0]] == FP16
    assert {session.plan[i] for i in ids[1:]} == {INT8}
    session.apply_preset("int4")
    assert session.plan[ids[0]] == FP16
    session.undo()
    session.undo()
    assert session.plan == preset(session.network, "fp16")
    assert session.locked == {ids[0]}
    session.undo()
    assert session.locked == frozenset()
    assert session.undo_step is None
    opened.settle()


def test_a_lock_is_a_step_of_its_own(opened):
    session = opened.session
    one, two, *_ = (k.id for k in session.network.tunable)
    session.set_scheme([one], INT8)
    opened.settle()
    jobs = len(session.jobs.history)
    session.set_locked([one, two], True)
    session.set_locked([one, two], True)  # changes nothing, and is no step
    assert str(session.undo_step.title) == "Lock 2 kernels"
    assert session.undo_step.touched == 2
    session.undo()
    assert (session.locked, session.plan[one]) == (frozenset(), INT8)  # the edit before stays
    assert len(session.jobs.history) == jobs  # and nothing is measured again
    session.redo()
    session.set_locked([two], False)
    assert session.locked == {one}
    session.go_to(0)
    assert (session.locked, session.plan[one]) == (frozenset(), FP16)
    session.go_to(3)
    assert (session.locked, session.plan[one]) == ({one}, INT8)
    opened.settle()


def test_locks_of_a_project_stay_when_edits_are_undone(opened):
    session = opened.session
    one, two, *_ = (k.id for k in session.network.tunable)
    session.locked = frozenset({two})  # as opened
    session.set_scheme([one], INT8)
    session.undo()
    assert session.locked == {two}
    opened.settle()


def test_a_bulk_edit_says_which_kernels_take_something_else(opened):
    opened.session.apply_preset("int4")
    opened.settle()
    said = [str(e.text) for e in opened.session.log]
    assert any("1 depthwise" in s and "INT8 instead of INT4" in s for s in said)


def test_the_evaluation_limit_of_the_data_is_kept(opened, tmp_path):
    np.savez(tmp_path / "d.npz", image=np.random.default_rng(0).random((20, 3, 16, 16), np.float32))
    source = guess_source(tmp_path / "d.npz")
    opened.session.set_data(source, replace(source, limit=5))
    opened.settle()
    data = opened.session.data
    assert (data.evaluation_samples, data.evaluation_available) == (5, 20)
    assert (data.calibration_samples, data.calibration_available) == (20, 20)


def test_a_project_is_never_written_over_its_model(opened):
    with pytest.raises(ExportError, match="never written"):
        opened.session.save_project(opened.session.path)


def test_setting_what_is_set_already_is_no_step(opened):
    opened.session.set_scheme([opened.session.network.tunable[0].id], FP16)
    assert opened.session.undo_step is None
    assert not opened.session.staleness.stale


def test_quick_toggles_end_with_the_last_plan(opened):
    session = opened.session
    kernel = session.network.tunable[0].id
    for scheme in (INT4, INT8, INT4, INT8):
        session.set_scheme([kernel], scheme)
    opened.settle()
    assert session.figures.plan[kernel] == INT8
    assert not session.staleness.stale
    again = session.figures.evaluation.output.sqnr_db
    session.set_scheme([kernel], FP16)
    opened.settle()
    session.set_scheme([kernel], INT8)
    opened.settle()
    assert session.figures.evaluation.output.sqnr_db == again


def test_sweep_fills_every_cell_and_stops_when_asked(opened):
    session = opened.session
    session.start_sweep()
    opened.settle()
    assert set(session.sensitivity) == {(k.id, s) for k in session.network.tunable for s in OFFERED}
    assert {cell.kind for cell in session.sensitivity.values()} == {"exact"}
    best = max(session.sensitivity.values(), key=lambda c: c.sqnr_db)
    assert best.scheme == FP16
    session.start_sweep()
    assert not session.sweeping  # nothing is left to measure


def test_capture_gives_reference_and_result_of_the_plan(opened):
    session = opened.session
    kernel = session.network.tunable[1]
    session.set_scheme([kernel.id], INT4)
    opened.settle()
    session.capture(kernel.id, 1)
    opened.settle()
    found = session.captured
    assert (found.kernel, found.sample) == (kernel.id, 1)
    assert found.reference.shape == found.result.shape == session.network.tensors[kernel.outputs[0]].shape
    difference = found.result.astype(np.float64) - found.reference
    assert found.sums.noise == pytest.approx(np.sum(difference**2), rel=1e-5)
    assert found.sums.noise > 0


def test_device_scenario_and_budgets(opened):
    session = opened.session
    before = session.figures.simulation
    session.set_device("ascend310b1")
    opened.settle()
    assert session.figures.simulation.latency_us != before.latency_us
    assert session.baseline.simulation.device == session.figures.simulation.device
    session.set_scenario(Scenario(minutes=5))
    opened.settle()
    assert session.figures.sustained.scenario.minutes == 5
    session.set_budgets(Budgets(min_sqnr_db=30))
    assert session.budgets.min_sqnr_db == 30
    with pytest.raises(DeviceError):
        session.set_device("no_such_chip")
    assert session.device.name == "ascend310b1"


def test_project_round_trip(opened, tmp_path, cnn_path):
    session = opened.session
    session.apply_preset("first_last_fp16")
    session.set_device("ascend310b1")
    session.set_locked([session.network.tunable[0].id], True)
    session.view_state = {"layout": "tune"}
    assert session.modified
    session.save_project(tmp_path / "work.mixbit")
    assert not session.modified
    opened.settle()
    saved = session.plan
    session.close_model()
    opened.settle()
    assert session.network is None
    session.open_project(tmp_path / "work.mixbit")
    opened.settle()
    assert session.plan == saved
    assert session.device.name == "ascend310b1"
    assert session.view_state == {"layout": "tune"}
    assert session.locked == {session.network.tunable[0].id}
    assert not session.modified
    assert '"model": "small_cnn.onnx"' in (tmp_path / "work.mixbit").read_text()


def test_a_project_whose_model_changed_is_refused_and_the_open_model_stays(opened, tmp_path, cnn_path):
    session = opened.session
    session.save_project(tmp_path / "work.mixbit")
    small_cnn(cnn_path, seed=5)
    kept = session.network
    session.open_project(tmp_path / "work.mixbit")
    opened.settle()
    assert session.network is kept
    assert any("another model" in e for e in opened.errors())


@pytest.mark.parametrize("content", [b"", b"not onnx", b"\x08\x07" + b"\xff" * 40])
def test_a_bad_file_leaves_the_open_model_as_it_was(opened, tmp_path, content):
    (tmp_path / "bad.onnx").write_bytes(content)
    session = opened.session
    kept, figures = session.network, session.figures
    session.open_model(tmp_path / "bad.onnx")
    opened.settle()
    assert session.network is kept
    assert session.figures is figures
    assert len(opened.errors()) == 1
    assert "bad.onnx" in opened.errors()[0]


def test_free_dimensions_are_asked_for_once(driver, tmp_path):
    path = small_cnn(tmp_path / "free.onnx", batch="batch")
    asked = []

    def ask(question, proceed):
        asked.append(question.inputs)
        proceed({question.inputs[0].name: (2, 3, 16, 16)})

    driver.session.open_model(path, ask=ask)
    driver.settle()
    assert len(asked) == 1
    assert asked[0][0].proposal == (1, 3, 16, 16)
    assert driver.session.network.graph.inputs[0].shape == (2, 3, 16, 16)


def test_giving_up_the_question_opens_nothing(driver, tmp_path):
    path = small_cnn(tmp_path / "free.onnx", batch="batch")
    driver.session.open_model(path, ask=lambda inputs, proceed: proceed(None))
    driver.settle()
    assert driver.session.network is None
    assert driver.errors() == []


def test_the_output_error_comes_before_the_accumulated_errors(opened):
    session, seen = opened.session, []

    def look(change):
        if change.what is What.EVALUATION:
            found = session.figures.evaluation
            seen.append((session.staleness, found.output.sqnr_db, dict(found.accumulated)))

    before = dict(session.figures.evaluation.accumulated)
    session.subscribe(look)
    session.set_scheme([session.network.tunable[1].id], INT4)
    opened.settle()
    edited, quick, done = (staleness for staleness, _, _ in seen)
    assert (edited.output_stale, quick.output_stale, done.output_stale) == (True, False, False)
    assert (edited.stale, quick.stale, done.stale) == (True, True, False)
    assert quick.from_kernel == session.network.tunable[1].index
    assert seen[1][1] == seen[2][1] != seen[0][1]
    behind = session.network.tunable[2].id
    assert seen[1][2][behind] == before[behind] != seen[2][2][behind]


def test_data_that_does_not_fit_changes_nothing(opened, tmp_path):
    np.savez(tmp_path / "wrong.npz", image=np.zeros((4, 3, 8, 8), np.float32))
    np.savez(tmp_path / "right.npz", image=np.random.default_rng(3).random((4, 3, 16, 16), np.float32))
    session = opened.session
    session.set_data(guess_source(tmp_path / "right.npz"), None)
    opened.settle()
    kept = (session.data, session.ranges, session.figures, session.data_sources, dict(session.local))
    session.set_data(guess_source(tmp_path / "wrong.npz"), None)
    opened.settle()
    assert len(opened.errors()) == 1
    assert "wrong.npz" in opened.errors()[0]
    assert (session.data, session.ranges, session.figures, session.data_sources, dict(session.local)) == kept
    assert not session.staleness.stale
    session.apply_preset("int8")  # and what was there still measures
    opened.settle()
    assert session.figures.evaluation.samples == 4


def test_a_project_without_its_data_is_evaluated_on_synthetic_samples_and_says_so(opened, tmp_path):
    np.savez(tmp_path / "d.npz", image=np.random.default_rng(3).random((4, 3, 16, 16), np.float32))
    session = opened.session
    session.set_data(guess_source(tmp_path / "d.npz"), None)
    opened.settle()
    session.save_project(tmp_path / "work.mixbit")
    (tmp_path / "d.npz").unlink()
    session.open_project(tmp_path / "work.mixbit")
    opened.settle()
    assert any("d.npz" in e for e in opened.errors())
    assert session.data.synthetic
    assert not session.staleness.stale


def test_own_data_is_used_and_labels_give_an_accuracy(opened, tmp_path):
    images = np.random.default_rng(3).random((12, 3, 16, 16), np.float32)
    np.savez(tmp_path / "d.npz", image=images, labels=np.zeros(12, int))
    session = opened.session
    session.set_data(guess_source(tmp_path / "d.npz"), guess_source(tmp_path / "d.npz"))
    opened.settle()
    assert not session.data.synthetic
    assert session.data.labelled
    assert 0 <= session.figures.evaluation.output.accuracy <= 1
    assert session.figures.evaluation.samples == 12


def test_plan_import_refuses_another_model_and_keeps_the_plan(opened, tmp_path):
    session = opened.session
    session.apply_preset("int8")
    session.export("plan", tmp_path / "p.json")
    opened.settle()
    session.apply_preset("fp16")
    session.import_plan(tmp_path / "p.json")
    assert session.plan == preset(session.network, "int8")
    (tmp_path / "q.json").write_text("{}")
    with pytest.raises(PlanError):
        session.import_plan(tmp_path / "q.json")
    assert session.plan == preset(session.network, "int8")
    opened.settle()


def test_export_to_an_unwritable_place_is_one_sentence(opened, tmp_path):
    opened.session.export("csv", tmp_path / "nowhere" / "t.csv")
    opened.settle()
    assert len(opened.errors()) == 1
    assert "nowhere" in opened.errors()[0]
    with pytest.raises(ExportError):
        opened.session.save_project(tmp_path / "nowhere" / "p.mixbit")


def test_csv_has_a_row_per_kernel_with_the_figures_on_show(opened, tmp_path):
    session = opened.session
    session.export("csv", tmp_path / "t.csv")
    opened.settle()
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert len(rows) == len(session.network.kernels)
    first = session.network.tunable[0]
    row = next(r for r in rows if r["id"] == first.id)
    assert float(row["latency_us"]) == pytest.approx(
        session.figures.simulation.kernels[first.index].latency_us, rel=1e-4
    )
    assert float(row["local_sqnr_db"]) == pytest.approx(session.local[first.id, FP16].sqnr_db, rel=1e-4)


def test_an_export_in_the_middle_of_an_edit_has_no_figure_of_the_old_plan(opened, tmp_path):
    session = opened.session
    session.apply_preset("int4")
    session.export("csv", tmp_path / "t.csv")
    assert not session.figures.simulated
    opened.settle()
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert {row["scheme"] for row in rows} <= {"INT4", "INT8", ""}
    assert {row["accumulated_sqnr_db"] for row in rows} == {""}
    assert {row["latency_us"] for row in rows} == {""}
    assert any("leaves them out" in str(e.text) for e in session.log)
    assert session.figures.simulated


def test_figures_of_the_previous_plan_are_its_own_even_after_quick_edits_and_another_device(opened):
    session = opened.session
    session.apply_preset("int8")
    session.apply_preset("int4")
    opened.settle()
    for figures in (session.figures, session.previous, session.baseline):
        assert figures.size == plan_bytes(session.network, figures.plan)
        assert figures.simulation.latency_us == simulate(session.network, figures.plan, session.device).latency_us
    session.set_device("ascend310b1")
    session.apply_preset("int8")
    opened.settle()
    for figures in (session.figures, session.previous, session.baseline):
        assert figures.simulation.latency_us == simulate(session.network, figures.plan, session.device).latency_us


def test_cloud_rules_keep_the_plan_of_kernels_that_remain(opened):
    session = opened.session
    session.apply_preset("int8")
    opened.settle()
    session.set_rules("cloud")
    opened.settle()
    assert session.network.rules == "cloud"
    assert set(session.plan.values()) == {INT8}


def test_closing_in_the_middle_of_work_leaves_nothing(driver, cnn_path):
    driver.session.open_model(cnn_path)
    while not driver.seen(What.MODEL):
        driver.queue.get(timeout=10)()
    driver.session.close()
    end = time.monotonic() + 15
    while left := [t for t in threading.enumerate() if "mixbit" in t.name]:
        assert time.monotonic() < end, [t.name for t in left]
        left[0].join(0.02)


def test_a_model_without_a_switch_opens(driver, tmp_path):
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Relu", ["x"], ["y"])],
        "g",
        [onnx.helper.make_tensor_value_info("x", 1, [1, 4])],
        [onnx.helper.make_tensor_value_info("y", 1, [1, 4])],
    )
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8),
        tmp_path / "r.onnx",
    )
    driver.session.open_model(tmp_path / "r.onnx")
    driver.settle()
    assert driver.errors() == []
    assert driver.session.network.tunable == ()
    driver.session.apply_preset("int8")
    driver.session.start_sweep()
    driver.settle()
    assert driver.errors() == []


def test_what_the_device_supports_is_said_without_going_through_all_kernels(opened):
    session = opened.session
    network = session.network
    said = {kernel.id: session.supports(kernel.id, INT4) for kernel in network.tunable}
    session.network = SimpleNamespace(by_id=network.by_id)
    assert {kernel.id: session.supports(kernel.id, INT4) for kernel in network.tunable} == said
    assert session.supports("nowhere", INT4) is None
    session.network = network
