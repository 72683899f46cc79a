"""Room `precision`: schemes, plans, presets and plan files."""

from engine.precision.plan import Plan
from engine.precision.planfile import load_plan, save_plan
from engine.precision.presets import PRESET_TITLES, preset, spread
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, PRESETS, W4A8, W8A16, Scheme, family, label
from engine.precision.stored import stored_plan, stored_scheme

__all__ = [
    "BF16",
    "FP16",
    "FP32",
    "INT4",
    "INT8",
    "PRESETS",
    "PRESET_TITLES",
    "W4A8",
    "W8A16",
    "Plan",
    "Scheme",
    "family",
    "label",
    "load_plan",
    "preset",
    "save_plan",
    "spread",
    "stored_plan",
    "stored_scheme",
]
