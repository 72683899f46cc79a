"""What is wrong with the form of a JSON file, in words of our own: the decoder speaks of objects and enums."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

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
_PATTERNS = (
    ("missing", r"Object missing required field `(.*)`"),
    ("unknown", r"Object contains unknown field `(.*)`"),
    ("type", r"Expected `(.*)`, got `(.*)`"),
    ("choice", r"Invalid enum value '?(.*?)'?"),
    ("digits", r"Number out of range"),
)


class Fault(NamedTuple):
    """What a decoder found."""

    kind: str
    """missing, unknown, type, choice, digits, or '' for all else."""
    field: str
    """Path of the field; '' when the file as a whole is meant."""
    parts: tuple[str, ...]
    """type: names of the types that are allowed, of the one that is there; choice: the value; '': the message."""


def fault(error: msgspec.ValidationError, parent: str = "") -> Fault:
    """Take the decoder's message apart; `parent` is the field that was decoded, '' for the whole file."""
    message, _, place = str(error).partition(" - at `$")
    field = (parent + place.rstrip("`")).strip(".")
    for kind, pattern in _PATTERNS:
        if found := re.fullmatch(pattern, message, re.DOTALL):
            if kind in ("missing", "unknown"):
                return Fault(kind, f"{field}.{found[1]}" if field else found[1], ())
            return Fault(kind, field, found.groups())
    return Fault("", field, (message.rstrip("."),))


def type_words(names: str) -> Text:
    """Words for types as the decoder names them: "an object with named fields", "a text" and so on."""
    types = [_KINDS.get(name.strip()) for name in names.split("|")]
    known = [words for words in types if words is not None]
    if len(known) == 1:
        return known[0]
    return say("one of the kinds {kinds}", kinds=names.replace(" | ", ", "))


def form_words(error: Exception) -> Text:
    """The reason why a file can't be decoded, as the end of a sentence: "field values is missing".

    Args:
        error: msgspec.DecodeError or UnicodeDecodeError of a file.
    """
    if isinstance(error, UnicodeDecodeError):
        return say("it is not in UTF-8")
    if not isinstance(error, msgspec.ValidationError):
        return say("it is no JSON: {message}", message=str(error).rstrip("."))
    kind, field, parts = fault(error)
    if kind == "missing":
        return say("field {field} is missing", field=field)
    if kind == "unknown":
        return say("field {field} is not known", field=field)
    if kind == "type":
        expected, found = map(type_words, parts)
        if not field:
            return say("it holds {found}, not {expected}", found=found, expected=expected)
        return say("field {field} must be {expected}, not {found}", field=field, expected=expected, found=found)
    if kind == "choice":
        return say("field {field} can't be {value}", field=field, value=parts[0])
    if kind == "digits":
        return say("field {field} is a number with too many digits", field=field or "$")
    return say("field {field}: {message}", field=field or "$", message=parts[0])
