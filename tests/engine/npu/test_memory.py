"""Memory plans: valid addresses, the optimum on tiny instances, and close to the lower bound on real shapes."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_optimum import HEIGHT, guillotine
from netlist import Netlist
from zoo import ZOO

from engine.npu import load_device, plan_memory, simulate
from engine.npu.placement import ALIGNMENT, Life, fit, overlaps, place
from engine.npu.results import MemoryPlan
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8

LIVES = st.lists(
    st.tuples(st.integers(1, 8), st.integers(0, 6), st.integers(0, 4)).map(
        lambda t: Life(t[0] * ALIGNMENT, t[1], t[1] + t[2])
    ),
    max_size=7,
)


def optimum(lives: list[Life]) -> int:
    """Lowest peak: some order of first-fit placements reaches it."""
    sizes, rivals = [life.nbytes for life in lives], overlaps(lives)
    best = sum(sizes)
    for order in permutations(range(len(lives))):
        offsets = [-1] * len(lives)
        for i in order:
            at = 0
            for low, high in sorted((offsets[j], offsets[j] + sizes[j]) for j in rivals[i] if offsets[j] >= 0):
                if low - at >= sizes[i]:
                    break
                at = max(at, high)
            offsets[i] = at
        best = min(best, max((o + s for o, s in zip(offsets, sizes, strict=True)), default=0))
    return best


@settings(max_examples=60, deadline=None)
@given(st.lists(LIVES.filter(len).map(lambda lives: lives[0]), max_size=6))
def test_tiny_instances_reach_the_optimum(lives):
    assert place(lives).peak == optimum(lives)


@settings(max_examples=200, deadline=None)
@given(LIVES)
def test_buffers_alive_together_never_overlap(lives):
    found = place(lives)
    assert found.lower_bound <= found.peak
    for i, rivals in enumerate(overlaps(lives)):
        assert found.offsets[i] % ALIGNMENT == 0
        for j in rivals:
            low, high = sorted((i, j), key=lambda x: found.offsets[x])
            assert found.offsets[low] + lives[low].nbytes <= found.offsets[high]


def test_overlaps_are_those_of_every_pair():
    draw = random.Random(3)
    lives = [Life(512, a, a + draw.randrange(9)) for a in (draw.randrange(40) for _ in range(80))]
    expected = [
        [j for j, other in enumerate(lives) if j != i and other.first <= life.last and life.first <= other.last]
        for i, life in enumerate(lives)
    ]
    assert [sorted(r) for r in overlaps(lives)] == expected


def test_best_fit_takes_the_smallest_gap():
    # Between the two walls that are still alive are gaps of 3 and 2; the last buffer needs 2.
    sizes, rivals = [3, 1, 2, 1, 2], [[1, 2, 3], [0, 2, 3, 4], [0, 1, 3], [0, 1, 2, 4], [1, 3]]
    assert fit(sizes, rivals, range(5)) == ([0, 3, 4, 6, 4], 7)


@pytest.mark.parametrize("seed", range(5))
def test_hard_instances_stay_close_to_a_known_optimum(seed):
    assert place(guillotine(seed)).peak <= 1.15 * HEIGHT * ALIGNMENT


def assert_valid(memory: MemoryPlan) -> None:
    for i, one in enumerate(memory.buffers):
        assert one.offset % 32 == 0
        assert one.offset + one.nbytes <= memory.peak_bytes
        for other in memory.buffers[:i]:
            together = one.first <= other.last and other.first <= one.last
            apart = one.offset + one.nbytes <= other.offset or other.offset + other.nbytes <= one.offset
            assert apart or not together, (one, other)


@pytest.mark.parametrize("name", ["resnet50", "googlenet", "efficientnet_b0", "deit_small", "squeezenet11"])
def test_ordinary_networks_come_within_two_percent_of_the_bound(name):
    memory = plan_memory(ZOO[name](1), Plan())
    assert memory.lower_bound_bytes <= memory.peak_bytes <= 1.02 * memory.lower_bound_bytes
    assert max(memory.live_bytes) == memory.live_bytes[memory.peak_kernel] == memory.lower_bound_bytes
    assert_valid(memory)


def test_same_network_same_plan():
    assert plan_memory(ZOO["googlenet"](1), Plan()) == plan_memory(ZOO["googlenet"](1), Plan())


def test_elementwise_writes_over_its_input():
    net = Netlist(x=(1, 1024))
    a = net.linear("x", 4096)
    b = net.elementwise("Relu", a)
    network = net.network(net.linear(b, 16))
    memory = plan_memory(network, Plan())
    by_name = {buffer.tensor: buffer for buffer in memory.buffers}
    assert by_name[a].offset == by_name[b].offset
    assert by_name[a].last < by_name[b].first
    assert memory.peak_bytes == 4096 * 2 + 1024 * 2
    assert_valid(memory)


def test_an_input_that_is_read_again_is_not_overwritten():
    net = Netlist(x=(1, 1024))
    a = net.linear("x", 4096)
    b = net.elementwise("Relu", a)
    memory = plan_memory(net.network(net.elementwise("Add", a, b)), Plan())
    by_name = {buffer.tensor: buffer for buffer in memory.buffers}
    assert by_name[a].offset != by_name[b].offset
    assert_valid(memory)


def test_integer_activations_halve_the_peak():
    network = ZOO["mobilenetv1"](1)
    plans = [Plan({kernel.id: scheme for kernel in network.tunable}) for scheme in (FP16, INT8)]
    half, eighth = (plan_memory(network, plan, load_device("ascend310b1")).peak_bytes for plan in plans)
    assert eighth < 0.6 * half


def test_simulation_carries_the_same_plan():
    network, device = ZOO["resnet18"](1), load_device("kirin9030")
    assert simulate(network, Plan(), device).memory == plan_memory(network, Plan(), device)


@pytest.mark.parametrize("width", [32, 24])
def test_joined_parts_lie_inside_the_whole(width):
    net = Netlist(x=(1, 16, 16, 16))
    a, b = net.conv("x", width), net.conv("x", 64)
    c = net.elementwise("Tanh", a)
    d = net.concat(c, b)
    memory = plan_memory(net.network(net.conv(d, 16)), Plan())
    assert_valid(memory)
    place = {buffer.tensor: buffer for buffer in memory.buffers}
    assert place[a].offset == place[c].offset
    inside = place[c].offset == place[d].offset and place[b].offset == place[d].offset + place[c].nbytes
    assert inside is (width == 32)
    assert max(memory.live_bytes) == memory.lower_bound_bytes


def test_a_part_that_is_read_later_is_copied():
    net = Netlist(x=(1, 16, 16, 16))
    a, b = net.conv("x", 32), net.conv("x", 64)
    d = net.concat(a, b)
    memory = plan_memory(net.network(net.conv(d, 32, plus=a)), Plan())
    assert_valid(memory)
    place = {buffer.tensor: buffer for buffer in memory.buffers}
    assert place[a].offset != place[d].offset
