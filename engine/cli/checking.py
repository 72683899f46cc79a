"""The command `check`."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli.given import data_sources, device, named_plan, open_network, progress_of
from engine.interop.preflight import Facts, Finding, Limits, observe, preflight
from engine.npu.results import Scenario
from engine.precision.presets import preset
from engine.session import work
from engine.session.checks import free_inputs
from engine.text import Count


def check(args: argparse.Namespace) -> dict[str, Any]:
    """What will hurt on the device: the model, the plan on it, and the numbers."""
    chip = device(args)
    network = open_network(args)
    plan = named_plan(args, network)
    scenario = Scenario(args.minutes, args.rate, args.ambient)
    figures = work.simulate_plan(network, plan, chip, scenario)
    baseline = work.simulate_plan(network, preset(network, "fp16"), chip, Scenario(minutes=1)).simulation
    calibration, evaluation = data_sources(args)
    prepared = work.prepare(
        network, calibration, evaluation, observer=args.observer, samples=args.samples, progress=progress_of(args)
    )
    try:
        measured = prepared.evaluator.evaluate(plan)
        local = {(k, s): sums for k, s, sums in prepared.evaluator.local_errors(tuple(plan.items()))}
        names = [k.weight.activation for k in network.tunable if k.weight is not None]
        seen = observe(prepared.evaluator, names, prepared.ranges)
    finally:
        prepared.evaluator.close()
    found = preflight(
        Facts(
            network,
            plan,
            chip,
            Limits(
                args.min_sqnr_db,
                args.max_latency_us,
                _bytes(args.max_peak_mb),
                _bytes(args.max_size_mb),
            ),
            free_inputs(network.graph.path, network.graph.sha256),
            figures.size,
            figures.simulation,
            baseline,
            figures.sustained,
            scenario,
            measured,
            local,
            prepared.ranges,
            seen,
            prepared.info.calibration_samples,
            prepared.info.synthetic,
        )
    )
    counts = {level: sum(f.severity == level for f in found) for level in ("error", "warning", "info")}
    return {
        "model": str(network.graph.path),
        "device": chip.name,
        "plan": plan.name,
        "errors": counts["error"],
        "warnings": counts["warning"],
        "infos": counts["info"],
        "findings": [_finding(f, [k.id for k in network.kernels], [k.name for k in network.kernels]) for f in found],
    }


def show_check(found: dict[str, Any]) -> None:
    """Title, detail and advice of each."""
    marks = {"error": "error  ", "warning": "warning", "info": "info   "}
    for each in found["findings"]:
        print(f"{marks[each['severity']]}  {each['title']}")
        print(f"         {each['detail']}")
        print(f"         {each['advice']}")
    errors, warnings, infos = (Count(found[key]) for key in ("errors", "warnings", "infos"))
    print(f"{errors} {errors:error|errors}, {warnings} {warnings:warning|warnings}, {infos} {infos:note|notes}")


def _bytes(megabytes: float | None) -> int | None:
    return None if megabytes is None else round(megabytes * 1e6)


def _finding(found: Finding, ids: list[str], names: list[str]) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity,
        "title": str(found.title),
        "detail": str(found.detail),
        "advice": str(found.advice),
        "kernels": [{"id": ids[i], "name": names[i]} for i in found.kernels],
        "cost_us": found.cost_us,
        "cost_bytes": found.cost_bytes,
        "place": found.place,
    }
