"""What is wrong with the form of a profile file, in sentences of our own: the decoder speaks of objects and enums."""

from __future__ import annotations

import re
from typing import get_args

import msgspec

from engine.fusion.types import Kind
from engine.npu.device import Origin
from engine.text import Text, say

_KINDS = {
    "object": say("an object with named fields"),
    "array": say("a list"),
    "str": say("a text"),
    "int": say("a whole number"),
    "float": say("a number"),
    "bool": say("true or false"),
    "null": say("null"),
}
_VALUE = say("a number, a text, true or false, or a list of numbers")


def misshapen(file: str, parent: str, error: msgspec.ValidationError) -> Text:
    """One sentence for a file, or a field of it, whose form is not that of a profile.

    Args:
        file: name of the file.
        parent: field that was decoded, '' for the whole file.
        error: what the decoder says of it.
    """
    message, _, place = str(error).partition(" - at `$")
    field = (parent + place.rstrip("`")).strip(".")
    if found := re.fullmatch(r"Object missing required field `(.*)`", message, re.DOTALL):
        return say("{file}: field {field} is missing; add it.", file=file, field=_inside(field, found[1]))
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", message, re.DOTALL):
        return say("{file}: field {field} is not known; remove it.", file=file, field=_inside(field, found[1]))
    if found := re.fullmatch(r"Expected `(.*)`, got `(.*)`", message):
        expected, have = (_words(names) for names in found.groups())
        if not field:
            return say("{file} is not a device profile: it holds {found} instead of fields.", file=file, found=have)
        return say(
            "{file}: field {field} must be {expected}, not {found}.",
            file=file, field=field, expected=expected, found=have,
        )  # fmt: skip
    if found := re.fullmatch(r"Invalid enum value '?(.*?)'?", message, re.DOTALL):
        choices = get_args(Origin) if field.endswith(".origin") else tuple(kind.value for kind in Kind)
        return say(
            "{file}: field {field} must be one of {choices}, not {value}.",
            file=file, field=field, choices=", ".join(choices), value=found[1],
        )  # fmt: skip
    if message == "Number out of range":
        return say("{file}: field {field} is a number with too many digits to be read.", file=file, field=field)
    return say("{file}: field {field}: {problem}.", file=file, field=field or "$", problem=message.rstrip("."))


def _inside(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def _words(names: str) -> Text:
    """Words for a type as the decoder names it; several types only ever stand for a value."""
    return _KINDS.get(names, _VALUE)
