"""What a search may choose, what each choice costs, and what is not to be exceeded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme, label
from engine.text import Text, say

Quantity = Literal["size_bytes", "latency_us", "energy_uj", "operations", "damage"]
"""What adds up over kernels. Operations are AMCT's: multiply-accumulates x weight bits x activation bits."""
ADDITIVE: tuple[Quantity, ...] = ("size_bytes", "latency_us", "energy_uj", "operations", "damage")


@dataclass(frozen=True, slots=True)
class Budgets:
    """Upper limits; None where there is none."""

    size_bytes: float | None = None
    latency_us: float | None = None
    energy_uj: float | None = None
    operations: float | None = None
    peak_bytes: float | None = None
    sustained_us: float | None = None
    """Latency after `sustained_minutes` of running back to back."""
    sustained_minutes: float = 30.0
    damage: float | None = None
    """Noise over signal at the output, or nats: see `engine.tuning.metrics.damage`."""

    @property
    def given(self) -> dict[str, float]:
        """Those that are there, by name."""
        names = ("size_bytes", "latency_us", "energy_uj", "operations", "peak_bytes", "sustained_us", "damage")
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def without(self, name: str) -> Budgets:
        """All but one."""
        kept = {key: value for key, value in self.given.items() if key != name}
        return Budgets(**kept, sustained_minutes=self.sustained_minutes)


@dataclass(frozen=True, slots=True)
class Choices:
    """What the search may do with each kernel."""

    schemes: tuple[Scheme, ...] = (INT4, INT8, FP16)
    allowed: Mapping[str, tuple[Scheme, ...]] = field(default_factory=dict)
    """Kernel id -> schemes, for kernels that may take other ones."""
    locks: Mapping[str, Scheme] = field(default_factory=dict)
    """Kernel id -> the scheme that it keeps."""
    groups: tuple[tuple[str, ...], ...] = ()
    """Kernels that must agree; groups that share a kernel are joined."""

    def of(self, kernel: str) -> tuple[Scheme, ...]:
        """Schemes that a kernel may take by itself."""
        if kernel in self.locks:
            return (self.locks[kernel],)
        return self.allowed.get(kernel, self.schemes)


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """Units to choose for, with tables [unit, option] padded with infinity."""

    units: tuple[tuple[str, ...], ...]
    """Kernel ids that are chosen together."""
    options: tuple[tuple[Scheme, ...], ...]
    """By unit."""
    tables: Mapping[Quantity, Array]
    constants: Mapping[Quantity, float]
    """What is there whatever is chosen."""
    unknown: tuple[str, ...] = ()
    """Kernels that nothing is known of: they keep their best scheme."""

    @property
    def present(self) -> Array:
        """Whether a unit has an option, [unit, option]."""
        return np.isfinite(next(iter(self.tables.values())))

    def plan(self, choice: Sequence[int], name: str = "") -> Plan:
        """The plan of a choice (option by unit)."""
        return Plan(
            {
                kernel: self.options[unit][option]
                for unit, option in enumerate(choice)
                for kernel in self.units[unit]
            },
            name,
        )  # fmt: skip

    def choice(self, plan: Plan) -> list[int] | None:
        """The choice that makes a plan; None if the plan takes schemes that are not offered."""
        found = []
        for unit, options in zip(self.units, self.options, strict=True):
            schemes = {plan.scheme(kernel) for kernel in unit}
            if len(schemes) != 1 or next(iter(schemes)) not in options:
                return None
            found.append(options.index(schemes.pop()))
        return found

    def total(self, quantity: Quantity, choice: Sequence[int] | Array) -> float:
        """Predicted total of a choice."""
        table = self.tables[quantity]
        picked = table[np.arange(len(self.units)), np.asarray(choice, np.intp)] if len(self.units) else np.zeros(0)
        return self.constants.get(quantity, 0.0) + float(picked.sum())


def build_problem(
    network: Network,
    choices: Choices,
    tables: Mapping[Quantity, Mapping[tuple[str, Scheme], float]],
    constants: Mapping[Quantity, float],
) -> Problem:
    """Put kernels into units and add their tables up.

    Args:
        network: Its tunable kernels are what is chosen for.
        choices: What may be done.
        tables: Per quantity, by kernel and scheme; damage may lack cells.
        constants: Totals of what can't be chosen.

    Raises:
        PlanError: If locks and groups contradict each other, or a kernel doesn't exist or is left no scheme.
    """
    known = {kernel.id: kernel for kernel in network.tunable}
    for kernel in (*choices.locks, *choices.allowed, *(k for group in choices.groups for k in group)):
        if kernel not in known:
            raise PlanError(say("The model has no layer {id} whose precision can be set.", id=kernel))
    harm = tables["damage"]
    unknown = [k for k in known if not any((k, scheme) in harm for scheme in choices.of(k))]
    units, options = [], []
    for members in _joined(known, choices.groups):
        agreed = _agreed([known[kernel] for kernel in members], choices)
        options.append(_with_damage(members, agreed, harm, unknown))
        units.append(tuple(members))
    width = max((len(each) for each in options), default=0)
    made: dict[Quantity, Array] = {}
    for quantity, table in tables.items():
        filled = np.full((len(units), width), np.inf)
        for row, (unit, offered) in enumerate(zip(units, options, strict=True)):
            for column, scheme in enumerate(offered):
                filled[row, column] = sum(table.get((kernel, scheme), 0.0) for kernel in unit)
        made[quantity] = filled
    return Problem(tuple(units), tuple(options), made, dict(constants), tuple(unknown))


def _with_damage(
    members: Sequence[str],
    agreed: tuple[Scheme, ...],
    harm: Mapping[tuple[str, Scheme], float],
    unknown: Sequence[str],
) -> tuple[Scheme, ...]:
    """Options whose damage is known; of a kernel that nothing is known of, only the most precise."""
    judged = [kernel for kernel in members if kernel not in unknown]
    kept = tuple(scheme for scheme in agreed if all((kernel, scheme) in harm for kernel in judged))
    if len(judged) < len(members) or not kept:
        return (max(kept or agreed, key=precision),)
    return kept


def precision(scheme: Scheme) -> tuple[int, int, bool, int]:
    """Orders schemes from coarse to fine."""
    return (
        scheme.weights.bits + (1 if scheme.weights.floating else 0),
        scheme.activations.bits + (1 if scheme.activations.floating else 0),
        not scheme.brain,
        -scheme.weights.group,
    )


def _joined(known: Iterable[str], groups: Iterable[Sequence[str]]) -> list[list[str]]:
    """Disjoint units, in the order of their first kernel."""
    owner = {kernel: [kernel] for kernel in known}
    for group in groups:
        for kernel in group[1:]:
            first, other = owner[group[0]], owner[kernel]
            if first is not other:
                first.extend(other)
                owner.update(dict.fromkeys(other, first))
    order = {kernel: at for at, kernel in enumerate(owner)}
    unique = {id(unit): sorted(unit, key=order.__getitem__) for unit in owner.values()}
    return sorted(unique.values(), key=lambda unit: order[unit[0]])


def _agreed(kernels: Sequence[Kernel], choices: Choices) -> tuple[Scheme, ...]:
    first, *rest = (choices.of(kernel.id) for kernel in kernels)
    agreed = tuple(scheme for scheme in first if all(scheme in other for other in rest))
    if agreed:
        return agreed
    names = ", ".join(kernel.name for kernel in kernels)
    locks = sorted({label(choices.locks[k.id]) for k in kernels if k.id in choices.locks})
    text: Text = (
        say("{layers} must agree, but they are locked to {schemes}; free one of them.", layers=names,
            schemes=" and ".join(locks))
        if len(locks) > 1
        else say("{layers} have no scheme in common that is allowed; allow one for all of them.", layers=names)
    )  # fmt: skip
    raise PlanError(text)


def uniform_choices(problem: Problem) -> list[tuple[int, ...]]:
    """Choices that give every unit the same scheme; a unit that lacks it keeps its first option."""
    schemes = dict.fromkeys(scheme for options in problem.options for scheme in options)
    return [
        tuple(options.index(scheme) if scheme in options else 0 for options in problem.options) for scheme in schemes
    ]


def agreeing_kernels(network: Network) -> tuple[tuple[str, ...], ...]:
    """Groups that toolchains usually want to agree: kernels of one kind that read the same tensor, and tied weights."""
    groups: dict[object, list[str]] = {}
    for kernel in network.tunable:
        weight = kernel.weight
        assert weight is not None
        groups.setdefault(("weight", weight.origin), []).append(kernel.id)
        if weight.activation:
            groups.setdefault(("input", weight.activation, kernel.kind), []).append(kernel.id)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)
