"""Names of layers in other tools: what is written, and which kernel a name that is read means.

Skip lists, command lines and ini files separate by commas, semicolons, colons, equals signs and spaces, and several
tools know a node only by its name. So every node gets one that is unique and free of those signs; nodes that have such
a name keep it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.fusion.types import Kernel, Network
from engine.interop.unique import unique

_UNSAFE = re.compile(r"[^A-Za-z0-9_./+\-]")
_PARAMETER = re.compile(r"[._/](weight|w_0|kernel|w)$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class LayerNames:
    """Names in a model that is handed over."""

    nodes: tuple[str, ...]
    """Of `Graph.nodes`, by position."""
    tensors: Mapping[str, str]
    """Activation or constant -> name; those that bodies of If and Loop read keep theirs."""
    anchors: Mapping[str, str]
    """Kernel id -> name of its anchor node."""
    weights: Mapping[str, str]
    """Kernel id -> name of its weight's initializer."""
    modules: Mapping[str, str]
    """Kernel id -> name of the module that the layer was in PyTorch, as far as its weight or scope tells; unique."""
    renamed: tuple[tuple[str, str], ...]
    """Names that were changed, old and new; '' for a node that had none."""

    @cached_property
    def kernels(self) -> Mapping[str, str]:
        """Anchor node -> kernel id."""
        return {name: kernel for kernel, name in self.anchors.items()}


def layer_names(network: Network) -> LayerNames:
    """Find a name for everything in `network.graph`."""
    graph = network.graph
    nodes, renamed = [], []
    own = [node.proto.name for node in graph.nodes]
    uses = Counter(own)
    # Good names are taken first, so that a cleaned one never pushes a good one aside.
    good = {name for name in own if name and not _UNSAFE.search(name) and uses[name] == 1}
    taken = dict.fromkeys(good, 1)
    for index, node in enumerate(graph.nodes):
        if own[index] in good:
            nodes.append(own[index])
            continue
        name = unique(_clean(own[index]) or f"{node.proto.op_type}_{index}", taken)
        nodes.append(name)
        if name != own[index]:
            renamed.append((own[index], name))
    tensors = _tensor_names(network, renamed)
    anchors, weights = {}, {}
    producer = {name: at for at, node in enumerate(graph.nodes) for name in node.outputs if name}
    for kernel in network.kernels:
        at = _anchor(kernel, producer)
        anchors[kernel.id] = nodes[at]
        if kernel.weight is not None:
            slot = kernel.nodes[kernel.anchor].inputs.index(kernel.weight.constant)
            weights[kernel.id] = tensors[graph.nodes[at].inputs[slot]]
    return LayerNames(tuple(nodes), tensors, anchors, weights, _modules(network, anchors), tuple(renamed))


def _anchor(kernel: Kernel, producer: Mapping[str, int]) -> int:
    """Position in the graph of the node that a kernel is named after; BatchNorm folding may have replaced it."""
    for output in (kernel.id, *(name for name in kernel.nodes[kernel.anchor].outputs if name)):
        if output in producer:
            return producer[output]
    return kernel.nodes[kernel.anchor].index


def _tensor_names(network: Network, renamed: list[tuple[str, str]]) -> dict[str, str]:
    graph = network.graph
    names = dict.fromkeys(info.name for info in graph.inputs)
    for node in graph.nodes:
        names.update(dict.fromkeys(name for name in (*node.inputs, *node.outputs) if name))
    names.update(dict.fromkeys(info.name for info in graph.outputs))
    kept = {name for node in graph.nodes for name in node.captured}
    taken = {name: 1 for name in names if name in kept or not _UNSAFE.search(name)}
    result = {}
    for name in names:
        if name in taken:
            result[name] = name
            continue
        result[name] = unique(_clean(name) or "tensor", taken)
        renamed.append((name, result[name]))
    return result


def _modules(network: Network, anchors: Mapping[str, str]) -> dict[str, str]:
    taken: dict[str, int] = {}
    result = {}
    for kernel in network.tunable:
        assert kernel.weight is not None
        node = kernel.nodes[kernel.anchor]
        origin = kernel.weight.origin
        stem = _PARAMETER.sub("", origin)
        # An exporter's own names ('onnx::MatMul_799') end in no parameter; then the scope knows better.
        name = stem if stem != origin else (node.scope or anchors[kernel.id])
        result[kernel.id] = unique(name, taken)
    return result


def _clean(name: str) -> str:
    return _UNSAFE.sub("_", name)
