"""The process in which a user's metric runs: FILE FUNCTION FOLDER. Needs nothing but numpy."""

from __future__ import annotations

import importlib.util
import json
import math
import numbers
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def main(path: str, function: str, folder: Path) -> None:
    """Load the function, then answer questions from standard input, a line each, until it ends."""
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
        if isinstance(value, np.ndarray) and value.shape == ():
            value = value.item()
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
            return {"wrong": True, "error": f"{type(value).__name__} {value!r}"[:120]}
        values.append(float(value))
    return {"values": values}


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
    words = f"{type(error).__name__}: {error}"[:300]
    return f"{words} (line {lines[-1]})" if lines else words


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
