"""Reading AIMET encodings (1.0.0, 0.6.1, 2.0.0) and QNN overrides as a plan: widths and granularity, not the scales."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from engine.errors import PlanError
from engine.files import decode_json
from engine.fusion.types import Network
from engine.interop.kernel_index import Imported, KernelIndex
from engine.misshapen import form_words
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, HALF, ActivationFormat, Granularity, Scheme, WeightFormat
from engine.text import say

_GRANULARITY: Mapping[str, Granularity] = {
    "PER_TENSOR": "tensor", "PER_CHANNEL": "channel", "PER_BLOCK": "group", "LPBQ": "group",
}  # fmt: skip
_DTYPE = re.compile(r"u?(int|float)(\d+)")


@dataclass(frozen=True, slots=True)
class Encoding:
    """One tensor of a file."""

    bits: int
    floating: bool = False
    symmetric: bool = True
    granularity: Granularity = "tensor"
    group: int = 0


@dataclass(frozen=True, slots=True)
class Encodings:
    """A file."""

    activations: Mapping[str, Encoding]
    parameters: Mapping[str, Encoding]
    version: str


def decode_encodings(data: bytes, path: str) -> Encodings:
    """Decode a file of any of the versions.

    Raises:
        PlanError: Not such a file, or an entry that makes no sense, named.
    """
    try:
        read = decode_json(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(say("{path} is no encodings file: {reason}.", path=path, reason=form_words(error))) from error
    if not isinstance(read, dict) or not ({"activation_encodings", "param_encodings", "encodings"} & set(read)):
        raise PlanError(
            say("{path} is no encodings file: it has no member {member}.", path=path, member="param_encodings")
        )
    version = str(read.get("version", "0.6.1"))
    if "encodings" in read:
        found = _table(read["encodings"], path)
        return Encodings(found, found, version)
    return Encodings(
        _table(read.get("activation_encodings", {}), path), _table(read.get("param_encodings", {}), path), version
    )


def _table(entries: Any, path: str) -> dict[str, Encoding]:
    pairs: list[tuple[Any, Any]] = []
    if isinstance(entries, list):
        pairs = [(entry.get("name"), entry) for entry in entries if isinstance(entry, dict)]
    elif isinstance(entries, dict):
        pairs = list(entries.items())
    else:
        raise PlanError(say("{path} is no encodings file: its encodings are neither a list nor an object.", path=path))
    found = {}
    for name, entry in pairs:
        try:
            found[str(name)] = _old(entry) if isinstance(entry, list) else _new(entry)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise PlanError(
                say("{path}: the encoding of {tensor} makes no sense ({reason}).",
                    path=path, tensor=name, reason=_why(error))
            ) from error  # fmt: skip
    return found


def _why(error: Exception) -> object:
    if isinstance(error, KeyError):
        return say("{name} is missing or not known", name=error.args[0])
    return str(error)


def _old(entry: list[Any]) -> Encoding:
    """0.6.1: a list with an entry per channel, booleans as texts."""
    first = entry[0]
    bits = int(first["bitwidth"])
    if str(first.get("dtype", "int")).lower() == "float":
        return Encoding(bits, floating=True)
    symmetric = str(first.get("is_symmetric", "False")).lower() == "true"
    return Encoding(bits, symmetric=symmetric, granularity="channel" if len(entry) > 1 else "tensor")


def _new(entry: Any) -> Encoding:
    if "output_dtype" in entry:
        return _newest(entry)
    bits = int(entry["bw"])
    if str(entry.get("dtype", "INT")).upper() == "FLOAT":
        return Encoding(bits, floating=True)
    granularity = _GRANULARITY[str(entry.get("enc_type", "PER_TENSOR")).upper()]
    bits = int(entry.get("compressed_bw", bits))
    return Encoding(
        bits,
        symmetric=bool(entry.get("is_sym", False)),
        granularity=granularity,
        group=int(entry["block_size"]) if granularity == "group" else 0,
    )


def _newest(entry: Any) -> Encoding:
    """2.0.0: the fields of ONNX' DequantizeLinear."""
    match = _DTYPE.fullmatch(str(entry["output_dtype"]))
    if match is None:
        raise ValueError(entry["output_dtype"])
    bits = int(match.group(2))
    if match.group(1) == "float":
        return Encoding(bits, floating=True)
    group = int(entry.get("block_size") or 0)
    granularity: Granularity = "group" if group else "channel" if isinstance(entry["y_scale"], list) else "tensor"
    zero = entry.get("y_zero_point")
    return Encoding(bits, symmetric=zero is None or _nothing(zero), granularity=granularity, group=group)


def _nothing(zero: Any) -> bool:
    return all(map(_nothing, zero)) if isinstance(zero, list) else not zero


def plan_of_encodings(encodings: Encodings, network: Network, base: Plan) -> Imported:
    """Match parameters to layers; the activations that meet their weights give the other half of each scheme.

    Raises:
        PlanError: An ambiguous name, an impossible width, or no parameter of this model.
    """
    source = say("encodings {version}", version=encodings.version)
    index = KernelIndex(network)
    schemes: dict[str, Scheme] = {}
    unmatched = []
    for name, encoding in encodings.parameters.items():
        kernels = [k for k in index.find(name) if k.weight and name in (k.weight.origin, k.weight.constant)]
        if not kernels and name not in network.graph.constants and name not in network.tensors:
            unmatched.append(name)
        for kernel in kernels:
            assert kernel.weight is not None
            met = encodings.activations.get(kernel.weight.activation)
            schemes[kernel.id] = _scheme(encoding, met, name)
    if not schemes:
        raise PlanError(
            say("{source}: none of its parameters is a weight of {model}.",
                source=source, model=network.graph.path.name)
        )  # fmt: skip
    untouched = tuple(kernel.name for kernel in network.tunable if kernel.id not in schemes)
    return Imported(base.with_schemes(schemes), source, tuple(unmatched), untouched)


def _scheme(parameter: Encoding, met: Encoding | None, name: str) -> Scheme:
    activations = HALF
    if met is not None and not met.floating:
        if met.bits not in (4, 8, 16):
            raise PlanError(
                say("Activations of {bits} bits, as beside {name}, can't be run.", bits=met.bits, name=name)
            )
        activations = ActivationFormat(met.bits, symmetric=met.symmetric)
    if parameter.floating:
        if parameter.bits == 32 and activations == HALF:
            return FP32
        return Scheme(WeightFormat(32 if parameter.bits == 32 else 16, floating=True), activations)
    if parameter.bits not in (2, 3, 4, 8, 16):
        raise PlanError(
            say("Weights of {bits} bits, as {name} has them, can't be run.", bits=parameter.bits, name=name)
        )
    form = WeightFormat(
        parameter.bits, symmetric=parameter.symmetric, granularity=parameter.granularity, group=parameter.group
    )
    return Scheme(form, activations)
