"""Scales of activations go where they cost nothing: out of multiplications, into norms, weights and biases in front.

`engine.numerics.lower` writes a kernel whose weights are scaled with a multiplication in front of it (and behind it,
where its rows are scaled too), so that each kernel is right by itself. In a whole model most of them can go: a norm's
factors or the scales of another weight's rows take them up. All factors are powers of two, so that the model computes
the same bits either way. Where not all readers of an activation have the same scale, the multiplication stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import onnx
from onnx import helper

from engine.graph.subgraphs import subgraphs
from engine.graph.types import Array
from engine.numerics.lowering import SCALED_INPUT, SCALED_OUTPUT
from engine.numerics.weight_nodes import APART
from engine.quant.folding import Change, Flow, Way
from engine.text import Text


class Folded(NamedTuple):
    """What became of the multiplications."""

    folded: int
    """How many have gone."""
    left: tuple[str, ...]
    """Outputs of those that stay."""


class _Edit(NamedTuple):
    """An input of a node that reads another constant from now on."""

    node: onnx.NodeProto
    at: int
    array: Array


def fold_scales(model: onnx.ModelProto, constants: dict[str, Array], leaving: frozenset[str]) -> Folded:
    """Take multiplications out of a model, in place.

    Args:
        model: Without initializers.
        constants: These; changed ones are added under new names.
        leaving: Outputs of the model.
    """
    nodes = list(model.graph.node)
    if not any(_is_scale(node) for node in nodes):
        return Folded(0, ())
    work = _Work(nodes, constants, leaving)
    folded = 0
    while work.fold_one():
        folded += 1
    work.drop_ones()
    left = tuple(node.output[0] for node in work.nodes if _is_scale(node))
    copies = [_copy(node) for node in work.nodes]
    del model.graph.node[:]
    model.graph.node.extend(copies)
    read = {name for node in copies for name in _read(node)} | leaving
    for name in [name for name in constants if name not in read]:
        del constants[name]
    return Folded(folded, left)


def _is_scale(node: onnx.NodeProto) -> bool:
    return node.op_type == "Mul" and node.output[0].endswith((f"/{SCALED_INPUT}", f"/{SCALED_OUTPUT}"))


@dataclass(slots=True)
class _Work:
    nodes: list[onnx.NodeProto]
    constants: dict[str, Array]
    leaving: frozenset[str]
    tried: set[str] = field(default_factory=set)

    def fold_one(self) -> bool:
        """Fold the scale of one activation; False when nothing is left that can be."""
        flow = self._flow()
        for node in self.nodes:
            if not node.output or not node.output[0].endswith(f"/{SCALED_INPUT}") or node.input[0] in self.tried:
                continue
            source = node.input[0]
            self.tried.add(source)
            readers = flow.readers[source]
            factor = self.constants[node.input[1]]
            if all(_is_scale(r) and self._same(r, factor) for r in readers) and self._fold(flow, source, factor):
                return True
        return False

    def _same(self, node: onnx.NodeProto, factor: Array) -> bool:
        other = self.constants.get(node.input[1])
        return node.output[0].endswith(f"/{SCALED_INPUT}") and other is not None and np.array_equal(other, factor)

    def _flow(self) -> Flow:
        made: set[str] = set()
        captured: set[str] = set()
        for node in self.nodes:
            names = [name for name in node.input if name]
            if names and all(name in self.constants or name in made for name in names):
                made.update(node.output)
            captured.update(name for body in subgraphs(node) for inner in body.node for name in _read(inner))
        return Flow(tuple(self.nodes), self.constants, self.leaving, frozenset(captured), made)

    def _fold(self, flow: Flow, source: str, factor: Array) -> bool:
        axis = -1 if factor.ndim == 1 else 1
        way = flow.way(source, axis)
        if isinstance(way, Text):
            return False
        edits: list[_Edit] = []
        for change in way.changes:
            found = self._edits(flow, change, factor, axis)
            if found is None:
                return False
            edits += found
        for number, edit in enumerate(edits):
            name = f"{edit.node.input[edit.at]}/mixbit/folded/{source}/{number}"
            self.constants[name] = edit.array
            edit.node.input[edit.at] = name
            if edit.node.op_type == "DequantizeLinear" and edit.array.ndim == 0:
                del edit.node.attribute[:]
        for change in way.changes:
            if change.kind == "limits":
                self._spread_limits(change.node, factor)
        self._rename(way, source, {reader.output[0] for reader in flow.readers[source]})
        return True

    def _edits(self, flow: Flow, change: Change, factor: Array, axis: int) -> list[_Edit] | None:
        node = change.node
        if change.kind == "limits":
            return []
        if change.kind == "product":
            return _of_product(flow, node, factor.reshape(-1))
        edits: list[_Edit] = []
        vector = factor.reshape(-1)
        norm = node.op_type not in ("Mul", "Add", "Sub", "Div")
        for at in change.at:
            by = vector if norm else 1 / factor if change.kind == "divisor" else factor
            found = _scaled(flow, node, at, by, -1)
            if found is None:
                return None
            edits.append(found)
        return edits

    def _spread_limits(self, clip: onnx.NodeProto, factor: Array) -> None:
        """A Clip with limits for each channel: Relu or Max, and Min."""
        at = next(i for i, node in enumerate(self.nodes) if node is clip)
        limits = [*clip.input[1:], "", ""][:2]
        made, last = [], clip.input[0]
        for op, name in zip(("Max", "Min"), limits, strict=True):
            if not name or not np.isfinite(self.constants[name]).all():
                continue
            limit = self.constants[name].reshape(())
            output = f"{clip.output[0]}/mixbit/{op}"
            if op == "Max" and limit == 0:
                made.append(helper.make_node("Relu", [last], [output], f"{clip.name}/Relu"))
            else:
                self.constants[f"{output}/limit"] = (limit * factor).astype(limit.dtype)
                made.append(helper.make_node(op, [last, f"{output}/limit"], [output], f"{clip.name}/{op}"))
            last = output
        if not made:
            made = [helper.make_node("Identity", [last], [""], clip.name)]
        made[-1].output[0] = clip.output[0]
        self.nodes[at : at + 1] = made

    def _rename(self, way: Way, source: str, scaled: set[str]) -> None:
        """Activations on the way get names that say that they are scaled; multiplications at its end go."""
        names = {name: f"{name}/mixbit/folded" for name in way.tensors}
        names |= dict.fromkeys(scaled, names[source])
        self.nodes = [node for node in self.nodes if not (node.output and node.output[0] in scaled)]
        for node in self.nodes:
            _replace(node.input, names)
            _replace(node.output, names)

    def drop_ones(self) -> None:
        """Multiplications whose factors have all become one."""
        gone: dict[str, str] = {}
        kept = []
        for node in self.nodes:
            _replace(node.input, gone)
            ones = node.op_type == "Mul" and len(node.output) == 1 and SCALED_OUTPUT in node.output[0]
            ones = ones or (node.op_type == "Mul" and SCALED_OUTPUT in node.input[0])
            factor = self.constants.get(node.input[1]) if ones else None
            if factor is not None and node.output[0] not in self.leaving and bool((factor == 1).all()):
                gone[node.output[0]] = node.input[0]
                continue
            kept.append(node)
        self.nodes = kept


def _of_product(flow: Flow, node: onnx.NodeProto, factor: Array) -> list[_Edit] | None:
    """Weight and bias of a product with scaled rows."""
    weight_axis = 0 if node.op_type == "Conv" else 1
    if node.op_type == "MatMul":
        weight_axis = -1
    elif node.op_type == "Gemm":
        weight_axis = 0 if any(a.name == "transB" and a.i for a in node.attribute) else 1
    edits = [_scaled(flow, node, 1, factor, weight_axis)]
    if len(node.input) > 2 and node.input[2]:
        edits.append(_scaled(flow, node, 2, factor, -1))
    return None if any(edit is None for edit in edits) else [edit for edit in edits if edit is not None]


def _scaled(flow: Flow, node: onnx.NodeProto, at: int, factor: Array, axis: int) -> _Edit | None:
    """What makes an input of a node that many times as large; None where it can't be said exactly.

    Args:
        flow: Where it is.
        node: The reader.
        at: Which of its inputs.
        factor: Powers of two: a vector along `axis` of the constant, or with its own shape to be broadcast.
        axis: See `factor`.
    """
    name = node.input[at]
    constant = flow.constants.get(name)
    if constant is not None:
        return _exactly(node, at, constant, _along(factor, axis, constant.ndim))
    maker = flow.makers.get(name)
    if maker is None or len(flow.readers.get(name, ())) != 1:
        return None
    if maker.op_type == "Cast" and maker.input[0] in flow.constants:
        return _scaled(flow, maker, 0, factor, axis)
    if maker.op_type == "Reshape" and name.endswith(APART):  # of the shape that there is
        return _scaled(flow, maker, 0, factor, axis)
    if maker.op_type == "Reshape" and axis == 0 and factor.ndim == 1:  # groups that cross axes: codes as a matrix
        return _rows(flow, maker.input[0], factor)
    if maker.op_type != "DequantizeLinear" or maker.input[0] not in flow.constants or factor.ndim != 1:
        return None
    codes, scale = flow.constants[maker.input[0]], flow.constants[maker.input[1]]
    place = axis % codes.ndim
    if codes.shape[place] != factor.size:
        return None
    if scale.ndim == codes.ndim and scale.ndim > 1:
        return _exactly(maker, 1, scale, _along(factor, place, scale.ndim))
    own = next((a.i for a in maker.attribute if a.name == "axis"), 1) % codes.ndim
    return _exactly(maker, 1, scale, factor) if scale.ndim == 1 and own == place else None


def _rows(flow: Flow, name: str, factor: Array) -> _Edit | None:
    """Scaled rows of a dequantized matrix that is given the weight's shape afterwards."""
    maker = flow.makers.get(name)
    if maker is None or maker.op_type != "DequantizeLinear" or len(flow.readers.get(name, ())) != 1:
        return None
    codes, scale = flow.constants.get(maker.input[0]), flow.constants.get(maker.input[1])
    if codes is None or scale is None or codes.ndim != 2 or len(scale) != factor.size or scale.ndim != 2:
        return None
    return _exactly(maker, 1, scale, factor[:, None])


def _along(factor: Array, axis: int, rank: int) -> Array:
    if factor.ndim != 1 or rank <= 1 or axis % rank == rank - 1:
        return factor
    return factor.reshape([-1 if at == axis % rank else 1 for at in range(rank)])


def _exactly(node: onnx.NodeProto, at: int, array: Array, factor: Array) -> _Edit | None:
    """The product, if it is exact in the constant's dtype: a half may leave its range."""
    with np.errstate(over="ignore", under="ignore"):
        made = (array * factor).astype(array.dtype)
        exact = np.array_equal(made / factor.astype(array.dtype), np.broadcast_to(array, made.shape), equal_nan=True)
    return _Edit(node, at, made) if exact else None


def _replace(names: Sequence[str], new: dict[str, str]) -> None:
    for at, name in enumerate(names):
        if name in new:
            names[at] = new[name]  # type: ignore[index]


def _read(node: onnx.NodeProto) -> Iterable[str]:
    yield from node.input
    for body in subgraphs(node):
        for inner in body.node:
            yield from _read(inner)
        yield from (output.name for output in body.output)


def _copy(node: onnx.NodeProto) -> onnx.NodeProto:
    made = onnx.NodeProto()
    made.CopyFrom(node)
    return made
