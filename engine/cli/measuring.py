"""The commands `measured` and `jitter`: what a device took, beside the simulation and by itself."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from engine.cli.given import check_output, device, named_plan, open_network, progress_of
from engine.cli.table import print_table
from engine.interop.fit import Case, Fit, fit_device
from engine.interop.jitter import analyse, read_latencies
from engine.interop.msprof import read_fusions
from engine.interop.profile_compare import compare_profile
from engine.interop.profile_open import open_profile
from engine.npu import save_device, simulate


def measured(args: argparse.Namespace) -> dict[str, Any]:
    """Hold profiles of one plan against the simulation; fit the device to them if that is asked for."""
    chip = device(args)
    network = open_network(args)
    plan = named_plan(args, network)
    simulation = simulate(network, plan, chip)
    check_output(args.fit, network)
    fusions = read_fusions(args.fusions) if args.fusions is not None else {}
    found = [compare_profile(open_profile(path), network, simulation, fusions=fusions) for path in args.profiles]
    fit = None
    if args.fit is not None:
        cases = [Case(network, plan, {r.index: r.measured_us for r in f.kernels}, f.profile.total_us) for f in found]
        fit = fit_device(chip, cases, name=args.fit.stem, progress=progress_of(args))
        save_device(fit.device, args.fit)
    return {
        "device": chip.name,
        "profiles": [
            {
                "path": str(each.profile.path),
                "origin": each.profile.origin,
                "inferences": max(1, len(each.profile.runs)),
                "total_us": each.total_us,
                "simulated_us": each.simulated_us,
                "median_ratio": each.median_ratio,
                "submit_us": each.submit_us,
                "inserted_us": each.inserted_us,
                "unmatched_us": each.unmatched_us,
                "load_us": each.profile.load_us,
                "kernels": [
                    {"id": r.kernel, "name": r.name, "measured_us": r.measured_us, "simulated_us": r.simulated_us,
                     "ratio": r.ratio, "operators": r.ops}
                    for r in each.kernels
                ],
                "unmatched": [m.op.name for m in each.matches if not m.kernel and not m.inserted],
                "missing": list(each.missing),
                "notes": [str(note) for note in each.profile.notes],
            }
            for each in found
        ],
        "fit": None if fit is None else {"path": str(args.fit), **_fit(fit)},
    }  # fmt: skip


def jitter(args: argparse.Namespace) -> dict[str, Any]:
    """Take a list of latencies apart."""
    found = analyse(read_latencies(args.file))
    return {
        "path": str(args.file),
        "runs": len(found.latencies_us),
        "mean_us": found.mean_us,
        "std_us": found.std_us,
        "percentiles_us": {f"{p:g}": value for p, value in found.percentiles.items()},
        "outliers": [{"run": o.run + 1, "latency_us": o.latency_us} for o in found.outliers],
        "periodic": asdict(found.periodic) if found.periodic is not None else None,
        "drift": asdict(found.drift) if found.drift is not None else None,
        "advice": [str(sentence) for sentence in found.advice],
    }


def show_measured(found: dict[str, Any]) -> None:
    """Kernels worst first, then what belongs to none, then the fit."""
    for each in found["profiles"]:
        rows = [
            (k["name"], f"{k['measured_us']:.1f}", f"{k['simulated_us']:.1f}", f"{k['ratio']:.2f}")
            for k in each["kernels"]
        ]
        print_table(("name", "measured µs", "simulated µs", "ratio"), rows)
        print(f"{each['path']}: {each['total_us']:.1f} µs measured, {each['simulated_us']:.1f} µs simulated")
        if each["submit_us"] is not None:
            print(f"submit and sync {each['submit_us']:.1f} µs")
        print(f"conversions put in by the compiler {each['inserted_us']:.1f} µs")
        if each["unmatched"]:
            print(f"of no kernel, {each['unmatched_us']:.1f} µs: {', '.join(each['unmatched'][:8])}")
        for note in each["notes"]:
            print(note)
    fit = found["fit"]
    if fit is not None:
        rows = [
            (p["key"], f"{p['before']:.4g}", f"{p['value']:.4g}", "–" if p["error"] is None else f"±{p['error']:.1%}")
            for p in fit["parameters"]
        ]
        print_table(("constant", "before", "fitted", "uncertainty"), rows)
        for parameter in fit["parameters"]:
            if parameter["sentence"]:
                print(parameter["sentence"])
        print(f"median error {fit['before']:.1%} before, {fit['after']:.1%} now, {fit['held_out']:.1%} held out")
        print(f"wrote {fit['path']}, error band ±{fit['band']:.1%}")


def show_jitter(found: dict[str, Any]) -> None:
    """Percentiles and advice."""
    rows = [(f"p{p}", f"{value:.1f}") for p, value in found["percentiles_us"].items()]
    print_table(("percentile", "µs"), rows)
    for sentence in found["advice"]:
        print(sentence)


def _fit(found: Fit) -> dict[str, Any]:
    return {
        "before": found.before,
        "after": found.after,
        "held_out": found.held_out,
        "band": found.band,
        "measurements": found.measurements,
        "parameters": [
            {"key": p.key, "before": p.before, "value": p.value, "error": p.error,
             "sentence": str(p.sentence) if p.sentence is not None else None}
            for p in found.parameters
        ],
    }  # fmt: skip
