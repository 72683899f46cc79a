"""Several versions of one kernel in one graph: what they have in common is there once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx

from engine.fusion.types import Kernel
from engine.graph.types import Array
from engine.numerics.blocks import filter_blocks
from engine.numerics.models import has_bodies
from engine.numerics.relayout import IN_BLOCKS
from engine.numerics.table_rows import by_row
from engine.numerics.weight_nodes import preview_weight, stem_of
from engine.precision.scheme import Scheme
from engine.quant.weights import fake_quantize

_SMALL = 64
"""Constants of up to that many elements are one where their values are; larger ones only where they are one array."""

Version = tuple[Sequence[onnx.NodeProto], Mapping[str, Array]]
"""Nodes in runnable order and the constants that they read."""


@dataclass(frozen=True, eq=False, slots=True)
class Joined:
    """All versions, ready to be put into one model."""

    nodes: tuple[onnx.NodeProto, ...]
    constants: Mapping[str, Array]
    results: tuple[Mapping[str, str], ...]
    """Per version: each output's name in the joint graph; versions that compute the same have the same names."""


def join(versions: Sequence[Version], outputs: Sequence[str]) -> Joined | None:
    """Put versions of a kernel side by side.

    A node that reads the same values and has the same attributes as one before is left out, so that what versions
    have in common (a cast of the input, all that stands in front of the weight) runs once. Each remaining node is what
    it was: results are those of every version by itself.

    Args:
        versions: They read the same inputs under the same names; their nodes are left as they are.
        outputs: What is wanted of each.

    Returns:
        The joint graph, or None where a node has graphs inside, which may read names of the outside.
    """
    if any(has_bodies(nodes) for nodes, _ in versions):
        return None
    work = _Work()
    results = tuple(work.add(number, *version, outputs) for number, version in enumerate(versions))
    return Joined(tuple(work.nodes), work.constants, results)


def with_weights(
    kernel: Kernel, version: Version, before: Scheme, scheme: Scheme, block: int, rows: Array | None = None
) -> Version:
    """A version with its weights in another format: writing its nodes once more takes longer than rounding.

    Args:
        kernel: Whose.
        version: It under `before`.
        before: Its scheme; of the same activations as `scheme`, both rounded to nearest.
        scheme: The other.
        block: Channels per block, where the version reads weights in blocks.
        rows: As for `lower`.
    """
    nodes, constants = version[0], dict(version[1])
    for weight in kernel.weights:
        stem, original = stem_of(weight, before.weights), kernel.constants[weight.constant]
        if rows is not None and by_row(weight, scheme.weights):
            original = original[rows]
        values = fake_quantize(original, weight, scheme.weights).values
        made = preview_weight(values, weight, scheme.weights, original.dtype)
        rounded = made.constants[made.output]
        if stem in constants:
            constants[stem] = rounded
        if stem + IN_BLOCKS in constants:
            reader = next(node for node in nodes if stem + IN_BLOCKS in node.input)
            groups = next((attribute.i for attribute in reader.attribute if attribute.name == "group"), 1)
            ordered = filter_blocks(rounded, groups, block)
            assert ordered is not None, "the other version has it so"
            constants[stem + IN_BLOCKS] = ordered
    return nodes, constants


@dataclass(slots=True)
class _Work:
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)
    same: dict[object, Sequence[str]] = field(default_factory=dict)
    """What a node computes, or a constant holds -> under which names it is known."""

    def add(
        self, number: int, nodes: Sequence[onnx.NodeProto], constants: Mapping[str, Array], outputs: Sequence[str]
    ) -> Mapping[str, str]:
        """Take in one version; returns the new names of its outputs."""
        names = {name: self._constant(number, name, array) for name, array in constants.items()}
        for node in nodes:
            inputs = [names.get(name, name) for name in node.input]
            attributes = tuple(sorted([attribute.SerializeToString() for attribute in node.attribute]))
            key = node.domain, node.op_type, tuple(inputs), attributes, tuple(map(bool, node.output))
            found = self.same.get(key)
            if found is None:
                made = onnx.NodeProto()
                made.CopyFrom(node)
                made.name = _name(number, node.name)
                made.input[:] = inputs
                made.output[:] = [_name(number, name) for name in node.output]
                self.nodes.append(made)
                found = self.same[key] = tuple(made.output)
            names.update(zip(node.output, found, strict=True))
        return {name: names[name] for name in outputs}

    def _constant(self, number: int, name: str, array: Array) -> str:
        content: object = id(array)
        if array.size <= _SMALL and array.dtype.kind != "O":
            content = array.dtype, array.shape, np.ascontiguousarray(array).tobytes()
        found = self.same.get(content)
        if found is None:
            found = self.same[content] = (_name(number, name),)
            self.constants[found[0]] = array
        return found[0]


def _name(number: int, name: str) -> str:
    """A name of one version in the joint graph; those of the first stay."""
    return f"{name}/mixbit/version{number + 1}" if name and number else name
