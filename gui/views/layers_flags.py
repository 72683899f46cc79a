"""Flags of a kernel: facts that deserve an icon in its row, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from gui.views.layers_rows import LayerRows

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Flag:
    """One icon: its name, the token it is drawn in, and what it says."""

    icon: str
    token: str
    short: str
    reason: object
    """A translated sentence, or the engine's Text."""


def flags_of(rows: LayerRows, i: int) -> tuple[Flag, ...]:
    """Flags of kernel `i`, worst first."""
    found: list[Flag] = []
    if rows.local_overflow[i] or rows.accumulated_overflow[i]:
        found.append(
            Flag(
                "overflow",
                "bad",
                translate("Layers", "overflow"),
                translate(
                    "Layers", "NaN or infinity where the reference has none: the range of the format is exceeded."
                ),
            )
        )
    if rows.unmeasured[i]:
        found.append(
            Flag(
                "octagon",
                "bad",
                translate("Layers", "not measurable"),
                translate("Layers", "The reference itself holds NaN or infinity here: its error can't be measured."),
            )
        )
    if rows.units[i] == "CPU":
        why = rows.shape.why_not[i] or translate("Layers", "The device has no kernel for this.")
        found.append(Flag("fallback", "warn", "CPU", why))
    if rows.unsupported[i] is not None:
        found.append(Flag("triangle", "warn", translate("Layers", "not native"), rows.unsupported[i]))
    odd = rows.odd[i]
    if odd is not None:
        form = rows.schemes[i].weights
        name, token = ("triangle", "warn") if odd.harmful(form) else ("info", "muted")
        found.append(Flag(name, token, translate("Layers", "odd weights"), odd.words(form)))
    if rows.locked[i]:
        found.append(
            Flag(
                "lock",
                "muted",
                translate("Layers", "locked"),
                translate("Layers", "Edits and the search leave this kernel alone."),
            )
        )
    if rows.notes[i]:
        found.append(Flag("note", "muted", translate("Layers", "note"), rows.notes[i]))
    return tuple(found)
