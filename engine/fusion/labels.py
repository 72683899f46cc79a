"""What a kernel does, in the words of the field: 'Conv 3×3 s2 + SiLU'."""

from __future__ import annotations

from collections.abc import Sequence

from engine.fusion.ops import ALREADY_QUANTIZED, CONVOLUTIONS, NAMES
from engine.fusion.view import View, scalar

_SHOWN = 4
"""Steps of a chain that are spelled out."""


def join_labels(labels: Sequence[str]) -> str:
    """Steps joined by '+', the middle of a long chain counted instead of named."""
    shown = [label for label in labels if label]
    if len(shown) <= _SHOWN:
        return " + ".join(shown)
    return f"{shown[0]} + {shown[1]} + … + {shown[-1]} ({len(shown)})"


def label_node(view: View, at: int) -> str:
    """Name of one node with what matters about it."""
    op = view.ops[at]
    if op in CONVOLUTIONS:
        return _convolution(view, at)
    if op in ("MaxPool", "AveragePool", "LpPool"):
        return _pool(view, at)
    if op == "Clip":
        return _clip(view, at)
    if op == "Cast" or op == "Dropout":
        return op
    return NAMES.get(op, op.rpartition(".")[2])


def _convolution(view: View, at: int) -> str:
    weight = view.shape(view.nodes[at].inputs[CONVOLUTIONS[view.ops[at]]])
    kernel, groups = weight[2:], view.attribute(at, "group", 1)
    name = NAMES["ConvTranspose"] if view.ops[at] == "ConvTranspose" else "Conv"
    depthwise = is_depthwise(view, at)
    prefix = ("Q" if view.ops[at] in ALREADY_QUANTIZED else "") + ("DW" if depthwise else "")
    rank = "" if len(kernel) == 2 else f"{len(kernel)}d"
    size = "×".join(map(str, kernel))
    group = f" g{groups}" if groups > 1 and not depthwise else ""
    return (
        f"{prefix}{name}{rank} {size}{_stretch(view, at, 's', 'strides')}{_stretch(view, at, 'd', 'dilations')}{group}"
    )


def is_depthwise(view: View, at: int) -> bool:
    """Whether each channel of a Conv is filtered by itself."""
    groups = view.attribute(at, "group", 1)
    if view.ops[at] not in CONVOLUTIONS or view.ops[at] == "ConvTranspose" or groups == 1:
        return False
    names = view.nodes[at].inputs
    return view.shape(names[CONVOLUTIONS[view.ops[at]]])[1] == 1 and view.shape(names[0])[1] == groups


def _stretch(view: View, at: int, letter: str, name: str) -> str:
    values = list(view.attribute(at, name, []))
    if all(value == 1 for value in values):
        return ""
    return f" {letter}" + (str(values[0]) if len(set(values)) == 1 else "×".join(map(str, values)))


def _pool(view: View, at: int) -> str:
    size = "×".join(map(str, view.attribute(at, "kernel_shape", [])))
    return f"{NAMES.get(view.ops[at], view.ops[at])} {size}{_stretch(view, at, 's', 'strides')}"


def _clip(view: View, at: int) -> str:
    names = (*view.nodes[at].inputs, "", "")
    low = scalar(view.constants.get(names[1])) if names[1] else view.attribute(at, "min", None)
    high = scalar(view.constants.get(names[2])) if names[2] else view.attribute(at, "max", None)
    if low == 0 and high == 6:
        return "ReLU6"
    return "ReLU" if low == 0 and high is None else "Clip"
