"""What keeps a proposed plan large, in words."""

from __future__ import annotations

from engine.fusion.types import Network
from engine.interop.preflight.finding import names
from engine.interop.report_units import amount
from engine.precision.scheme import label
from engine.text import Text, say
from engine.tuning.search.held import Held


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
