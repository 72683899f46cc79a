"""Many cases, each in a process of its own, and the table of what came of them."""

from __future__ import annotations

import json
import os
import resource
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .cases import STORED, Case
from .judge import AGREES, ERROR, NOT_RUN, PLAIN, REFUSED, WRONG, Verdict, judge

HANGS, CRASHES = "hangs", "crashes"
FINE = (AGREES, PLAIN, NOT_RUN)
_ORDER = (AGREES, PLAIN, REFUSED, WRONG, ERROR, HANGS, CRASHES, NOT_RUN)
_PATIENCE = 6
_POLL_S = 0.01


@dataclass(frozen=True)
class Judged:
    """One case and how it ended."""

    name: str
    group: str
    verdict: Verdict
    seconds: float
    """Of processor time."""


def summary(found: Sequence[Judged]) -> str:
    """Markdown: how many ended how, by where they are from."""
    groups = dict.fromkeys(_group(each) for each in found)
    counts = Counter((_group(each), each.verdict.outcome) for each in found)
    kinds = [outcome for outcome in _ORDER if any(counts[group, outcome] for group in groups)]
    lines = ["| models | all | " + " | ".join(kinds) + " |", "|---|" + "---:|" * (1 + len(kinds))]
    for group in sorted(groups):
        row = [counts[group, outcome] for outcome in kinds]
        lines.append(f"| {group} | {sum(row):,} | " + " | ".join(f"{count:,}" for count in row) + " |")
    total = [sum(counts[group, outcome] for group in groups) for outcome in kinds]
    lines.append(f"| **all** | {sum(total):,} | " + " | ".join(f"{count:,}" for count in total) + " |")
    return "\n".join(lines)


def faults(found: Sequence[Judged]) -> str:
    """Every case that did not end well, a line each."""
    return "\n".join(
        f"{each.verdict.outcome}: {each.group}/{each.name}: {each.verdict.text.strip()[-400:]}"
        for each in found
        if each.verdict.outcome not in FINE
    )


def _group(each: Judged) -> str:
    return f"{each.group}, {STORED}" if each.name.endswith(STORED) else each.group


def judged(cases: Sequence[Case], *, jobs: int = 2, seconds: int = 120) -> Iterator[Judged]:
    """Judge each case in a copy of this process, made by fork; in the order in which they end.

    Args:
        cases: The cases.
        jobs: Copies at a time.
        seconds: Processor time that a case may take; by the clock six times as much.
    """
    waiting, running = list(reversed(cases)), dict[int, tuple[Case, int, float]]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                case = waiting.pop()
                pid, reader = _start(case, seconds)
                running[pid] = case, reader, time.monotonic()
            time.sleep(_POLL_S)
            for pid, (case, reader, since) in list(running.items()):
                done, status, usage = os.wait4(pid, os.WNOHANG)
                if not done and time.monotonic() - since > _PATIENCE * seconds:
                    os.kill(pid, signal.SIGKILL)
                if done:
                    del running[pid]
                    yield Judged(case.name, case.group, _verdict(reader, status), usage.ru_utime + usage.ru_stime)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)


def _start(case: Case, seconds: int) -> tuple[int, int]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        with tempfile.TemporaryDirectory() as folder:
            found = judge(case, Path(folder))
        # A pipe holds 64 KiB: never more, as nobody reads before the end.
        short = Verdict(found.outcome, found.text[-6000:], found.kernels, found.switches)
        os.write(writer, json.dumps(asdict(short)).encode())
    finally:
        os._exit(0)


def _verdict(reader: int, status: int) -> Verdict:
    with os.fdopen(reader) as pipe:
        written = pipe.read()
    if written:
        return Verdict(**json.loads(written))
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if number in (signal.SIGXCPU, signal.SIGKILL):
        return Verdict(HANGS, "took too long")
    return Verdict(CRASHES, signal.Signals(number).name if number else f"ended with status {status}")
