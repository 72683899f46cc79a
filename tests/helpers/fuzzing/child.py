"""A process that opens model files, each in a copy of itself that may take so long and so much and no more.

Reads one JSON object per line (`path`, `seconds`, `memory_limit`, `ceiling`) and answers with one per line. Copies are
made by fork before anything was opened: each starts fresh within a few milliseconds.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path

from engine.errors import MixbitError
from engine.fusion import fuse
from engine.graph import load, read_inputs

_POLL_S = 0.004
_LONGEST = 4000
_PATIENCE = 6


def examine(path: str, memory_limit: int, loop_seconds: float) -> tuple[str, str]:
    """Open a file as the program does. Returns what happened and the sentence or traceback."""
    try:
        shapes = {entry.name: entry.proposal for entry in read_inputs(path) if entry.free}
        graph = load(path, shapes=shapes, memory_limit=memory_limit, loop_seconds=loop_seconds)
        for rules in ("edge", "cloud"):
            fuse(graph, rules)
    except MixbitError as error:
        return "refused", str(error)
    except BaseException:
        return "exception", traceback.format_exc()
    return "opened", ""


def main() -> None:
    """Serve until the input ends."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_guarded(**json.loads(line))) + "\n")
        sys.stdout.flush()


def _guarded(path: str, seconds: float, memory_limit: int, ceiling: int) -> dict[str, object]:
    """Fork, watch, and say how it ended; `peak` is in bytes above what the process has to begin with.

    Time is that of the processor, so that a busy machine condemns no file; one that waits for ever has so many times as
    much by the clock.
    """
    start, own = time.monotonic(), _resident(os.getpid())
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        _work(path, memory_limit, seconds / 2, reader, writer)
    os.close(writer)
    killed = ""
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        if not killed and (_busy(pid) > seconds or time.monotonic() - start > _PATIENCE * seconds):
            killed = "too slow"
        if not killed and _resident(pid) - own > ceiling:
            killed = "too big"
        if killed:
            os.kill(pid, signal.SIGKILL)
        time.sleep(_POLL_S)
    with os.fdopen(reader) as pipe:
        written = pipe.read()
    outcome, text = json.loads(written) if written else ("crashed", f"ended with status {status}")
    if os.WIFSIGNALED(status) and not killed:
        outcome, text = "crashed", signal.Signals(os.WTERMSIG(status)).name
    peak = max(0, usage.ru_maxrss * 1024 - own)
    if not killed and peak > ceiling:
        killed = "too big"
    spent = usage.ru_utime + usage.ru_stime
    return {"outcome": killed or outcome, "text": text, "seconds": spent, "peak": peak}


def _work(path: str, memory_limit: int, loop_seconds: float, reader: int, writer: int) -> None:
    """In the copy: never returns."""
    os.close(reader)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    outcome, text = examine(path, memory_limit, loop_seconds)
    os.write(writer, json.dumps([outcome, text[-_LONGEST:]]).encode())
    os._exit(0)


def _busy(pid: int) -> float:
    """Processor seconds of a process, all its threads together."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):  # it has ended
        return 0


if __name__ == "__main__":
    main()
