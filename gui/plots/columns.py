"""How people read the tables behind plots: a title and a unit for each column, and figures as the plots write them.

Files and the clipboard keep the plain names and numbers of `gui.plots.table`; this is for tables that are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication

from gui import format as fmt
from gui.plots.table import Value

translate = QCoreApplication.translate
Write = Callable[[float], str]

_UNITS: tuple[tuple[str, str, Write], ...] = (
    ("db", "dB", fmt.sqnr_figure),
    ("us", "µs", fmt.latency_figure),
    ("bytes", "KiB", fmt.kib_figure),
    ("uj", "µJ", fmt.energy_uj_figure),
    ("nats", "10⁻³ nat", fmt.milli_figure),
    ("percent", "%", fmt.fixed),
    ("w", "W", partial(fmt.fixed, decimals=2)),
    ("c", "°C", fmt.fixed),
    ("s", "s", fmt.fixed),
)
"""Last part of a name, the unit, and how its figures are written."""
_SHARES = frozenset(
    ("share", "share_so_far", "accuracy", "top1_agreement", "changed_best_class", "relative_l2", "one_out_gain_share")
)
NAMES = frozenset(("kernel", "tensor", "written_by"))
"""Columns of the model's own names, which may read like a word of ours."""
_DECIMALS = {"macs_per_ddr_byte": 2, "tops": 3}
"""Figures of one size whose points should stand below each other."""


def title(name: str) -> str:
    """Title of a column with its unit; a name that nobody knows stands for itself."""
    words = _titles().get(name, name)
    unit = _unit(name)
    return f"{words}, {unit}" if unit else words


def figure(name: str, value: Value) -> str:
    """A value of a column as the plots write it; the unit stands in the title."""
    if value is None:
        return fmt.MISSING
    if isinstance(value, str):
        return value if name in NAMES else _words().get(value, value)
    if name in _SHARES:
        return fmt.percent_figure(value)
    if name in ("cosine", "own_metric_change"):
        return fmt.cosine(value) if name == "cosine" else fmt.scientific(value, 3)
    if name in _DECIMALS:
        return fmt.small_figure(value, _DECIMALS[name])
    for end, _, write in _UNITS:
        if _ends(name, end):
            return write(value)
    return fmt.integer(value) if isinstance(value, int) else fmt.scientific(value, 4)


def _unit(name: str) -> str:
    if name in _SHARES:
        return "%"
    return next((unit for end, unit, _ in _UNITS if _ends(name, end)), "")


def _ends(name: str, end: str) -> bool:
    return name == end or name.endswith(f"_{end}")


def _titles() -> dict[str, str]:
    return {**_of_kernels(), **_of_plans(), **_of_devices(), **_of_values()}


def _of_kernels() -> dict[str, str]:
    return {
        "index": translate("Columns", "#"),
        "rank": translate("Columns", "Rank"),
        "kernel": translate("Columns", "Kernel"),
        "op": translate("Columns", "Op"),
        "scheme": translate("Columns", "Scheme"),
        "unit": translate("Columns", "Unit"),
        "bound": translate("Columns", "Bound by"),
        "feeds": translate("Columns", "Feeds"),
        "block": translate("Columns", "Block"),
        "accumulated_sqnr_db": translate("Columns", "Accumulated SQNR"),
        "previous_accumulated_sqnr_db": translate("Columns", "Accumulated SQNR, previous plan"),
        "local_sqnr_db": translate("Columns", "Local SQNR"),
        "output_sqnr_db": translate("Columns", "Output SQNR"),
        "logits_sqnr_db": translate("Columns", "SQNR of the logits"),
        "kl_nats": translate("Columns", "KL divergence"),
        "cosine": translate("Columns", "Cosine"),
        "cosine_distance": translate("Columns", "Cosine distance"),
        "changed_best_class": translate("Columns", "Changed best class"),
        "own_metric_change": translate("Columns", "Change of your own metric"),
        "one_out_gain_db": translate("Columns", "Gain when restored"),
        "in_plan": translate("Columns", "In the plan"),
        "state": translate("Columns", "State"),
        "kind": translate("Columns", "Kind"),
        "precision": translate("Columns", "Precision"),
        "sensitivity": translate("Columns", "Sensitivity"),
        "latency": translate("Columns", "Latency"),
        "local": translate("Columns", "Local error"),
        "accumulated": translate("Columns", "Accumulated error"),
        "none": translate("Columns", "Value"),
        "value": translate("Columns", "Value"),
    }


def _of_plans() -> dict[str, str]:
    return {
        "proposal": translate("Columns", "Proposal"),
        "size_bytes": translate("Columns", "Model size"),
        "peak_bytes": translate("Columns", "Peak memory"),
        "energy_uj": translate("Columns", "Energy"),
        "predicted_sqnr_db": translate("Columns", "Predicted SQNR"),
        "measured_sqnr_db": translate("Columns", "Measured SQNR"),
        "accuracy": translate("Columns", "Accuracy"),
        "breaks_a_budget": translate("Columns", "Breaks a budget"),
    }


def _of_devices() -> dict[str, str]:
    return {
        "latency_us": translate("Columns", "Latency"),
        "launch_us": translate("Columns", "Launch"),
        "previous_latency_us": translate("Columns", "Latency, previous plan"),
        "macs_per_ddr_byte": translate("Columns", "MAC per byte"),
        "tops": "TOPS",
        "lane": translate("Columns", "Lane"),
        "part": translate("Columns", "Part"),
        "start_us": translate("Columns", "Start"),
        "duration_us": translate("Columns", "Duration"),
        "tensor": translate("Columns", "Tensor"),
        "written_by": translate("Columns", "Written by"),
        "offset_bytes": translate("Columns", "Address"),
        "bytes": translate("Columns", "Size"),
        "first_kernel": translate("Columns", "Alive from #"),
        "last_kernel": translate("Columns", "Alive to #"),
        "time_s": translate("Columns", "Time"),
        "power_w": translate("Columns", "Power"),
        "die_c": translate("Columns", "Die"),
        "package_c": translate("Columns", "Package"),
        "skin_c": translate("Columns", "Skin"),
        "clock_percent": translate("Columns", "Clock"),
        "run": translate("Columns", "Run"),
        "runs": translate("Columns", "Runs"),
        "of": translate("Columns", "Of"),
        "us": translate("Columns", "Time"),
        "where": translate("Columns", "Where"),
    }


def _of_values() -> dict[str, str]:
    return {
        "channel": translate("Columns", "Channel"),
        "relative_l2": translate("Columns", "Relative L2"),
        "reference_range": translate("Columns", "Range of A"),
        "row": translate("Columns", "Row"),
        "column": translate("Columns", "Column"),
        "a": "A",
        "b": "B",
        "difference": "B − A",
        "from": translate("Columns", "From"),
        "to": translate("Columns", "To"),
        "from_us": translate("Columns", "From"),
        "to_us": translate("Columns", "To"),
        "a_count": translate("Columns", "Count in A"),
        "b_count": translate("Columns", "Count in B"),
        "figure": translate("Columns", "Figure"),
        "first": translate("Columns", "Value"),
        "second": translate("Columns", "Second value"),
    }


def _words() -> dict[str, str]:
    """Values that are identifiers in files."""
    return {
        "yes": translate("Columns", "yes"),
        "stale": translate("Columns", "stale"),
        "outlier": translate("Columns", "outlier"),
        "exact": translate("Columns", "exact"),
        "estimated": translate("Columns", "estimated"),
        "launch": translate("Columns", "launch"),
        "transfer": translate("Columns", "transfer"),
        "compute": translate("Columns", "compute"),
        "activation": translate("Columns", "activation"),
        "workspace": translate("Columns", "workspace"),
        "weights": translate("Columns", "weights"),
        "front": translate("Columns", "front"),
        "proposal": translate("Columns", "proposal"),
        "now": translate("Columns", "now"),
        "cold start": translate("Columns", "cold start"),
        "frame": translate("Columns", "frame"),
        "ahead": translate("Columns", "ahead"),
        "waited for": translate("Columns", "waited for"),
        "Kernel": translate("TimelineView", "Kernel"),
        "MTE1": translate("TimelineView", "MTE1 L1→L0"),
        "MTE2": translate("TimelineView", "MTE2 in"),
        "MTE3": translate("TimelineView", "MTE3 out"),
        "Launch": translate("Words", "Launch"),
        "DDR weights": translate("Words", "DDR weights"),
        "DDR read": translate("Words", "DDR read"),
        "DDR write": translate("Words", "DDR write"),
    }
