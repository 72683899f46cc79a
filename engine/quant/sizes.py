"""Bytes of weights and of whole plans, to the byte.

Codes and zero points are packed; a zero point takes as many bits as a code, and symmetric formats have none. A scale is
a half where devices store one (groups of up to 8 bits, and formats up to 4 bits) and a float elsewhere. INT4 in groups
of 32 so costs 20 bits per 32 weights on top of the codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
import onnx

from engine.fusion.types import Kernel, Kind, Network, Weight
from engine.graph.types import Array
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme, WeightFormat, family


def half_scales(form: WeightFormat) -> bool:
    """Whether the scales of an integer format are stored in FP16."""
    return form.bits <= 4 or (form.granularity == "group" and form.bits <= 8)


def group_size(form: WeightFormat, reduction: int) -> int:
    """Weights per scale along a reduction axis of that length (at least 1)."""
    if form.floating or form.granularity != "group":
        return max(1, reduction)
    return max(1, min(form.group, reduction))


def packed_bytes(channels: int, reduction: int, form: WeightFormat) -> int:
    """Bytes of a weight matrix [channels, reduction] in a format."""
    weights = channels * reduction
    if form.floating:
        return weights * form.bits // 8
    scales = 1
    if form.granularity != "tensor":
        scales = channels * (-(-reduction // group_size(form, reduction)) if reduction else 1)
    codes = -(-weights * form.bits // 8)
    zeros = 0 if form.symmetric else -(-scales * form.bits // 8)
    return codes + scales * (2 if half_scales(form) else 4) + zeros


def weight_bytes(weight: Weight, form: WeightFormat) -> int:
    """Bytes of a kernel's weight in a format: packed codes, scales and zero points."""
    channels = prod(weight.shape[axis] for axis in weight.channel_axes)
    reduction = prod(weight.shape[axis] for axis in weight.reduction_axes)
    return packed_bytes(channels, reduction, form)


@dataclass(frozen=True, slots=True)
class PlanBytes:
    """What a model takes under a plan."""

    total: int
    by_family: Mapping[str, int]
    """'INT4', 'INT8', 'FP16', 'FP32' for tunable kernels, 'other' for those without a switch; adds up to `total`."""
    per_kernel: Mapping[str, int]
    """By kernel id; adds up to `total`. What kernels share is counted at the first of them."""


def plan_bytes(network: Network, plan: Plan) -> PlanBytes:
    """Size of all constants under a plan.

    Weights count in their scheme's format. Other floating constants (biases, norms, tables) count as FP16, as a device
    stores them, except int32 biases of integer kernels and kernels at FP32; in a plan that leaves every kernel at FP32
    all count in the model's own dtype. Integer constants count as they are. A constant that several kernels read counts
    once per format: tied weights once when their schemes agree. Weights in the bodies of If, Loop and Scan count too.
    """
    reference = all(plan.scheme(kernel.id) == FP32 for kernel in network.tunable)
    seen: set[tuple[object, ...]] = set()
    per_kernel: dict[str, int] = {}
    by_family: dict[str, int] = {}
    for kernel in network.kernels:
        scheme = plan.scheme(kernel.id) if kernel.tunable else None
        size = 0
        for name, array in kernel.constants.items():
            form, nbytes = _constant_bytes(kernel, name, array, scheme, reference)
            if (name, form) not in seen:
                seen.add((name, form))
                size += nbytes
        size += sum(_inner_bytes(node.proto, reference) for node in kernel.nodes)
        per_kernel[kernel.id] = size
        group = "other" if scheme is None else family(scheme)
        by_family[group] = by_family.get(group, 0) + size
    return PlanBytes(sum(per_kernel.values()), by_family, per_kernel)


def _constant_bytes(
    kernel: Kernel, name: str, array: Array, scheme: Scheme | None, reference: bool
) -> tuple[object, int]:
    """A constant's format (anything that tells formats apart) and its bytes in it."""
    weight = next((each for each in kernel.weights if each.constant == name), None)
    if weight is not None and scheme is not None and scheme != FP32:
        form = scheme.weights
        return (form, weight.channel_axes), weight_bytes(weight, form)
    if reference or scheme == FP32 or not _floating(array):
        return array.dtype.str, array.nbytes
    if scheme is not None and not scheme.activations.floating and _is_integer_bias(kernel, name):
        return "int32", array.size * 4
    return "half", array.size * 2


def _is_integer_bias(kernel: Kernel, name: str) -> bool:
    """Whether a constant is added to integer sums; a recurrent kernel adds its bias to the sum of two products."""
    return kernel.weight is not None and name == kernel.weight.bias and kernel.kind is not Kind.RECURRENT


def _inner_bytes(node: onnx.NodeProto, reference: bool) -> int:
    """Bytes of the tensors in the bodies of a node."""
    size = 0
    for attribute in node.attribute:
        for graph in [attribute.g] if attribute.HasField("g") else attribute.graphs:
            tensors = list(graph.initializer)
            for inner in graph.node:
                tensors += [a.t for a in inner.attribute if a.HasField("t")]
                size += _inner_bytes(inner, reference)
            size += sum(_tensor_bytes(tensor, reference) for tensor in tensors)
    return size


def _tensor_bytes(tensor: onnx.TensorProto, reference: bool) -> int:
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    width = dtype.itemsize if reference or dtype.kind != "f" else min(2, dtype.itemsize)
    return int(prod(tensor.dims)) * int(width)


def _floating(array: Array) -> bool:
    # bfloat16 and its like are of kind "V" or "f" depending on the version; their size tells them from strings.
    return bool(np.issubdtype(array.dtype, np.floating)) or array.dtype.name in ("bfloat16",)
