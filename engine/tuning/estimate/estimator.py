"""Estimated sweep: every (kernel, scheme) cell from a few backward passes."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import ceil, inf, isfinite, prod

from engine.errors import DataError
from engine.fusion.types import Kind
from engine.graph.types import Array
from engine.numerics import Evaluator
from engine.numerics.buffers import Value
from engine.numerics.workers import Workers
from engine.precision.scheme import BRAIN, FP16, HALF, INT4, INT8, ActivationFormat, Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import Text, say
from engine.tuning.estimate.changes import Prepared, Rounding, WeightChanges, embedding_products, rounding_of
from engine.tuning.estimate.kept import Kept
from engine.tuning.estimate.passes import send_back
from engine.tuning.estimate.probes import Target, probe, target_of
from engine.tuning.estimate.results import CellKey, EstimatedCell, Estimates
from engine.tuning.estimate.route import Route, Step, plan_route
from engine.tuning.estimate.scores import DRAWS, Score, Sums, corrected, score
from engine.tuning.metrics import Metric, default_metric, figure, point_of

_BATCH_BYTES = 64 << 20
"""Gradients of so many samples are in memory at a time."""
_WEIGHT_BYTES = 256 << 20
"""Rounded weights up to that much are kept between batches of samples."""


class Estimator:
    """Sends probes backwards and keeps what has come back, so that further schemes cost no second pass.

    Methods are to be called from one thread at a time.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        metric: Metric | None = None,
        probes: int | None = None,
        most_samples: int | None = None,
        seed: int = 0,
        keep_bytes: int = 96 << 20,
        gate: Callable[[], None] | None = None,
    ) -> None:
        """Take an evaluator whose samples are looked at; nothing runs yet.

        Args:
            evaluator: Its reference is read, nothing in it is changed.
            metric: What to predict; by default what suits the model (see `default_metric`).
            probes: Random probes per sample; by default one, more for fewer than eight samples, or unit vectors where
                few elements are measured.
            most_samples: At most so many samples are looked at, spread over all; one alone ranks well already.
            seed: Of the probes.
            keep_bytes: Memory for gradients that later schemes are measured with; 0 for an estimate that nobody adds
                schemes to: then the copies of the reference that it makes go, too, sample by sample.
            gate: Called between kernels; may wait, so that an estimate steps aside for a toggle.
        """
        self._evaluator, self._metric = evaluator, metric
        self._asked, self._seed, self._gate = probes, seed, gate
        count = len(evaluator.samples)
        self._samples = spread_over(count, count if most_samples is None else max(1, most_samples))
        """Those that are looked at."""
        self._workers = Workers(2)
        self._sums = Sums()
        self._changes = WeightChanges(lambda: evaluator.ranges.rounding)
        self._kept, self._once = Kept(keep_bytes), keep_bytes == 0
        self._walked: set[int] = set()
        """Probes whose way back has been gone with the present route."""
        self._passed: frozenset[ActivationFormat] = frozenset()
        self._route: Route | None = None
        self._target: Target | None = None
        self._prepared: dict[tuple[str, tuple[Rounding, ...]], Prepared] = {}

    def estimate(
        self,
        schemes: Sequence[Scheme] = (INT4, INT8, FP16),
        *,
        probes: int | None = None,
        publish: Callable[[Estimates], None] | None = None,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> Estimates:
        """Predict the effect of every kernel in every scheme.

        May be called again, with other schemes or more probes: only what is new is computed.

        Args:
            schemes: What to predict.
            probes: Random probes per sample from now on; four rank better than one. What is known of others is kept.
            publish: Gets a first table after one or two samples, and one after each round of probes but the last.
            progress: Told about.
            cancel: Checked between kernels; answered within 50 ms. What has been found is kept.

        Raises:
            DataError: If the network has no tunable kernel.
            PlanError: If the metric has no gradient.
            Cancelled: If asked to stop.
        """
        started = time.perf_counter()
        network = self._evaluator.network
        if not network.tunable:
            raise DataError(say("No layer of this model has weights whose precision can be set; nothing to sweep."))
        self._evaluator.prepare(cancel=cancel)
        target = self._aim()
        if probes is not None and not self._unit:
            self._asked = max(1, probes)
        wanted = tuple(dict.fromkeys(schemes))
        route = self._find_route(wanted, target, cancel)
        roundings = _roundings(wanted)
        rounds = self._rounds(route, roundings)
        work = sum(len(batch) for batches in rounds for batch in batches)
        done: list[int] = []
        for batches in rounds:
            for at, batch in enumerate(batches):
                self._work(route, target, batch, roundings, cancel)
                if self._once and batches is rounds[-1]:
                    self._forget_copies(batch, batches[at + 1 :])
                done += batch
                progress(len(done) / work, say("Sending probes backwards"))
                last = len(done) == work
                told = batch is batches[-1] or len(done) == len(rounds[0][0])
                if publish is not None and told and not last:
                    publish(self._collect(wanted, route, target, done, started))
        self._passed |= frozenset(_formats(wanted))
        return self._collect(wanted, route, target, done, started)

    def close(self) -> None:
        """End the threads and give the memory back."""
        self._workers.close()
        self._kept.clear()
        self._prepared.clear()
        self._route = None

    # steps ----------------------------------------------------------------------------------------------------------

    def _aim(self) -> Target:
        if self._target is None:
            metric = self._metric or default_metric(self._evaluator)
            self._target = target_of(self._evaluator, metric, point_of(self._evaluator, metric))
        return self._target

    @property
    def _unit(self) -> bool:
        target = self._aim()
        return self._asked is None and target.units > 0

    @property
    def _probes(self) -> int:
        return self._aim().units if self._unit else self._asked or ceil(DRAWS / len(self._samples))

    def _find_route(self, schemes: Sequence[Scheme], target: Target, cancel: CancelToken) -> Route:
        formats = frozenset(_formats(schemes))
        if self._route is None or not formats <= self._passed:
            every = tuple(sorted(formats | self._passed, key=repr))
            evaluator = self._evaluator
            self._route = plan_route(
                evaluator.network, target.factors, every, evaluator.ranges, self._workers, cancel
            )  # fmt: skip
            self._kept.clear()  # other formats need the gradients at the inputs, which are not kept
            self._walked.clear()
        return self._route

    def _rounds(self, route: Route, roundings: Sequence[Rounding]) -> list[list[list[int]]]:
        """Probes by number in batches that memory allows, a round for each random probe of all samples.

        Number = probe x samples + place of the sample. The first batch is one sample or two: there is something to see.
        """
        each = 4 * sum(_anchor_elements(step) for step in route.steps if step.wanted.tunable)
        room = max(2, _BATCH_BYTES // max(1, each))
        samples, probes = len(self._samples), self._probes
        if self._unit:
            rounds = [[probe * samples + sample for sample in range(samples) for probe in range(probes)]]
        else:
            rounds = [[probe * samples + sample for sample in range(samples)] for probe in range(probes)]
        made = [[items[at : at + room] for at in range(0, len(items), room)] for items in rounds]
        if self._weight_bytes(roundings) <= _WEIGHT_BYTES:
            first = probes if self._unit else 2  # both threads have something to do
            head, rest = rounds[0][:first], rounds[0][first:]
            made[0] = [head, *(rest[at : at + room] for at in range(0, len(rest), room))]
        return made

    def _weight_bytes(self, roundings: Sequence[Rounding]) -> int:
        weights = [k.weight for k in self._evaluator.network.tunable if k.weight and k.kind is not Kind.EMBEDDING]
        return 4 * len(roundings) * sum(prod(weight.shape) for weight in weights)

    def _work(
        self, route: Route, target: Target, batch: list[int], roundings: tuple[Rounding, ...], cancel: CancelToken
    ) -> None:
        batch = [item for item in batch if item not in self._walked or not self._complete(route, roundings, item)]
        anchors = {item: found for item in batch if (found := self._kept.get(item)) is not None}
        missing = [item for item in batch if item not in anchors]

        def back(item: int) -> None:
            number, place = divmod(item, len(self._samples))
            sample = self._samples[place]
            start = probe(self._evaluator, target, sample, number, self._seed, self._unit)
            values = self._evaluator.reference(sample)
            anchors[item] = send_back(route, values, start, item, self._sums, cancel, self._gate)
            self._kept.put(item, anchors[item])

        self._workers.map(back, missing, cancel=cancel)
        steps = [step for step in route.steps if step.wanted.tunable and step.kernel.id not in route.blocked]
        steps.sort(key=lambda step: -prod(step.kernel.weight.shape) if step.kernel.weight else 0)

        def measure(step: Step) -> None:
            cancel.check()
            if self._gate is not None:
                self._gate()
            self._measure(step, batch, anchors, roundings, cancel)

        self._workers.map(measure, steps, cancel=cancel)
        self._walked.update(batch)

    def _forget_copies(self, batch: list[int], later: list[list[int]]) -> None:
        """Give back the reference in plain order of samples that nobody asks for any more."""
        samples = len(self._samples)
        needed = {item % samples for each in later for item in each}
        for place in {item % samples for item in batch} - needed:
            self._evaluator.forget_copies(self._samples[place])

    def _complete(self, route: Route, roundings: Sequence[Rounding], item: int) -> bool:
        """Whether all products with weight changes are known for a probe."""
        return all(
            self._sums.has(step.kernel.id, ("weight", *rounding), (item,))
            for step in route.steps
            if step.wanted.tunable and step.kernel.id not in route.blocked
            for rounding in roundings
        )

    def _measure(
        self,
        step: Step,
        batch: list[int],
        anchors: dict[int, dict[str, Array]],
        roundings: tuple[Rounding, ...],
        cancel: CancelToken,
    ) -> None:
        """Products of weight changes and gradients, for all probes of a batch."""
        kernel = step.kernel
        absent = tuple(r for r in roundings if not self._sums.has(kernel.id, ("weight", *r), batch))
        if not absent:
            return
        if not step.wanted.activation:
            self._measure_embedding(step, batch, anchors, absent)
            return
        prepared = self._prepare(step, absent)
        name = step.form.original[step.wanted.activation]
        for item in batch:
            cancel.check()
            value = self._values(item)[name].ort
            found = prepared.products(value, anchors[item][kernel.id])
            for rounding, products in zip(absent, found, strict=True):
                shift = self._changes.shift_products(step, rounding, anchors[item][kernel.id])
                whole = products if shift is None else products + shift
                self._sums.put(kernel.id, ("weight", *rounding), item, whole)

    def _prepare(self, step: Step, roundings: tuple[Rounding, ...]) -> Prepared:
        key = step.kernel.id, roundings
        found = self._prepared.get(key)
        if found is None:
            found = self._changes.open(step, roundings)
            if self._weight_bytes(roundings) <= _WEIGHT_BYTES:
                self._prepared[key] = found
        return found

    def _measure_embedding(
        self, step: Step, batch: list[int], anchors: dict[int, dict[str, Array]], roundings: tuple[Rounding, ...]
    ) -> None:
        kernel, tensors = step.kernel, self._evaluator.network.tensors
        name = step.form.original[step.form.segment.nodes[step.form.anchor].input[1]]
        rows = [self._values(item)[name].numpy(tensors[name]) for item in batch]
        gradients = [anchors[item][kernel.id] for item in batch]
        found = embedding_products(kernel, roundings, rows, gradients)
        for item, of_item in zip(batch, found, strict=True):
            for rounding, products in zip(roundings, of_item, strict=True):
                self._sums.put(kernel.id, ("weight", *rounding), item, products)

    def _values(self, item: int) -> Mapping[str, Value]:
        """Reference tensors of a probe's sample."""
        return self._evaluator.reference(self._samples[item % len(self._samples)])

    def _whole(self, done: set[int]) -> tuple[list[int], int]:
        """Probes to count, sample by sample, and how many there are of each sample; unfinished ones are left out."""
        samples = len(self._samples)
        probes = self._probes
        if not self._unit:
            full = [probe for probe in range(probes) if all(probe * samples + at in done for at in range(samples))]
            probes = len(full) or 1
        numbers = [[probe * samples + sample for probe in range(probes)] for sample in range(samples)]
        return [item for each in numbers if all(item in done for item in each) for item in each], probes

    def _collect(
        self, schemes: Sequence[Scheme], route: Route, target: Target, done: list[int], started: float
    ) -> Estimates:
        network, metric = self._evaluator.network, target.point.metric
        items, probes = self._whole(set(done))
        samples = len(items) // probes
        scale = target.scale * len(self._evaluator.samples) / samples
        blocked: dict[str, Text] = dict(route.blocked)
        results = {step.kernel.id: step.wanted.gradients for step in route.steps}
        cells: dict[CellKey, EstimatedCell] = {}
        for scheme in schemes:
            scores: dict[str, Score] = {}
            for kernel in network.tunable:
                if kernel.id not in route.blocked:
                    parts = _parts(scheme, results.get(kernel.id, ()))
                    scores[kernel.id] = score(*self._sums.of(kernel.id, parts, items), probes, self._unit)
            for each, total in corrected(scores).items():
                spread = scores[each].spread_db
                if not isfinite(total) and _overflows(scheme):
                    total, spread = inf, 0.0
                elif not isfinite(total):
                    name = network.by_id(each).name
                    blocked[each] = say(
                        "The estimate of {name} is not a number; it is measured, not estimated.", name=name
                    )
                    continue
                harm = scale * total
                cells[each, scheme] = EstimatedCell(each, scheme, harm, figure(metric, harm), spread)
        order = [(kernel.id, scheme) for kernel in network.tunable for scheme in schemes]
        cells = {key: cells[key] for key in order if key in cells and key[0] not in blocked}
        return Estimates(
            metric=metric,
            point=target.point,
            cells=cells,
            blocked=blocked,
            probes=probes,
            samples=samples,
            complete=samples == len(self._samples),
            unit_vectors=self._unit,
            synthetic=self._evaluator.samples.synthetic,
            seconds=time.perf_counter() - started,
            schemes=tuple(schemes),
        )


def estimate(
    evaluator: Evaluator,
    schemes: Sequence[Scheme] = (INT4, INT8, FP16),
    *,
    metric: Metric | None = None,
    probes: int | None = None,
    seed: int = 0,
    most_samples: int | None = None,
    publish: Callable[[Estimates], None] | None = None,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Estimates:
    """Predict the effect of every kernel in every scheme once, and keep nothing for later; see `Estimator`."""
    estimator = Estimator(
        evaluator, metric=metric, probes=probes, seed=seed, most_samples=most_samples, keep_bytes=0
    )  # fmt: skip
    try:
        return estimator.estimate(schemes, publish=publish, progress=progress, cancel=cancel)
    finally:
        estimator.close()


def _parts(scheme: Scheme, results: Iterable[str]) -> list[Hashable]:
    """Independent parts of a scheme's error."""
    parts: list[Hashable] = []
    weights, activations = scheme.weights, scheme.activations
    if not (weights.floating and weights.bits >= 32):
        parts.append(("weight", *rounding_of(scheme)))
    if not (activations.floating and activations.bits >= 32):
        parts.append(("activation", activations))
    if activations in (HALF, BRAIN):
        parts += [("bias", activations), *(("result", name, activations) for name in results)]
    return parts


def _overflows(scheme: Scheme) -> bool:
    """Whether values beyond the range of a float of 16 bits become infinite."""
    return any(form.floating and form.bits == 16 for form in (scheme.weights, scheme.activations))


def _formats(schemes: Iterable[Scheme]) -> list[ActivationFormat]:
    forms = (scheme.activations for scheme in schemes)
    return list(dict.fromkeys(form for form in forms if not (form.floating and form.bits >= 32)))


def _roundings(schemes: Iterable[Scheme]) -> tuple[Rounding, ...]:
    found = (rounding_of(scheme) for scheme in schemes)
    return tuple(dict.fromkeys(each for each in found if not (each.form.floating and each.form.bits >= 32)))


def spread_over(count: int, most: int) -> tuple[int, ...]:
    """At most so many of `count` numbers, evenly spread, the first and the last among them."""
    if count <= most:
        return tuple(range(count))
    return tuple(round(at * (count - 1) / max(1, most - 1)) for at in range(most))


def _anchor_elements(step: Step) -> int:
    return prod(step.form.segment.shapes[step.form.segment.nodes[step.form.anchor].output[0]])
