"""The simulated run as a table in the columns of msprof's op_summary, so that what reads a measured one reads this too.

Durations count as there: Task Duration is the whole kernel with its launch, the times per unit are its busy times.
"""

from __future__ import annotations

import csv
import io

from engine.files import write_atomically
from engine.fusion.types import Kernel, Network
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.order import Order
from engine.interop.trace import simulated
from engine.npu.results import KernelCost, Simulation
from engine.precision.plan import Plan
from engine.precision.scheme import label
from engine.text import say

COLUMNS = (
    "Op Name", "OP Type", "Task Type", "Task Start Time(us)", "Task Duration(us)", "Task Wait Time(us)", "Block Num",
    "Input Shapes", "Output Shapes", "aicore_time(us)", "mac_time(us)", "mac_ratio", "vec_time(us)", "vec_ratio",
    "mte1_time(us)", "mte1_ratio", "mte2_time(us)", "mte2_ratio", "mte3_time(us)", "mte3_ratio", "memory_bound",
    "cube_utilization(%)", "mixbit_id", "mixbit_scheme", "mixbit_launch(us)", "mixbit_cpu(us)", "mixbit_bound",
    "mixbit_ddr_read(bytes)", "mixbit_ddr_write(bytes)", "mixbit_weights(bytes)", "mixbit_energy(uJ)", "mixbit_why",
)  # fmt: skip
"""msprof's names where it has one; the rest begins with mixbit_."""


def check_op_summary(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """The plan is shown as it is."""
    return hand_over(network, plan, lambda kernel, asked: (asked, None))


def export_op_summary(order: Order) -> Written:
    """Write one row per kernel.

    Raises:
        ExportError: The file can't be written, or nothing has been simulated yet.
    """
    network, plan, path = order.network, order.plan, order.path
    found = summary_rows(network, plan, simulated(order.extras, path))
    order.cancel.check()
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    write_atomically(path, text.getvalue().encode("utf-8"))
    check = say("{count} {count:row|rows}.", count=len(found))
    return Written("op_summary", path, (path,), check_op_summary(network, plan), (check,))


def summary_rows(network: Network, plan: Plan, simulation: Simulation) -> list[dict[str, object]]:
    """One dictionary per kernel with the keys of `COLUMNS`, in execution order."""
    return [_row(k, network, plan, c) for k, c in zip(network.kernels, simulation.kernels, strict=True)]


def _row(kernel: Kernel, network: Network, plan: Plan, cost: KernelCost) -> dict[str, object]:
    body = max(0.0, cost.latency_us - cost.launch_us - cost.cpu_us)
    task = {"Cube": "AI_CORE", "Vector": "AI_VECTOR_CORE", "CPU": "AI_CPU"}.get(cost.unit, "AI_CORE")
    row: dict[str, object] = {
        "Op Name": kernel.name,
        "OP Type": kernel.op,
        "Task Type": task,
        "Task Start Time(us)": _three(cost.start_us),
        "Task Duration(us)": _three(cost.latency_us),
        "Task Wait Time(us)": 0,
        "Block Num": cost.tiles,
        "Input Shapes": _shapes(kernel.inputs, network),
        "Output Shapes": _shapes(kernel.outputs, network),
        "aicore_time(us)": _three(body),
        "memory_bound": _three(cost.mte2_us / max(cost.cube_us, cost.vector_us))
        if cost.cube_us + cost.vector_us
        else 0,
        "cube_utilization(%)": _three(100 * cost.cube_us / cost.latency_us) if cost.latency_us else 0,
        "mixbit_id": kernel.id,
        "mixbit_scheme": label(plan.scheme(kernel.id)) if kernel.tunable else "",
        "mixbit_launch(us)": _three(cost.launch_us),
        "mixbit_cpu(us)": _three(cost.cpu_us),
        "mixbit_bound": cost.bound,
        "mixbit_ddr_read(bytes)": cost.ddr_read_bytes,
        "mixbit_ddr_write(bytes)": cost.ddr_write_bytes,
        "mixbit_weights(bytes)": cost.weight_bytes,
        "mixbit_energy(uJ)": _three(cost.energy_uj),
        "mixbit_why": str(cost.why),
    }
    busy = {"mac": cost.cube_us, "vec": cost.vector_us, "mte1": cost.mte1_us, "mte2": cost.mte2_us,
            "mte3": cost.mte3_us}  # fmt: skip
    for unit, us in busy.items():
        row[f"{unit}_time(us)"] = _three(us)
        row[f"{unit}_ratio"] = _three(us / body) if body else 0
    return row


def _shapes(names: tuple[str, ...], network: Network) -> str:
    known = (network.tensors[name].shape for name in names if name in network.tensors)
    return ";".join(",".join(map(str, shape)) for shape in known)


def _three(value: float) -> float:
    return round(value, 3)
