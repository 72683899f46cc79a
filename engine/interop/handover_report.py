"""The hand-over report: a plain text file beside what was exported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from engine.fusion.types import Network
from engine.interop.handover import Change, Effect, Handover, spell
from engine.precision.plan import Plan
from engine.precision.presets import plan_title
from engine.precision.scheme import label
from engine.text import Text
from engine.version import VERSION

_WIDTH = 100


def report_text(
    network: Network,
    plan: Plan,
    title: Text,
    handover: Handover,
    *,
    effect: Effect | None = None,
    files: Sequence[tuple[str, str]] = (),
    steps: Sequence[str] = (),
) -> str:
    """Write down what the target was given and what it will do with it.

    Args:
        network: The model.
        plan: What the user wants.
        title: Of the target.
        handover: What the target will run.
        effect: What that does to size, latency and error.
        files: Names of the files and what each is for.
        steps: What to do with them.
    """
    lines = [
        f"Hand-over of {network.graph.path.name} to {title}",
        f"Written by Mixbit {VERSION}; model SHA-256 {network.graph.sha256}",
        "",
        f"Plan {plan_title(plan.name) or 'without a name'}: {_counts(plan, network)}",
        f"The target runs: {_counts(handover.effective_plan, network)}",
        "",
    ]
    lines += _changes(handover.changes)
    if effect is not None:
        lines += ["Effect of these changes", *_effect(effect), ""]
    if handover.notes:
        lines += ["Notes", *_bullets(map(str, handover.notes)), ""]
    if files:
        lines += ["Files", *(f"  {name:<24} {use}" for name, use in files), ""]
    if steps:
        lines += ["What to do", *(f"  {number}. {step}" for number, step in enumerate(steps, 1)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _counts(plan: Plan, network: Network) -> str:
    counts: dict[str, int] = {}
    for kernel in network.tunable:
        name = label(plan.scheme(kernel.id))
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "no tunable layer"


def _changes(changes: Sequence[Change]) -> list[str]:
    if not changes:
        return ["Changes: none; the target runs the plan as it is.", ""]
    lines = ["Changes"]
    groups: dict[tuple[str, str, str], list[str]] = {}
    for change in changes:
        groups.setdefault((spell(change.asked), spell(change.gets), str(change.reason)), []).append(change.name)
    for (asked, gets, reason), names in groups.items():
        count = f"{len(names)} layer{'s' if len(names) > 1 else ''}"
        lines += [f"  {count}: {asked} -> {gets}", f"    {reason}", *_wrapped(names)]
    return [*lines, ""]


def _wrapped(names: Sequence[str]) -> list[str]:
    lines, current = [], "   "
    for number, name in enumerate(names):
        piece = f" {name}{',' if number + 1 < len(names) else ''}"
        if len(current) + len(piece) > _WIDTH and current.strip():
            lines.append(current)
            current = "   "
        current += piece
    return [*lines, current]


def _bullets(texts: Iterable[str]) -> list[str]:
    return [f"  - {text}" for text in texts]


def _effect(effect: Effect) -> list[str]:
    lines = [_row("size", effect.asked_bytes, effect.gets_bytes, "bytes", ",.0f")]
    if effect.asked_latency_us is not None and effect.gets_latency_us is not None:
        lines.append(_row("latency (simulated)", effect.asked_latency_us, effect.gets_latency_us, "us", ",.1f"))
    if effect.asked_sqnr_db is not None and effect.gets_sqnr_db is not None:
        lines.append(_row("output SQNR", effect.asked_sqnr_db, effect.gets_sqnr_db, "dB", ".2f"))
    return lines


def _row(name: str, asked: float, gets: float, unit: str, form: str) -> str:
    change = f" ({100 * (gets - asked) / asked:+.1f} %)" if unit != "dB" and asked else ""
    return f"  {name:<20} {_number(asked, form)} -> {_number(gets, form)} {unit}{change}"


def _number(value: float, form: str) -> str:
    return format(value, form) if isfinite(value) else ("exact" if value > 0 else "no signal left")
