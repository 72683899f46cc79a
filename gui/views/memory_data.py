"""What the memory plot shows, read from a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.graph.types import Array
from engine.npu.results import Buffer, MemoryPlan
from gui.plots.kernels import KernelColumns
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session


@dataclass(frozen=True, eq=False, slots=True)
class MemoryData:
    """The address plan of a run. Addresses in bytes, time in kernel indices."""

    plan: MemoryPlan
    buffers: tuple[Buffer, ...]
    """Activations and workspace, by address."""
    writer: dict[str, int]
    """Kernel index that writes a tensor."""
    live: Array
    height: Array
    """Highest address in use, or the live bytes where they are more, at each kernel."""
    budget: int | None
    weight_bytes: int | None
    """Weights lie in a region of their own."""

    @property
    def unit(self) -> tuple[float, str]:
        """Bytes per unit of the address axis, and its name."""
        return (1024.0**2, "MiB") if self.top >= 1024**2 else (1024.0, "KiB")

    @property
    def top(self) -> int:
        """Highest address worth showing."""
        return max(self.plan.peak_bytes, int(self.live.max()) if self.live.size else 0, 1)

    def alive(self, kernel: int) -> list[Buffer]:
        """Buffers in use while a kernel runs, largest first."""
        return sorted((b for b in self.buffers if b.first <= kernel <= b.last), key=lambda b: -b.nbytes)

    def at(self, kernel: int, address: float) -> Buffer | None:
        """The buffer at a place in the plot."""
        for buffer in self.buffers:
            if buffer.first <= kernel <= buffer.last and buffer.offset <= address < buffer.offset + buffer.nbytes:
                return buffer
        return None


def memory_data(session: Session) -> MemoryData | None:
    """Gather the plan; None before the first simulation."""
    simulation, network = session.figures.simulation, session.network
    if simulation is None or network is None:
        return None
    plan = simulation.memory
    own = tuple(sorted((b for b in plan.buffers if b.kind != "weights"), key=lambda b: (b.offset, b.first)))
    writer = {name: kernel.index for kernel in network.kernels for name in kernel.outputs}
    live = np.array(plan.live_bytes, float)
    height = live.copy()
    for b in own:
        height[b.first : b.last + 1] = np.maximum(height[b.first : b.last + 1], b.offset + b.nbytes)
    size = session.figures.size
    return MemoryData(
        plan,
        own,
        writer,
        live,
        height,
        session.budgets.max_peak_bytes,
        size.total if size is not None else None,
    )


def memory_table(data: MemoryData, columns: KernelColumns) -> Table:
    """One row per buffer."""
    rows = []
    for b in data.buffers:
        writer = data.writer.get(b.tensor)
        name = columns.names[writer] if writer is not None and writer < len(columns) else ""
        rows.append((b.tensor, name, b.kind, b.offset, b.nbytes, b.first, b.last))
    header = ("tensor", "written_by", "kind", "offset_bytes", "bytes", "first_kernel", "last_kernel")
    return Table(header, rows)
