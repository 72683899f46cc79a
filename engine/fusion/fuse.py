"""Cutting a graph into kernels."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fusion.activations import find_activations
from engine.fusion.costs import count_macs, count_params
from engine.fusion.epilogue import ANCHORS, extended
from engine.fusion.fold import Folded, fold
from engine.fusion.group_norm import find_group_norms
from engine.fusion.groups import merge_chains
from engine.fusion.labels import is_depthwise, join_labels, label_node
from engine.fusion.names import display_name, unique_names
from engine.fusion.norms import find_norms, find_softmaxes
from engine.fusion.ops import KINDS
from engine.fusion.regions import Partition, Region
from engine.fusion.rotary import find_rotaries
from engine.fusion.rules import RULES, RuleSet
from engine.fusion.types import Kernel, Kind, Network, Rules
from engine.fusion.view import View
from engine.fusion.weights import explain_missing, find_weights
from engine.graph.types import Array, Graph


def fuse(graph: Graph, rules: Rules = "edge") -> Network:
    """Cut a graph into kernels by one of the two rule sets.

    Each node belongs to exactly one kernel (a folded BatchNorm to the one whose weights it went into), the kernels are
    in an order that can be run, and running their nodes gives what the model gives.
    """
    rule_set = RULES[rules]
    folded = fold(graph, affine=rule_set.affine)
    view = View(folded.nodes, folded.constants, graph.tensors, [info.name for info in graph.outputs])
    partition = _partition(view, rule_set)
    drafts = [_kernel(index, region, view, partition, folded) for index, region in enumerate(partition)]
    names = unique_names([kernel.name for kernel in drafts])
    kernels = tuple(_renamed(kernel, name) for kernel, name in zip(drafts, names, strict=True))
    return Network(graph, rules, kernels)


def _partition(view: View, rules: RuleSet) -> Partition:
    partition = Partition(view)
    if rules.named:
        for finder in (find_rotaries, find_group_norms, find_norms, find_activations):
            for region in finder(view):
                if partition.free(region.nodes):
                    partition.put(region)
        for region in find_softmaxes(view, partition):
            partition.put(region)
    # From the end: of two anchors that meet in an Add, the later one takes it.
    for at in reversed(range(len(view.nodes))):
        kind = kind_of(view, at)
        if kind in ANCHORS and partition.free((at,)):
            start = Region.of((at,), at, kind, label_node(view, at))
            partition.put(start)
            partition.put(extended(start, view, partition, rules, rules.operands))
    if rules.norm_epilogue:
        _extend_norms(view, partition, rules)
    for at in range(len(view.nodes)):
        if partition.free((at,)):
            partition.put(Region.of((at,), at, kind_of(view, at), label_node(view, at)))
    if rules.chains:
        merge_chains(partition, view)
    return partition


def _extend_norms(view: View, partition: Partition, rules: RuleSet) -> None:
    for at in range(len(view.nodes)):
        if partition.free((at,)) and kind_of(view, at) is Kind.NORM:
            partition.put(Region.of((at,), at, Kind.NORM, label_node(view, at)))
    for region in partition:
        if region.kind is Kind.NORM:
            partition.put(extended(region, view, partition, rules, operands=0))


def kind_of(view: View, at: int) -> Kind:
    """Kind of a kernel whose anchor is this node."""
    op = view.ops[at]
    kind = KINDS.get(op, Kind.OTHER)
    if op == "Conv" and is_depthwise(view, at):
        return Kind.DEPTHWISE
    if op in ("MatMul", "Gemm", "Einsum") and all(name not in view.constants for name in view.nodes[at].inputs[:2]):
        return Kind.MATMUL_DYNAMIC
    if op == "Gather" and find_weights(view, at, None, {}):
        return Kind.EMBEDDING
    return kind


def _kernel(index: int, region: Region, view: View, partition: Partition, folded: Folded) -> Kernel:
    nodes = tuple(view.nodes[at] for at in region.nodes)
    made = {name for at in region.nodes for name in view.outputs[at]}
    read = dict.fromkeys(name for at in region.nodes for name in view.inputs[at] if name not in made)
    constants: dict[str, Array] = {
        name: view.constants[name] for node in nodes for name in node.inputs if name in view.constants
    }
    weights = find_weights(view, region.anchor, region.bias, folded.origins)
    weight = weights[0] if weights else None
    outputs = partition.outputs(region) or view.outputs[region.last][:1]
    anchor_output = view.outputs[region.anchor][0]
    return Kernel(
        id=folded.names.get(anchor_output, anchor_output),
        index=index,
        name=display_name(nodes, view.nodes[region.anchor], weight, named=region.kind is Kind.NORM),
        op=_op_text(region),
        kind=region.kind,
        nodes=nodes,
        anchor=region.nodes.index(region.anchor),
        inputs=tuple(read),
        outputs=outputs,
        constants=constants,
        weight=weight,
        why_not=None if weight else explain_missing(view, region.anchor, region.kind),
        params=count_params(view, region.nodes, folded.origins, {each.constant for each in weights}),
        macs=count_macs(view, region.nodes),
        more_weights=weights[1:],
    )


def _op_text(region: Region) -> str:
    labels = region.labels
    if region.kind is Kind.EMBEDDING:
        labels = ("Embedding", *labels[1:])
    return join_labels(labels)


def _renamed(kernel: Kernel, name: str) -> Kernel:
    values: Mapping[str, object] = {field: getattr(kernel, field) for field in Kernel.__dataclass_fields__}
    return Kernel(**{**values, "name": name})  # type: ignore[arg-type]
