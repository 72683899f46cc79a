"""Networks written down by hand, with weights that take no memory: for tests and benchmarks of the NPU model."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from engine.fusion.types import Kernel, Kind, Network, Weight
from engine.graph.types import Graph, Node, TensorInfo
from engine.text import say

FLOAT = np.dtype(np.float32)


def zeros(*shape: int) -> np.ndarray[Any, Any]:
    """Weights of any size in four bytes."""
    return np.broadcast_to(np.float32(0), shape)


class Netlist:
    """Adds kernels one after the other; each method returns the name of the tensor it makes."""

    def __init__(self, **inputs: tuple[int, ...]) -> None:
        self.tensors = {name: TensorInfo(name, FLOAT, shape) for name, shape in inputs.items()}
        self.inputs = tuple(self.tensors.values())
        self.kernels: list[Kernel] = []
        self.nodes: list[Node] = []

    def shape(self, tensor: str) -> tuple[int, ...]:
        return self.tensors[tensor].shape

    def network(self, *outputs: str) -> Network:
        names = outputs or (self.kernels[-1].outputs[0],)
        graph = Graph(
            path=Path("handmade.onnx"), sha256="", file_bytes=0, ir_version=10, opsets={"": 20}, functions=(),
            producer="", inputs=self.inputs, outputs=tuple(self.tensors[n] for n in names), nodes=tuple(self.nodes),
            constants={}, origins={}, tensors=self.tensors, dynamic=frozenset(),
        )  # fmt: skip
        return Network(graph, "edge", tuple(self.kernels))

    def add(
        self,
        kind: Kind,
        ops: list[tuple[str, list[str], dict[str, Any]]],
        shape: tuple[int, ...],
        *,
        constants: dict[str, np.ndarray[Any, Any]] | None = None,
        weight: Weight | None = None,
        macs: int = 0,
        inner: tuple[int, ...] | None = None,
    ) -> str:
        """One kernel of several nodes in a row; an operator's '' input is the output of the one before."""
        index = len(self.kernels)
        nodes, previous = [], ""
        for step, (op, inputs, attributes) in enumerate(ops):
            out = f"t{index}" if step == len(ops) - 1 else f"t{index}.{step}"
            names = [previous if name == "" else name for name in inputs]
            proto = onnx.helper.make_node(op, names, [out], **attributes)
            nodes.append(Node(len(self.nodes) + step, proto, ""))
            self.tensors[out] = TensorInfo(out, FLOAT, shape if step or len(ops) == 1 else inner or shape)
            previous = out
        self.nodes += nodes
        known = constants or {}
        outside = dict.fromkeys(n for node in nodes for n in node.inputs if n not in known and n not in
                                {o for other in nodes for o in other.outputs})  # fmt: skip
        self.kernels.append(
            Kernel(
                id=f"k{index}",
                index=index,
                name=f"k{index}",
                op=" + ".join(op for op, _, _ in ops),
                kind=kind,
                nodes=tuple(nodes),
                anchor=0,
                inputs=tuple(outside),
                outputs=(previous,),
                constants=known,
                weight=weight,
                why_not=None if weight else say("It has no weights."),
                params=sum(a.size for a in known.values()),
                macs=macs,
            )
        )
        return previous

    def conv(
        self, source: str, cout: int, size: int | tuple[int, int] = 3, stride: int = 1, *, pad: int | None = None,
        group: int = 1, after: tuple[str, ...] = ("Relu",), plus: str = "",
    ) -> str:  # fmt: skip
        batch, cin, *spatial = self.shape(source)
        window = (size, size) if isinstance(size, int) else size
        pads = [k // 2 if pad is None else pad for k in window]
        shape = (batch, cout, *((s + 2 * p - k) // stride + 1 for s, p, k in zip(spatial, pads, window, strict=True)))
        form = (cout, cin // group, *window)
        names = [f"w{len(self.kernels)}", f"b{len(self.kernels)}"]
        ops = [("Conv", [source, *names], {"group": group, "strides": [stride] * 2, "kernel_shape": list(window),
                                           "pads": [*pads, *pads]})]  # fmt: skip
        if plus:
            ops.append(("Add", ["", plus], {}))
        for op in after:
            ops.append((op, [""], {}))
        kind = Kind.DEPTHWISE if group == cin and group > 1 else Kind.CONV
        weight = Weight(names[0], names[0], form, (0,), (1, 2, 3), source, names[1])
        constants = {names[0]: zeros(*form), names[1]: zeros(cout)}
        return self.add(kind, ops, shape, constants=constants, weight=weight, macs=prod(shape) * prod(form[1:]))

    def linear(self, source: str, width: int, after: tuple[str, ...] = ()) -> str:
        *batch, depth = self.shape(source)
        name = f"w{len(self.kernels)}"
        ops: list[tuple[str, list[str], dict[str, Any]]] = [("MatMul", [source, name], {})]
        ops += [(op, [""], {}) for op in after]
        weight = Weight(name, name, (depth, width), (1,), (0,), source, "")
        shape = (*batch, width)
        return self.add(
            Kind.MATMUL, ops, shape, constants={name: zeros(depth, width)}, weight=weight, macs=prod(shape) * depth
        )

    def matmul(self, left: str, right: str) -> str:
        a, b = self.shape(left), self.shape(right)
        shape = (*a[:-1], b[-1])
        return self.add(Kind.MATMUL_DYNAMIC, [("MatMul", [left, right], {})], shape, macs=prod(shape) * a[-1])

    def pool(self, source: str, size: int, stride: int, pad: int = 0, *, up: bool = False, op: str = "MaxPool") -> str:
        batch, channels, *spatial = self.shape(source)
        extra = stride - 1 if up else 0
        shape = (batch, channels, *((s + 2 * pad - size + extra) // stride + 1 for s in spatial))
        return self.add(Kind.POOL, [(op, [source], {"kernel_shape": [size] * 2, "strides": [stride] * 2})], shape)

    def average(self, source: str) -> str:
        batch, channels, *_ = self.shape(source)
        return self.add(Kind.POOL, [("GlobalAveragePool", [source], {})], (batch, channels, 1, 1))

    def flatten(self, source: str) -> str:
        batch, *rest = self.shape(source)
        return self.add(Kind.MOVEMENT, [("Flatten", [source], {})], (batch, prod(rest)))

    def add_reshape(self, source: str, shape: tuple[int, ...]) -> str:
        name = f"s{len(self.kernels)}"
        return self.add(Kind.MOVEMENT, [("Reshape", [source, name], {})], shape, constants={name: zeros(len(shape))})

    def elementwise(self, op: str, *sources: str) -> str:
        return self.add(Kind.ELEMENTWISE, [(op, list(sources), {})], self.shape(sources[0]))

    def concat(self, *sources: str) -> str:
        batch, _, *rest = self.shape(sources[0])
        shape = (batch, sum(self.shape(s)[1] for s in sources), *rest)
        return self.add(Kind.MOVEMENT, [("Concat", list(sources), {"axis": 1})], shape)

    def transpose(self, source: str, *order: int) -> str:
        shape = tuple(self.shape(source)[axis] for axis in order)
        return self.add(Kind.MOVEMENT, [("Transpose", [source], {"perm": list(order)})], shape)

    def softmax(self, source: str) -> str:
        return self.add(Kind.SOFTMAX, [("Softmax", [source], {"axis": -1})], self.shape(source))

    def norm(self, source: str) -> str:
        width = self.shape(source)[-1]
        names = [f"g{len(self.kernels)}", f"b{len(self.kernels)}"]
        constants = {name: zeros(width) for name in names}
        return self.add(
            Kind.NORM, [("LayerNormalization", [source, *names], {})], self.shape(source), constants=constants
        )
