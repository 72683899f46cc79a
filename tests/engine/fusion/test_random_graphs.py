"""Random small networks: whatever is fused, the kernels compute what the file computes."""

import tempfile
from pathlib import Path

import numpy as np
from build import F32, N, ints, model, save
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto
from rebuild import check_kernels, largest_difference, run_kernels

from engine.fusion import explain, fuse
from engine.graph import load, synthetic_feeds

SHAPE = (1, 4, 6, 6)
UNARY = ["Relu", "Sigmoid", "Tanh", "Neg", "Abs", "HardSwish", "Softplus", "Identity", "Erf", "LeakyRelu"]
BINARY = ["Add", "Sub", "Mul", "Max"]
KINDS = ["unary", "binary", "constant", "conv", "depthwise", "norm", "matmul", "softmax", "views", "pool", "layernorm"]
KINDS += ["wider"]


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
        if kind == "wider":
            return self.node("Cast", [self.node("Cast", [a], to=TensorProto.DOUBLE)], to=TensorProto.FLOAT)
        if kind == "pair":
            return self.pair(a)
        if kind == "dynamic":
            return self.dynamic(a)
        self.constants["flat"], self.constants["full"] = ints(1, 4, 36), ints(*SHAPE)
        flat = self.node("Reshape", [a, "flat"])
        turned = self.node("Transpose", [flat], perm=[0, 1, 2])
        return self.node("Reshape", [turned, "full"])

    def pair(self, a):
        self.constants |= {"s": F32(0.05), "z": np.uint8(128)}
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [a, "s", "z"]), "s", "z"])

    def dynamic(self, a):
        self.constants["codes"] = self.rng.integers(-9, 9, (6, 6)).astype(np.int8)
        self.count += 1
        names = [f"t{self.count}.{part}" for part in ("q", "s", "z")]
        self.nodes.append(N("DynamicQuantizeLinear", [a], names))
        product = self.node("Cast", [self.node("MatMulInteger", [names[0], "codes", names[2]])], to=TensorProto.FLOAT)
        return self.node("Mul", [product, names[1]])

    def layer_norm(self, a):
        mean = self.node("ReduceMean", [a], axes=[-1])
        centred = self.node("Sub", [a, mean])
        squared = self.node("Mul", [centred, centred])
        variance = self.node("ReduceMean", [squared], axes=[-1])
        self.constants["eps"] = F32(1e-2)
        root = self.node("Sqrt", [self.node("Add", [variance, "eps"])])
        return self.node("Mul", [self.node("Div", [centred, root]), self.constant(6)])


PLACES = (st.integers(0, 59), st.integers(0, 40), st.integers(0, 40))
step = st.tuples(st.sampled_from(KINDS), *PLACES)
rounding_step = st.tuples(st.sampled_from(["pair", "pair", "dynamic", *KINDS]), *PLACES)


def grown(steps, seed, extra_outputs):
    """A network with some tensors inside as outputs."""
    builder = Builder(seed)
    for index, (kind, op, first, second) in enumerate(steps):
        # Mostly chains: fusing needs neighbours.
        builder.add(kind, op, index if first < 30 else first, second)
    outputs = dict.fromkeys(["y", *(builder.tensors[i] for i in sorted(extra_outputs) if 0 < i < len(builder.tensors))])
    builder.nodes.append(N("Relu", [builder.tensors[-1]], ["y"]))
    return model(builder.nodes, {"x": SHAPE}, list(outputs), builder.constants)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(step, min_size=1, max_size=12), st.integers(0, 1000), st.sets(st.integers(0, 12), max_size=2))
def test_any_network_is_computed_as_the_file_says(steps, seed, extra_outputs):
    with tempfile.TemporaryDirectory() as folder:
        graph = load(save(grown(steps, seed, extra_outputs), Path(folder)))
        for rules in ("edge", "cloud"):
            assert largest_difference(fuse(graph, rules)) < 1e-4, rules


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(rounding_step, min_size=2, max_size=12), st.integers(0, 1000), st.sets(st.integers(0, 12), max_size=2))
def test_networks_that_round_are_cut_so_that_they_run(steps, seed, extra_outputs):
    """Their values are not compared: the last bit of a sum decides about a code now and then."""
    with tempfile.TemporaryDirectory() as folder:
        graph = load(save(grown(steps, seed, extra_outputs), Path(folder)))
        for rules in ("edge", "cloud"):
            network = fuse(graph, rules)
            check_kernels(network)
            found = run_kernels(network, synthetic_feeds(graph.inputs, 1))
            assert {info.name: info.shape for info in graph.outputs} == {n: a.shape for n, a in found.items()}
            for miss in explain(network):
                assert len({miss.kernel, *miss.others} & {kernel.id for kernel in network.kernels}) >= 2
                assert str(miss.reason)
