"""Folding BatchNorm and other per-channel affine steps into the weights in front of them.

y = s * (W x + b) + t  becomes  y = (s W) x + (s b + t), with s and t per output channel. For BatchNorm
s = gamma / sqrt(var + eps), t = beta - s * mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import onnx

from engine.fusion.view import View, attribute
from engine.graph.types import Array, Graph, Node, StoredFormat
from engine.progress import NEVER, CancelToken

Affine = tuple[Array, Array]
"""Factor and offset per channel, float64."""


@dataclass(frozen=True, slots=True)
class Folded:
    """Nodes after folding, with the constants they now read."""

    nodes: tuple[Node, ...]
    constants: Mapping[str, Array]
    origins: Mapping[str, str]
    stored: Mapping[str, StoredFormat]
    """Constants that the file holds in fewer bits; a folded one has the scales of its channels changed."""
    names: Mapping[str, str]
    """Output of a folded anchor -> output that the anchor has in the file."""


def fold(graph: Graph, *, affine: bool, cancel: CancelToken = NEVER) -> Folded:
    """Fold into every Conv, ConvTranspose and Gemm what can be folded.

    Args:
        graph: The model.
        affine: Fold per-channel Mul and Add (a bias in a node of its own) as well as BatchNorm.
        cancel: Checked at every layer.

    Raises:
        Cancelled: `cancel` was raised.
    """
    view = View(graph.nodes, graph.constants, graph.tensors, [info.name for info in graph.outputs])
    constants, origins, stored = dict(graph.constants), dict(graph.origins), dict(graph.stored)
    replaced: dict[int, Node | None] = {}
    names: dict[str, str] = {}
    for at, op in enumerate(view.ops):
        cancel.check()
        if op not in ("Conv", "ConvTranspose", "Gemm") or not _constant_weights(view, at):
            continue
        followers, step = _followers(view, at, affine)
        if step is None:
            continue
        last = followers[-1]
        anchor = _scaled(view, at, step, view.outputs[last][0], constants, origins)
        if (form := stored.get(view.nodes[at].inputs[1])) is not None:
            each = "channel" if form.granularity == "tensor" and not form.floating else form.granularity
            stored[anchor.inputs[1]] = replace(form, granularity=each)
        # The folded node stands where the last of its followers stood: its other readers come later anyway.
        replaced.update(dict.fromkeys((at, *followers)))
        replaced[last] = anchor
        names[view.outputs[last][0]] = view.outputs[at][0]
    nodes = (replaced.get(at, node) for at, node in enumerate(view.nodes))
    return Folded(tuple(node for node in nodes if node is not None), constants, origins, stored, names)


def _constant_weights(view: View, at: int) -> bool:
    names = view.nodes[at].inputs
    weights = [name for name in names[1:3] if name]
    return bool(weights) and all(name in view.constants and view.constants[name].dtype.kind == "f" for name in weights)


def _channels(view: View, at: int) -> int:
    return view.shape(view.outputs[at][0])[1]


def _followers(view: View, at: int, affine: bool) -> tuple[list[int], Affine | None]:
    """Nodes behind `at` that are affine per channel, and what they do together."""
    followers: list[int] = []
    total: Affine | None = None
    tensor = view.outputs[at][0]
    while (reader := view.sole_reader(tensor)) is not None:
        step = _batch_norm(view, reader, tensor)
        if step is None and affine:
            step = _per_channel(view, reader, tensor, _channels(view, at), scalar_add=bool(followers))
        if step is None:
            break
        total = step if total is None else (total[0] * step[0], total[1] * step[0] + step[1])
        followers.append(reader)
        tensor = view.outputs[reader][0]
    if total is not None and not (np.isfinite(total[0]).all() and np.isfinite(total[1]).all()):
        return [], None
    return followers, total


def _batch_norm(view: View, at: int, tensor: str) -> Affine | None:
    node = view.nodes[at]
    if view.ops[at] != "BatchNormalization" or node.inputs[0] != tensor or len(view.outputs[at]) != 1:
        return None
    if attribute(node, "training_mode", 0) or not all(name in view.constants for name in node.inputs[1:5]):
        return None
    gamma, beta, mean, var = (view.constants[name].astype(np.float64) for name in node.inputs[1:5])
    with np.errstate(all="ignore"):
        factor = gamma / np.sqrt(var + attribute(node, "epsilon", 1e-5))
    return factor, beta - factor * mean


def _per_channel(view: View, at: int, tensor: str, channels: int, *, scalar_add: bool) -> Affine | None:
    """Mul, Div, Add or Sub by one constant, or by one per channel (axis 1).

    A lone scalar in an Add may be the first step of an activation (`clip(x + 3) / 6`) and is left alone.
    """
    constant = view.constant_input(at)
    op, rank = view.ops[at], len(view.shape(tensor))
    if op not in ("Mul", "Div", "Add", "Sub") or constant is None or constant.dtype.kind != "f" or constant.ndim > rank:
        return None
    shape = (1,) * (rank - constant.ndim) + constant.shape
    if constant.size == 1 and (scalar_add or op in ("Mul", "Div")):
        values = np.full(channels, constant.reshape(()), np.float64)
    elif constant.size == channels > 1 and shape == (1, channels) + (1,) * (rank - 2):
        values = constant.astype(np.float64).reshape(channels)
    else:
        return None
    first = view.nodes[at].inputs[0] == tensor
    one, zero = np.ones(channels), np.zeros(channels)
    if op == "Mul":
        return values, zero
    if op == "Div":
        return (1 / values, zero) if first and values.all() else None
    if op == "Add":
        return one, values
    return (one, -values) if first else (-one, values)


def _scaled(
    view: View, at: int, step: Affine, output: str, constants: dict[str, Array], origins: dict[str, str]
) -> Node:
    """The anchor with scaled weights under new names, writing `output`."""
    node, (factor, offset) = view.nodes[at], step
    weight = view.constants[node.inputs[1]]
    bias_name = node.inputs[2] if len(node.inputs) > 2 else ""
    beta = float(attribute(node, "beta", 1.0)) if view.ops[at] == "Gemm" else 1.0
    bias = view.constants[bias_name].astype(np.float64) * beta if bias_name else np.zeros(1)
    arrays = {
        _fresh(f"{node.inputs[1]}.folded", constants): (weight * _spread(view, at, factor, weight)).astype(
            weight.dtype
        ),
    }
    constants.update(arrays)
    (weight_name,) = arrays
    new_bias = _fresh(f"{bias_name or node.inputs[1] + '.bias'}.folded", constants)
    constants[new_bias] = (np.broadcast_to(bias * factor + offset, _bias_shape(bias, factor))).astype(weight.dtype)
    for new, old in ((weight_name, node.inputs[1]), (new_bias, bias_name)):
        constants[new].flags.writeable = False
        if old:
            origins[new] = origins.get(old, old)
    proto = onnx.NodeProto()
    proto.CopyFrom(node.proto)
    del proto.input[1:]
    proto.input.extend([weight_name, new_bias])
    proto.output[0] = output
    if view.ops[at] == "Gemm":
        kept = [entry for entry in node.proto.attribute if entry.name != "beta"]
        del proto.attribute[:]
        proto.attribute.extend(kept)
    return Node(node.index, proto, node.scope, node.captured)


def _bias_shape(bias: Array, factor: Array) -> tuple[int, ...]:
    return tuple(np.broadcast_shapes(bias.shape, factor.shape))


def _spread(view: View, at: int, factor: Array, weight: Array) -> Array:
    """The factor per output channel, shaped to multiply the weight."""
    if view.ops[at] == "Gemm":
        return factor[:, None] if view.attribute(at, "transB", 0) else factor[None, :]
    if view.ops[at] == "Conv":
        return factor.reshape(-1, *(1,) * (weight.ndim - 1))
    groups = view.attribute(at, "group", 1)
    per_group = factor.reshape(groups, 1, -1)  # [groups, inputs per group, outputs per group]
    rows = np.broadcast_to(per_group, (groups, weight.shape[0] // groups, weight.shape[1]))
    return rows.reshape(weight.shape[0], weight.shape[1], *(1,) * (weight.ndim - 2))


def _fresh(name: str, taken: Mapping[str, Array]) -> str:
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}.{count}"
    return candidate
