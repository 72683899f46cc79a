"""The precision that a model already has when it is opened, as schemes and as a plan."""

from __future__ import annotations

from engine.fusion.types import Kernel, Network
from engine.graph.types import StoredFormat
from engine.precision.plan import Plan
from engine.precision.scheme import BRAIN, HALF, ActivationFormat, Scheme, WeightFormat


def stored_plan(network: Network) -> Plan:
    """A scheme for every tunable kernel that the file stores in fewer bits than FP32; empty for a model in FP32.

    Kernels of operators that compute with codes (QLinearConv, MatMulInteger) have no switch, and so no place in a plan:
    ask `stored_scheme`.
    """
    found = {kernel.id: stored_scheme(kernel) for kernel in network.tunable}
    return Plan({kernel: scheme for kernel, scheme in found.items() if scheme is not None}, "stored")


def stored_scheme(kernel: Kernel) -> Scheme | None:
    """The scheme that the file has chosen for a kernel; None for FP32, and for formats that no scheme can name.

    Activations beside quantized weights that the file leaves in floats count as FP16, as in the presets; beside BF16 as
    that.
    """
    stored = kernel.stored
    if stored is None:
        return None
    weights = _weights(stored.weights)
    plain = BRAIN if stored.weights.brain else HALF
    activations = plain if stored.activations is None else _activations(stored.activations, stored.dynamic)
    return None if weights is None or activations is None else Scheme(weights, activations)


def _weights(form: StoredFormat) -> WeightFormat | None:
    if form.floating:
        return WeightFormat(16, floating=True, brain=form.brain) if form.bits == 16 else None
    if form.bits not in (2, 3, 4, 8, 16):
        return None
    return WeightFormat(form.bits, False, form.symmetric, form.granularity, form.group)


def _activations(form: StoredFormat, dynamic: bool) -> ActivationFormat | None:
    if form.floating:
        return (BRAIN if form.brain else HALF) if form.bits == 16 else None
    if form.bits not in ((8, 16) if dynamic else (4, 8, 16)):
        return None
    return ActivationFormat(form.bits, symmetric=form.symmetric, static=not dynamic)
