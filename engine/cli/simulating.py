"""The commands about the device: simulate a plan, list device profiles and their values."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli.given import check_output, device, named_plan, open_network, plan_notes
from engine.cli.numbers import count, not_negative, percent, positive
from engine.fusion.types import Network
from engine.interop.handover import Extras, Measured
from engine.interop.preflight.number_checks import not_native_notes
from engine.interop.targets import OP_SUMMARY, TRACE
from engine.npu import Device, list_devices, load_device
from engine.npu.answers import Answers, answers, hold_words
from engine.npu.breakdown import Breakdown, breakdown, find_kernel
from engine.npu.coldstart import Measures, cold_start
from engine.npu.fields import FIELDS
from engine.npu.flow import MODES, InputPath, flow
from engine.npu.results import KernelCost, Scenario, Simulation
from engine.npu.usage import advice, top_kernels, usage
from engine.precision.plan import Plan
from engine.session import work

GOVERNORS = next(field.choices for field in FIELDS if field.key == "dvfs.governor")


def add_options(simulate: argparse.ArgumentParser) -> None:
    """What only `simulate` takes."""
    add = simulate.add_argument
    add("--minutes", type=float, default=30.0, help="minutes of sustained use (default: 30)")
    add("--rate", type=float, metavar="PER_SECOND", help="runs per second (default: back to back)")
    add("--ambient", type=float, default=25.0, metavar="C", help="ambient temperature in degrees C")
    add("--governor", choices=GOVERNORS, help="what lowers the clock (default: the device's own)")
    add("--cap", type=percent, metavar="PERCENT", help="highest clock, in percent of the nominal one")
    add("--hold-us", type=positive, metavar="US", help="find the clock cap that holds this latency without throttling")
    add("--explain", metavar="KERNEL", help="take one kernel's cost apart: a number, an id or a name")
    add("--top", type=count, default=10, metavar="N", help="list the N longest kernels (default: 10)")
    add("--trace", type=Path, metavar="FILE.json", help="write the timeline for Perfetto (ui.perfetto.dev)")
    add("--csv", type=Path, metavar="FILE.csv", help="write one row per kernel in the columns of msprof's op_summary")
    start = simulate.add_argument_group("cold start")
    start.add_argument("--preload", action="store_true", help="load the model before a result is asked for")
    start.add_argument("--compile-online", action="store_true", help="compile on the device instead of offline")
    start.add_argument("--warm-up", action="store_true", help="run once on dummy input right after loading")
    frames = simulate.add_argument_group("input path")
    frames.add_argument("--pipeline", choices=MODES, default=MODES[0], help=f"default: {MODES[0]}")
    frames.add_argument("--zero-copy", action="store_true", help="CPU and NPU share the memory of inputs and outputs")
    frames.add_argument("--no-layout", action="store_true", help="inputs come in the device's layout and format")
    frames.add_argument(
        "--preprocess-us", type=not_negative, metavar="US", help="time to prepare an input (default: estimated)"
    )
    frames.add_argument(
        "--fps", type=positive, metavar="N", help="frames that arrive per second (default: always there)"
    )


def simulate(args: argparse.Namespace) -> dict[str, Any]:
    """Latency, memory, energy, heat, cold start and input path of a plan."""
    chip = device(args)
    network = open_network(args)
    plan = named_plan(args, network)
    for path in (args.trace, args.csv):
        check_output(path, network)
    explained = find_kernel(network, args.explain) if args.explain is not None else None
    cap = None if args.cap is None else args.cap / 100
    scenario = Scenario(args.minutes, args.rate, args.ambient, args.governor, cap)
    figures = work.simulate_plan(network, plan, chip, scenario)
    simulation, sustained = figures.simulation, figures.sustained
    assert simulation is not None
    assert sustained is not None
    found = answers(simulation, chip, sustained, args.hold_us)
    held = hold_words(found)
    result = _run(network, simulation)
    result["size_bytes"] = figures.size.total if figures.size else None
    result["utilization"] = _usage(network, simulation, args.top)
    result["sustained"] = {
        "minutes": scenario.minutes,
        "latency_us": sustained.final_latency_us,
        "temperature_c": sustained.final_skin_c,
        "throttled_at_s": sustained.throttled_at_s,
    }
    result["answers"] = _answers(found)
    result["cold_start"] = _cold_start(args, network, plan, simulation, chip)
    result["frames"] = _frames(args, network, simulation, chip)
    result["explained"] = None
    if explained is not None:
        result["explained"] = _explained(explained.name, breakdown(network, plan, chip, explained))
    open_ones = plan_notes(args, network, plan)
    notes = (
        *open_ones,
        *not_native_notes(network, plan, chip),
        *sustained.notes,
        *((held,) if held is not None else ()),
    )
    result["notes"] = [str(note) for note in notes]
    result["written"] = _write(args, network, plan, simulation)
    return result


def devices(args: argparse.Namespace) -> dict[str, Any]:
    """The device profiles; the values of one that is named."""
    if args.device is None:
        found: list[dict[str, Any]] = [
            {"name": info.name, "title": info.title, "note": info.note} for info in list_devices()
        ]
        return {"devices": found}
    chip = load_device(args.device)
    values = [
        {
            "key": field.key,
            "value": chip.values[field.key].value,
            "unit": field.unit,
            "origin": chip.values[field.key].origin,
            "note": chip.values[field.key].note,
            "meaning": field.meaning,
            "low": field.low,
            "high": field.high,
            "choices": field.choices,
        }
        for field in FIELDS
    ]
    refusals = [refusal.reason for refusal in chip.refusals]
    shown = {"name": chip.name, "title": chip.title, "note": chip.note, "values": values, "refusals": refusals}
    return {"devices": [shown]}


def _run(network: Network, simulation: Simulation) -> dict[str, Any]:
    names = {k.id: k.name for k in network.kernels}
    return {
        "device": simulation.device,
        "error_band": simulation.band,
        "latency_us": simulation.latency_us,
        "invocation_us": simulation.invocation_us,
        "launch_us": simulation.launch_us,
        "peak_bytes": simulation.memory.peak_bytes,
        "lower_bound_bytes": simulation.memory.lower_bound_bytes,
        "energy_uj": simulation.energy_uj,
        "energy_parts_uj": dict(simulation.energy_parts),
        "kernels": [_kernel(names[cost.kernel], cost) for cost in simulation.kernels],
    }


def _kernel(name: str, cost: KernelCost) -> dict[str, Any]:
    return {
        "id": cost.kernel,
        "name": name,
        "unit": cost.unit,
        "start_us": cost.start_us,
        "latency_us": cost.latency_us,
        "cube_us": cost.cube_us,
        "vector_us": cost.vector_us,
        "mte_us": cost.mte1_us + cost.mte2_us + cost.mte3_us,
        "mte1_us": cost.mte1_us,
        "mte2_us": cost.mte2_us,
        "mte3_us": cost.mte3_us,
        "launch_us": cost.launch_us,
        "cpu_us": cost.cpu_us,
        "bytes": cost.ddr_read_bytes + cost.ddr_write_bytes,
        "energy_uj": cost.energy_uj,
        "bound": cost.bound,
        "why": str(cost.why),
    }


def _usage(network: Network, simulation: Simulation, top: int) -> dict[str, Any]:
    found = usage(simulation)
    names = {k.id: k.name for k in network.kernels}
    return {
        "npu": found.utilization,
        "compute": found.compute_utilization,
        "units_us": dict(found.unit_us),
        "gaps_us": found.gaps_by_cause(),
        "advice": str(advice(found)),
        "top": [
            {
                "id": cost.kernel,
                "name": names[cost.kernel],
                "latency_us": cost.latency_us,
                "share": cost.latency_us / simulation.latency_us if simulation.latency_us else 0.0,
                "bound": cost.bound,
            }
            for cost in top_kernels(simulation, max(0, top))
        ],
    }


def _answers(found: Answers) -> dict[str, Any]:
    held = None if found.held is None else {**asdict(found.held), "without_throttling": found.holds}
    return {
        "runs_per_second": found.sustained_fps,
        "cool": asdict(found.cool),
        "wanted_us": found.wanted_us,
        "held": held,
    }


def _cold_start(
    args: argparse.Namespace, network: Network, plan: Plan, simulation: Simulation, chip: Device
) -> dict[str, Any]:
    measures = Measures(args.preload, not args.compile_online, args.warm_up)
    found = cold_start(network, plan, simulation, chip, measures)
    return {
        "measures": asdict(measures),
        "wait_us": found.wait_us,
        "ahead_us": found.ahead_us,
        "steady_us": found.steady_us,
        "file_bytes": found.file_bytes,
        "parts": [asdict(part) for part in found.parts],
    }


def _frames(args: argparse.Namespace, network: Network, simulation: Simulation, chip: Device) -> dict[str, Any]:
    path = InputPath(args.pipeline, args.zero_copy, not args.no_layout, args.preprocess_us, args.fps)
    found = flow(network, simulation, chip, path)
    return {
        "path": asdict(path),
        "steps_us": found.steps_us,
        "latency_us": found.latency_us,
        "frames_per_second": found.frames_per_second,
        "npu_utilization": found.npu_utilization,
        "cpu_utilization": found.cpu_utilization,
        "gap_us": found.gap_us,
        "waits_for": found.waits_for,
        "dropped": found.dropped,
    }


def _explained(name: str, found: Breakdown) -> dict[str, Any]:
    return {
        "kernel": found.cost.kernel,
        "name": name,
        "latency_us": found.cost.latency_us,
        "bound": found.cost.bound,
        "why": str(found.cost.why),
        "sections": [
            {
                "title": str(section.title),
                "lines": [
                    {"name": str(line.name), "value": line.value, "formula": str(line.formula)}
                    for line in section.lines
                ],
            }
            for section in found.sections
        ],
        "lifts": [
            {"change": str(lift.change), "latency_us": lift.latency_us, "gain_us": lift.gain_us} for lift in found.lifts
        ],
    }


def _write(args: argparse.Namespace, network: Network, plan: Plan, simulation: Simulation) -> list[str]:
    extras = Extras(measured=Measured(simulation=simulation))
    written = []
    for target, path in ((TRACE, args.trace), (OP_SUMMARY, args.csv)):
        if path is not None:
            target.export(network, plan, None, path, extras=extras)
            written.append(str(path))
    return written
