"""How fast the NPU model answers, and how near it is to published latencies (naive roofline beside it).

Run: python benchmarks/bench_npu.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engine" / "npu")]

from netlist import Netlist  # noqa: E402
from published import mape, published  # noqa: E402
from zoo import ZOO  # noqa: E402

from engine.fusion.types import Network  # noqa: E402
from engine.npu import (  # noqa: E402
    Device,
    latency_us,
    list_devices,
    load_device,
    plan_memory,
    simulate,
    sustain,
    workloads,
)
from engine.npu.known import forget  # noqa: E402
from engine.npu.tiling import tile  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402
from engine.precision.scheme import FP16, INT8  # noqa: E402


def best(action: Callable[[], object], repeats: int = 5) -> float:
    """Least processor time of several runs, in ms."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append((time.process_time() - start) * 1e3)
    return min(times)


def unlike(count: int) -> Network:
    """A chain of convolutions of which no two have the same shape."""
    net = Netlist(x=(1, 16, 28, 28))
    tensor = "x"
    for number in range(count):
        tensor = net.conv(tensor, 16 + number, 1 if number % 2 else 3)
    return net.network()


def speed() -> None:
    """Milliseconds for whole networks, microseconds for one kernel.

    first = a network never seen: workloads, timing, schedule, costs, timeline and memory plan. analytic = the timing
    model alone, nothing kept: formats, storage, traffic, tiles, units, schedule. again = the same plan once more.
    """
    heads = ("kernels", "first ms", "analytic us", "again us", "toggle ms", "memory ms", "30 min ms")
    print(f"{'network':16s}" + "".join(f"{head:>12s}" for head in heads))
    device = load_device("ascend310b1")
    names = ("mobilenetv1", "resnet50", "efficientnet_b0", "deit_small", "resnet152")
    networks = {name: ZOO[name](1) for name in names} | {"1000 unlike": unlike(1000)}
    for name, network in networks.items():
        count = len(network.kernels)
        first = best(lambda network=network: _first(network, device))
        analytic = min(_analytic(network, device) for _ in range(7)) * 1e6 / count
        plan = Plan({kernel.id: FP16 for kernel in network.tunable})
        toggles = iter([plan.with_schemes({kernel.id: INT8}) for kernel in network.tunable[:5]])
        found = simulate(network, plan, device)
        again = best(lambda network=network, plan=plan: simulate(network, plan, device)) * 1e3 / count
        toggle = best(lambda network=network, toggles=toggles: simulate(network, next(toggles), device))
        memory = min(_memory(network) for _ in range(5)) * 1e3
        heat = best(lambda found=found: sustain(found, device), 3)
        figures = (first, analytic, again, toggle, memory, heat)
        print(f"{name:16s}{count:12d}" + "".join(f"{value:12.1f}" for value in figures))


def _first(network: Network, device: Device) -> None:
    forget(network)
    tile.cache_clear()
    simulate(network, Plan(), device)


def _analytic(network: Network, device: Device) -> float:
    """Seconds of the timing model for all kernels, on a device that was never seen."""
    fresh = device.edited({})
    assert fresh.chip
    latency_us(network, Plan(), device)  # workloads don't depend on the device
    tile.cache_clear()
    start = time.process_time()
    latency_us(network, Plan(), fresh)
    return time.process_time() - start


def _memory(network: Network) -> float:
    """Seconds of a memory plan that was never made."""
    forget(network)
    workloads(network)
    start = time.process_time()
    plan_memory(network, Plan())
    return time.process_time() - start


def truth() -> None:
    for info in list_devices():
        device = load_device(info.name)
        rows = published(device)
        if not rows:
            continue
        print(f"\n{device.title}: published latency, model, naive roofline (ms per batch)")
        for row in rows:
            print(
                f"{row.network:16s} {row.batch:3d} {row.measured_us / 1e3:9.3f}"
                f" {row.ours_us / 1e3:9.3f} {row.error:+7.1%} {row.naive_us / 1e3:9.3f} {row.naive_error:+7.1%}"
            )
        print(f"mean absolute error: model {mape(rows):.1%}, naive roofline {mape(rows, naive=True):.1%}")


if __name__ == "__main__":
    speed()
    truth()
