"""Device: a profile as a value, and the numbers that the model reads from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from engine.fusion.types import Kind
from engine.npu.chip import Chip, chip
from engine.npu.fields import BY_KEY
from engine.npu.validate import check_value, check_whole

Origin = Literal["vendor", "measured", "fitted", "assumed"]
Value = float | str | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value of a profile with its unit and where it comes from."""

    value: Value
    unit: str
    origin: Origin
    note: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A format that some kernels can't run natively. Empty tuples match everything."""

    kinds: tuple[Kind, ...]
    weight_bits: tuple[int, ...]
    activation_bits: tuple[int, ...]
    unless_group: int
    """The refusal doesn't hold for weights in groups of this size ..."""
    unless_multiple: int
    """... whose matrix has both sides a multiple of this; 0 = the refusal always holds."""
    reason: str


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A profile in a list."""

    name: str
    title: str
    note: str
    path: Path


@dataclass(frozen=True, eq=False)
class Device:
    """A device profile. Frozen; `edited` makes a changed copy."""

    name: str
    title: str
    note: str
    operators: str
    """Column of the operator support table."""
    values: Mapping[str, Quantity]
    refusals: tuple[Refusal, ...]
    source: str = ""
    """File that it was read from, for sentences."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def number(self, key: str) -> float:
        """A single number of the profile, in the field's unit."""
        value = self.values[key].value
        if not isinstance(value, float):
            raise TypeError(key)
        return value

    def numbers(self, key: str) -> tuple[float, ...]:
        """A list of the profile, in the field's unit."""
        value = self.values[key].value
        if not isinstance(value, tuple):
            raise TypeError(key)
        return value

    def text(self, key: str) -> str:
        """A choice of the profile."""
        return str(self.values[key].value)

    @cached_property
    def content(self) -> str:
        """Digest of all that a simulation depends on: equal digests mean equal results."""
        values = sorted((key, quantity.value) for key, quantity in self.values.items())
        return blake2b(repr((self.operators, values, self.refusals)).encode(), digest_size=16).hexdigest()

    @cached_property
    def chip(self) -> Chip:
        """The numbers of the timing model, converted once."""
        return chip(self.number, self.numbers)

    def edited(self, changes: Mapping[str, Value], *, name: str | None = None, origin: Origin = "assumed") -> Device:
        """A copy with some values changed.

        Raises:
            DeviceError: a key that doesn't exist or a value out of range, named in the sentence.
        """
        values = dict(self.values)
        for key, value in changes.items():
            checked = check_value(self.source or self.name, key, value)
            values[key] = Quantity(checked, BY_KEY[key].unit, origin)
        check_whole(self.source or self.name, {key: quantity.value for key, quantity in values.items()})
        return replace(self, name=self.name if name is None else name, values=values)
