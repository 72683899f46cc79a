"""The card that appears where the pointer rests on a kernel, in whatever view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gui import format as form
from gui.i18n import text as translated
from gui.views.layers_rows import LayerRows, known_shape, rows_of
from gui.views.words import bound_word, unit_word
from gui.widgets.tip_card import TipContent

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate
NOTE = 64
"""Characters of a note that the card shows; the tooltip of the flag has the whole."""


def card(rows: LayerRows, i: int, number: int | None = None) -> TipContent:
    """Name, precision, shapes, errors, cost, and why it costs that.

    Args:
        rows: of all kernels, or of some.
        i: row of the kernel.
        number: the kernel's place in execution order, if it isn't the row's.
    """
    shape = rows.shape
    lines = [(translate("Layers", "op"), shape.ops[i])]
    shapes = [words for words in (shape.input_shapes[i], shape.output_shapes[i]) if words]
    if shapes:
        lines.append((translate("Layers", "shape"), " → ".join(shapes)))
    if shape.macs[i]:
        work = f"{form.count(float(shape.macs[i]))} MAC, {form.count(float(shape.params[i]))}"
        lines.append((translate("Layers", "work"), translate("Layers", "{0} parameters").format(work)))
    lines += _errors(rows, i)
    latency = float(rows.latency_us[i])
    if not isnan(latency):
        place = f"{unit_word(rows.units[i])}, {bound_word(rows.bounds[i])}"
        lines.append((translate("Layers", "latency"), form.latency_us(latency)))
        lines.append((translate("Layers", "unit, bound by"), place))
    if rows.notes[i]:
        lines.append((translate("Layers", "note"), _short(rows.notes[i])))
    why = shape.why_not[i] or rows.unsupported[i]
    badge = (rows.families[i], rows.labels[i]) if rows.families[i] else None
    cost = rows.whys[i]
    return TipContent(
        f"#{i if number is None else number}  {shape.names[i]}",
        lines,
        badge,
        text=translated(cost) if cost is not None else "",
        note=translated(why) if why is not None else "",
    )


def kernel_card(session: Session, index: int, own: Sequence[tuple[str, str]] = ()) -> TipContent:
    """The card of a kernel as every view shows it: what the view itself says of it first, then what all say.

    Args:
        session: what is shown, which may be the previous plan.
        index: of the kernel in execution order.
        own: label and value rows of the view; they stand in for rows of the same label.
    """
    assert session.network is not None
    common = card(rows_of(session, known_shape(session.network), kernel=index), 0, index)
    said = {label for label, _ in own}
    return replace(common, rows=[*own, *(row for row in common.rows if row[0] not in said)])


def _short(note: str) -> str:
    """A note in one line."""
    words = " ".join(note.split())
    return words if len(words) <= NOTE else words[: NOTE - 1].rstrip() + "…"


def _errors(rows: LayerRows, i: int) -> list[tuple[str, str]]:
    mark = "~" if rows.synthetic else ""
    found = []
    local, accumulated = float(rows.local_db[i]), float(rows.accumulated_db[i])
    if not isnan(local):
        found.append((translate("Layers", "local"), mark + form.sqnr(local)))
    if not isnan(accumulated):
        stale = bool(rows.accumulated_stale[i])
        found.append((translate("Layers", "accumulated"), ("≈" if stale else mark) + form.sqnr(accumulated)))
    return found
