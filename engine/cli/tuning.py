"""The commands that find out which layers hurt, and propose a plan."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from typing import Any

from engine.cli.given import check_output, data_sources, device, named_plan, open_network, progress_of
from engine.errors import DataError, PlanError
from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.numerics.results import OutputError
from engine.numerics.user_metric import UserMetric, named_metric
from engine.precision.notation import name_of, read_schemes
from engine.precision.plan import Plan
from engine.precision.planfile import save_plan
from engine.precision.scheme import Scheme
from engine.session import work
from engine.session.held_words import beyond_words, held_words
from engine.session.proposing import anchors, drop_of, propose
from engine.session.wishes import ACCURACY, Wishes
from engine.session.work import Prepared
from engine.text import Text, say
from engine.tuning.estimate.estimator import estimate
from engine.tuning.estimate.results import Estimates
from engine.tuning.exact import ExactCell, ExactSweep, cells_out, in_order
from engine.tuning.metrics import METRIC_TITLES, Metric, damage, default_metric, figure, point_of, read
from engine.tuning.own import OwnFigure
from engine.tuning.search import Choices, Search, agreeing_kernels, damages, ladder
from engine.tuning.search.held import Held
from engine.tuning.search.rules import rules_of
from engine.tuning.spread import local_processes, sweep_on
from engine.tuning.store import ResultStore
from engine.tuning.sweep import cells_of

MB = 1e6


def sweep(args: argparse.Namespace) -> dict[str, Any]:
    """Sensitivity of every kernel in every scheme."""
    network = open_network(args)
    schemes = read_schemes(args.schemes)
    base = named_plan(args, network) if args.mode == "one-out" else None
    if not network.tunable:
        raise DataError(say("No layer of this model has weights whose precision can be set; nothing to sweep."))
    named = _metric(args)
    check_output(args.out, network, replaces=False)
    prepared = _prepared(args, network)
    reference = probes = None
    with closing(prepared.evaluator) as evaluator:
        started = time.perf_counter()
        metric = Metric.OWN if isinstance(named, UserMetric) else named or default_metric(evaluator)
        point_of(evaluator, metric)
        if args.mode == "estimated":
            table = estimate(evaluator, schemes, metric=metric, probes=args.probes, progress=progress_of(args))
            cells, probes = _estimated(table), table.probes
            blocked = {kernel: str(reason) for kernel, reason in table.blocked.items()}
        elif isinstance(named, UserMetric):
            with closing(evaluator.fork()) as fork, closing(OwnFigure(named, fork)) as own:
                cells, blocked = _exact(args, evaluator, network, schemes, metric, base, own), {}
                reference = own.reference
        else:
            cells, blocked = _exact(args, evaluator, network, schemes, metric, base), {}
        seconds = time.perf_counter() - started
        odd = work.not_measurable(network, evaluator.evaluate(Plan()))
    quiet = None if args.mode == "one-out" else _without_effect(network, cells, metric)
    return {
        "mode": args.mode,
        "metric": metric.value,
        "metric_title": str(METRIC_TITLES[metric]),
        "higher_is_better": metric.higher_is_better,
        "user_metric": {"metric": named.name, "reference": reference} if isinstance(named, UserMetric) else None,
        "reference": "FP32" if args.mode != "one-out" else "the plan",
        "cells": [{**cell, "name": network.by_id(cell["kernel"]).name} for cell in cells],
        "blocked": blocked,
        "probes": probes,
        "seconds": seconds,
        "peak_bytes": _peak_bytes(),
        **_used(prepared),
        "notes": [str(note) for note in (*prepared.info.notes, odd, quiet) if note is not None],
    }


def _without_effect(network: Network, cells: Sequence[dict[str, Any]], metric: Metric) -> Text | None:
    """Kernels whose cells all leave the output as it is."""
    harmful = {cell["kernel"] for cell in cells if damage(metric, cell["value"]) != 0}
    idle = dict.fromkeys(cell["kernel"] for cell in cells if cell["kernel"] not in harmful)
    if not idle:
        return None
    layers = ", ".join(network.by_id(kernel).name for kernel in idle)
    if metric is Metric.TOP1:  # what leaves the best class alone may change the output all the same
        return say("The best class stays what it is in any of these schemes: {layers}.", layers=layers)
    return say("No effect on the output in any of these schemes: {layers}.", layers=layers)


def _metric(args: argparse.Namespace) -> Metric | UserMetric | None:
    """The metric that was asked for; None = what suits the model."""
    if args.metric is None:
        return None
    names = [metric.value for metric in Metric if metric is not Metric.OWN]
    if args.metric in names:
        return Metric(args.metric)
    if ":" not in args.metric:
        raise PlanError(
            say("There is no metric named {name}; choose one of {names}, or write FILE.py:FUNCTION.",
                name=args.metric, names=", ".join(names))
        )  # fmt: skip
    if args.mode == "estimated":
        raise PlanError(
            say("A function of your own has no gradient and can't be estimated; take --mode one-in or one-out.")
        )
    if args.dask is not None or args.workers is not None:
        raise PlanError(say("A function of your own is asked in this process only; leave --workers and --dask out."))
    return named_metric(args.metric, args.metric_seconds)


def _used(prepared: Prepared) -> dict[str, int]:
    return {"samples": prepared.info.evaluation_samples, "samples_available": prepared.info.evaluation_available}


def _peak_bytes() -> int | None:
    """Most memory that this process has had resident so far; None where the system doesn't tell."""
    if sys.platform == "win32":
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _estimated(table: Estimates) -> list[dict[str, Any]]:
    each = table.seconds / max(1, len(table.cells))
    return [
        {"kernel": c.kernel, "scheme": name_of(c.scheme), "value": c.value, "kind": "estimated", "seconds": each}
        for c in table.worst_first()
    ]


def _exact(
    args: argparse.Namespace,
    evaluator: Evaluator,
    network: Network,
    schemes: Sequence[Scheme],
    metric: Metric,
    base: Plan | None,
    own: OwnFigure | None = None,
) -> list[dict[str, Any]]:
    order = _order(evaluator, network, schemes, metric) if base is None else cells_out(network, base)
    store = ResultStore(args.out, network) if args.out is not None else None
    cells = []
    try:
        before = time.perf_counter()
        for cell in _measured(args, evaluator, order, base, store, own):
            now = time.perf_counter()
            kind = "stored" if cell.stored else "exact"
            value = cell.value(metric)
            cells.append(
                {
                    "kernel": cell.kernel,
                    "scheme": name_of(cell.scheme),
                    "value": value,
                    "kind": kind,
                    "seconds": now - before,
                    **({"change": cell.figures.own} if own is not None else {}),
                }
            )
            before = now
    finally:
        if store is not None:
            store.close()
    return sorted(cells, key=lambda c: damage(metric, c["value"]), reverse=True)


_ORDER_SAMPLES = 8
"""Enough to say which cells are worth measuring first."""


def _order(
    evaluator: Evaluator, network: Network, schemes: Sequence[Scheme], metric: Metric
) -> list[tuple[str, Scheme]]:
    """The worst by estimate first; from the end of the network where nothing can be estimated."""
    cells = cells_of(network, schemes)
    try:
        by = metric if metric.estimable else None
        return in_order(cells, estimate(evaluator, schemes, metric=by, most_samples=_ORDER_SAMPLES))
    except PlanError:
        return cells


def _measured(
    args: argparse.Namespace,
    evaluator: Evaluator,
    cells: Sequence[tuple[str, Scheme]],
    base: Plan | None,
    store: ResultStore | None,
    own: OwnFigure | None = None,
) -> Iterator[ExactCell]:
    """Here, in worker processes, or on a cluster."""
    progress = progress_of(args)
    if args.dask is not None:
        from engine.tuning.cluster import dask_cluster

        with dask_cluster(args.dask, evaluator.network, args.workers or 2) as (cluster, send, lost):
            yield from sweep_on(cluster, evaluator, cells, mode=args.mode, base=base, store=store, send=send,
                                lost=tuple(lost), progress=progress)  # fmt: skip
    elif args.workers is not None:
        pools: list[Executor] = []

        def again() -> Executor:
            pools.append(local_processes(args.workers))
            return pools[-1]

        try:
            yield from sweep_on(again(), evaluator, cells, mode=args.mode, base=base, store=store, again=again,
                                progress=progress)  # fmt: skip
        finally:
            for pool in pools:
                pool.shutdown(cancel_futures=True)
    else:
        sweep = ExactSweep(evaluator, mode=args.mode, base=base, store=store, own=own)
        yield from sweep.run(cells, progress=progress)


def search(args: argparse.Namespace) -> dict[str, Any]:
    """The best plan under budgets, measured."""
    chip = device(args)
    network = open_network(args)
    schemes = read_schemes(args.schemes)
    check_output(args.out, network)
    prepared = _prepared(args, network)
    with closing(prepared.evaluator) as evaluator:
        metric = Metric.SQNR if args.min_sqnr_db is not None else default_metric(evaluator)
        table = estimate(evaluator, schemes, metric=metric, progress=progress_of(args))
        missing = [c for c in cells_of(network, schemes) if c[0] in table.blocked]
        exact = list(ExactSweep(evaluator).run(missing)) if missing else []
        finder = Search(network, damages(table, exact), chip, Choices(schemes, groups=agreeing_kernels(network)),
                        native_only=not args.allow_non_native)  # fmt: skip
        outputs: dict[Plan, OutputError] = {}
        measure = _measure(evaluator, metric, outputs)
        finder.anchor(anchors(finder, schemes), measure)
        found, over = propose(
            finder, _wishes(args), measure, lambda plan: drop_of(outputs[plan]), progress=progress_of(args)
        )
        costs, asked = found.costs, _wishes(args)
        beyond = finder.beyond_reach(found, asked.budgets) if asked.objective() == "damage" else None
        better = None if beyond is None else beyond_words(metric, *beyond)
        odd = work.not_measurable(network, evaluator.evaluate(Plan()))
        pareto = _pareto(finder, args.pareto, metric) if args.pareto else []
    if args.out is not None:
        save_plan(found.plan, network, args.out)
    return {
        "plan": {k.id: name_of(found.plan[k.id]) for k in network.tunable},
        "path": str(args.out) if args.out is not None else None,
        "metric": metric.value,
        "metric_title": str(METRIC_TITLES[metric]),
        "predicted": {"value": figure(metric, found.predicted)},
        "measured": {
            "value": figure(metric, found.measured) if found.measured is not None else None,
            "size_bytes": costs.size_bytes,
            "latency_us": costs.latency_us,
            "energy_uj": costs.energy_uj,
            "peak_bytes": costs.peak_bytes,
            "bit_operations": costs.operations,
        },
        "feasible": found.feasible and not over,
        "overdrawn": {**found.overdrawn, **({ACCURACY: over} if over else {})},
        "held_back": [_held(network, held) for held in finder.held(found)],
        "binding": [*found.binding, *([ACCURACY] if over else [])],
        "additive": finder.calibration.additive,
        "rules": [str(rule.text) for rule in rules_of(network, found.plan)],
        "unknown": list(found.unknown),
        "pareto": pareto,
        **_used(prepared),
        "notes": [str(note) for note in (*prepared.info.notes, odd, better) if note is not None],
    }


def _held(network: Network, held: Held) -> dict[str, Any]:
    return {
        "kernels": list(held.kernels),
        "scheme": name_of(held.scheme),
        "size_bytes": held.size_bytes,
        "smallest_bytes": held.smallest_bytes,
        "reason": str(held.reason),
        "text": str(held_words(network, held)),
    }


def _measure(evaluator: Evaluator, metric: Metric, outputs: dict[Plan, OutputError]) -> Callable[[Plan], float]:
    point = point_of(evaluator, metric)

    known: dict[Plan, float] = {}

    def measured(plan: Plan) -> float:
        if plan not in known:
            found = evaluator.evaluate(plan)
            outputs[plan] = found.output
            known[plan] = damage(metric, read(metric, point, found))
        return known[plan]

    return measured


def _pareto(finder: Search, points: int, metric: Metric) -> list[dict[str, Any]]:
    """Plans along the curve of latency against predicted damage, evenly picked."""
    problem = finder.problem()
    curve = ladder(problem, "latency_us")
    found = []
    for place in curve.spread(points):
        choice = curve.choice(place)
        found.append(
            {
                "latency_us": problem.total("latency_us", choice),
                "size_bytes": problem.total("size_bytes", choice),
                "predicted": figure(metric, finder.calibration.measured(problem.total("damage", choice))),
            }
        )
    return found


def _wishes(args: argparse.Namespace) -> Wishes:
    return Wishes(
        size_bytes=_times(args.max_size_mb, MB),
        latency_us=args.max_latency_us,
        energy_uj=_times(args.max_energy_mj, 1000),
        operations=_times(args.max_gbops, 1e9),
        peak_bytes=_times(args.max_peak_mb, MB),
        sustained_us=args.max_sustained_us,
        sustained_minutes=args.minutes,
        min_sqnr_db=args.min_sqnr_db,
        accuracy_drop=_times(args.max_accuracy_drop, 0.01),
    )


def _times(value: float | None, unit: float) -> float | None:
    return value * unit if value is not None else None


def _prepared(args: argparse.Namespace, network: Network) -> Prepared:
    calibration, evaluation = data_sources(args)
    return work.prepare(
        network, calibration, evaluation, observer=args.observer, samples=args.samples, touch=False,
        progress=progress_of(args),
    )  # fmt: skip
