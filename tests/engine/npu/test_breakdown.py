"""The breakdown of a kernel: its figures follow from its formulas and agree with the simulation."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from netlist import Netlist

from engine.errors import PlanError
from engine.npu import load_device, simulate
from engine.npu.breakdown import Breakdown, breakdown, find_kernel
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8


def network():
    net = Netlist(x=(1, 64, 28, 28))
    t = net.conv("x", 128, 3)
    t = net.elementwise("Asinh", t)
    return net.network(net.linear(net.flatten(net.average(t)), 1000))


@pytest.fixture(scope="module")
def net():
    return network()


def taken(net, index: int, device: str = "ascend310b1", scheme=FP16, **changes) -> Breakdown:
    chip = load_device(device)
    chip = chip.edited({key.replace("__", "."): value for key, value in changes.items()}) if changes else chip
    plan = Plan({kernel.id: scheme for kernel in net.tunable})
    return breakdown(net, plan, chip, net.kernels[index])


def line(found: Breakdown, name: str):
    (match,) = [entry for section in found.sections for entry in section.lines if str(entry.name) == name]
    return match


def numbers(words: object) -> list[float]:
    return [float(word.replace(",", "")) for word in re.findall(r"\d[\d,]*\.?\d*", str(words))]


def test_the_cube_formula_gives_the_cube_time(net):
    found = taken(net, 0)
    groups, issue, tiles, blocks, mhz, efficiency, cores = numbers(line(found, "Cube").formula)
    us = groups * (issue * tiles + blocks) / mhz / efficiency / cores
    assert us == pytest.approx(found.cost.cube_us, rel=1e-6)
    assert numbers(line(found, "Cube").value)[0] == pytest.approx(us, abs=0.005)
    m, k, n = 784 // 16, 64 * 9 // 16, 128 // 16
    assert blocks == m * k * n


def test_the_latency_formula_adds_up(net):
    for index in (0, 2):
        found = taken(net, index)
        assert sum(numbers(line(found, "Latency").formula)) == pytest.approx(found.cost.latency_us, abs=0.03)


def test_tiles_are_rows_times_columns_times_depth_and_fit_their_buffers(net):
    found, device = taken(net, 0), load_device("ascend310b1")
    pairs = re.findall(r"⌈(\d+)/(\d+)⌉", str(line(found, "Tiles").formula))
    product = 1
    for blocks, size in pairs:
        product *= -(-int(blocks) // int(size))
    assert product == numbers(line(found, "Tiles").value)[0] == found.cost.tiles
    used = numbers(line(found, "In L0A, L0B, L0C").value)
    for kib, buffer in zip(used, ("l0a", "l0b", "l0c"), strict=True):
        assert 0 < kib <= device.number(f"buffer.{buffer}")


def test_bytes_are_those_of_the_cost(net):
    found = taken(net, 0)
    moved = found.cost.ddr_read_bytes + found.cost.ddr_write_bytes
    assert numbers(line(found, "From and to memory").value)[0] == pytest.approx(moved, abs=1)
    assert numbers(line(found, "Weights and constants").value)[0] == 128 * 64 * 9 * 2 + 2 * 128


@pytest.mark.parametrize("index", [0, 2])
def test_a_lift_is_what_a_device_like_that_gives(net, index):
    found = taken(net, index)
    chip = load_device("ascend310b1")
    same = {
        "Twice the memory bandwidth": {"port.ddr": 2 * chip.number("port.ddr")},
        "No launch, if fused": {"launch.cube": 0.0, "launch.vector": 0.0, "launch.movement": 0.0},
    }
    alone = found.cost.latency_us
    for lift in found.lifts:
        assert lift.latency_us < alone + 1e-9
        assert lift.gain_us > 0
        changes = same.get(str(lift.change))
        if changes:
            other = chip.edited({**changes, "launch.prefetch": 0.0})
            assert simulate(net, Plan({k.id: FP16 for k in net.tunable}), other).kernels[
                index
            ].latency_us == pytest.approx(lift.latency_us)
    assert [lift.latency_us for lift in found.lifts] == sorted(lift.latency_us for lift in found.lifts)


def test_what_bounds_a_kernel_is_what_lifts_it_most(net):
    words = [
        str(lift.change) for lift in taken(net, 0, launch__cube=0.0, port__ddr=1000.0, port__l2_read=60000.0).lifts
    ]
    assert words[0] in ("Twice the Cube", "INT8 instead of FP16")
    words = [str(lift.change) for lift in taken(net, len(net.kernels) - 1, port__ddr=1.0).lifts]
    assert set(words[:3]) == {"INT4 instead of FP16", "INT8 instead of FP16", "Twice the memory bandwidth"}  # weights


def test_other_schemes_are_tried_unless_they_are_the_plan_or_refused(net):
    assert any("instead of FP16" in str(lift.change) for lift in taken(net, 0).lifts)
    assert not any("INT8 instead" in str(lift.change) for lift in taken(net, 0, scheme=INT8).lifts)


def test_cpu_kernels_say_what_the_time_is_made_of(net):
    found = taken(net, 1, "kirin9030")
    assert found.cost.bound == "CPU"
    assert "hand-over" in str(line(found, "CPU").formula)
    assert [str(lift.change) for lift in found.lifts] == ["Twice the CPU and its copies"]


def test_kernels_are_found_by_number_id_name_and_ending(net):
    first = net.kernels[0]
    for wanted in (first.id, first.name, "0", "#0"):
        assert find_kernel(net, wanted) is first
    for wanted in ("nothing", ""):
        with pytest.raises(PlanError, match="There is no kernel"):
            find_kernel(net, wanted)


def test_an_ending_of_several_names_is_refused_with_their_numbers():
    twice = Netlist(x=(1, 64, 28, 28))
    twice.conv(twice.conv("x", 8), 8)
    found = twice.network()
    found = replace(found, kernels=tuple(replace(k, name=f"block.{k.index}.conv") for k in found.kernels))
    with pytest.raises(PlanError, match=r"several kernels \(#0 block.0.conv, #1 block.1.conv\)"):
        find_kernel(found, "conv")
    assert find_kernel(found, "1.conv").index == 1
