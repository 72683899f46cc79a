"""Thermal network of three nodes in a row: die, package, skin, then air. Stepped exactly.

With heat capacities C (J/K) and resistances R (K/W): C dT/dt = -G T + P at the die + ambient / R_skin at the skin,
which is dT/dt = A T + B u with u = (power in W, ambient in C). Over a step with constant u the solution is
T+ = e^(A dt) T + A^-1 (e^(A dt) - I) B u.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.npu.device import Device

NODES = ("die", "package", "skin")


class Network(NamedTuple):
    """Matrices of the continuous system."""

    a: Array
    """float64 [3, 3], 1/s."""
    b: Array
    """float64 [3, 2]: columns for power in W and ambient temperature in C."""
    capacity: Array
    """float64 [3], J/K."""


class Step(NamedTuple):
    """Matrices of one step: T+ = a T + b u."""

    a: Array
    b: Array


def network(capacity: tuple[float, ...], resistance: tuple[float, ...]) -> Network:
    """The system for capacities in J/K and resistances in K/W (die-package, package-skin, skin-air)."""
    c = np.asarray(capacity, np.float64)
    die, package, skin = (1.0 / r for r in resistance)
    conductance = np.array([[-die, die, 0.0], [die, -die - package, package], [0.0, package, -package - skin]])
    drive = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, skin]])
    return Network(conductance / c[:, None], drive / c[:, None], c)


def of_device(device: Device) -> Network:
    """The system of a device."""
    return network(device.numbers("thermal.capacity"), device.numbers("thermal.resistance"))


def step(net: Network, seconds: float) -> Step:
    """Matrices of a step of that many seconds.

    A is similar to a symmetric matrix (scale rows by sqrt C), so its exponential comes from a symmetric
    eigendecomposition, which is exact to rounding for any step.
    """
    root = np.sqrt(net.capacity)
    symmetric = net.a * root[:, None] / root[None, :]
    values, vectors = np.linalg.eigh((symmetric + symmetric.T) / 2)
    grown = (vectors * np.exp(values * seconds)) @ vectors.T
    # expm1 keeps the digits of short steps: A^-1 (e^(A dt) - I) = V ((e^(w dt) - 1) / w) V^-1.
    held = (vectors * (np.expm1(values * seconds) / values)) @ vectors.T
    return Step(grown / root[:, None] * root[None, :], (held / root[:, None] * root[None, :]) @ net.b)


def steady(net: Network, power_w: float, ambient_c: float) -> Array:
    """Temperatures that a constant power ends at, float64 [3] in C."""
    found: Array = -np.linalg.solve(net.a, net.b @ np.array([power_w, ambient_c]))
    return found
