"""Published device latencies beside the model's and a naive roofline's."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from zoo import ZOO

from engine.fusion.types import Network
from engine.npu import Device, simulate
from engine.npu.simulate import workloads
from engine.precision.plan import Plan

ROWS = tuple(csv.DictReader((Path(__file__).parent / "measured.csv").read_text(encoding="utf-8").splitlines()))


@dataclass(frozen=True)
class Row:
    network: str
    batch: int
    measured_us: float
    ours_us: float
    naive_us: float

    @property
    def error(self) -> float:
        return self.ours_us / self.measured_us - 1

    @property
    def naive_error(self) -> float:
        return self.naive_us / self.measured_us - 1


def published(device: Device) -> list[Row]:
    """Every published device latency of a chip whose network we can build."""
    rows = []
    for row in ROWS:
        if row["device"] == device.name and row["scope"] == "device inference" and row["network"] in ZOO:
            network = ZOO[row["network"]](int(row["batch"]))
            ours = simulate(network, Plan(), device).latency_us
            measured = float(row["latency_ms_per_batch"]) * 1e3
            rows.append(Row(row["network"], int(row["batch"]), measured, ours, roofline(network, device)))
    return rows


def roofline(network: Network, device: Device) -> float:
    """us when every kernel reaches the peak of the Cube or of memory: max(MACs / peak, bytes / bandwidth)."""
    m, k, n = device.numbers("cube.fp16")
    macs_per_us = m * k * n * device.number("core.clock") * device.number("core.count")
    bytes_per_us = device.number("port.ddr") * 1e3
    total = 0.0
    for work in workloads(network):
        moved = work.weight_elements + sum(use.elements for use in (*work.inputs, *work.outputs))
        total += max(work.macs / macs_per_us, 2 * moved / bytes_per_us)
    return total


def mape(rows: list[Row], naive: bool = False) -> float:
    return sum(abs(row.naive_error if naive else row.error) for row in rows) / len(rows)
