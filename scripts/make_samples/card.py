"""What every sample's maker shares: where samples live, the onnxruntime check of a model, and `sample.json`.

needs: pip install numpy onnxruntime
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

SAMPLES = Path(__file__).resolve().parents[2] / "sample_models"
"""Folder that holds one subfolder per sample."""


def runtime(model: Path) -> ort.InferenceSession:
    """Session with one thread, so that sums keep their order from run to run."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def accuracy(model: Path, samples: dict[str, np.ndarray], labels: np.ndarray) -> float:
    """Share of labels that the first output's argmax over the last axis meets, one sample per run.

    Args:
        model: ONNX file.
        samples: By input name, [samples, ...].
        labels: [samples] or [samples, positions]; -1 doesn't count.
    """
    session = runtime(model)
    right = counted = 0
    for at, label in enumerate(labels):
        scores = session.run(None, {name: array[at : at + 1] for name, array in samples.items()})[0]
        hits = np.argmax(scores[0], axis=-1) == label
        known = np.asarray(label) >= 0
        right += int(np.sum(hits & known))
        counted += int(np.sum(known))
    return right / counted


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Write `sample.json`, which the file menu and the table of accuracies read."""
    (folder / "sample.json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
