"""Plan files: JSON, versioned, bound to a model by its hash."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

import msgspec

from engine.errors import ForeignPlanError, PlanError
from engine.files import decode_json, write_atomically
from engine.fusion.types import Network
from engine.misshapen import form_words
from engine.precision.plan import Plan
from engine.precision.scheme import PRESETS, ActivationFormat, Scheme, WeightFormat
from engine.text import say

VERSION = 3
"""Written where a format needs it (BF16), 2 where a weight method does: files that older versions understand keep 1."""
_SECOND = frozenset({"awq", "smooth", "cle"})
"""Weight methods that version 1 does not know."""


class _Model(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    sha256: str


class KernelEntry(msgspec.Struct, forbid_unknown_fields=True):
    """One kernel: known by its id, and by its weight for tools that don't have our ids."""

    id: str
    weight: str
    name: str
    scheme: str | Scheme
    """A preset's name, or the scheme written out; to be written by `encode`."""


class PlanFile(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file."""

    format: Literal["mixbit-plan"]
    version: int
    model: _Model
    name: str
    kernels: list[KernelEntry]


def encode(value: object) -> bytes:
    """JSON of anything with schemes in it.

    The field `brain` is left out where it has no say: older versions read what they understand, and a scheme is written
    as it always was. A text can't hold these bytes: its quotes are escaped.
    """
    return msgspec.json.encode(value).replace(b',"brain":false', b"")


def plan_to_file(plan: Plan, network: Network) -> PlanFile:
    """The plan as it is written."""
    entries = [
        KernelEntry(k.id, k.weight.origin, k.name, scheme_to_name(plan[k.id]))
        for k in network.kernels
        if k.weight is not None and k.id in plan
    ]
    schemes = plan.schemes.values()
    second = any(scheme.method in _SECOND for scheme in schemes)
    version = VERSION if any(scheme.brain for scheme in schemes) else 2 if second else 1
    return PlanFile("mixbit-plan", version, _Model(network.graph.path.name, network.graph.sha256), plan.name, entries)


def save_plan(plan: Plan, network: Network, path: Path) -> None:
    """Write a plan atomically.

    Raises:
        ExportError: the file can't be written.
    """
    write_atomically(path, msgspec.json.format(encode(plan_to_file(plan, network)), indent=2))


def load_plan(path: Path, network: Network, *, any_model: bool = False) -> Plan:
    """Read a plan for this network.

    Args:
        path: the file.
        network: what the plan must fit.
        any_model: accept a plan made for another model, matching kernels by id, then by weight name.

    Raises:
        PlanError: not a plan, a newer version, or a plan for another model.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PlanError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror)) from error
    return plan_from_file(decode_plan(data, str(path)), network, str(path), any_model=any_model)


def decode_plan(data: bytes | msgspec.Raw, path: str) -> PlanFile:
    """A plan as it is written, all fields known; PlanError with `path` in its sentence if it is none."""
    try:
        content = decode_json(data)
        if isinstance(content, dict):
            _check_version(content.get("version"), path)
        read = decode_json(data, PlanFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(say("{path} is not a Mixbit plan: {reason}.", path=path, reason=form_words(error))) from error
    for entry, kernel in zip(content["kernels"], read.kernels, strict=True):
        field = _unknown_field(entry["scheme"])
        if field is not None:
            raise PlanError(
                say(
                    "{path}: the scheme of kernel {name} has a field {field} that is not known; "
                    "correct it, or update Mixbit.",
                    path=path,
                    name=kernel.name,
                    field=field,
                )
            )
    return read


def _check_version(version: object, path: str) -> None:
    if isinstance(version, int) and version > VERSION:
        raise PlanError(
            say(
                "{path} was written by a newer Mixbit (version {got}, this one reads up to {want}); update Mixbit.",
                path=path,
                got=version,
                want=VERSION,
            )
        )
    if isinstance(version, int) and version < 1:
        raise PlanError(say("{path} has the version {got}, which there has never been.", path=path, got=version))


def _unknown_field(scheme: Any) -> str | None:
    """A field of a written-out scheme that would be passed over, or None."""
    if not isinstance(scheme, dict):
        return None
    parts = ((scheme, Scheme), (scheme.get("weights"), WeightFormat), (scheme.get("activations"), ActivationFormat))
    for part, kind in parts:
        known = {field.name for field in fields(kind)}
        for name in part or ():
            if name not in known:
                return str(name)
    return None


def plan_from_file(read: PlanFile, network: Network, path: str, *, any_model: bool = False) -> Plan:
    """Check a decoded plan against a network; errors as in `load_plan`."""
    _check_version(read.version, path)
    if read.model.sha256 != network.graph.sha256 and not any_model:
        raise ForeignPlanError(
            say(
                "{path} is a plan for another model ({other}, hash {hash}), not for {model}; "
                "open that model, or take what fits by the names of kernels (--any-model on the command line).",
                path=path,
                other=read.model.name,
                hash=read.model.sha256[:8],
                model=network.graph.path.name,
            )
        )
    by_id = {k.id: k for k in network.tunable}
    by_weight = {k.weight.origin: k for k in network.tunable if k.weight is not None}
    schemes = {}
    seen: set[str] = set()
    for entry in read.kernels:
        if entry.id in seen:
            raise PlanError(
                say("{path} lists kernel {name} twice; keep one of the two entries.", path=path, name=entry.name)
            )
        seen.add(entry.id)
        kernel = by_id.get(entry.id) or by_weight.get(entry.weight)
        if kernel is None and not any_model:
            raise PlanError(
                say(
                    "{path} names kernel {name} (weight {weight}), which {model} lacks under these fusion rules.",
                    path=path,
                    name=entry.name,
                    weight=entry.weight,
                    model=network.graph.path.name,
                )
            )
        if kernel is not None:
            schemes[kernel.id] = _scheme(entry, path)
    if read.kernels and not schemes:
        raise PlanError(say("{path} has no kernel in common with {model}.", path=path, model=network.graph.path.name))
    return Plan(schemes, read.name)


def _scheme(entry: KernelEntry, path: str) -> Scheme:
    try:
        return scheme_from_name(entry.scheme, entry.name)
    except PlanError as error:
        raise PlanError(say("{path}: {problem}", path=path, problem=error.text)) from error


def scheme_to_name(scheme: Scheme) -> str | Scheme:
    """A preset's name where there is one, else the scheme itself."""
    return next((name for name, value in PRESETS.items() if value == scheme), scheme)


def scheme_from_name(value: str | Scheme, where: str) -> Scheme:
    """Back from `scheme_to_name`; also checks the numbers of a scheme that is written out.

    Raises:
        PlanError: an unknown name or an impossible format.
    """
    if isinstance(value, str):
        if value.lower() not in PRESETS:
            raise PlanError(
                say(
                    "Kernel {where}: there is no scheme named {name}; choose one of {names}.",
                    where=where,
                    name=value,
                    names=", ".join(PRESETS),
                )
            )
        return PRESETS[value.lower()]
    _check(value.weights, value.activations, where)
    return value


def _check(weights: WeightFormat, activations: ActivationFormat, where: str) -> None:
    for form in (weights, activations):
        if form.brain and not (form.floating and form.bits == 16):
            raise PlanError(
                say(
                    "Kernel {where}: BF16 (the field brain) is a float of 16 bits; there is none of {bits} bits.",
                    where=where,
                    bits=form.bits,
                )
                if form.bits != 16
                else say("Kernel {where}: the field brain goes with floats of 16 bits, not with integers.", where=where)
            )
    if weights.bits not in ((16, 32) if weights.floating else (2, 3, 4, 8, 16)):
        raise PlanError(
            say(
                "Kernel {where}: weights of {bits} bits don't exist; integers have 2, 3, 4, 8 or 16, floats 16 or 32.",
                where=where,
                bits=weights.bits,
            )
        )
    integers = (4, 8, 16) if activations.static else (8, 16)
    if activations.bits not in ((16, 32) if activations.floating else integers):
        raise PlanError(
            say(
                "Kernel {where}: activations of {bits} bits don't exist; integers have 4 (static ranges only), "
                "8 or 16, floats 16 or 32.",
                where=where,
                bits=activations.bits,
            )
        )
    if not weights.floating and weights.granularity == "group" and not 1 <= weights.group <= 4096:
        raise PlanError(
            say(
                "Kernel {where}: a group of {group} weights is impossible; take 16 to 256.",
                where=where,
                group=weights.group,
            )
        )
