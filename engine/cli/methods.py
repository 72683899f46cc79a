"""mixbit methods: what each weight method gains on its kernel and at the output, and the best of them as a plan."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from engine.cli.given import check_output, data_sources, named_plan, open_network, progress_of
from engine.errors import PlanError
from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.planfile import save_plan
from engine.precision.scheme import Scheme, label
from engine.progress import Progress
from engine.session import work
from engine.text import Text, say
from engine.tuning.methods import ALL_METHODS, Gain, Refined, compare_methods, refine, with_method


def methods(args: argparse.Namespace) -> dict[str, Any]:
    """Compare methods on every kernel with integer weights, and choose."""
    network = open_network(args)
    plan = named_plan(args, network)
    chosen = [k.id for k in network.tunable if not plan.scheme(k.id).weights.floating]
    check_output(args.out, network)
    if not chosen:
        raise PlanError(say("No kernel of this plan has integer weights: there is nothing to choose a method for."))
    calibration, evaluation = data_sources(args)
    progress = progress_of(args)
    prepared = work.prepare(
        network, calibration, evaluation, observer=args.observer, samples=args.samples, progress=progress
    )
    try:
        evaluator, names = prepared.evaluator, args.only or ALL_METHODS
        start = plan.with_schemes({kernel: plan[kernel].rounded for kernel in chosen})
        gains = list(
            compare_methods(evaluator, start, chosen, names=names, output=not args.local, progress=_part(progress, 0.6))
        )
        everywhere = _everywhere(network, evaluator, start, names)
        found = refine(evaluator, start, chosen, names=names, progress=_part(progress, 0.4, 0.6))
    finally:
        prepared.evaluator.close()
    if args.out is not None:
        save_plan(found.plan, network, args.out)
    return {
        "output": {
            "before_db": found.before_db,
            "after_db": found.after_db,
            "gain_db": found.after_db - found.before_db,
        },
        "everywhere": [
            {"method": name, "output_sqnr_db": level, "gain_db": level - found.before_db} for name, level in everywhere
        ],
        "kernels": [_kernel(network, kernel, gains, found) for kernel in chosen],
        "synthetic_data": prepared.info.synthetic,
        "notes": [str(note) for note in prepared.info.notes],
        "path": str(args.out) if args.out is not None else None,
    }


def show_methods(found: Mapping[str, Any]) -> None:
    """One line per kernel: what each method gains over rounding to nearest."""
    for note in found["notes"]:
        print(note)
    for row in found["everywhere"]:
        print(f"{row['method']:>8} everywhere: output SQNR {row['output_sqnr_db']:.2f} dB ({row['gain_db']:+.2f} dB)")
    names = list(dict.fromkeys(m["method"] for k in found["kernels"] for m in k["methods"]))
    width = max(len("kernel"), *(len(k["name"]) for k in found["kernels"]))
    print("\ngain over rounding to nearest in dB, on the kernel / at the output")
    print(f"{'kernel':<{width}}  " + "  ".join(f"{name:>14}" for name in names) + "  chosen")
    for kernel in found["kernels"]:
        cells = {m["method"]: m for m in kernel["methods"]}
        line = "  ".join(f"{_cell(cells.get(name)):>14}" for name in names)
        print(f"{kernel['name']:<{width}}  {line}  {kernel['chosen']}")
    out = found["output"]
    print(f"\nchosen: output SQNR {out['before_db']:.2f} -> {out['after_db']:.2f} dB ({out['gain_db']:+.2f} dB)")
    if found["path"]:
        print(f"wrote {found['path']}")


def _cell(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "–"
    output = found["output_gain_db"]
    return f"{found['local_gain_db']:+.2f}" + ("" if output is None else f" / {output:+.2f}")


def _kernel(network: Network, kernel: str, gains: list[Gain], found: Refined) -> dict[str, Any]:
    own = [gain for gain in gains if gain.kernel == kernel]
    base = next((gain for gain in own if gain.scheme == gain.scheme.rounded), None)
    rows = []
    for gain in own:
        output = None
        if gain.output_db is not None and base is not None and base.output_db is not None:
            output = gain.output_db - base.output_db
        rows.append(
            {
                "method": method_name(gain.scheme),
                "local_sqnr_db": gain.local_db,
                "local_gain_db": gain.local_db - base.local_db if base is not None else None,
                "output_sqnr_db": gain.output_db,
                "output_gain_db": output,
            }
        )
    return {
        "id": kernel,
        "name": network.by_id(kernel).name,
        "scheme": label(found.plan[kernel].rounded),
        "methods": rows,
        "chosen": method_name(found.plan[kernel]),
    }


def method_name(scheme: Scheme) -> str:
    """A method as --method takes it."""
    return f"{scheme.method}+bias" if scheme.corrected else scheme.method


def _everywhere(network: Network, evaluator: Evaluator, plan: Plan, names: tuple[str, ...]) -> list[tuple[str, float]]:
    found = []
    for corrected in (False, True):
        for name in names:
            tried = with_method(network, plan, name, corrected)
            level = evaluator.evaluate(tried, accumulated=False).output.sqnr_db
            found.append((f"{name}+bias" if corrected else name, level))
    return found


def _part(progress: Progress, share: float, start: float = 0.0) -> Progress:
    def report(fraction: float, text: Text) -> None:
        progress(start + share * fraction, text)

    return report
