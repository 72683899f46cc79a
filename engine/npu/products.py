"""The matrix product inside a kernel: M, N, K and how often.

Convolutions by im2col: M = batch * output positions, K = input channels * taps, N = output channels.
"""

from __future__ import annotations

from math import prod

import msgspec

from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Node
from engine.npu.operators import attribute


class Product(msgspec.Struct, frozen=True, gc=False):
    """`groups` independent products of [M, K] x [K, N]."""

    m: int
    n: int
    k: int
    groups: int = 1
    """Convolution groups, batch of a MatMul, or time steps."""
    taps: int = 1
    """Kernel positions of a convolution, else 1; K = channels * taps."""
    stationary: bool = False
    """Whether all groups use the same right operand (time steps of a recurrent kernel)."""


NO_PRODUCT = Product(0, 0, 0, 0)


def product(kernel: Kernel, network: Network) -> Product:
    """The product of a kernel's anchor; NO_PRODUCT for a kernel without one.

    An operator whose shapes can't be read (Einsum, quantized operators of the file) is a plain product with as many
    multiplications as the kernel counts.
    """
    anchor = kernel.nodes[kernel.anchor]
    found: Product | None
    if kernel.kind in (Kind.CONV, Kind.DEPTHWISE):
        found = _convolution(kernel, network, anchor)
    elif kernel.kind is Kind.CONV_TRANSPOSE:
        found = _transposed(kernel, network, anchor)
    elif kernel.kind in (Kind.GEMM, Kind.MATMUL) and kernel.weight is not None:
        shape = kernel.weight.shape
        n = prod(shape[axis] for axis in kernel.weight.channel_axes) or 1
        k = prod(shape[axis] for axis in kernel.weight.reduction_axes) or 1
        found = Product(max(1, round(kernel.macs / (n * k))), n, k)
    elif kernel.kind in (Kind.GEMM, Kind.MATMUL, Kind.MATMUL_DYNAMIC):
        found = _dynamic(kernel, network, anchor)
    elif kernel.kind is Kind.RECURRENT:
        found = _recurrent(kernel, network, anchor)
    else:
        return NO_PRODUCT
    return found or _counted(kernel, network, anchor)


def shape_of(name: str, kernel: Kernel, network: Network) -> tuple[int, ...]:
    """Shape of a constant or activation that a kernel reads or writes; () if it is unknown."""
    if name in kernel.constants:
        return tuple(kernel.constants[name].shape)
    info = network.tensors.get(name)
    return info.shape if info is not None else ()


def _counted(kernel: Kernel, network: Network, anchor: Node) -> Product:
    out = shape_of(anchor.outputs[0], kernel, network)
    n = max(1, out[-1]) if out else 1
    m = max(1, prod(out[:-1]))
    return Product(m, n, max(1, round(kernel.macs / (m * n))))


def _weight_shape(kernel: Kernel, network: Network, anchor: Node) -> tuple[int, ...]:
    return kernel.weight.shape if kernel.weight is not None else shape_of(anchor.inputs[1], kernel, network)


def _convolution(kernel: Kernel, network: Network, anchor: Node) -> Product | None:
    shape = _weight_shape(kernel, network, anchor)
    out = shape_of(anchor.outputs[0], kernel, network)
    if len(shape) < 3 or len(out) != len(shape):
        return None
    groups = _groups(anchor)
    cout, cin, taps = shape[0], shape[1], prod(shape[2:])
    return Product(max(1, out[0] * prod(out[2:])), max(1, cout // groups), max(1, cin * taps), groups, max(1, taps))


def _transposed(kernel: Kernel, network: Network, anchor: Node) -> Product | None:
    """A product of every input position with all taps; the scatter into the output is Vector work."""
    shape = _weight_shape(kernel, network, anchor)
    source = shape_of(anchor.inputs[0], kernel, network)
    if len(shape) < 3 or len(source) != len(shape):
        return None
    groups = _groups(anchor)
    cin, cout, taps = shape[0], shape[1], prod(shape[2:])
    return Product(max(1, source[0] * prod(source[2:])), max(1, cout * taps), max(1, cin // groups), groups)


def _dynamic(kernel: Kernel, network: Network, anchor: Node) -> Product | None:
    if anchor.op_type not in ("MatMul", "Gemm") or len(anchor.inputs) < 2:
        return None
    left, right = (shape_of(name, kernel, network) for name in anchor.inputs[:2])
    if not left or not right:
        return None
    m, k = (left[-2] if len(left) > 1 else 1), left[-1]
    n = right[-1] if len(right) > 1 else 1
    if anchor.op_type == "Gemm":
        m, k = (k, m) if attribute(anchor, "transA", 0) else (m, k)
        n = right[0] if attribute(anchor, "transB", 0) else n
    return Product(max(1, m), max(1, n), max(1, k), max(prod(left[:-2]), prod(right[:-2]), 1))


def _recurrent(kernel: Kernel, network: Network, anchor: Node) -> Product | None:
    """One product per time step and direction: [batch, input + hidden] x [input + hidden, gates * hidden]."""
    if len(anchor.inputs) < 3:
        return None
    source, gates, hidden = (shape_of(name, kernel, network) for name in anchor.inputs[:3])
    if len(source) < 3 or len(gates) < 3 or len(hidden) < 3:
        return None
    steps = max(1, source[0] * gates[0])
    return Product(max(1, source[1]), max(1, gates[1]), max(1, gates[2] + hidden[2]), steps, 1, True)


def _groups(anchor: Node) -> int:
    value = attribute(anchor, "group", 1)
    return max(1, value) if isinstance(value, int) else 1
