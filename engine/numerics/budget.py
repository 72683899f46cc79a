"""How the evaluator's memory is shared out between activations and sessions."""

from __future__ import annotations

from engine.fusion.types import Network
from engine.numerics.buffers import activation_bytes

MEMORY_LIMIT = 2 << 30
"""Bytes that activations and sessions may take together, if nobody says otherwise."""
_LEAST_SESSION_BYTES = 256 << 20
_COPIES = 2
"""Activations of every sample twice, in the reference and in the current plan; weights in the sessions of both."""


def shares(network: Network, samples: int, memory_limit: int) -> tuple[int, int]:
    """Bytes for buffers of activations, and for sessions.

    Args:
        network: What runs.
        samples: How many.
        memory_limit: Bytes for both.
    """
    buffers = max(0, memory_limit - _LEAST_SESSION_BYTES)
    activations = _COPIES * samples * activation_bytes(network)
    return buffers, max(_LEAST_SESSION_BYTES, memory_limit - min(activations, buffers))


def samples_within(network: Network, memory_limit: int = MEMORY_LIMIT) -> int:
    """How many samples at most leave room for the sessions of the reference and of a plan; 0 if none does."""
    weights = sum(array.nbytes for kernel in network.kernels for array in kernel.constants.values())
    room = memory_limit - max(_LEAST_SESSION_BYTES, _COPIES * weights)
    return max(0, room // (_COPIES * max(1, activation_bytes(network))))
