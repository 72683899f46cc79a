"""The process in which a user's metric runs: FILE FUNCTION FOLDER. Needs nothing but numpy."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import numbers
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

_LOOK_S = 0.5


def main(path: str, function: str, folder: Path) -> None:
    """Load the function, then answer questions from standard input, a line each, until it ends."""
    _go_first()
    questions = os.fdopen(os.dup(0), "r")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a function that reads its input must not take a question away
    about = json.loads((folder / "about.json").read_text())
    problem: dict[str, Any] = {}
    found: Callable[..., Any] | None = None
    try:
        found = _function(path, function)
    except BaseException as error:
        problem = {"error": _words(error, path)}
    for line in questions:
        question = json.loads(line)
        if found is None:
            answer = problem or {"missing": True}
        else:
            answer = _answer(found, path, folder, about, question["plans"])
        # Written aside first: a process that is killed leaves no half answer.
        (folder / "answer.part").write_text(json.dumps(answer))
        (folder / "answer.part").replace(folder / f"answer-{question['number']}.json")


def _answer(found: Callable[..., Any], path: str, folder: Path, about: dict[str, Any], plans: int) -> dict[str, Any]:
    """Call the function for every plan, and say what came of it."""
    labels = folder / "labels.npy"
    values = []
    for plan in range(plans):
        # Read anew each time: a function may change what it gets.
        true = np.load(labels, allow_pickle=False) if labels.exists() else None
        try:
            value = found(_outputs(folder, plan + 1, about), _outputs(folder, 0, about), true)
        except BaseException as error:  # SystemExit too: the figure is missing all the same
            return {"error": _words(error, path)}
        figure = _number(value)
        if figure is None:
            return {"wrong": True, "error": f"{type(value).__name__} {_shown(repr, value)}"[:120]}
        values.append(figure)
    return {"values": values}


def _number(value: Any) -> float | None:
    """A finite number; None for anything else."""
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    try:
        figure = float(value)
    except Exception:  # too large for float64, or a kind of number with ideas of its own
        return None
    return figure if math.isfinite(figure) else None


def _shown(how: Callable[[Any], str], value: Any) -> str:
    """A value in words on one line, as far as it has any."""
    try:
        words = how(value)
    except Exception:
        return "(can't be shown)"
    return " ".join(words[:1000].encode("utf-8", "backslashreplace").decode().split())


def _go_first() -> None:
    """End with the process that asked, however it ended; and be the one that goes if memory runs out."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # other systems than Linux have no such file
        Path("/proc/self/oom_score_adj").write_text("1000")
    asked_by = os.getppid()

    def watch() -> None:
        while os.getppid() == asked_by:
            time.sleep(_LOOK_S)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _function(path: str, name: str) -> Callable[..., Any] | None:
    sys.path.insert(0, str(Path(path).parent))
    spec = importlib.util.spec_from_file_location("mixbit_user_metric", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    return found if callable(found) else None


def _outputs(folder: Path, number: int, about: dict[str, Any]) -> list[dict[str, Any]]:
    layout = json.loads((folder / f"{number}.json").read_text())
    content, start = np.fromfile(folder / f"{number}.bin", np.uint8), 0
    arrays = []
    for name, shape in layout:
        kind = np.dtype(name)
        end = start + kind.itemsize * math.prod(shape)
        arrays.append(content[start:end].copy().view(kind).reshape(shape))  # a copy of its own is aligned
        start = end
    width = len(about["names"])
    samples = range(about["samples"])
    return [dict(zip(about["names"], arrays[at * width : (at + 1) * width], strict=True)) for at in samples]


def _words(error: BaseException, path: str) -> str:
    """Type, message, and the last line of the user's own file that was reached."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = [error.lineno]
    words = f"{type(error).__name__}: {_shown(str, error)}"[:300]
    return f"{words} (line {lines[-1]})" if lines else words


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
