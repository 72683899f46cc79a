"""Plans side by side: figures of each, and what differs from the first."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.cli.given import data_sources, device, open_network, progress_of
from engine.errors import PlanError
from engine.fusion.types import Network
from engine.npu.results import Scenario
from engine.precision.plan import Plan
from engine.precision.planfile import load_plan
from engine.precision.presets import FIRST_LAST, preset
from engine.precision.scheme import PRESETS, label
from engine.session import work
from engine.session.difference import KernelDifference, Pair, differences, transitions
from engine.session.project import SUFFIX, read_project
from engine.session.state import Figures
from engine.text import Text, say
from engine.tuning.methods import check_methods


def add_options(plans: argparse.ArgumentParser) -> None:
    """What the command takes beside a model, a device and data."""
    plans.add_argument(
        "plans",
        nargs="+",
        metavar="PLAN",
        help="a preset's name, a plan file, or a project with all plans it keeps; all are compared with the first",
    )
    plans.add_argument("--errors", action="store_true", help="measure the errors too")


def plans(args: argparse.Namespace) -> dict[str, Any]:
    """Compare plans."""
    network = open_network(args)
    chip = device(args)
    given = [_named(word, network) for word in args.plans]
    named = [plan for plans, _ in given for plan in plans]
    if len(named) < 2:
        raise PlanError(say("Give at least two plans to compare; {word} is one.", word=args.plans[0]))
    found = [work.simulate_plan(network, plan, chip, Scenario()) for _, plan in named]
    notes = [str(text) for _, left_out in given for text in left_out]
    synthetic = None
    if args.errors:
        prepared = work.prepare(
            network, *data_sources(args), observer=args.observer, samples=args.samples, progress=progress_of(args)
        )
        try:
            found = [replace(figures, evaluation=prepared.evaluator.evaluate(figures.plan)) for figures in found]
        finally:
            prepared.evaluator.close()
        notes += [str(note) for note in prepared.info.notes]
        synthetic = prepared.info.synthetic
    first = found[0]
    return {
        "device": chip.name,
        "plans": [_figures(name, figures) for (name, _), figures in zip(named, found, strict=True)],
        "differences": [
            {
                "a": named[0][0],
                "b": name,
                "transitions": [
                    {"a": a, "b": b, "kernels": count}
                    for (a, b), count in transitions(network, first.plan, figures.plan).items()
                ],
                "kernels": [_kernel(entry) for entry in differences(network, first, figures)],
            }
            for (name, _), figures in zip(named[1:], found[1:], strict=True)
        ],
        "synthetic_data": synthetic,
        "notes": notes,
    }


def _named(word: str, network: Network) -> tuple[list[tuple[str, Plan]], Sequence[Text]]:
    """The plan of a preset or a plan file; of a project its current plan, all that it keeps, and what is left out."""
    path = Path(word)
    if word in PRESETS or word == FIRST_LAST or not (path.suffix or path.exists()):
        return [(word, preset(network, word))], ()
    if path.suffix.lower() == SUFFIX:
        project = read_project(path)
        document = project.document(network)
        return [(path.name, document.plan), *((k.name, k.plan) for k in document.kept)], project.kept_plans(network)[1]
    plan = load_plan(path, network)
    check_methods(network, plan, word)
    return [(path.name, plan)], ()


def _figures(name: str, figures: Figures) -> dict[str, Any]:
    simulation, sustained, evaluation = figures.simulation, figures.sustained, figures.evaluation
    assert figures.size is not None
    assert simulation is not None
    output = evaluation.output if evaluation is not None else None
    return {
        "name": name,
        "size_bytes": figures.size.total,
        "latency_us": simulation.latency_us,
        "peak_bytes": simulation.memory.peak_bytes,
        "energy_uj": simulation.energy_uj,
        "skin_c": sustained.final_skin_c if sustained is not None else None,
        "sqnr_db": output.sqnr_db if output else None,
        "kl": output.kl if output else None,
        "top1_agreement": output.top1_agreement if output else None,
        "accuracy": output.accuracy if output else None,
    }


def _kernel(entry: KernelDifference) -> dict[str, Any]:
    def pair(figure: Pair) -> dict[str, float | None]:
        return {"a": figure.a, "b": figure.b}

    return {
        "id": entry.kernel,
        "name": entry.name,
        "a": label(entry.a),
        "b": label(entry.b),
        "size_bytes": pair(entry.size_bytes),
        "latency_us": pair(entry.latency_us),
        "accumulated_sqnr_db": pair(entry.accumulated_db),
    }
