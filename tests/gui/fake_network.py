"""A made-up MobileNetV2-like network: real types, invented kernels."""

from pathlib import Path

import numpy as np
import onnx

from engine.fusion.types import Kernel, Kind, Network, Weight
from engine.graph.types import Graph, Node, TensorInfo
from engine.text import say

_FLOAT = np.dtype(np.float32)
BLOCKS = (
    # input channels, expansion, output channels, stride
    (32, 1, 16, 1), (16, 6, 24, 2), (24, 6, 24, 1), (24, 6, 32, 2), (32, 6, 32, 1), (32, 6, 32, 1), (32, 6, 64, 2),
    (64, 6, 64, 1), (64, 6, 64, 1), (64, 6, 64, 1), (64, 6, 96, 1), (96, 6, 96, 1), (96, 6, 96, 1), (96, 6, 160, 2),
    (160, 6, 160, 1), (160, 6, 160, 1), (160, 6, 320, 1),
)  # fmt: skip


class _Builder:
    def __init__(self) -> None:
        self.kernels: list[Kernel] = []
        self.nodes: list[Node] = []
        self.tensors = {"input": TensorInfo("input", _FLOAT, (1, 3, 224, 224))}
        self.constants: dict[str, np.ndarray] = {}
        self.last = "input"

    def add(self, name: str, op: str, kind: Kind, shape: tuple[int, ...], weight: tuple[int, ...] = ()) -> None:
        index = len(self.kernels)
        out = f"t{index}"
        inputs = [self.last] + ([f"{name}.weight"] if weight else [])
        node = Node(index, onnx.helper.make_node(op.split(" ")[0], inputs, [out], name=f"/{name}"), name)
        self.nodes.append(node)
        self.tensors[out] = TensorInfo(out, _FLOAT, shape)
        own: Weight | None = None
        constants = {}
        if weight:
            constant = f"{name}.weight"
            constants[constant] = np.zeros(weight, np.float32)
            axes = tuple(range(1, len(weight)))
            own = Weight(constant, constant, weight, (0,), axes, self.last, "")
        why = None if own else say("This kernel has no weights; its precision follows its input.")
        params = int(np.prod(weight)) if weight else 0
        spatial = int(np.prod(shape[2:])) if len(shape) > 2 else 1
        self.constants.update(constants)
        self.kernels.append(
            Kernel(f"k{index}", index, name, op, kind, (node,), 0, (self.last,), (out,), constants, own, why, params,
                   params * spatial)
        )  # fmt: skip
        self.last = out


def mobilenet() -> Network:
    """55 kernels, 53 of them tunable."""
    b = _Builder()
    size = 112
    b.add("features.0", "Conv 3x3 s2 + Clip", Kind.CONV, (1, 32, size, size), (32, 3, 3, 3))
    for number, (cin, factor, cout, stride) in enumerate(BLOCKS, 1):
        wide = cin * factor
        if factor > 1:
            b.add(f"features.{number}.expand", "Conv 1x1 + Clip", Kind.CONV, (1, wide, size, size), (wide, cin, 1, 1))
        size //= stride
        step = " s2" if stride == 2 else ""
        b.add(
            f"features.{number}.dw", f"DWConv 3x3{step} + Clip", Kind.DEPTHWISE, (1, wide, size, size), (wide, 1, 3, 3)
        )
        add = " + Add" if stride == 1 and cin == cout else ""
        b.add(f"features.{number}.project", f"Conv 1x1{add}", Kind.CONV, (1, cout, size, size), (cout, wide, 1, 1))
    b.add("features.18", "Conv 1x1 + Clip", Kind.CONV, (1, 1280, size, size), (1280, 320, 1, 1))
    b.add("pool", "GlobalAveragePool", Kind.POOL, (1, 1280))
    b.add("classifier.1", "Gemm", Kind.GEMM, (1, 1000), (1000, 1280))
    b.add("postprocess.argmax", "ArgMax", Kind.OTHER, (1, 1))
    path = Path("mobilenetv2-12.onnx")
    graph = Graph(
        path, "3f9c71ab" * 8, 13_964_571, 8, {"": 12}, (), "pytorch", (b.tensors["input"],),
        (b.tensors[b.last],), tuple(b.nodes), b.constants, {n: n for n in b.constants}, b.tensors, frozenset(),
    )  # fmt: skip
    return Network(graph, "edge", tuple(b.kernels))
