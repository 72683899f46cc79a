"""What Preflight is told about a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import MixbitError
from engine.graph import read_inputs
from engine.graph.types import ModelInput
from engine.interop.preflight import Facts, Finding, Limits, in_order, steps
from engine.session.state import Budgets

if TYPE_CHECKING:
    from engine.session.reading import SessionState


def limits_of(budgets: Budgets) -> Limits:
    """Budgets as requirements."""
    return Limits(budgets.min_sqnr_db, budgets.max_latency_us, budgets.max_peak_bytes, budgets.max_size_bytes)


def check(session: SessionState) -> list[Finding]:
    """Findings on the current plan, with what is known of it now, worst first; empty without a model."""
    return in_order(found for step in check_steps(session) for found in step)


def check_steps(session: SessionState) -> Iterator[list[Finding]]:
    """The same check by check, as they are found; all of them look at what is known now."""
    network = session.network
    if network is None:
        return iter(())
    figures, baseline = session.figures, session.baseline
    return steps(
        Facts(
            network,
            session.plan,
            session.device,
            limits_of(session.budgets),
            free_inputs(network.graph.path, network.graph.sha256),
            figures.size,
            figures.simulation,
            baseline.simulation if baseline is not None else None,
            figures.sustained,
            session.scenario,
            None if session.staleness.stale else figures.evaluation,
            session.local,
            session.ranges,
            session.observed,
            calibration_samples=session.data.calibration_samples if session.data is not None else None,
            synthetic=session.data is not None and session.data.synthetic,
        )
    )


_MOST_KNOWN = 4
_known: dict[tuple[Path, str], tuple[str, ...]] = {}


def free_inputs(path: Path, sha256: str) -> tuple[str, ...]:
    """Inputs that a file declares with free dimensions; none if it can't be read any more."""
    if (path, sha256) not in _known:
        try:
            remember_inputs(path, sha256, read_inputs(path))
        except MixbitError:
            return ()
    return _known[path, sha256]


def remember_inputs(path: Path, sha256: str, inputs: Sequence[ModelInput]) -> None:
    """Know what a file declares: whoever opens it has read that, and a window's thread should not read it again."""
    while len(_known) >= _MOST_KNOWN:
        del _known[next(iter(_known))]
    _known[path, sha256] = tuple(i.name for i in inputs if i.free)
