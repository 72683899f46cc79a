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

from published import mape, published  # noqa: E402
from zoo import ZOO  # noqa: E402

from engine.npu import list_devices, load_device, plan_memory, simulate, sustain, workloads  # noqa: E402
from engine.npu.tiling import tile  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402
from engine.precision.scheme import FP16, INT8  # noqa: E402


def best(action: Callable[[], object], repeats: int = 5) -> float:
    """Shortest of several runs, in ms."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times)


def speed() -> None:
    heads = ("kernels", "first ms", "us/kernel", "toggle ms", "memory ms", "30 min ms")
    print(f"{'network':16s}" + "".join(f"{head:>10s}" for head in heads))
    for name in ("mobilenetv1", "resnet50", "efficientnet_b0", "deit_small", "resnet152"):
        network, device = ZOO[name](1), load_device("ascend310b1")
        count = len(network.kernels)
        workloads(network)
        tile.cache_clear()
        start = time.perf_counter()
        found = simulate(network, Plan(), device)
        first = (time.perf_counter() - start) * 1e3
        analytic = best(lambda network=network, device=device: _analytic(network, device)) * 1e3 / count
        plan = Plan({kernel.id: FP16 for kernel in network.tunable})
        toggles = iter([plan.with_schemes({kernel.id: INT8}) for kernel in network.tunable[:5]])
        simulate(network, plan, device)
        toggle = best(lambda network=network, toggles=toggles, device=device: simulate(network, next(toggles), device))
        memory = best(lambda name=name: plan_memory(ZOO[name](1), Plan()), 2)
        heat = best(lambda found=found, device=device: sustain(found, device), 3)
        print(f"{name:16s}{count:10d}" + "".join(f"{value:10.1f}" for value in (first, analytic, toggle, memory, heat)))


def _analytic(network: object, device: object) -> None:
    """Everything but the workloads, with no cache of tiles or kernels."""
    tile.cache_clear()
    simulate(network, Plan(), device.edited({}))  # type: ignore[attr-defined, arg-type]


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
