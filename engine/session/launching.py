"""What fusion saves on a device: launches, the time they cost, and why some kernels stayed apart."""

from __future__ import annotations

from dataclasses import dataclass

from engine.fusion import fuse
from engine.fusion.explain import NotFused, explain
from engine.fusion.types import Network, Rules
from engine.npu import Device, simulate
from engine.npu.results import Simulation
from engine.precision.plan import Plan
from engine.session.document import refitted


@dataclass(frozen=True, slots=True)
class LaunchCost:
    """One way to cut the model into launches."""

    launches: int
    launch_us: float
    """Time of one run that goes into launches."""
    latency_us: float | None
    """Of one run; None where nobody simulates it (node by node)."""

    @property
    def share(self) -> float | None:
        """Part of the latency that goes into launches, 0 to 1."""
        return self.launch_us / self.latency_us if self.latency_us else None


@dataclass(frozen=True, slots=True)
class FusionReport:
    """The model node by node, under the cloud rules and under the edge rules, on one device and with one plan."""

    nodes: LaunchCost
    """Each node as a launch of its own: what the cloud rules launch, and a Vector launch for each node in there."""
    cloud: LaunchCost
    edge: LaunchCost
    not_fused: tuple[NotFused, ...]
    """Neighbours that stayed apart under the rules in use."""

    def of(self, rules: Rules) -> LaunchCost:
        """The cost under a rule set."""
        return self.edge if rules == "edge" else self.cloud


def fusion_report(network: Network, plan: Plan, device: Device) -> FusionReport:
    """Fuse by both rule sets and simulate both; a kernel that only the other rules make gets FP16.

    Takes about as long as three simulations.
    """
    costs = {}
    for rules in ("cloud", "edge"):
        other = network if rules == network.rules else fuse(network.graph, rules)
        fitted = plan if other is network else refitted(plan, other)
        costs[rules] = other, simulate(other, fitted, device)
    cloud, edge = (_cost(costs[rules][1]) for rules in ("cloud", "edge"))
    more = len(network.graph.nodes) - len(costs["cloud"][0].kernels)
    nodes = LaunchCost(cloud.launches + more, cloud.launch_us + more * saved_launch_us(device), None)
    return FusionReport(nodes, cloud, edge, explain(network))


def not_fused(network: Network) -> tuple[NotFused, ...]:
    """Neighbours that stayed apart under the rules in use, and why."""
    return explain(network)


def saved_launch_us(device: Device) -> float:
    """What a launch costs that fusion saves: additions, activations and norms run on the Vector unit."""
    return float(device.number("launch.vector"))


def _cost(simulation: Simulation) -> LaunchCost:
    launches = sum(cost.launch_us > 0 for cost in simulation.kernels)
    return LaunchCost(launches, simulation.launch_us, simulation.latency_us)
