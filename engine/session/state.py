"""The values that a session holds and views read."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.text import Text

if TYPE_CHECKING:  # the real modules load ONNX Runtime, which a first window does not wait for
    from engine.graph.types import Array
    from engine.npu.results import Simulation, Sustained
    from engine.numerics.comparison import Levels
    from engine.numerics.results import ErrorSums, Evaluation
    from engine.precision.plan import Plan
    from engine.precision.scheme import Scheme
    from engine.quant.sizes import PlanBytes


@dataclass(frozen=True, eq=False, slots=True)
class Figures:
    """All that is known of one plan. A None is not computed yet."""

    plan: Plan
    size: PlanBytes | None = None
    simulation: Simulation | None = None
    sustained: Sustained | None = None
    evaluation: Evaluation | None = None
    simulated: bool = True
    """Whether size, simulation and sustained use are of this plan on the current device; else of the one before."""
    warmed: bool = True
    """Whether sustained use is that of the simulation; it takes longer and follows a moment later."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """What the user requires; None = no requirement."""

    min_sqnr_db: float | None = 20.0
    max_latency_us: float | None = None
    max_peak_bytes: int | None = None
    max_size_bytes: int | None = None
    max_energy_uj: float | None = None
    max_skin_c: float | None = 43.0


@dataclass(frozen=True, slots=True)
class SensitivityCell:
    """Output error when only this kernel takes the scheme and the rest stays the reference ("one in").

    An estimated cell has the figure of one metric only; None is not known, or has no meaning for the model.
    """

    kernel: str
    scheme: Scheme
    sqnr_db: float | None
    kl: float | None
    """In nats."""
    kind: Literal["exact", "estimated"] = "exact"
    logits_db: float | None = None
    """SQNR in front of the last softmax or sigmoid."""
    cosine: float | None = None
    """1 - cosine similarity."""
    top1: float | None = None
    """Share of rows whose best class changes."""
    own: float | None = None
    """How far a function of the user's own moves away from its value in full precision."""
    spread_db: float | None = None
    """Of an estimate: standard error of its damage over the samples."""

    def figure(self, metric: str) -> float | None:
        """The figure in a metric, by its name in `engine.tuning.metrics`."""
        return {
            "sqnr": self.sqnr_db,
            "logits": self.logits_db,
            "kl": self.kl,
            "cosine": self.cosine,
            "top1": self.top1,
            "own": self.own,
        }[metric]


@dataclass(frozen=True, slots=True)
class SampleRow:
    """Statistics of one input in one sample."""

    which: str
    """"calibration" or "evaluation"."""
    sample: str
    """File or place of the sample."""
    input: str
    low: float
    high: float
    mean: float
    std: float
    widens: int
    """Activations whose range this sample alone makes at least twice as wide as all others need."""


@dataclass(frozen=True, slots=True)
class DataInfo:
    """What the network is calibrated and evaluated with."""

    calibration: str
    calibration_samples: int
    calibration_available: int
    """How many the source holds; the used ones are spread over them."""
    evaluation: str
    evaluation_samples: int
    evaluation_available: int
    synthetic: bool
    """Errors are indicative only."""
    labelled: bool
    observer: str
    notes: tuple[Text, ...] = ()
    samples: tuple[SampleRow, ...] = ()
    """What every sample looks like, calibration first."""
    content: str = ""
    """Digest of all that errors depend on besides the plan: model, fusion rules, samples, labels, ranges."""


@dataclass(frozen=True, eq=False, slots=True)
class Captured:
    """Values of one kernel's first output for one sample, or its weight, from two sources."""

    kernel: str
    tensor: str
    sample: int
    reference: Array
    result: Array
    sums: ErrorSums
    plan: Plan
    """What `result` was computed under: the current plan when the values were asked for."""
    levels: Levels | None = None
    """What the kernel that reads the result next rounds it to."""
    axis: int | None = None
    """Axis of the channels, where it doesn't follow from the kernel."""
    scales: Array | None = None
    """Of a rounded weight, [1 or channels, groups]."""
    notes: tuple[Text, ...] = ()
    """Why the difference may mean little."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the undo history."""

    title: Text
    before: Plan
    after: Plan
    locks: tuple[frozenset[str], frozenset[str]] | None = None
    """Ids of all locked kernels before and after, of an edit that is about them."""

    @property
    def touched(self) -> int:
        """How many kernels it is about."""
        if self.locks is not None:
            return len(self.locks[0] ^ self.locks[1])
        return len(self.after.difference(self.before))


Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the log."""

    level: Level
    text: Text
    at: float = field(default_factory=time.time)
    details: str = ""
    told: bool = False
    """Whether it answers what the user has just done, and is to be seen without opening the log."""


@dataclass(frozen=True, slots=True)
class Staleness:
    """Whether evaluation figures on show belong to an older plan."""

    stale: bool = False
    from_kernel: int = 0
    """Accumulated errors in front of this kernel index still hold."""
    output: bool = True
    """If anything is stale: whether the error at the output is too, or comes from some of the samples only so far. It
    arrives before the accumulated errors."""

    @property
    def output_stale(self) -> bool:
        """Whether the error at the output on show belongs to an older plan, or is preliminary."""
        return self.stale and self.output


@dataclass(frozen=True, slots=True)
class SampleModel:
    """A model that comes with Mixbit."""

    name: str
    titles: Mapping[str, str]
    """By language: "en", "zh"."""
    descriptions: Mapping[str, str]
    model: Path
    calibration: Path | None
    evaluation: Path | None
    shapes: Mapping[str, tuple[int, ...]]
    accuracy: float | None
    """Of the FP32 model on the evaluation samples, in [0, 1]."""
    file_bytes: int
