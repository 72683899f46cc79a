"""The cheapest edit that mends a missed output error: found from sensitivities, priced by simulation.

Noise from different kernels adds up nearly independently, so raising one takes away about what it puts in alone:
N' = N - (n(old) - n(new)), N being the measured output noise and n the "one in" noise, relative to the signal.
Where the single noises add up to more than N, they cancel in part, and so does what can be gained: the difference is
scaled by N / sum(n). It stays an estimate and is shown as one until the proposed plan has been measured. What turns out
not to be enough is proposed no more; the next proposal raises more kernels, by as much as the last one fell short.
Measured and estimated noise are never subtracted from each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log10
from typing import TYPE_CHECKING

from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme
from engine.session.state import SensitivityCell
from gui.views.price import Price

if TYPE_CHECKING:
    from engine.session import Session

LADDER = (INT4, INT8, FP16)
PRICED = 6
"""Proposals that are simulated."""
RAISED = 24
"""At most so many kernels are raised together."""


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that should meet the required output SQNR."""

    changes: tuple[tuple[str, Scheme], ...]
    """Kernel id and its new scheme."""
    gain_db: float
    """Measured if that is known, else estimated."""
    plan: Plan
    measured: bool = False


@dataclass(frozen=True, slots=True)
class _Raise:
    kernel: str
    scheme: Scheme
    noise: float
    """Relative noise that goes away."""


def relative_noise(sqnr_db: float) -> float:
    """Noise power over signal power."""
    return 0.0 if sqnr_db == inf else 10 ** (-sqnr_db / 10)


def proposals(session: Session) -> list[Fix]:
    """Edits that should be enough: single kernels, best gain first, else the fewest kernels that do it together."""
    required, evaluation = session.budgets.min_sqnr_db, session.figures.evaluation
    if required is None or evaluation is None or session.staleness.stale or session.network is None:
        return []
    now = evaluation.output.sqnr_db
    if not now < required or now == -inf:
        return []
    noise, allowed = relative_noise(now), relative_noise(required)
    steps = _raises(session, noise)
    enough = [step for step in steps if noise - step.noise <= allowed]
    alone = [_fix(session.plan, [step], noise) for step in enough[:PRICED]]
    holding = _held_against_measurements(session, alone, now, required)
    return holding or _together(session, steps, noise, allowed)


def cheapest(fixes: list[Fix], prices: dict[Plan, Price]) -> Fix | None:
    """The fix that adds least latency (then least bytes) among those whose price is known."""
    known = [fix for fix in fixes if fix.plan in prices]
    if not known:
        return None
    return min(known, key=lambda f: (round(prices[f.plan].simulation.latency_us, 3), prices[f.plan].size.total))


def _held_against_measurements(session: Session, fixes: list[Fix], now: float, required: float) -> list[Fix]:
    """Proposals with the gain that was measured, where it was; those that were found not to be enough are left out."""
    found = []
    for fix in fixes:
        evaluation = session.known(fix.plan)
        if evaluation is None:
            found.append(fix)
        elif evaluation.output.sqnr_db >= required:
            found.append(replace(fix, gain_db=evaluation.output.sqnr_db - now, measured=True))
    return found


def _raises(session: Session, noise: float) -> list[_Raise]:
    """Every single step up whose effect has been measured or estimated, largest first."""
    assert session.network is not None
    metric = session.sweeps.metric or "sqnr"
    known = [session.sensitivity.get((k.id, session.plan.scheme(k.id))) for k in session.network.tunable]
    total = sum(_harm(cell, metric) or 0.0 for cell in known)
    share = noise / total if total > 0 else 1.0
    if metric != "kl":  # noise in other units than the output's is scaled either way
        share = min(1.0, share)
    found = []
    for kernel in session.network.tunable:
        scheme = session.plan.scheme(kernel.id)
        old = session.sensitivity.get((kernel.id, scheme))
        before = _harm(old, metric)
        if old is None or before is None or kernel.id in session.locked:
            continue
        for better in LADDER:
            new = session.sensitivity.get((kernel.id, better))
            after = _harm(new, metric)
            if better.weights.bits <= scheme.weights.bits or new is None or after is None or new.kind != old.kind:
                continue
            gone = share * (before - after)
            if gone > 0:
                found.append(_Raise(kernel.id, better, gone))
    return sorted(found, key=lambda step: -step.noise)


def _harm(cell: SensitivityCell | None, metric: str) -> float | None:
    """A figure that adds up over kernels: KL, or noise over signal at the output or before its last softmax."""
    figure = None if cell is None else cell.figure(metric if metric in ("kl", "logits") else "sqnr")
    return figure if figure is None or metric == "kl" else relative_noise(figure)


def _together(session: Session, steps: list[_Raise], noise: float, allowed: float) -> list[Fix]:
    """The fewest kernels that should be enough, given what was measured of fewer."""
    chosen: dict[str, _Raise] = {}
    left, short = noise, 0.0
    for step in steps:
        if step.kernel in chosen or len(chosen) >= RAISED:
            continue
        chosen[step.kernel] = step
        left -= step.noise
        if left + short > allowed:
            continue
        fix = _fix(session.plan, list(chosen.values()), noise, short)
        evaluation = session.known(fix.plan)
        if evaluation is None:
            return [fix]
        measured = relative_noise(evaluation.output.sqnr_db)
        if measured <= allowed:
            return [replace(fix, gain_db=10 * log10(noise / max(measured, noise * 1e-12)), measured=True)]
        short = max(short, measured - max(left, 0.0))
    return []


def _fix(plan: Plan, steps: list[_Raise], noise: float, short: float = 0.0) -> Fix:
    left = max(noise - sum(step.noise for step in steps) + short, noise * 1e-4)
    gain = 10 * log10(noise / left)
    changes = tuple((step.kernel, step.scheme) for step in steps)
    return Fix(changes, gain, plan.with_schemes(dict(changes), ""))
