"""Tables of msprof: op_summary, op_statistic, fusion_op and static_op_mem."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from pathlib import Path

from engine.errors import DataError
from engine.interop.csv_table import Row, Table, needed, number, read_table
from engine.interop.profile import MeasuredOp, MeasuredRun, ProfileFile
from engine.text import say

_ITEM_BYTES = {
    "float": 4, "float32": 4, "dt_float": 4, "float16": 2, "dt_float16": 2, "bfloat16": 2, "dt_bf16": 2, "int8": 1,
    "dt_int8": 1, "uint8": 1, "dt_uint8": 1, "bool": 1, "dt_bool": 1, "int16": 2, "int32": 4, "dt_int32": 4, "int64": 8,
    "dt_int64": 8, "double": 8, "int4": 0.5, "dt_int4": 0.5,
}  # fmt: skip
_INVALID = 4294967295
_PARTS = re.compile(r"[,;&]\s*")


@dataclass(frozen=True, slots=True)
class OpMemory:
    """How long an operator's buffer lives, in positions of the execution order."""

    name: str
    first: int
    last: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class OpTypeTotal:
    """All operators of a type."""

    op_type: str
    unit: str
    count: int
    total_us: float
    average_us: float


def is_summary(table: Table) -> bool:
    """Whether a table is an op_summary, of any version."""
    return "op name" in table.columns and ("task duration(us)" in table.columns or "duration(us)" in table.columns)


def read_summary(table: Table) -> ProfileFile:
    """op_summary: one row per launch; launches of several inferences follow one another.

    Raises:
        DataError: A column or a number is missing.
    """
    table.require(("op name",), ("task duration(us)", "duration(us)"), ("op type",))
    ops: dict[int, list[MeasuredOp]] = {}
    for row in table.rows:
        if row.text("op name").lower() in ("n/a", ""):
            continue
        infer = number_or(row, -1, "infer id")
        ops.setdefault(infer, []).append(_op(table.path, row))
    runs = [MeasuredRun(tuple(sorted(found, key=lambda op: op.start_us))) for _, found in sorted(ops.items())]
    if not runs:
        raise DataError(say("{path} has no operator in it.", path=table.path))
    return ProfileFile(table.path, "msprof", tuple(runs))


def read_statistic(path: Path) -> tuple[OpTypeTotal, ...]:
    """op_statistic: totals by operator type.

    Raises:
        DataError: A column or a number is missing.
    """
    table = read_table(path)
    table.require(("op type",), ("total time(us)",), ("count",))
    return tuple(
        OpTypeTotal(
            row.text("op type"),
            row.text("core type"),
            round(needed(path, row, "count")),
            needed(path, row, "total time(us)"),
            needed(path, row, "avg time(us)"),
        )
        for row in table.rows
    )


def read_fusions(path: Path) -> dict[str, tuple[str, ...]]:
    """fusion_op: fused operator -> the nodes that it was made of.

    Raises:
        DataError: It is no such table.
    """
    table = read_table(path)
    table.require(("fusion op", "fusion_op"), ("original ops", "original_ops"))
    found = {}
    for row in table.rows:
        parts = tuple(part for part in _PARTS.split(row.text("original ops", "original_ops")) if part)
        if parts:
            found[row.text("fusion op", "fusion_op")] = parts
    return found


def read_static_memory(path: Path) -> tuple[OpMemory, ...]:
    """static_op_mem: when each operator's buffer lives.

    Raises:
        DataError: A column or a number is missing.
    """
    table = read_table(path)
    table.require(("op name",), ("size(kb)",), ("node index start",), ("node index end",))
    found = []
    for row in table.rows:
        first = needed(path, row, "node index start")
        last = number_or(row, _INVALID, "node index end")
        last = round(first) if last == _INVALID else last
        found.append(OpMemory(row.text("op name"), round(first), last, round(needed(path, row, "size(kb)") * 1024)))
    return tuple(found)


def number_or(row: Row, other: int, *columns: str) -> int:
    """A whole number; `other` where it is missing, invalid (2^32 - 1) or no number."""
    try:
        value = row.number(*columns)
    except ValueError:
        return other
    return other if value is None or value == _INVALID else round(value)


def _op(path: Path, row: Row) -> MeasuredOp:
    start = row.text("task start time(us)", "start time(us)")
    try:
        start_us = number(start) or 0.0
    except ValueError:
        start_us = 0.0
    read = _bytes(row.text("input shapes"), row.text("input data types"))
    write = _bytes(row.text("output shapes"), row.text("output data types"))
    return MeasuredOp(
        row.text("op name"),
        row.text("op type"),
        needed(path, row, "task duration(us)", "duration(us)"),
        row.text("task type", "core type") or "AI_CORE",
        start_us,
        None if read is None or write is None else read + write,
    )


def _bytes(shapes: str, types: str) -> int | None:
    """Bytes of some tensors: '"1,224,224,16;9,4"' and 'FLOAT16;FLOAT16'; None where they aren't known."""
    shapes, types = shapes.strip('"'), types.strip('"')
    if not shapes or shapes.lower() == "n/a":
        return None
    sizes, kinds = shapes.split(";"), types.split(";")
    if len(sizes) != len(kinds):
        return None
    total = 0.0
    for size, kind in zip(sizes, kinds, strict=True):
        each = _ITEM_BYTES.get(kind.strip().lower())
        if each is None:
            return None
        try:
            total += prod(int(d) for d in size.split(",") if d.strip()) * each
        except ValueError:
            return None
    return round(total)
