"""Fit the few constants of the Ascend profiles to published latencies; predict networks that are left out.

Run: python benchmarks/fit_npu.py [--write]

The cores of the three chips are of one family, so what describes a core (Vector efficiency, the ports into L0, how far
units overlap) is fitted once for all chips; launch, L2 and memory belong to a chip. That is 3 + 3 * 3 constants for 46
latencies, none of them for a network. Then every network is left out in turn, on all chips at once, and predicted by
what is fitted to the rest. Coordinate descent on the mean absolute log error. --write keeps constants and errors in
fit_npu.json, from which scripts/fidelity.py makes its tables; the constants belong into the profiles by hand, rounded.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engine" / "npu")]

from published import ROWS  # noqa: E402
from zoo import ZOO  # noqa: E402

from engine.npu import Device, load_device  # noqa: E402
from engine.npu.chip import Chip  # noqa: E402
from engine.npu.known import known_of  # noqa: E402
from engine.npu.schedule import schedule  # noqa: E402
from engine.npu.simulate import Inside, insides  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402

CHIPS = ("ascend310", "ascend310b1", "ascend310p3")
RECORD = Path(__file__).with_suffix(".json")
LAUNCHES = ("launch.cube", "launch.vector", "launch.movement")
SHARED = {
    "vector.efficiency": (0.4, 0.05, 1.0),
    "launch.overlap": (0.15, 0.0, 1.0),
    "port.l1_efficiency": (0.4, 0.3, 1.0),
}
OWN = {"launch": (4.0, 0.5, 20.0), "port.l2_efficiency": (0.4, 0.1, 1.0), "port.ddr_efficiency": (0.9, 0.4, 1.0)}
"""Start, lowest and highest value."""
FIXED = {"cube.efficiency": 1.0}
Name = tuple[str, str]
"""A constant and its chip, '' for all chips."""
Constants = dict[Name, float]


@dataclass(frozen=True)
class Case:
    """A published latency of a network that can be built."""

    chip: str
    network: str
    batch: int
    measured_us: float
    unlike: tuple[Inside, ...]
    """Kernels of which no two cost the same."""
    order: tuple[int, ...]
    """Which of them runs, kernel by kernel."""
    sources: tuple[tuple[int, ...], ...]
    """Kernels that make what each kernel reads."""

    def latency_us(self, chip: Chip) -> float:
        """As the simulator finds it, on a chip with other numbers."""
        bodies = [kernel.body_on(chip) for kernel in self.unlike]
        return schedule([bodies[place] for place in self.order], chip, self.sources)[1]


def cases() -> list[Case]:
    found = []
    for row in ROWS:
        name, chip = row["network"], row["device"]
        if chip in CHIPS and row["scope"] == "device inference" and name in ZOO:
            network = ZOO[name](int(row["batch"]))
            known, kernels = known_of(network), insides(network, Plan(), load_device(chip))
            # Kernels of one shape that move the same are computed once.
            first: dict[object, int] = {}
            keys = [(shape, each.weight_bytes, each.moved) for shape, each in zip(known.shapes, kernels, strict=True)]
            order = tuple(first.setdefault(key, len(first)) for key in keys)
            unlike = tuple(kernels[keys.index(key)] for key in first)
            measured = float(row["latency_ms_per_batch"]) * 1e3
            found.append(Case(chip, name, int(row["batch"]), measured, unlike, order, known.sources))
    return found


def device_with(chip: str, constants: Constants) -> Device:
    changes = dict(FIXED)
    for (name, of), value in constants.items():
        if of in ("", chip):
            changes |= dict.fromkeys(LAUNCHES, value) if name == "launch" else {name: value}
    return load_device(chip).edited(changes, origin="fitted")


def predictions(constants: Constants, some: Iterable[Case]) -> list[tuple[Case, float]]:
    """Predicted us of every case."""
    chips = {chip: device_with(chip, constants).chip for chip in CHIPS}
    return [(case, case.latency_us(chips[case.chip])) for case in some]


def score(constants: Constants, some: Sequence[Case]) -> float:
    errors = [abs(log(us / case.measured_us)) for case, us in predictions(constants, some)]
    return sum(errors) / len(errors)


def fit(some: Sequence[Case], start: Constants | None = None) -> Constants:
    bounds = {(name, ""): b for name, b in SHARED.items()} | {(n, c): b for c in CHIPS for n, b in OWN.items()}
    found = dict(start) if start else {name: bound[0] for name, bound in bounds.items()}
    for step in (1.3, 1.08) if start else (1.5, 1.15, 1.05):
        for _ in range(6):
            before = score(found, some)
            for name, (_, low, high) in bounds.items():
                mine = [case for case in some if name[1] in ("", case.chip)]
                if mine:
                    found = _along(found, name, step, low, high, mine)
            if score(found, some) > before - 1e-5:
                break
    return found


def shipped() -> Constants:
    """What the profiles have."""
    devices = {chip: load_device(chip) for chip in CHIPS}
    shared = {(name, ""): devices[CHIPS[0]].number(name) for name in SHARED}
    own = {(name, chip): devices[chip].number("launch.cube" if name == "launch" else name)
           for chip in CHIPS for name in OWN}  # fmt: skip
    return shared | own


def _along(found: Constants, name: Name, step: float, low: float, high: float, some: Sequence[Case]) -> Constants:
    """Walk along one constant, up and down, as long as that helps."""
    best = score(found, some)
    for factor in (step, 1 / step):
        while True:
            now = found[name]
            moved = now + 0.3 * (step - 1) * (1 if factor > 1 else -1) if name[0] == "launch.overlap" else now * factor
            moved = min(max(moved, low), high)
            tried = {**found, name: moved}
            if abs(moved - now) < 1e-9 or (value := score(tried, some)) > best - 1e-5:
                break
            found, best = tried, value
    return found


def plain(constants: Constants) -> dict[str, float]:
    return {f"{name}@{chip}" if chip else name: round(value, 4) for (name, chip), value in constants.items()}


def from_plain(stored: dict[str, float]) -> Constants:
    return {(name.partition("@")[0], name.partition("@")[2]): value for name, value in stored.items()}


def rounded(constants: Constants) -> Constants:
    return from_plain(plain(constants))


def main(write: bool) -> None:
    every = cases()
    # Walking along one constant at a time stops in a valley: the better of two starts, what ships is one of them.
    whole = min((rounded(fit(every)), rounded(fit(every, shipped()))), key=lambda found: score(found, every))
    print(plain(whole))
    folds: dict[str, dict[str, float]] = {}
    left_out: dict[str, list[float]] = {chip: [] for chip in CHIPS}
    for name in sorted({case.network for case in every}):
        constants = rounded(fit([case for case in every if case.network != name], whole))
        folds[name] = plain(constants)
        for case, us in predictions(constants, [case for case in every if case.network == name]):
            left_out[case.chip].append(us / case.measured_us - 1)
            print(f"  without {name:16s} {case.chip:12s} batch {case.batch:2d} {us / case.measured_us - 1:+.0%}")
    for chip in CHIPS:
        inside_errors = [abs(us / case.measured_us - 1) for case, us in predictions(whole, every) if case.chip == chip]
        outside = [abs(error) for error in left_out[chip]]
        means = sum(inside_errors) / len(inside_errors), sum(outside) / len(outside)
        print(f"{chip}: in-sample {means[0]:.1%}, left out {means[1]:.1%}, worst {max(outside):.0%}")
    if write:
        record = {"whole": plain(whole), "without": folds}
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main("--write" in sys.argv)
