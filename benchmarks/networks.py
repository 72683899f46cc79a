"""Networks to measure on, written with random weights: the shapes of known ones, nothing to download."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class _Builder:
    """Collects nodes and weights; every method returns the name of its result."""

    def __init__(self, seed: int, tails: bool = False) -> None:
        self.rng = np.random.default_rng(seed)
        self.tails = tails
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, *shape: int, fan_in: int = 1, offset: float = 0.0) -> str:
        name = f"w{len(self.weights)}"
        drawn = self.rng.standard_t(4, shape) / np.sqrt(2) if self.tails else self.rng.standard_normal(shape)
        values = drawn * np.sqrt(2 / fan_in) + offset
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def value(self, array: np.ndarray) -> str:
        name = f"v{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op: str, *inputs: str, **attributes: object) -> str:
        output = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], f"{op}_{len(self.nodes)}", **attributes))
        return output

    def save(self, path: Path, inputs: list[onnx.ValueInfoProto], output: str, shape: list[int]) -> Path:
        graph = helper.make_graph(
            self.nodes, path.stem, inputs, [helper.make_tensor_value_info(output, 1, shape)], self.weights
        )
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path


def mobilenet_v2(path: Path, size: int = 224, *, tails: bool = False) -> Path:
    """53 weight layers, 17 of them depthwise; BatchNorm folded. With `tails` as training leaves them (`as_trained`)."""
    b = _Builder(0, tails)

    def conv(x: str, cin: int, cout: int, kernel: int, stride: int = 1, group: int = 1, relu: bool = True) -> str:
        weight = b.weight(cout, cin // group, kernel, kernel, fan_in=cin // group * kernel * kernel)
        y = b.node("Conv", x, weight, b.weight(cout, fan_in=200), group=group, strides=[stride, stride],
                   kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)  # fmt: skip
        low, high = b.value(np.float32(0)), b.value(np.float32(6))
        return b.node("Clip", y, low, high) if relu else y

    x, channels = conv("image", 3, 32, 3, 2), 32
    for expand, out, repeat, stride in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    ):  # fmt: skip
        for number in range(repeat):
            step, wide = (stride if number == 0 else 1), channels * expand
            y = conv(x, channels, wide, 1) if expand > 1 else x
            y = conv(conv(y, wide, wide, 3, step, wide), wide, out, 1, relu=False)
            x = b.node("Add", x, y) if step == 1 and channels == out else y
            channels = out
    x = b.node("Flatten", b.node("GlobalAveragePool", conv(x, channels, 1280, 1)))
    x = b.node("Gemm", x, b.weight(1000, 1280, fan_in=1280), b.weight(1000, fan_in=200), transB=1)
    b.save(path, [helper.make_tensor_value_info("image", 1, [1, 3, size, size])], x, [1, 1000])
    return as_trained(path) if tails else path


def as_trained(path: Path) -> Path:
    """Give channels of convolutions the mean and deviation that a folded BatchNorm gives them on synthetic samples.

    With outliers among the weights that makes layers as different as those of trained networks are.
    """
    import onnxruntime as ort

    from engine.numerics import synthetic_samples
    from engine.session.work import open_network

    feeds = synthetic_samples(open_network(path, {}).graph, 8).feeds
    model, rng = onnx.load(path), np.random.default_rng(4)
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in [each for each in model.graph.node if each.op_type == "Conv"]:
        model.graph.output[0].CopyFrom(helper.make_tensor_value_info(node.output[0], 1, None))
        session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        seen = np.concatenate([session.run(None, feed)[0] for feed in feeds])
        mean, deviation = seen.mean((0, 2, 3)), seen.std((0, 2, 3)) + 1e-6
        scale = np.exp(rng.normal(0, 0.35, len(mean))) / deviation
        weight, bias = (tensors[name] for name in node.input[1:3])
        shift = rng.normal(0.1, 0.5, len(mean)) + scale * (numpy_helper.to_array(bias) - mean)
        wide = numpy_helper.to_array(weight) * scale[:, None, None, None]
        weight.CopyFrom(numpy_helper.from_array(wide.astype(np.float32), weight.name))
        bias.CopyFrom(numpy_helper.from_array(shift.astype(np.float32), bias.name))
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info(model.graph.node[-1].output[0], 1, [1, 1000]))
    onnx.save(model, path)
    return path


def encoder(path: Path, *, layers: int = 3, tokens: int = 128, width: int = 384, heads: int = 12) -> Path:
    """A BERT-like encoder of MiniLM's size: 6 weight MatMuls and 2 run-time ones per layer."""
    b = _Builder(1)

    def linear(x: str, cin: int, cout: int) -> str:
        return b.node("Add", b.node("MatMul", x, b.weight(cin, cout, fan_in=2 * cin)), b.weight(cout, fan_in=5000))

    def norm(x: str) -> str:
        scale = b.weight(width, fan_in=10**6, offset=1.0)
        return b.node("LayerNormalization", x, scale, b.weight(width, fan_in=10**6), axis=-1)

    def split(x: str) -> str:
        shape = b.value(np.array([1, tokens, heads, width // heads]))
        return b.node("Transpose", b.node("Reshape", x, shape), perm=[0, 2, 1, 3])

    x = norm(b.node("Gather", b.weight(30522, width, fan_in=2), "ids"))
    for _ in range(layers):
        q, k, v = (split(linear(x, width, width)) for _ in range(3))
        scores = b.node("MatMul", q, b.node("Transpose", k, perm=[0, 1, 3, 2]))
        scores = b.node("Softmax", b.node("Mul", scores, b.value(np.float32((width // heads) ** -0.5))), axis=-1)
        mixed = b.node("Transpose", b.node("MatMul", scores, v), perm=[0, 2, 1, 3])
        mixed = b.node("Reshape", mixed, b.value(np.array([1, tokens, width])))
        x = norm(b.node("Add", x, linear(mixed, width, width)))
        y = linear(x, width, 4 * width)
        gate = b.node("Add", b.node("Erf", b.node("Mul", y, b.value(np.float32(2**-0.5)))), b.value(np.float32(1)))
        y = b.node("Mul", b.node("Mul", y, gate), b.value(np.float32(0.5)))
        x = norm(b.node("Add", x, linear(y, 4 * width, width)))
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, tokens])]
    return b.save(path, inputs, x, [1, tokens, width])


def long_chain(path: Path, kernels: int) -> Path:
    """About this many small kernels, to measure a window and not an evaluator: convolutions of 8 channels, and sums."""
    b = _Builder(2)
    x = skip = b.node("Conv", "image", b.weight(8, 3, 3, 3, fan_in=27), kernel_shape=[3, 3], strides=[2, 2])
    for number in range(1, kernels - 1):
        if number % 8 == 7:
            x = b.node("Softmax", x, axis=1)
            continue
        y = b.node("Conv", x, b.weight(8, 8, 1, 1, fan_in=64), kernel_shape=[1, 1])
        x = skip = b.node("Add", skip, y) if number % 4 == 2 else y
        x = b.node("Relu", x) if number % 4 == 1 else x
    x = b.node("GlobalAveragePool", x)
    return b.save(path, [helper.make_tensor_value_info("image", 1, [1, 3, 16, 16])], x, [1, 8, 1, 1])
