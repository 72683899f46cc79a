"""The process in which a user's metric runs: FILE FUNCTION FOLDER. Needs nothing but numpy."""

from __future__ import annotations

import importlib.util
import json
import math
import numbers
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def main(path: str, function: str, folder: Path) -> dict[str, Any]:
    """Load the function, call it for every plan, and say what came of it."""
    about = json.loads((folder / "about.json").read_text())
    try:
        found = _function(path, function)
    except BaseException as error:
        return {"error": _words(error, path)}
    if found is None:
        return {"missing": True}
    labels = folder / "labels.npy"
    true = np.load(labels, allow_pickle=False) if labels.exists() else None
    references = _outputs(folder, 0, about)
    values = []
    for plan in range(about["plans"]):
        try:
            value = found(_outputs(folder, plan + 1, about), references, true)
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
    return [
        {
            name: np.load(folder / f"{number}-{sample}-{place}.npy", allow_pickle=False)
            for place, name in enumerate(about["names"])
        }
        for sample in range(about["samples"])
    ]


def _words(error: BaseException, path: str) -> str:
    """Type, message, and the last line of the user's own file that was reached."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = [error.lineno]
    words = f"{type(error).__name__}: {error}"[:300]
    return f"{words} (line {lines[-1]})" if lines else words


if __name__ == "__main__":
    place = Path(sys.argv[3])
    answer = main(sys.argv[1], sys.argv[2], place)
    # Written aside first: a process that is killed leaves no half answer.
    (place / "answer.part").write_text(json.dumps(answer))
    (place / "answer.part").replace(place / "answer.json")
