"""What each weight method gains, on its kernel and at the output, and a plan that keeps only what helps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.numerics import Evaluator
from engine.numerics.learned import can_correct, fits
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant import LEARNED, METHODS
from engine.text import say

ALL_METHODS = (*METHODS, *LEARNED)
"""Names of all methods, in the order in which they are tried."""
_WORTH_DB = 0.02
"""What may be lost altogether for the sake of fewer kernels with a method: within the noise of rounding."""


@dataclass(frozen=True, slots=True)
class Gain:
    """One kernel by one method."""

    kernel: str
    scheme: Scheme
    local_db: float
    """SQNR of the kernel on reference inputs."""
    output_db: float | None
    """SQNR at the output with the rest of the plan as it is; None where it was not measured."""


@dataclass(frozen=True, slots=True)
class Refined:
    """A plan whose methods were chosen by measurement."""

    plan: Plan
    before_db: float
    after_db: float
    changed: tuple[str, ...]
    """Kernels whose method differs from before."""
    gains: tuple[Gain, ...]
    """Of every method that was tried, kernel by kernel, on the kernel alone."""


def methods_for(kernel: Kernel, scheme: Scheme, names: Sequence[str] = ALL_METHODS) -> tuple[Scheme, ...]:
    """The scheme by every method that fits, rounding first, with and without a corrected bias; empty for float weights.

    Args:
        kernel: The kernel.
        scheme: Its formats; the method in it doesn't matter.
        names: Methods to consider.
    """
    if kernel.weight is None or scheme.weights.floating:
        return ()
    plain = [replace(scheme.rounded, method=name) for name in names if fits(kernel, name)]
    corrected = [replace(each, corrected=True) for each in plain] if can_correct(kernel) else []
    return (*plain, *corrected)


def with_method(network: Network, plan: Plan, method: str, corrected: bool = False) -> Plan:
    """A plan with one method wherever it fits; other kernels with integer weights are rounded to nearest."""
    changes = {}
    for kernel in network.tunable:
        scheme = plan.scheme(kernel.id)
        if scheme.weights.floating:
            continue
        name = method if fits(kernel, method) else "rtn"
        changes[kernel.id] = replace(scheme.rounded, method=name, corrected=corrected and can_correct(kernel))
    return plan.with_schemes(changes)


def check_methods(network: Network, plan: Plan, path: str) -> None:
    """Refuse a plan that somebody else has written if a weight method in it does not exist or does not fit its kernel.

    Args:
        network: What the plan is for.
        plan: The plan.
        path: Where it comes from, for the sentence.

    Raises:
        PlanError: Names the file, the layer and the methods that it can take.
    """
    for kernel in network.tunable:
        scheme = plan.scheme(kernel.id)
        method = scheme.method
        fitting = [name for name in ALL_METHODS if scheme.weights.floating or fits(kernel, name)]  # floats: no effect
        if method not in fitting:
            raise PlanError(
                say(
                    "{path}: layer {layer} can't be rounded by the weight method {method}; choose one of {known}.",
                    path=path,
                    layer=kernel.name,
                    method=repr(method),
                    known=", ".join(fitting),
                )
            )


def fitted(kernels: Iterable[Kernel], scheme: Scheme) -> dict[str, Scheme]:
    """A scheme on kernels: its method and its corrected bias only where they fit. Those without a switch are left out.

    Returns:
        Schemes by kernel id.
    """
    found = {}
    for kernel in kernels:
        if kernel.tunable:
            method = scheme.method if fits(kernel, scheme.method) and not scheme.weights.floating else "rtn"
            corrected = scheme.corrected and not scheme.weights.floating and can_correct(kernel)
            found[kernel.id] = replace(scheme, method=method, corrected=corrected)
    return found


def compare_methods(
    evaluator: Evaluator,
    plan: Plan,
    kernels: Iterable[str],
    *,
    names: Sequence[str] = ALL_METHODS,
    output: bool = True,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Iterator[Gain]:
    """Measure every method that fits on kernels, one kernel changed at a time.

    Args:
        evaluator: Where to measure.
        plan: What the other kernels run in.
        kernels: Ids.
        names: Methods to try.
        output: Whether to measure at the output too: about one run of what lies behind the kernel each.
        progress: Told about.
        cancel: Answered within 20 ms.

    Raises:
        Cancelled: If asked to stop.
    """
    network = evaluator.network
    cells = [
        (kernel, scheme)
        for kernel in kernels
        for scheme in methods_for(network.by_id(kernel), plan.scheme(kernel), names)
    ]
    evaluator.prepare(cancel=cancel)
    share = 0.6 if output else 0.9
    evaluator.ranges.rounding.find(cells, progress=lambda f, t: progress(share * f, t), cancel=cancel)
    local = evaluator.local_errors(cells, cancel=cancel)
    for number, (kernel, scheme, sums) in enumerate(local):
        at_output = None
        if output:
            tried = plan.with_schemes({kernel: scheme})
            at_output = evaluator.evaluate(tried, accumulated=False, cancel=cancel).output.sqnr_db
        yield Gain(kernel, scheme, sums.sqnr_db, at_output)
        progress(share + (1 - share) * (number + 1) / len(cells), say("Comparing weight methods"))


def refine(
    evaluator: Evaluator,
    plan: Plan,
    kernels: Iterable[str],
    *,
    names: Sequence[str] = ALL_METHODS,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Refined:
    """Choose a method for each kernel, and keep it only where the output gains by it.

    Each kernel's methods are ranked by its own error. Whole plans are then held against each other at the output: as it
    is, the best of each kernel with and without corrected biases, and each method everywhere. From the best of these,
    kernel after kernel goes back to what it had where that costs nothing.

    Args:
        evaluator: Where to measure.
        plan: Where to start. Only methods change, never formats.
        kernels: Ids of those that may change.
        names: Methods to consider.
        progress: Told about.
        cancel: Answered within 20 ms.

    Raises:
        Cancelled: If asked to stop.
    """
    chosen = tuple(dict.fromkeys(kernels))
    before = _output_db(evaluator, plan, cancel)
    found = tuple(
        compare_methods(
            evaluator, plan, chosen, names=names, output=False,
            progress=lambda f, t: progress(0.6 * f, t), cancel=cancel,
        )
    )  # fmt: skip
    best, best_db = plan, before
    candidates = _candidates(plan, found, names)
    for number, tried in enumerate(candidates):
        progress(0.6 + 0.2 * number / len(candidates), say("Comparing plans by weight method"))
        if (level := _output_db(evaluator, tried, cancel)) > best_db:
            best, best_db = tried, level
    # The last kernels first: what lies before them need not run again.
    changed = sorted(best.difference(plan), key=lambda kernel: -evaluator.network.by_id(kernel).index)
    peak = best_db
    for number, kernel in enumerate(changed):
        progress(0.8 + 0.2 * number / len(changed), say("Keeping what helps"))
        tried = best.with_schemes({kernel: plan.scheme(kernel)})
        level = _output_db(evaluator, tried, cancel)
        if level > peak - _WORTH_DB:  # of the best so far: small losses don't add up
            best, best_db, peak = tried, level, max(level, peak)
    return Refined(best, before, best_db, best.difference(plan), found)


def _candidates(plan: Plan, gains: Sequence[Gain], names: Sequence[str]) -> list[Plan]:
    """Whole plans worth a look at the output."""
    by_kernel: dict[str, list[Gain]] = {}
    for gain in gains:
        by_kernel.setdefault(gain.kernel, []).append(gain)
    made = []
    for corrected in (False, True):
        best = {}
        for kernel, some in by_kernel.items():
            usable = [g for g in some if corrected or not g.scheme.corrected]
            best[kernel] = max(usable, key=lambda g: _rank(g.local_db)).scheme
        made.append(plan.with_schemes(best))
        for name in names:
            asked = {}
            for kernel, some in by_kernel.items():
                same = [g.scheme for g in some if g.scheme.method == name and (corrected or not g.scheme.corrected)]
                if same:
                    asked[kernel] = max(same, key=lambda scheme: scheme.corrected)
            made.append(plan.with_schemes(asked))
    return list(dict.fromkeys(made))


def _output_db(evaluator: Evaluator, plan: Plan, cancel: CancelToken) -> float:
    return _rank(evaluator.evaluate(plan, accumulated=False, cancel=cancel).output.sqnr_db)


def _rank(level: float) -> float:
    """NaN, which compares with nothing, is worst."""
    return level if isfinite(level) or level > 0 else float("-inf")
