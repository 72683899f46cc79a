"""Plans side by side as tables for people."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from engine.cli.table import print_table
from engine.text import Count, say


def show_plans(found: Mapping[str, Any]) -> None:
    """The figures of each plan, then what differs from the first."""
    measured = any(plan["sqnr_db"] is not None for plan in found["plans"])
    print_table(
        ("plan", "size KiB", "latency µs", "peak KiB", "energy mJ", *(("SQNR dB",) if measured else ())),
        (
            (
                p["name"],
                f"{p['size_bytes'] / 1024:,.1f}",
                f"{p['latency_us']:,.1f}",
                f"{p['peak_bytes'] / 1024:,.1f}",
                f"{p['energy_uj'] / 1000:.3f}",
                *((_figure(p["sqnr_db"]),) if measured else ()),
            )
            for p in found["plans"]
        ),
    )
    for entry in found["differences"]:
        differ = Count(len(entry["kernels"]))
        print(f"\nA {entry['a']}, B {entry['b']}: {differ} {differ:kernel differs|kernels differ}")
        print_table(("A", "B", "kernels"), ((t["a"], t["b"], str(t["kernels"])) for t in entry["transitions"]))
        if entry["kernels"]:
            print("A - B:")
            _show_kernels(entry["kernels"], measured)
    for note in found["notes"]:
        print(note)
    if found["synthetic_data"]:
        print(say("Synthetic input: the errors are indicative only; give real samples with --data and --calib."))


def _show_kernels(kernels: list[Mapping[str, Any]], measured: bool) -> None:
    print_table(
        ("name", "A", "B", "size KiB", "latency µs", *(("accumulated dB",) if measured else ())),
        (
            (
                k["name"],
                k["a"],
                k["b"],
                _change(k["size_bytes"], 1 / 1024),
                _change(k["latency_us"]),
                *((_change(k["accumulated_sqnr_db"]),) if measured else ()),
            )
            for k in kernels
        ),
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}" if isfinite(value) else "exact"


def _change(figure: Mapping[str, float | None], scale: float = 1.0) -> str:
    """What A has more than B."""
    a, b = figure["a"], figure["b"]
    return "–" if a is None or b is None or not isfinite(a - b) else f"{(a - b) * scale:+,.2f}"
