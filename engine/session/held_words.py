"""What keeps a proposed plan large, or coarser than a uniform one, in words."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fusion.types import Network
from engine.interop.preflight.finding import names
from engine.interop.report_units import amount
from engine.precision.scheme import Scheme, label
from engine.text import Text, say
from engine.tuning.metrics import METRIC_TITLES, Metric, figure
from engine.tuning.search.held import Held
from engine.tuning.search.proposal import BUDGET_NAMES


def held_words(network: Network, held: Held) -> Text:
    """One sentence, then the device's reason."""
    return say(
        "{count} {count:kernel stays|kernels stay} at {scheme} and {count:takes|take} {size} ({least} at "
        "best): {kernels}. {reason}",
        count=len(held.kernels),
        scheme=label(held.scheme),
        size=amount(held.size_bytes),
        least=amount(held.smallest_bytes),
        kernels=names(network.by_id(kernel) for kernel in held.kernels),
        reason=held.reason,
    )


def beyond_words(metric: Metric, scheme: Scheme, harm: float, broken: Mapping[str, float]) -> Text:
    """Why a plan is below a uniform one: that breaks a limit, and nothing that keeps it comes up to it.

    Args:
        metric: What damage is measured in.
        scheme: Of the uniform plan.
        harm: Its measured damage.
        broken: Limits that it breaks -> how far beyond, as a share of the limit.
    """
    name, share = max(broken.items(), key=lambda item: item[1])
    value = figure(metric, harm)
    return say(
        "{scheme} everywhere would reach {value} ({metric}), but is {share} % beyond the limit of {limit}; no mix "
        "within the limits that was measured comes up to it.",
        scheme=label(scheme),
        value=f"{value:.1f}" if metric.higher_is_better else f"{value:.3g}",
        metric=METRIC_TITLES[metric],
        share=f"{100 * share:.0f}" if share >= 0.01 else f"{100 * share:.1f}",
        limit=BUDGET_NAMES[name],
    )
