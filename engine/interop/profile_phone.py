"""Profiles of HarmonyOS phones: `*_op.csv` and `*_model.csv`.

Every line starts with a blank, nothing is quoted although layer names may hold commas, runs follow one another without
a mark, and the time stamps of operators are those of the log, not of the device.
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import DataError
from engine.interop.csv_table import read_text
from engine.interop.profile import MeasuredOp, MeasuredRun, ProfileFile
from engine.text import Text, say

_HEADER = re.compile(r"^\s*op name\s*,\s*start time\s*,\s*total time\s*\(us\)\s*,\s*device type\s*$", re.IGNORECASE)
_ROW = re.compile(
    r"^\s*(?P<name>.*\S)\s*,\s*(?P<start>[^,]*?)\s*,\s*(?P<us>-?\d+(?:\.\d+)?)\s*,\s*(?P<unit>[^,]*?)\s*$"
)
_MODEL = re.compile(r"^\s*item event\s*,\s*enter time\s*,\s*total time\s*\(us\)\s*$", re.IGNORECASE)
_EVENT = re.compile(r"^\s*(?P<event>load|inference|unload) (?P<edge>begin|end)\s*,[^,]*,\s*(?P<us>\d+(?:\.\d+)?)\s*$")


def is_phone(head: str) -> bool:
    """Whether a file's first line is that of a phone's operator or model table."""
    return bool(_HEADER.match(head) or _MODEL.match(head))


def read_phone(path: Path) -> ProfileFile:
    """Read one of the two tables; the other one beside it is read as well.

    Raises:
        DataError: A row that isn't one, or rows that are no whole number of runs.
    """
    ops, model = path, path
    if path.name.endswith("_model.csv"):
        ops = path.with_name(path.name.removesuffix("_model.csv") + "_op.csv")
    elif path.name.endswith("_op.csv"):
        model = path.with_name(path.name.removesuffix("_op.csv") + "_model.csv")
    head = next((line for line in read_text(path).splitlines() if line.strip()), "")
    if _MODEL.match(head):
        ops = ops if ops != path and ops.is_file() else None  # type: ignore[assignment]
        model = path
    else:
        model = model if model != path and model.is_file() else None  # type: ignore[assignment]
    load, latencies = _model(model) if model is not None else (None, ())
    notes: list[Text] = []
    runs = _runs(ops, len(latencies), notes) if ops is not None else ()
    if not runs and not latencies:
        raise DataError(say("{path} has no inference in it.", path=path))
    if len(latencies) == len(runs):
        runs = tuple(MeasuredRun(run.ops, total) for run, total in zip(runs, latencies, strict=True))
    return ProfileFile(path, "phone", runs, load, latencies, tuple(notes))


def split_name(name: str) -> tuple[str, str]:
    """Layer name and operator type: the type stands in the last brackets; fused operators join several by `&&`."""
    parts, types = [], []
    for part in name.split("&&"):
        layer, bracket, kind = part.rpartition("(")
        parts.append((layer if bracket else part).strip())
        types.append(kind.rstrip(") ") if bracket else "")
    return "&&".join(parts), "&&".join(kind for kind in types if kind)


def _runs(path: Path, known: int, notes: list[Text]) -> tuple[MeasuredRun, ...]:
    ops = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or _HEADER.match(line):
            continue
        row = _ROW.match(line)
        if row is None:
            raise DataError(
                say("{path}, line {line} is no operator row; the file is damaged or cut off.", path=path, line=number)
            )
        name, kind = split_name(row["name"])
        ops.append(MeasuredOp(name, kind, float(row["us"]), row["unit"]))
    if not ops:
        return ()
    first = (ops[0].name, ops[0].op_type)
    starts = [i for i, op in enumerate(ops) if (op.name, op.op_type) == first]
    pieces = [tuple(ops[a:b]) for a, b in zip(starts, [*starts[1:], len(ops)], strict=True)]
    length = len(pieces[0])
    if known and len(pieces) != known and len(ops) % known == 0:  # the first operator runs several times in a run
        length = len(ops) // known
        pieces = [tuple(ops[i : i + length]) for i in range(0, len(ops), length)]
    whole = [piece for piece in pieces if len(piece) == length]
    if len(whole) < len(pieces):
        notes.append(
            say(
                "{path}: {count} of {all} runs {count:is incomplete and was|are incomplete and were} left out.",
                path=path,
                count=len(pieces) - len(whole),
                all=len(pieces),
            )
        )
    if known and known != len(pieces):
        notes.append(
            say(
                "{path} has the operators of {runs} runs, and the model table lists {known}.",
                path=path,
                runs=len(pieces),
                known=known,
            )
        )
    return tuple(MeasuredRun(piece) for piece in whole)


def _model(path: Path) -> tuple[float | None, tuple[float, ...]]:
    load: float | None = None
    latencies = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or _MODEL.match(line):
            continue
        event = _EVENT.match(line)
        if event is None:
            raise DataError(
                say("{path}, line {line} is no event row; the file is damaged or cut off.", path=path, line=number)
            )
        if event["edge"] == "end" and event["event"] == "load":
            load = float(event["us"])
        elif event["edge"] == "end" and event["event"] == "inference":
            latencies.append(float(event["us"]))
    return load, tuple(latencies)
