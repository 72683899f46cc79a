"""Opening a measured profile of any origin: what a file is, is known by its contents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import DataError
from engine.interop.csv_table import Table, needed, read_table, read_text
from engine.interop.msprof import is_summary, read_summary
from engine.interop.profile import LONGEST_US, MeasuredOp, MeasuredRun, ProfileFile
from engine.interop.profile_phone import is_phone, read_phone
from engine.misshapen import form_words
from engine.text import say

_BENCHMARK = re.compile(r"Model\s*=.*?AvgRun[Tt]ime\s*=\s*([\d.]+)\s*ms")
_TOTAL = re.compile(r"total time\s*:\s*([\d.]+)\s*ms")
_OP_ROW = re.compile(
    r"^(?P<name>\S.*?)\s+(?P<avg>\d+\.\d+)\s+(?P<part>\d+\.\d+)\s+(?P<calls>\d+)\s+(?P<total>\d+\.\d+)\s*$"
)
_NAMES = ("op name", "name", "layer", "layer name", "opname", "node", "kernel", "op")
_TIMES_US = ("duration(us)", "task duration(us)", "time(us)", "total time(us)", "avg(us)", "mean(us)", "latency(us)",
             "us", "dur")  # fmt: skip
_TIMES_MS = ("duration(ms)", "time(ms)", "total time(ms)", "avg(ms)", "mean(ms)", "latency(ms)", "ms")


def open_profile(path: Path) -> ProfileFile:
    """Read a profile.

    Args:
        path: A phone's `*_op.csv` or `*_model.csv`, msprof's op_summary (or a folder with one), the output of MindSpore
            Lite's benchmark, ONNX Runtime's profile, or a table with a column of names and one of times.

    Raises:
        DataError: It is none of them, or damaged.
    """
    if path.is_dir():
        found = sorted(path.rglob("op_summary*.csv")) or sorted(path.rglob("*_op.csv"))
        if not found:
            raise DataError(say("{path} holds no op_summary and no *_op.csv.", path=path))
        return open_profile(found[-1])
    if not path.exists():
        raise DataError(say("{path} does not exist.", path=path))
    return _believable(_open(path))


def _believable(profile: ProfileFile) -> ProfileFile:
    """Refuse times that no device has measured: a wrong unit, or a file that is not what it seems."""
    times = [(op.name, op.duration_us) for run in profile.runs for op in run.ops]
    times += [("total", run.total_us) for run in profile.runs if run.total_us is not None]
    times += [("total", value) for value in profile.latencies_us]
    if profile.load_us is not None:
        times.append(("load", profile.load_us))
    for name, value in times:
        if not 0 <= value <= LONGEST_US:
            raise DataError(
                say(
                    "{path}: {name} would have taken {value:.3g} µs; no time is below zero or above a day.",
                    path=profile.path,
                    name=name,
                    value=value,
                )
            )
    return profile


def _open(path: Path) -> ProfileFile:
    text = read_text(path)
    head = next((line for line in text.splitlines() if line.strip()), "")
    if is_phone(head):
        return read_phone(path)
    if head.lstrip().startswith(("[", "{")):
        return _runtime(path, text)
    if "opName" in text and "avg(ms)" in text:
        return _benchmark(path, text)
    table = read_table(path)
    if is_summary(table):
        return read_summary(table)
    return _any_table(table)


def _runtime(path: Path, text: str) -> ProfileFile:
    """ONNX Runtime's Chrome trace: `*_kernel_time` of nodes, `model_run` of whole inferences."""
    try:
        events: list[dict[str, Any]] = msgspec.json.decode(text.encode(), type=list[dict[str, Any]])
    except msgspec.DecodeError as error:
        raise DataError(
            say("{path} is no profile of ONNX Runtime ({reason}).", path=path, reason=form_words(error))
        ) from error
    nodes = [e for e in events if e.get("cat") == "Node" and str(e.get("name", "")).endswith("_kernel_time")]
    totals = [e for e in events if e.get("name") == "model_run"]
    if not nodes:
        raise DataError(
            say("{path} has no kernel times; profile with enable_profiling and at least one run.", path=path)
        )
    spans = sorted((_float(e, "ts"), _float(e, "ts") + _float(e, "dur"), _float(e, "dur")) for e in totals)
    runs: list[list[MeasuredOp]] = [[] for _ in spans] or [[]]
    for event in sorted(nodes, key=lambda e: _float(e, "ts")):
        at = next((i for i, (start, end, _) in enumerate(spans) if start <= _float(event, "ts") <= end), 0)
        arguments: Mapping[str, Any] = event.get("args") or {}
        name = str(event["name"]).removesuffix("_kernel_time")
        runs[at].append(
            MeasuredOp(
                name,
                str(arguments.get("op_name", "")),
                _float(event, "dur"),
                str(arguments.get("provider", "")).removesuffix("ExecutionProvider"),
                _float(event, "ts"),
            )
        )
    made = [MeasuredRun(tuple(run), spans[i][2] if spans else None) for i, run in enumerate(runs) if run]
    usual = max(len(run.ops) for run in made)
    whole = tuple(run for run in made if len(run.ops) == usual)
    return ProfileFile(path, "onnxruntime", whole, None, tuple(r.total_us for r in whole if r.total_us is not None))


def _benchmark(path: Path, text: str) -> ProfileFile:
    """What MindSpore Lite's benchmark prints with --timeProfiling: times are means over its loops, in ms."""
    ops: list[MeasuredOp] = []
    inside = False
    for line in text.splitlines():
        if line.lstrip().startswith("opName"):
            inside = True
        elif line.lstrip().startswith(("opType", "total time")):
            inside = False
        elif inside and (row := _OP_ROW.match(line.strip())):
            ops.append(MeasuredOp(row["name"], "", float(row["avg"]) * 1000, "CPU"))
    if not ops:
        raise DataError(say("{path} has no operator times; run the benchmark with --timeProfiling=true.", path=path))
    average, total = _BENCHMARK.search(text), _TOTAL.search(text)
    whole = float(average[1]) * 1000 if average else float(total[1]) * 1000 if total else None
    latencies = () if whole is None else (whole,)
    return ProfileFile(path, "mindspore", (MeasuredRun(tuple(ops), whole),), None, latencies)


def _column(table: Table, known: Sequence[str]) -> str | None:
    """The first known column that a table has, however it is spelled: "Time (us)", "time_us" and "time[us]" are one."""
    spelled = {_letters(column): column for column in reversed(table.columns)}
    return next((spelled[_letters(name)] for name in known if _letters(name) in spelled), None)


def _letters(name: str) -> str:
    return "".join(c for c in name.lower().replace("µ", "u").replace("μ", "u") if c.isalnum())


def _any_table(table: Table) -> ProfileFile:
    """Any table with a column of names and one of times."""
    name, micro, milli = (_column(table, known) for known in (_NAMES, _TIMES_US, _TIMES_MS))
    if name is None or (micro is None and milli is None):
        raise DataError(
            say(
                "{path} is no profile that is known: expected a phone's *_op.csv, op_summary, a benchmark's output, "
                "a profile of ONNX Runtime, or a table with columns like name and time(us). It has: {columns}.",
                path=table.path,
                columns=", ".join(table.columns[:8]),
            )
        )
    scale = 1.0 if micro else 1000.0
    column = micro or milli or ""
    ops = tuple(
        MeasuredOp(row.text(name), row.text("op type", "type"), scale * needed(table.path, row, column),
                   row.text("unit", "device type", "device"))
        for row in table.rows
        if row.text(name)
    )  # fmt: skip
    if not ops:
        raise DataError(say("{path} has no operator in it.", path=table.path))
    return ProfileFile(table.path, "table", (MeasuredRun(ops),))


def _float(event: Mapping[str, Any], key: str) -> float:
    try:
        return float(event.get(key, 0))
    except (TypeError, ValueError):
        return 0.0
