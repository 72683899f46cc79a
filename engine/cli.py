"""The command line: the same engine without a window. No Qt is imported here."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import MixbitError
from engine.fusion.types import Network
from engine.interop.samples import SYNTHETIC, DataSource, guess_source
from engine.npu import Device, list_devices, load_device
from engine.npu.results import Scenario
from engine.numerics.results import ErrorSums, Evaluation
from engine.precision.plan import Plan
from engine.precision.planfile import load_plan, save_plan
from engine.precision.presets import FIRST_LAST, preset
from engine.precision.scheme import PRESETS, Scheme, label
from engine.progress import Progress, no_progress
from engine.quant import plan_bytes
from engine.session import work
from engine.session.exports import KINDS, write_export
from engine.session.samples import find_sample, sample_of, sources
from engine.session.state import Figures, SampleModel
from engine.text import Text, say
from engine.version import VERSION

COMMANDS = ("inspect", "evaluate", "simulate", "export", "plan", "devices")
_PRESET_NAMES = (*PRESETS, FIRST_LAST)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0; 1 for a clear refusal (one sentence on standard error); 2 for wrong usage.
    """
    arguments = _parser().parse_args(argv)
    try:
        found = arguments.run(arguments)
    except MixbitError as error:
        print(f"mixbit: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("mixbit: stopped", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0
    if arguments.json:
        print(msgspec.json.encode(_plain(found)).decode())
    else:
        arguments.show(found)
    return 0


# commands -----------------------------------------------------------------------------------------------------------


def _inspect(args: argparse.Namespace) -> dict[str, Any]:
    network = _open(args)
    graph = network.graph
    tunable = network.tunable
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
            "params": sum(k.params for k in network.kernels),
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
            }
            for k, unit in zip(network.kernels, _units(network, args), strict=True)
        ],
    }


def _evaluate(args: argparse.Namespace) -> dict[str, Any]:
    network = _open(args)
    plan = _plan(args, network)
    calibration, evaluation = _data(args)
    prepared = work.prepare(
        network, calibration, evaluation, observer=args.observer, samples=args.samples, progress=_progress(args)
    )
    try:
        found = prepared.evaluator.evaluate(plan)
        local = {kernel: sums for kernel, _, sums in prepared.evaluator.local_errors(tuple(plan.items()))}
    finally:
        prepared.evaluator.close()
    return {
        "output": _output(found),
        "synthetic_data": found.synthetic,
        "samples": found.samples,
        "calibration": {"source": prepared.info.calibration, "samples": prepared.info.calibration_samples},
        "evaluation": {"source": prepared.info.evaluation, "samples": prepared.info.evaluation_samples},
        "notes": [str(note) for note in prepared.info.notes],
        "kernels": [_errors(k.id, k.name, plan.get(k.id), local.get(k.id), found) for k in network.kernels],
        "size_bytes": plan_bytes(network, plan).total,
    }


def _simulate(args: argparse.Namespace) -> dict[str, Any]:
    device = _device(args)
    network = _open(args)
    scenario = Scenario(args.minutes, args.rate, args.ambient)
    figures = work.simulate_plan(network, _plan(args, network), device, scenario)
    simulation, sustained = figures.simulation, figures.sustained
    assert simulation is not None
    assert sustained is not None
    names = {k.id: k.name for k in network.kernels}
    return {
        "device": simulation.device,
        "error_band": simulation.band,
        "latency_us": simulation.latency_us,
        "invocation_us": simulation.invocation_us,
        "peak_bytes": simulation.memory.peak_bytes,
        "lower_bound_bytes": simulation.memory.lower_bound_bytes,
        "size_bytes": figures.size.total if figures.size else None,
        "energy_uj": simulation.energy_uj,
        "kernels": [
            {
                "id": cost.kernel,
                "name": names[cost.kernel],
                "unit": cost.unit,
                "start_us": cost.start_us,
                "latency_us": cost.latency_us,
                "cube_us": cost.cube_us,
                "vector_us": cost.vector_us,
                "mte_us": cost.mte1_us + cost.mte2_us + cost.mte3_us,
                "launch_us": cost.launch_us,
                "cpu_us": cost.cpu_us,
                "bytes": cost.ddr_read_bytes + cost.ddr_write_bytes,
                "energy_uj": cost.energy_uj,
                "bound": cost.bound,
                "why": str(cost.why),
            }
            for cost in simulation.kernels
        ],
        "sustained": {
            "minutes": scenario.minutes,
            "latency_us": sustained.final_latency_us,
            "temperature_c": sustained.final_skin_c,
            "throttled_at_s": sustained.throttled_at_s,
        },
    }


def _export(args: argparse.Namespace) -> dict[str, Any]:
    network = _open(args)
    plan = _plan(args, network)
    calibration, evaluation = _data(args)
    figures, ranges, local = Figures(plan), None, {}
    if args.to != "plan":
        prepared = work.prepare(
            network, calibration, evaluation, observer=args.observer, samples=args.samples, progress=_progress(args)
        )
        try:
            ranges = prepared.ranges
            if args.to == "csv":
                simulated = work.simulate_plan(network, plan, _device(args), Scenario())
                found = prepared.evaluator.evaluate(plan)
                figures = Figures(plan, simulated.size, simulated.simulation, simulated.sustained, found)
                local = {(k, s): sums for k, s, sums in prepared.evaluator.local_errors(tuple(plan.items()))}
        finally:
            prepared.evaluator.close()
    write_export(args.to, args.out, network, plan, ranges, figures, local, progress=_progress(args))
    return {"path": str(args.out), "to": args.to, "bytes": args.out.stat().st_size}


def _write_plan(args: argparse.Namespace) -> dict[str, Any]:
    network = _open(args)
    plan = _plan(args, network)
    save_plan(plan, network, args.out)
    return {"path": str(args.out), "kernels": len(plan), "size_bytes": plan_bytes(network, plan).total}


def _devices(args: argparse.Namespace) -> dict[str, Any]:
    return {"devices": [{"name": d.name, "title": d.title, "note": d.note} for d in list_devices()]}


# arguments ----------------------------------------------------------------------------------------------------------


def _open(args: argparse.Namespace) -> Network:
    sample = _sample(args)
    path = Path(args.model) if sample is None else sample.model
    shapes = {**(sample.shapes if sample else {}), **dict(args.shape or ())}
    return work.open_network(path, shapes, args.fusion, progress=_progress(args))


def _sample(args: argparse.Namespace) -> SampleModel | None:
    """The sample model that is meant, by "sample:NAME" or by its own path."""
    if args.model.startswith("sample:"):
        return find_sample(args.model.removeprefix("sample:"))
    return sample_of(Path(args.model))


def _plan(args: argparse.Namespace, network: Network) -> Plan:
    if args.preset is not None:
        return preset(network, args.preset)
    return load_plan(args.plan, network, any_model=getattr(args, "any_model", False))


def _data(args: argparse.Namespace) -> tuple[DataSource, DataSource]:
    sample = _sample(args)
    calibration, evaluation = sources(sample) if sample is not None else (SYNTHETIC, SYNTHETIC)
    if args.calib is not None:
        calibration = guess_source(args.calib)
    if args.data is not None:
        evaluation = guess_source(args.data)
    return calibration, evaluation


def _device(args: argparse.Namespace) -> Device:
    return load_device(args.device)


def _units(network: Network, args: argparse.Namespace) -> list[str]:
    simulation = work.simulate_plan(network, preset(network, "fp16"), _device(args), Scenario(minutes=1)).simulation
    return [cost.unit for cost in simulation.kernels] if simulation else []


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, _, dims = text.rpartition("=")
    try:
        shape = tuple(int(d) for d in dims.replace("x", ",").split(",")) if dims else ()
    except ValueError:
        shape = (0,)
    if not name or any(d < 1 for d in shape):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=1,3,224,224")
    return name, shape


def _progress(args: argparse.Namespace) -> Progress:
    if args.quiet or not sys.stderr.isatty():
        return no_progress

    def report(fraction: float, text: Text) -> None:
        print(f"\r\033[K{fraction:4.0%}  {text}", end="\r" if fraction >= 1 else "", file=sys.stderr, flush=True)

    return report


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mixbit",
        description="Choose a precision for every layer of an ONNX model; see its error and its cost on an NPU.",
        epilog="mixbit [MODEL] without a command opens the window.",
    )
    parser.add_argument("--version", action="version", version=f"mixbit {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Callable[..., Any], show: Callable[..., None], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run, show=show)
        sub.add_argument("--json", action="store_true", help="print one JSON object")
        sub.add_argument("--quiet", action="store_true", help="no progress on standard error")
        return sub

    inspect = command("inspect", _inspect, _show_inspect, "list the kernels of a model")
    evaluate = command("evaluate", _evaluate, _show_evaluate, "measure the error of a plan")
    simulate = command("simulate", _simulate, _show_simulate, "simulate latency, memory, energy and heat of a plan")
    export = command("export", _export, _show_written, "write a quantized model, a table or a plan")
    plan = command("plan", _write_plan, _show_written, "write the plan of a preset")
    command("devices", _devices, _show_devices, "list the device profiles")

    for sub in (inspect, evaluate, simulate, export, plan):
        sub.add_argument("model", metavar="MODEL", help="an .onnx file, or sample:NAME")
        sub.add_argument("--shape", action="append", type=_shape, metavar="NAME=1,3,224,224", help="shape of an input")
        sub.add_argument("--fusion", choices=("edge", "cloud"), default="edge", help="fusion rules (default: edge)")
    for sub in (inspect, simulate, export):
        sub.add_argument("--device", default="kirin9030", help="profile name or file (default: kirin9030)")
    for sub, file in ((evaluate, True), (simulate, True), (export, True), (plan, False)):
        choice = sub.add_mutually_exclusive_group(required=True)
        choice.add_argument("--preset", choices=_PRESET_NAMES, help="a plan by name")
        if file:
            choice.add_argument("--plan", type=Path, metavar="FILE", help="a plan file")
            sub.add_argument("--any-model", action="store_true", help="accept a plan made for another model, by names")
    for sub in (evaluate, export):
        sub.add_argument("--calib", type=Path, metavar="PATH", help="calibration data: pictures, .npy, .npz or .bin")
        sub.add_argument("--data", type=Path, metavar="PATH", help="evaluation data: pictures, .npy, .npz or .bin")
        sub.add_argument("--samples", type=int, metavar="N", help="evaluate at most N samples")
        sub.add_argument("--observer", choices=("minmax", "percentile"), default="minmax", help="of activation ranges")
    simulate.add_argument("--minutes", type=float, default=30.0, help="minutes of sustained use (default: 30)")
    simulate.add_argument("--rate", type=float, metavar="PER_SECOND", help="runs per second (default: back to back)")
    simulate.add_argument("--ambient", type=float, default=25.0, metavar="C", help="ambient temperature in degrees C")
    export.add_argument("--to", choices=KINDS, required=True, help="what to write")
    for sub in (export, plan):
        sub.add_argument("--out", type=Path, required=True, metavar="PATH", help="where to write it")
    return parser


# printing -----------------------------------------------------------------------------------------------------------


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
        "nonfinite": out.sums.nonfinite,
    }


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
    }


def _show_inspect(found: Mapping[str, Any]) -> None:
    model = found["model"]
    inputs = ", ".join(f"{i['name']} {i['dtype']}{list(i['shape'])}" for i in model["inputs"])
    print(f"{model['path']}: opset {model['opset']}, {inputs}")
    print(f"{len(found['kernels'])} kernels, {model['tunable']} tunable, {model['params']:,} parameters")
    columns = ("#", "name", "op", "unit", "params", "MACs", "output", "switch")
    _table(
        columns,
        (
            (
                str(i),
                k["name"],
                k["op"],
                k["unit"],
                f"{k['params']:,}",
                f"{k['macs']:,}",
                " ".join("×".join(map(str, s)) for s in k["output_shapes"]),
                "yes" if k["tunable"] else k["why_not"],
            )
            for i, k in enumerate(found["kernels"])
        ),
    )


def _show_evaluate(found: Mapping[str, Any]) -> None:
    columns = ("#", "name", "scheme", "local SQNR dB", "accumulated SQNR dB")
    _table(
        columns,
        (
            (str(i), k["name"], k["scheme"] or "–", _db(k["local_sqnr_db"]), _db(k["accumulated_sqnr_db"]))
            for i, k in enumerate(found["kernels"])
        ),
    )
    out = found["output"]
    print(f"output SQNR {_db(out['sqnr_db'])} dB, cosine {out['cosine']:.5f}, {found['samples']} samples")
    for key, title in (("top1_agreement", "top-1 agreement"), ("accuracy", "accuracy"), ("reference_accuracy", "FP32")):
        if out[key] is not None:
            print(f"{title} {out[key]:.2%}")
    print(f"model size {found['size_bytes']:,} bytes")
    for note in found["notes"]:
        print(note)
    if found["synthetic_data"]:
        print(say("Synthetic input: the errors are indicative only; give real samples with --data and --calib."))


def _show_simulate(found: Mapping[str, Any]) -> None:
    columns = ("#", "name", "unit", "start µs", "latency µs", "launch µs", "KiB", "bound by")
    _table(
        columns,
        (
            (
                str(i),
                k["name"],
                k["unit"],
                f"{k['start_us']:.1f}",
                f"{k['latency_us']:.1f}",
                f"{k['launch_us']:.1f}",
                f"{k['bytes'] / 1024:.1f}",
                k["bound"],
            )
            for i, k in enumerate(found["kernels"])
        ),
    )
    sustained = found["sustained"]
    print(f"{found['device']}: {found['latency_us'] / 1e3:.3f} ms ±{found['error_band']:.0%} (simulated)")
    print(f"peak memory {found['peak_bytes']:,} bytes, model size {found['size_bytes']:,} bytes")
    print(f"energy {found['energy_uj'] / 1e3:.3f} mJ per run")
    throttled = sustained["throttled_at_s"]
    print(
        f"after {sustained['minutes']:g} min: {sustained['latency_us'] / 1e3:.3f} ms, skin "
        f"{sustained['temperature_c']:.1f} °C, "
        + ("no throttling" if throttled is None else f"first throttled after {throttled:.0f} s")
    )


def _show_written(found: Mapping[str, Any]) -> None:
    print(f"wrote {found['path']}")


def _show_devices(found: Mapping[str, Any]) -> None:
    _table(("name", "title", "note"), ((d["name"], d["title"], d["note"]) for d in found["devices"]))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = [tuple(columns), *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _db(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if isfinite(value) else ("exact" if value > 0 else "-inf")


def _plain(value: Any) -> Any:
    """JSON has no infinity: a figure that is infinite or undefined becomes null."""
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
