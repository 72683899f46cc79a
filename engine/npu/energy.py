"""Energy of a kernel by part, from counts of operations and bytes."""

from __future__ import annotations

import msgspec

from engine.npu.chip import Chip, Precision
from engine.npu.timing import Body

PARTS = ("DDR", "Cube", "Vector", "SRAM", "Idle", "CPU")


class Energy(msgspec.Struct, frozen=True, gc=False):
    """uJ by part, in the order of PARTS."""

    ddr: float
    cube: float
    vector: float
    sram: float
    idle: float
    cpu: float

    @property
    def total(self) -> float:
        """Sum of all parts in uJ."""
        return self.ddr + self.cube + self.vector + self.sram + self.idle + self.cpu


def kernel_energy(body: Body, precision: Precision, latency_us: float, chip: Chip) -> Energy:
    """UJ of one kernel.

    Padded multiplications count (the Cube runs them), as do re-reads; idle power and leakage at 25 C run for the
    kernel's whole latency, launch included. W * us = uJ.
    """
    return Energy(
        (body.ddr_read + body.ddr_write) * chip.ddr_uj,
        body.macs * chip.mac_uj[precision],
        body.vector_bytes * chip.vector_uj,
        body.l0 * chip.l0_uj + body.l1 * chip.l1_uj + body.l2 * chip.l2_uj,
        chip.idle_w * latency_us,
        body.cpu * chip.cpu_w,
    )
