"""Tables that other tools write: encodings, separators, stray blanks and quotes of any of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from engine.errors import DataError
from engine.text import say

LARGEST = 512 << 20
"""Bytes of a table that is read."""
_ENCODINGS = ("utf-8-sig", "gb18030", "latin-1")
_MISSING = frozenset({"", "n/a", "na", "nan", "none", "null", "-", "--"})


@dataclass(frozen=True, slots=True)
class Row:
    """One row, its cells by column."""

    line: int
    cells: Mapping[str, str]

    def text(self, *columns: str) -> str:
        """The first of these columns that is there; '' if none is."""
        for column in columns:
            if column in self.cells:
                return self.cells[column]
        return ""

    def number(self, *columns: str) -> float | None:
        """A number, None where it is missing.

        Raises:
            ValueError: It is none.
        """
        return number(self.text(*columns))


@dataclass(frozen=True, slots=True)
class Table:
    """A whole file."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def require(self, *alternatives: Sequence[str]) -> None:
        """Refuse a table that lacks a column.

        Args:
            alternatives: For each needed column the names that it has in different versions.

        Raises:
            DataError: Naming the column and what there is.
        """
        for names in alternatives:
            if not any(name in self.columns for name in names):
                raise DataError(
                    say(
                        "{path} has no column {column}; it has: {columns}.",
                        path=self.path,
                        column=names[0],
                        columns=", ".join(self.columns[:12]),
                    )
                )


def read_table(path: Path) -> Table:
    """Read a CSV file.

    Cells lose blanks, tabs and doubled quotes around them; column names also their case. A file may be UTF-8 (with or
    without mark), UTF-16 with mark, or GB 18030, and may separate by comma, semicolon or tab.

    Raises:
        DataError: It can't be read, is too large, is no table, or has rows of another length.
    """
    text = read_text(path)
    lines = text.splitlines()
    head = next((line for line in lines if line.strip()), "")
    if not head:
        raise DataError(say("{path} is empty.", path=path))
    separator = max(",;\t", key=head.count)
    if not head.count(separator) or "\0" in text[:4096]:
        raise DataError(say("{path} is no table: its first line has no columns.", path=path))
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    return _table(path, reader)


def read_text(path: Path) -> str:
    """The text of a file in whichever encoding it is.

    Raises:
        DataError: It can't be read, or is too large.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise DataError(
                say(
                    "{path} has {size} MiB, more than the {most} MiB that are read; give the part of a few runs.",
                    path=path,
                    size=size >> 20,
                    most=LARGEST >> 20,
                )
            )
        data = path.read_bytes()
    except OSError as error:
        raise DataError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror or error)) from error
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    for encoding in _ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def number(text: str) -> float | None:
    """A number as tools write it: with a decimal point, or with a decimal comma where that is unmistakable.

    Raises:
        ValueError: It is none, or not finite.
    """
    text = text.strip().strip('"').strip()
    if text.lower() in _MISSING:
        return None
    if text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


def needed(path: Path, row: Row, *columns: str) -> float:
    """A number that must be there.

    Raises:
        DataError: It is missing or no number; names file, line and column.
    """
    try:
        value = row.number(*columns)
    except ValueError:
        value = None
    if value is None:
        raise DataError(
            say(
                "{path}, line {line}: {column} is {text}, and a number is expected.",
                path=path,
                line=row.line,
                column=columns[0],
                text=repr(row.text(*columns)),
            )
        )
    return value


def _table(path: Path, reader: Iterable[list[str]]) -> Table:
    columns: tuple[str, ...] = ()
    rows: list[Row] = []
    try:
        for line, cells in _numbered(reader):
            if not any(cell.strip() for cell in cells):
                continue
            clean = [_clean(cell) for cell in cells]
            if not columns:
                columns = _distinct([cell.lower() for cell in clean])
                continue
            if len(clean) > len(columns) and not any(clean[len(columns) :]):
                clean = clean[: len(columns)]
            if len(clean) != len(columns):
                raise DataError(
                    say(
                        "{path}, line {line} has {have} columns and the header {want}; the file is damaged or cut off.",
                        path=path,
                        line=line,
                        have=len(clean),
                        want=len(columns),
                    )
                )
            rows.append(Row(line, dict(zip(columns, clean, strict=True))))
    except csv.Error as error:
        raise DataError(say("{path} is no table ({reason}).", path=path, reason=error)) from error
    return Table(path, columns, tuple(rows))


def _numbered(reader: Iterable[list[str]]) -> Iterator[tuple[int, list[str]]]:
    for cells in reader:
        yield getattr(reader, "line_num", 0), cells


def _clean(cell: str) -> str:
    return cell.strip().strip('"').strip()


def _distinct(columns: list[str]) -> tuple[str, ...]:
    """Column names; the second of two equal ones is numbered (msaccucmp writes DataType twice)."""
    found: list[str] = []
    for column in columns:
        name, count = column, 1
        while name in found:
            count += 1
            name = f"{column} {count}"
        found.append(name)
    return tuple(found)
