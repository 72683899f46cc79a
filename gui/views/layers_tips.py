"""Tooltips of the Layers table: what the cell says in full, and why."""

from __future__ import annotations

from math import isnan

from PySide6.QtCore import QCoreApplication

from engine.text import Text
from gui import format as form
from gui.i18n import text as translated
from gui.views.layers_flags import flags_of
from gui.views.layers_rows import LayerRows

translate = QCoreApplication.translate


def tip(rows: LayerRows, i: int, key: str) -> str:
    """The tooltip of one cell, "" where there is nothing to add."""
    writer = {
        "name": _name,
        "op": lambda r, i: r.shape.ops[i],
        "shape": lambda r, i: r.shape.output_shapes[i],
        "precision": _precision,
        "local": _local,
        "accumulated": _accumulated,
        "sensitivity": _sensitivity,
        "latency": _latency,
        "flags": _flags,
    }.get(key)
    return writer(rows, i) if writer else ""


def indicative() -> str:
    """The note that goes with every error figure from synthetic input."""
    return translate("Layers", "Indicative only: synthetic input.")


def stale() -> str:
    """The note that goes with a figure of an older plan."""
    return translate("Layers", "Last value, from before the latest edit; being computed again.")


def sentence(reason: object) -> str:
    """A reason as the user reads it: already translated, or an engine Text."""
    return translated(reason) if isinstance(reason, Text) else str(reason)


def _name(rows: LayerRows, i: int) -> str:
    shape = rows.shape
    parts = [shape.names[i], shape.ops[i]]
    if shape.output_shapes[i]:
        parts.append(shape.output_shapes[i])
    return "\n".join(parts)


def _precision(rows: LayerRows, i: int) -> str:
    why = rows.shape.why_not[i]
    if why is not None:
        return translated(why)
    reason = rows.unsupported[i]
    notes = (reason, rows.shape.not_at_four_bits[i], rows.shape.shared[i])
    return "\n".join(translated(each) for each in notes if each is not None)


def _with_notes(rows: LayerRows, line: str, is_stale: bool = False) -> str:
    notes = [line]
    if is_stale:
        notes.append(stale())
    if rows.synthetic:
        notes.append(indicative())
    return "\n".join(notes)


def _local(rows: LayerRows, i: int) -> str:
    value = float(rows.local_db[i])
    return "" if isnan(value) else _with_notes(rows, form.sqnr(value))


def _accumulated(rows: LayerRows, i: int) -> str:
    value = float(rows.accumulated_db[i])
    if isnan(value):
        return ""
    line = form.sqnr(value)
    if not isnan(rows.required_db):
        line += " · " + translate("Layers", "required {0}").format(form.sqnr(rows.required_db))
    return _with_notes(rows, line, bool(rows.accumulated_stale[i]))


def _sensitivity(rows: LayerRows, i: int) -> str:
    value = float(rows.sensitivity[i])
    if isnan(value):
        return translate("Layers", "Not measured for this scheme. Run a sweep.")
    line = f"KL {form.scientific(value / 1000)}" if rows.sensitivity_is_kl else form.percent(value / 100)
    if rows.sensitivity_estimated[i]:
        line += " · " + translate("Layers", "estimate")
    return _with_notes(rows, line)


def _latency(rows: LayerRows, i: int) -> str:
    value, launch, before = (float(c[i]) for c in (rows.latency_us, rows.launch_us, rows.previous_us))
    if isnan(value):
        return ""
    parts = [
        form.latency_us(value),
        translate("Layers", "launch {0}").format(form.latency_us(launch)),
    ]
    if not isnan(before) and before != value:
        parts.append(translate("Layers", "compared plan {0}").format(form.latency_us(before)))
    return " · ".join(parts)


def _flags(rows: LayerRows, i: int) -> str:
    return "\n".join(f"{flag.short}: {sentence(flag.reason)}" for flag in flags_of(rows, i))
