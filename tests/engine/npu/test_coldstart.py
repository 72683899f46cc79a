"""Cold start: its parts by their formulas, the counter-measures, and the loads measured on a phone."""

from __future__ import annotations

import pytest
from zoo import ZOO

from engine.npu import load_device, simulate
from engine.npu.coldstart import ColdStart, Measures, cold_start
from engine.npu.power import latency_at
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4

DEVICE = load_device("kirin9030")


@pytest.fixture(scope="module")
def net():
    return ZOO["squeezenet11"](1)


def started(net, plan: Plan | None = None, device=DEVICE, **measures: bool) -> ColdStart:
    plan = plan or Plan({kernel.id: FP16 for kernel in net.tunable})
    return cold_start(net, plan, simulate(net, plan, device), device, Measures(**measures))


def us(found: ColdStart, stage: str) -> float:
    return sum(part.us for part in found.parts if part.stage == stage)


def test_loading_squeezenet_takes_what_a_phone_took(net):
    """12.5 ms for a compiled model of 2.5 MB on a phone of this class."""
    found = started(net)
    assert found.file_bytes == pytest.approx(2.5e6, rel=0.02)
    assert found.wait_us - us(found, "first run") == pytest.approx(12_500, rel=0.2)


def test_parts_follow_their_formulas(net):
    found = started(net, compiled=False)
    assert us(found, "read") == pytest.approx(found.file_bytes / DEVICE.number("storage.bandwidth"))
    assert us(found, "relayout") == pytest.approx(2 * found.file_bytes / 1e3 / DEVICE.number("cpu.bandwidth"))
    launched = us(found, "compile") / 1e3 / DEVICE.number("start.compile_kernel")
    assert launched == pytest.approx(us(started(net), "load") / 1e3 / DEVICE.number("start.load_kernel"))
    assert launched == round(launched)
    assert 0 < launched <= len(net.kernels)


def test_the_first_run_is_slower_than_a_warm_one_by_clock_pages_and_settling(net):
    plan = Plan({kernel.id: FP16 for kernel in net.tunable})
    run = simulate(net, plan, DEVICE)
    slowest = DEVICE.numbers("dvfs.clocks")[0] / DEVICE.number("core.clock")
    pages = sum(cost.weight_bytes for cost in run.kernels) / 4096
    expected = latency_at(run, slowest) + DEVICE.number("start.settle") + pages * DEVICE.number("start.page_fault")
    assert us(started(net), "first run") == pytest.approx(expected)


def test_a_run_longer_than_the_governors_period_speeds_up_on_the_way(net):
    lame = {"cube.efficiency": 0.01, "vector.efficiency": 0.01}
    patient = started(net, device=DEVICE.edited({**lame, "dvfs.period": 60.0}))
    quick = started(net, device=DEVICE.edited({**lame, "dvfs.period": 0.05}))
    assert us(quick, "first run") < us(patient, "first run")
    assert us(quick, "first run") > quick.steady_us


def test_preload_moves_everything_but_the_run_ahead(net):
    late, early = started(net), started(net, preload=True)
    assert early.wait_us == pytest.approx(us(late, "first run"))
    assert early.total_us == pytest.approx(late.total_us)


def test_a_warm_up_pays_only_when_it_happens_ahead(net):
    assert started(net, warm_up=True, preload=True).wait_us == pytest.approx(started(net).steady_us)
    assert started(net, warm_up=True).wait_us > started(net).wait_us


def test_compiling_on_the_device_dominates(net):
    online = started(net, compiled=False)
    assert us(online, "compile") > 0.9 * online.wait_us
    assert started(net).wait_us < online.wait_us / 10


def test_fewer_weight_bits_shorten_reading(net):
    small = started(net, Plan({kernel.id: INT4 for kernel in net.tunable}))
    assert us(small, "read") < us(started(net), "read") / 2
