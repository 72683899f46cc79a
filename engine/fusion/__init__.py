"""Room `fusion`: a Graph in, Kernels out."""

from engine.fusion.fuse import fuse
from engine.fusion.types import Kernel, Kind, Network, Rules, Stored, Weight

__all__ = ["Kernel", "Kind", "Network", "Rules", "Stored", "Weight", "fuse"]
