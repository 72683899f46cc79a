"""Random small networks: whatever is fused, the kernels compute what the file computes."""

import tempfile
from pathlib import Path

import numpy as np
from build import F32, N, ints, model, save
from hypothesis import given, settings
from hypothesis import strategies as st
from rebuild import largest_difference

from engine.fusion import fuse
from engine.graph import load

SHAPE = (1, 4, 6, 6)
UNARY = ["Relu", "Sigmoid", "Tanh", "Neg", "Abs", "HardSwish", "Softplus", "Identity", "Erf", "LeakyRelu"]
BINARY = ["Add", "Sub", "Mul", "Max"]
KINDS = ["unary", "binary", "constant", "conv", "depthwise", "norm", "matmul", "softmax", "views", "pool", "layernorm"]


class Builder:
    """Grows a network whose tensors all have one shape, so that any two may be combined."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.constants, self.tensors, self.count = [], {}, ["x"], 0

    def constant(self, *shape, positive=False):
        name = f"k{len(self.constants)}"
        array = (self.rng.standard_normal(shape) * 0.4).astype(F32)
        self.constants[name] = np.abs(array) + F32(0.2) if positive else array
        return name

    def node(self, op, inputs, **attributes):
        self.count += 1
        self.nodes.append(N(op, inputs, [f"t{self.count}"], **attributes))
        return f"t{self.count}"

    def add(self, kind, op, first, second):
        a, b = self.tensors[first % len(self.tensors)], self.tensors[second % len(self.tensors)]
        self.tensors.append(self.made(kind, op, a, b))

    def made(self, kind, op, a, b):
        if kind == "unary":
            return self.node(UNARY[op % len(UNARY)], [a])
        if kind == "binary":
            return self.node(BINARY[op % len(BINARY)], [a, b])
        if kind == "constant":
            shape = [(), (1,), (4, 1, 1), (1, 4, 1, 1), (6,), SHAPE][op % 6]
            pair = [a, self.constant(*shape)]
            return self.node(BINARY[op % len(BINARY)], pair if op % 2 else pair[::-1])
        if kind == "conv":
            return self.node("Conv", [a, self.constant(4, 4, 3, 3), self.constant(4)], pads=[1, 1, 1, 1])
        if kind == "depthwise":
            return self.node("Conv", [a, self.constant(4, 1, 3, 3)], pads=[1, 1, 1, 1], group=4)
        if kind == "norm":
            stats = [self.constant(4), self.constant(4), self.constant(4), self.constant(4, positive=True)]
            return self.node("BatchNormalization", [a, *stats])
        if kind == "matmul":
            weight = self.constant(6, 6)
            return self.node("MatMul", [a, b] if op % 3 == 0 else [a, weight] if op % 3 == 1 else [weight, a])
        if kind == "softmax":
            return self.node("Softmax", [a], axis=-1)
        if kind == "pool":
            return self.node("MaxPool", [a], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        if kind == "layernorm":
            return self.layer_norm(a)
        self.constants["flat"], self.constants["full"] = ints(1, 4, 36), ints(*SHAPE)
        flat = self.node("Reshape", [a, "flat"])
        turned = self.node("Transpose", [flat], perm=[0, 1, 2])
        return self.node("Reshape", [turned, "full"])

    def layer_norm(self, a):
        mean = self.node("ReduceMean", [a], axes=[-1])
        centred = self.node("Sub", [a, mean])
        squared = self.node("Mul", [centred, centred])
        variance = self.node("ReduceMean", [squared], axes=[-1])
        self.constants["eps"] = F32(1e-2)
        root = self.node("Sqrt", [self.node("Add", [variance, "eps"])])
        return self.node("Mul", [self.node("Div", [centred, root]), self.constant(6)])


step = st.tuples(st.sampled_from(KINDS), st.integers(0, 59), st.integers(0, 40), st.integers(0, 40))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(step, min_size=1, max_size=12), st.integers(0, 1000), st.sets(st.integers(0, 12), max_size=2))
def test_any_network_is_computed_as_the_file_says(steps, seed, extra_outputs):
    builder = Builder(seed)
    for index, (kind, op, first, second) in enumerate(steps):
        # Mostly chains: fusing needs neighbours.
        builder.add(kind, op, index if first < 30 else first, second)
    outputs = dict.fromkeys(["y", *(builder.tensors[i] for i in sorted(extra_outputs) if 0 < i < len(builder.tensors))])
    builder.nodes.append(N("Relu", [builder.tensors[-1]], ["y"]))
    proto = model(builder.nodes, {"x": SHAPE}, list(outputs), builder.constants)
    with tempfile.TemporaryDirectory() as folder:
        graph = load(save(proto, Path(folder)))
        for rules in ("edge", "cloud"):
            assert largest_difference(fuse(graph, rules)) < 1e-4, rules
