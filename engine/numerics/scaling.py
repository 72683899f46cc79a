"""Scales of channels for many kernels in one pass over calibration samples, and the ranges of scaled activations."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.numerics.moments import Seen, batches
from engine.numerics.samples import SampleSet, evenly
from engine.numerics.whole import whole_network
from engine.precision.scheme import ActivationFormat, Scheme, WeightFormat
from engine.progress import CancelToken
from engine.quant.folding import Group, by_row, groups_of, input_axis, input_channels
from engine.quant.histograms import Seen as Watched
from engine.quant.matrix import to_matrix
from engine.quant.observers import OBSERVERS
from engine.quant.ranges import Range
from engine.quant.scaling import PLAIN, Border, Channels, Layer, Reader, Scaling, equalise, search
from engine.quant.weights import SCALED
from engine.text import Text, say

_SAMPLES = 16
_CHANNELS = 256
"""Channels of a weight that a search looks at, evenly chosen: the scale is one for all of them."""
_ROWS = 512
"""Positions of an activation whose rounding errors are looked at."""
_MOMENTS_BYTES = 512 << 20

Tick = Callable[[], None]


class _Key(NamedTuple):
    """What the scale of an activation depends on."""

    tensor: str
    method: str
    weights: WeightFormat | None
    activations: ActivationFormat | None


class Scalings:
    """Scales by kernel and scheme. What is asked for and not found yet is computed at once."""

    def __init__(self, network: Network, samples: SampleSet, observer: str) -> None:
        self._network, self._samples, self._observer = network, samples, observer
        self._busy = threading.Lock()
        self._inputs: dict[_Key, Array | None] = {}
        self._ranges: dict[tuple[_Key, int], Range] = {}
        """By the bits of the format as well."""

    def of(self, kernel: Kernel, scheme: Scheme) -> Scaling:
        """How a kernel's weight is scaled under a scheme."""
        if scheme.method not in SCALED or scheme.weights.floating:
            return PLAIN
        groups = groups_of(self._network)
        inputs = outputs = None
        if isinstance(groups.of(kernel), Group):
            inputs = self._inputs[_key(kernel, scheme)]
        behind = groups.behind(kernel) if scheme.method == "cle" else None
        if behind is not None:
            outputs = self._inputs[_Key(behind.tensor, "cle", None, None)]
        return Scaling(inputs, outputs, by_row(kernel))

    def range(self, kernel: Kernel, scheme: Scheme) -> Range | None:
        """The range of an activation in the units that a scheme gives its channels; None if it has the plain one."""
        if scheme.method not in SCALED or not _is_static(scheme):
            return None
        return self._ranges.get((_key(kernel, scheme), scheme.activations.bits))

    def missing(self, kernel: Kernel, scheme: Scheme) -> bool:
        """Whether `find` has anything to do for a kernel."""
        if scheme.method not in SCALED or scheme.weights.floating or kernel.weight is None:
            return False
        if not isinstance(groups_of(self._network).of(kernel), Group):
            return scheme.method == "cle" and not self._equalised
        key = _key(kernel, scheme)
        if key not in self._inputs:
            return True
        static = _is_static(scheme) and self._inputs[key] is not None
        return static and (key, scheme.activations.bits) not in self._ranges

    @property
    def _equalised(self) -> bool:
        borders = groups_of(self._network).borders
        return not borders or _Key(borders[0].tensor, "cle", None, None) in self._inputs

    def find(self, cells: Iterable[tuple[Kernel, Scheme]], tick: Tick, cancel: CancelToken) -> None:
        """Find the scales of kernels in schemes, and the ranges of what they scale.

        Raises:
            Cancelled: If asked to stop; what is found by then is kept.
        """
        while not self._busy.acquire(timeout=0.02):
            cancel.check()
        try:
            wanted = [(kernel, scheme) for kernel, scheme in cells if self.missing(kernel, scheme)]
            if any(scheme.method == "cle" for _, scheme in wanted) and not self._equalised:
                self._equalise(cancel)
            self._search([cell for cell in wanted if cell[1].method != "cle"], tick, cancel)
            self._observe(wanted, tick, cancel)
        finally:
            self._busy.release()

    def _equalise(self, cancel: CancelToken) -> None:
        borders = groups_of(self._network).borders
        places: dict[str, int] = {}
        layers: list[Layer] = []
        for border in borders:
            assert border.maker is not None
            for kernel in (border.maker, *border.readers):
                if kernel.id not in places:
                    cancel.check()
                    places[kernel.id] = len(layers)
                    layers.append(_layer(kernel))
        listed = [Border(places[b.maker.id], tuple(places[r.id] for r in b.readers)) for b in borders if b.maker]
        for group, found in zip(borders, equalise(layers, listed, cancel.check), strict=True):
            self._inputs[_Key(group.tensor, "cle", None, None)] = found
        for group in groups_of(self._network).all:
            self._inputs.setdefault(_Key(group.tensor, "cle", None, None), None)

    def _search(self, cells: Sequence[tuple[Kernel, Scheme]], tick: Tick, cancel: CancelToken) -> None:
        groups = groups_of(self._network)
        todo: dict[_Key, Group] = {}
        for kernel, scheme in cells:
            group = groups.of(kernel)
            if isinstance(group, Group) and _key(kernel, scheme) not in self._inputs:
                todo[_key(kernel, scheme)] = group
        watched = {_like(group, kernel).id: _like(group, kernel) for group in todo.values() for kernel in group.readers}
        for batch in batches(watched.values(), _MOMENTS_BYTES):
            ids = {kernel.id for kernel in batch}
            inside = {k: g for k, g in todo.items() if k not in self._inputs and _like(g, g.readers[0]).id in ids}
            also = {_like(g, kernel).id: _like(g, kernel) for g in inside.values() for kernel in g.readers}
            seen, channels = self._watch(list(also.values()), tick, cancel)
            for key, group in inside.items():
                cancel.check()
                assert key.weights is not None
                assert key.activations is not None
                readers = [_reader(kernel, seen[_like(group, kernel).id]) for kernel in group.readers]
                self._inputs[key] = search(
                    key.method, readers, channels[group.tensor], key.weights, key.activations, cancel.check
                )
                tick()

    def _watch(
        self, kernels: Sequence[Kernel], tick: Tick, cancel: CancelToken
    ) -> tuple[Mapping[str, Seen], Mapping[str, Channels]]:
        """Moments by kernel of some of the samples, and extremes of channels by activation of all of them.

        The greatest value of a channel may come with a rare sample, and the step of the scaled activation with it.
        """
        picked = {at: place for place, at in enumerate(evenly(len(self._samples), _SAMPLES))}
        seen = {kernel.id: Seen(kernel) for kernel in kernels}
        by_tensor = {kernel.weight.activation: kernel for kernel in kernels if kernel.weight is not None}
        spans: dict[str, Channels] = {}
        with whole_network(self._network, list(by_tensor), cancel) as run:
            for number, feeds in enumerate(self._samples.feeds):
                arrays = run(feeds)
                for kernel in kernels if number in picked else ():
                    cancel.check()
                    assert kernel.weight is not None
                    seen[kernel.id].watch(arrays[kernel.weight.activation], len(picked), picked[number])
                for name, kernel in by_tensor.items():
                    cancel.check()
                    most = -(-_ROWS // len(picked)) if number in picked else 0
                    spans[name] = _wider(spans.get(name), arrays[name], input_axis(kernel) or 0, most)
                tick()
        return seen, spans

    def _observe(self, cells: Sequence[tuple[Kernel, Scheme]], tick: Tick, cancel: CancelToken) -> None:
        """Watch scaled activations as calibration watches plain ones, on all samples."""
        wanted: dict[tuple[_Key, int], Kernel] = {}
        for kernel, scheme in cells:
            at = _key(kernel, scheme), scheme.activations.bits
            if _is_static(scheme) and self._inputs.get(at[0]) is not None and at not in self._ranges:
                wanted[at] = kernel
        if not wanted:
            return
        observe, conclude, _ = OBSERVERS[self._observer]
        seen = dict.fromkeys(wanted, Watched())
        with whole_network(self._network, list(dict.fromkeys(key.tensor for key, _ in wanted)), cancel) as run:
            for feeds in self._samples.feeds:
                arrays = run(feeds)
                for at, kernel in wanted.items():
                    cancel.check()
                    scale = self._inputs[at[0]]
                    assert scale is not None
                    array = arrays[at[0].tensor]
                    seen[at] = observe(seen[at], array / beside(scale, input_axis(kernel) or 0, array.ndim))
                tick()
        self._ranges |= {(key, bits): conclude(state, bits) for (key, bits), state in seen.items()}


def obstacle(network: Network, kernel: Kernel, method: str) -> Text | None:
    """Why a kernel's weights can't be scaled by a method; None if they can.

    Args:
        network: Where the kernel belongs.
        kernel: One with a weight.
        method: A name in `engine.quant.SCALED`.
    """
    groups = groups_of(network)
    found = groups.of(kernel)
    if method == "cle":
        if groups.behind(kernel) is not None or (isinstance(found, Group) and found in groups.borders):
            return None
        return found if isinstance(found, Text) else say("no layer with weights of its own is next to it")
    if any(by_row(each) for each in (kernel, *(found.readers if isinstance(found, Group) else ()))):
        return say("each of its channels has weights of its own, so that there is nothing to weigh against each other")
    return found if isinstance(found, Text) else None


def check_scalable(network: Network, kernel: Kernel, method: str) -> None:
    """Refuse a scaling that has no place to go to.

    Raises:
        PlanError: With the reason.
    """
    found = obstacle(network, kernel, method)
    if found is not None:
        raise PlanError(
            say(
                "Layer {name} can't take the weight method {method}: {reason}; choose another method for it.",
                name=kernel.name,
                method=method.upper(),
                reason=found,
            )
        )


def beside(scale: Array, axis: int, rank: int) -> Array:
    """A scale in the shape in which it meets a tensor."""
    return scale if axis == -1 or rank <= 1 else scale.reshape(-1, *(1,) * (rank - 2))


def _key(kernel: Kernel, scheme: Scheme) -> _Key:
    assert kernel.weight is not None
    if scheme.method == "cle":
        return _Key(kernel.weight.activation, "cle", None, None)
    return _Key(kernel.weight.activation, scheme.method, scheme.weights, scheme.activations)


def _is_static(scheme: Scheme) -> bool:
    return scheme.activations.static and not scheme.activations.floating


def _like(group: Group, kernel: Kernel) -> Kernel:
    """The first reader whose moments are the kernel's: products along the last axis all meet the same rows."""
    return group.readers[0] if group.axis == -1 else kernel


def _wider(known: Channels | None, array: Array, axis: int, most: int) -> Channels:
    values = np.moveaxis(np.asarray(array, np.float32), axis, -1).reshape(-1, array.shape[axis])
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    low, high = values.min(axis=0, initial=0.0), values.max(axis=0, initial=0.0)
    rows = values[evenly(len(values), most)]
    if known is None:
        return Channels(low, high, rows)
    rows = np.concatenate([known.rows, rows])
    return Channels(np.minimum(known.low, low), np.maximum(known.high, high), rows)


def _reader(kernel: Kernel, seen: Seen) -> Reader:
    assert kernel.weight is not None
    weight = kernel.weight
    matrix = to_matrix(kernel.constants[weight.constant], weight.channel_axes, weight.reduction_axes)
    some = np.asarray(matrix[evenly(len(matrix), _CHANNELS)], np.float32)
    return Reader(np.nan_to_num(some, nan=0.0, posinf=0.0, neginf=0.0), seen.moments())


def _layer(kernel: Kernel) -> Layer:
    assert kernel.weight is not None
    weight = kernel.weight
    matrix = to_matrix(kernel.constants[weight.constant], weight.channel_axes, weight.reduction_axes)
    sizes = np.abs(np.nan_to_num(np.asarray(matrix, np.float64), nan=0.0, posinf=0.0, neginf=0.0))
    inputs = 1 if by_row(kernel) else input_channels(kernel)
    taps = prod(sizes.shape[1:]) // inputs
    return Layer(sizes.reshape(len(sizes), inputs, taps).max(axis=2, initial=0.0), by_row(kernel))
