"""Targets that set the precision of tensors, not of layers: everybody who reads a tensor reads it in one precision."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fusion.types import Kernel, Network
from engine.interop.handover import Rule
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, FP32, ActivationFormat, Scheme, WeightFormat
from engine.text import Text, say


def shared_tensors(network: Network, plan: Plan, rule: Rule) -> Rule:
    """A rule that gives all layers that read one tensor the same format for it.

    Of activations: if one layer wants integers, all get them, of the most bits, with a zero point unless all do
    without. Of a weight that several layers share: the format with the most bits.

    Args:
        network: The network.
        plan: What the user wants.
        rule: The target's rule for a layer by itself.
    """
    alone = Plan({k.id: rule(k, plan.scheme(k.id))[0] for k in network.tunable})
    formats, weights = input_formats(network, alone), _weight_formats(network, alone)

    def shared(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
        gets, reason = rule(kernel, asked)
        weight = kernel.weight
        assert weight is not None
        form = formats.get(weight.activation, gets.activations)
        made = Scheme(weights[weight.origin], form, gets.method)
        if made.weights.floating and form.floating:
            made = FP32 if made.weights.bits == 32 else FP16
        if made in (gets, asked):
            return made, None if made == asked else reason
        if made.weights != gets.weights:
            return made, say(
                "Another layer has the same weight {tensor} in another format, and this target knows one per tensor.",
                tensor=weight.origin,
            )
        return made, say(
            "Another layer reads the same tensor {tensor} in INT{bits}, and this target rounds tensors, not layers.",
            tensor=weight.activation,
            bits=form.bits,
        )

    return shared


def input_formats(network: Network, plan: Plan) -> Mapping[str, ActivationFormat]:
    """Integer formats by activation that meets a weight."""
    wanted: dict[str, list[ActivationFormat]] = {}
    for kernel in network.tunable:
        assert kernel.weight is not None
        form = plan[kernel.id].activations
        if not form.floating and kernel.weight.activation:
            wanted.setdefault(kernel.weight.activation, []).append(form)
    return {
        name: ActivationFormat(max(form.bits for form in forms), symmetric=all(form.symmetric for form in forms))
        for name, forms in wanted.items()
    }


def _weight_formats(network: Network, plan: Plan) -> Mapping[str, WeightFormat]:
    """Format by name of the stored weight."""
    found: dict[str, WeightFormat] = {}
    for kernel in network.tunable:
        assert kernel.weight is not None
        form, known = plan[kernel.id].weights, found.get(kernel.weight.origin)
        if known is None or (form.floating, form.bits) > (known.floating, known.bits):
            found[kernel.weight.origin] = form
    return found
