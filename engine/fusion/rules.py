"""The two rule sets, as data."""

from __future__ import annotations

from dataclasses import dataclass

from engine.fusion.ops import ALONE, ELEMENTWISE
from engine.fusion.types import Rules


@dataclass(frozen=True, slots=True)
class RuleSet:
    """What may be fused."""

    affine: bool
    """Per-channel Mul and Add fold into the weights in front of them (BatchNorm always does)."""
    named: bool
    """Norms, activations, softmax with scale and mask, rotary: written as many nodes, run as one kernel."""
    epilogue: frozenset[str]
    """Operators of one activation operand that an anchor may take in behind it."""
    operands: int
    """Elementwise operations with another activation that an anchor may take in (residual Add, gating Mul)."""
    pools: bool
    """A convolution may take in the window pool behind it: its results never leave the chip."""
    norm_epilogue: bool
    """Whether norms take in what follows them, too."""
    chains: bool
    """Elementwise nodes in a row are one kernel; so are movements in a row."""


RULES: dict[Rules, RuleSet] = {
    "edge": RuleSet(
        affine=True,
        named=True,
        epilogue=ELEMENTWISE - ALONE,
        operands=1,
        pools=True,
        norm_epilogue=True,
        chains=True,
    ),
    "cloud": RuleSet(
        affine=False,
        named=False,
        epilogue=frozenset({"Relu"}),
        operands=0,
        pools=False,
        norm_epilogue=False,
        chains=False,
    ),
}
"""Edge compilers fuse all they can, as launches cost more than many kernels; cloud runtimes fuse the classics."""
