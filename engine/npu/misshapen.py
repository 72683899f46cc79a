"""What is wrong with the form of a profile file: one sentence with the field."""

from __future__ import annotations

from typing import get_args

import msgspec

from engine.fusion.types import Kind
from engine.misshapen import fault, type_words
from engine.npu.device import Origin
from engine.text import Text, say

_VALUE = "bool | float | str | array"


def misshapen(file: str, parent: str, error: msgspec.ValidationError) -> Text:
    """One sentence for a file, or a field of it, whose form is not that of a profile.

    Args:
        file: name of the file.
        parent: field that was decoded, '' for the whole file.
        error: what the decoder says of it.
    """
    kind, field, parts = fault(error, parent)
    if kind == "missing":
        return say("{file}: field {field} is missing; add it.", file=file, field=field)
    if kind == "unknown":
        return say("{file}: field {field} is not known; remove it.", file=file, field=field)
    if kind == "type":
        found = type_words(parts[1])
        if not field:
            return say("{file} is not a device profile: it holds {found} instead of fields.", file=file, found=found)
        expected = type_words(parts[0])
        if parts[0] == _VALUE:
            expected = say("a number, a text, true or false, or a list of numbers")
        return say(
            "{file}: field {field} must be {expected}, not {found}.",
            file=file, field=field, expected=expected, found=found,
        )  # fmt: skip
    if kind == "choice":
        choices = get_args(Origin) if field.endswith(".origin") else tuple(kind.value for kind in Kind)
        return say(
            "{file}: field {field} must be one of {choices}, not {value}.",
            file=file, field=field, choices=", ".join(choices), value=parts[0],
        )  # fmt: skip
    if kind == "digits":
        return say("{file}: field {field} is a number with too many digits to be read.", file=file, field=field)
    return say("{file}: field {field}: {problem}.", file=file, field=field or "$", problem=parts[0])
