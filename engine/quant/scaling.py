"""Scales that move between a kernel and the one in front of it: AWQ, SmoothQuant, cross-layer equalisation.

y = W x is also (W diag(a)) (x / a), and what makes x can give x / a instead. Float results stay what they were, rounded
ones don't: columns that meet large values are rounded finer, or large values are rounded in company of their own size.

All scales here are powers of two. That costs some tenths of a decibel against any real number (a candidate is tried at
two phases, which brings part of it back) and buys exactness: in binary floating point multiplying by a power of two
loses nothing, so the scaled float network has the same bits as the original, and it makes no difference whether x / a
is computed by the norm in front, by a multiplication, or by scaled rows of another layer's weight.

* AWQ: J. Lin et al., "AWQ: Activation-aware Weight Quantization for LLM Compression and Acceleration" (MLSys 2024):
  a = size of the activation channel to the power alpha, alpha by search. The size here is the root of the second moment
  (the paper: mean of magnitudes), and the search minimises the expected error of the product.
* SmoothQuant: G. Xiao et al., "SmoothQuant: Accurate and Efficient Post-Training Quantization for Large Language
  Models" (ICML 2023): a = max |x|^alpha / max |w|^(1 - alpha) by channel, alpha by search.
* Cross-layer equalisation: M. Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction"
  (ICCV 2019): a = sqrt(r1 r2) / r2 with the ranges r1 of the rows in front and r2 of the columns behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.graph.types import Array
from engine.precision.scheme import ActivationFormat, WeightFormat
from engine.quant.gptq import Moments
from engine.quant.rounding import rounded_to_nearest

_FARTHEST = 14
"""Exponents of scales stay within this distance of their middle: halves can still hold what is scaled."""
_PHASES = (0.0, 0.5)
_AWQ = tuple(round(0.1 * step, 1) for step in range(1, 11))
_SMOOTH = tuple(round(0.1 * step, 1) for step in range(2, 10))
_TURNS = 20
"""Sweeps of the equalisation over all borders; each changes less than the one before."""


@dataclass(frozen=True, eq=False, slots=True)
class Scaling:
    """What the codes of a weight are of: not W, but W times `inputs` by column and over `outputs` by row."""

    inputs: Array | None = None
    """float32 [input channels], powers of two: the activation is divided by them."""
    outputs: Array | None = None
    """float32 [output channels], powers of two: the result (with its bias) is multiplied by them."""
    by_row: bool = False
    """Whether each row has an input channel of its own (depthwise convolutions); else each has its columns in a row."""

    def of(self, matrix: Array) -> Array:
        """The scaled matrix of a weight matrix [channels, reduction], float32."""
        found: Array = np.asarray(matrix, np.float32)
        if self.inputs is not None:
            found = found * self._beside(found)
        if self.outputs is not None:
            found = found / self.outputs[:, None]
        return found

    def undone(self, matrix: Array, *, inputs: bool = True) -> Array:
        """The matrix that a scaled one stands for beside a plain result and a plain (`inputs`) or scaled activation."""
        found = matrix
        if self.inputs is not None and inputs:
            found = found / self._beside(found)
        if self.outputs is not None:
            found = found * self.outputs[:, None]
        return found

    def _beside(self, matrix: Array) -> Array:
        assert self.inputs is not None
        return self.inputs[:, None] if self.by_row else np.repeat(self.inputs, matrix.shape[1] // self.inputs.size)


PLAIN = Scaling()
"""Nothing is scaled."""


@dataclass(frozen=True, eq=False, slots=True)
class Reader:
    """A product that reads the activation, for a search."""

    matrix: Array
    """float32 [some channels, reduction]."""
    moments: Sequence[Moments]
    """Of what meets it; their rows are ignored: all channels meet the same."""


@dataclass(frozen=True, eq=False, slots=True)
class Channels:
    """The activation by channel, over samples."""

    low: Array
    """Least value, float32 [channels], as `high`."""
    high: Array
    rows: Array
    """Some positions, float32 [positions, channels]."""


def search(
    method: str,
    readers: Sequence[Reader],
    seen: Channels,
    form: WeightFormat,
    activations: ActivationFormat,
    check: Callable[[], None],
) -> Array | None:
    """The scale of an activation's channels with the least expected error of all that read it; None for no scale.

    Args:
        method: "awq" or "smooth".
        readers: Products that will all read the scaled activation.
        seen: Its extremes.
        form: How their weights are rounded (to nearest).
        activations: How the activation is rounded.
        check: Called between candidates; raises to stop.
    """
    best, least = None, _expected(None, readers, seen, form, activations)
    for tried in _candidates(method, readers, seen):
        check()
        error = _expected(tried, readers, seen, form, activations)
        if error < least:
            best, least = tried, error
    return best


def _candidates(method: str, readers: Sequence[Reader], seen: Channels) -> Iterator[Array]:
    channels = seen.low.size
    if method == "awq":
        squares = np.zeros(channels)
        for reader in readers:
            for _, columns, hessian in reader.moments:
                taps = reader.matrix.shape[1] // channels
                np.add.at(squares, np.arange(columns.start, columns.stop) // taps, np.diagonal(hessian))
        sizes = [(alpha, np.sqrt(squares), np.ones(channels)) for alpha in _AWQ]
    else:
        largest = np.maximum(np.abs(seen.low), np.abs(seen.high)).astype(np.float64)
        columns_of = (np.abs(r.matrix).reshape(len(r.matrix), channels, -1).max(axis=(0, 2)) for r in readers)
        weights = np.max(np.stack(list(columns_of)), axis=0).astype(np.float64)
        sizes = [(alpha, largest, weights) for alpha in _SMOOTH]
    tried = set()
    for alpha, activation, weight in sizes:
        known = (activation > 0) & (weight > 0) & np.isfinite(activation) & np.isfinite(weight)
        if not known.any():
            return
        exponents = np.zeros(channels)
        exponents[known] = alpha * np.log2(activation[known]) - (1 - alpha) * np.log2(weight[known])
        exponents[~known] = np.median(exponents[known])
        for phase in _PHASES:
            found = power_of_two(exponents - np.median(exponents[known]) + phase)
            name = found.tobytes()
            if name not in tried and found.min() != found.max():
                tried.add(name)
                yield found


def power_of_two(exponents: Array) -> Array:
    """float32 powers of two with the nearest whole exponents, none too far away."""
    found: Array = np.exp2(np.clip(np.rint(exponents), -_FARTHEST, _FARTHEST)).astype(np.float32)
    return found


def _expected(
    inputs: Array | None, readers: Sequence[Reader], seen: Channels, form: WeightFormat, activations: ActivationFormat
) -> float:
    """Expected squared error of the readers' results: of rounded weights, and of an activation in integers.

    Errors of channels are taken as independent, each as large as it is on `Channels.rows`: far less than a step where
    a channel is so small that it becomes zero.
    """
    noise = None
    if not activations.floating:
        unit = np.float32(1) if inputs is None else inputs
        low, high = min(0.0, float((seen.low / unit).min())), max(0.0, float((seen.high / unit).max()))
        whole = 2.0 * max(-low, high) if activations.symmetric else high - low
        step = np.float32(max(whole / (2**activations.bits - 1), float(np.finfo(np.float32).tiny)))
        values = seen.rows / unit
        lost = np.rint(values / step) * step - values
        noise = np.mean(np.square(lost), axis=0, dtype=np.float64)
    total = 0.0
    for reader in readers:
        scaled = Scaling(inputs)
        values = np.ascontiguousarray(scaled.of(reader.matrix))
        rounded = np.empty_like(values)
        rounded_to_nearest(values, form, rounded)
        lost = scaled.undone(rounded) - reader.matrix
        with np.errstate(over="ignore", invalid="ignore"):
            for _, columns, hessian in reader.moments:
                part = lost[:, columns]
                total += float(np.vdot(part @ hessian, part))
        if noise is not None:
            by_column = np.einsum("ij,ij->j", values, values, dtype=np.float64)
            total += float(by_column.reshape(noise.size, -1).sum(axis=1) @ noise)
    return total if np.isfinite(total) else np.inf


@dataclass(frozen=True, eq=False, slots=True)
class Layer:
    """Largest magnitudes of a weight, for equalisation."""

    sizes: Array
    """float64 [output channels, input channels]; depthwise: [channels, 1]."""
    by_row: bool


@dataclass(frozen=True, slots=True)
class Border:
    """An activation between layers: who makes it, who reads it; places in a list of layers."""

    maker: int
    readers: tuple[int, ...]


def equalise(layers: Sequence[Layer], borders: Sequence[Border], check: Callable[[], None]) -> list[Array]:
    """The scale of each border's channels: what is in front is divided by it by row, what is behind multiplied.

    Sweeps go on until nothing moves; the channels of a border then have equal ranges on both sides. Channels that carry
    nothing on a side keep a scale of one.
    """
    exponents = [np.zeros(len(layers[border.maker].sizes)) for border in borders]
    sizes = [layer.sizes.copy() for layer in layers]
    for _ in range(_TURNS):
        moved = 0.0
        for at, border in enumerate(borders):
            check()
            front = sizes[border.maker].max(axis=1)
            behind = np.max([_by_input(sizes[r], layers[r].by_row) for r in border.readers], axis=0)
            known = (front > 0) & (behind > 0) & np.isfinite(front) & np.isfinite(behind)
            step = np.zeros(len(front))
            step[known] = 0.5 * np.log2(front[known] / behind[known])
            step = np.clip(exponents[at] + step, -_FARTHEST, _FARTHEST) - exponents[at]
            exponents[at] += step
            moved = max(moved, float(np.abs(step).max(initial=0.0)))
            sizes[border.maker] /= np.exp2(step)[:, None]
            for reader in border.readers:
                sizes[reader] *= np.exp2(step)[:, None] if layers[reader].by_row else np.exp2(step)
        if moved < 0.01:
            break
    return [power_of_two(each) for each in exponents]


def _by_input(sizes: Array, by_row: bool) -> Array:
    return sizes[:, 0] if by_row else sizes.max(axis=0)
