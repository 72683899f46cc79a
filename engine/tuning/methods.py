"""What each weight method gains, on its kernel and at the output, and a plan that keeps only what helps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.numerics import Evaluator
from engine.numerics.learned import can_correct, fits
from engine.numerics.scaling import obstacle
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant import LEARNED, METHODS, SCALED
from engine.quant.folding import Group, groups_of
from engine.text import Text, say

ALL_METHODS = (*METHODS, *LEARNED, *SCALED)
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
    """SQNR at the output with the rest of the plan as it is, but for what shares a scale (`together`).

    None where it was not measured.
    """


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


def methods_for(
    network: Network, kernel: Kernel, scheme: Scheme, names: Sequence[str] = ALL_METHODS
) -> tuple[Scheme, ...]:
    """The scheme by every method that fits, rounding first, with and without a corrected bias; empty for float weights.

    Args:
        network: Where the kernel belongs.
        kernel: The kernel.
        scheme: Its formats; the method in it doesn't matter.
        names: Methods to consider.
    """
    if kernel.weight is None or scheme.weights.floating:
        return ()
    plain = [replace(scheme.rounded, method=name) for name in names if why_not(network, kernel, scheme, name) is None]
    corrected = [replace(each, corrected=True) for each in plain] if can_correct(kernel) else []
    return (*plain, *corrected)


def why_not(network: Network, kernel: Kernel, scheme: Scheme, method: str) -> Text | None:
    """Why a method is not offered for a kernel in a scheme, in a few words; None if it is.

    Args:
        network: Where the kernel belongs.
        kernel: One with a weight.
        scheme: Formats; integer weights.
        method: A name in `ALL_METHODS`.
    """
    if method == "smooth" and scheme.activations.floating:
        return say("its activations stay floats, so that there is nothing to smooth")
    if method == "cle" and scheme.weights.granularity != "tensor":
        return say("its weights have more than one scale already")
    if method in SCALED:
        return obstacle(network, kernel, method)
    return None if fits(network, kernel, method) else say("it is for convolutions that mix channels and for products")


def together(network: Network, plan: Plan, kernel_id: str, scheme: Scheme) -> dict[str, Scheme]:
    """What a scheme on one kernel takes along: all that share a scale take the method, else it stays a multiplication.

    For AWQ and SmoothQuant that is what reads the same activation in the same formats; for equalisation all layers in a
    chain whose weights have one scale. Others, and kernels by other methods, take nothing along.

    Returns:
        Schemes by kernel id, the kernel itself included.
    """
    found = {kernel_id: scheme}
    if scheme.method not in SCALED or scheme.weights.floating:
        return found
    for kernel in _sharing(network, network.by_id(kernel_id), scheme.method):
        own = plan.scheme(kernel.id)
        alike = own.weights == scheme.weights and own.activations == scheme.activations
        if scheme.method == "cle":
            alike = not own.weights.floating and why_not(network, kernel, own, "cle") is None
        if alike and kernel.id != kernel_id:
            found[kernel.id] = replace(own, method=scheme.method)
    return found


def _sharing(network: Network, kernel: Kernel, method: str) -> tuple[Kernel, ...]:
    """Kernels that have a scale in common with one, itself included."""
    groups = groups_of(network)
    if method != "cle":
        found = groups.of(kernel)
        return found.readers if isinstance(found, Group) else (kernel,)
    chain, todo = {kernel.id: kernel}, [kernel]
    while todo:
        one = todo.pop()
        borders = (border for border in groups.borders if one is border.maker or one in border.readers)
        for border in borders:
            for other in (border.maker, *border.readers):
                if other is not None and other.id not in chain:
                    chain[other.id] = other
                    todo.append(other)
    return tuple(sorted(chain.values(), key=lambda each: each.index))


def apart(network: Network, plan: Plan) -> tuple[str, ...]:
    """Kernels whose scale stays a multiplication in front of them: others that read the same have another scheme.

    Returns:
        Ids, in execution order. Scales that turn out to be one are among them.
    """
    found = []
    for kernel in network.tunable:
        scheme = plan.scheme(kernel.id)
        group = groups_of(network).of(kernel)
        if scheme.method == "cle" and group not in groups_of(network).borders:
            continue
        if scheme.method not in SCALED or scheme.weights.floating or not isinstance(group, Group):
            continue
        sharing = [plan.scheme(other.id) for other in group.readers]
        alike = all(other.method == scheme.method for other in sharing)
        maker = plan.scheme(group.maker.id) if group.maker is not None else None
        if scheme.method != "cle":
            alike = alike and len({(other.weights, other.activations) for other in sharing}) == 1
            takes = maker is None or maker.weights.floating or maker.weights.granularity != "tensor"
        else:
            takes = maker is not None and maker.method == "cle"
        if not (alike and takes):
            found.append(kernel.id)
    return tuple(found)


def with_method(network: Network, plan: Plan, method: str, corrected: bool = False) -> Plan:
    """A plan with one method wherever it fits; other kernels with integer weights are rounded to nearest."""
    changes = {}
    for kernel in network.tunable:
        scheme = plan.scheme(kernel.id)
        if scheme.weights.floating:
            continue
        name = method if why_not(network, kernel, scheme, method) is None else "rtn"
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
        fitting = [
            name for name in ALL_METHODS if scheme.weights.floating or fits(network, kernel, name)
        ]  # floats: no effect
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


def fitted(network: Network, kernels: Iterable[Kernel], scheme: Scheme) -> dict[str, Scheme]:
    """A scheme on kernels: its method and its corrected bias only where they fit. Those without a switch are left out.

    Returns:
        Schemes by kernel id.
    """
    found = {}
    for kernel in kernels:
        if kernel.tunable:
            known = not scheme.weights.floating and why_not(network, kernel, scheme, scheme.method) is None
            method = scheme.method if known else "rtn"
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
        for scheme in methods_for(network, network.by_id(kernel), plan.scheme(kernel), names)
    ]
    evaluator.prepare(cancel=cancel)
    share = 0.6 if output else 0.9
    evaluator.ranges.rounding.find(cells, progress=lambda f, t: progress(share * f, t), cancel=cancel)
    local = evaluator.local_errors(cells, cancel=cancel)
    for number, (kernel, scheme, sums) in enumerate(local):
        at_output = None
        if output:
            tried = plan.with_schemes(together(network, plan, kernel, scheme))
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
    candidates = [_shared(evaluator.network, plan, tried, chosen) for tried in _candidates(plan, found, names)]
    for number, tried in enumerate(candidates):
        progress(0.6 + 0.2 * number / len(candidates), say("Comparing plans by weight method"))
        if (level := _output_db(evaluator, tried, cancel)) > best_db:
            best, best_db = tried, level
    # The last kernels first: what lies before them need not run again.
    changed = _units(evaluator.network, plan, best)
    peak = best_db
    for number, unit in enumerate(changed):
        progress(0.8 + 0.2 * number / len(changed), say("Keeping what helps"))
        tried = best.with_schemes({kernel: plan.scheme(kernel) for kernel in unit})
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


def _shared(network: Network, plan: Plan, tried: Plan, chosen: Sequence[str]) -> Plan:
    """A candidate in which kernels that share a scale all take it, or none does."""
    changes: dict[str, Scheme] = {}
    for kernel in chosen:
        scheme = tried.scheme(kernel)
        if kernel in changes or scheme.method not in SCALED or scheme.weights.floating:
            continue
        unit = together(network, tried, kernel, scheme)
        whole = all(other in chosen for other in unit)
        changes |= unit if whole else {kernel: plan.scheme(kernel)}
    return tried.with_schemes(changes)


def _units(network: Network, plan: Plan, best: Plan) -> list[tuple[str, ...]]:
    """Kernels that differ, those that share a scale side by side; the last of the network first."""
    left = dict.fromkeys(sorted(best.difference(plan), key=lambda kernel: -network.by_id(kernel).index))
    units = []
    while left:
        kernel = next(iter(left))
        unit = tuple(k for k in together(network, best, kernel, best.scheme(kernel)) if k in left)
        units.append(unit)
        for each in unit:
            del left[each]
    return units


def _output_db(evaluator: Evaluator, plan: Plan, cancel: CancelToken) -> float:
    return _rank(evaluator.evaluate(plan, accumulated=False, cancel=cancel).output.sqnr_db)


def _rank(level: float) -> float:
    """NaN, which compares with nothing, is worst."""
    return level if isfinite(level) or level > 0 else float("-inf")
