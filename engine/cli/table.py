"""A table of text: figures to the right, so that their places stand below each other, words to the left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from unicodedata import combining, east_asian_width

_FIGURE = re.compile(r"[-+\u2212]?[\d,]+(\.\d+)?(e[-+]?\d+)?\s?%?|-?inf", re.IGNORECASE)
_NONE = ("", "–", "exact", "not measurable")
"""What stands in a column of figures where there is none."""


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns as wide as their widest cell on a terminal, whatever the script.

    Args:
        columns: Titles.
        rows: As many cells each.
    """
    body = [tuple(row) for row in rows]
    table = [tuple(columns), *body]
    widths = [max(_width(row[i]) for row in table) for i in range(len(columns))]
    right = [_holds_figures([row[i] for row in body]) for i in range(len(columns))]
    for row in table:
        cells = zip(row, widths, right, strict=True)
        print("  ".join(_padded(cell, width, to_right) for cell, width, to_right in cells).rstrip())


def _holds_figures(cells: Sequence[str]) -> bool:
    figures = [cell for cell in cells if cell not in _NONE]
    return bool(figures) and all(_FIGURE.fullmatch(cell) for cell in figures)


def _padded(cell: str, width: int, to_right: bool) -> str:
    blanks = " " * (width - _width(cell))
    return blanks + cell if to_right else cell + blanks


def _width(text: str) -> int:
    """Cells of a terminal: Chinese characters take two, marks above others none."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
