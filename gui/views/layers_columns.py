"""The columns of the Layers table: what each is called, how wide it wants to be, what it sorts and copies.

`fit` shares the width of the dock out; the rest is one table of `Column`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Literal

import numpy as np
from PySide6.QtCore import QCoreApplication

from engine.graph.types import Array
from gui import format as form
from gui.views.layers_flags import flags_of
from gui.views.layers_rows import LayerRows
from gui.views.words import bound_word, unit_word

translate = QCoreApplication.translate

Paint = Literal[
    "text", "index", "name", "switch", "number", "error", "accumulated", "sensitivity", "latency", "flags", "delta"
]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `key` names it in saved layouts and filter rules."""

    key: str
    paint: Paint
    width: int
    """Comfortable width in px; what is left over goes to the columns that stretch."""
    least: int
    number: Callable[[LayerRows], Array]
    """Sort key, NaN where unknown; also what a CSV file gets."""
    text: Callable[[LayerRows, int], str]
    """What the cell says, without colour or bar."""
    shown: bool = True
    right: bool = False
    """Figures are aligned to the right."""
    numeric: bool = True
    fold: int = 0
    """Columns with a higher number are folded away first where it gets narrow; 0 = never.

    What other docks say as well (weights, bound) goes before differences to plan B, and those before locks, notes and
    fallbacks, which are read off nowhere else; the difference in error is what a plan B is chosen for.
    """
    stretch: bool = False
    scale: float = 1.0
    """From `number` to the unit in the header."""


def _at(read: Callable[[LayerRows], Array], write: Callable[[float | None], str]) -> Callable[[LayerRows, int], str]:
    def text(rows: LayerRows, i: int) -> str:
        value = float(read(rows)[i])
        return write(None if isnan(value) else value)

    return text


def _ranked(read: Callable[[LayerRows], Sequence[str]]) -> Callable[[LayerRows], Array]:
    """Sort key of a short word list: alphabetic rank, unknown where the word is empty."""

    def number(rows: LayerRows) -> Array:
        words = np.array(read(rows), dtype=str)
        ranks = np.unique(words, return_inverse=True)[1].astype(float)
        return np.where(words == "", nan, ranks)

    return number


def _precision_key(rows: LayerRows) -> Array:
    """More bits sort later; the activation's bits decide between schemes of one weight width."""
    return np.array(
        [
            100.0 * s.weights.bits + s.activations.bits if f else nan
            for s, f in zip(rows.schemes, rows.families, strict=True)
        ],
        float,
    )


def _precision_text(rows: LayerRows, i: int) -> str:
    return rows.labels[i] or form.MISSING


def _kib_or_none(count: float | None) -> str:
    """KiB; a kernel without constants has no size at all."""
    return form.kib_figure(count or None)


def _sensitivity_text(rows: LayerRows, i: int) -> str:
    value = float(rows.sensitivity[i])
    if isnan(value):
        return form.MISSING
    if rows.sensitivity_is_kl:
        return form.small_figure(value)
    return form.scientific(value)  # two digits over all sizes: ranks and ratios can be read off


def _delta(read: Callable[[LayerRows], Array], write: Callable[[float], str]) -> Callable[[LayerRows, int], str]:
    def text(rows: LayerRows, i: int) -> str:
        value = float(read(rows)[i])
        return form.MISSING if isnan(value) else form.delta(value, write) if value else "0"

    return text


COMPARED: Mapping[str, int] = {"delta_error": 1, "delta_latency": -1, "delta_weights": -1}
"""Columns that are there while a plan B is chosen, and whether more is better (1) or worse (-1)."""
EAGER = 10
"""Columns of this fold go as soon as the others would have to shrink for them."""
LAST = -1
"""Columns of this fold and below go only when nothing else is left to go."""

COLUMNS: tuple[Column, ...] = (
    Column("index", "index", 40, 38, lambda r: np.arange(len(r), dtype=float), lambda r, i: str(i), right=True),
    Column("name", "name", 150, 140, lambda r: r.shape.name_rank, lambda r, i: r.shape.names[i],
           numeric=False, stretch=True),
    Column("op", "text", 118, 90, lambda r: r.shape.op_rank, lambda r, i: r.shape.ops[i], numeric=False, stretch=True,
           fold=LAST),
    Column("shape", "text", 96, 80, _ranked(lambda r: r.shape.output_shapes), lambda r, i: r.shape.output_shapes[i],
           shown=False, numeric=False, fold=20),
    Column("params", "number", 70, 62, lambda r: r.shape.params, _at(lambda r: r.shape.params, form.count),
           shown=False, right=True, fold=20),
    Column("macs", "number", 70, 62, lambda r: r.shape.macs, _at(lambda r: r.shape.macs, form.count),
           shown=False, right=True, fold=20),
    Column("precision", "switch", 162, 158, _precision_key, _precision_text, numeric=False),
    Column("weights", "number", 62, 56, lambda r: r.weight_bytes, _at(lambda r: r.weight_bytes, _kib_or_none),
           right=True, fold=9, scale=1 / 1024),
    Column("local", "error", 68, 66, lambda r: r.local_db, _at(lambda r: r.local_db, form.sqnr_figure),
           right=True, fold=EAGER),
    Column("accumulated", "accumulated", 112, 100, lambda r: r.accumulated_db,
           _at(lambda r: r.accumulated_db, form.sqnr_figure)),
    Column("sensitivity", "sensitivity", 116, 104, lambda r: r.sensitivity, _sensitivity_text, fold=1),
    Column("latency", "latency", 118, 106, lambda r: r.latency_us, _at(lambda r: r.latency_us, form.latency_figure),
           fold=LAST - 1),
    Column("bytes", "number", 76, 70, lambda r: r.ddr_bytes, _at(lambda r: r.ddr_bytes, form.kib_figure),
           shown=False, right=True, fold=20, scale=1 / 1024),
    Column("delta_error", "delta", 62, 56, lambda r: r.delta_db, _delta(lambda r: r.delta_db, form.sqnr_figure),
           right=True, fold=4),
    Column("delta_latency", "delta", 74, 66, lambda r: r.delta_us, _delta(lambda r: r.delta_us, form.latency_figure),
           right=True, fold=6),
    Column("delta_weights", "delta", 78, 70, lambda r: r.delta_bytes, _delta(lambda r: r.delta_bytes, form.kib_figure),
           right=True, fold=7, scale=1 / 1024),
    Column("unit", "text", 60, 52, _ranked(lambda r: r.units), lambda r, i: unit_word(r.units[i]),
           shown=False, numeric=False, fold=20),
    Column("bound", "text", 96, 94, _ranked(lambda r: r.bounds), lambda r, i: bound_word(r.bounds[i]),
           numeric=False, fold=8),
    Column("flags", "flags", 46, 44, lambda r: np.array([-float(len(flags_of(r, i))) for i in range(len(r))]),
           lambda r, i: ", ".join(flag.short for flag in flags_of(r, i)), numeric=False, fold=5),
)  # fmt: skip

LEAST = 70
"""Not even short names make their column narrower."""
TELLING = 200
"""Long names get this much before the less useful columns get anything."""
WIDEST = 460
"""No name or operator takes more than this on its own account."""
BY_KEY: Mapping[str, Column] = {column.key: column for column in COLUMNS}


def title(key: str) -> str:
    """First line of the header."""
    return {
        "index": "#",
        "name": translate("Layers", "Layer"),
        "op": translate("Layers", "Op"),
        "shape": translate("Layers", "Output"),
        "params": translate("Layers", "Parameters"),
        "macs": translate("Layers", "MACs"),
        "precision": translate("Layers", "Precision"),
        "weights": translate("Layers", "Weights"),
        "local": translate("Layers", "Local"),
        "accumulated": translate("Layers", "Accumulated"),
        "sensitivity": translate("Layers", "Sensitivity"),
        "latency": translate("Layers", "Latency"),
        "bytes": translate("Layers", "DDR traffic"),
        "delta_error": translate("Layers", "Δ error"),
        "delta_latency": translate("Layers", "Δ latency"),
        "delta_weights": translate("Layers", "Δ weights"),
        "unit": translate("Layers", "Unit"),
        "bound": translate("Layers", "Bound by"),
        "flags": translate("Layers", "Flags"),
    }[key]


def unit(key: str, rows: LayerRows | None) -> str:
    """Second line of the header: the unit of the figures, "~" in front while they are indicative only."""
    found = {
        "shape": "",
        "weights": "KiB",
        "bytes": "KiB",
        "latency": "µs",
        "delta_error": "dB, A−B",
        "delta_latency": "µs, A−B",
        "delta_weights": "KiB, A−B",
        "local": "SQNR dB",
        "accumulated": "SQNR dB",
        "sensitivity": translate("Layers", "rel. L2 %"),
    }.get(key, "")
    if key == "sensitivity" and (rows is None or rows.sensitivity_is_kl):
        found = "KL ×10⁻³"
    if rows is not None and rows.synthetic and key in ("local", "accumulated", "sensitivity"):
        return f"~{found}"
    return found


def explanation(key: str, rows: LayerRows | None = None) -> str:
    """What the column means and which direction is good: the header's tooltip."""
    if key == "sensitivity" and rows is not None and rows.sensitivity_at_logits:
        return translate(
            "Layers",
            "Error before the last softmax or sigmoid when only this kernel takes its scheme. "
            "Lower is better; rank by this one.",
        )
    return {
        "index": translate(
            "Layers", "Position in execution order. A blue dot marks a difference to the compared plan."
        ),
        "name": translate("Layers", "Name of the layer in the model."),
        "op": translate("Layers", "Operators that were fused into this kernel."),
        "shape": translate("Layers", "Shape of the first output."),
        "params": translate("Layers", "Constants that the kernel reads."),
        "macs": translate("Layers", "Multiply-accumulates of one run."),
        "precision": translate("Layers", "Number format. Keys 4, 8, 6 set INT4, INT8, FP16 on the selection."),
        "weights": translate("Layers", "Packed weights with their scales and zero points, under the current plan."),
        "local": translate("Layers", "Error of this kernel alone, fed with reference inputs. Higher is better."),
        "accumulated": translate(
            "Layers",
            "Error at this kernel's output in the quantized network. Higher is better; a longer bar is more noise.",
        ),
        "sensitivity": translate(
            "Layers",
            "Error at the model's output when only this kernel takes its scheme. Lower is better; rank by this one.",
        ),
        "latency": translate(
            "Layers", "Time the run gets longer by. Pale part: launch overhead. Tick: the compared plan."
        ),
        "bytes": translate("Layers", "Bytes read from and written to DDR."),
        "delta_error": translate(
            "Layers", "Accumulated SQNR of this plan minus that of plan B. Positive is better. Choose B in Plans."
        ),
        "delta_latency": translate("Layers", "Latency of this plan minus that of plan B. Negative is better."),
        "delta_weights": translate("Layers", "Packed weights of this plan minus those of plan B. Negative is better."),
        "unit": translate("Layers", "Unit of the device that does the work."),
        "bound": translate("Layers", "What limits the kernel on this device."),
        "flags": translate("Layers", "Locked, on the CPU, overflow, no native support, a note."),
    }[key]


def fit(
    columns: Sequence[Column], available: int, wishes: Mapping[str, int], fixed: Mapping[str, int]
) -> dict[str, int]:
    """Share `available` px out among columns; a column that has no place is left out of the answer.

    Args:
        columns: the columns that the user wants, in order.
        available: width of the viewport.
        wishes: width at which the texts of a column are whole.
        fixed: widths that the user chose.

    Returns:
        Width by key. The sum exceeds `available` only when even the least widths don't fit.
    """

    def modest(column: Column, wanted: int) -> int:
        """A stretching column wants no more than its texts need, one of numbers no less."""
        wish = wishes.get(column.key)
        if wish is None:
            return wanted
        return min(wanted, max(wish, LEAST)) if column.stretch else max(wanted, wish)

    def needed(column: Column) -> int:
        """Room without which a column is of little use: long names must stay distinguishable."""
        if column.key == "name" and "name" not in fixed:
            return max(modest(column, column.least), min(wishes.get("name", 0), TELLING))
        return fixed.get(column.key, modest(column, column.least))

    kept = list(columns)
    if sum(fixed.get(c.key, modest(c, c.width)) for c in kept) > available:
        kept = [c for c in kept if c.fold != EAGER]
    for column in sorted(kept, key=lambda c: -c.fold):
        room = needed if column.fold > 1 else lambda c: fixed.get(c.key, modest(c, c.least))
        if column.fold and sum(room(c) for c in kept) > available:
            kept.remove(column)
    widths = {c.key: fixed.get(c.key, modest(c, c.least)) for c in kept}
    spare = available - sum(widths.values())
    comfort = {c.key: modest(c, c.width) for c in kept}
    whole = {c.key: min(wishes.get(c.key, 0), WIDEST) for c in kept if c.stretch}
    telling = {c.key: needed(c) for c in kept}
    for goals in (telling, whole, comfort):  # bars do with little; cut words say nothing
        for key, goal in goals.items():
            if key not in fixed:
                step = min(spare, max(0, goal - widths[key]))
                widths[key] += step
                spare -= step
    if spare > 0 and "name" in widths and "name" not in fixed:
        widths["name"] += spare
    return widths
