"""Estimated sweep: every (kernel, scheme) cell from a few backward passes of random probes."""

from engine.tuning.estimate.estimator import Estimator, estimate
from engine.tuning.estimate.results import CellKey, EstimatedCell, Estimates

__all__ = ["CellKey", "EstimatedCell", "Estimates", "Estimator", "estimate"]
