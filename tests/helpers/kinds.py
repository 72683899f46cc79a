"""One small network per kind of kernel that has a weight."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from handmade import Step, network

from engine.fusion.types import Kind, Network
from engine.graph.types import Array

Made = tuple[Network, dict[str, Array]]
Maker = Callable[[np.random.Generator, int], Made]


def _f32(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float32)


def conv(
    rng: np.random.Generator, opset: int, *, shape=(6, 5, 3, 3), group: int = 1, size=(9, 8), kind: Kind = Kind.CONV
) -> Made:
    inputs = {"x": _f32(rng, 1, shape[1] * group, *size)}
    constants = {"w": _f32(rng, *shape), "b": _f32(rng, shape[0])}
    step = Step(
        [("Conv", ["x", "w", "b"], ["c"], {"group": group}), ("Relu", ["c"], ["y"], {})],
        ["y"], constants, kind, "w", reduction=tuple(range(1, len(shape))), activation="x", bias="b",
    )  # fmt: skip
    return network(inputs, ["y"], [step], opset=opset), inputs


def conv_transpose(rng: np.random.Generator, opset: int, *, group: int = 1) -> Made:
    inputs = {"x": _f32(rng, 1, 6, 5, 5)}
    constants = {"w": _f32(rng, 6, 4, 3, 3), "b": _f32(rng, 4 * group)}
    step = Step(
        [("ConvTranspose", ["x", "w", "b"], ["y"], {"strides": [2, 2], "group": group})],
        ["y"], constants, Kind.CONV_TRANSPOSE, "w", (1,), (0, 2, 3), "x", "b",
    )  # fmt: skip
    return network(inputs, ["y"], [step], opset=opset), inputs


def gemm(rng: np.random.Generator, opset: int, *, trans: int = 1, factors: bool = False, k: int = 50) -> Made:
    inputs = {"x": _f32(rng, 4, k)}
    constants = {"w": _f32(rng, *((12, k) if trans else (k, 12))), "b": _f32(rng, 12)}
    attributes = {"transB": trans, **({"alpha": 0.5, "beta": 2.0} if factors else {})}
    step = Step(
        [("Gemm", ["x", "w", "b"], ["y"], attributes)],
        ["y"], constants, Kind.GEMM, "w", (0,) if trans else (1,), (1,) if trans else (0,), "x", "b",
    )  # fmt: skip
    return network(inputs, ["y"], [step], opset=opset), inputs


def matmul(rng: np.random.Generator, opset: int, *, k: int = 50, n: int = 12) -> Made:
    """With its bias in an Add of the same kernel."""
    inputs = {"x": _f32(rng, 2, 5, k)}
    constants = {"w": _f32(rng, k, n), "b": _f32(rng, n)}
    step = Step(
        [("MatMul", ["x", "w"], ["m"], {}), ("Add", ["m", "b"], ["y"], {})],
        ["y"], constants, Kind.MATMUL, "w", (1,), (0,), "x", "b",
    )  # fmt: skip
    return network(inputs, ["y"], [step], opset=opset), inputs


def matmul_left(rng: np.random.Generator, opset: int) -> Made:
    inputs = {"x": _f32(rng, 2, 40, 6)}
    step = Step(
        [("MatMul", ["w", "x"], ["y"], {})], ["y"], {"w": _f32(rng, 7, 40)}, Kind.MATMUL, "w", (0,), (1,), "x",
    )  # fmt: skip
    return network(inputs, ["y"], [step], opset=opset), inputs


def matmul_batched(rng: np.random.Generator, opset: int) -> Made:
    inputs = {"x": _f32(rng, 3, 4, 40)}
    step = Step(
        [("MatMul", ["x", "w"], ["y"], {})], ["y"], {"w": _f32(rng, 3, 40, 5)}, Kind.MATMUL, "w", (0, 2), (1,), "x",
    )  # fmt: skip
    return network(inputs, ["y"], [step], opset=opset), inputs


def matmul_vector(rng: np.random.Generator, opset: int) -> Made:
    inputs = {"x": _f32(rng, 4, 70)}
    step = Step([("MatMul", ["x", "w"], ["y"], {})], ["y"], {"w": _f32(rng, 70)}, Kind.MATMUL, "w", (), (0,), "x")
    return network(inputs, ["y"], [step], opset=opset), inputs


def embedding(rng: np.random.Generator, opset: int) -> Made:
    inputs = {"i": rng.integers(0, 20, (2, 7))}
    step = Step([("Gather", ["w", "i"], ["y"], {})], ["y"], {"w": _f32(rng, 20, 40)}, Kind.EMBEDDING, "w", (0,), (1,))
    return network(inputs, ["y"], [step], opset=opset), inputs


def lstm(rng: np.random.Generator, opset: int) -> Made:
    inputs = {"x": _f32(rng, 6, 1, 20)}
    constants = {"w": _f32(rng, 2, 32, 20), "r": _f32(rng, 2, 32, 8) * np.float32(0.3), "b": _f32(rng, 2, 64)}
    step = Step(
        [("LSTM", ["x", "w", "r", "b"], ["y", "h", "c"], {"hidden_size": 8, "direction": "bidirectional"})],
        ["y", "h", "c"], constants, Kind.RECURRENT, "w", (0, 1), (2,), "x",
    )  # fmt: skip
    return network(inputs, ["y", "h"], [step], opset=opset), inputs


KINDS: dict[str, Maker] = {
    "conv 3x3": conv,
    "conv 1x1": lambda rng, opset: conv(rng, opset, shape=(7, 40, 1, 1)),
    "conv 1d": lambda rng, opset: conv(rng, opset, shape=(6, 11, 3), size=(20,)),
    "conv 3d": lambda rng, opset: conv(rng, opset, shape=(4, 3, 2, 2, 2), size=(4, 5, 5)),
    "grouped conv": lambda rng, opset: conv(rng, opset, shape=(8, 5, 3, 3), group=2),
    "depthwise": lambda rng, opset: conv(rng, opset, shape=(6, 1, 3, 3), group=6, kind=Kind.DEPTHWISE),
    "conv transpose": conv_transpose,
    "grouped conv transpose": lambda rng, opset: conv_transpose(rng, opset, group=2),
    "gemm": gemm,
    "gemm untransposed": lambda rng, opset: gemm(rng, opset, trans=0),
    "gemm with factors": lambda rng, opset: gemm(rng, opset, factors=True),
    "matmul": matmul,
    "matmul left": matmul_left,
    "matmul batched": matmul_batched,
    "matmul vector": matmul_vector,
    "embedding": embedding,
    "lstm": lstm,
}
