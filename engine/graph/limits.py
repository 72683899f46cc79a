"""Models that need more memory than they may take."""

from __future__ import annotations

from pathlib import Path

from engine.errors import ModelError
from engine.text import Text, say

DEFAULT_LIMIT = 4_000_000_000
"""Bytes that a model may take when it is expanded and run, unless the user allows more."""


def gigabytes(count: int) -> str:
    """Bytes in GB (10^9): one decimal, of less than 0.1 GB three digits."""
    amount = count / 1e9
    return f"{amount:,.1f}" if amount >= 0.1 else f"{amount:.3g}"


class TooBigError(ModelError):
    """Opening would take more than the memory limit: at least `need` bytes, so that a user can be asked."""

    def __init__(self, path: Path, need: int, limit: int, words: Text | None = None) -> None:
        super().__init__(
            words
            or say(
                "{file} needs {need} GB to run, more than the memory limit of {limit} GB: raise the limit to open it.",
                file=path.name,
                need=gigabytes(need),
                limit=gigabytes(limit),
            )
        )
        self.need = need
