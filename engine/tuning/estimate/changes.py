"""What rounding a weight does to a kernel's result, as products with the gradient there, by output channel.

The gradient is known, so no error has to be propagated: <G, op(x, dW)> for each output channel is all that is needed.
For a 1x1 convolution that is dW times the gradient of the weight, which all formats share; for others the operator runs
on dW once per format.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper

from engine.fusion.types import Kernel, Kind, Weight
from engine.graph.types import Array
from engine.numerics.models import Built
from engine.numerics.runtime import ALL, naming, open_session, options, to_ort
from engine.precision.scheme import HALF, ActivationFormat, Scheme, WeightFormat
from engine.quant.ranges import FROM_WEIGHTS
from engine.quant.ranges import Rounding as Methods
from engine.quant.weights import SCALED, fake_quantize
from engine.tuning.adjoint import Sym, Tape
from engine.tuning.adjoint.tape import attributes_of
from engine.tuning.estimate.kernel_graph import as_model, channel_axis, declare, level_of, products
from engine.tuning.estimate.route import Step


class Rounding(NamedTuple):
    """What the change of a weight, and of the bias that makes it good, depends on."""

    form: WeightFormat
    method: str
    corrected: bool = False
    activations: ActivationFormat | None = None
    """What the method scales the channels for; None for methods that don't."""

    @property
    def scheme(self) -> Scheme:
        """A scheme with it."""
        return Scheme(self.form, self.activations or HALF, self.method, self.corrected)


def rounding_of(scheme: Scheme) -> Rounding:
    """The part of a scheme that decides about the weight."""
    if scheme.weights.floating:
        return Rounding(scheme.weights, "rtn")
    scaled = scheme.activations if scheme.method in SCALED else None
    return Rounding(scheme.weights, scheme.method, scheme.corrected, scaled)


_KEPT_BYTES = 64 << 20


class WeightChanges:
    """Sessions for these products. Safe to use from several threads."""

    def __init__(self, methods: Callable[[], Methods] = lambda: FROM_WEIGHTS) -> None:
        """Take where weights come from that are not rounded to nearest; asked when the first one is needed."""
        self._methods = methods
        self._lock = threading.Lock()
        self._shared: dict[object, ort.InferenceSession] = {}
        self._own: dict[tuple[str, tuple[Rounding, ...]], ort.InferenceSession] = {}
        self._own_bytes = 0
        """Of rounded weights inside sessions that are kept."""

    def open(self, step: Step, roundings: tuple[Rounding, ...]) -> Prepared:
        """Round a kernel's weight in several ways, and open the session that measures what that does."""
        kernel = step.kernel
        if kernel.kind is Kind.EMBEDDING:
            return Prepared(step, None, {}, roundings)
        if _is_spatial(step):
            key = kernel.id, roundings
            session = self._own.get(key)
            if session is None:
                changes = {f"w{at}": self._change(kernel, each) for at, each in enumerate(roundings)}
                session = _open(kernel, _graph(step, len(roundings), changes), level_of(kernel))
                self._keep(key, session, sum(change.nbytes for change in changes.values()))
            return Prepared(step, session, {}, roundings)
        with self._lock:
            shapes = step.form.segment.shapes
            node = step.form.segment.nodes[step.form.anchor]
            shared = (node.SerializeToString(), len(roundings), shapes[step.wanted.activation], shapes[node.output[0]],
                      str(step.form.dtypes[step.wanted.activation]))  # fmt: skip
            session = self._shared.get(shared)
        if session is None:
            session = _open(kernel, _graph(step, len(roundings), {}), ALL)
            with self._lock:
                self._shared[shared] = session
        fed = {f"w{at}": self._change(kernel, each) for at, each in enumerate(roundings)}
        return Prepared(step, session, fed, roundings)

    def _change(self, kernel: Kernel, rounding: Rounding) -> Array:
        if rounding.method == "rtn" or rounding.form.floating or kernel.weight is None:
            return change_of(kernel, rounding)
        rounded = self._methods().weight(kernel, kernel.weight, rounding.scheme).dequantize()
        return _difference(rounded, kernel.constants[kernel.weight.constant])

    def shift_products(self, step: Step, rounding: Rounding, gradient: Array) -> Array | None:
        """<gradient, what a corrected bias adds> by output channel; None where there is no place for it."""
        kernel = step.kernel
        shift = self._methods().shift(kernel, rounding.scheme) if rounding.corrected else None
        if shift is None or kernel.weight is None:
            return None
        node = step.form.segment.nodes[step.form.anchor]
        weight = step.form.short[kernel.weight.constant]
        axis = _channels_of(kernel, node, weight, gradient.shape)
        sums = gradient.sum(axis=tuple(at for at in range(gradient.ndim) if at != axis), dtype=np.float64)
        return np.asarray(sums * shift)

    def _keep(self, key: tuple[str, tuple[Rounding, ...]], session: ort.InferenceSession, nbytes: int) -> None:
        with self._lock:
            if self._own_bytes + nbytes <= _KEPT_BYTES:
                self._own[key] = session
                self._own_bytes += nbytes


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """Ready to measure the changes of one kernel's weight on any sample."""

    step: Step
    session: ort.InferenceSession | None
    fed: Mapping[str, Array]
    roundings: tuple[Rounding, ...]

    def products(self, activation: ort.OrtValue, gradient: Array) -> list[Array]:
        """Per rounding, <gradient, change of the result> by output channel, float64 [channels].

        Args:
            activation: What meets the weight.
            gradient: At the anchor's result.
        """
        assert self.session is not None
        feeds = {"x": activation, "g": to_ort(gradient)}
        feeds |= {name: to_ort(array) for name, array in self.fed.items()}
        names = [f"z{at}" for at in range(len(self.roundings))]
        run = self.session.run_with_ort_values
        found = naming(self.step.kernel.name, lambda: run(names, feeds))
        return [value.numpy().astype(np.float64) for value in found]


def change_of(kernel: Kernel, rounding: Rounding) -> Array:
    """Rounded weight minus weight, float32 in the weight's shape."""
    assert kernel.weight is not None
    original = kernel.constants[kernel.weight.constant]
    return _change(original, kernel.weight, rounding)


def _change(original: Array, weight: Weight, rounding: Rounding) -> Array:
    return _difference(fake_quantize(original, weight, rounding.form, rounding.method).values, original)


def _difference(rounded: Array, original: Array) -> Array:
    if original.dtype != np.float32:  # the quantized model holds it in the model's own dtype
        with np.errstate(over="ignore"):
            rounded = rounded.astype(original.dtype).astype(np.float32)
        original = original.astype(np.float32)
    with np.errstate(invalid="ignore"):
        return np.subtract(rounded, original)


def embedding_products(
    kernel: Kernel, roundings: Sequence[Rounding], rows: Sequence[Array], gradients: Sequence[Array]
) -> list[list[Array]]:
    """The same for a table that is looked up by row: by position instead of by channel.

    Only rows that occur are rounded, where the format doesn't join all rows in one scale.

    Args:
        kernel: The embedding.
        roundings: Formats and methods.
        rows: Indices of each sample.
        gradients: At the looked-up rows, per sample.

    Returns:
        Per sample, per rounding, float64 [positions].
    """
    assert kernel.weight is not None
    table = kernel.constants[kernel.weight.constant]
    used = np.unique(np.concatenate([np.asarray(each).ravel() for each in rows])) % len(table)
    used = np.unique(used)
    found: list[list[Array]] = [[] for _ in rows]
    for rounding in roundings:
        if rounding.form.granularity == "tensor" and not rounding.form.floating:
            change = change_of(kernel, rounding)[used]
        else:
            part = np.ascontiguousarray(table[used])
            change = _change(part, replace(kernel.weight, shape=part.shape), rounding)
        change = change.reshape(len(used), -1)
        for sample, (index, gradient) in enumerate(zip(rows, gradients, strict=True)):
            places = np.searchsorted(used, np.asarray(index).ravel() % len(table))
            flat = gradient.reshape(len(places), -1)
            found[sample].append(np.einsum("ij,ij->i", flat, change[places]).astype(np.float64))
    return found


def _is_spatial(step: Step) -> bool:
    """Whether the weight belongs in the session: only so do convolutions run at full speed."""
    kernel = step.kernel
    return kernel.kind in (Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE) and not _is_pointwise(step)


def _is_pointwise(step: Step) -> bool:
    """A convolution that is a matrix product over the channels of one picture."""
    node = step.form.segment.nodes[step.form.anchor]
    if node.op_type != "Conv" or step.kernel.weight is None:
        return False
    attributes = attributes_of(node)
    plain = all(int(value) == 1 for value in attributes.get("strides", []))
    plain &= not any(attributes.get("pads", [])) and int(attributes.get("group", 1)) == 1
    ones = all(size == 1 for size in step.kernel.weight.shape[2:])
    return plain and ones and step.form.segment.shapes[step.wanted.activation][0] == 1


def _graph(step: Step, count: int, changes: Mapping[str, Array]) -> Built:
    """Inputs x, g and, unless they are given, the changes w0, w1 ...; outputs z0, z1 ..."""
    kernel, segment = step.kernel, step.form.segment
    assert kernel.weight is not None
    node = segment.nodes[step.form.anchor]
    name, result = step.wanted.activation, node.output[0]
    tape = Tape("c")
    infos: list[onnx.ValueInfoProto] = []
    casts: list[onnx.NodeProto] = []
    declare("x", step.form.dtypes[name], segment.shapes[name], True, infos, casts)
    infos.append(helper.make_tensor_value_info("g", onnx.TensorProto.FLOAT, segment.shapes[result]))
    if not changes:
        shape = kernel.weight.shape
        infos += [helper.make_tensor_value_info(f"w{at}", onnx.TensorProto.FLOAT, shape) for at in range(count)]
    if casts:
        infos[0].name, casts[0].input[0], casts[0].output[0] = "x", "x", "x/single"
    x, g = tape.sym("x/single" if casts else "x"), tape.sym("g")
    ends = _by_weight_gradient(step, x, g, count) if _is_pointwise(step) else _by_running(step, x, g, count)
    nodes = [*casts, *tape.nodes]
    nodes += [helper.make_node("Identity", [end.name], [f"z{at}"]) for at, end in enumerate(ends)]
    outputs = [f"z{at}" for at in range(count)]
    return as_model(nodes, infos, outputs, {**tape.constants, **changes}, segment.opset)


def _by_weight_gradient(step: Step, x: Sym, g: Sym, count: int) -> list[Sym]:
    """G X^T once, then a product with each change."""
    segment = step.form.segment
    shape = segment.shapes[step.wanted.activation]
    result = segment.shapes[segment.nodes[step.form.anchor].output[0]]
    places = int(np.prod(shape[2:], dtype=np.int64))
    inputs, outputs = shape[1], result[1]
    gradient = g.tape.op("Gemm", g.reshape([outputs, places]), x.reshape([inputs, places]), transB=1)
    changes = [g.tape.sym(f"w{at}").reshape([outputs, inputs]) for at in range(count)]
    return [(gradient * change).sum([1], keep=False) for change in changes]


def _by_running(step: Step, x: Sym, g: Sym, count: int) -> list[Sym]:
    """The operator itself, with the change for the weight and without its bias."""
    kernel, segment = step.kernel, step.form.segment
    assert kernel.weight is not None
    node = segment.nodes[step.form.anchor]
    weight = step.form.short[kernel.weight.constant]
    shape = segment.shapes[node.output[0]]
    axis = _channels_of(kernel, node, weight, shape)
    ends = []
    for at in range(count):
        operands = [f"w{at}" if name == weight else x for name in node.input[:2]]
        result = x.tape.op(node.op_type, *operands, **attributes_of(node))
        ends.append(products(g, result, shape, axis))
    return ends


def _channels_of(kernel: Kernel, node: onnx.NodeProto, weight: str, shape: tuple[int, ...]) -> int:
    """The axis of the result along which the weight's channels lie."""
    if node.op_type == "MatMul" and node.input[0] == weight:
        return max(0, len(shape) - 2)
    if node.op_type == "Gemm" and node.input[0] == weight:
        return 0
    if node.op_type == "Einsum":
        return _einsum_channel(node, weight, shape)
    return channel_axis(kernel, len(shape))


def _einsum_channel(node: onnx.NodeProto, weight: str, shape: tuple[int, ...]) -> int:
    """The last axis of the result whose index only the weight has."""
    left, arrow, result = str(attributes_of(node).get("equation", "")).replace(" ", "").partition("->")
    terms = left.split(",")
    own = set(terms[list(node.input).index(weight)]) - set(terms[1 - list(node.input).index(weight)])
    axes = [at for at, letter in enumerate(result) if letter in own and "." not in left and arrow]
    return axes[-1] if axes else max(0, len(shape) - 1)


def _open(kernel: Kernel, built: Built, level: str) -> ort.InferenceSession:
    session: ort.InferenceSession = naming(kernel.name, lambda: open_session(built, options(level)))
    return session
