"""Exact stepping against scipy's matrix exponential and the closed form of one node; governors and sustained use."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from thermal_reference import PHONE, one_node_error, worst_error
from zoo import mobilenetv1

from engine.errors import Cancelled, DeviceError
from engine.npu import cool_clock, load_device, simulate, sustain
from engine.npu.governor import governor
from engine.npu.power import latency_at, leakage, operating_points
from engine.npu.results import Scenario
from engine.npu.thermal import network, of_device, steady, step
from engine.precision.plan import Plan
from engine.progress import CancelToken


@pytest.mark.parametrize("seconds", [0.01, 0.5, 1.0, 10.0, 600.0])
@pytest.mark.parametrize("device", ["kirin9030", "ascend310b1"])
def test_step_is_the_matrix_exponential(device, seconds):
    net = of_device(load_device(device))
    # With power and ambient as states that don't change, one exponential gives both matrices.
    whole = np.zeros((5, 5))
    whole[:3, :3], whole[:3, 3:] = net.a, net.b
    reference = expm(whole * seconds)
    found = step(net, seconds)
    state, drive = np.array([25.0, 24.0, 23.0]), np.array([7.0, 30.0])
    expected = reference[:3, :3] @ state + reference[:3, 3:] @ drive
    np.testing.assert_allclose(found.a @ state + found.b @ drive, expected, atol=1e-9)


def test_many_steps_stay_within_a_hundredth_kelvin():
    assert worst_error() < 0.01


def test_one_node_has_a_closed_form():
    assert one_node_error() < 0.01


def test_steady_state_adds_up_resistances():
    np.testing.assert_allclose(steady(network(*PHONE), 4.0, 25.0), [65.0, 57.0, 45.0])


@pytest.fixture(scope="module")
def run():
    device = load_device("kirin9030")
    return device, simulate(mobilenetv1(1), Plan(), device)


@pytest.mark.parametrize("clock", [0.3, 0.62, 1.0])
def test_latency_at_a_clock_adds_up_the_kernels(run, clock):
    _, simulation = run
    total = simulation.invocation_us
    for kernel in simulation.kernels:
        compute = max(kernel.cube_us, kernel.vector_us, kernel.mte1_us)
        transfer = max(kernel.mte2_us, kernel.mte3_us)
        total += kernel.latency_us - max(compute, transfer) + max(compute / clock, transfer)
    assert latency_at(simulation, clock) == pytest.approx(total, rel=1e-12)


def test_unthrottled_end_is_the_fixed_point(run):
    device, simulation = run
    fixed = device.edited({"dvfs.governor": "fixed"})
    found = sustain(simulation, fixed, Scenario(minutes=180))
    point = operating_points(simulation, fixed, Scenario())[-1]
    watts = point.watts + leakage(point, float(found.die_c[-1]), fixed.number("power.leakage_fold"))
    expected = steady(of_device(fixed), watts, 25.0)
    assert [found.die_c[-1], found.package_c[-1], found.skin_c[-1]] == pytest.approx(expected, abs=0.01)
    assert found.throttled_at_s is None
    assert set(found.clock) == {1.0}


def test_hot_surroundings_throttle_and_slow_down(run):
    device, simulation = run
    cool, hot = (sustain(simulation, device, Scenario(minutes=60, ambient_c=t)) for t in (10.0, 38.0))
    assert cool.throttled_at_s is None
    assert hot.throttled_at_s is not None
    at = np.searchsorted(hot.time_s, hot.throttled_at_s)
    assert hot.skin_c[at - 1] >= device.numbers("dvfs.trips")[0] - 0.1
    assert hot.final_latency_us > cool.final_latency_us == pytest.approx(simulation.latency_us)
    assert hot.time_s[-1] == pytest.approx(3600)


def test_trips_switch_seldom(run):
    device, simulation = run
    found = sustain(simulation, device, Scenario(minutes=60, ambient_c=35.0))
    assert found.throttled_at_s is not None
    assert np.count_nonzero(np.diff(found.clock)) < 20


def test_power_allocator_holds_its_target_without_chatter(run):
    device, simulation = run
    allocator = device.edited({"dvfs.governor": "power-allocator", "dvfs.target": 42.0, "dvfs.switch_on": 38.0})
    found = sustain(simulation, allocator, Scenario(minutes=120, ambient_c=32.0))
    last = found.time_s > 3600
    assert abs(float(found.skin_c[last].mean()) - 42.0) < 1.5
    assert np.count_nonzero(np.diff(found.clock)) < 80


def test_power_cap_keeps_below_its_cap(run):
    device, simulation = run
    cap = 2.8
    capped = sustain(simulation, device.edited({"dvfs.governor": "power-cap", "dvfs.sustainable": cap}))
    assert float(capped.power_w.max()) <= cap
    assert capped.throttled_at_s is not None


def test_idle_frames_are_cooler(run):
    device, simulation = run
    busy, idle = (sustain(simulation, device, Scenario(minutes=10, runs_per_second=r)) for r in (None, 5.0))
    assert idle.final_skin_c < busy.final_skin_c
    assert idle.power_w[0] < busy.power_w[0]


def test_step_wise_waits_for_the_hysteresis():
    device = load_device("kirin9030")
    decide, watts = governor(device), [0.0] * 6
    assert decide(5, 39.4, watts) == 5
    assert decide(5, 39.6, watts) == 4
    assert decide(4, 39.0, watts) == 4
    assert decide(4, 38.7, watts) == 5
    assert decide(5, 45.6, watts) == 0
    assert decide(0, 30.0, watts) == 1


def test_runaway_is_bounded_not_infinite(run):
    device, simulation = run
    leaky = device.edited({"power.leakage": 0.3, "dvfs.governor": "fixed", "power.leakage_fold": 40.0})
    object.__setattr__(leaky.values["power.leakage"], "value", 3.0)
    assert np.isfinite(sustain(simulation, leaky, Scenario(minutes=60)).die_c).all()


@pytest.mark.parametrize(
    ("scenario", "field"),
    [
        (Scenario(minutes=float("inf")), "minutes"),
        (Scenario(minutes=0), "minutes"),
        (Scenario(minutes=-1), "minutes"),
        (Scenario(minutes=float("nan")), "minutes"),
        (Scenario(minutes=1e9), "minutes"),
        (Scenario(runs_per_second=-1), "runs per second"),
        (Scenario(runs_per_second=0), "runs per second"),
        (Scenario(runs_per_second=float("nan")), "runs per second"),
        (Scenario(runs_per_second=float("inf")), "runs per second"),
        (Scenario(ambient_c=float("nan")), "ambient"),
        (Scenario(ambient_c=-300), "ambient"),
        (Scenario(ambient_c=1e9), "ambient"),
    ],
)
@pytest.mark.parametrize("use", [sustain, cool_clock])
def test_impossible_scenarios_are_refused(run, use, scenario, field):
    with pytest.raises(DeviceError, match=field) as refused:
        use(run[1], run[0], scenario)
    assert "must be" in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "scenario", [Scenario(minutes=1e-300), Scenario(minutes=1440), Scenario(runs_per_second=5e-324, minutes=1)]
)
def test_scenarios_at_the_edge_stay_small_and_finite(run, scenario):
    found = sustain(run[1], run[0], scenario)
    assert 1 <= found.time_s.size <= 4001
    assert np.isfinite(found.skin_c).all()
    assert np.isfinite(found.power_w).all()


def test_more_runs_than_the_device_can_do_are_back_to_back_and_said(run):
    device, simulation = run
    full, asked = (sustain(simulation, device, Scenario(minutes=10, runs_per_second=r)) for r in (None, 100_000.0))
    np.testing.assert_array_equal(asked.skin_c, full.skin_c)
    assert full.notes == ()
    (note,) = asked.notes
    most = 1e6 / simulation.latency_us
    assert "100000 runs per second" in str(note)
    assert "back to back" in str(note)
    assert f"{most:.4g}" in str(note)
    assert sustain(simulation, device, Scenario(minutes=10, runs_per_second=most / 2)).notes == ()


def test_a_rate_that_only_the_throttled_device_misses_is_said(run):
    device, simulation = run
    rate = 0.999 * 1e6 / simulation.latency_us
    found = sustain(simulation, device, Scenario(minutes=60, runs_per_second=rate, ambient_c=38.0))
    assert found.throttled_at_s is not None
    (note,) = found.notes
    assert "throttled" in str(note)
    assert f"{1e6 / found.latency_us.max():.4g}" in str(note)


def test_can_be_cancelled(run):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        sustain(run[1], run[0], cancel=token)
