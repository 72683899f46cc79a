"""What a project keeps, as a value: two equal documents differ in nothing that a user would miss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from engine.fusion.types import Network, Rules
from engine.interop.samples import SYNTHETIC, DataSource
from engine.npu.fields import BY_KEY
from engine.npu.results import Scenario
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.session.kept import KeptPlan
from engine.session.state import Budgets

LONGEST_NOTE = 2000
"""Characters of a kernel's note."""
_SCENARIO = {
    "minutes": (0.5, 240.0),
    "runs_per_second": (0.1, 10_000.0),
    "ambient_c": (-20.0, 60.0),
    "clock_cap": (0.05, 1.0),
}
"""What a scenario can hold, as its dialog offers it."""


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that the user has set. Results are no part of it: they can be computed again."""

    plan: Plan
    rules: Rules = "edge"
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    device: str = ""
    """Name of a built-in profile, or absolute path of a file."""
    scenario: Scenario = field(default_factory=Scenario)
    budgets: Budgets = field(default_factory=Budgets)
    calibration: DataSource = SYNTHETIC
    evaluation: DataSource = SYNTHETIC
    observer: str = "minmax"
    locked: frozenset[str] = frozenset()
    """Ids of kernels that edits and searches leave alone."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """By kernel id."""
    kept: tuple[KeptPlan, ...] = ()
    """Plans that have a name of their own, oldest first."""


def sound_scenario(given: Scenario) -> Scenario:
    """The scenario with every value that makes no sense replaced by its default."""
    usual = Scenario()
    values = {
        name: value if (value := getattr(given, name)) is None or low <= value <= high else getattr(usual, name)
        for name, (low, high) in _SCENARIO.items()
    }
    known = given.governor in (None, *BY_KEY["dvfs.governor"].choices)
    return Scenario(**values, governor=given.governor if known else None)


def sound_budgets(given: Budgets) -> Budgets:
    """The budgets with every value that makes no sense replaced by its default."""
    usual = Budgets()
    values = {}
    for name in Budgets.__dataclass_fields__:
        value = getattr(given, name)
        sound = value is None or (isfinite(value) and 0 <= value <= 1e18)
        values[name] = value if sound else getattr(usual, name)
    return Budgets(**values)


def known_kernels(network: Network, ids: frozenset[str]) -> frozenset[str]:
    """Those ids that the network has."""
    return ids & {kernel.id for kernel in network.kernels}


def known_notes(network: Network, notes: Mapping[str, str]) -> dict[str, str]:
    """Notes of kernels that the network has."""
    ids = known_kernels(network, frozenset(notes))
    return {kernel: text[:LONGEST_NOTE] for kernel, text in notes.items() if kernel in ids and text.strip()}


def refitted(plan: Plan, network: Network) -> Plan:
    """A plan for the same model fused by other rules: kernels that it does not know take FP16."""
    ids = {kernel.id for kernel in network.tunable}
    return preset(network, "fp16").with_schemes({i: s for i, s in plan.items() if i in ids}, plan.name)
