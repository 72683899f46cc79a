"""Exact sweep, one in: only one kernel takes a scheme, the rest stays the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.numerics.results import OutputError
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme
from engine.progress import NEVER, CancelToken


@dataclass(frozen=True, slots=True)
class SweepCell:
    """Output error of the network with only `kernel` in `scheme`."""

    kernel: str
    scheme: Scheme
    output: OutputError


def cells_of(network: Network, schemes: Iterable[Scheme] = (INT4, INT8, FP16)) -> list[tuple[str, Scheme]]:
    """All cells of a sweep, from the end of the network to its start.

    Late kernels come first because little lies behind them: the first results appear at once.
    """
    kinds = tuple(schemes)
    return [(kernel.id, scheme) for kernel in reversed(network.tunable) for scheme in kinds]


def sweep_one_in(
    evaluator: Evaluator, cells: Iterable[tuple[str, Scheme]], *, cancel: CancelToken = NEVER
) -> Iterator[SweepCell]:
    """Measure each cell by running what lies behind its kernel.

    Args:
        evaluator: one of its own (see `Evaluator.fork`): its buffers are overwritten.
        cells: (kernel id, scheme) in the order to measure.
        cancel: checked between kernels.
    """
    for kernel, scheme in cells:
        cancel.check()
        yield SweepCell(kernel, scheme, evaluator.evaluate(Plan({kernel: scheme}), cancel=cancel).output)
