"""What a plan starts with when a model is opened: FP16, or the precision that the file already has."""

from __future__ import annotations

from collections import Counter

from engine.fusion.types import Network
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.precision.scheme import FP16, Scheme, label
from engine.precision.stored import stored_plan, stored_scheme
from engine.text import Text, say


def opening_plan(network: Network) -> Plan:
    """All FP16, and where the file holds a layer in integers already, just that."""
    stored = stored_plan(network)
    return preset(network, "fp16").with_schemes(stored, "stored" if _quantized(network) else None)


def stored_note(network: Network) -> Text | None:
    """Says which precisions the file brings; None for a model in floats."""
    found = _quantized(network)
    if not found:
        return None
    counts = Counter(label(scheme) for scheme in found.values())
    schemes = ", ".join(f"{count} × {name}" for name, count in counts.most_common())
    fixed = sum(not network.by_id(kernel).tunable for kernel in found)
    if fixed == len(found):
        return say("The layers keep the precision that the file has: {schemes}.", schemes=schemes)
    if fixed:
        return say(
            "The plan starts with the precision that the file has, {schemes}; {fixed} of these layers keep it.",
            schemes=schemes,
            fixed=fixed,
        )
    return say("The plan starts with the precision that the file has: {schemes}.", schemes=schemes)


def _quantized(network: Network) -> dict[str, Scheme]:
    found = {kernel.id: stored_scheme(kernel) for kernel in network.kernels}
    return {kernel: scheme for kernel, scheme in found.items() if scheme is not None and scheme != FP16}
