"""Figures that stand beside each other agree: bytes of weights and bytes read, sentences and costs."""

from __future__ import annotations

import re

import pytest
from netlist import Netlist, zeros
from test_simulate import plan_of

from engine.fusion import fuse
from engine.fusion.types import Kind, Network, Weight
from engine.graph import load
from engine.npu import list_devices, load_device, simulate, supports
from engine.npu.results import KernelCost
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.precision.scheme import FP16, INT8
from engine.session.samples import list_samples

DEVICES = [info.name for info in list_devices()]
UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2}


def table(rows: int, width: int, tokens: int) -> Network:
    net = Netlist(i=(1, tokens))
    weight = Weight("e", "e", (rows, width), (0,), (1,), "", "")
    net.add(Kind.EMBEDDING, [("Gather", ["e", "i"], {})], (1, tokens, width), constants={"e": zeros(rows, width)},
            weight=weight)  # fmt: skip
    return net.network()


@pytest.fixture(scope="module", params=[sample.name for sample in list_samples()])
def graph(request):
    sample = next(each for each in list_samples() if each.name == request.param)
    return load(sample.model, shapes=dict(sample.shapes))


def assert_sentence_agrees(cost: KernelCost) -> None:
    """Every figure of a sentence stands in the cost, in a unit that the views use too."""
    words, fields = str(cost.why), cost.why.fields
    assert words
    assert "kB" not in words
    assert set(fields) <= {"launch", "time", "size", "reason"}
    if "launch" in fields:
        assert fields["launch"] == f"{cost.launch_us:.1f}"
    if "time" in fields:
        assert fields["time"] == f"{cost.mte2_us:.1f}"
    if "size" in fields:
        figure, unit = str(fields["size"]).split()
        assert float(figure) * UNITS[unit] == pytest.approx(cost.weight_bytes, abs=0.06 * UNITS[unit])
        assert cost.weight_bytes > 0
    if "reason" not in fields:
        rest = re.sub("FP16|INT8|L0", "", cost.why.template)
        assert not re.search(r"\d", rest)


@pytest.mark.parametrize("rules", ["edge", "cloud"])
def test_figures_of_the_samples_agree_on_every_device(graph, rules):
    network = fuse(graph, rules)
    for device in DEVICES:
        for name in ("fp16", "int8", "int4"):
            for cost in simulate(network, preset(network, name), load_device(device)).kernels:
                assert 0 <= cost.weight_bytes <= cost.ddr_read_bytes, (device, name, cost.kernel)
                assert_sentence_agrees(cost)
                # Nothing costs a time that shows as 0.0 us and yet gets advice.
                assert cost.latency_us == 0.0 or cost.latency_us >= 0.05
                assert (cost.latency_us == 0.0) is (cost.bound == "-") is str(cost.why).startswith("Costs nothing")


@pytest.mark.parametrize("device", DEVICES)
def test_an_embedding_reads_the_rows_that_are_looked_up(device):
    network, profile = table(30_000, 384, 64), load_device(device)
    half, eight = (simulate(network, plan_of(network, scheme), profile).kernels[0] for scheme in (FP16, INT8))
    assert half.weight_bytes == 64 * 384 * 2
    if supports(profile, network.kernels[0], INT8) is None:
        assert 64 * 384 <= eight.weight_bytes <= 64 * (384 + 8)  # one byte a weight, and the rows' scales
    else:
        assert eight.weight_bytes == half.weight_bytes
    assert half.weight_bytes <= half.ddr_read_bytes


def test_an_embedding_reads_no_more_than_its_table():
    network = table(10, 64, 500)
    assert simulate(network, Plan({"k0": FP16}), load_device("kirin9030")).kernels[0].weight_bytes == 10 * 64 * 2


def test_selecting_from_a_constant_reads_the_selection():
    net = Netlist(i=(1, 8))
    net.add(Kind.MOVEMENT, [("Gather", ["c", "i"], {})], (1, 8, 64), constants={"c": zeros(5000, 64)})
    cost = simulate(net.network(), Plan(), load_device("ascend310b1")).kernels[0]
    assert cost.weight_bytes == 8 * 64 * 2


def test_scales_of_a_packed_table_are_looked_up_with_its_rows():
    net = Netlist(i=(1, 10))
    weight = Weight("e", "e", (1000, 64), (0,), (1,), "", "")
    constants = {"e": zeros(1000, 64), "s": zeros(1000, 2)}
    net.add(Kind.EMBEDDING, [("GatherBlockQuantized", ["e", "i", "s"], {})], (1, 10, 64), constants=constants,
            weight=weight)  # fmt: skip
    cost = simulate(net.network(), Plan({"k0": FP16}), load_device("ascend310b1")).kernels[0]
    assert cost.weight_bytes == 10 * (64 + 2) * 2


def test_the_sentence_counts_the_launch_of_a_conversion_too():
    net = Netlist(x=(1, 3, 16, 16))
    net.conv("x", 8)
    device = load_device("kirin9030")
    cost = simulate(net.network(), Plan(), device).kernels[0]
    assert cost.launch_us == pytest.approx(device.number("launch.cube") + device.number("launch.movement"))
    assert cost.bound == "Launch"
    assert f"{cost.launch_us:.1f} µs" in str(cost.why)


@pytest.mark.parametrize("device", DEVICES)
def test_a_reshape_with_a_constant_shape_costs_nothing(device):
    net = Netlist(x=(1, 64))
    net.add_reshape("x", (8, 8))
    cost = simulate(net.network(), Plan(), load_device(device)).kernels[0]
    assert (cost.latency_us, cost.bound, cost.ddr_read_bytes) == (0.0, "-", 0)
    assert str(cost.why) == "Costs nothing: it only renames a tensor."


def test_joining_in_place_says_so_and_a_constant_part_is_copied():
    device = load_device("ascend310b1")
    net = Netlist(x=(1, 16, 32, 32))
    a, b = net.conv("x", 32), net.conv("x", 16)
    net.concat(a, b)
    net.add(Kind.MOVEMENT, [("Concat", [a, "c"], {"axis": 1})], (1, 48, 32, 32), constants={"c": zeros(1, 16, 32, 32)})
    *_, joined, copied = simulate(net.network(), Plan(), device).kernels
    assert "side by side" in str(joined.why)
    assert copied.latency_us > 1.0
    assert copied.weight_bytes == 16 * 32 * 32 * 2
