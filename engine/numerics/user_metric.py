"""A figure of the user's own: a Python function, called in a process of its own with a time limit.

The function gets `(outputs, references, labels)`: two lists with a dict of arrays by output name for each sample, and
an array of labels or None. It returns one number. Whatever it does, it can neither stop nor change this process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from engine.asides import scratch
from engine.errors import DataError
from engine.graph.limits import gigabytes
from engine.graph.types import Array
from engine.progress import NEVER, CancelToken
from engine.text import say

TIME_LIMIT_S = 60.0
_POLL_S = 0.02
_MEMORY = Path("/proc/meminfo")
_CHILD = Path(__file__).with_name("user_metric_child.py")


@dataclass(frozen=True, slots=True)
class UserMetric:
    """A function in a file."""

    path: Path
    function: str
    time_limit_s: float = TIME_LIMIT_S

    @property
    def name(self) -> str:
        """FILE:FUNCTION, as it is given."""
        return f"{self.path}:{self.function}"


class _Answer(msgspec.Struct):
    values: list[float] = []
    error: str = ""
    missing: bool = False
    wrong: bool = False


def named_metric(text: str, time_limit_s: float = TIME_LIMIT_S) -> UserMetric:
    """The metric of a text like "folder/file.py:function".

    Raises:
        DataError: It has another form, or there is no such file.
    """
    path, colon, function = text.rpartition(":")
    if not colon or not path.endswith(".py") or not function.isidentifier():
        raise DataError(say("{metric} is no metric; write FILE.py:FUNCTION.", metric=text))
    if not Path(path).is_file():
        raise DataError(say("{path} does not exist; give a Python file with the metric.", path=path))
    if not time_limit_s > 0:
        raise DataError(say("A metric needs a time limit above 0 seconds, not {seconds}.", seconds=time_limit_s))
    return UserMetric(Path(path).absolute(), function, time_limit_s)


def user_figures(
    metric: UserMetric,
    plans: Sequence[Sequence[Mapping[str, Array]]],
    references: Sequence[Mapping[str, Array]],
    labels: Array | None = None,
    *,
    cancel: CancelToken = NEVER,
) -> list[float]:
    """The figure of each of some plans, in one process; see `MetricProcess`."""
    with closing(MetricProcess(metric, references, labels)) as process:
        return process.figures(plans, cancel=cancel)


class MetricProcess:
    """The process in which a function runs: started by the first question, kept for the next, ended by `close`.

    From one thread at a time.
    """

    def __init__(
        self, metric: UserMetric, references: Sequence[Mapping[str, Array]], labels: Array | None = None
    ) -> None:
        """Take what stays the same for all plans.

        Args:
            metric: The function.
            references: Outputs of the reference for every sample, by name.
            labels: [samples, ...], if there are any.
        """
        self.metric = metric
        self._place = scratch()
        self._folder = self._place.path
        self._child: subprocess.Popen[bytes] | None = None
        self._asked = 0
        self._memory_limit = most_memory()
        _write(self._folder, 0, references)
        if labels is not None:
            np.save(self._folder / "labels.npy", np.asarray(labels), allow_pickle=False)
        about = {"names": list(references[0]) if references else [], "samples": len(references)}
        (self._folder / "about.json").write_bytes(msgspec.json.encode(about))

    def figures(self, plans: Sequence[Sequence[Mapping[str, Array]]], *, cancel: CancelToken = NEVER) -> list[float]:
        """The figure of each of some plans.

        Args:
            plans: For each plan the outputs of every sample, by name. The references themselves may be among them.
            cancel: Ends the process within 20 ms.

        Raises:
            DataError: The function is missing, raises, takes too long, returns something else than a number, or its
                process ends by itself.
            Cancelled: If asked to stop.
        """
        try:
            answer = self._ask(plans, cancel)
        except BaseException:
            self._end()
            raise
        metric = self.metric
        if answer.missing:
            raise DataError(say("{file} has no function {name}.", file=metric.path.name, name=metric.function))
        if answer.wrong:
            raise DataError(
                say(
                    "{metric} has to return one finite number, and returned {value}.",
                    metric=_short(metric),
                    value=answer.error,
                )
            )
        if answer.error:
            raise DataError(say("{metric} failed: {error}", metric=_short(metric), error=answer.error))
        return answer.values

    def close(self) -> None:
        """End the process and remove what was handed over."""
        self._end()
        self._place.close()

    def _ask(self, plans: Sequence[Sequence[Mapping[str, Array]]], cancel: CancelToken) -> _Answer:
        self._asked += 1
        for number, outputs in enumerate(plans, 1):
            _write(self._folder, number, outputs)
        child = self._child
        if child is None:
            child = self._child = self._start()
        end = time.monotonic() + self.metric.time_limit_s
        with contextlib.suppress(OSError):  # a process that is gone says so below
            assert child.stdin is not None
            child.stdin.write(msgspec.json.encode({"plans": len(plans), "number": self._asked}) + b"\n")
            child.stdin.flush()
        answer = self._folder / f"answer-{self._asked}.json"
        while not answer.exists() and not _ended(child):
            cancel.check()
            if _resident(child.pid) > self._memory_limit:
                raise DataError(
                    say("{metric} took more than {count} GB of memory and was stopped; let it keep less, "
                        "or evaluate fewer samples.",
                        metric=_short(self.metric), count=gigabytes(self._memory_limit))
                )  # fmt: skip
            if time.monotonic() > end:
                raise DataError(
                    say("{metric} took longer than {seconds} s and was stopped; make it faster, or give it more time.",
                        metric=_short(self.metric), seconds=f"{self.metric.time_limit_s:g}")
                )  # fmt: skip
            time.sleep(_POLL_S)
        try:
            return msgspec.json.decode(answer.read_bytes(), type=_Answer)
        except (OSError, msgspec.DecodeError) as error:
            self._end()
            raise DataError(
                say("{metric} ended its process without an answer (exit code {code}).",
                    metric=_short(self.metric), code=child.returncode)
            ) from error  # fmt: skip
        finally:
            answer.unlink(missing_ok=True)

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(_CHILD), str(self.metric.path), self.metric.function, str(self._folder)]
        # What it prints is of no interest here, and a full pipe would hold it up.
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=self.metric.path.parent, start_new_session=os.name == "posix",
        )  # fmt: skip

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            _end(child)
            with contextlib.suppress(OSError):
                assert child.stdin is not None
                child.stdin.close()


def _write(folder: Path, number: int, outputs: Sequence[Mapping[str, Array]]) -> None:
    """All arrays one after the other in one file, and what they are in another: nothing is pickled."""
    layout = []
    with (folder / f"{number}.bin").open("wb") as file:
        for arrays in outputs:
            for array in arrays.values():
                plain = np.asarray(array.tolist(), np.str_) if array.dtype.kind == "O" else np.ascontiguousarray(array)
                layout.append((plain.dtype.str, array.shape))
                file.write(plain.tobytes())
    (folder / f"{number}.json").write_bytes(msgspec.json.encode(layout))


def most_memory() -> int:
    """Bytes that a function may take: three quarters of what is free now, where the system says how much that is."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        with _MEMORY.open() as lines:
            free = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(free.split()[1]) * 1024 * 3 // 4
    return sys.maxsize


def _resident(process: int) -> int:
    """Bytes of memory of a process; 0 where the system does not say."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _ended(child: subprocess.Popen[bytes]) -> bool:
    """Whether the process has ended; on POSIX it is not collected yet, so that its number stays its own."""
    if os.name != "posix":
        return child.poll() is not None
    return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(child: subprocess.Popen[bytes]) -> None:
    """Stop the process, and on POSIX all that it has started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        child.kill()
    child.wait()


def _short(metric: UserMetric) -> str:
    return f"{metric.path.name}:{metric.function}"
