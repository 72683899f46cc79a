"""Precisions out of files of other tools: what a file is shows in its contents."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.errors import PlanError
from engine.files import decode_json
from engine.fusion.types import Network
from engine.interop.aimet_read import decode_encodings, plan_of_encodings
from engine.interop.amct_qat import decode_bits, plan_of_bits
from engine.interop.dopt_lm import decode_strategies, plan_of_strategies
from engine.interop.kernel_index import Imported
from engine.interop.own_precisions import plan_of_model
from engine.interop.rules_file import decode_rules, plan_of_rules
from engine.precision.plan import Plan
from engine.precision.planfile import load_plan
from engine.text import say
from engine.tuning.methods import check_methods

SUFFIXES = (".json", ".encodings", ".onnx")
_AT_MOST = 1 << 30


def import_plan(path: Path, network: Network, base: Plan, *, any_model: bool = True) -> Imported:
    """Read a plan for a network out of a file of any known kind.

    Known are: rule files, mixed-precision JSON of AMCT, configurations of dopt_lm, AIMET encodings and QNN overrides,
    quantized ONNX models, plan files.

    Args:
        path: The file.
        network: What the plan is for.
        base: What layers keep that the file says nothing of.
        any_model: Take what fits out of a plan file that was written for another model.

    Raises:
        PlanError: Unreadable, of no known kind, an ambiguous name, or nothing in it fits the network.
    """
    if path.suffix.lower() == ".onnx":
        return plan_of_model(path, network, base)
    data = _read(path)
    try:
        content = decode_json(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(
            say("{path} is of no known kind: it is neither an ONNX model nor JSON ({reason}).", path=path, reason=error)
        ) from error
    keys = set(content) if isinstance(content, dict) else set()
    if content == {} or not keys:
        raise _unknown(path)
    kind = content.get("format")
    if kind == "mixbit-plan":
        plan = load_plan(path, network, any_model=any_model)
        check_methods(network, plan, str(path))
        untouched = tuple(kernel.name for kernel in network.tunable if kernel.id not in plan)
        return Imported(base.with_schemes(plan.schemes, plan.name), say("plan file"), (), untouched)
    if kind == "mixbit-rules":
        return plan_of_rules(decode_rules(data, str(path)), network, base)
    if {"layer_strategy", "layer_stategy"} & keys:
        return plan_of_strategies(decode_strategies(data, str(path)), network, base)
    if {"param_encodings", "activation_encodings", "encodings"} & keys:
        return plan_of_encodings(decode_encodings(data, str(path)), network, base)
    if all(isinstance(entry, dict) and "num_bits" in entry for entry in content.values()):
        return plan_of_bits(decode_bits(data, str(path)), network, base)
    raise _unknown(path)


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > _AT_MOST:
            raise PlanError(
                say("{path} has {size:.1f} GB; files of at most 1 GB are read as a plan.", path=path, size=size / 1e9)
            )
        return path.read_bytes()
    except OSError as error:
        raise PlanError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror)) from error


def _unknown(path: Path) -> PlanError:
    return PlanError(
        say(
            "{path} is of no known kind; a plan can come from rule files, AMCT's mixed-precision JSON, dopt_lm's "
            "configuration, AIMET encodings, QNN overrides, quantized ONNX models and plan files.",
            path=path,
        )
    )
