"""Nodes whose gradients are checked: what ONNX's own test models leave out or make too big."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from derivatives import Case
from onnx import helper

_RNG = np.random.default_rng(11)


def _random(*shape: int) -> np.ndarray:
    return _RNG.standard_normal(shape).astype(np.float32)


def _distinct(*shape: int) -> np.ndarray:
    """No two elements near each other: maxima have no ties."""
    size = int(np.prod(shape))
    return (_RNG.permutation(size) * np.float32(0.1)).reshape(shape).astype(np.float32)


def _ints(*values: int) -> np.ndarray:
    return np.asarray(values, np.int64)


def _one(op: str, feeds: dict, constants: dict | None = None, *, opset: int = 21, outputs=("y",), domain="", **attrs):
    constants = constants or {}
    order = [*feeds, *constants]
    return Case([helper.make_node(op, order, list(outputs), domain=domain, **attrs)], feeds, constants, opset)


def convolutions() -> Iterator[tuple[str, Case]]:
    """Every way in which a convolution's backward pass is written."""
    picture = _random(2, 6, 9, 10)
    for name, weight, attributes in (
        ("same size", (4, 6, 3, 3), {"pads": [1, 1, 1, 1]}),
        ("pointwise", (5, 6, 1, 1), {}),
        ("pointwise stride 2", (5, 6, 1, 1), {"strides": [2, 2]}),
        ("strides 3 and 2, uneven pads", (4, 6, 4, 3), {"strides": [3, 2], "pads": [0, 2, 1, 0]}),
        ("depthwise", (6, 1, 3, 3), {"group": 6, "pads": [1, 1, 1, 1]}),
        ("depthwise, multiplier 2, stride 2", (12, 1, 5, 5), {"group": 6, "strides": [2, 2], "pads": [2, 2, 2, 2]}),
        ("groups, dilated", (4, 3, 3, 3), {"group": 2, "dilations": [2, 3], "pads": [2, 2, 2, 2]}),
        ("dilated with strides", (4, 6, 3, 2), {"strides": [2, 2], "dilations": [2, 1]}),
        ("padding beyond the kernel", (4, 6, 1, 1), {"pads": [1, 2, 0, 1]}),
        ("automatic padding, upper", (4, 6, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ("automatic padding, lower", (4, 6, 4, 4), {"auto_pad": "SAME_LOWER"}),
    ):
        yield f"Conv {name}", _one("Conv", {"x": picture}, {"w": _random(*weight)}, **attributes)
    yield "Conv 1-d", _one("Conv", {"x": _random(2, 3, 17)}, {"w": _random(4, 3, 5)}, strides=[3], pads=[1, 2])
    volume = {"strides": [2, 1, 2], "pads": [1] * 6}
    yield "Conv 3-d", _one("Conv", {"x": _random(1, 2, 5, 6, 7)}, {"w": _random(3, 2, 3, 3, 3)}, **volume)
    for name, weight, attributes in (
        ("stride 2", (6, 4, 2, 2), {"strides": [2, 2]}),
        ("output padding", (6, 4, 3, 3), {"strides": [2, 2], "pads": [1] * 4, "output_padding": [1, 1]}),
        ("groups, dilated", (6, 2, 3, 4), {"group": 3, "strides": [1, 2], "dilations": [2, 1]}),
        ("given size", (6, 4, 3, 3), {"strides": [2, 2], "output_shape": [18, 19]}),
        ("automatic padding", (6, 4, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ):
        yield f"ConvTranspose {name}", _one("ConvTranspose", {"x": picture}, {"w": _random(*weight)}, **attributes)


def products() -> Iterator[tuple[str, Case]]:
    """Operands on both sides, constant or not, broadcast or vectors."""
    for a in (0, 1):
        for b in (0, 1):
            feeds = {
                "x": _random(*((5, 3) if a else (3, 5))),
                "z": _random(*((4, 5) if b else (5, 4))),
                "c": _random(4),
            }
            yield f"Gemm {a}{b}", _one("Gemm", feeds, transA=a, transB=b, alpha=0.6, beta=1.4)
    yield "Gemm by a constant", _one("Gemm", {"x": _random(3, 5)}, {"w": _random(4, 5)}, transB=1)
    for name, left, right in (
        ("matrices", (3, 4), (4, 5)),
        ("batched", (2, 3, 4, 5), (2, 3, 5, 6)),
        ("broadcast batch", (2, 1, 4, 5), (3, 5, 6)),
        ("batch by matrix", (2, 4, 5), (5, 6)),
        ("vector on the left", (5,), (3, 5, 6)),
        ("vector on the right", (3, 4, 5), (5,)),
        ("two vectors", (5,), (5,)),
    ):
        yield f"MatMul {name}", _one("MatMul", {"x": _random(*left), "z": _random(*right)})
    yield "MatMul by a constant", _one("MatMul", {"x": _random(2, 3, 5)}, {"w": _random(5, 4)})
    node = helper.make_node("MatMul", ["w", "x"], ["y"])
    yield "MatMul, constant on the left", Case([node], {"x": _random(5, 3)}, {"w": _random(2, 4, 5)})
    attention = {"x": _random(2, 2, 3, 4), "z": _random(2, 2, 5, 4)}
    yield "Einsum", _one("Einsum", attention, equation="bhid,bhjd->bhij")


def windows() -> Iterator[tuple[str, Case]]:
    """Pooling, resizing, local response."""
    picture = _random(2, 3, 8, 9)
    for at, attributes in enumerate((
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
        {"kernel_shape": [3, 2], "strides": [2, 1], "ceil_mode": 1},
        {"kernel_shape": [2, 3], "auto_pad": "SAME_UPPER"},
        {"kernel_shape": [2, 2], "dilations": [2, 3]},
    )):  # fmt: skip
        yield f"MaxPool {at}", _one("MaxPool", {"x": _distinct(2, 3, 8, 9)}, **attributes)
        yield f"AveragePool {at}", _one("AveragePool", {"x": picture}, **attributes)
    counted = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}
    yield "AveragePool counting pads", _one("AveragePool", {"x": picture}, **counted)
    yield "MaxPool 1-d", _one("MaxPool", {"x": _distinct(2, 3, 11)}, kernel_shape=[3], strides=[2])
    yield "LRN", _one("LRN", {"x": _random(2, 7, 3, 2)}, size=5, alpha=0.4, beta=0.6, bias=1.1)
    for mode in ("nearest", "linear", "cubic"):
        nodes = [helper.make_node("Resize", ["x", "", "s"], ["y"], mode=mode)]
        scales = {"s": np.asarray([1, 1, 2, 2.5], np.float32)}
        yield f"Resize {mode} by scales", Case(nodes, {"x": _random(1, 2, 5, 6)}, scales, 21)
        corners = {"mode": mode, "coordinate_transformation_mode": "align_corners"}
        nodes = [helper.make_node("Resize", ["x", "", "", "z"], ["y"], **corners)]
        yield f"Resize {mode} to sizes", Case(nodes, {"x": _random(1, 2, 5, 6)}, {"z": _ints(1, 2, 8, 3)}, 21)
    nodes = [helper.make_node("Resize", ["x", "", "s"], ["y"], mode="nearest",
                              coordinate_transformation_mode="asymmetric", nearest_mode="floor")]  # fmt: skip
    scales = {"s": np.asarray([1, 1, 2, 4], np.float32)}
    yield "Resize by whole factors", Case(nodes, {"x": _random(1, 2, 5, 6)}, scales, 21)


def contributed() -> Iterator[tuple[str, Case]]:
    """Operators of ONNX Runtime's own domain."""
    own = {"domain": "com.microsoft"}
    for op in ("Gelu", "FastGelu", "QuickGelu"):
        yield op, _one(op, {"x": _random(3, 17)}, **own)
    norm = {"x": _random(2, 3, 8), "z": _random(2, 3, 8)}
    constants = {"gamma": _random(8), "beta": _random(8), "bias": _random(8)}
    yield "SkipLayerNormalization", _one("SkipLayerNormalization", norm, constants, **own)
    simple = {"gamma": _random(8), "bias": _random(8)}
    yield "SkipSimplifiedLayerNormalization", _one("SkipSimplifiedLayerNormalization", norm, simple, **own)
    nodes = [
        helper.make_node("SkipSimplifiedLayerNormalization", ["x", "z", "gamma"], ["n", "", "", "s"], **own),
        helper.make_node("Add", ["n", "s"], ["y"]),
    ]
    yield "SkipSimplifiedLayerNormalization with its sum", Case(nodes, norm, {"gamma": _random(8)}, 21)
    yield "SimplifiedLayerNormalization", _one("SimplifiedLayerNormalization", {"x": _random(2, 8)}, {"g": _random(8)})


def wiring() -> Iterator[tuple[str, Case]]:
    """Tensors read several times, split, concatenated, chosen."""
    make = helper.make_node
    nodes = [make("Mul", ["x", "x"], ["a"]), make("Add", ["a", "x"], ["b"]), make("Mul", ["b", "a"], ["y"])]
    yield "fan-out", Case(nodes, {"x": _random(3, 4)})
    nodes = [
        make("Split", ["x", "k"], ["a", "b", "c"], axis=1),
        make("Concat", ["c", "z", "a"], ["y"], axis=-1),
    ]
    yield "Split with an unread part", Case(nodes, {"x": _random(2, 6), "z": _random(2, 2)}, {"k": _ints(1, 2, 3)})
    nodes = [make("Greater", ["x", "k"], ["c"]), make("Where", ["c", "x", "z"], ["y"])]
    yield "Where", Case(nodes, {"x": _random(2, 3), "z": _random(3)}, {"k": np.float32(0.1)})
    yield "Gather with repeats", _one("Gather", {"x": _random(3, 4)}, {"k": np.asarray([[0, 2], [2, 2]])}, axis=0)
    yield "Pad, negative", _one("Pad", {"x": _random(4, 5)}, {"k": _ints(-1, 2, 0, -1)})
    yield "Pad, wrapped", _one("Pad", {"x": _random(4, 5)}, {"k": _ints(1, 2, 2, 1)}, mode="wrap")
    yield "Trilu", _one("Trilu", {"x": _random(2, 4, 5)}, upper=0)
    yield "CumSum", _one("CumSum", {"x": _random(3, 4)}, {"k": np.asarray(1)}, exclusive=1)
    yield "CumSum, reversed", _one("CumSum", {"x": _random(3, 4)}, {"k": np.asarray(0)}, reverse=1)
    yield "Shrink", _one("Shrink", {"x": _random(3, 9)}, lambd=0.4, bias=0.1)
    yield "ReduceLogSumExp", _one("ReduceLogSumExp", {"x": _random(2, 3, 4)}, {"k": _ints(0, 2)}, keepdims=0)
    yield "PRelu", _one("PRelu", {"x": _random(2, 3, 4)}, {"w": _random(3, 1)})
    yield "square root as a power", _one("Pow", {"x": np.abs(_random(3, 4)) + 0.5}, {"p": np.float32(0.5)})
    yield "power with a gradient of its own", _one("Pow", {"x": np.abs(_random(2, 4)) + 0.5, "z": _random(4)})
