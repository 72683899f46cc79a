"""What the arguments name: the network, the plan, the data, the device."""

from __future__ import annotations

import argparse
import os
import sys
from errno import EACCES, ENOENT
from pathlib import Path

from engine.cli.usage import FolderPath
from engine.errors import ExportError, ModelError
from engine.files import check_replaceable
from engine.fusion.types import Network
from engine.interop.samples import SYNTHETIC, DataSource, guess_source
from engine.npu import Device, load_device
from engine.npu.results import Scenario
from engine.precision.plan import Plan
from engine.precision.planfile import load_plan
from engine.precision.presets import preset
from engine.progress import Progress, no_progress
from engine.session import work
from engine.session.exports import spare_the_model
from engine.session.samples import find_sample, sample_of, sources
from engine.session.state import SampleModel
from engine.text import Text, say
from engine.tuning.methods import check_methods, with_method


def open_network(args: argparse.Namespace) -> Network:
    """The model, loaded and fused."""
    sample = named_sample(args)
    path = Path(args.model) if sample is None else sample.model
    shapes = {**(sample.shapes if sample else {}), **_shapes(args)}
    return work.open_network(
        path,
        shapes,
        args.fusion,
        memory_limit=int(min(args.memory_limit * 1e9, sys.maxsize)),
        progress=progress_of(args),
    )


def _shapes(args: argparse.Namespace) -> dict[str, tuple[int, ...]]:
    given: dict[str, tuple[int, ...]] = {}
    for name, shape in args.shape or ():
        if given.setdefault(name, shape) != shape:
            raise ModelError(say("--shape names input {name} twice, with different shapes; keep one.", name=name))
    return given


def named_sample(args: argparse.Namespace) -> SampleModel | None:
    """The sample model that is meant, by "sample:NAME" or by its own path."""
    if args.model.startswith("sample:"):
        return find_sample(args.model.removeprefix("sample:"))
    return sample_of(Path(args.model))


def named_plan(args: argparse.Namespace, network: Network) -> Plan:
    """The plan of --preset or --plan, with the weight method of --method."""
    if getattr(args, "plan", None) is not None:
        plan = load_plan(args.plan, network, any_model=getattr(args, "any_model", False))
        check_methods(network, plan, str(args.plan))
    else:
        plan = preset(network, args.preset)
    if getattr(args, "method", None) is None:
        return plan
    method, _, bias = args.method.partition("+")
    return with_method(network, plan, method, bool(bias))


def plan_notes(args: argparse.Namespace, network: Network, plan: Plan) -> tuple[Text, ...]:
    """What a plan file leaves open: layers that it doesn't name are computed in FP32."""
    open_ones = sum(kernel.id not in plan for kernel in network.tunable)
    if not open_ones or getattr(args, "plan", None) is None:
        return ()
    return (
        say(
            "{path} has no scheme for {count} of {all} layers with a precision; they stay FP32.",
            path=args.plan,
            count=open_ones,
            all=len(network.tunable),
        ),
    )


def data_sources(args: argparse.Namespace) -> tuple[DataSource, DataSource]:
    """Calibration and evaluation data of --calib and --data, or the sample model's own."""
    sample = named_sample(args)
    calibration, evaluation = sources(sample) if sample is not None else (SYNTHETIC, SYNTHETIC)
    if args.calib is not None:
        calibration = guess_source(args.calib)
    if args.data is not None:
        evaluation = guess_source(args.data)
    return calibration, evaluation


def check_output(path: Path | None, network: Network, *, replaces: bool = True) -> None:
    """Refuse in front of long work what could not be written behind it.

    Args:
        path: Where the result is to go; None = nowhere.
        network: Whose files are never written over.
        replaces: Whether a file takes the place of what is there; not so of folders and of stores that grow.

    Raises:
        ExportError: The model's own file, no place to write to, or something there that is never replaced.
    """
    if path is None:
        return
    if replaces and (isinstance(path, FolderPath) or path.is_dir()):
        raise ExportError(say("{path} is a folder; add the name of the file that is to be written there.", path=path))
    spare_the_model(path, network)
    problem = ENOENT if not path.parent.is_dir() else EACCES if not os.access(path.parent, os.W_OK) else None
    if problem is not None:
        raise ExportError(
            say("{path} can't be written ({reason}); choose another place.", path=path, reason=os.strerror(problem))
        )
    if replaces:
        check_replaceable(path)


def device(args: argparse.Namespace) -> Device:
    """The profile of --device."""
    return load_device(args.device)


def units(network: Network, args: argparse.Namespace) -> list[str]:
    """The unit that runs each kernel, all in FP16."""
    simulation = work.simulate_plan(network, preset(network, "fp16"), device(args), Scenario(minutes=1)).simulation
    return [cost.unit for cost in simulation.kernels] if simulation else []


def progress_of(args: argparse.Namespace) -> Progress:
    """A line on standard error that shows how far the work is, if somebody can see it."""
    if args.quiet or not sys.stderr.isatty():
        return no_progress

    def report(fraction: float, text: Text) -> None:
        print(f"\r\033[K{fraction:4.0%}  {text}", end="\r" if fraction >= 1 else "", file=sys.stderr, flush=True)

    return report
