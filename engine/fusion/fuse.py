"""Cutting a graph into kernels."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fusion.activations import find_activations
from engine.fusion.costs import count_macs, count_params
from engine.fusion.epilogue import ANCHORS, extended
from engine.fusion.fold import Folded, fold
from engine.fusion.group_norm import find_group_norms
from engine.fusion.groups import merge_chains
from engine.fusion.kinds import kind_of
from engine.fusion.labels import join_labels, label_node
from engine.fusion.names import display_name, unique_names
from engine.fusion.norms import find_norms, find_softmaxes
from engine.fusion.ops import ALREADY_QUANTIZED
from engine.fusion.quantized import find_integer_products, find_pairs, take_pairs
from engine.fusion.regions import Partition, Region
from engine.fusion.rotary import find_rotaries
from engine.fusion.rules import RULES, RuleSet
from engine.fusion.sealed import find_sealed, why_sealed, why_too_new
from engine.fusion.stored import find_stored
from engine.fusion.types import Kernel, Kind, Network, Rules
from engine.fusion.view import View
from engine.fusion.weights import explain_missing, find_weights
from engine.graph.types import Array, Graph
from engine.progress import NEVER, CancelToken


def fuse(graph: Graph, rules: Rules = "edge", *, cancel: CancelToken = NEVER) -> Network:
    """Cut a graph into kernels by one of the two rule sets.

    Each node belongs to exactly one kernel (a folded BatchNorm to the one whose weights it went into), the kernels are
    in an order that can be run, and running their nodes gives what the model gives.

    Raises:
        Cancelled: `cancel` was raised.
    """
    rule_set = RULES[rules]
    cancel.check()
    folded = fold(graph, affine=rule_set.affine, cancel=cancel)
    view = View(folded.nodes, folded.constants, graph.tensors, [info.name for info in graph.outputs])
    cancel.check()
    partition = partition_of(view, rule_set, cancel)
    drafts = []
    for index, region in enumerate(partition):
        cancel.check()
        drafts.append(_kernel(index, region, view, partition, folded, graph.opsets.get("", 0)))
    names = unique_names([kernel.name for kernel in drafts])
    kernels = tuple(_renamed(kernel, name) for kernel, name in zip(drafts, names, strict=True))
    return Network(graph, rules, kernels)


def partition_of(view: View, rules: RuleSet, cancel: CancelToken = NEVER) -> Partition:
    """All nodes in regions."""
    partition = Partition(view)
    for finder in (find_integer_products, find_pairs):
        cancel.check()
        for region in finder(view):
            partition.put(region)
    for region in find_sealed(view, partition):
        partition.put(region)
    if rules.named:
        for finder in (find_rotaries, find_group_norms, find_norms, find_activations):
            cancel.check()
            for region in finder(view):
                if partition.free(region.nodes):
                    partition.put(region)
        for region in find_softmaxes(view, partition):
            partition.put(region)
    cancel.check()
    _extend_anchors(view, partition, rules)
    cancel.check()
    if rules.norm_epilogue:
        _extend_norms(view, partition, rules)
    for at in range(len(view.nodes)):
        if partition.free((at,)):
            partition.put(Region.of((at,), at, kind_of(view, at), label_node(view, at)))
    cancel.check()
    take_pairs(partition, view)
    cancel.check()
    if rules.chains:
        merge_chains(partition, view)
    return partition


def _extend_anchors(view: View, partition: Partition, rules: RuleSet) -> None:
    """From the end: of two anchors that meet in an Add, the later one takes it."""
    for at in reversed(range(len(view.nodes))):
        kind = kind_of(view, at)
        start = partition.owner(at) or Region.of((at,), at, kind, label_node(view, at))
        if kind in ANCHORS and start.anchor == at and start.kind is kind:
            partition.put(start)
            partition.put(extended(start, view, partition, rules, rules.operands))


def _extend_norms(view: View, partition: Partition, rules: RuleSet) -> None:
    for at in range(len(view.nodes)):
        if partition.free((at,)) and kind_of(view, at) is Kind.NORM:
            partition.put(Region.of((at,), at, Kind.NORM, label_node(view, at)))
    for region in partition:
        if region.kind is Kind.NORM:
            partition.put(extended(region, view, partition, rules, operands=0))


def _kernel(index: int, region: Region, view: View, partition: Partition, folded: Folded, opset: int) -> Kernel:
    nodes = tuple(view.nodes[at] for at in region.nodes)
    made = {name for at in region.nodes for name in view.outputs[at]}
    read = dict.fromkeys(name for at in region.nodes for name in view.inputs[at] if name not in made)
    constants: dict[str, Array] = {
        name: view.constants[name] for node in nodes for name in node.inputs if name in view.constants
    }
    sealed = why_sealed(view, region)
    weights = () if sealed else find_weights(view, region.anchor, region.bias, folded.origins)
    sealed = sealed or why_too_new(opset, weights)
    weights = () if sealed else weights
    weight = weights[0] if weights else None
    params = count_params(view, region.nodes, folded.origins, {each.constant for each in weights})
    outputs = partition.outputs(region) or view.outputs[region.last][:1]
    anchor_output = view.outputs[region.anchor][0]
    return Kernel(
        id=folded.names.get(anchor_output, anchor_output),
        index=index,
        name=display_name(nodes, view.nodes[region.anchor], weight, named=_is_layer(view, region)),
        op=_op_text(region),
        kind=region.kind,
        nodes=nodes,
        anchor=region.nodes.index(region.anchor),
        inputs=tuple(read),
        outputs=outputs,
        constants=constants,
        weight=weight,
        why_not=None if weight else sealed or explain_missing(view, region.anchor, region.kind, params),
        params=params,
        macs=count_macs(view, region.nodes),
        more_weights=weights[1:],
        stored=find_stored(view, region.anchor, region.nodes, weight, folded.stored),
    )


def _is_layer(view: View, region: Region) -> bool:
    """Whether people call a kernel without a weight by the name of its module."""
    return region.kind is Kind.NORM or view.ops[region.anchor] in ALREADY_QUANTIZED


def _op_text(region: Region) -> str:
    labels = region.labels
    if region.kind is Kind.EMBEDDING:
        labels = ("Embedding", *labels[1:])
    return join_labels(labels)


def _renamed(kernel: Kernel, name: str) -> Kernel:
    values: Mapping[str, object] = {field: getattr(kernel, field) for field in Kernel.__dataclass_fields__}
    return Kernel(**{**values, "name": name})  # type: ignore[arg-type]
