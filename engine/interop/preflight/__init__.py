"""Preflight: what will hurt on a device, which kernels it is about, what it costs, and what to do."""

from engine.interop.preflight.check import in_order, preflight, steps
from engine.interop.preflight.finding import Facts, Finding, Limits, Severity
from engine.interop.preflight.observed import Observed, observe

__all__ = ["Facts", "Finding", "Limits", "Observed", "Severity", "in_order", "observe", "preflight", "steps"]
