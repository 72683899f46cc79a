"""Plans that are kept by name, with figures that always say what they hold for."""

from __future__ import annotations

import numpy as np
import pytest
from driving import Driver

from engine.errors import PlanError
from engine.interop.samples import guess_source
from engine.npu import load_device, save_device, simulate
from engine.precision import INT4, preset
from engine.quant import plan_bytes


@pytest.fixture
def opened(tmp_path, cnn_path):
    made = Driver(tmp_path)
    made.open(cnn_path)
    yield made
    made.session.close()


def keep_int8_and_int4(driver):
    session = driver.session
    for name in ("int8", "int4"):
        session.apply_preset(name)
        driver.settle()
        session.keep_plan(name)
    return session


def test_a_kept_plan_has_the_figures_that_were_on_show(opened):
    session = keep_int8_and_int4(opened)
    int8, int4 = session.kept.plans
    assert int4.plan == session.plan
    assert int4.figures.sqnr_db == session.figures.evaluation.output.sqnr_db
    assert int4.figures.size_bytes == plan_bytes(session.network, session.plan).total < int8.figures.size_bytes
    assert int8.figures.latency_us == simulate(session.network, int8.plan, session.device).latency_us
    assert int8.figures.sqnr_db > int4.figures.sqnr_db
    assert session.kept.up_to_date(int8)


def test_cost_follows_the_device_and_errors_say_that_they_are_of_other_data(opened, tmp_path):
    session = keep_int8_and_int4(opened)
    before = [kept.figures for kept in session.kept.plans]
    session.set_device("ascend310b1")
    opened.settle()
    for kept, old in zip(session.kept.plans, before, strict=True):
        expected = simulate(session.network, kept.plan, load_device("ascend310b1")).latency_us
        assert kept.figures.latency_us == expected != old.latency_us
        assert kept.figures.sqnr_db == old.sqnr_db
    np.save(tmp_path / "samples.npy", np.random.default_rng(5).normal(size=(6, 3, 16, 16)).astype(np.float32))
    source = guess_source(tmp_path / "samples.npy")
    session.set_data(source, source)
    opened.settle()
    assert [session.kept.up_to_date(kept) for kept in session.kept.plans] == [False, True]  # int4 is on show
    assert session.kept.plans[0].figures.sqnr_db == before[0].sqnr_db
    session.kept.measure()
    opened.settle()
    assert session.kept.up_to_date(session.kept.plans[0])
    assert session.kept.plans[0].figures.sqnr_db != before[0].sqnr_db


def test_cost_follows_a_device_that_was_edited_under_the_same_name(opened, tmp_path):
    session = keep_int8_and_int4(opened)
    for name in ("first_last_fp16", "fp16"):  # neither kept plan is the current one or the one before
        session.apply_preset(name)
        opened.settle()
    before = [kept.figures.latency_us for kept in session.kept.plans]
    slower = load_device("kirin9030").edited({"core.clock": 480.0}, name="kirin9030")
    save_device(slower, tmp_path / "kirin9030.json")
    session.set_device(tmp_path / "kirin9030.json")
    opened.settle()
    for kept, old in zip(session.kept.plans, before, strict=True):
        assert kept.figures.latency_us == simulate(session.network, kept.plan, slower).latency_us > old


def test_plan_b_is_measured_in_full_and_stays_when_the_plan_changes(opened):
    session = keep_int8_and_int4(opened)
    session.kept.compare_with("int8")
    opened.settle()
    b = session.kept.b
    assert b.plan == preset(session.network, "int8")
    assert set(b.evaluation.accumulated) == set(session.figures.evaluation.accumulated)
    assert len(b.simulation.kernels) == len(session.network.kernels)
    session.apply_preset("fp16")
    opened.settle()
    assert session.kept.b_name == "int8"
    assert session.kept.b.evaluation is b.evaluation
    session.set_device("ascend310b1")
    opened.settle()
    expected = simulate(session.network, b.plan, session.device).latency_us
    assert session.kept.b.simulation.latency_us == expected
    session.kept.rename("int8", "eight")
    assert session.kept.b_name == "eight"
    session.kept.delete("eight")
    assert session.kept.b is None


def test_applying_is_one_step_and_spares_locked_kernels(opened):
    session = keep_int8_and_int4(opened)
    kernel = session.network.tunable[0]
    session.set_locked([kernel.id], True)
    steps = len(session.history)
    session.apply_kept("int8")
    assert len(session.history) == steps + 1
    assert session.plan[kernel.id] == INT4
    assert session.plan.difference(preset(session.network, "int8")) == (kernel.id,)


def test_names(opened):
    session = keep_int8_and_int4(opened)
    kept = session.kept
    assert kept.duplicate("int8") == "int8 2"
    assert [entry.name for entry in kept.plans] == ["int8", "int8 2", "int4"]
    assert kept.plans[1].figures == kept.plans[0].figures
    for bad in ("", "   ", "int4", " int4 ", "x" * 81):
        with pytest.raises(PlanError, match="name"):
            kept.rename("int8", bad)
        with pytest.raises(PlanError, match="name"):
            session.keep_plan(bad)
    with pytest.raises(PlanError, match="no kept plan named nine; there are int8, int8 2, int4"):
        kept.delete("nine")
    assert kept.free_name("int8") == "int8 3"
    assert len(kept.plans) == 3


def test_they_are_saved_with_their_figures_and_found_again(opened, tmp_path):
    session = keep_int8_and_int4(opened)
    session.set_note(session.network.tunable[0].id, "first layer")
    before = session.document
    session.save_project(tmp_path / "work.mixbit")
    assert not session.modified
    session.close_model()
    session.open_project(tmp_path / "work.mixbit")
    opened.settle()
    assert session.document == before
    assert [k.figures for k in session.kept.plans] == [k.figures for k in before.kept]
    assert session.kept.up_to_date(session.kept.plans[0])
    assert not session.modified


def test_other_fusion_rules_keep_plans_notes_locks_and_the_project(opened, tmp_path):
    session = keep_int8_and_int4(opened)
    kernel = session.network.tunable[-1].id
    session.set_note(kernel, "head")
    session.set_locked([kernel], True)
    session.save_project(tmp_path / "work.mixbit")
    session.set_rules("cloud")
    opened.settle()
    assert session.rules == "cloud"
    assert [entry.name for entry in session.kept.plans] == ["int8", "int4"]
    assert session.project_path == tmp_path / "work.mixbit"
    assert session.modified
    if kernel in {k.id for k in session.network.kernels}:
        assert (session.notes, session.locked) == ({kernel: "head"}, {kernel})
    session.set_rules("edge")
    opened.settle()
    assert not session.modified


def test_a_data_file_with_other_content_is_other_data_also_on_reopening(opened, tmp_path):
    def write(seed):
        np.save(tmp_path / "samples.npy", np.random.default_rng(seed).normal(size=(6, 3, 16, 16)).astype(np.float32))

    session, kept = opened.session, opened.session.kept
    write(5)
    source = guess_source(tmp_path / "samples.npy")
    session.set_data(source, source)
    opened.settle()
    session.apply_preset("int8")
    opened.settle()
    session.keep_plan("int8")
    session.apply_preset("int4")
    opened.settle()
    session.save_project(tmp_path / "p.mixbit")
    session.set_data(source, source)
    opened.settle()
    assert kept.up_to_date(kept.find("int8"))  # read again, and the same
    write(6)
    session.set_data(source, source)
    opened.settle()
    assert not kept.up_to_date(kept.find("int8"))
    session.close_model()
    session.open_project(tmp_path / "p.mixbit")
    opened.settle()
    old = kept.find("int8").figures
    assert not kept.up_to_date(kept.find("int8"))
    kept.measure()
    opened.settle()
    assert kept.up_to_date(kept.find("int8"))
    assert kept.find("int8").figures.data == old.data
    assert kept.find("int8").figures.sqnr_db != old.sqnr_db


@pytest.mark.parametrize("close", [True, False])
def test_a_profile_that_changed_on_disk_is_simulated_again_on_reopening(opened, tmp_path, close):
    session, profile = keep_int8_and_int4(opened), tmp_path / "mine.json"
    save_device(load_device("kirin9030").edited({}, name="mine"), profile)
    session.set_device(profile)
    opened.settle()
    session.save_project(tmp_path / "p.mixbit")
    before = session.kept.find("int8").figures
    slower = load_device("kirin9030").edited({"core.clock": 480.0}, name="mine")
    save_device(slower, profile)
    if close:
        session.close_model()
    session.open_project(tmp_path / "p.mixbit")
    opened.settle()
    now = session.kept.find("int8")
    assert now.figures.latency_us == simulate(session.network, now.plan, slower).latency_us != before.latency_us
    assert now.figures.device == before.device == "mine"
