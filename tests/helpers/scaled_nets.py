"""Networks whose channels differ in size, so that scales between layers matter."""

from __future__ import annotations

import numpy as np
from handmade import Step, network

from engine.fusion.types import Kind, Network
from engine.graph.types import Array

PAD = {"pads": [1, 1, 1, 1]}


def block(seed: int = 0, wide: float = 1.2) -> tuple[Network, dict[str, Array]]:
    """A norm read by three products; a gated product, what reads it, and a product that reads a sum."""
    rng = np.random.default_rng(seed)
    f32 = lambda *shape: (rng.standard_normal(shape) / 4).astype(np.float32)
    x = {"x": 4 * f32(1, 6, 32)}
    matrix = {"kind": Kind.MATMUL, "channels": (1,), "reduction": (0,)}
    factors = {"g": np.exp(rng.standard_normal(32) * wide).astype(np.float32), "be": f32(32)}
    steps = [
        Step([("LayerNormalization", ["x", "g", "be"], ["n"], {})], ["n"], factors, Kind.NORM),
        Step([("MatMul", ["n", "wq"], ["m"], {}), ("Add", ["m", "bq"], ["q"], {})], ["q"],
             {"wq": f32(32, 24), "bq": f32(24)}, weight="wq", activation="n", bias="bq", **matrix),
        Step([("MatMul", ["n", "wk"], ["k0"], {}), ("Sigmoid", ["k0"], ["ks"], {}), ("Mul", ["k0", "ks"], ["k"], {})],
             ["k"], {"wk": f32(32, 24)}, weight="wk", activation="n", **matrix),
        Step([("MatMul", ["n", "wu"], ["u0"], {}), ("Mul", ["u0", "k"], ["u"], {})], ["u"], {"wu": f32(32, 24)},
             weight="wu", activation="n", **matrix),
        Step([("MatMul", ["u", "wd"], ["d0"], {}), ("Add", ["d0", "q"], ["d"], {})], ["d"], {"wd": f32(24, 24)},
             weight="wd", activation="u", **matrix),
        Step([("MatMul", ["d", "wo"], ["y"], {})], ["y"], {"wo": f32(24, 8)}, weight="wo", activation="d", **matrix),
    ]  # fmt: skip
    return network(x, ["y"], steps), x


def convolutions(seed: int = 0, wide: float = 1.2, top: float = 6.0) -> tuple[Network, dict[str, Array]]:
    """Conv + Clip, depthwise + Relu, 1x1, 1x1: as in MobileNetV2, with rows of very different ranges."""
    rng = np.random.default_rng(seed)
    f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    rows = lambda count: np.exp(rng.standard_normal(count) * wide).astype(np.float32)[:, None, None, None]
    x = {"x": f32(1, 3, 10, 10)}
    limits = {"lo": np.asarray(0, np.float32), "hi": np.asarray(top, np.float32)}
    steps = [
        Step([("Conv", ["x", "w0", "b0"], ["c0"], PAD), ("Clip", ["c0", "lo", "hi"], ["a"], {})], ["a"],
             {"w0": f32(16, 3, 3, 3) * rows(16), "b0": f32(16), **limits}, Kind.CONV, "w0", activation="x", bias="b0"),
        Step([("Conv", ["a", "w1", "b1"], ["c1"], {**PAD, "group": 16}), ("Relu", ["c1"], ["b"], {})], ["b"],
             {"w1": f32(16, 1, 3, 3) * rows(16), "b1": f32(16)}, Kind.DEPTHWISE, "w1", activation="a", bias="b1"),
        Step([("Conv", ["b", "w2"], ["c"], {})], ["c"], {"w2": f32(16, 16, 1, 1) * rows(16)}, Kind.CONV, "w2",
             activation="b"),
        Step([("Conv", ["c", "w3", "b3"], ["y"], {})], ["y"], {"w3": f32(8, 16, 1, 1), "b3": f32(8)}, Kind.CONV, "w3",
             activation="c", bias="b3"),
    ]  # fmt: skip
    return network(x, ["y"], steps), x
