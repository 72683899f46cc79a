"""The Layers table as CSV: one row per kernel, units in the header."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from engine.files import write_atomically
from engine.fusion.types import Network
from engine.npu.results import Simulation
from engine.numerics.results import ErrorSums, Evaluation
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme, label
from engine.quant.sizes import PlanBytes

COLUMNS = (
    "index",
    "id",
    "name",
    "op",
    "weight",
    "output_shape",
    "params",
    "macs",
    "scheme",
    "weight_bytes",
    "local_sqnr_db",
    "accumulated_sqnr_db",
    "sensitivity_db",
    "sensitivity_at",
    "sensitivity_kind",
    "latency_us",
    "launch_us",
    "unit",
    "bound",
    "energy_uj",
    "why_not",
)


def rows(
    network: Network,
    plan: Plan,
    *,
    size: PlanBytes | None = None,
    simulation: Simulation | None = None,
    evaluation: Evaluation | None = None,
    local: Mapping[tuple[str, Scheme], ErrorSums] | None = None,
    sensitivity: Mapping[tuple[str, Scheme], float] | None = None,
    estimated: Mapping[tuple[str, Scheme], tuple[float, str]] | None = None,
) -> list[dict[str, object]]:
    """One dictionary per kernel with the keys of `COLUMNS`; None where a figure is not known."""
    found = []
    for kernel in network.kernels:
        cost = simulation.kernels[kernel.index] if simulation else None
        accumulated = evaluation.accumulated.get(kernel.id) if evaluation else None
        key = kernel.id, plan.scheme(kernel.id)
        alone = (local or {}).get(key)
        found.append(
            {
                "index": kernel.index,
                "id": kernel.id,
                "name": kernel.name,
                "op": kernel.op,
                "weight": kernel.weight.origin if kernel.weight else "",
                "output_shape": "x".join(map(str, network.tensors[kernel.outputs[0]].shape)) if kernel.outputs else "",
                "params": kernel.params,
                "macs": kernel.macs,
                "scheme": label(plan[kernel.id]) if kernel.id in plan else "",
                "weight_bytes": size.per_kernel.get(kernel.id, 0) if size else None,
                "local_sqnr_db": alone.sqnr_db if alone and kernel.tunable else None,
                "accumulated_sqnr_db": accumulated.sqnr_db if accumulated else None,
                **_sensitivity((sensitivity or {}).get(key), (estimated or {}).get(key)),
                "latency_us": cost.latency_us if cost else None,
                "launch_us": cost.launch_us if cost else None,
                "unit": cost.unit if cost else None,
                "bound": cost.bound if cost else None,
                "energy_uj": cost.energy_uj if cost else None,
                "why_not": str(kernel.why_not) if kernel.why_not else "",
            }
        )
    return found


def _sensitivity(exact: float | None, estimated: tuple[float, str] | None) -> dict[str, object]:
    """The measured figure if there is one, else the estimate; where it holds, and which of both it is."""
    if exact is not None:
        value, at, kind = exact, "output", "exact"
    elif estimated is not None:
        value, at, kind = *estimated, "estimated"
    else:
        return {"sensitivity_db": None, "sensitivity_at": None, "sensitivity_kind": None}
    return {"sensitivity_db": value, "sensitivity_at": at, "sensitivity_kind": kind}


def write_csv(path: Path, table: list[dict[str, object]]) -> None:
    """Write the rows as UTF-8 CSV with a header.

    Raises:
        ExportError: the file can't be written.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in table)
    write_atomically(path, stream.getvalue().encode())


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}" if isfinite(value) else ("inf" if value > 0 else "-inf" if value < 0 else "nan")
    return "" if value is None else value
