"""Answers about minutes of use: each is played again as a scenario of its own."""

from __future__ import annotations

import numpy as np
import pytest
from zoo import mobilenetv1

from engine.errors import DeviceError
from engine.npu import load_device, simulate, sustain
from engine.npu.answers import answers, hold_words
from engine.npu.power import latency_at
from engine.npu.results import Scenario
from engine.precision.plan import Plan

WARM = Scenario(minutes=240, ambient_c=27.0)
BRIEF = Scenario(minutes=1, ambient_c=27.0)
"""Where temperatures settle doesn't depend on how long somebody looks."""


@pytest.fixture(scope="module")
def run():
    device = load_device("kirin9030")
    return device, simulate(mobilenetv1(1), Plan(), device)


def asked(run, scenario: Scenario = WARM, latency_us: float | None = None):
    device, simulation = run
    return answers(simulation, device, sustain(simulation, device, scenario), latency_us)


@pytest.mark.parametrize("kind", ["step-wise", "power-allocator", "power-cap"])
def test_the_cool_clock_is_never_lowered_and_the_next_one_is(run, kind):
    device, simulation = run
    device = device.edited(
        {"dvfs.governor": kind, "dvfs.target": 41.0, "dvfs.switch_on": 38.0, "dvfs.sustainable": 2.6}
    )
    cool = asked((device, simulation)).cool
    clocks = [c / device.number("core.clock") for c in device.numbers("dvfs.clocks")]
    capped = sustain(simulation, device, Scenario(240, ambient_c=27.0, clock_cap=cool.clock))
    assert capped.throttled_at_s is None
    assert set(capped.clock) == {cool.clock}
    assert capped.final_latency_us == pytest.approx(cool.latency_us) == latency_at(simulation, cool.clock)
    assert capped.final_skin_c == pytest.approx(cool.sensor_c, abs=0.05)
    above = clocks[clocks.index(cool.clock) + 1]
    assert sustain(simulation, device, Scenario(240, ambient_c=27.0, clock_cap=above)).throttled_at_s is not None


def test_a_trip_that_allows_the_level_lowers_nothing(run):
    device, simulation = run
    device = device.edited({"dvfs.trips": (30.0, 90.0), "dvfs.levels": (2.0, 0.0)})
    cool = asked((device, simulation)).cool
    assert cool.sensor_c > 30.0
    assert cool.clock == device.numbers("dvfs.clocks")[2] / 960
    assert sustain(simulation, device, Scenario(240, ambient_c=27.0, clock_cap=cool.clock)).throttled_at_s is None


def test_a_cap_keeps_the_clock_below_it(run):
    device, simulation = run
    found = sustain(simulation, device, Scenario(minutes=1, clock_cap=0.7))
    lower = [c / 960 for c in device.numbers("dvfs.clocks") if c / 960 <= 0.7]
    assert set(found.clock) == {lower[-1]}
    lowest = sustain(simulation, device, Scenario(minutes=1, clock_cap=0.01))
    assert set(lowest.clock) == {device.numbers("dvfs.clocks")[0] / 960}


def test_held_latencies(run):
    cool = asked(run, BRIEF).cool
    easy = asked(run, BRIEF, latency_us=cool.latency_us)
    assert easy.held is not None
    assert easy.holds
    assert easy.held.latency_us <= cool.latency_us
    assert "without ever throttling" in str(hold_words(easy))
    hard = asked(run, BRIEF, latency_us=run[1].latency_us)
    assert not hard.holds
    assert hard.held is not None
    assert hard.held.clock == 1.0
    assert "throttles in time" in str(hold_words(hard))
    impossible = asked(run, BRIEF, latency_us=run[1].latency_us / 2)
    assert impossible.held is None
    assert "No clock of this device" in str(hold_words(impossible))
    hot = asked(run, Scenario(minutes=1, ambient_c=60.0))
    assert hot.cool.clock == run[0].numbers("dvfs.clocks")[0] / 960
    assert hold_words(asked(run, BRIEF)) is None


def test_the_lowest_clock_that_holds_is_the_lowest(run):
    device, simulation = run
    clocks = [c / 960 for c in device.numbers("dvfs.clocks")]
    for number, clock in enumerate(clocks[:-1]):
        between = (latency_at(simulation, clock) + latency_at(simulation, clocks[number + 1])) / 2
        held = asked(run, Scenario(minutes=1), between).held
        assert held is not None
        assert held.clock == clocks[number + 1]


def test_rates_are_those_asked_for_unless_the_device_is_too_slow(run):
    slow = asked(run, Scenario(minutes=10, runs_per_second=5.0))
    assert slow.sustained_fps == 5.0
    full = asked(run)
    assert full.sustained_fps == pytest.approx(1e6 / full.sustained_latency_us)
    assert asked(run, Scenario(10, 1e6)).sustained_fps < 1e6


@pytest.mark.parametrize("kind", ["step-wise", "power-allocator", "fixed", "power-cap"])
def test_a_scenario_may_choose_the_governor(run, kind):
    device, simulation = run
    by_scenario = sustain(simulation, device, Scenario(60, ambient_c=35.0, governor=kind))
    by_device = sustain(simulation, device.edited({"dvfs.governor": kind}), Scenario(60, ambient_c=35.0))
    np.testing.assert_array_equal(by_scenario.skin_c, by_device.skin_c)
    assert (by_scenario.throttled_at_s is None) is (kind in ("fixed", "power-cap"))


@pytest.mark.parametrize(
    ("scenario", "field"),
    [
        (Scenario(governor="turbo"), "governor"),
        (Scenario(clock_cap=0.0), "clock cap"),
        (Scenario(clock_cap=float("nan")), "clock cap"),
    ],
)
def test_impossible_choices_are_refused(run, scenario, field):
    with pytest.raises(DeviceError, match=f"{field} is .* must be"):
        sustain(run[1], run[0], scenario)


def test_an_impossible_latency_is_refused(run):
    with pytest.raises(DeviceError, match="latency to hold"):
        asked(run, latency_us=0.0)
