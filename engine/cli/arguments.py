"""The commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.cli import (
    checking,
    commands,
    comparing,
    dumping,
    measuring,
    show,
    show_dumps,
    show_plans,
    show_simulating,
    simulating,
    tuning,
)
from engine.cli import methods as weight_methods
from engine.cli.numbers import count, number, percent_or_zero, positive
from engine.cli.usage import Parser, out_path, preset_or_file
from engine.errors import PlanError
from engine.interop.dump_compare import DEFAULT_METRICS
from engine.numerics.dumps.errors import METRICS
from engine.precision.notation import read_scheme
from engine.precision.presets import FIRST_LAST
from engine.precision.scheme import PRESETS
from engine.quant import OBSERVERS
from engine.session.exports import KINDS
from engine.tuning.methods import ALL_METHODS
from engine.tuning.metrics import Metric
from engine.version import VERSION

COMMANDS = (
    "inspect",
    "evaluate",
    "simulate",
    "export",
    "plan",
    "plans",
    "sweep",
    "search",
    "methods",
    "dump",
    "compare",
    "check",
    "measured",
    "jitter",
    "devices",
    "targets",
)
_PRESET_NAMES = ", ".join((*PRESETS, FIRST_LAST))


def named_option(text: str) -> tuple[str, str]:
    """NAME=VALUE as a pair."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def named_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """NAME=1,3,224,224 as a name and a shape; a size of 0 is an empty tensor, as some models declare it."""
    name, _, dims = text.rpartition("=")
    try:
        shape = tuple(int(d) for d in dims.replace("x", ",").split(",")) if dims else ()
    except ValueError:
        shape = (-1,)
    if not name or any(d < 0 for d in shape):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=1,3,224,224")
    return name, shape


def named_methods(text: str) -> tuple[str, ...]:
    """Names of weight methods with commas between."""
    names = tuple(name.strip() for name in text.split(","))
    unknown = [name for name in names if name not in ALL_METHODS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(ALL_METHODS)}")
    return names


def preset_option(text: str) -> str:
    """A preset's name, or a scheme that is written out."""
    if text != FIRST_LAST:
        try:
            read_scheme(text, others=(FIRST_LAST,))
        except PlanError as error:
            raise argparse.ArgumentTypeError(preset_or_file(text) or str(error)) from error
    return text


def plan_file(text: str) -> Path:
    """A plan file; a preset's name is told to be one."""
    if not Path(text).exists():
        try:
            preset_option(text)
        except argparse.ArgumentTypeError:  # a file that is missing, which the reader of plans says
            return Path(text)
        raise argparse.ArgumentTypeError(f"there is no file {text}; for the preset write --preset {text}")
    return Path(text)


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    top = Parser(
        prog="mixbit",
        description="Choose a precision for every layer of an ONNX model; see its error and its cost on an NPU.",
        epilog="mixbit [MODEL] without a command opens the window.",
    )
    top.add_argument("--version", action="version", version=f"mixbit {VERSION}")
    choices = top.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Callable[..., Any], printer: Callable[..., None], text: str) -> argparse.ArgumentParser:
        sub = choices.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run, show=printer, code=lambda _: 0)
        sub.add_argument("--json", action="store_true", help="print one JSON object")
        sub.add_argument("--quiet", action="store_true", help="no progress on standard error")
        return sub

    inspect = command("inspect", commands.inspect, show.show_inspect, "list the kernels of a model")
    evaluate = command("evaluate", commands.evaluate, show.show_evaluate, "measure the error of a plan")
    simulate = command(
        "simulate",
        simulating.simulate,
        show_simulating.show_simulate,
        "simulate latency, memory, energy, heat, cold start and frames in a row",
    )
    export = command("export", commands.export, show.show_written, "write a quantized model or files for a toolchain")
    plan = command("plan", commands.write_plan, show.show_written, "write the plan of a preset")
    plans = command(
        "plans", comparing.plans, show_plans.show_plans, "compare plans: figures side by side, and what differs"
    )
    sweep = command("sweep", tuning.sweep, show.show_sweep, "find out which layers hurt")
    search = command("search", tuning.search, show.show_search, "propose the best plan under budgets")
    methods = command(
        "methods", weight_methods.methods, weight_methods.show_methods, "compare weight methods, and choose what helps"
    )
    dump = command("dump", dumping.dump, show_dumps.show_dump, "write the values of every kernel")
    compare = command("compare", dumping.compare, show_dumps.show_compare, "hold one dump against another")
    check = command("check", checking.check, checking.show_check, "find what will hurt on a device")
    measured = command(
        "measured", measuring.measured, measuring.show_measured, "hold a device's times against the simulation"
    )
    jitter = command("jitter", measuring.jitter, measuring.show_jitter, "find out what disturbs a list of latencies")
    devices = command(
        "devices", simulating.devices, show_simulating.show_devices, "list the device profiles, or the values of one"
    )
    devices.add_argument("device", nargs="?", metavar="DEVICE", help="profile name or file: list its values")
    command("targets", commands.targets, show.show_targets, "list what can be exported")

    for sub in (inspect, evaluate, simulate, export, plan, plans, sweep, search, dump, check, measured, methods):
        sub.add_argument("model", metavar="MODEL", help="an .onnx file, or sample:NAME")
        sub.add_argument(
            "--shape", action="append", type=named_shape, metavar="NAME=1,3,224,224", help="shape of an input"
        )
        sub.add_argument("--fusion", choices=("edge", "cloud"), default="edge", help="fusion rules (default: edge)")
        sub.add_argument(
            "--memory-limit", type=positive, default=4.0, metavar="GB", help="memory that a model may take (default: 4)"
        )
    inspect.add_argument(
        "--explain", action="store_true", help="what fusion saves on the device, and why patterns did not fuse"
    )
    for sub in (inspect, simulate, export, plans, search, check, measured):
        sub.add_argument("--device", default="kirin9030", help="profile name or file (default: kirin9030)")
    for sub, file in ((evaluate, True), (simulate, True), (export, True), (plan, False), (methods, True)):
        choice = sub.add_mutually_exclusive_group(required=True)
        choice.add_argument(
            "--preset", type=preset_option, metavar="NAME", help=f"{_PRESET_NAMES}, or a scheme such as w3a16:group64"
        )
        if file:
            choice.add_argument("--plan", type=plan_file, metavar="FILE", help="a plan file")
            sub.add_argument("--any-model", action="store_true", help="accept a plan made for another model, by names")
    for sub in (evaluate, export, plans, sweep, search, dump, check, methods):
        sub.add_argument("--calib", type=Path, metavar="PATH", help="calibration data: pictures, .npy, .npz or .bin")
        sub.add_argument("--data", type=Path, metavar="PATH", help="evaluation data: pictures, .npy, .npz or .bin")
        sub.add_argument("--samples", type=count, metavar="N", help="evaluate at most N samples")
        sub.add_argument("--observer", choices=tuple(OBSERVERS), default="minmax", help="of activation ranges")
    simulating.add_options(simulate)
    comparing.add_options(plans)
    export.add_argument(
        "--to", choices=KINDS, required=True, metavar="TARGET", help="what to write; see mixbit targets"
    )
    export.add_argument("--option", action="append", type=named_option, metavar="NAME=VALUE", help="a target's option")
    evaluate.add_argument(
        "--metrics",
        choices=("mixbit", "msaccucmp"),
        default="mixbit",
        help="also the ten figures of Ascend's comparison tool, of every kernel on the first sample",
    )
    evaluate.add_argument("--metric", metavar="FILE.py:FUNCTION", help="also a figure of your own; see the manual")
    evaluate.add_argument(
        "--metric-seconds", type=positive, default=60.0, metavar="S", help="time that it may take (default: 60)"
    )
    for sub in (evaluate, export, plan):
        known = [name + bias for bias in ("", "+bias") for name in ALL_METHODS]
        sub.add_argument("--method", choices=known, metavar="NAME", help=f"weight method: {', '.join(known)}")
    every = ",".join(ALL_METHODS)
    methods.add_argument("--only", type=named_methods, metavar="NAMES", help=f"some of {every} (default: all)")
    methods.add_argument("--local", action="store_true", help="don't measure each method of each kernel at the output")
    methods.add_argument("--out", type=Path, metavar="PLAN.json", help="write the plan with the chosen methods here")
    _add_dumps(dump, compare)
    _add_check(check)
    _add_measured(measured)
    jitter.add_argument("file", type=Path, metavar="FILE", help="one latency a line, a table, or JSON")
    _add_tuning(sweep, search)
    for sub in (export, plan, dump):
        sub.add_argument("--out", type=out_path, required=True, metavar="PATH", help="where to write it")
    return top


def limit_option(text: str) -> tuple[str, float]:
    """METRIC=NUMBER as a pair."""
    name, value = named_option(text)
    try:
        return name, number(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form METRIC=NUMBER") from error


def _add_dumps(dump: argparse.ArgumentParser, compare: argparse.ArgumentParser) -> None:
    choice = dump.add_mutually_exclusive_group()
    choice.add_argument(
        "--preset", type=preset_option, metavar="NAME", help="a plan by name (default: the FP32 reference)"
    )
    choice.add_argument("--plan", type=plan_file, metavar="FILE", help="a plan file")
    dump.add_argument("--any-model", action="store_true", help="accept a plan made for another model, by names")
    dump.add_argument("--kernels", metavar="PATTERN", help="only kernels whose name fits, like 'features.1*'")
    dump.add_argument(
        "--limit-mb",
        type=positive,
        default=4096,
        metavar="MB",
        help="most that it may take (10^6 bytes; default: 4096)",
    )
    compare.add_argument("a", type=Path, metavar="DIR_A", help="the reference: a dump of Mixbit or of another tool")
    compare.add_argument("b", type=Path, metavar="DIR_B", help="what is held against it")
    compare.add_argument(
        "--metrics", metavar="NAMES", help=f"of {', '.join(METRICS)} (default: {','.join(DEFAULT_METRICS)})"
    )
    compare.add_argument(
        "--threshold",
        action="append",
        type=limit_option,
        metavar="cosine=0.99",
        help="exit code 1 if a layer misses it",
    )
    compare.add_argument("--fusions", type=Path, metavar="CSV", help="the compiler's fusion table (fusion_op)")
    compare.set_defaults(code=lambda found: int(found["first_bad"] is not None))


def _add_check(check: argparse.ArgumentParser) -> None:
    choice = check.add_mutually_exclusive_group()
    choice.add_argument(
        "--preset", type=preset_option, metavar="NAME", default="fp16", help="a plan by name (default: fp16)"
    )
    choice.add_argument("--plan", type=plan_file, metavar="FILE", help="a plan file")
    check.add_argument("--any-model", action="store_true", help="accept a plan made for another model, by names")
    check.add_argument("--minutes", type=float, default=30.0, help="minutes of sustained use (default: 30)")
    check.add_argument("--rate", type=float, metavar="PER_SECOND", help="planned runs per second")
    check.add_argument("--ambient", type=float, default=25.0, metavar="C", help="ambient temperature in degrees C")
    check.add_argument("--min-sqnr-db", type=number, metavar="DB", help="required SQNR at the output")
    check.add_argument("--max-latency-us", type=positive, metavar="US", help="allowed latency of one run")
    check.add_argument("--max-peak-mb", type=positive, metavar="MB", help="allowed peak memory (10^6 bytes)")
    check.add_argument("--max-size-mb", type=positive, metavar="MB", help="allowed package size (10^6 bytes)")
    check.set_defaults(code=lambda found: int(found["errors"] > 0))


def _add_measured(measured: argparse.ArgumentParser) -> None:
    measured.add_argument("profiles", type=Path, nargs="+", metavar="PROFILE", help="a file of the device's profiler")
    choice = measured.add_mutually_exclusive_group()
    choice.add_argument(
        "--preset", type=preset_option, metavar="NAME", default="fp16", help="what was run (default: fp16)"
    )
    choice.add_argument("--plan", type=plan_file, metavar="FILE", help="the plan file of what was run")
    measured.add_argument("--any-model", action="store_true", help="accept a plan made for another model, by names")
    measured.add_argument("--fusions", type=Path, metavar="CSV", help="the compiler's fusion table (fusion_op)")
    measured.add_argument("--fit", type=Path, metavar="OUT.json", help="fit the device and write the new profile")


def _add_tuning(sweep: argparse.ArgumentParser, search: argparse.ArgumentParser) -> None:
    for sub in (sweep, search):
        sub.add_argument(
            "--schemes", default="int4,int8,fp16", metavar="NAMES",
            help="schemes to try: presets, or written out as in bf16,w3a16:group64 (default: int4,int8,fp16)",
        )  # fmt: skip
    modes = ("estimated", "one-in", "one-out")
    sweep.add_argument("--mode", choices=modes, default="estimated", help="what is asked, and how (default: estimated)")
    names = ", ".join(metric.value for metric in Metric if metric is not Metric.OWN)
    sweep.add_argument(
        "--metric", metavar="NAME", help=f"{names}, or FILE.py:FUNCTION of your own (default: what suits the model)"
    )
    sweep.add_argument(
        "--metric-seconds", type=positive, default=60.0, metavar="S", help="time that a call of your own may take"
    )
    sweep.add_argument(
        "--probes",
        type=count,
        metavar="N",
        help="random probes a sample of an estimate (default: 1, 8 in all at least)",
    )
    sweep.add_argument("--out", type=Path, metavar="FILE.db", help="keep exact results here; a later run goes on")
    sweep.add_argument("--workers", type=count, metavar="N", help="measure in N processes, or N of --dask local")
    sweep.add_argument("--dask", metavar="ADDRESS", help="measure on a Dask cluster: tcp://HOST:PORT, or local")
    base = sweep.add_mutually_exclusive_group()
    base.add_argument(
        "--preset", type=preset_option, metavar="NAME", default="int8", help="for one-out: the plan (default: int8)"
    )
    base.add_argument("--plan", type=plan_file, metavar="FILE", help="for one-out: a plan file")
    search.add_argument("--max-size-mb", type=positive, metavar="MB", help="package size (10^6 bytes)")
    search.add_argument("--max-latency-us", type=positive, metavar="US", help="latency of one run")
    search.add_argument("--max-peak-mb", type=positive, metavar="MB", help="peak memory of activations (10^6 bytes)")
    search.add_argument("--max-energy-mj", type=positive, metavar="MJ", help="energy of one run")
    search.add_argument(
        "--max-gbops", type=positive, metavar="G", help="10^9 x multiply-accumulates x weight bits x activation bits"
    )
    search.add_argument("--max-sustained-us", type=positive, metavar="US", help="latency after --minutes back to back")
    search.add_argument("--minutes", type=positive, default=30.0, help="for --max-sustained-us (default: 30)")
    search.add_argument("--min-sqnr-db", type=number, metavar="DB", help="output SQNR")
    search.add_argument(
        "--max-accuracy-drop", type=percent_or_zero, metavar="PERCENT", help="accuracy lost (best class changed)"
    )
    search.add_argument("--pareto", type=count, metavar="N", help="also N plans from precise to fast, predicted")
    search.add_argument(
        "--allow-non-native", action="store_true", help="also schemes that the device doesn't run and builds in FP16"
    )
    search.add_argument("--out", type=Path, metavar="PLAN.json", help="write the plan here")
