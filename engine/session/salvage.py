"""What can still be read of a damaged project: all but the parts that the damage lies in.

A project is written with one field, and one kept plan, per stretch of lines (`msgspec.json.format` with an indent of
2), the plan in front of what can be missed. So the borders are found without understanding what lies between, and a
file that was cut off or spoiled behind the plan opens with what is whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

import msgspec

from engine.files import decode_json

_FIELD = re.compile(r'^  "(\w+)": ?', re.MULTILINE)
_ENTRY = re.compile(r"^    (?=\{)", re.MULTILINE)
_NAME = re.compile(r'^ +"name": ("(?:[^"\\\n]|\\.)*")', re.MULTILINE)
_EMPTY: Mapping[str, bytes] = {"locked": b"[]", "view": b"{}", "notes": b"{}", "kept": b"[]"}
"""Fields that a project can do without, and what they are then."""


def mended(data: bytes) -> tuple[bytes, tuple[str, ...]] | None:
    """The project without what can't be read.

    Args:
        data: Content of the file, which is no JSON as a whole.

    Returns:
        JSON, and the names of fields that were lost as a whole; of a kept plan that can't be read the name is left in
        its place. None if something is lost that a project can't do without.
    """
    text = data.decode("utf-8", "replace")
    found: dict[str, bytes] = {}
    lost = set(_EMPTY)
    for name, value in _stretches(text):
        whole = _whole(value)
        if whole is None and name == "kept":
            whole = b"[" + b",".join(_entries(value)) + b"]"
        if whole is None and name not in _EMPTY:
            return None
        if whole is not None:
            lost.discard(name)
            found[name] = whole
    if "plan" not in found:
        return None
    found = {**{name: _EMPTY[name] for name in lost}, **found}
    fields = (b'"' + name.encode() + b'":' + value for name, value in found.items())
    return b"{" + b",".join(fields) + b"}", tuple(name for name in _EMPTY if name in lost)


def _stretches(text: str) -> Iterator[tuple[str, str]]:
    """The file's fields with the text of their values."""
    starts = list(_FIELD.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=False):
        yield start[1], text[start.end() : end]


def _whole(value: str) -> bytes | None:
    """The text of a value if it is one, without what separates it from the next or ends the file, whole or cut off."""
    value = value.rstrip()
    before = value.rpartition("\n")[0].rstrip()
    for candidate in (value, value.removesuffix(","), value.removesuffix("}").rstrip(), before.removesuffix(",")):
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            decode_json(candidate.encode())
            return candidate.encode()
    return None


def _entries(value: str) -> Iterator[bytes]:
    """Kept plans; a broken one becomes an object with nothing but its name, so that it is told of by that."""
    starts = [start.end() for start in _ENTRY.finditer(value)]
    for start, end in zip(starts, [*starts[1:], len(value)], strict=False):
        entry = value[start:end]
        whole = _whole(entry) or _whole(entry[: entry.rfind("\n    }") + 6])
        name = _NAME.search(entry)
        yield whole or (b'{"name":' + name[1].encode() + b"}" if name and _whole(name[1]) else b"{}")
