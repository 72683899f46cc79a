"""The numbers behind a plot, to copy and to save."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header. Units stand in the header, missing values are None."""

    header: tuple[str, ...]
    rows: Sequence[Sequence[Value]]
    words: Mapping[str, str] = field(default_factory=dict)
    """How people read values that are identifiers, beyond those that `gui.plots.columns` knows; files keep them."""

    def to_csv(self) -> str:
        """Comma separated, full precision, decimal point, empty where a value is missing."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([_plain(value) for value in row] for row in self.rows)
        return out.getvalue()

    def to_tsv(self) -> str:
        """Tab separated, as spreadsheets take it from the clipboard."""
        lines = ["\t".join(self.header)]
        lines += ["\t".join(_plain(value).replace("\t", " ") for value in row) for row in self.rows]
        return "\n".join(lines) + "\n"


def _plain(value: Value) -> str:
    if value is None:
        return ""
    return format(value, ".9g") if isinstance(value, float) else str(value)
