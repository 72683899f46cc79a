"""Shared by all engine tests: no thread and no open file is left behind, and small real models."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from small_models import small_cnn


@pytest.fixture(autouse=True)
def _nothing_left_running():
    """Fail a test that leaves a thread or an open file behind, and name it."""
    threads, files = set(threading.enumerate()), _open_files()
    yield
    deadline = time.monotonic() + 15  # a call into ONNX Runtime that was given up ends by itself
    while left := [t for t in threading.enumerate() if t not in threads and t.is_alive()]:
        if time.monotonic() > deadline:
            pytest.fail(f"threads left running: {[t.name for t in left]}")
        left[0].join(0.02)
    opened = _open_files() - files
    assert not opened, f"files left open: {sorted(opened)}"


def _open_files() -> set[str]:
    """Regular files this process holds open; not models, whose weights stay memory-mapped while a network lives."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir() if Path("/proc/self/fd").is_dir() else ():
        try:
            target = os.readlink(entry)
        except OSError:
            continue
        if target.endswith((".onnx", ".data")):
            continue
        if target.startswith("/") and not target.startswith(("/dev/", "/proc/", "/sys/")) and Path(target).is_file():
            found.add(target)
    return found


@pytest.fixture
def cnn_path(tmp_path: Path) -> Path:
    """File of `small_cnn`."""
    return small_cnn(tmp_path / "small_cnn.onnx")


@pytest.fixture
def cnn(cnn_path: Path):
    """`small_cnn`, loaded and fused."""
    from engine.session.work import open_network

    return open_network(cnn_path)
