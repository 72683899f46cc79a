"""Room `tuning`: sensitivity sweeps and search.

`Estimator` ranks all (kernel, scheme) cells from a few backward passes; `ExactSweep` measures cells one in or one out
and keeps them in a `ResultStore`; `Search` turns damages into plans under budgets.
"""

from engine.tuning.agreement import Agreement, agree
from engine.tuning.estimate import CellKey, EstimatedCell, Estimates, Estimator
from engine.tuning.exact import MODE_TITLES, ExactCell, ExactSweep, Pause, cells_out, in_order, value_of
from engine.tuning.metrics import METRIC_TITLES, Metric, damage, default_metric, figure
from engine.tuning.search import (
    Budgets,
    Calibration,
    Choices,
    Proposal,
    Search,
    agreeing_kernels,
    damages,
    raise_next,
    uniform_plans,
)
from engine.tuning.store import Figures, Mode, ResultStore, StoreError
from engine.tuning.sweep import SweepCell, cells_of, sweep_one_in

__all__ = [
    "METRIC_TITLES",
    "MODE_TITLES",
    "Agreement",
    "Budgets",
    "Calibration",
    "CellKey",
    "Choices",
    "EstimatedCell",
    "Estimates",
    "Estimator",
    "ExactCell",
    "ExactSweep",
    "Figures",
    "Metric",
    "Mode",
    "Pause",
    "Proposal",
    "ResultStore",
    "Search",
    "StoreError",
    "SweepCell",
    "agree",
    "agreeing_kernels",
    "cells_of",
    "cells_out",
    "damage",
    "damages",
    "default_metric",
    "figure",
    "in_order",
    "raise_next",
    "sweep_one_in",
    "uniform_plans",
    "value_of",
]
