"""Simulations: invariants of the timeline, energy sums, formats, fallbacks, and that toggles move the right way."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from netlist import Netlist, zeros
from zoo import ZOO

from engine.fusion.types import Kind, Network
from engine.npu import latency_us, list_devices, load_device, simulate, supports
from engine.npu.results import Simulation
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, PRESETS, W4A8, W8A16, Scheme, WeightFormat
from engine.quant.sizes import weight_bytes

DEVICES = [info.name for info in list_devices()]
NETWORKS = ("mobilenetv1", "googlenet", "efficientnet_b0", "deit_small", "resnet18")


def plan_of(network: Network, scheme: Scheme) -> Plan:
    return Plan({kernel.id: scheme for kernel in network.tunable})


@pytest.fixture(scope="module", params=NETWORKS)
def network(request):
    return ZOO[request.param](1)


def assert_consistent(network: Network, found: Simulation) -> None:
    lanes = defaultdict(list)
    for bar in found.bars:
        assert bar.duration_us > 0
        assert bar.tiles >= 1
        lanes[bar.lane].append(bar)
    for lane in lanes.values():
        lane.sort(key=lambda bar: bar.start_us)
        for one, following in pairwise(lane):
            assert one.start_us + one.duration_us <= following.start_us + 1e-6
            assert one.kernel <= following.kernel
    assert [cost.kernel for cost in found.kernels] == [kernel.id for kernel in network.kernels]
    end = found.invocation_us
    for cost in found.kernels:
        assert cost.start_us == pytest.approx(end)
        end = cost.start_us + cost.latency_us
        busy = (cost.cube_us, cost.vector_us, cost.mte1_us, cost.mte2_us, cost.mte3_us, cost.cpu_us)
        assert max(busy) <= cost.latency_us + 1e-6
        assert min(busy) >= 0
    assert found.latency_us == pytest.approx(end)
    assert max(bar.start_us + bar.duration_us for bar in found.bars) == pytest.approx(end)
    assert sum(found.energy_parts.values()) == pytest.approx(found.energy_uj)
    assert sum(cost.energy_uj for cost in found.kernels) <= found.energy_uj + 1e-6


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_timelines_are_consistent(network, device, preset):
    plan, profile = plan_of(network, PRESETS[preset]), load_device(device)
    found = simulate(network, plan, profile)
    assert_consistent(network, found)
    assert latency_us(network, plan, profile) == found.latency_us


def test_energy_outside_kernels_is_idle_power_during_invocation():
    network, device = ZOO["resnet18"](1), load_device("kirin9030")
    found = simulate(network, Plan(), device)
    watts = device.number("power.idle") + device.number("power.leakage")
    outside = found.energy_uj - sum(cost.energy_uj for cost in found.kernels)
    assert outside == pytest.approx(watts * found.invocation_us)


def test_hand_counted_kernel():
    """One product whose every figure can be counted by hand: 256 x 512 x 1024 in FP16 on one core."""
    net = Netlist(x=(256, 512))
    net.linear("x", 1024)
    device = load_device("ascend310b1").edited({
        "core.clock": 1000.0, "cube.efficiency": 1.0, "cube.issue": 0.0, "launch.cube": 5.0, "launch.overlap": 0.0,
        "power.idle": 0.0, "power.leakage": 0.0, "energy.mac_fp16": 1.0, "energy.ddr": 10.0,
    })  # fmt: skip
    cost = simulate(net.network(), Plan({"k0": FP16}), device).kernels[0]
    assert cost.cube_us == pytest.approx(16 * 32 * 64 / 1000)
    assert cost.weight_bytes == 512 * 1024 * 2
    assert cost.ddr_read_bytes == 512 * 1024 * 2
    assert cost.launch_us == 5.0
    assert cost.mte2_us >= 512 * 1024 * 2 / (51.2e3 * device.number("port.ddr_efficiency"))
    parts = simulate(net.network(), Plan({"k0": FP16}), device).energy_parts
    assert parts["Cube"] == pytest.approx(256 * 512 * 1024 * 1e-6)
    assert parts["DDR"] == pytest.approx((512 * 1024 * 2) * 10 * 1e-6)
    assert parts["Idle"] == 0.0


@pytest.mark.parametrize("device", DEVICES)
def test_fewer_bits_move_fewer_bytes(network, device):
    found = {name: simulate(network, plan_of(network, PRESETS[name]), load_device(device)) for name in PRESETS}

    def weights(name: str) -> int:
        return sum(cost.weight_bytes for cost in found[name].kernels)

    def energy(name: str) -> float:
        return found[name].energy_uj

    assert weights("int8") < weights("fp16") == weights("fp32")
    assert weights("fp16") > weights("w8a16") >= weights("int8")  # wider weights in L1 are read again more often
    assert energy("int8") < energy("w8a16") < energy("fp16")
    assert found["int8"].latency_us < found["fp16"].latency_us
    assert found["int8"].memory.peak_bytes <= found["fp16"].memory.peak_bytes


@pytest.mark.parametrize("scheme", [FP16, INT8, INT4, W4A8, W8A16])
def test_weight_bytes_are_those_of_the_file_and_the_bias(scheme):
    network = ZOO["resnet18"](1)
    found = simulate(network, plan_of(network, scheme), load_device("ascend310b1"))
    for kernel, cost in zip(network.kernels, found.kernels, strict=True):
        if kernel.weight is not None:
            bias = kernel.constants.get(kernel.weight.bias)
            assert cost.weight_bytes == weight_bytes(kernel.weight, scheme.weights) + 2 * (
                0 if bias is None else bias.size
            )


def test_a_memory_bound_layer_gets_faster_with_int4_and_says_what_bound_it():
    net = Netlist(x=(1, 4096))
    net.linear("x", 4096)
    network, device = net.network(), load_device("kirin9030")
    half, four = (simulate(network, Plan({"k0": scheme}), device).kernels[0] for scheme in (FP16, INT4))
    assert half.bound == "DDR weights"
    assert "weight bits" in str(half.why)
    assert four.latency_us < 0.5 * half.latency_us


def test_a_toggle_changes_only_its_neighbourhood():
    network, device = ZOO["resnet18"](1), load_device("ascend310b1")
    plan = plan_of(network, FP16)
    changed = network.tunable[5]
    before, after = (simulate(network, p, device) for p in (plan, plan.with_schemes({changed.id: INT8})))
    differing = [
        a.kernel
        for a, b in zip(before.kernels, after.kernels, strict=True)
        if a.ddr_read_bytes != b.ddr_read_bytes or a.latency_us != pytest.approx(b.latency_us)
    ]
    assert changed.id in differing
    assert len(differing) <= 3


def test_quantizing_on_the_way_in_costs_vector_time():
    """A tensor that one reader wants in INT8 and another in FP16 stays FP16; the first quantizes it."""
    net = Netlist(x=(64, 1024))
    a = net.linear("x", 1024)
    b = net.linear(a, 1024)
    network = net.network(net.elementwise("Add", a, b))
    device = load_device("ascend310b1")
    cast = simulate(network, Plan({"k0": FP16, "k1": INT8}), device).kernels[1]
    alone = Netlist(x=(64, 1024))
    other = alone.network(alone.linear(alone.linear("x", 1024), 1024))
    plain = simulate(other, Plan({"k0": FP16, "k1": INT8}), device).kernels[1]
    assert cast.vector_us > plain.vector_us == 0.0


def test_layouts_are_converted_once_at_the_border():
    device = load_device("ascend310b1")
    net = Netlist(x=(1, 64, 56, 56))
    first = net.conv("x", 64)
    net.conv(first, 64)
    a, b = simulate(net.network(), Plan(), device).kernels
    assert a.latency_us > b.latency_us
    assert a.launch_us == pytest.approx(b.launch_us + device.number("launch.movement"))


def test_renaming_is_free_and_whole_channel_blocks_are_joined_in_place():
    net = Netlist(x=(1, 16, 32, 32))
    a, b, c = net.conv("x", 32), net.conv("x", 16), net.conv("x", 24)
    net.concat(a, b)
    d = net.concat(a, c)
    net.flatten(net.average(d))
    costs = simulate(net.network(), Plan(), load_device("ascend310b1")).kernels
    assert costs[3].latency_us == 0.0
    assert costs[3].bound == "-"
    assert costs[4].latency_us > 0.0


def test_an_unsupported_operator_falls_back_with_two_hand_overs():
    device = load_device("kirin9030")
    net = Netlist(x=(1, 64, 32, 32))
    a = net.conv("x", 64)
    b = net.elementwise("Acosh", a)
    net.conv(b, 64)
    found = simulate(net.network(), Plan(), device)
    cost = found.kernels[1]
    assert (cost.unit, cost.bound) == ("CPU", "CPU")
    assert cost.cpu_us > 2 * device.number("cpu.sync")
    assert "Acosh" in str(cost.why)
    assert found.energy_parts["CPU"] > 0
    assert [bar.lane for bar in found.bars if bar.kernel == 1] == ["Kernel", "CPU"]
    assert simulate(net.network(), Plan(), load_device("ascend310b1")).kernels[1].unit == "Vector"


def test_an_operator_nobody_knows_runs_on_the_cpu():
    net = Netlist(x=(1, 64))
    net.add(Kind.OTHER, [("Frobnicate", ["x"], {})], (1, 64))
    cost = simulate(net.network(), Plan(), load_device("ascend310b1")).kernels[0]
    assert cost.unit == "CPU"
    assert "Frobnicate" in str(cost.why)


def test_weights_of_the_next_kernel_are_loaded_ahead():
    """The weights of a product come while a long convolution computes; latency falls by what was hidden."""

    def net() -> Network:
        lines = Netlist(x=(1, 256, 64, 64))
        lines.conv(lines.conv("x", 256), 256, 1)
        return lines.network()

    with_room = load_device("kirin9030")
    without = with_room.edited({"launch.prefetch": 0.0})
    ahead, plain = (simulate(net(), Plan(), device) for device in (with_room, without))
    assert ahead.latency_us <= plain.latency_us
    early = [bar for bar in ahead.bars if bar.lane == "MTE2" and bar.kernel == 1]
    assert early[0].start_us < ahead.kernels[1].start_us
    assert_consistent(net(), ahead)


def test_depthwise_takes_the_cheaper_unit():
    net = Netlist(x=(1, 512, 14, 14))
    net.conv("x", 512, 3, group=512)
    device = load_device("ascend310b1")
    fast = device.edited({"vector.two_source": 4096.0})
    assert simulate(net.network(), Plan(), device).kernels[0].unit == "Cube"
    assert simulate(net.network(), Plan(), fast).kernels[0].unit == "Vector"


def test_faster_hardware_is_never_slower():
    network, device = ZOO["efficientnet_b0"](1), load_device("kirin9030")
    base = simulate(network, Plan(), device).latency_us
    for key, value in (("core.clock", 1500.0), ("port.ddr", 80.0), ("vector.exp", 256.0), ("launch.cube", 1.0)):
        assert simulate(network, Plan(), device.edited({key: value})).latency_us < base, key


def test_two_cores_help_large_kernels():
    net = Netlist(x=(1024, 1024))
    net.linear("x", 1024)
    device = load_device("ascend310b1")
    one, two = (simulate(net.network(), Plan(), device.edited({"core.count": n})).kernels[0] for n in (1.0, 2.0))
    assert two.cube_us == pytest.approx(one.cube_us / 2)


def test_an_empty_network_takes_the_invocation_only():
    net = Netlist(x=(1, 8))
    found = simulate(net.network("x"), Plan(), load_device("kirin9030"))
    assert found.latency_us == found.invocation_us
    assert found.kernels == ()
    assert found.bars == ()


def test_supports_says_why_not():
    phone, board = load_device("kirin9030"), load_device("ascend310b1")
    net = Netlist(x=(1, 64, 14, 14), y=(16, 96), z=(16, 256))
    net.conv("x", 64, 3, group=64)
    net.conv("x", 64)
    net.linear("y", 96)
    net.linear("z", 128)
    net.average("x")
    depthwise, conv, odd, even, pool = net.network().kernels
    assert "depthwise" in str(supports(phone, depthwise, INT4))
    assert supports(phone, depthwise, INT8) is None
    assert supports(phone, conv, INT4) is None
    assert "128" in str(supports(phone, odd, INT4))
    assert supports(phone, even, INT4) is None
    assert supports(phone, even, Scheme(WeightFormat(4, granularity="channel"), INT4.activations)) is not None
    assert supports(board, depthwise, INT4) is None
    assert "FP32" in str(supports(board, conv, FP32))
    assert supports(board, pool, INT8) is pool.why_not


def test_what_is_not_native_runs_in_fp16_and_says_so():
    net = Netlist(x=(1, 64, 56, 56))
    net.conv("x", 64, 3, group=64)
    network, device = net.network(), load_device("kirin9030")
    four, half = (simulate(network, Plan({"k0": scheme}), device).kernels[0] for scheme in (INT4, FP16))
    assert four.latency_us == half.latency_us
    assert "FP16" in str(four.why)
    assert "depthwise" in str(four.why)


@pytest.mark.parametrize("scheme", [BF16, Scheme(INT8.weights, BF16.activations)], ids=["bf16", "activations"])
def test_brain_floats_run_as_fp16_and_say_so(scheme):
    net = Netlist(x=(1, 64, 56, 56))
    net.conv("x", 64, 3)
    network, device = net.network(), load_device("kirin9030")
    brain, half = (simulate(network, Plan({"k0": s}), device).kernels[0] for s in (scheme, FP16))
    assert brain.latency_us == half.latency_us
    assert str(brain.why).startswith("Runs in FP16")
    assert "has no BF16" in str(brain.why)
    assert "BF16" in str(supports(device, network.kernels[0], scheme))


def test_recurrent_embedding_and_dynamic_products_are_costed():
    device = load_device("ascend310b1")
    net = Netlist(x=(20, 1, 64), i=(1, 20))
    constants = {"w": zeros(1, 256, 64), "r": zeros(1, 256, 64)}
    net.add(Kind.RECURRENT, [("LSTM", ["x", "w", "r"], {"hidden_size": 64})], (20, 1, 1, 64), constants=constants,
            macs=20 * 256 * 128)  # fmt: skip
    net.add(Kind.EMBEDDING, [("Gather", ["e", "i"], {})], (1, 20, 512), constants={"e": zeros(50000, 512)})
    q = net.transpose("x", 1, 0, 2)
    net.matmul(q, net.transpose("x", 1, 2, 0))
    found = simulate(net.network(), Plan(), device)
    recurrent, embedding, _, _, product = found.kernels
    assert recurrent.cube_us >= 20 * 16 * 8 / 1224
    assert embedding.ddr_read_bytes < 50000 * 512
    assert product.weight_bytes == 0
    assert product.cube_us > 0
    assert np.isfinite(found.latency_us)


@pytest.mark.parametrize(
    ("scheme", "key"), [(FP16, "mac_fp16"), (INT8, "mac_int8"), (INT4, "mac_fp16"), (W4A8, "mac_int8")]
)
def test_multiplications_cost_what_their_precision_costs(scheme, key):
    net = Netlist(x=(256, 512))
    net.linear("x", 1024)
    device = load_device("ascend310b1")
    parts = simulate(net.network(), Plan({"k0": scheme}), device).energy_parts
    assert parts["Cube"] == pytest.approx(256 * 512 * 1024 * device.number(f"energy.{key}") * 1e-6)
