"""What the sensitivity map and the ranking show, read from a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log10
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.graph.types import Array
from engine.precision.notation import code
from engine.precision.scheme import FP32, Scheme
from engine.session.state import SensitivityCell
from engine.session.sweep_figures import measured_cell
from engine.text import Text
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session

Metric = Literal["sqnr", "logits", "kl", "cosine", "top1", "own"]
"""Names of `engine.tuning.metrics.Metric`."""
Question = Literal["estimated", "one-in", "one-out"]
DECIBELS = frozenset({"sqnr", "logits"})
SQNR_LEVELS = (60.0, 10.0)
"""Ends of the colour scale in dB; SQNR is a logarithm already."""
LEVELS: Mapping[str, tuple[float, float]] = {
    "kl": (1e-5, 1e-1), "cosine": (1e-6, 1e-1), "top1": (1e-3, 1.0), "own": (1e-4, 1.0),
}  # fmt: skip
"""Ends of the colour scales of the others; they are logarithmic and the same for every model."""
MOST_GAIN_DB = 4.0
"""End of the colour scale of what restoring a kernel wins: the differences are small where all kernels make noise."""


@dataclass(frozen=True, eq=False, slots=True)
class SensitivityMap:
    """Rows are schemes, columns are tunable kernels, in execution order or sorted."""

    schemes: tuple[Scheme, ...]
    ids: tuple[str, ...]
    names: tuple[str, ...]
    index: tuple[int, ...]
    """Kernel numbers."""
    cells: tuple[tuple[SensitivityCell | None, ...], ...]
    """By row, then column; None = not known, or not asked for."""
    reasons: tuple[tuple[Text | None, ...], ...]
    """Why the device has no native support; None = it has."""
    plan_rows: tuple[int | None, ...]
    """Row of the plan's scheme by column."""
    metric: Metric = "sqnr"
    question: Question = "one-in"
    gains: tuple[float | None, ...] = ()
    """One out: dB won by restoring a column's kernel."""
    blocked: Mapping[str, Text] = field(default_factory=dict)
    """Kernels without an estimate -> why."""

    @property
    def known(self) -> int:
        """Cells with a value."""
        return sum(cell is not None for row in self.cells for cell in row)

    @property
    def exact(self) -> int:
        """Cells with a measured value."""
        return sum(cell is not None and cell.kind == "exact" for row in self.cells for cell in row)

    @property
    def refused(self) -> Array:
        """Cells that the device doesn't support natively, [rows, columns]."""
        return np.array([[reason is not None for reason in row] for row in self.reasons], bool).reshape(self.shape)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.schemes), len(self.ids)

    def worst_first(self, row: int) -> list[str]:
        """Kernel ids from the worst to the best in one scheme; those without a value come last."""
        places = self.heights()[row]
        return [self.ids[c] for c in np.argsort(-np.nan_to_num(places, nan=-1.0), kind="stable")]

    def heights(self) -> Array:
        """Where each cell lies on the colour scale, [rows, columns] in [0, 1]; NaN = not known."""
        found = np.full(self.shape, np.nan)
        for r, row in enumerate(self.cells):
            for c, cell in enumerate(row):
                if cell is None:
                    continue
                place = gain_height(self.gains[c]) if self.question == "one-out" else height(cell, self.metric)
                found[r, c] = np.nan if place is None else place
        return found


def height(cell: SensitivityCell, metric: Metric) -> float | None:
    """Place of a cell on the colour scale, 0 (no error) to 1; None without that figure."""
    value = cell.figure(metric)
    if value is None:
        return None
    if metric in DECIBELS:
        none, full = SQNR_LEVELS
        if not isfinite(value):
            return 0.0 if value > 0 else 1.0
        place = (none - value) / (none - full)
    else:
        if not value > 0:
            return 0.0
        low, high = (log10(level) for level in LEVELS[metric])
        place = (log10(value) - low) / (high - low) if isfinite(value) else 1.0
    return min(1.0, max(0.0, place))


def gain_height(gain_db: float | None) -> float | None:
    """Place of a gain on the colour scale."""
    return None if gain_db is None else min(1.0, max(0.0, gain_db / MOST_GAIN_DB))


def harm(cell: SensitivityCell, metric: Metric) -> float | None:
    """A figure that grows linearly with the error: noise over signal power, nats, a distance or a share."""
    value = cell.figure(metric)
    return value if value is None or metric not in DECIBELS else float(10 ** (-value / 10))


def scheme_order(schemes: Iterable[Scheme]) -> tuple[Scheme, ...]:
    """From the finest format to the coarsest."""
    grain = {"channel": 0, "group": 1, "tensor": 2}

    def key(s: Scheme) -> tuple[object, ...]:
        w, a = s.weights, s.activations
        floats = (not w.floating, -w.bits, w.brain, not a.floating, -a.bits, a.brain)
        return (*floats, grain[w.granularity], w.group, w.symmetric, a.symmetric, not a.static, s.method, s.corrected)

    return tuple(sorted(dict.fromkeys(schemes), key=key))


class Reasons:
    """Why the device has no native support, by scheme; asked once for a model on a device."""

    def __init__(self) -> None:
        self._valid_for: tuple[object, object] = (None, None)
        self._known: dict[Scheme, Mapping[str, Text | None]] = {}

    def of(self, session: Session, scheme: Scheme) -> Mapping[str, Text | None]:
        """By tunable kernel; None = supported."""
        network = session.network
        here = (network, session.device)
        if here[0] is not self._valid_for[0] or here[1] is not self._valid_for[1]:
            self._valid_for = here
            self._known.clear()
        if scheme not in self._known:
            kernels = network.tunable if network is not None else ()
            self._known[scheme] = {kernel.id: session.supports(kernel.id, scheme) for kernel in kernels}
        return self._known[scheme]


def used_metric(session: Session) -> Metric:
    """What is ranked by: the session's metric, or output SQNR before there is one."""
    metric = session.sweeps.metric
    return "sqnr" if metric is None else metric.value


def sensitivity_map(
    session: Session, reasons: Reasons, question: Question = "one-in", columns: Sequence[str] | None = None
) -> SensitivityMap | None:
    """Gather the map; None without a model or without a kernel to tune.

    Args:
        session: What to read.
        reasons: Support by the device.
        question: Whose figures: the estimate alone; measured cells with the estimate where there is none; or one out.
        columns: Kernel ids, in the order to show; None = all, in execution order.
    """
    network = session.network
    if network is None or not network.tunable:
        return None
    sweeps, plan, found = session.sweeps, session.plan, _cells(session, question)
    kernels = network.tunable if columns is None else [network.by_id(kernel) for kernel in columns]
    schemes = scheme_order({*sweeps.schemes, *plan.values()} - {FP32})
    place = {scheme: row for row, scheme in enumerate(schemes)}
    table = sweeps.estimates
    gains = session.sweeps.gains() if question == "one-out" else {}
    return SensitivityMap(
        schemes,
        tuple(k.id for k in kernels),
        tuple(k.name for k in kernels),
        tuple(k.index for k in kernels),
        tuple(tuple(found.get((k.id, scheme)) for k in kernels) for scheme in schemes),
        tuple(tuple(reasons.of(session, scheme)[k.id] for k in kernels) for scheme in schemes),
        tuple(place.get(plan.scheme(k.id)) for k in kernels),
        used_metric(session),
        question,
        tuple(gains.get(k.id) for k in kernels),
        {} if table is None else table.blocked,
    )


def _cells(session: Session, question: Question) -> Mapping[tuple[str, Scheme], SensitivityCell]:
    if question == "one-in":
        return session.sensitivity
    if question == "estimated":
        return session.sweeps.estimated_cells
    out = session.sweeps.one_out
    if out is None:
        return {}
    return {
        (kernel, out.plan.scheme(kernel)): measured_cell(kernel, out.plan.scheme(kernel), found)
        for kernel, found in out.cells.items()
    }


def map_table(data: SensitivityMap) -> Table:
    """One row per known cell."""
    rows = []
    for r, scheme in enumerate(data.schemes):
        for c, cell in enumerate(data.cells[r]):
            if cell is not None:
                inside = "yes" if data.plan_rows[c] == r else ""
                gain = data.gains[c] if data.question == "one-out" else None
                name = code(scheme)
                values = (cell.sqnr_db, cell.logits_db, cell.kl, cell.cosine, cell.top1, cell.own)
                rows.append((data.index[c], data.names[c], name, *values, gain, cell.kind, inside))
    header = (
        "index", "kernel", "scheme", "output_sqnr_db", "logits_sqnr_db", "kl_nats", "cosine_distance",
        "changed_best_class", "own_metric_change", "one_out_gain_db", "kind", "in_plan",
    )  # fmt: skip
    return Table(header, rows)


def blocks(names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Neighbouring kernels of one block as (label, first, last column).

    A block is a name up to its first number ("features.3", "model.layers.0"); its label is that number, or the last
    word where there is none.
    """
    keys = [_block_of(name) for name in names]
    usual = usual_prefix(names)
    result: list[tuple[str, int, int]] = []
    for i, (prefix, number) in enumerate(keys):
        text = number if number and prefix == usual else (prefix.split(".")[-1] or number)
        if result and keys[i - 1] == keys[i]:
            result[-1] = (result[-1][0], result[-1][1], i)
        else:
            result.append((text, i, i))
    return result


def usual_prefix(names: Sequence[str]) -> str:
    """What most blocks are numbered under, "features" or "encoder.layer"; "" without numbered blocks."""
    prefixes = [prefix for prefix, number in map(_block_of, names) if number]
    return max(sorted(set(prefixes)), key=prefixes.count) if prefixes else ""


def block_name(name: str, number: str, short: str) -> str:
    """What a block is called where there is room: its last word with its number; `short` if it is a kernel alone."""
    prefix, found = _block_of(name)
    if found and found == number:
        return f"{prefix.split('.')[-1]} {number}" if prefix else number
    return short


def _block_of(name: str) -> tuple[str, str]:
    parts = [part for part in name.replace("/", ".").split(".") if part]
    for i, part in enumerate(parts):
        if part.isdigit():
            return ".".join(parts[:i]), part
    return (".".join(parts[:1]) or name), ""
