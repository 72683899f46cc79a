"""What fourteen published latencies of a Kirin 9000 can say about its constants, and what they can't.

Run: python benchmarks/fit_kirin.py

Four numbers decide nearly everything: the clock (with the width of the Cube and the number of cores it shows as their
product only), the memory bandwidth, the cost of a call and the cost of a launch. All combinations of a grid are tried;
those that come near the best error bound what the figures tell.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product
from math import log
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engine" / "npu")]

import zoo  # noqa: E402

from engine.npu import load_device  # noqa: E402
from engine.npu.known import known_of  # noqa: E402
from engine.npu.schedule import schedule  # noqa: E402
from engine.npu.simulate import insides  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402
from engine.precision.scheme import FP16, INT8  # noqa: E402

MEASURED = {"alexnet": (9.92, 4.49), "vgg16": (16.56, 8.55), "resnet50": (5.15, 3.54), "mobilenetv1": (2.16, 0.52),
            "mobilenetv2": (2.49, 1.18), "squeezenet10": (2.13, 1.24), "vdsr": (17.71, 10.67)}  # fmt: skip
"""ms of FP16 and INT8, from the vendor's model zoo, of the networks that can be built."""
SCHEMES = (FP16, INT8)
CLOCKS = (0.7, 1.0, 1.4, 2.0, 2.8)
"""Of the profile's clock."""
BANDWIDTHS = (10.0, 14.0, 17.0, 20.0, 25.0, 34.0)
CALLS = (0.0, 50.0, 100.0, 200.0, 400.0)
LAUNCHES = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
NEAR = 1.1
"""How much larger than the best an error may be that still counts as told by the figures."""


@dataclass(frozen=True)
class Point:
    """One combination and how it predicts."""

    clock_mhz: float
    ddr_gbps: float
    call_us: float
    launch_us: float
    ms: tuple[tuple[float, float], ...]
    """FP16 and INT8 of every network."""

    @property
    def error(self) -> float:
        """Mean absolute error of the logarithm."""
        pairs = zip(self.ms, MEASURED.values(), strict=True)
        errors = [abs(log(ours / theirs)) for mine, row in pairs for ours, theirs in zip(mine, row, strict=True)]
        return sum(errors) / len(errors)

    @property
    def gains(self) -> list[float]:
        """FP16 / INT8 of every network."""
        return [half / whole for half, whole in self.ms]


def grid() -> list[Point]:
    """Every combination. Calls and launches only add up, so they cost no simulation."""
    device = load_device("kirin9030")
    networks = [getattr(zoo, name)(1) for name in MEASURED]
    nothing = dict.fromkeys(("launch.cube", "launch.vector", "launch.movement", "launch.invocation"), 0.0)
    clock = device.number("core.clock")
    insides_of = [[insides(net, Plan({k.id: scheme for k in net.tunable}), device) for scheme in SCHEMES]
                  for net in networks]  # fmt: skip
    points = []
    for part, ddr in product(CLOCKS, BANDWIDTHS):
        chip = device.edited({**nothing, "core.clock": clock * part, "port.ddr": ddr}).chip
        bare = []
        for network, rows in zip(networks, insides_of, strict=True):
            bodies = [[kernel.body_on(chip) for kernel in row] for row in rows]
            count = sum(body.latency > 0.0 for body in bodies[0])
            ends = [schedule(each, chip, known_of(network).sources)[1] for each in bodies]
            bare.append((count, ends[0], ends[1]))
        for call, launch in product(CALLS, LAUNCHES):
            ms = tuple(((half + call + n * launch) / 1e3, (whole + call + n * launch) / 1e3) for n, half, whole in bare)
            points.append(Point(clock * part, ddr, call, launch, ms))
    return points


def spans(points: list[Point]) -> tuple[Point, list[Point]]:
    """The best point, and all that come near it."""
    best = min(points, key=lambda point: point.error)
    return best, [point for point in points if point.error < NEAR * best.error]


def main() -> None:
    points = grid()
    best, near = spans(points)
    print(f"{len(points)} points, best error {best.error:.1%}, {len(near)} near it")
    for name in ("clock_mhz", "ddr_gbps", "call_us", "launch_us"):
        values = sorted({getattr(point, name) for point in near})
        print(f"  {name}: best {getattr(best, name):g}, near {values}")
    for name, row, ours, gain in zip(MEASURED, MEASURED.values(), best.ms, best.gains, strict=True):
        print(f"  {name:14s} FP16 {row[0]:6.2f} {ours[0]:6.2f}  INT8 {row[1]:6.2f} {ours[1]:6.2f}"
              f"  gain {row[0] / row[1]:.2f} {gain:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
