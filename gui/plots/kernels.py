"""The kernels of the network as columns of a plot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.precision.scheme import Scheme, family, label

if TYPE_CHECKING:
    from engine.session import Session

GENERIC = frozenset({"conv", "conv1d", "conv2d", "convtranspose", "dense", "fc", "gemm", "linear", "matmul", "proj"})
"""Last words of layer names that say the operator and not the place."""
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
    """The last part of a layer name, with the number in front of it: "features.3.dw" is "3.dw".

    A word that many layers end with says nothing alone and keeps the one before it: "stem.conv".
    """
    parts, mark = _parts(name)
    return mark.join(parts[_start(parts) :]) if parts else name


def short_names(names: Sequence[str]) -> list[str]:
    """Short names of the kernels of a network; one more word where it tells a kernel from all others."""
    short = [short_name(name) for name in names]
    longer = [_longer(name) for name in names]
    seen, told = Counter(short), Counter(longer)
    return [b if seen[a] > 1 and told[b] == 1 else a for a, b in zip(short, longer, strict=True)]


def _parts(name: str) -> tuple[list[str], str]:
    """Words of a name and what stands between them."""
    mark = "/" if "/" in name.strip("/") else "."
    return [part for part in name.split(mark) if part], mark


def _longer(name: str) -> str:
    parts, mark = _parts(name)
    return mark.join(parts[max(0, _start(parts) - 1) :]) if parts else name


def _start(parts: Sequence[str]) -> int:
    """Where the short name begins."""
    start = len(parts) - 1
    while start > 0 and parts[start].isdigit():
        start -= 1
    alone = start == len(parts) - 1
    if start > 0 and parts[start - 1].isdigit():
        return start - 1
    if start > 0 and alone and parts[start].lower() in GENERIC and parts[start - 1].lower() != parts[start].lower():
        return start - 1
    return start
