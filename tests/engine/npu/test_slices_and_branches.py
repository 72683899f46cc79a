"""Batches in slices that fit L2, and branches that are launched while the kernel before them runs."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise

import pytest
from netlist import Netlist

from engine.npu import load_device, simulate
from engine.npu.breakdown import breakdown
from engine.npu.profiles import folder
from engine.precision.plan import Plan


def branches() -> Netlist:
    """A convolution, three that read it side by side, and one that reads the last of them."""
    net = Netlist(x=(1, 128, 56, 56))
    stem = net.conv("x", 128)
    sides = [net.conv(stem, 128) for _ in range(3)]
    net.conv(sides[-1], 128)
    return net


def device(**changes):
    return load_device("ascend310p3").edited({key.replace("_", ".", 1): value for key, value in changes.items()})


def test_only_kernels_that_do_not_wait_are_launched_ahead():
    network = branches().network("t1", "t2", "t4")
    plain = simulate(network, Plan(), device(launch_ahead=0.0))
    ahead = simulate(network, Plan(), device(launch_ahead=1.0))
    assert [cost.launch_us for cost in plain.kernels] == pytest.approx([7.8, *[3.9] * 4])
    assert [cost.launch_us for cost in ahead.kernels] == pytest.approx([7.8, 3.9, 0.0, 0.0, 3.9])
    saved = plain.latency_us - ahead.latency_us
    assert 2 * 3.9 <= saved <= 2 * 3.9 + sum(cost.mte2_us for cost in plain.kernels)
    assert ahead.energy_parts["DDR"] == plain.energy_parts["DDR"]


def test_a_kernel_behind_a_short_one_still_waits_for_the_rest_of_its_launch():
    network = branches().network("t1", "t2", "t4")
    slow = dict.fromkeys(("launch.cube", "launch.vector", "launch.movement"), 400.0)
    found = simulate(network, Plan(), load_device("ascend310p3").edited(slow))
    for before, cost in zip(found.kernels[1:], found.kernels[2:4], strict=False):
        assert cost.launch_us == pytest.approx(400.0 - (before.latency_us - before.launch_us))


def test_bars_of_a_lane_do_not_overlap_when_launched_ahead():
    found = simulate(branches().network("t1", "t2", "t4"), Plan(), device(launch_ahead=1.0))
    lanes = defaultdict(list)
    for bar in found.bars:
        lanes[bar.lane].append((bar.start_us, bar.start_us + bar.duration_us))
    for spans in lanes.values():
        ordered = sorted(spans)
        assert all(end <= start + 1e-9 for (_, end), (start, _) in pairwise(ordered))
    ends = [cost.start_us + cost.latency_us for cost in found.kernels]
    assert ends[:-1] == pytest.approx([cost.start_us for cost in found.kernels[1:]])


def test_the_breakdown_of_a_kernel_launched_ahead_adds_up():
    network = branches().network("t1", "t2", "t4")
    found = breakdown(network, Plan(), device(launch_ahead=1.0), network.kernels[2])
    lines = {str(line.name): line for section in found.sections for line in section.lines}
    assert lines["Launch"].value == "0.00 µs"
    assert "3.90" in str(lines["Launch"].formula)
    terms = [float(word) for word in str(lines["Latency"].formula).split() if word.replace(".", "").isdigit()]
    assert sum(terms) == pytest.approx(found.cost.latency_us, abs=0.03)
    assert min(terms) >= 0.0


def batch(size: int):
    net = Netlist(x=(size, 64, 56, 56))
    net.conv(net.conv("x", 64, 1), 64, 1)
    return net.network()


def test_slices_of_a_batch_stay_in_l2_and_cost_a_launch_each():
    whole = simulate(batch(64), Plan(), device(buffer_l2_slices=0.0)).kernels[1]
    sliced = simulate(batch(64), Plan(), device(buffer_l2_slices=1.0)).kernels[1]
    moved = 2 * 64 * 64 * 56 * 56 * 2
    slices = -(-moved // (12 * 1024**2))
    assert sliced.launch_us == pytest.approx(slices * whole.launch_us)
    assert whole.ddr_read_bytes + whole.ddr_write_bytes > moved / 2
    assert sliced.ddr_read_bytes == sliced.weight_bytes
    assert sliced.ddr_write_bytes == 0
    assert sliced.latency_us < whole.latency_us


def test_what_fits_or_can_not_be_cut_is_not_sliced():
    for network in (batch(1), batch(4)):
        for flag in (0.0, 1.0):
            found = simulate(network, Plan(), device(buffer_l2_slices=flag))
            assert found.kernels[1].launch_us == pytest.approx(3.9)


def test_profiles_from_before_these_fields_are_read(tmp_path):
    document = json.loads((folder() / "ascend310p3.json").read_text(encoding="utf-8"))
    for key in ("buffer.l2_slices", "launch.ahead"):
        del document["values"][key]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    old = load_device(path)
    assert old.number("buffer.l2_slices") == old.number("launch.ahead") == 0.0
    assert old.values["launch.ahead"].origin == "assumed"
