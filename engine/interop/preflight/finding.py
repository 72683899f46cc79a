"""What a check looks at and what it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.fusion.types import Kernel, Network
from engine.interop.preflight.observed import Observed
from engine.npu.device import Device
from engine.npu.results import Scenario, Simulation, Sustained
from engine.numerics.results import ErrorSums, Evaluation
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.quant.ranges import Ranges
from engine.quant.sizes import PlanBytes
from engine.text import Text, say

Severity = Literal["error", "warning", "info"]
Place = Literal["layers", "timeline", "memory", "thermal", "data", "device", "summary", "compare", "export"]
"""Where in the window something can be done about it."""
LISTED = 3
"""Names that a sentence lists."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is required; None = no requirement."""

    min_sqnr_db: float | None = None
    max_latency_us: float | None = None
    max_peak_bytes: int | None = None
    max_size_bytes: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Facts:
    """All that is known. What is None is not checked."""

    network: Network
    plan: Plan
    device: Device
    limits: Limits = Limits()
    free_inputs: tuple[str, ...] = ()
    """Inputs that the file declares with free dimensions."""
    size: PlanBytes | None = None
    simulation: Simulation | None = None
    baseline: Simulation | None = None
    """All in FP16."""
    sustained: Sustained | None = None
    scenario: Scenario = field(default_factory=Scenario)
    evaluation: Evaluation | None = None
    local: Mapping[tuple[str, Scheme], ErrorSums] = field(default_factory=dict)
    ranges: Ranges | None = None
    observed: Mapping[str, Observed] = field(default_factory=dict)
    """Activations on evaluation samples, against their calibrated ranges."""
    calibration_samples: int | None = None
    synthetic: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One hazard."""

    code: str
    """Stable name, for machines."""
    severity: Severity
    title: Text
    detail: Text
    """What it is about and what it costs."""
    advice: Text
    """What to do."""
    kernels: tuple[int, ...] = ()
    """Kernel indices, the most telling one first."""
    cost_us: float | None = None
    """Of one run, simulated."""
    cost_bytes: int | None = None
    place: Place = "layers"


def share(value: float) -> str:
    """A fraction in per cent: whole numbers from 10 up, else one decimal."""
    percent = 100 * value
    return f"{percent:.0f}\u202f%" if percent >= 9.95 else f"{percent:.1f}\u202f%"


def names(kernels: Iterable[Kernel]) -> Text:
    """A few kernel names, and how many more there are."""
    listed = list(kernels)
    shown = ", ".join(k.name for k in listed[:LISTED])
    rest = len(listed) - LISTED
    return say("{name}", name=shown) if rest <= 0 else say("{names} and {count} more", names=shown, count=rest)
