"""Checks of device profiles. Every refusal names the file and the field."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, isfinite

from engine.errors import DeviceError
from engine.npu.fields import BY_KEY, FIELDS, Field
from engine.text import say

Value = float | str | tuple[float, ...]


def check_value(file: str, key: str, value: object) -> Value:
    """A value of one field, as float, text or tuple of floats.

    Raises:
        DeviceError: unknown field, wrong type, wrong length or out of range.
    """
    field = BY_KEY.get(key)
    if field is None:
        raise DeviceError(say("{file}: field {field} is not known; remove it.", file=file, field=key))
    if field.shape == "text":
        if value not in field.choices:
            raise DeviceError(
                say(
                    "{file}: field {field} must be one of {choices}, not {value}.",
                    file=file,
                    field=key,
                    choices=", ".join(field.choices),
                    value=value,
                )
            )
        return str(value)
    if field.shape != "list":
        return _number(file, field, value)
    if not isinstance(value, (list, tuple)) or not value or (field.length and len(value) != field.length):
        raise DeviceError(
            say(
                "{file}: field {field} must be a list of {length} numbers.",
                file=file,
                field=key,
                length=field.length or "one or more",
            )
        )
    return tuple(_number(file, field, entry) for entry in value)


def _number(file: str, field: Field, value: object) -> float:
    if isinstance(value, bool) and field.shape == "flag":
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise DeviceError(
            say("{file}: field {field} must be a number, not {value}.", file=file, field=field.key, value=value)
        )
    low, high = (0.0, 1.0) if field.shape == "flag" else (field.low, field.high)
    whole = field.shape in ("integer", "flag")
    if whole and value != int(value):
        raise DeviceError(
            say("{file}: field {field} must be a whole number, not {value}.", file=file, field=field.key, value=value)
        )
    if not low <= value <= high:
        raise DeviceError(
            say(
                "{file}: field {field} is {value} {unit}, but must be between {low} and {high}.",
                file=file,
                field=field.key,
                value=value,
                unit=field.unit,
                low=f"{low:g}",
                high=f"{high:g}",
            )
        )
    return float(value)


def check_whole(file: str, values: Mapping[str, Value]) -> None:
    """Check what only several fields together can violate.

    Raises:
        DeviceError: a field is missing, or two fields contradict each other.
    """
    for field in FIELDS:
        if field.key not in values:
            raise DeviceError(
                say("{file}: field {field} ({unit}) is missing; add it.", file=file, field=field.key, unit=field.unit)
            )
    clocks, voltages = _list(values, "dvfs.clocks"), _list(values, "dvfs.voltages")
    trips, levels = _list(values, "dvfs.trips"), _list(values, "dvfs.levels")
    _same_length(file, "dvfs.voltages", voltages, "dvfs.clocks", clocks)
    _same_length(file, "dvfs.levels", levels, "dvfs.trips", trips)
    for key, entries in (("dvfs.clocks", clocks), ("dvfs.voltages", voltages), ("dvfs.trips", trips)):
        if list(entries) != sorted(entries):
            raise DeviceError(say("{file}: field {field} must rise from entry to entry.", file=file, field=key))
    if any(level >= len(clocks) or level != int(level) for level in levels):
        raise DeviceError(
            say(
                "{file}: field {field} must hold numbers of operating points, 0 to {last}.",
                file=file,
                field="dvfs.levels",
                last=len(clocks) - 1,
            )
        )
    _whole_l2(file, values)
    _fits_one_tile(file, values)
    _no_runaway(file, values)


def _whole_l2(file: str, values: Mapping[str, Value]) -> None:
    """There is an L2, with room and ports both ways, or there is none: all three are 0."""
    keys = ("buffer.l2", "port.l2_read", "port.l2_write")
    given = [key for key in keys if values[key]]
    if given and len(given) < len(keys):
        missing = next(key for key in keys if key not in given)
        raise DeviceError(
            say(
                "{file}: field {field} is 0 although {other} is not; give both, or 0 for {all} where there is no L2.",
                file=file,
                field=missing,
                other=given[0],
                all=", ".join(keys),
            )
        )


def _no_runaway(file: str, values: Mapping[str, Value]) -> None:
    """Leakage must not heat the die by more than the heat that made it: R * dP/dT < 1 at the highest trip."""
    leak, fold = values["power.leakage"], values["power.leakage_fold"]
    if isinstance(leak, float) and isinstance(fold, float):
        gain = sum(_list(values, "thermal.resistance")) * leak / fold
        loop = gain * exp((_list(values, "dvfs.trips")[-1] - 25.0) / fold)
        if loop >= 1.0:
            raise DeviceError(
                say(
                    "{file}: field {field} is {value} W, so much that leakage heats itself up without end at the last "
                    "trip; lower it, or lower thermal.resistance.",
                    file=file,
                    field="power.leakage",
                    value=leak,
                )
            )


def _fits_one_tile(file: str, values: Mapping[str, Value]) -> None:
    for precision, width in (("fp16", 2.0), ("int8", 1.0), ("int4", 0.5)):
        m0, k0, n0 = _list(values, f"cube.{precision}")
        for key, need in (
            ("buffer.l0a", m0 * k0 * width),
            ("buffer.l0b", k0 * n0 * width),
            ("buffer.l0c", m0 * n0 * 4),
        ):
            have = values[key]
            if isinstance(have, float) and 2 * need > have * 1024:
                raise DeviceError(
                    say(
                        "{file}: field {field} is {have} KiB, too small for two tiles of {cube}; it needs {need} KiB.",
                        file=file,
                        field=key,
                        have=have,
                        cube=f"cube.{precision}",
                        need=2 * need / 1024,
                    )
                )


def _same_length(file: str, key: str, entries: tuple[float, ...], other: str, others: tuple[float, ...]) -> None:
    if len(entries) != len(others):
        raise DeviceError(
            say(
                "{file}: field {field} has {count} entries, but {other} has {expected}; give one for each.",
                file=file,
                field=key,
                count=len(entries),
                other=other,
                expected=len(others),
            )
        )


def _list(values: Mapping[str, Value], key: str) -> tuple[float, ...]:
    value = values[key]
    return value if isinstance(value, tuple) else ()
