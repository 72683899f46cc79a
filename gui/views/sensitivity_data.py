"""What the sensitivity map and the ranking show, read from a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, log10
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.graph.types import Array
from engine.precision.scheme import FP16, FP32, INT4, INT8, Scheme, label
from engine.session.state import SensitivityCell
from engine.text import Text
from gui.plots.kernels import short_name
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session

Metric = Literal["kl", "sqnr"]
KL_LEVELS = (1e-5, 1e-1)
"""Ends of the colour scale in nats; it is logarithmic and the same for every model."""
SQNR_LEVELS = (60.0, 10.0)
"""Ends of the colour scale in dB; SQNR is a logarithm already."""


@dataclass(frozen=True, eq=False, slots=True)
class SensitivityMap:
    """Rows are schemes, columns are the tunable kernels in execution order."""

    schemes: tuple[Scheme, ...]
    ids: tuple[str, ...]
    names: tuple[str, ...]
    index: tuple[int, ...]
    """Kernel numbers."""
    cells: tuple[tuple[SensitivityCell | None, ...], ...]
    """By row, then column; None = not measured."""
    reasons: tuple[tuple[Text | None, ...], ...]
    """Why the device has no native support; None = it has."""
    plan_rows: tuple[int | None, ...]
    """Row of the plan's scheme by column."""

    @property
    def known(self) -> int:
        """Cells with a value."""
        return sum(cell is not None for row in self.cells for cell in row)

    @property
    def has_kl(self) -> bool:
        """Whether KL divergence has a meaning for this model."""
        return any(cell is not None and cell.kl is not None for row in self.cells for cell in row)

    @property
    def refused(self) -> Array:
        """Cells that the device doesn't support natively, [rows, columns]."""
        return np.array([[reason is not None for reason in row] for row in self.reasons], bool)

    def heights(self, metric: Metric) -> Array:
        """Where each cell lies on the colour scale, [rows, columns] in [0, 1]; NaN = not measured."""
        return np.array([[np.nan if c is None else height(c, metric) for c in row] for row in self.cells], float)


def height(cell: SensitivityCell, metric: Metric) -> float:
    """Place of a cell on the colour scale, 0 (no error) to 1."""
    if metric == "kl":
        if cell.kl is None or not cell.kl > 0:
            return 0.0
        low, high = (log10(level) for level in KL_LEVELS)
        place = (log10(cell.kl) - low) / (high - low) if isfinite(cell.kl) else 1.0
    else:
        none, full = SQNR_LEVELS
        if not isfinite(cell.sqnr_db):
            return 0.0 if cell.sqnr_db > 0 else 1.0
        place = (none - cell.sqnr_db) / (none - full)
    return min(1.0, max(0.0, place))


def scheme_order(schemes: Iterable[Scheme]) -> tuple[Scheme, ...]:
    """From the finest format to the coarsest."""
    grain = {"channel": 0, "group": 1, "tensor": 2}

    def key(s: Scheme) -> tuple[object, ...]:
        w, a = s.weights, s.activations
        return (not w.floating, -w.bits, not a.floating, -a.bits, grain[w.granularity], w.group, a.symmetric, s.method)

    return tuple(sorted(dict.fromkeys(schemes), key=key))


class Reasons:
    """Why the device has no native support, by scheme; asked once for a model on a device."""

    def __init__(self) -> None:
        self._valid_for: tuple[object, object] = (None, None)
        self._known: dict[Scheme, tuple[Text | None, ...]] = {}

    def of(self, session: Session, scheme: Scheme) -> tuple[Text | None, ...]:
        """By tunable kernel; None = supported."""
        network = session.network
        here = (network, session.device)
        if here[0] is not self._valid_for[0] or here[1] is not self._valid_for[1]:
            self._valid_for = here
            self._known.clear()
        if scheme not in self._known:
            kernels = network.tunable if network is not None else ()
            self._known[scheme] = tuple(session.supports(kernel.id, scheme) for kernel in kernels)
        return self._known[scheme]


def sensitivity_map(session: Session, reasons: Reasons) -> SensitivityMap | None:
    """Gather the map; None without a model or without a kernel to tune."""
    network = session.network
    if network is None or not network.tunable:
        return None
    found, plan, kernels = session.sensitivity, session.plan, network.tunable
    here = {scheme for _, scheme in found} | {INT4, INT8, FP16} | set(plan.values())
    schemes = scheme_order(here - {FP32})
    place = {scheme: row for row, scheme in enumerate(schemes)}
    return SensitivityMap(
        schemes,
        tuple(k.id for k in kernels),
        tuple(k.name for k in kernels),
        tuple(k.index for k in kernels),
        tuple(tuple(found.get((k.id, scheme)) for k in kernels) for scheme in schemes),
        tuple(reasons.of(session, scheme) for scheme in schemes),
        tuple(place.get(plan.scheme(k.id)) for k in kernels),
    )


def map_table(data: SensitivityMap) -> Table:
    """One row per measured cell."""
    rows = []
    for r, scheme in enumerate(data.schemes):
        for c, cell in enumerate(data.cells[r]):
            if cell is not None:
                inside = "yes" if data.plan_rows[c] == r else ""
                name = scheme_code(scheme)
                rows.append((data.index[c], data.names[c], name, cell.sqnr_db, cell.kl, cell.kind, inside))
    return Table(("index", "kernel", "scheme", "output_sqnr_db", "kl_nats", "kind", "in_plan"), rows)


def scheme_code(scheme: Scheme) -> str:
    """A scheme in full, the same in every language: "FP16", "W4A16 group 32", "W8A8 channel"."""
    weights = scheme.weights
    if weights.floating:
        return label(scheme)
    grain = f"group {weights.group}" if weights.granularity == "group" else weights.granularity
    return f"W{weights.bits}A{scheme.activations.bits} {grain}"


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


def block_name(name: str, number: str) -> str:
    """What a block, or a kernel that is one, is called where there is room: its last word with its number."""
    prefix, found = _block_of(name)
    if found and found == number:
        return f"{prefix.split('.')[-1]} {number}" if prefix else number
    return short_name(name)


def _block_of(name: str) -> tuple[str, str]:
    parts = [part for part in name.replace("/", ".").split(".") if part]
    for i, part in enumerate(parts):
        if part.isdigit():
            return ".".join(parts[:i]), part
    return (".".join(parts[:1]) or name), ""
