"""The Layers table as text: to the clipboard (as it is shown) and into CSV files (plain numbers)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from math import isfinite
from pathlib import Path

from engine.files import write_atomically
from gui.views.layers_columns import Column, title, unit
from gui.views.layers_rows import LayerRows


def headers(columns: Sequence[Column], rows: LayerRows) -> list[str]:
    """Column names with their units: "Weights (KiB)"."""
    return [f"{title(c.key)} ({unit(c.key, rows)})" if unit(c.key, rows) else title(c.key) for c in columns]


def as_text(columns: Sequence[Column], rows: LayerRows, kernels: Iterable[int]) -> str:
    """Tab-separated lines with a header, for a spreadsheet."""
    lines = ["\t".join(headers(columns, rows))]
    lines += ["\t".join(column.text(rows, i) for column in columns) for i in kernels]
    return "\n".join(lines) + "\n"


def as_csv(columns: Sequence[Column], rows: LayerRows, kernels: Iterable[int]) -> str:
    """Comma-separated lines with a header; numbers with a decimal point and no rounding beyond six digits."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headers(columns, rows))
    numbers = {c.key: c.number(rows) * c.scale for c in columns if c.numeric}
    for i in kernels:
        writer.writerow(_plain(float(numbers[c.key][i])) if c.numeric else c.text(rows, i) for c in columns)
    return out.getvalue()


def write_csv(path: Path, text: str) -> None:
    """Write a CSV file that spreadsheets read with its Chinese intact.

    Raises:
        ExportError: the file can't be written.
    """
    write_atomically(path, text.encode("utf-8-sig"))


def _plain(value: float) -> str:
    return f"{value:.6g}" if isfinite(value) else "" if value != value else ("inf" if value > 0 else "-inf")
