"""Targets that set the precision of tensors, not of layers: everybody who reads a tensor reads it in one precision."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fusion.types import Kernel, Network
from engine.interop.handover import Rule
from engine.precision.plan import Plan
from engine.precision.scheme import ActivationFormat, Scheme
from engine.text import Text, say


def shared_inputs(network: Network, plan: Plan, rule: Rule) -> Rule:
    """A rule that gives all layers that read one tensor the same integer activations.

    If one of them wants integers, all get them: of the most bits, and with a zero point unless all do without.

    Args:
        network: The network.
        plan: What the user wants.
        rule: The target's rule for a layer by itself.
    """
    formats = input_formats(network, Plan({k.id: rule(k, plan.scheme(k.id))[0] for k in network.tunable}))

    def shared(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
        gets, reason = rule(kernel, asked)
        assert kernel.weight is not None
        form = formats.get(kernel.weight.activation)
        if form is None or gets.activations == form:
            return gets, reason
        return Scheme(gets.weights, form, gets.method), say(
            "Another layer reads the same tensor {tensor} in INT{bits}, and this target rounds tensors, not layers.",
            tensor=kernel.weight.activation,
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
