"""What would you raise next? Single steps from a plan, ranked by what they win for what they cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, log10

from engine.fusion.types import Network
from engine.npu import Device, latency_us
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken
from engine.quant import plan_bytes
from engine.tuning.search.problem import Problem, precision

_NO_CHANGE_DB = 0.3
"""Predicted changes below that are smaller than what the kernels do to each other."""


@dataclass(frozen=True, slots=True)
class Step:
    """One unit to a finer scheme, all else as it is."""

    kernels: tuple[str, ...]
    before: Scheme
    after: Scheme
    gain_db: float
    """By how much the damage of the whole plan falls."""
    extra_us: float | None
    """None without a device."""
    extra_bytes: int
    measured: bool = False
    """Whether the gain has been measured: then it may be a loss."""

    @property
    def noticeable(self) -> bool:
        """Whether the gain has been measured, or is more than errors in the prediction of single steps."""
        return self.measured or self.gain_db >= _NO_CHANGE_DB

    @property
    def gain_per_us(self) -> float:
        """DB per microsecond; infinite for a step that costs no time."""
        if self.extra_us is None:
            return 0.0
        return self.gain_db / self.extra_us if self.extra_us > 0 else inf

    @property
    def gain_per_byte(self) -> float:
        """DB per byte; infinite for a step that costs no space."""
        return self.gain_db / self.extra_bytes if self.extra_bytes > 0 else inf


def raise_next(
    network: Network,
    problem: Problem,
    plan: Plan,
    device: Device | None = None,
    *,
    power: float = 1.0,
    most: int = 24,
    cancel: CancelToken = NEVER,
) -> list[Step]:
    """Steps that make a plan more precise, by falling gain.

    Gains are ratios of predicted damages, so a bias of the prediction drops out. Latency and size of the best steps are
    simulated, conversions included; so every figure is that of the plan one would get.

    Args:
        network: The network.
        problem: Units, options and damages.
        plan: Where to start. Units whose scheme is not among their options are left alone.
        device: For latencies.
        power: Of the damages that add up in the problem (see `Calibration.power`).
        most: How many steps are priced and returned.
        cancel: Checked between simulations.
    """
    table = problem.tables["damage"]
    now = {unit: options.index(scheme) for unit, options, scheme in _current(problem, plan) if scheme in options}
    total = sum(float(table[unit, option]) for unit, option in now.items())
    steps = []
    for unit, option in now.items():
        before = problem.options[unit][option]
        for at, after in enumerate(problem.options[unit]):
            won = float(table[unit, option] - table[unit, at])
            if won > 0 and precision(after) > precision(before):
                gain = inf if won >= total else -10 * log10(1 - won / total) / power
                steps.append(Step(problem.units[unit], before, after, gain, None, 0))
    steps.sort(key=lambda step: -step.gain_db)
    chosen = steps[:most]
    size = plan_bytes(network, plan).total
    time = None if device is None else latency_us(network, plan, device)
    return [_priced(network, plan, step, size, time, device, cancel) for step in chosen]


def confirmed(steps: Sequence[Step], plan: Plan, sqnr_db: Callable[[Plan], float], *, most: int) -> list[Step]:
    """The same with the gains of the first few measured, those in front, each part by falling gain.

    Single steps are foreseen well where errors add up; elsewhere one step may win ten decibels, and the next lose four.

    Args:
        steps: By falling gain.
        plan: Where they start.
        sqnr_db: Measures a plan.
        most: How many are measured.
    """
    before = sqnr_db(plan)
    found = []
    for step in steps[:most]:
        gain = sqnr_db(plan.with_schemes(dict.fromkeys(step.kernels, step.after))) - before
        found.append(step if isnan(gain) else replace(step, gain_db=gain, measured=True))
    found.sort(key=lambda step: -step.gain_db)
    return [*found, *steps[most:]]


def order_by(steps: Sequence[Step], what: str) -> list[Step]:
    """Steps by "gain", "time" or "space": gain alone, per microsecond, per byte."""
    keys: Mapping[str, str] = {"gain": "gain_db", "time": "gain_per_us", "space": "gain_per_byte"}
    return sorted(steps, key=lambda step: (-getattr(step, keys[what]), -step.gain_db))


def _current(problem: Problem, plan: Plan) -> list[tuple[int, tuple[Scheme, ...], Scheme | None]]:
    found: list[tuple[int, tuple[Scheme, ...], Scheme | None]] = []
    for unit, (members, options) in enumerate(zip(problem.units, problem.options, strict=True)):
        schemes = {plan.scheme(kernel) for kernel in members}
        found.append((unit, options, schemes.pop() if len(schemes) == 1 else None))
    return found


def _priced(
    network: Network,
    plan: Plan,
    step: Step,
    size: int,
    time: float | None,
    device: Device | None,
    cancel: CancelToken,
) -> Step:
    cancel.check()
    raised = plan.with_schemes(dict.fromkeys(step.kernels, step.after))
    extra = None if device is None or time is None else latency_us(network, raised, device) - time
    return replace(step, extra_us=extra, extra_bytes=plan_bytes(network, raised).total - size)
