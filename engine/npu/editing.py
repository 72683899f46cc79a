"""Profiles edited by people: values as text and back, ranges in words, and a copy under a name of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.errors import DeviceError
from engine.npu.device import Device, Origin, Quantity, Value
from engine.npu.fields import BY_KEY, Field
from engine.npu.profiles import folder
from engine.npu.validate import check_value, check_whole
from engine.text import say

ORIGINS: tuple[Origin, ...] = ("vendor", "measured", "fitted", "assumed")
_YES, _NO = frozenset({"1", "yes", "true", "on"}), frozenset({"0", "no", "false", "off"})
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Edit:
    """A new value of one field, as it was typed, and where it comes from."""

    text: str
    origin: Origin = "assumed"
    note: str = ""


def value_text(value: Value) -> str:
    """A value as people type it: entries of a list with blanks between."""
    if isinstance(value, tuple):
        return " ".join(f"{entry:.10g}" for entry in value)
    return f"{value:.10g}" if isinstance(value, float) else value


def range_text(field: Field) -> str:
    """What a field allows, in figures."""
    if field.shape == "text":
        return ", ".join(field.choices)
    if field.shape == "flag":
        return "0, 1"
    count = f"{field.length} × " if field.length else "1 … n × " if field.shape == "list" else ""
    return f"{count}{field.low:g} … {field.high:g}"


def parse_value(file: str, key: str, text: str) -> Value:
    """The value of a field from text; numbers with a point, lists with blanks, commas or semicolons between.

    Raises:
        DeviceError: not of the field's kind, or out of its range; names the field.
    """
    field = BY_KEY.get(key)
    words = text.strip()
    if field is None or field.shape == "text":
        return check_value(file, key, words)
    if field.shape == "list":
        return check_value(file, key, [_number(file, key, word) for word in re.split(r"[\s,;]+", words) if word])
    if field.shape == "flag" and words.lower() in _YES | _NO:
        return check_value(file, key, words.lower() in _YES)
    return check_value(file, key, _number(file, key, words))


def with_edits(device: Device, edits: Mapping[str, Edit], *, name: str, title: str, note: str = "") -> Device:
    """A copy with edited values under a name of its own; what is not edited keeps its origin and note.

    Raises:
        DeviceError: a value, two values that contradict each other, or a name that can't be taken.
    """
    chosen = check_name(name)
    values = dict(device.values)
    for key, edit in edits.items():
        values[key] = Quantity(parse_value(chosen, key, edit.text), BY_KEY[key].unit, edit.origin, edit.note)
    check_whole(chosen, {key: quantity.value for key, quantity in values.items()})
    return replace(device, name=chosen, title=title.strip() or chosen, note=note, values=values, source="")


def check_name(name: str) -> str:
    """A name that a profile of one's own may have, as a file name without its suffix.

    Raises:
        DeviceError: empty, too long, with characters that file names can't have, or the name of a shipped profile.
    """
    words = name.strip()
    if not words or len(words) > _LONGEST_NAME or re.search(r'[\x00-\x1f/\\:*?"<>|]', words) or words.startswith("."):
        raise DeviceError(
            say("A profile can't have the name {name}: 1 to {longest} characters that a file name may have.",
                name=words or '""', longest=_LONGEST_NAME)
        )  # fmt: skip
    if words.lower() in {path.stem.lower() for path in folder().glob("*.json")}:
        raise DeviceError(say("{name} is a profile that comes with Mixbit; choose another name.", name=words))
    return words


def free_name(device: Device, taken: frozenset[str]) -> str:
    """A name for a copy that nobody has yet."""
    base = f"{device.name[: _LONGEST_NAME - 8]}-copy"
    used = {name.lower() for name in taken}
    number = 1
    while (name := base if number == 1 else f"{base}-{number}").lower() in used:
        number += 1
    return name


def _number(file: str, key: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise DeviceError(
            say("{file}: field {field} must be a number, not {value}.", file=file, field=key, value=word or '""')
        ) from None
