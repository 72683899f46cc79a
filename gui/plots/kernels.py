"""The kernels of the network as columns of a plot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.precision.scheme import Scheme, family, label
from gui.kernel_names import short_names

if TYPE_CHECKING:
    from engine.session import Session

NO_SWITCH = "none"
"""Stands for a family where a kernel has no precision of its own."""


@dataclass(frozen=True, slots=True)
class KernelColumns:
    """One entry per kernel, in execution order."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    """Precision family of the current plan; "CPU" and "none" for kernels without a switch."""
    labels: tuple[str, ...] = ()
    """Short name of the scheme; the unit or '' for kernels without a switch."""
    index: dict[str, int] = field(default_factory=dict)
    short: tuple[str, ...] = ()
    """Short names."""

    def __len__(self) -> int:
        return len(self.ids)


def kernel_columns(session: Session) -> KernelColumns:
    """The columns of the session's network under its plan; empty without a model."""
    network = session.network
    if network is None:
        return KernelColumns()
    simulation = session.figures.simulation
    on_cpu = {cost.kernel for cost in simulation.kernels if cost.unit == "CPU"} if simulation else frozenset[str]()
    families, labels = [], []
    for kernel in network.kernels:
        scheme: Scheme | None = session.plan.scheme(kernel.id) if kernel.tunable else None
        outside = "CPU" if kernel.id in on_cpu else NO_SWITCH
        families.append(family(scheme) if scheme else outside)
        labels.append(label(scheme) if scheme else "CPU" if outside == "CPU" else "")
    ids = tuple(kernel.id for kernel in network.kernels)
    names = tuple(kernel.name for kernel in network.kernels)
    return KernelColumns(
        ids,
        names,
        tuple(kernel.op for kernel in network.kernels),
        tuple(families),
        tuple(labels),
        {kernel_id: i for i, kernel_id in enumerate(ids)},
        short_names(names).short,
    )
