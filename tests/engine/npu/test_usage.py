"""Utilization and gaps of a run, counted on a fine raster of time as a second opinion."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from netlist import Netlist

from engine.fusion.types import Network
from engine.npu import load_device, simulate
from engine.npu.results import Simulation
from engine.npu.usage import UNITS, advice, top_kernels, usage
from engine.precision.plan import Plan


def small() -> Network:
    """A convolution, an operator that falls back to the CPU on Kirin, a transpose and a product."""
    net = Netlist(x=(1, 3, 64, 64))
    t = net.conv("x", 32, 3)
    t = net.elementwise("Asinh", t)
    t = net.conv(t, 64, 3, 2)
    return net.network(net.linear(net.flatten(net.average(t)), 10))


def run(device: str = "kirin9030") -> Simulation:
    return simulate(small(), Plan(), load_device(device))


def raster(simulation: Simulation, lanes: tuple[str, ...]) -> float:
    """us in which one of the lanes has a bar, by sampling."""
    at = (np.arange(200_000) + 0.5) * simulation.latency_us / 200_000
    busy = np.zeros(at.size, bool)
    for bar in simulation.bars:
        if bar.lane in lanes:
            busy |= (at >= bar.start_us) & (at < bar.start_us + bar.duration_us)
    return float(busy.mean() * simulation.latency_us)


@pytest.mark.parametrize("device", ["kirin9030", "ascend310b1"])
def test_busy_times_are_those_of_a_raster(device):
    simulation = run(device)
    found = usage(simulation)
    close = simulation.latency_us / 1e4
    assert found.busy_us == pytest.approx(raster(simulation, UNITS), abs=close)
    assert found.compute_us == pytest.approx(raster(simulation, ("Cube", "Vector")), abs=close)
    for lane, us in found.unit_us.items():
        assert us == pytest.approx(raster(simulation, (lane,)), abs=close)
    assert 0 < found.compute_utilization <= found.utilization < 1


@pytest.mark.parametrize("device", ["kirin9030", "ascend310b1"])
def test_busy_time_and_gaps_are_the_whole_run(device):
    simulation = run(device)
    found = usage(simulation)
    assert found.busy_us + sum(gap.duration_us for gap in found.gaps) == pytest.approx(simulation.latency_us)
    ends = [(gap.start_us, gap.start_us + gap.duration_us) for gap in found.gaps]
    assert all(low < high for low, high in ends)
    assert all(now[1] <= after[0] + 1e-9 for now, after in pairwise(ends))
    bars = [(b.start_us, b.start_us + b.duration_us) for b in simulation.bars if b.lane in UNITS]
    assert not any(low < end - 1e-6 and start < high - 1e-6 for low, high in ends for start, end in bars)


def test_each_cause_has_its_time():
    simulation = run()
    causes = usage(simulation).gaps_by_cause()
    assert causes["Invocation"] == pytest.approx(simulation.invocation_us)
    assert causes["CPU"] == pytest.approx(sum(cost.cpu_us for cost in simulation.kernels))
    assert 0 < causes["Launch"] <= simulation.launch_us + 1e-6
    assert list(causes.values()) == sorted(causes.values(), reverse=True)


def test_launches_that_something_is_loaded_behind_are_no_gaps():
    device = load_device("kirin9030")
    without = usage(simulate(small(), Plan(), device.edited({"launch.prefetch": 0.0})))
    ahead = usage(simulate(small(), Plan(), device.edited({"launch.prefetch": 64.0})))
    assert ahead.latency_us <= without.latency_us
    assert sum(g.duration_us for g in ahead.gaps) <= sum(g.duration_us for g in without.gaps) + 1e-6


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"launch.invocation": 1e6}, "The call itself takes 100 %"),
        ({"launch.cube": 1e5, "launch.vector": 1e5, "launch.invocation": 0.0}, "Launches take"),
        ({"cpu.sync": 1e6, "launch.invocation": 0.0}, "waits for the CPU"),
        ({"port.burst": 1e5, "launch.invocation": 0.0, "cpu.sync": 0.0, "cpu.rate": 1e5, "cpu.copy": 1e5,
          "cpu.bandwidth": 1e5, "launch.cube": 0.0, "launch.vector": 0.0, "launch.movement": 0.0}, "First bytes"),
    ],
)  # fmt: skip
def test_the_rule_of_thumb_names_the_largest_cause(changes, words):
    found = usage(simulate(small(), Plan(), load_device("kirin9030").edited(changes)))
    assert not found.well_used
    assert words in str(advice(found))


def test_a_busy_npu_is_praised():
    net = Netlist(x=(1, 512, 56, 56))
    net.conv("x", 512, 3)
    device = load_device("ascend310b1").edited({"launch.invocation": 0.0})
    found = usage(simulate(net.network(), Plan(), device))
    assert found.well_used
    assert "gaps cost little" in str(advice(found))


def test_top_kernels_come_longest_first():
    simulation = run()
    ranked = top_kernels(simulation)
    assert len(ranked) == len(simulation.kernels)
    assert [k.latency_us for k in ranked] == sorted((k.latency_us for k in simulation.kernels), reverse=True)
    assert top_kernels(simulation, 2) == ranked[:2]
