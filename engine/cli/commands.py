"""What each command does: arguments in, one JSON-ready dictionary out."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from math import inf
from typing import Any

from engine.cli.given import (
    check_output,
    data_sources,
    device,
    named_plan,
    open_network,
    plan_notes,
    progress_of,
    units,
)
from engine.cli.npu_figures import npu_figures
from engine.fusion.types import Network
from engine.interop.handover import Extras, measure_effect
from engine.interop.targets import TARGETS, target
from engine.npu.results import Scenario
from engine.numerics.results import ErrorSums, Evaluation
from engine.numerics.user_metric import UserMetric, named_metric, user_figures
from engine.precision.notation import title_of
from engine.precision.plan import Plan
from engine.precision.planfile import save_plan
from engine.precision.scheme import Scheme, label
from engine.precision.stored import stored_scheme
from engine.quant import plan_bytes
from engine.session import work
from engine.session.exports import Snapshot, write_export
from engine.session.launching import fusion_report
from engine.session.opening import opening_plan


def inspect(args: argparse.Namespace) -> dict[str, Any]:
    """The kernels of a model."""
    network = open_network(args)
    graph = network.graph
    tunable = network.tunable
    explained = {"launches": launches(network, args)} if args.explain else {}
    return {
        "model": {
            "path": str(graph.path),
            "sha256": graph.sha256,
            "bytes": graph.file_bytes,
            "producer": graph.producer,
            "opset": graph.opsets.get("", 0),
            "inputs": [{"name": i.name, "dtype": i.dtype.name, "shape": i.shape} for i in graph.inputs],
            "outputs": [{"name": o.name, "dtype": o.dtype.name, "shape": o.shape} for o in graph.outputs],
            "fusion": network.rules,
            "tunable": len(tunable),
            "params": stored_params(network),
            "macs": sum(k.macs for k in network.kernels),
            "notes": [str(note) for note in graph.notes],
        },
        "kernels": [
            {
                "id": k.id,
                "name": k.name,
                "op": k.op,
                "nodes": [node.proto.name or node.outputs[0] for node in k.nodes],
                "tunable": k.tunable,
                "why_not": str(k.why_not) if k.why_not else None,
                "params": k.params,
                "macs": k.macs,
                "weight": k.weight.origin if k.weight else None,
                "weight_bytes": sum(a.nbytes for a in k.constants.values()),
                "output_shapes": [network.tensors[o].shape for o in k.outputs],
                "unit": unit,
                "stored": label(scheme) if (scheme := stored_scheme(k)) is not None else None,
                "shares_weight_with": [other.id for other in network.sharing(k.id)] if k.weight else [],
            }
            for k, unit in zip(network.kernels, units(network, args), strict=True)
        ],
        **explained,
    }


def stored_params(network: Network) -> int:
    """Parameters of the whole model: a weight that several kernels read is stored once, and counts once."""
    seen: set[str] = set()
    total = 0
    for kernel in network.kernels:
        total += kernel.params
        for weight in kernel.weights:
            if weight.origin in seen:
                total -= kernel.constants[weight.constant].size
            seen.add(weight.origin)
    return total


def launches(network: Network, args: argparse.Namespace) -> dict[str, Any]:
    """What fusion saves of launches on the device, all in FP16, and which patterns did not fuse."""
    report = fusion_report(network, opening_plan(network), device(args))
    costs = {"node_by_node": report.nodes, "cloud": report.cloud, "edge": report.edge}
    return {
        **{name: {**asdict(cost), "share": cost.share} for name, cost in costs.items()},
        "not_fused": [
            {"kernel": each.kernel, "others": each.others, "pattern": each.pattern, "reason": str(each.reason)}
            for each in report.not_fused
        ],
    }


def evaluate(args: argparse.Namespace) -> dict[str, Any]:
    """The errors of a plan."""
    network = open_network(args)
    plan = named_plan(args, network)
    metric = named_metric(args.metric, args.metric_seconds) if args.metric is not None else None
    calibration, evaluation = data_sources(args)
    prepared = work.prepare(
        network, calibration, evaluation, observer=args.observer, samples=args.samples, progress=progress_of(args)
    )
    try:
        found = prepared.evaluator.evaluate(plan)
        local = {kernel: sums for kernel, _, sums in prepared.evaluator.local_errors(tuple(plan.items()))}
        figures = npu_figures(prepared.evaluator, network, plan) if args.metrics == "msaccucmp" else {}
        own = user_figures_of(prepared, plan, metric) if metric is not None else None
    finally:
        prepared.evaluator.close()
    return {
        "output": _output(found),
        "outputs": _outputs(network, found),
        "user_metric": own,
        "msaccucmp": figures,
        "synthetic_data": found.synthetic,
        "samples": found.samples,
        "samples_available": prepared.info.evaluation_available,
        "calibration": {"source": prepared.info.calibration, "samples": prepared.info.calibration_samples},
        "evaluation": {"source": prepared.info.evaluation, "samples": prepared.info.evaluation_samples},
        "notes": [
            str(note)
            for note in (*plan_notes(args, network, plan), *prepared.info.notes, work.not_measurable(network, found))
            if note
        ],
        "kernels": [_errors(k.id, k.name, plan.get(k.id), local.get(k.id), found) for k in network.kernels],
        "size_bytes": plan_bytes(network, plan).total,
        "data": [asdict(row) for row in prepared.info.samples],
    }


def export(args: argparse.Namespace) -> dict[str, Any]:
    """Write what a target wants, and say what the target makes of the plan."""
    kind = target(args.to)
    network = open_network(args)
    plan = named_plan(args, network)
    chip = device(args)
    check_output(args.out, network, replaces=kind.form == "file")
    calibration, evaluation = data_sources(args)
    snapshot, effect = Snapshot(network, plan), None
    handover = kind.check(network, plan, Extras(options=dict(args.option or ())))
    if kind.needs == {"simulation"}:
        snapshot = replace(snapshot, figures=work.simulate_plan(network, plan, chip, Scenario()))
    elif kind.needs or handover.changes:
        prepared = work.prepare(
            network, calibration, evaluation, observer=args.observer, samples=args.samples, progress=progress_of(args)
        )
        try:
            figures, local = None, {}
            if "figures" in kind.needs:
                found = prepared.evaluator.evaluate(plan)
                figures = replace(work.simulate_plan(network, plan, chip, Scenario()), evaluation=found)
                local = {(k, s): sums for k, s, sums in prepared.evaluator.local_errors(tuple(plan.items()))}
            if handover.changes:
                effect = measure_effect(network, plan, handover, device=chip, evaluator=prepared.evaluator)
        finally:
            prepared.evaluator.close()
        snapshot = Snapshot(
            network,
            plan,
            prepared.ranges,
            prepared.calibration,
            calibration.images,
            figures,
            local,
            data=prepared.info,
        )
    written = write_export(
        args.to,
        args.out,
        snapshot,
        options=dict(args.option or ()),
        effect=effect,
        progress=progress_of(args),
    )
    return {
        "path": str(args.out),
        "to": args.to,
        "files": [str(f) for f in written.files],
        "bytes": sum(f.stat().st_size for f in written.files if f.is_file()),
        "changes": [
            {
                "kernel": c.kernel,
                "name": c.name,
                "asked": title_of(c.asked),
                "gets": title_of(c.gets),
                "reason": str(c.reason),
            }
            for c in written.handover.changes
        ],
        "notes": [str(note) for note in (*plan_notes(args, network, plan), *written.handover.notes)],
        "effect": asdict(effect) if effect is not None else None,
    }


def targets(args: argparse.Namespace) -> dict[str, Any]:
    """What can be exported."""
    return {
        "targets": [
            {
                "name": t.name,
                "title": str(t.title),
                "note": str(t.note),
                "form": t.form,
                "options": {o.name: {"default": o.default, "choices": o.choices} for o in t.options},
            }
            for t in TARGETS
        ]
    }


def write_plan(args: argparse.Namespace) -> dict[str, Any]:
    """Write the plan of a preset."""
    network = open_network(args)
    plan = named_plan(args, network)
    check_output(args.out, network)
    save_plan(plan, network, args.out)
    return {"path": str(args.out), "kernels": len(plan), "size_bytes": plan_bytes(network, plan).total}


def _output(found: Evaluation) -> dict[str, Any]:
    out = found.output
    return {
        "sqnr_db": out.sqnr_db,
        "cosine": out.cosine,
        "mse": out.mse,
        "relative_l2": out.sums.relative_l2,
        "max_abs": out.max_abs,
        "kl": out.kl,
        "top1_agreement": out.top1_agreement,
        "top5_agreement": out.top5_agreement,
        "accuracy": out.accuracy,
        "reference_accuracy": out.reference_accuracy,
        "top5_accuracy": out.top5_accuracy,
        "reference_top5_accuracy": out.reference_top5_accuracy,
        "perplexity": out.perplexity,
        "reference_perplexity": out.reference_perplexity,
        "nonfinite": out.sums.nonfinite,
        "unmeasured": out.sums.unmeasured,
    }


def _outputs(network: Network, found: Evaluation) -> list[dict[str, Any]]:
    """Every output by itself; None for those that are not measured (integers beside floats)."""
    known = dict(found.output.each)
    return [
        {
            "name": info.name,
            "sqnr_db": known[info.name].sqnr_db if info.name in known else None,
            "cosine": known[info.name].cosine if info.name in known else None,
            "exact": info.name in known and known[info.name].sqnr_db == inf,
        }
        for info in network.graph.outputs
    ]


def user_figures_of(prepared: work.Prepared, plan: Plan, metric: UserMetric) -> dict[str, Any]:
    """The user's own figure of a plan and of the reference."""
    evaluator, labels = prepared.evaluator, prepared.evaluation.labels
    outputs, references = evaluator.output(plan), evaluator.output(Plan())
    value, reference = user_figures(metric, [outputs, references], references, labels)
    return {"metric": metric.name, "value": value, "reference": reference}


def _errors(
    kernel: str, name: str, scheme: Scheme | None, local: ErrorSums | None, found: Evaluation
) -> dict[str, Any]:
    accumulated = found.accumulated.get(kernel)
    return {
        "id": kernel,
        "name": name,
        "scheme": label(scheme) if scheme is not None else None,
        "local_sqnr_db": local.sqnr_db if local else None,
        "accumulated_sqnr_db": accumulated.sqnr_db if accumulated else None,
        "unmeasured": accumulated.unmeasured if accumulated else 0,
    }
