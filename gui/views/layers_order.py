"""Which rows of the Layers table are shown, and in which order: numpy on whole columns, no Qt."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.graph.types import Array
from gui.views.layers_rows import LayerRows

FAMILIES = ("INT4", "INT8", "FP16")

_RULE = re.compile(r"^([a-z_]+)(<=|>=|<|>)([-−]?\d+(?:\.\d+)?)$")
_NUMBERS: dict[str, Callable[[LayerRows], Array]] = {
    "sqnr": lambda r: r.accumulated_db,
    "accumulated": lambda r: r.accumulated_db,
    "local": lambda r: r.local_db,
    "sensitivity": lambda r: r.sensitivity,
    "latency": lambda r: r.latency_us,
    "delta_error": lambda r: r.delta_db,
    "delta_latency": lambda r: r.delta_us,
    "delta_weights": lambda r: r.delta_bytes / 1024,
    "launch": lambda r: r.launch_us,
    "weights": lambda r: r.weight_bytes / 1024,
    "bytes": lambda r: r.ddr_bytes / 1024,
    "params": lambda r: r.shape.params,
    "macs": lambda r: r.shape.macs,
}
_MARKS: dict[str, Callable[[LayerRows], Array]] = {
    "is:changed": lambda r: r.differs,
    "is:locked": lambda r: r.locked,
    "is:tunable": lambda r: r.shape.tunable,
    "is:cpu": lambda r: np.array([u == "CPU" for u in r.units], bool),
    "is:unsupported": lambda r: np.array([u is not None for u in r.unsupported], bool),
    "is:noted": lambda r: np.array([bool(note) for note in r.notes], bool),
    "is:slower": lambda r: r.latency_us > r.previous_us,
}


@dataclass(frozen=True, slots=True)
class Filter:
    """What the filter bar asks for; all parts have to hold."""

    text: str = ""
    """Words that name, operator, precision, bound or note must contain; "latency>20" and "is:changed" are rules."""
    families: frozenset[str] = frozenset()
    """Empty = all."""
    ops: frozenset[str] = frozenset()
    """Kernel kinds; empty = all."""
    below_required: bool = False
    """Only kernels whose accumulated SQNR misses the requirement."""

    @property
    def active(self) -> bool:
        """Whether anything could be hidden."""
        return self != Filter()


def matching(rows: LayerRows, wanted: Filter) -> Array:
    """Mask of the kernels that pass the filter, [kernels] bool."""
    keep = _text_mask(rows, wanted.text)
    if wanted.families:
        keep &= np.array([f in wanted.families for f in rows.families], bool)
    if wanted.ops:
        keep &= np.array([k in wanted.ops for k in rows.shape.kinds], bool)
    if wanted.below_required:
        keep &= below_required(rows)
    return keep


def below_required(rows: LayerRows) -> Array:
    """Mask of the kernels whose accumulated SQNR is under the required value."""
    with np.errstate(invalid="ignore"):
        return np.asarray(rows.accumulated_db < rows.required_db)


def family_counts(rows: LayerRows) -> dict[str, int]:
    """Kernels by family, for the chips."""
    return {name: rows.families.count(name) for name in FAMILIES}


def kind_counts(rows: LayerRows) -> dict[str, int]:
    """Kernels by kind, most frequent first."""
    kinds = dict.fromkeys(rows.shape.kinds, 0)
    for kind in rows.shape.kinds:
        kinds[kind] += 1
    return dict(sorted(kinds.items(), key=lambda item: -item[1]))


def ordered(keep: Array, key: Array, descending: bool) -> Array:
    """Kernel indices to show: those kept, by `key`; ties stay in execution order, unknown values come last."""
    index = np.flatnonzero(keep)
    values = key[index]
    known = ~np.isnan(values)
    front = index[known]
    direction = -values[known] if descending else values[known]
    return np.concatenate([front[np.argsort(direction, kind="stable")], index[~known]])


def _text_mask(rows: LayerRows, text: str) -> Array:
    keep = np.ones(len(rows), bool)
    words = text.casefold().replace("×", "x").split()
    plain = []
    for word in words:
        rule = _rule(rows, word)
        if rule is None:
            plain.append(word)
        else:
            keep &= rule
    if plain:
        shape = rows.shape
        columns = zip(shape.names, shape.ops, rows.labels, rows.bounds, rows.notes, strict=True)
        keep &= np.array([all(w in " ".join(c).casefold().replace("×", "x") for w in plain) for c in columns], bool)
    return keep


def _rule(rows: LayerRows, word: str) -> Array | None:
    if word in _MARKS:
        with np.errstate(invalid="ignore"):
            return np.asarray(_MARKS[word](rows), bool)
    found = _RULE.match(word)
    if found is None or found[1] not in _NUMBERS:
        return None
    values, limit = _NUMBERS[found[1]](rows), float(found[3].replace("−", "-"))
    with np.errstate(invalid="ignore"):
        test = {"<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal}[found[2]]
        return np.asarray(test(values, limit), bool)
