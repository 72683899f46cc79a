"""What can be dropped: a model or project on the window; samples on it, too, while a model is open."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QUrl

MODEL_SUFFIXES = (".onnx",)
PROJECT_SUFFIX = ".mixbit"
SAMPLE_SUFFIXES = (".npz", ".npy", ".bin", ".raw", ".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".gif")


def file_among(urls: Iterable[QUrl]) -> Path | None:
    """The first model or project among what is dragged into the window."""
    paths = (Path(url.toLocalFile()) for url in urls)
    return next((path for path in paths if path.suffix.lower() in (*MODEL_SUFFIXES, PROJECT_SUFFIX)), None)


def samples_among(urls: Iterable[QUrl]) -> Path | None:
    """The first folder or file of samples among what is dragged; of several files in one folder that folder."""
    paths = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    found = [path for path in paths if path.suffix.lower() in SAMPLE_SUFFIXES or path.is_dir()]
    if not found:
        return None
    together = len(found) > 1 and len({path.parent for path in found}) == 1 and not any(p.is_dir() for p in found)
    return found[0].parent if together else found[0]
