"""Plan: a scheme for every tunable kernel. An immutable value; edits make new plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.precision.scheme import FP32, Scheme


@dataclass(frozen=True, slots=True)
class Plan(Mapping[str, Scheme]):
    """Kernel id -> scheme. A kernel that is not listed runs as the reference does (FP32)."""

    schemes: Mapping[str, Scheme] = field(default_factory=dict)
    name: str = ""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schemes", MappingProxyType(dict(self.schemes)))
        object.__setattr__(self, "_hash", hash(frozenset(self.schemes.items())))

    def __getitem__(self, kernel_id: str) -> Scheme:
        return self.schemes[kernel_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.schemes)

    def __len__(self) -> int:
        return len(self.schemes)

    def __eq__(self, other: object) -> bool:
        """Plans with the same schemes are equal, whatever they are called."""
        return isinstance(other, Plan) and dict(self.schemes) == dict(other.schemes)

    def __hash__(self) -> int:
        return self._hash

    def scheme(self, kernel_id: str) -> Scheme:
        """The scheme of a kernel, FP32 if the plan does not list it."""
        return self.schemes.get(kernel_id, FP32)

    def with_schemes(self, changes: Mapping[str, Scheme], name: str | None = None) -> Plan:
        """A plan with these kernels changed."""
        return Plan({**self.schemes, **changes}, self.name if name is None else name)

    def difference(self, other: Plan) -> tuple[str, ...]:
        """Ids of the kernels whose scheme differs between the two, in this plan's order first."""
        ids = dict.fromkeys((*self, *other))
        pairs = ((i, self.schemes.get(i), other.schemes.get(i)) for i in ids)
        return tuple(i for i, a, b in pairs if a is not b and a != b)  # mostly one object: comparing two takes its time
