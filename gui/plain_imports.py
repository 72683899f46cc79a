"""Takes back a part of what PySide does to Python's import: else a start reads every module's source as well."""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 - what replaces it


def restore() -> None:
    """Import as before PySide looked into modules.

    PySide looks into the source of each module that is imported after it, to know which of them may switch its
    spelling of methods (`from __feature__ import snake_case`). Nobody here does, and with several hundred modules to
    come that takes a tenth of their time and keeps their sources in memory. Harmless where PySide does nothing such.
    """
    before = getattr(builtins, "__orig_import__", None)
    if before is not None:
        builtins.__import__ = before
