"""Texts for bug reports: versions, and words without the folders that tell who somebody is."""

from __future__ import annotations

import os
import platform
import re
from importlib import metadata
from pathlib import PurePath

from engine.text import Text
from engine.version import VERSION

PACKAGES = ("PySide6-Essentials", "onnxruntime", "onnx", "numpy", "pyqtgraph")
_QUOTED = re.compile(r"""(["'])(?:[A-Za-z]:[\\/]|[\\/~])[^"'\n]*[\\/]([^"'\\/\n]*)\1""")
"""A whole path in quotes, blanks and all."""
_PATH = re.compile(r"(?:[A-Za-z]:[\\/]|\\\\|~?/)(?:[^\s\\/:*?\"'<>|]+[\\/])+")
"""A path up to its last separator: what comes before a file's own name."""


def without_paths(words: str) -> str:
    """The text with folders cut away: of a path only the file name stays."""
    return _PATH.sub("…/", _QUOTED.sub(r"\1…/\2\1", words))


def without_folders(sentence: Text) -> str:
    """An engine sentence in English; of every path that goes into it only the file name stays."""
    fields = {name: _short(value) for name, value in sentence.fields.items()}
    return without_paths(str(Text(sentence.template, fields)))


def environment() -> list[str]:
    """What runs and on what: a line each."""
    lines = [f"{name} {version_of(name)}" for name in PACKAGES]
    return [
        f"Mixbit {VERSION}",
        *lines,
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
    ]


def version_of(package: str) -> str:
    """Installed version of a package, "not installed" without one."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _short(value: object) -> object:
    if isinstance(value, Text):
        return without_folders(value)
    if isinstance(value, PurePath) or (isinstance(value, str) and os.path.isabs(value)):
        return f"…/{PurePath(value).name}"
    return value
