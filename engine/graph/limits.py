"""Models that need more memory than they may take."""

from __future__ import annotations

from pathlib import Path

from engine.errors import ModelError
from engine.text import say

DEFAULT_LIMIT = 4_000_000_000
"""Bytes that a model may take when it is expanded and run, unless the user allows more."""


class TooBigError(ModelError):
    """Opening would take more than the memory limit: at least `need` bytes, so that a user can be asked."""

    def __init__(self, path: Path, need: int, limit: int) -> None:
        super().__init__(
            say(
                "{file} needs {need:.1f} GB to run, more than the memory limit of {limit:.1f} GB: "
                "raise the limit to open it.",
                file=path.name,
                need=need / 1e9,
                limit=limit / 1e9,
            )
        )
        self.need = need
