"""Frames in a row: closed forms of the three modes, and rules that every schedule must keep."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from netlist import Netlist

from engine.errors import DeviceError
from engine.npu import load_device, simulate
from engine.npu.flow import MODES, Flow, InputPath, flow, input_steps
from engine.precision.plan import Plan


def network(width: int = 32):
    net = Netlist(x=(1, 3, 128, 128))
    return net.network(net.conv("x", width, 3))


@pytest.fixture(scope="module")
def net():
    return network()


def played(net, **path) -> Flow:
    device = load_device("kirin9030")
    return flow(net, simulate(net, Plan(), device), device, InputPath(**path))


def cpu_time(found: Flow) -> float:
    return sum(us for step, us in found.steps_us.items() if step != "run")


@pytest.mark.parametrize("zero_copy", [False, True])
@pytest.mark.parametrize("prepare", [0.0, 50.0, 500.0, 5000.0])
def test_periods_are_the_closed_forms(net, zero_copy, prepare):
    together = played(net, zero_copy=zero_copy, preprocess_us=prepare)
    whole = sum(together.steps_us.values())
    assert together.period_us == pytest.approx(whole)
    assert together.latency_us == pytest.approx(whole)
    double = played(net, zero_copy=zero_copy, preprocess_us=prepare, mode="double-buffered")
    assert double.period_us == pytest.approx(max(cpu_time(double), double.steps_us["run"]))


def test_one_buffer_overlaps_only_the_preparing(net):
    found = played(net, mode="asynchronous", preprocess_us=20.0)
    steps = found.steps_us
    assert steps["preprocess"] + steps["layout"] < steps["run"]
    assert found.period_us == pytest.approx(steps["copy in"] + steps["submit"] + steps["run"] + _behind(steps))
    assert found.waits_for == "buffer"


def _behind(steps: dict[str, float]) -> float:
    """The result is copied back before the next input is brought in."""
    return steps["copy out"]


def test_shared_memory_with_one_buffer_overlaps_nothing(net):
    found = played(net, mode="asynchronous", zero_copy=True, preprocess_us=100.0)
    assert found.period_us == pytest.approx(sum(found.steps_us.values()))


@pytest.mark.parametrize(("mode", "zero_copy", "prepare"), list(product(MODES, (False, True), (0.0, 300.0, 3000.0))))
def test_no_schedule_breaks_the_rules(net, mode, zero_copy, prepare):
    found = played(net, mode=mode, zero_copy=zero_copy, preprocess_us=prepare)
    for lane in ("CPU", "NPU"):
        spans = sorted((s.start_us, s.start_us + s.duration_us) for s in found.spans if s.lane == lane)
        assert all(end <= start + 1e-6 for (_, end), (start, _) in pairwise(spans))
    runs = {s.frame: s for s in found.spans if s.lane == "NPU"}
    for span in found.spans:
        if span.lane == "CPU":
            before = span.step != "copy out"
            edge = runs[span.frame].start_us if before else runs[span.frame].start_us + runs[span.frame].duration_us
            assert (span.start_us + span.duration_us <= edge + 1e-6) if before else (span.start_us >= edge - 1e-6)
    buffers = 2 if mode == "double-buffered" else 1
    for span in found.spans:
        if span.step == "copy in" and span.frame - buffers in runs:
            last = runs[span.frame - buffers]
            assert span.start_us >= last.start_us + last.duration_us - 1e-6
    assert found.period_us == pytest.approx(found.gap_us + found.steps_us["run"])
    assert 0 < found.npu_utilization <= 1 + 1e-9
    assert 0 < found.cpu_utilization <= 1 + 1e-9


def test_better_modes_are_never_slower(net):
    for zero_copy, prepare in product((False, True), (0.0, 300.0, 3000.0)):
        periods = [played(net, mode=mode, zero_copy=zero_copy, preprocess_us=prepare).period_us for mode in MODES]
        assert periods[0] >= periods[1] - 1e-6
        assert periods[1] >= periods[2] - 1e-6


def test_a_slow_camera_sets_the_pace_and_latency_is_that_of_one_frame(net):
    found = played(net, mode="double-buffered", frames_per_second=30.0)
    assert found.frames_per_second == pytest.approx(30.0)
    assert found.latency_us == pytest.approx(sum(found.steps_us.values()))
    assert (found.waits_for, found.dropped) == ("next frame", 0.0)


def test_a_camera_that_is_too_fast_loses_frames(net):
    free = played(net)
    found = played(net, frames_per_second=2 * free.frames_per_second)
    assert found.frames_per_second == pytest.approx(free.frames_per_second)
    assert found.dropped == pytest.approx(0.5)


def test_a_busy_cpu_is_named(net):
    found = played(net, mode="double-buffered", preprocess_us=50_000.0)
    assert found.waits_for == "CPU"
    assert found.cpu_utilization == pytest.approx(1.0)


def test_steps_follow_bytes(net):
    device = load_device("kirin9030")
    run = simulate(net, Plan(), device)
    steps = input_steps(net, run, device, InputPath())
    elements = 3 * 128 * 128
    assert steps["copy in"] == pytest.approx(2 * elements / (device.number("cpu.copy") * 1e3))
    assert steps["copy out"] == pytest.approx(2 * 32 * 128 * 128 / (device.number("cpu.copy") * 1e3))
    assert steps["submit"] + steps["run"] == pytest.approx(run.latency_us)
    shared = input_steps(net, run, device, InputPath(zero_copy=True, layout=False, preprocess_us=0.0))
    assert shared["copy in"] == shared["copy out"] == shared["layout"] == shared["preprocess"] == 0.0


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ({"frames_per_second": 0.0}, "frames per second"),
        ({"frames_per_second": float("nan")}, "frames per second"),
        ({"preprocess_us": -1.0}, "preprocessing"),
        ({"mode": "triple"}, "mode"),
    ],
)
def test_impossible_paths_are_refused(net, path, field):
    with pytest.raises(DeviceError, match=field):
        played(net, **path)
