"""Files that leave Mixbit: one call for every target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.asides import sweep
from engine.errors import ExportError
from engine.fusion.types import Network
from engine.interop.handover import Effect, Extras, Measured, Written
from engine.interop.pictures import ImageOptions
from engine.interop.targets import TARGETS, target
from engine.numerics.results import ErrorSums
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.ranges import Ranges
from engine.session.state import DataInfo, Figures, SensitivityCell
from engine.text import say

KINDS: tuple[str, ...] = tuple(t.name for t in TARGETS)


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """What an export needs of a session, at the moment it was asked for."""

    network: Network
    plan: Plan
    ranges: Ranges | None = None
    samples: SampleSet | None = None
    """Calibration samples."""
    images: Mapping[str, ImageOptions] = field(default_factory=dict)
    figures: Figures | None = None
    local: Mapping[tuple[str, Scheme], ErrorSums] = field(default_factory=dict)
    sensitivity: Mapping[tuple[str, Scheme], SensitivityCell] = field(default_factory=dict)
    data: DataInfo | None = None


def write_export(
    kind: str,
    path: Path,
    of: Snapshot,
    *,
    options: Mapping[str, str] | None = None,
    effect: Effect | None = None,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Written:
    """Write what a target wants; see `engine.interop.targets`.

    Raises:
        ExportError: it can't be written, ranges are missing, or the target can't take this model.
    """
    spare_the_model(path, of.network)
    sweep([path.parent])
    figures = of.figures or Figures(of.plan)
    measured = Measured(
        figures.size,
        figures.simulation,
        figures.sustained,
        figures.evaluation,
        of.local,
        {
            key: cell.sqnr_db
            for key, cell in of.sensitivity.items()
            if cell.kind == "exact" and cell.sqnr_db is not None
        },
        of.data.calibration if of.data else "",
        of.data.evaluation if of.data else "",
        _estimated(of.sensitivity),
    )
    extras = Extras(of.samples, of.images, options or {}, measured, effect)
    return target(kind).export(of.network, of.plan, of.ranges, path, extras=extras, progress=progress, cancel=cancel)


def _estimated(
    cells: Mapping[tuple[str, Scheme], SensitivityCell],
) -> dict[tuple[str, Scheme], tuple[float, str]]:
    """Estimates in dB; an estimate has the figure of one metric, at the output or in front of the last softmax."""
    found = {}
    for key, cell in cells.items():
        for value, at in ((cell.sqnr_db, "output"), (cell.logits_db, "logits")):
            if cell.kind == "estimated" and value is not None:
                found[key] = value, at
                break
    return found


def spare_the_model(path: Path, network: Network) -> None:
    """The model is only ever read: refuse to write over it or over its external data."""
    if path.resolve() in network.graph.files:
        raise ExportError(
            say(
                "{path} is the opened model, or holds its weights, and is never written; choose another name.",
                path=path,
            )
        )
