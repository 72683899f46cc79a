"""Checks of the numbers: overflow, what can't be measured, formats that aren't native, ranges, samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.fusion.types import Kernel, Network
from engine.interop.preflight.finding import Facts, Finding, names, share
from engine.interop.report_units import db
from engine.npu import Device
from engine.npu.formats import supports
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme, label
from engine.quant.oddities import Oddities
from engine.text import Text, say

ENOUGH_SAMPLES = 100
BEYOND = 0.001
"""Share of values outside their range from which a kernel is told."""
MANY_DEAD = 0.25


def overflows(facts: Facts) -> Iterator[Finding]:
    """NaN or infinity that the reference doesn't have."""
    for kernel in facts.network.tunable:
        scheme = facts.plan.scheme(kernel.id)
        sums = facts.local.get((kernel.id, scheme))
        if sums is not None and sums.nonfinite:
            yield Finding(
                "overflow",
                "error",
                say("{kernel} overflows in {scheme}", kernel=kernel.name, scheme=label(scheme)),
                say("{count} {count:value is|values are} NaN or infinite on the samples.", count=sums.nonfinite),
                say("Give it INT8, whose range is calibrated, or scale its input down."),
                (kernel.index,),
                place="compare",
            )


def unmeasured(facts: Facts) -> Iterator[Finding]:
    """Kernels whose reference holds NaN already."""
    evaluation = facts.evaluation
    if evaluation is None:
        return
    bad = [
        k for k in facts.network.kernels if (sums := evaluation.accumulated.get(k.id)) is not None and sums.unmeasured
    ]
    if bad:
        yield Finding(
            "reference",
            "error",
            say("{kernel} gives NaN or infinity in full precision", kernel=bad[0].name),
            say(
                "{kernels}: the errors of {count} {count:kernel|kernels} can't be measured.",
                kernels=names(bad),
                count=len(bad),
            ),
            say("Check the samples and their preprocessing; then the model itself."),
            tuple(k.index for k in bad),
            place="data",
        )


def not_native(facts: Facts) -> Iterator[Finding]:
    """Schemes that the device builds as something else."""
    for scheme, reason, kernels in _refused(facts.network, facts.plan, facts.device):
        yield Finding(
            "not-native",
            "warning",
            say("{scheme} is not native for {count} {count:kernel|kernels}", scheme=label(scheme), count=len(kernels)),
            say("{kernels} · {reason}", kernels=names(kernels), reason=reason),
            say("They are built in FP16; choose a format that the device has."),
            tuple(k.index for k in kernels),
        )


def not_native_notes(network: Network, plan: Plan, device: Device) -> list[Text]:
    """A sentence for each scheme of integers or BF16 that the device builds in FP16; the plan's size is the plan's."""
    return [
        say("{scheme} is not native for {kernels}: {reason} Their time is that of FP16, their size that of the plan.",
            scheme=label(scheme), kernels=names(kernels), reason=reason)
        for scheme, reason, kernels in _refused(network, plan, device)
        if not scheme.weights.floating or scheme.brain
    ]  # fmt: skip


def _refused(network: Network, plan: Plan, device: Device) -> Iterator[tuple[Scheme, Text, list[Kernel]]]:
    """Schemes of the plan that aren't native, by reason, with their kernels."""
    groups: dict[tuple[Scheme, str], tuple[Text, list[Kernel]]] = {}
    for kernel in network.tunable:
        scheme = plan.scheme(kernel.id)
        reason = supports(device, kernel, scheme)
        if reason is not None:
            groups.setdefault((scheme, str(reason)), (reason, []))[1].append(kernel)
    for (scheme, _), (reason, kernels) in groups.items():
        yield scheme, reason, kernels


def imprecise(facts: Facts) -> Iterator[Finding]:
    """Kernels whose own error is above what the output may have."""
    required = facts.limits.min_sqnr_db
    if required is None:
        return
    worst = []
    for kernel in facts.network.tunable:
        sums = facts.local.get((kernel.id, facts.plan.scheme(kernel.id)))
        if sums is not None and sums.measurable and not sums.nonfinite and sums.sqnr_db < required:
            worst.append((sums.sqnr_db, kernel))
    if worst:
        worst.sort(key=lambda pair: pair[0])
        yield Finding(
            "imprecise",
            "warning",
            say("{count} {count:kernel alone misses|kernels, each alone, miss} the required SQNR", count=len(worst)),
            say("Worst: {kernel} with {have} on reference inputs, {need} required.", kernel=worst[0][1].name,
                have=db(worst[0][0]), need=db(required)),
            say("Give them more bits, or smaller groups."),
            tuple(k.index for _, k in worst),
        )  # fmt: skip
    output = facts.evaluation.output.sqnr_db if facts.evaluation is not None else None
    if output is not None and output < required:
        yield Finding(
            "accuracy",
            "error",
            say("The output error misses its requirement"),
            say("{have} SQNR at the output, {need} required.", have=db(output), need=db(required)),
            say("Raise the most sensitive kernels first; the sweep names them."),
            place="summary",
        )


def ranges(facts: Facts) -> Iterator[Finding]:
    """Activations that leave their calibrated range, or that never move."""
    saturating: list[tuple[float, Kernel]] = []
    dead: list[Kernel] = []
    for kernel in facts.network.tunable:
        form = facts.plan.scheme(kernel.id).activations
        if kernel.weight is None or form.floating or not form.static or facts.ranges is None:
            continue
        found = facts.ranges.ranges.get(kernel.weight.activation)
        seen = facts.observed.get(kernel.weight.activation)
        still = found is not None and found.low == found.high
        if still or (seen is not None and seen.dead_channels > MANY_DEAD * max(1, seen.channels)):
            dead.append(kernel)
        if seen is not None and seen.beyond > BEYOND:
            saturating.append((seen.beyond, kernel))
    if saturating:
        saturating.sort(key=lambda pair: -pair[0])
        yield Finding(
            "saturation",
            "warning",
            say("{count} {count:kernel saturates|kernels saturate} on evaluation samples", count=len(saturating)),
            say("{kernels}: up to {part} of the values lie beyond the calibrated range.",
                kernels=names(k for _, k in saturating), part=share(saturating[0][0])),
            say("Calibrate with samples like those, or with another observer."),
            tuple(k.index for _, k in saturating),
            place="data",
        )  # fmt: skip
    if dead:
        yield Finding(
            "dead-range",
            "warning",
            say("{count} {count:kernel reads|kernels read} an input that hardly moves", count=len(dead)),
            say("{kernels}: the range is a single value, or a quarter of the channels is always zero.",
                kernels=names(dead)),
            say("Check the calibration samples; what is dead with real ones can be pruned."),
            tuple(k.index for k in dead),
            place="data",
        )  # fmt: skip


def odd_weights(facts: Facts) -> Iterator[Finding]:
    """Weights that a format can't hold, or that carry nothing."""
    odd = facts.ranges.odd if facts.ranges is not None else {}
    harmed, quiet = [], []
    for kernel in facts.network.tunable:
        found = odd.get(kernel.id)
        if found is None:
            continue
        if found.harmful(facts.plan.scheme(kernel.id).weights):
            harmed.append(kernel)
        elif found.zero_channels:
            quiet.append(kernel)
    if harmed:
        yield Finding(
            "odd-weights",
            "error",
            say(
                "{count} {count:kernel has weights that its|kernels have weights that their} format can't hold",
                count=len(harmed),
            ),
            say("{kernel}: {what}", kernel=harmed[0].name, what=_words(odd, facts.plan, harmed[0])),
            say("Check the model's export; weights beyond the range of FP16 fit INT8."),
            tuple(k.index for k in harmed),
        )
    if quiet:
        yield Finding(
            "zero-channels",
            "info",
            say("{count} {count:kernel has|kernels have} channels of zeros", count=len(quiet)),
            say("{kernel}: {what}", kernel=quiet[0].name, what=_words(odd, facts.plan, quiet[0])),
            say("They cost time and memory and compute nothing; prune the model."),
            tuple(k.index for k in quiet),
        )


def _words(odd: Mapping[str, Oddities], plan: Plan, kernel: Kernel) -> Text:
    return odd[kernel.id].words(plan.scheme(kernel.id).weights)


def samples(facts: Facts) -> Iterator[Finding]:
    """Too few calibration samples, or none that are real."""
    count = facts.calibration_samples
    uses = any(not facts.plan.scheme(k.id).activations.floating for k in facts.network.tunable)
    if count is None or not uses:
        return
    if facts.synthetic:
        yield Finding(
            "samples",
            "warning",
            say("The ranges come from synthetic samples"),
            say("Errors and saturation are indicative only."),
            say("Give {count} or more real samples.", count=ENOUGH_SAMPLES),
            place="data",
        )
    elif count < ENOUGH_SAMPLES:
        yield Finding(
            "samples",
            "warning",
            say("Only {count} calibration {count:sample|samples}", count=count),
            say("Ranges of so few samples miss rare values."),
            say("Give {count} or more real samples.", count=ENOUGH_SAMPLES),
            place="data",
        )
