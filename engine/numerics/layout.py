"""Which activations of a network are kept in channel blocks, and whether this machine's ONNX Runtime can do that."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array, Graph, TensorInfo
from engine.numerics.blocks import blocked, reorder_in, suits
from engine.numerics.lowering import Lowered
from engine.numerics.relayout import Rewritten, framed, rewrite
from engine.numerics.runtime import BASIC, options

_AGREE = 1e-5
"""Relative L2 by which the operators in blocks may differ from the plain ones: another order of the same sums."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The order in memory of every activation; without blocks all are plain."""

    tensors: Mapping[str, TensorInfo]
    block: int = 0
    """Channels per block; 0 if there are no blocks."""
    blocks: frozenset[str] = frozenset()
    """Activations that are kept in blocks."""

    def of(self, name: str) -> int:
        """Channels per block of an activation; 0 if it is plain."""
        return self.block if name in self.blocks else 0

    def touches(self, kernel: Kernel) -> bool:
        """Whether a kernel reads or writes an activation in blocks."""
        return any(name in self.blocks for name in (*kernel.inputs, *kernel.outputs))

    def rewrite(self, lowered: Lowered, inputs: Sequence[str], outputs: Sequence[str]) -> Rewritten:
        """A lowered kernel, or several in a row, for the borders as they are kept."""
        found = _rewrite(lowered, inputs, outputs, self.tensors, self.blocks, self.block)
        if found is None:
            found = framed(lowered.nodes, lowered.constants, inputs, outputs, self.tensors, self.blocks)
        return found


def choose_layout(network: Network) -> Layout:
    """Keep those activations in blocks that are computed so and that a reader takes so.

    The choice does not depend on a plan: whatever the schemes, a buffer has one order.
    """
    tensors = network.tensors
    plain = Layout(tensors)
    if not any(kernel.kind.name in ("CONV", "DEPTHWISE") for kernel in network.kernels) or not (block := block_size()):
        return plain
    graph = network.graph
    leaving = {info.name for info in graph.outputs}
    chosen: set[str] = set()
    readers: dict[str, int] = {}
    for kernel in network.kernels:
        possible = {name for name in kernel.outputs if name not in leaving and _suits(graph, name, block)}
        if not possible and chosen.isdisjoint(kernel.inputs):
            continue
        lowered = Lowered(tuple(n.proto for n in kernel.nodes), kernel.constants)
        found = _rewrite(lowered, kernel.inputs, kernel.outputs, tensors, frozenset(chosen | possible), block)
        if found is None:  # it cannot read blocks, whoever writes them
            chosen.difference_update(kernel.inputs)
            continue
        chosen |= possible & found.natural
        for name in chosen.intersection(kernel.inputs) - found.turned:
            readers[name] = readers.get(name, 0) + 1
    return Layout(tensors, block, frozenset(name for name in chosen if readers.get(name)))


def _suits(graph: Graph, name: str, block: int) -> bool:
    info = graph.tensors.get(name)
    if info is None or name in graph.dynamic or info.dtype != np.float32:
        return False
    return suits(info.shape, block) and info.shape[2] * info.shape[3] > 1


def _rewrite(
    lowered: Lowered,
    inputs: Sequence[str],
    outputs: Sequence[str],
    tensors: Mapping[str, TensorInfo],
    blocks: frozenset[str],
    block: int,
) -> Rewritten | None:
    hard_swish = fuses_hard_swish(block)
    return rewrite(lowered.nodes, lowered.constants, inputs, outputs, tensors, blocks, block, hard_swish)


@cache
def block_size() -> int:
    """Channels per block of this machine's ONNX Runtime, 0 if it has no blocks or they don't compute what they should.

    They are known on x86 only, where the size depends on the processor (8 or 16).
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return 0
    try:
        block = _measured_block()
        return block if block > 1 and _agrees(block) else 0
    except Exception:  # an ONNX Runtime without these operators
        return 0


def _measured_block() -> int:
    """Turn channel numbers around and see how many lie side by side."""
    channels = np.arange(64, dtype=np.float32).reshape(1, 64, 1, 1).repeat(2, axis=3)
    found = _run([reorder_in("x", "y")], {}, {"x": channels}, {"y": (1, 64, 1, 2)})["y"].reshape(-1)
    return int(np.flatnonzero(found == 0)[1])


def _agrees(block: int) -> bool:
    """Whether a small network of every operator in blocks gives what the plain operators give."""
    rng = np.random.default_rng(0)
    wide, size = 2 * block, 9
    made = helper.make_node
    constants: dict[str, Array] = {
        name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in {
            "w0": (wide, 3, 3, 3), "b0": (wide,), "w1": (wide, 1, 3, 3), "b1": (wide,), "w2": (wide, wide, 1, 1),
            "w3": (wide, wide, 3, 3), "b3": (wide,),
        }.items()
    }  # fmt: skip
    constants |= {"low": np.asarray(-1, np.float32), "high": np.asarray(2, np.float32)}
    nodes = [
        made("Conv", ["x", "w0", "b0"], ["c0"], pads=[1, 1, 1, 1]),
        made("Clip", ["c0", "low", "high"], ["a0"]),
        made("Conv", ["a0", "w1", "b1"], ["c1"], group=wide, pads=[1, 1, 1, 1]),
        made("HardSigmoid", ["c1"], ["a1"]),
        made("Conv", ["a1", "w2"], ["c2"]),
        made("Add", ["c2", "r"], ["s2"]),
        made("Relu", ["s2"], ["a2"]),
        made("MaxPool", ["a2"], ["p2"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        made("Conv", ["p2", "w3", "b3"], ["c3"], strides=[2, 2], pads=[1, 0, 1, 0]),
        made("LeakyRelu", ["c3"], ["a3"], alpha=0.25),
        made("AveragePool", ["p2"], ["p3"], kernel_shape=[2, 2]),
        made("GlobalAveragePool", ["a2"], ["p4"]),
    ]
    shapes = {"x": (1, 3, size, size), "r": (1, wide, size, size), "a2": (1, wide, size, size),
              "a3": (1, wide, 3, 2), "p3": (1, wide, 4, 4), "p4": (1, wide, 1, 1)}  # fmt: skip
    feeds = {name: rng.standard_normal(shapes[name]).astype(np.float32) for name in ("x", "r")}
    outputs = {name: shapes[name] for name in ("a2", "a3", "p3", "p4")}
    tensors = {name: TensorInfo(name, np.dtype(np.float32), shape) for name, shape in shapes.items()}
    found = rewrite(nodes, constants, list(feeds), list(outputs), tensors, {"r", "a2"}, block)
    if found is None:
        return False
    want = _run(nodes, constants, feeds, outputs)
    got = _run(found.nodes, found.constants, {**feeds, "r": blocked(feeds["r"], block)}, outputs)
    want["a2"] = blocked(want["a2"], block)
    return all(np.linalg.norm(got[name] - want[name]) <= _AGREE * np.linalg.norm(want[name]) for name in outputs)


@cache
def fuses_hard_swish(block: int) -> bool:
    """Whether a convolution in blocks takes a HardSwish along, and computes what both would one after the other."""
    rng, made = np.random.default_rng(1), helper.make_node
    constants: dict[str, Array] = {"w": rng.standard_normal((block, 3, 3, 3)).astype(np.float32)}
    nodes = [made("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), made("HardSwish", ["c"], ["y"])]
    shapes = {"x": (1, 3, 5, 5), "y": (1, block, 5, 5)}
    tensors = {name: TensorInfo(name, np.dtype(np.float32), shape) for name, shape in shapes.items()}
    feeds = {"x": rng.standard_normal(shapes["x"]).astype(np.float32)}
    found = rewrite(nodes, constants, ["x"], ["y"], tensors, (), block, hard_swish=True)
    try:
        assert found is not None
        got = _run(found.nodes, found.constants, feeds, {"y": shapes["y"]})["y"]
    except Exception:  # an ONNX Runtime that does not know the activation
        return False
    want = _run(nodes, constants, feeds, {"y": shapes["y"]})["y"]
    return bool(np.linalg.norm(got - want) <= _AGREE * np.linalg.norm(want))


def _run(
    nodes: tuple[onnx.NodeProto, ...] | list[onnx.NodeProto],
    constants: Mapping[str, Array],
    feeds: Mapping[str, Array],
    outputs: Mapping[str, tuple[int, ...]],
) -> dict[str, Array]:
    def info(name: str, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    graph = helper.make_graph(
        list(nodes),
        "trial",
        [info(name, array.shape) for name, array in feeds.items()],
        [info(name, shape) for name, shape in outputs.items()],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    domains = {node.domain: 1 for node in nodes} | {"": 17}
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid(d, v) for d, v in domains.items()], ir_version=8
    )
    session = ort.InferenceSession(model.SerializeToString(), options(BASIC), providers=["CPUExecutionProvider"])
    return dict(zip(outputs, session.run(list(outputs), dict(feeds)), strict=True))
