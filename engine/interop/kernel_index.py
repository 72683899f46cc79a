"""Which kernel a name in somebody else's file means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.interop.layer_names import layer_names
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.text import Text, say


@dataclass(frozen=True, slots=True)
class Imported:
    """A plan out of somebody else's file."""

    plan: Plan
    source: Text
    """What the file was recognised as."""
    unmatched: tuple[str, ...] = ()
    """Names in the file that this model has no layer for."""
    untouched: tuple[str, ...] = ()
    """Display names of tunable layers that the file says nothing about; they keep the given plan's scheme."""
    notes: tuple[Text, ...] = ()


class KernelIndex:
    """Tunable kernels by every name that tools know them by."""

    def __init__(self, network: Network) -> None:
        names = layer_names(network)
        own: dict[str, list[Kernel]] = {}
        weights: dict[str, list[Kernel]] = {}
        others: dict[str, list[Kernel]] = {}
        for kernel in network.tunable:
            assert kernel.weight is not None
            node = kernel.nodes[kernel.anchor]
            _put(own, kernel, (kernel.name, kernel.id, node.proto.name, names.anchors[kernel.id]))
            _put(weights, kernel, (kernel.weight.origin, kernel.weight.constant, names.weights[kernel.id]))
            inner = (n.proto.name for n in kernel.nodes)
            _put(others, kernel, (names.modules[kernel.id], node.scope, *inner, *kernel.outputs))
        self._tiers = (own, weights, others)
        self._weights = weights

    def find(self, name: str) -> tuple[Kernel, ...]:
        """The kernels of a name: none, one, or several that share the weight of that name.

        A name of the layer itself counts before that of its weight, and that before names of its other nodes.

        Raises:
            PlanError: The name fits several layers that have nothing to do with each other.
        """
        for tier in self._tiers:
            found = tier.get(name, [])
            if len(found) > 1 and tier is not self._weights:
                raise PlanError(
                    say(
                        "The name {name} means more than one layer ({first}, {second}); use a name that is unique.",
                        name=name,
                        first=found[0].name,
                        second=found[1].name,
                    )
                )
            if found:
                return tuple(found)
        return ()

    def plan(self, network: Network, schemes: Mapping[str, Scheme], base: Plan, source: Text) -> Imported:
        """Match a table of names to kernels.

        Args:
            network: The network.
            schemes: Name in the file -> scheme.
            base: What the other kernels keep.
            source: What the file was recognised as.

        Raises:
            PlanError: An ambiguous name, two names of one layer with different schemes, or no name that fits.
        """
        found: dict[str, tuple[str, Scheme]] = {}
        unmatched = []
        for name, scheme in schemes.items():
            kernels = self.find(name)
            if not kernels:
                unmatched.append(name)
            for kernel in kernels:
                known = found.get(kernel.id)
                if known is not None and known[1] != scheme:
                    raise PlanError(
                        say(
                            "{source}: {first} and {second} are the same layer ({layer}) but ask for other schemes.",
                            source=source,
                            first=known[0],
                            second=name,
                            layer=kernel.name,
                        )
                    )
                found[kernel.id] = (name, scheme)
        if schemes and not found:
            raise PlanError(
                say(
                    "{source}: none of its {count} layers is in {model}; the first is {name}.",
                    source=source,
                    count=len(schemes),
                    model=network.graph.path.name,
                    name=next(iter(schemes)),
                )
            )
        untouched = tuple(kernel.name for kernel in network.tunable if kernel.id not in found)
        plan = base.with_schemes({kernel: scheme for kernel, (_, scheme) in found.items()})
        return Imported(plan, source, tuple(unmatched), untouched)


def _put(table: dict[str, list[Kernel]], kernel: Kernel, names: Iterable[str]) -> None:
    for name in dict.fromkeys(names):
        if name:
            table.setdefault(name, []).append(kernel)
