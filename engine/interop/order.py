"""One export that somebody asked for: what every target is given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.fusion.types import Network
from engine.interop.handover import NO_EXTRAS, Extras
from engine.precision.plan import Plan
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.ranges import Ranges


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """What is to be written, where to, and whom to tell meanwhile."""

    network: Network
    plan: Plan
    """What the user wants; the target may have to hand over something else."""
    path: Path
    """The file or folder."""
    ranges: Ranges | None = None
    """Static activation ranges; None before calibration."""
    extras: Extras = NO_EXTRAS
    progress: Progress = no_progress
    cancel: CancelToken = NEVER
    """Checked at least between files and constants."""

    @property
    def calibrated(self) -> Ranges:
        """The ranges, of a target that needs them: `Target.export` refuses it where there are none."""
        assert self.ranges is not None
        return self.ranges
