"""Rounding with calibration data: methods that look at what meets the weights, for many kernels in one pass."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network, Weight
from engine.graph.types import Array
from engine.numerics.moments import STRETCH, Seen, batches
from engine.numerics.operands import has_rows
from engine.numerics.rounded import RoundedWeights, content, samples_content
from engine.numerics.samples import SampleSet, evenly
from engine.numerics.scaling import Scalings, check_scalable, obstacle
from engine.numerics.whole import whole_network
from engine.numerics.workers import Workers
from engine.precision.scheme import Scheme, WeightFormat
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.gptq import Moments, second_order
from engine.quant.matrix import to_matrix
from engine.quant.ranges import Range
from engine.quant.weights import LEARNED, SCALED, QuantizedWeight, quantize_scaled, quantize_weight, with_axes
from engine.text import say

_SAMPLES = 16
"""Calibration samples that the moments are taken from."""
_MULTIPLICATIONS_PER_S = 2e9
"""Of GPTQ on two threads of a common processor, both grids included."""
_MOMENTS_BYTES = 512 << 20
"""Moments that are in memory at a time."""

Means = Mapping[tuple[int, int, int, int], Array]


class Cell(NamedTuple):
    """One weight to round in one format by one method."""

    kernel: Kernel
    weight: Weight
    scheme: Scheme

    @property
    def form(self) -> WeightFormat:
        """Its format."""
        return self.scheme.weights

    @property
    def method(self) -> str:
        """The method."""
        return self.scheme.method


class LearnedWeights:
    """Rounding by calibration samples; see `engine.quant.ranges.Rounding`.

    What is asked for and not found yet is computed at once; `find` computes much at a time, in the background. Results
    depend on nothing but the model, the samples, the format and the method, and are kept by these.
    """

    def __init__(
        self, network: Network, samples: SampleSet, kept: RoundedWeights | None = None, observer: str = "minmax"
    ) -> None:
        self._network = network
        picked = evenly(len(samples), _SAMPLES)
        self._samples = SampleSet([samples.feeds[at] for at in picked], samples.source, samples.synthetic)
        self._kept = kept or RoundedWeights()
        self._busy = threading.Lock()
        self._names: dict[int, tuple[Array, bytes]] = {}
        self._of_samples: bytes = b""
        self._means: dict[str, Means] = {}
        self._scalings = Scalings(network, samples, observer)

    def weight(self, kernel: Kernel, weight: Weight, scheme: Scheme) -> QuantizedWeight:
        """A weight in a scheme's format by its method.

        Raises:
            PlanError: If there is no such method, or it does not fit the kernel.
        """
        if scheme.weights.floating:
            return quantize_weight(kernel.constants[weight.constant], weight, scheme.weights)
        cell = Cell(kernel, weight, scheme.rounded_by)
        found = self._kept.get(self._key(cell))
        if found is None or self._scalings.missing(kernel, cell.scheme):
            self._find([cell], (), no_progress, NEVER)
            found = self._kept.get(self._key(cell))
        assert found is not None
        return found

    def shift(self, kernel: Kernel, scheme: Scheme) -> Array | None:
        """What the rounded weight changes on average, negative: float32 [channels]; None without a place for it.

        As in M. Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction" (ICCV 2019),
        with the means of the inputs taken from samples.
        """
        weight = kernel.weight
        if weight is None or not can_correct(kernel):
            return None
        if kernel.id not in self._means:
            self._find([], [kernel], no_progress, NEVER)
        original = kernel.constants[weight.constant]
        if scheme.method == "rtn" or scheme.weights.floating:
            rounded = quantize_weight(original, weight, scheme.weights).matrix()
        else:
            rounded = self.weight(kernel, weight, scheme).matrix()
        exact = np.asarray(to_matrix(original, weight.channel_axes, weight.reduction_axes), np.float32)
        with np.errstate(invalid="ignore"):
            lost = np.nan_to_num(exact - rounded, nan=0.0, posinf=0.0, neginf=0.0)
        found = np.zeros(len(exact))
        for (first, last, start, stop), mean in self._means[kernel.id].items():
            found[first:last] += lost[first:last, start:stop] @ mean
        return found.astype(np.float32)

    def range(self, kernel: Kernel, scheme: Scheme) -> Range | None:
        """The range of an activation whose channels a scheme scales; None where it is as calibration found it."""
        if kernel.weight is None or scheme.method not in SCALED:
            return None
        if self._scalings.missing(kernel, scheme):
            self._find([Cell(kernel, kernel.weight, scheme.rounded_by)], (), no_progress, NEVER)
        return self._scalings.range(kernel, scheme)

    def missing(self, cells: Iterable[tuple[str, Scheme]]) -> bool:
        """Whether `find` has anything to do."""
        return any(self._todo(cells))

    def find(
        self,
        cells: Iterable[tuple[str, Scheme]],
        *,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> None:
        """Compute what these kernels need in these schemes and is not there yet.

        Args:
            cells: Kernel ids with schemes.
            progress: Told about.
            cancel: Answered within 20 ms; what is found by then is kept.

        Raises:
            PlanError: If there is no such method, or it does not fit a kernel.
            Cancelled: If asked to stop.
        """
        weights, means = self._todo(cells, cancel)
        if weights or means:
            self._find(weights, means, progress, cancel)

    def _todo(
        self, cells: Iterable[tuple[str, Scheme]], cancel: CancelToken = NEVER
    ) -> tuple[list[Cell], list[Kernel]]:
        weights: dict[object, Cell] = {}
        means: dict[str, Kernel] = {}
        for kernel_id, scheme in cells:
            if scheme.rounded == scheme:  # rounding to nearest learns nothing from samples
                continue
            kernel = self._network.by_id(kernel_id)
            if kernel.weight is None:
                continue
            if scheme.corrected and can_correct(kernel) and kernel.id not in self._means:
                means[kernel.id] = kernel
            if scheme.method == "rtn" or scheme.weights.floating:
                continue
            for weight in kernel.weights:
                cell = Cell(kernel, weight, scheme.rounded_by)
                key = self._key(cell, cancel)
                if self._kept.get(key) is None or self._scalings.missing(kernel, cell.scheme):
                    weights[key] = cell
        return list(weights.values()), list(means.values())

    def _find(self, cells: Sequence[Cell], means: Sequence[Kernel], progress: Progress, cancel: CancelToken) -> None:
        for cell in cells:
            check_fit(self._network, cell.kernel, cell.method)
        while not self._busy.acquire(timeout=0.02):
            cancel.check()
        try:
            cells = [
                cell
                for cell in cells
                if self._kept.get(self._key(cell)) is None or self._scalings.missing(cell.kernel, cell.scheme)
            ]
            means = [kernel for kernel in means if kernel.id not in self._means]
            self._work(cells, means, progress, cancel)
        finally:
            self._busy.release()

    def _work(self, cells: Sequence[Cell], means: Sequence[Kernel], progress: Progress, cancel: CancelToken) -> None:
        learned = [cell for cell in cells if cell.method in LEARNED]
        others = [cell for cell in cells if cell.method not in LEARNED]
        watched = {kernel.id: kernel for kernel in (*(cell.kernel for cell in learned), *means)}
        squares = {cell.kernel.id for cell in learned}
        done, text = [0.0], say("Rounding weights")
        total = len(cells) + len(watched) or 1

        def tick() -> None:
            progress(min(1.0, sum(done) / total), text)

        workers = Workers(2)
        try:
            scaled = [(cell.kernel, cell.scheme) for cell in cells if cell.method in SCALED]
            if scaled:
                self._scalings.find(scaled, tick, cancel)

            def plain(cell: Cell) -> None:
                cancel.check()
                original = cell.kernel.constants[cell.weight.constant]
                if cell.method in SCALED:
                    scaling = self._scalings.of(cell.kernel, cell.scheme)
                    self._keep(cell, quantize_scaled(original, cell.weight, cell.form, scaling))
                else:
                    self._keep(cell, quantize_weight(original, cell.weight, cell.form, cell.method))
                done.append(1)

            workers.map(plain, others, cancel=cancel, tick=tick)
            for batch in batches(watched.values(), _MOMENTS_BYTES):
                seen = self._watch(batch, squares, done, tick, cancel)
                for kernel in batch:
                    self._means[kernel.id] = seen[kernel.id].means()
                ids = {kernel.id for kernel in batch}

                def solve(cell: Cell, seen: Mapping[str, Seen] = seen) -> None:
                    cancel.check()
                    self._keep(cell, _second_order(cell, seen[cell.kernel.id].moments(), cancel.check))
                    done.append(1)

                # The longest first, so that no thread is left with one at the end.
                inside = sorted((c for c in learned if c.kernel.id in ids), key=lambda c: -c.kernel.params)
                workers.map(solve, inside, cancel=cancel, tick=tick)
        finally:
            workers.close(patience=0.05 if cancel.cancelled else None)

    def _watch(
        self,
        kernels: Sequence[Kernel],
        squares: Collection[str],
        done: list[float],
        tick: Callable[[], None],
        cancel: CancelToken,
    ) -> dict[str, Seen]:
        """Run the network on the samples and look at what meets these kernels' weights."""
        seen = {kernel.id: Seen(kernel, kernel.id in squares) for kernel in kernels}
        inputs = {info.name for info in self._network.graph.inputs}
        names = dict.fromkeys(kernel.weight.activation for kernel in kernels if kernel.weight is not None)
        count = len(self._samples)
        with whole_network(self._network, [name for name in names if name not in inputs], cancel) as run:
            for number, feeds in enumerate(self._samples.feeds):
                arrays = {**feeds, **run(feeds)}
                for kernel in kernels:
                    cancel.check()
                    assert kernel.weight is not None
                    seen[kernel.id].watch(arrays[kernel.weight.activation], count, number)
                done.append(len(kernels) / count)
                tick()
        return seen

    def _keep(self, cell: Cell, found: QuantizedWeight) -> None:
        self._kept.put(self._key(cell), found)

    def _key(self, cell: Cell, cancel: CancelToken = NEVER) -> object:
        """What a result depends on. Methods that need no data have their results whatever the samples are."""
        array = cell.kernel.constants[cell.weight.constant]
        known = self._names.get(id(array))
        if known is None or known[0] is not array:
            known = self._names[id(array)] = array, content(array, cancel)
        name = known[1]
        axes = cell.weight.channel_axes, cell.weight.reduction_axes
        if cell.method not in (*LEARNED, *SCALED):
            return name, axes, cell.form, cell.method
        if not self._of_samples:
            self._of_samples = samples_content(self._samples) + self._network.graph.sha256.encode()
        scale = cell.scheme.activations if cell.method in SCALED else None  # what it is chosen for
        return name, axes, cell.form, cell.method, scale, cell.kernel.id, self._of_samples


def learning_s(network: Network, cells: Iterable[tuple[str, Scheme]]) -> float:
    """Roughly how long the weights of these kernels take by GPTQ, in seconds on two threads.

    Each channel of a stretch of the reduction makes good each column by all that follow: channels x reduction x stretch
    multiplications. Other methods are done in seconds.

    Args:
        network: The network.
        cells: Kernel ids with schemes.
    """
    work = 0.0
    for kernel_id, scheme in cells:
        kernel = network.by_id(kernel_id)
        if scheme.method in LEARNED and not scheme.weights.floating and has_rows(kernel):
            for weight in kernel.weights:
                reduction = prod(weight.shape[axis] for axis in weight.reduction_axes)
                work += prod(weight.shape) * min(reduction, STRETCH)
    return work / _MULTIPLICATIONS_PER_S


def can_correct(kernel: Kernel) -> bool:
    """Whether the mean error of a kernel's weights can be made good by its bias, or by one that is put in."""
    if not has_rows(kernel) or kernel.weight is None:
        return False
    node = kernel.nodes[kernel.anchor].proto
    given = {attribute.name: attribute for attribute in node.attribute}
    if any(given[name].f != 1.0 for name in ("alpha", "beta") if name in given):
        return False
    if node.op_type == "ConvTranspose" and "group" in given and given["group"].i != 1:
        return False
    if kernel.weight.bias:
        channels = prod(kernel.weight.shape[axis] for axis in kernel.weight.channel_axes)
        return kernel.constants[kernel.weight.bias].size == channels
    return (
        node.op_type != "MatMul"
        and len([name for name in node.input if name]) == 2
        and node.input[0] != kernel.weight.constant
    )


def fits(network: Network, kernel: Kernel, method: str) -> bool:
    """Whether a method can round a kernel's weights."""
    if kernel.weight is None:
        return False
    if method in SCALED:
        return obstacle(network, kernel, method) is None
    return method not in LEARNED or has_rows(kernel)


def check_fit(network: Network, kernel: Kernel, method: str) -> None:
    """Refuse a method that does not fit a kernel.

    Raises:
        PlanError: With the reason.
    """
    if method in SCALED:
        check_scalable(network, kernel, method)
    elif not fits(network, kernel, method):
        raise PlanError(
            say(
                "Layer {name} can't be rounded by {method}: it takes convolutions that mix channels, Gemm and MatMul "
                "with a plain weight matrix; choose another method for it.",
                name=kernel.name,
                method=method.upper(),
            )
        )


def _second_order(cell: Cell, moments: Sequence[Moments], check: Callable[[], None]) -> QuantizedWeight:
    original = cell.kernel.constants[cell.weight.constant]
    matrix = to_matrix(original, cell.weight.channel_axes, cell.weight.reduction_axes)
    made = second_order(matrix, cell.form, moments, check)
    return with_axes(made, original.shape, cell.weight, cell.form)
