"""Profiles and latencies in a session: read beside the simulation, corrected, fitted, and used as the device."""

from __future__ import annotations

import numpy as np
import pytest
from driving import Driver

from engine.npu import load_device, simulate
from engine.session.changes import What


@pytest.fixture
def opened(tmp_path, cnn_path):
    made = Driver(tmp_path)
    made.open(cnn_path)
    yield made
    made.session.close()


def profile_of(session, path, factor=1.0, device=None):
    run = simulate(session.network, session.plan, device or session.device)
    rows = [f"{k.outputs[0]},{c.latency_us * factor}" for k, c in zip(session.network.kernels, run.kernels, strict=True)
            if c.latency_us]  # fmt: skip
    path.write_text("name,time(us)\n" + "\n".join([*rows, "zebra,3"]))
    return path


def test_a_profile_stands_beside_the_simulation_and_follows_it(opened, tmp_path):
    session = opened.session
    assert session.measurements.measured() is None
    session.measurements.open_profile(profile_of(session, tmp_path / "p.csv", 2.0))
    opened.settle()
    assert opened.seen(What.MEASURED) == 1
    found = session.measurements.measured()
    assert all(row.ratio == pytest.approx(2.0) for row in found.kernels)
    assert found.unmatched_us == 3
    assert session.measurements.measured() is found
    session.set_device("ascend310b1")
    opened.settle()
    assert session.measurements.measured().simulated_us == session.figures.simulation.latency_us
    session.measurements.correct("zebra", session.network.kernels[0].id)
    assert session.measurements.measured().unmatched_us == 0
    session.measurements.close_profile()
    assert session.measurements.measured() is None


def test_a_fitted_device_is_written_and_used(opened, tmp_path):
    session = opened.session
    start = load_device("kirin9030")
    real = start.edited({"launch.cube": start.number("launch.cube") * 2})
    session.measurements.open_profile(profile_of(session, tmp_path / "p.csv", device=real))
    opened.settle()
    session.measurements.start_fit()
    opened.settle(120)
    fit = session.measurements.fit
    assert fit.after < fit.before
    launch = next(p for p in fit.parameters if p.key == "launch.cube")
    assert launch.value == pytest.approx(real.number("launch.cube"), rel=0.05)
    session.measurements.use_fit(tmp_path / "mine.json")
    opened.settle()
    assert session.device.values["launch.cube"].origin == "fitted"
    assert session.measurements.measured().median_ratio == pytest.approx(1, abs=0.02)


def test_bad_files_are_one_sentence_and_change_nothing(opened, tmp_path):
    session = opened.session
    (tmp_path / "x.csv").write_text("nothing")
    session.measurements.open_profile(tmp_path / "x.csv")
    session.measurements.open_latencies(tmp_path / "y.csv")
    opened.settle()
    assert len(opened.errors()) == 2
    assert session.measurements.profiles == ()
    assert session.measurements.jitter is None
    assert session.measurements.start_fit() is None


def test_latencies_outlive_the_model(opened, tmp_path):
    session = opened.session
    values = 1000 + np.random.default_rng(0).normal(0, 5, 100)
    (tmp_path / "l.txt").write_text("\n".join(map(str, values)))
    session.measurements.open_latencies(tmp_path / "l.txt")
    opened.settle()
    assert session.measurements.jitter.percentiles[50] == pytest.approx(np.median(values), rel=1e-6)
    session.close_model()
    assert session.measurements.jitter is not None
