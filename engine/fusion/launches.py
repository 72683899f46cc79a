"""How many launches each rule set leaves of a model's nodes."""

from __future__ import annotations

from dataclasses import dataclass

from engine.fusion.fuse import fuse
from engine.fusion.types import Rules
from engine.graph.types import Graph


@dataclass(frozen=True, slots=True)
class Launches:
    """Before and after: one launch per node, or one per kernel."""

    nodes: int
    """Nodes that run: what an executor without any fusion would launch."""
    cloud: int
    edge: int

    def after(self, rules: Rules) -> int:
        """Kernels under a rule set."""
        return self.edge if rules == "edge" else self.cloud

    def saved(self, rules: Rules) -> int:
        """Launches that a rule set saves of one per node."""
        return self.nodes - self.after(rules)


def launches_saved(graph: Graph) -> Launches:
    """Count the kernels of a model under both rule sets."""
    return Launches(len(graph.nodes), len(fuse(graph, "cloud").kernels), len(fuse(graph, "edge").kernels))
