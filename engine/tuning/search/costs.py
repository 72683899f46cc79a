"""What plans cost on a device: tables that add up, and the figures that the simulation really gives.

Per kernel and scheme, costs are read off one simulation of a uniform plan per scheme: conversions between neighbours of
different formats are missing there (about 1 % of the latency), and come back in as a factor once a plan has been
simulated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.fusion.types import Network
from engine.npu import Device, simulate, supports, sustain
from engine.npu.results import Scenario, Simulation
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, Scheme
from engine.progress import NEVER, CancelToken
from engine.quant import plan_bytes
from engine.tuning.search.problem import Budgets, Choices, Quantity

Cell = tuple[str, Scheme]


@dataclass(frozen=True, slots=True)
class PlanCosts:
    """Figures of one plan; None without a device."""

    size_bytes: float
    operations: float
    latency_us: float | None = None
    energy_uj: float | None = None
    peak_bytes: float | None = None
    sustained_us: float | None = None

    def value(self, name: str) -> float | None:
        """A figure by name; None if it is not known."""
        found: float | None = getattr(self, name, None)
        return found


@dataclass(frozen=True, eq=False, slots=True)
class CostTables:
    """Additive costs by kernel and scheme, and of all that can't be chosen."""

    tables: Mapping[Quantity, Mapping[Cell, float]]
    constants: Mapping[Quantity, float]


def cost_tables(
    network: Network, choices: Choices, device: Device | None, *, cancel: CancelToken = NEVER
) -> CostTables:
    """Simulate one uniform plan per scheme and read off what each kernel costs.

    Args:
        network: The network.
        choices: Which schemes each kernel may take.
        device: Without one only size and operations are known.
        cancel: Checked between simulations.
    """
    offered = {kernel.id: choices.of(kernel.id) for kernel in network.tunable}
    schemes = list(dict.fromkeys(scheme for each in offered.values() for scheme in each))
    size: dict[Cell, float] = {}
    latency: dict[Cell, float] = {}
    energy: dict[Cell, float] = {}
    rest: dict[Quantity, list[float]] = {"size_bytes": [], "latency_us": [], "energy_uj": []}
    for scheme in schemes:
        cancel.check()
        plan = Plan({kernel: scheme if scheme in found else found[0] for kernel, found in offered.items()})
        taken = {kernel for kernel, found in offered.items() if scheme in found}
        packed = plan_bytes(network, plan)
        size |= {(kernel, scheme): float(packed.per_kernel[kernel]) for kernel in taken}
        rest["size_bytes"].append(packed.total - sum(packed.per_kernel[kernel] for kernel in offered))
        if device is not None:
            made = simulate(network, plan, device)
            costs = {cost.kernel: cost for cost in made.kernels}
            latency |= {(kernel, scheme): costs[kernel].latency_us for kernel in taken}
            energy |= {(kernel, scheme): costs[kernel].energy_uj for kernel in taken}
            rest["latency_us"].append(made.latency_us - sum(costs[kernel].latency_us for kernel in offered))
            rest["energy_uj"].append(made.energy_uj - sum(costs[kernel].energy_uj for kernel in offered))
    operations = {
        (kernel.id, scheme): float(kernel.macs) * scheme.weights.bits * scheme.activations.bits
        for kernel in network.tunable
        for scheme in offered[kernel.id]
    }
    tables: dict[Quantity, Mapping[Cell, float]] = {"size_bytes": size, "operations": operations}
    if device is not None:
        tables |= {"latency_us": latency, "energy_uj": energy}
    constants: dict[Quantity, float] = {name: sum(found) / len(found) for name, found in rest.items() if found}
    return CostTables(tables, constants)


def plan_costs(
    network: Network, plan: Plan, device: Device | None, budgets: Budgets, *, cancel: CancelToken = NEVER
) -> PlanCosts:
    """What a plan really costs: conversions, fallbacks, shared weights and heat included.

    Raises:
        Cancelled: If asked to stop.
    """
    size = float(plan_bytes(network, plan).total)
    operations = bit_operations(network, plan)
    if device is None:
        return PlanCosts(size, operations)
    made = simulate(network, plan, device)
    sustained = _sustained(made, device, budgets, cancel) if budgets.sustained_us is not None else None
    return PlanCosts(
        size, operations, made.latency_us, made.energy_uj, float(made.memory.peak_bytes), sustained
    )  # fmt: skip


def bit_operations(network: Network, plan: Plan) -> float:
    """Multiply-accumulates x weight bits x activation bits of all tunable kernels: what AMCT's search counts."""
    return sum(
        float(kernel.macs) * plan.scheme(kernel.id).weights.bits * plan.scheme(kernel.id).activations.bits
        for kernel in network.tunable
    )


def native_choices(network: Network, choices: Choices, device: Device) -> Choices:
    """Only schemes that the device runs as they are; others would be built in FP16, at its cost and with its error."""
    allowed = {}
    for kernel in network.tunable:
        if kernel.id in choices.locks:
            continue
        offered = choices.of(kernel.id)
        kept = tuple(s for s in offered if (s.weights.floating and not s.brain) or supports(device, kernel, s) is None)
        allowed[kernel.id] = kept or ((FP16,) if FP16 in offered else offered)
    return Choices(choices.schemes, allowed, choices.locks, choices.groups)


def _sustained(made: Simulation, device: Device, budgets: Budgets, cancel: CancelToken) -> float:
    return sustain(made, device, Scenario(minutes=budgets.sustained_minutes), cancel=cancel).final_latency_us
