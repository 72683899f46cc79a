"""Dumps and their comparison as tables for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.cli.table import print_table
from engine.text import Count


def show_dump(found: Mapping[str, Any]) -> None:
    """What was written."""
    tensors, samples = Count(found["tensors"]), Count(found["samples"])
    print(
        f"wrote {found['path']}: {tensors} {tensors:tensor|tensors}, {samples} {samples:sample|samples}, "
        f"{found['bytes']:,} bytes"
    )
    for left in found["left_out"]:
        print(f"left out {left['tensor']}: {left['reason']}")
    for note in found["notes"]:
        print(note)


def show_compare(found: Mapping[str, Any]) -> None:
    """One row per tensor, then where the error starts."""
    metrics = found["metrics"]
    rows = []
    for at, layer in enumerate(found["layers"]):
        figures = [figure_text(m, layer["figures"][m]) if m in layer["figures"] else "–" for m in metrics]
        mark = "missed" if layer["missed"] else ""
        rows.append((str(at), layer["name"], str(layer["sample"]), layer["matched"], *figures,
                     layer["problem"] or mark))  # fmt: skip
    print_table(("#", "name", "sample", "matched by", *metrics, ""), rows)
    for side in ("a", "b"):
        names = found[f"only_{side}"]
        if names:
            print(f"only in {found[side]}: {len(names)} ({', '.join(names[:5])}{', …' if len(names) > 5 else ''})")
    for note in found["notes"]:
        print(note)
    if found["first_bad"] is not None:
        print(found["first_bad"]["text"])
    elif found["thresholds"]:
        print("every layer meets the thresholds")


def figure_text(metric: str, value: float) -> str:
    """A figure with as many decimals as all others of its column: dB, similarities up to 1, errors of any size."""
    if metric == "sqnr_db":
        return f"{value:.2f}"
    return f"{value:.6f}" if metric in ("cosine", "CosineSimilarity") else f"{value:.4e}"
