"""The thermal step against scipy's matrix exponential and against the closed form of one node."""

from __future__ import annotations

from math import exp

import numpy as np
from scipy.linalg import expm

from engine.npu.thermal import network, step

PHONE = ((0.25, 6.0, 110.0), (2.0, 3.0, 5.0))
"""J/K and K/W of die, package and skin."""


def worst_error() -> float:
    """Largest difference in K over 30 minutes of half-second steps with changing power."""
    net = network(*PHONE)
    small = step(net, 0.5)
    state, reference = np.full(3, 25.0), np.full(3, 25.0)
    whole = np.zeros((5, 5))
    whole[:3, :3], whole[:3, 3:] = net.a, net.b
    exact = expm(whole * 5.0)
    worst = 0.0
    for block in range(360):
        drive = np.array([7.0 if block % 3 else 0.5, 25.0])
        for _ in range(10):
            state = small.a @ state + small.b @ drive
        reference = exact[:3, :3] @ reference + exact[:3, 3:] @ drive
        worst = max(worst, float(np.abs(state - reference).max()))
    return worst


def one_node_error() -> float:
    """Largest difference in K. With the other nodes tied to the air by almost no resistance, the die is one RC."""
    capacity, resistance = 2.0, 5.0
    net = network((capacity, 1.0, 1.0), (resistance, 1e-4, 1e-4))
    worst = 0.0
    for seconds in (1.0, 10.0, 40.0):
        found = step(net, seconds)
        heated = found.a @ np.full(3, 20.0) + found.b @ np.array([3.0, 20.0])
        expected = 20 + 3.0 * resistance * (1 - exp(-seconds / (capacity * resistance)))
        worst = max(worst, abs(float(heated[0]) - expected))
    return worst
