"""Shared by all engine tests: no thread and no open file is left behind, and small real models."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper


@pytest.fixture(autouse=True)
def _nothing_left_running():
    """Fail a test that leaves a thread or an open file behind, and name it."""
    threads, files = set(threading.enumerate()), _open_files()
    yield
    deadline = time.monotonic() + 2
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


def small_cnn(path: Path, *, seed: int = 0, batch: int | str = 1) -> Path:
    """A real little classifier: Conv+BN+Relu, depthwise Conv+Relu, 1x1 Conv, global pooling, Gemm."""
    rng = np.random.default_rng(seed)
    weights: dict[str, np.ndarray] = {}

    def weight(name: str, *shape: int, scale: float = 0.3) -> str:
        weights[name] = (rng.standard_normal(shape) * scale).astype(np.float32)
        return name

    node = helper.make_node
    for name in ("scale", "var"):
        weights[f"bn.{name}"] = rng.uniform(0.5, 1.5, 16).astype(np.float32)
    nodes = [
        node(
            "Conv",
            ["image", weight("stem.weight", 16, 3, 3, 3)],
            ["c1"],
            "/stem/Conv",
            pads=[1, 1, 1, 1],
            strides=[2, 2],
        ),
        node(
            "BatchNormalization",
            ["c1", "bn.scale", weight("bn.bias", 16), weight("bn.mean", 16), "bn.var"],
            ["b1"],
            "/stem/bn",
        ),
        node("Relu", ["b1"], ["r1"], "/stem/act"),
        node("Conv", ["r1", weight("dw.weight", 16, 1, 3, 3)], ["c2"], "/dw/Conv", pads=[1, 1, 1, 1], group=16),
        node("Relu", ["c2"], ["r2"], "/dw/act"),
        node("Conv", ["r2", weight("pw.weight", 32, 16, 1, 1), weight("pw.bias", 32)], ["c3"], "/pw/Conv"),
        node("GlobalAveragePool", ["c3"], ["p"], "/pool"),
        node("Flatten", ["p"], ["f"], "/flatten"),
        node("Gemm", ["f", weight("head.weight", 10, 32), weight("head.bias", 10)], ["logits"], "/head/Gemm", transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "small_cnn",
        [helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, [batch, 3, 16, 16])],
        [helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, [batch, 10])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture
def cnn_path(tmp_path: Path) -> Path:
    """File of `small_cnn`."""
    return small_cnn(tmp_path / "small_cnn.onnx")


@pytest.fixture
def cnn(cnn_path: Path):
    """`small_cnn`, loaded and fused."""
    from engine.session.work import open_network

    return open_network(cnn_path)
