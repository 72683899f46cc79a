"""Device profiles as files: list, read, write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import DeviceError
from engine.files import decode_json, write_atomically
from engine.fusion.types import Kind
from engine.npu.device import Device, DeviceInfo, Origin, Quantity, Refusal
from engine.npu.fields import BY_KEY, FIELDS
from engine.npu.misshapen import misshapen
from engine.npu.operators import families
from engine.npu.validate import check_value, check_whole
from engine.paths import resources
from engine.text import say

FORMAT = "mixbit-device"
VERSION = 1


class _Kind(msgspec.Struct, frozen=True):
    """What a file says that it is; the fields of another kind or version are not looked at."""

    format: Any = FORMAT
    version: Any = VERSION


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: float | str | bool | tuple[float, ...]
    unit: str
    origin: Origin
    note: str = ""


class _Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reason: str
    kinds: tuple[Kind, ...] = ()
    weight_bits: tuple[int, ...] = ()
    activation_bits: tuple[int, ...] = ()
    unless_group: int = 0
    unless_multiple: int = 0


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    version: int
    name: str
    title: str
    operators: str
    values: dict[str, msgspec.Raw]
    note: str = ""
    refusals: tuple[_Refusal, ...] = ()


def folder() -> Path:
    """Folder of the profiles that ship with the program."""
    return resources() / "devices"


def list_devices(extra: Path | None = None) -> tuple[DeviceInfo, ...]:
    """Profiles that ship with the program, then the readable ones of another folder, each sorted by file name.

    Raises:
        DeviceError: a shipped profile is broken. Broken files of the other folder are left out.
    """
    found = [_info(load_device(path), path) for path in sorted(folder().glob("*.json"))]
    for path in sorted(extra.glob("*.json")) if extra is not None and extra.is_dir() else ():
        try:
            found.append(_info(load_device(path), path))
        except DeviceError:
            continue
    return tuple(found)


def load_device(name_or_path: str | Path) -> Device:
    """Read a profile by the name it ships under, or from a file.

    Raises:
        DeviceError: no such profile, not a profile, or a field that is missing or impossible.
    """
    text = str(name_or_path)
    shipped = {entry.stem: entry for entry in folder().glob("*.json")}
    if text.lower() in shipped:
        return _read(shipped[text.lower()])
    path = Path(text)
    if os.path.isfile(path):  # unlike Path.is_file, False for a name that is too long for any file
        return _read(path)
    names = ", ".join(sorted(shipped))
    raise DeviceError(
        say("There is no device {name}; choose one of {names}, or give a profile file.", name=text, names=names)
    )


def save_device(device: Device, path: Path) -> None:
    """Write a profile, atomically.

    Raises:
        ExportError: the file can't be written.
    """
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": device.name,
        "title": device.title,
        "note": device.note,
        "operators": device.operators,
        "values": {
            field.key: _Entry(quantity.value, quantity.unit, quantity.origin, quantity.note)
            for field in FIELDS
            for quantity in (device.values[field.key],)
        },
        "refusals": [
            _Refusal(r.reason, r.kinds, r.weight_bits, r.activation_bits, r.unless_group, r.unless_multiple)
            for r in device.refusals
        ],
    }
    write_atomically(path, msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")


def _info(device: Device, path: Path) -> DeviceInfo:
    return DeviceInfo(device.name, device.title, device.note, path)


def _read(path: Path) -> Device:
    file = path.name
    try:
        data = path.read_bytes()
        _check_kind(file, decode_json(data, _Kind))
        return _device(file, decode_json(data, _File))
    except OSError as error:
        raise DeviceError(say("{file} can't be read: {why}.", file=file, why=error.strerror or str(error))) from error
    except msgspec.ValidationError as error:
        raise DeviceError(misshapen(file, "", error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DeviceError(
            say("{file} is not a device profile: it is not valid JSON ({why}).", file=file, why=str(error))
        ) from error


def _entry(file: str, key: str, raw: msgspec.Raw) -> _Entry:
    try:
        return decode_json(raw, _Entry)
    except msgspec.ValidationError as error:
        raise DeviceError(misshapen(file, key, error)) from error


def _check_kind(file: str, document: _Kind) -> None:
    if document.format != FORMAT or document.version != VERSION:
        raise DeviceError(
            say(
                "{file}: format is {format} {version}, but this program reads {expected} {newest}.",
                file=file,
                format=document.format,
                version=document.version,
                expected=FORMAT,
                newest=VERSION,
            )
        )


def _device(file: str, document: _File) -> Device:
    if document.operators not in families():
        raise DeviceError(
            say(
                "{file}: field {field} must be one of {choices}, not {value}.",
                file=file,
                field="operators",
                choices=", ".join(families()),
                value=document.operators,
            )
        )
    values: dict[str, Quantity] = {}
    for key, raw in document.values.items():
        entry = _entry(file, key, raw)
        checked = check_value(file, key, entry.value)
        if entry.unit != BY_KEY[key].unit:
            raise DeviceError(
                say(
                    "{file}: field {field} is given in {unit}, but must be in {expected}.",
                    file=file,
                    field=key,
                    unit=entry.unit or "no unit",
                    expected=BY_KEY[key].unit or "no unit",
                )
            )
        values[key] = Quantity(checked, entry.unit, entry.origin, entry.note)
    for field in FIELDS:
        if field.absent is not None and field.key not in values:
            values[field.key] = Quantity(field.absent, field.unit, "assumed")
    check_whole(file, {key: quantity.value for key, quantity in values.items()})
    refusals = tuple(
        Refusal(r.kinds, r.weight_bits, r.activation_bits, r.unless_group, r.unless_multiple, r.reason)
        for r in document.refusals
    )
    return Device(document.name, document.title, document.note, document.operators, values, refusals, file)
