"""Room `fusion`: a Graph in, Kernels out."""

from engine.fusion.explain import NotFused, explain
from engine.fusion.fuse import fuse
from engine.fusion.launches import Launches, launches_saved
from engine.fusion.types import Kernel, Kind, Network, Rules, Stored, Weight

__all__ = [
    "Kernel",
    "Kind",
    "Launches",
    "Network",
    "NotFused",
    "Rules",
    "Stored",
    "Weight",
    "explain",
    "fuse",
    "launches_saved",
]
