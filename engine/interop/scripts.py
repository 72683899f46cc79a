"""Python scripts that repeat a plan with somebody else's library: constants at the top, code below."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import ExportError
from engine.text import Text, say

_LONG = 100


def python_literal(value: Any, indent: int = 0) -> str:
    """A Python literal, one entry a line where it is long."""
    flat = repr(value)
    if len(flat) + indent < _LONG or not isinstance(value, (dict, list)):
        return flat
    space = " " * (indent + 4)
    if isinstance(value, dict):
        lines = [f"{space}{key!r}: {python_literal(item, indent + 4)}," for key, item in value.items()]
        return "\n".join(["{", *lines, " " * indent + "}"])
    return "\n".join(["[", *(f"{space}{python_literal(item, indent + 4)}," for item in value), " " * indent + "]"])


def assignments(values: Mapping[str, Any]) -> str:
    """The constants as they stand in the script."""
    return "\n".join(f"{name} = {python_literal(value)}" for name, value in values.items())


def compare_constants(script: Path, values: Mapping[str, Any]) -> Text:
    """Parse a script and compare its constants with what they were made of; returns what was checked.

    Raises:
        ExportError: If they differ.
    """
    found = {}
    for node in ast.parse(script.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in values:
            found[node.targets[0].id] = ast.literal_eval(node.value)
    if found != dict(values):
        raise ExportError(say("{file} doesn't hold the plan; nothing was written.", file=script.name))
    return say("Read back: the script's constants are those of the plan.")
