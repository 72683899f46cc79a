"""Fit the few constants of a device profile to published latencies, and say how well left-out networks are predicted.

Run: python benchmarks/fit_npu.py ascend310b1

Coordinate descent over the grid below on the mean absolute log error; the same constants for all networks of a chip.
The result is printed, not written: put it into the profile with origin "fitted".
"""

from __future__ import annotations

import sys
from math import log
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engine" / "npu")]

from published import ROWS  # noqa: E402
from zoo import ZOO  # noqa: E402

from engine.fusion.types import Network  # noqa: E402
from engine.npu import Device, latency_us, load_device  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402

LAUNCHES = ("launch.cube", "launch.vector", "launch.movement")
GRID: dict[str, tuple[float, ...]] = {
    "launch": (0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12),
    "cube.efficiency": (0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0),
    "port.ddr_efficiency": (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0),
    "vector.efficiency": (0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0),
    "port.l2_efficiency": (0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
    "launch.overlap": (0.0, 0.1, 0.2, 0.3, 0.5),
    "port.l1_efficiency": (0.3, 0.4, 0.5, 0.75, 1.0),
}
Case = tuple[str, Network, float]
"""Name of the network, the network, measured us."""


def cases(chip: str) -> list[Case]:
    return [
        (row["network"], ZOO[row["network"]](int(row["batch"])), float(row["latency_ms_per_batch"]) * 1e3)
        for row in ROWS
        if row["device"] == chip and row["scope"] == "device inference" and row["network"] in ZOO
    ]


def with_constants(device: Device, constants: dict[str, float]) -> Device:
    changes = {key: value for key, value in constants.items() if key != "launch"}
    return device.edited({**changes, **dict.fromkeys(LAUNCHES, constants["launch"])}, origin="fitted")


def errors(device: Device, constants: dict[str, float], some: list[Case]) -> list[float]:
    changed = with_constants(device, constants)
    return [latency_us(network, Plan(), changed) / measured for _, network, measured in some]


def fit(device: Device, some: list[Case]) -> dict[str, float]:
    best: tuple[float, dict[str, float]] | None = None
    for start in (-2, 0):
        constants = {key: values[start or len(values) // 2] for key, values in GRID.items()}
        score = _score(device, constants, some)
        improved = True
        while improved:
            improved = False
            for key, values in GRID.items():
                for value in values:
                    tried = {**constants, key: value}
                    found = _score(device, tried, some) if value != constants[key] else score
                    if found < score - 1e-6:
                        score, constants, improved = found, tried, True
        if best is None or score < best[0]:
            best = score, constants
    assert best is not None
    return best[1]


def _score(device: Device, constants: dict[str, float], some: list[Case]) -> float:
    return sum(abs(log(ratio)) for ratio in errors(device, constants, some)) / len(some)


def main(chip: str) -> None:
    device, all_cases = load_device(chip), cases(chip)
    constants = fit(device, all_cases)
    inside = [abs(ratio - 1) for ratio in errors(device, constants, all_cases)]
    print(f"{chip}: {constants}\nin-sample error {sum(inside) / len(inside):.1%}, worst {max(inside):.0%}")
    outside: list[float] = []
    for name in sorted({case[0] for case in all_cases}):
        rest = [case for case in all_cases if case[0] != name]
        left_out = [case for case in all_cases if case[0] == name]
        found = [ratio - 1 for ratio in errors(device, fit(device, rest), left_out)]
        outside += map(abs, found)
        print(f"  without {name:16s} {' '.join(f'{error:+.0%}' for error in found)}")
    print(f"leave-one-network-out error {sum(outside) / len(outside):.1%}, worst {max(outside):.0%}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "ascend310b1")
