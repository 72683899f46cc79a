"""Files that leave Mixbit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from engine.errors import ExportError
from engine.fusion.types import Network
from engine.interop.qdq import export_qdq
from engine.interop.table import rows, write_csv
from engine.numerics.results import ErrorSums
from engine.precision.plan import Plan
from engine.precision.planfile import save_plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.ranges import Ranges
from engine.session.state import Figures
from engine.text import say

Kind = Literal["qdq", "csv", "plan"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def write_export(
    kind: Kind,
    path: Path,
    network: Network,
    plan: Plan,
    ranges: Ranges | None,
    figures: Figures,
    local: Mapping[tuple[str, Scheme], ErrorSums],
    *,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> None:
    """Write one file of the given kind.

    Raises:
        ExportError: it can't be written, or ranges are missing for an INT8 model.
    """
    if kind == "plan":
        save_plan(plan, network, path)
    elif kind == "csv":
        table = rows(
            network,
            plan,
            size=figures.size,
            simulation=figures.simulation,
            evaluation=figures.evaluation,
            local=local,
        )
        write_csv(path, table)
    elif ranges is None:
        raise ExportError(say("{path}: calibration has not finished yet; export again when it has.", path=path))
    else:
        export_qdq(network, plan, ranges, path, progress=progress, cancel=cancel)
