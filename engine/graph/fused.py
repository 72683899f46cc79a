"""Operators that ONNX Runtime's own optimizer has fused, said in those that it fused.

A model that was saved behind the optimizer (`optimized_model_filepath`, or a transformer tool) has layers in operators
of ONNX Runtime's own. Said in ONNX's they are layers like all others: with a switch, fused by the rules of the device,
and readable by every toolchain. After the operator descriptions of com.microsoft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

_DOMAIN = "com.microsoft"
_OLDEST = 11
"""The first operator set whose Clip takes its bounds as inputs."""
_ACTIVATION = ("activation", "activation_params", "activation_alpha", "activation_beta", "activation_gamma")
_PARAMETERS = {"LeakyRelu": ("alpha",), "HardSigmoid": ("alpha", "beta"), "Elu": ("alpha",)}
_PLAIN = frozenset({"Relu", "Sigmoid", "Tanh", *_PARAMETERS})


def unfused(model: onnx.ModelProto) -> None:
    """Replace fused layers by what they are made of, in place.

    Those with something that has no counterpart (a state that is handed on, transposed batches) stay as they are.
    """
    version = next((entry.version for entry in model.opset_import if entry.domain == ""), 0)
    graph = model.graph
    if version < _OLDEST or not any(node.domain == _DOMAIN and node.op_type in _RULES for node in graph.node):
        return
    constants = {tensor.name: tensor for tensor in graph.initializer}
    made: list[onnx.NodeProto] = []
    for node in graph.node:
        rule = _RULES.get(node.op_type) if node.domain == _DOMAIN else None
        work = _Parts(node, constants)
        parts = rule(work) if rule is not None else None
        if parts is None:
            made.append(node)
            continue
        made += parts
        graph.initializer.extend(work.stored)
    nodes = [_copy(node) for node in made]
    del graph.node[:]
    graph.node.extend(nodes)


class _Parts:
    """One fused node, and the constants that its parts need."""

    def __init__(self, node: onnx.NodeProto, constants: Mapping[str, onnx.TensorProto]) -> None:
        self.node, self.constants = node, constants
        self.given: dict[str, Any] = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
        self.output: str = node.output[0]
        self.stored: list[onnx.TensorProto] = []

    def input(self, at: int) -> str:
        """Name of an operand; '' where there is none."""
        return self.node.input[at] if at < len(self.node.input) else ""

    def constant(self, tag: str, array: Any) -> str:
        """Name of a new constant."""
        name = f"{self.output}/{tag}"
        self.stored.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def make(self, op: str, inputs: Iterable[str], output: str, tag: str = "", **given: Any) -> onnx.NodeProto:
        """A part; the one without a tag keeps the node's name."""
        made = helper.make_node(op, list(inputs), [output], f"{self.node.name}{tag}" if self.node.name else "", **given)
        made.metadata_props.extend(self.node.metadata_props)
        return made

    def activated(self, source: str) -> onnx.NodeProto | None:
        """The activation at the end of FusedConv and FusedGemm; None if it is one that nobody knows."""
        kind = self.given.get("activation", b"").decode()
        values = list(self.given.get("activation_params", ()))
        values += [self.given[name] for name in _ACTIVATION[2:] if name in self.given]
        if kind == "Clip" and len(values) >= 2:
            bounds = [self.constant(tag, np.float32(value)) for tag, value in zip(("min", "max"), values, strict=False)]
            return self.make("Clip", [source, *bounds], self.output, "/Clip")
        if kind not in _PLAIN:
            return None
        return self.make(
            kind, [source], self.output, f"/{kind}", **dict(zip(_PARAMETERS.get(kind, ()), values, strict=False))
        )

    def rest(self) -> dict[str, Any]:
        """Attributes of the layer itself."""
        return {name: value for name, value in self.given.items() if name not in _ACTIVATION}


Rule = Callable[[_Parts], list[onnx.NodeProto] | None]


def _conv(work: _Parts) -> list[onnx.NodeProto] | None:
    """Conv, then the sum with a fourth operand, then the activation."""
    inputs = [name for name in work.node.input[:3] if name]
    added, activation = work.input(3), "activation" in work.given
    ends = [f"{work.output}/conv" if added or activation else work.output, f"{work.output}/sum"]
    nodes = [work.make("Conv", inputs, ends[0], **work.rest())]
    if added:
        nodes.append(work.make("Add", [ends[0], added], ends[1] if activation else work.output, "/Add"))
    return _with_activation(work, nodes)


def _gemm(work: _Parts) -> list[onnx.NodeProto] | None:
    inputs = [name for name in work.node.input if name]
    end = f"{work.output}/gemm" if "activation" in work.given else work.output
    return _with_activation(work, [work.make("Gemm", inputs, end, **work.rest())])


def _with_activation(work: _Parts, nodes: list[onnx.NodeProto]) -> list[onnx.NodeProto] | None:
    if "activation" not in work.given:
        return nodes
    last = work.activated(nodes[-1].output[0])
    return None if last is None else [*nodes, last]


def _matmul(work: _Parts) -> list[onnx.NodeProto] | None:
    """MatMul of operands with their last two axes swapped, times alpha."""
    if work.given.get("transBatchA") or work.given.get("transBatchB"):
        return None
    nodes, inputs = [], []
    for at, swap in enumerate((work.given.get("transA", 0), work.given.get("transB", 0))):
        name = work.input(at)
        if swap:
            tensor = work.constants.get(name)
            if tensor is None or len(tensor.dims) < 2:  # the rank of what is computed is not known here
                return None
            axes = list(range(len(tensor.dims)))
            axes[-2:] = axes[:-3:-1]
            swapped = f"{work.output}/operand{at}"
            nodes.append(work.make("Transpose", [name], swapped, f"/Transpose{at}", perm=axes))
            name = swapped
        inputs.append(name)
    alpha = work.given.get("alpha", 1.0)
    end = work.output if alpha == 1.0 else f"{work.output}/product"
    nodes.append(work.make("MatMul", inputs, end))
    if alpha != 1.0:
        kinds = {tensor.data_type for name in work.node.input if (tensor := work.constants.get(name)) is not None}
        if len(kinds) != 1:
            return None
        factor = work.constant("alpha", np.asarray(alpha, helper.tensor_dtype_to_np_dtype(kinds.pop())))
        nodes.append(work.make("Mul", [end, factor], work.output, "/Mul"))
    return nodes


def _attention(work: _Parts) -> list[onnx.NodeProto] | None:
    """The product with the joined weights of query, key and value, and attention without weights behind it."""
    weight = work.constants.get(work.input(1))
    handed_on = any(work.input(at) for at in (4, 6)) or len([name for name in work.node.output if name]) > 1
    known = {"num_heads", "unidirectional", "scale", "mask_filter_value", "qkv_hidden_sizes"}
    if weight is None or len(weight.dims) != 2 or handed_on or not known.issuperset(work.given):
        return None
    sizes = work.given.get("qkv_hidden_sizes") or [weight.dims[1] // 3] * 3
    product, parts = f"{work.output}/qkv", [f"{work.output}/{letter}" for letter in "qkv"]
    nodes = [work.make("MatMul", [work.input(0), work.input(1)], product)]
    if work.input(2):
        nodes.append(work.make("Add", [product, work.input(2)], f"{product}/bias", "/Add"))
    split = work.make("Split", [nodes[-1].output[0], work.constant("sizes", np.asarray(sizes, np.int64))], "", axis=-1)
    split.name += "/Split" if split.name else ""
    del split.output[:]
    split.output.extend(parts)
    rest = {name: value for name, value in work.given.items() if name != "qkv_hidden_sizes"}
    inputs = [*parts, "", work.input(3), work.input(5)]
    while not inputs[-1]:
        inputs.pop()
    heads = work.make("MultiHeadAttention", inputs, work.output, "/MultiHeadAttention", domain=_DOMAIN, **rest)
    return [*nodes, split, heads]


_RULES: Mapping[str, Rule] = {
    "Attention": _attention,
    "FusedConv": _conv,
    "FusedGemm": _gemm,
    "FusedMatMul": _matmul,
}


def _copy(node: onnx.NodeProto) -> onnx.NodeProto:
    """A node that lives on when the graph's list is emptied."""
    made = onnx.NodeProto()
    made.CopyFrom(node)
    return made
