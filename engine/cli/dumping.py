"""The commands `dump` and `compare`."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from engine.cli.given import check_output, data_sources, named_plan, open_network, progress_of
from engine.errors import DataError
from engine.fusion.types import Network
from engine.interop.dump_compare import DEFAULT_METRICS, LayerError, compare_dumps
from engine.interop.dump_open import open_dump
from engine.interop.msprof import read_fusions
from engine.interop.sample_warnings import sparse
from engine.numerics.dumps import write_dump
from engine.session import work
from engine.text import say


def dump(args: argparse.Namespace) -> dict[str, Any]:
    """Write the values of every kernel, as the reference or under a plan."""
    network = open_network(args)
    check_output(args.out, network, replaces=False)
    plan = None if args.plan is None and args.preset is None else named_plan(args, network)
    kernels = _chosen(network, args.kernels)
    calibration, evaluation = data_sources(args)
    prepared = work.prepare(
        network,
        calibration,
        evaluation,
        observer=args.observer,
        samples=1 if args.samples is None else args.samples,
        progress=progress_of(args),
    )
    try:
        made = write_dump(
            prepared.evaluator,
            plan,
            args.out,
            kernels=kernels,
            limit_bytes=round(args.limit_mb * 1e6),
            progress=progress_of(args),
        )
    finally:
        prepared.evaluator.close()
    return {
        "path": str(args.out),
        "source": made.source,
        "tensors": len(made.tensors),
        "samples": len(made.samples),
        "bytes": sum((args.out / entry.file).stat().st_size for entry in made.tensors),
        "synthetic_data": made.synthetic,
        "left_out": [{"tensor": left.tensor, "reason": left.reason} for left in made.left_out],
        "notes": _notes(prepared, calibrated=plan is not None),
    }


def compare(args: argparse.Namespace) -> dict[str, Any]:
    """Hold one dump against another, layer by layer."""
    metrics = tuple(name for name in args.metrics.split(",") if name) if args.metrics else DEFAULT_METRICS
    a, b = (_opened(path, args) for path in (args.a, args.b))
    thresholds = dict(args.threshold or ())
    fusions = read_fusions(args.fusions) if args.fusions is not None else {}
    found = compare_dumps(a, b, metrics=metrics, thresholds=thresholds, fusions=fusions, progress=progress_of(args))
    bad = found.first_bad
    return {
        "a": str(args.a),
        "b": str(args.b),
        "metrics": [*dict.fromkeys((*metrics, *thresholds))],
        "thresholds": thresholds,
        "layers": [_layer(layer) for layer in found.layers],
        "first_bad": None if bad is None else {**_layer(bad), "text": str(_bad(bad, thresholds))},
        "only_a": list(found.only_a),
        "only_b": list(found.only_b),
        "notes": [str(note) for note in found.notes],
    }


def _notes(prepared: work.Prepared, *, calibrated: bool) -> list[str]:
    """What is doubtful about the samples.

    Of the reference nothing is calibrated: what is wrong with the calibration samples does not matter. And no error is
    said at the output, so nobody is told that it takes more samples: one is what is dumped unless more are wanted.
    """
    few = {str(note) for note in sparse(prepared.evaluation)}
    found = prepared.info.notes if calibrated else prepared.evaluation.notes
    return [str(note) for note in found if str(note) not in few]


def _opened(path: Path, args: argparse.Namespace) -> Any:
    return open_dump(path, progress=progress_of(args))


def _chosen(network: Network, pattern: str | None) -> list[str] | None:
    if pattern is None:
        return None
    found = [k.id for k in network.kernels if fnmatchcase(k.name, pattern) or k.id == pattern]
    if not found:
        raise DataError(
            say("No kernel's name fits {pattern}; mixbit inspect lists the names.", pattern=pattern)
        )  # fmt: skip
    return found


def _layer(layer: LayerError) -> dict[str, Any]:
    return {
        "name": layer.name,
        "other_name": layer.other_name,
        "kernel": layer.kernel or None,
        "output": layer.output,
        "sample": layer.sample,
        "matched": layer.how,
        "figures": dict(layer.figures),
        "missed": list(layer.missed),
        "problem": str(layer.problem) if layer.problem else None,
    }


def _bad(layer: LayerError, thresholds: dict[str, float]) -> Any:
    if layer.problem is not None:
        return say("The first bad layer is {name}: {problem}", name=layer.name, problem=layer.problem)
    metric = layer.missed[0]
    return say(
        "The first bad layer is {name} (sample {sample}): {metric} is {value}, {limit} is required.",
        name=layer.name,
        sample=layer.sample,
        metric=metric,
        value=f"{layer.figures[metric]:.6g}",
        limit=f"{thresholds[metric]:g}",
    )
