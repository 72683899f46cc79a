"""The kernels of the network as columns of a plot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.precision.scheme import Scheme, family, label

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
    return KernelColumns(
        ids,
        tuple(kernel.name for kernel in network.kernels),
        tuple(kernel.op for kernel in network.kernels),
        tuple(families),
        tuple(labels),
        {kernel_id: i for i, kernel_id in enumerate(ids)},
    )


def short_name(name: str) -> str:
    """The last part of a layer name, with the number in front of it: "features.3.dw" is "3.dw"."""
    mark = "/" if "/" in name.strip("/") else "."
    parts = [part for part in name.split(mark) if part]
    if not parts:
        return name
    start = len(parts) - 1
    while start > 0 and parts[start].isdigit():
        start -= 1
    if start > 0 and parts[start - 1].isdigit():
        start -= 1
    return mark.join(parts[start:])
