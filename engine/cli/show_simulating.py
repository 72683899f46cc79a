"""Simulated runs and device profiles as tables for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.cli.table import print_table
from engine.interop.report_units import clock

STAGES = {
    "read": "reading the file",
    "parse": "parsing it",
    "init": "initialising the runtime",
    "compile": "compiling on the device",
    "load": "loading compiled kernels",
    "relayout": "weights into the device's layout",
    "warm-up": "warm-up run",
    "first run": "first run",
}


def show_simulate(found: Mapping[str, Any]) -> None:
    """The cost."""
    if found["explained"] is not None:
        _explained(found["explained"])
        return
    columns = ("#", "name", "unit", "start µs", "latency µs", "launch µs", "KiB", "bound by")
    print_table(
        columns,
        (
            (
                str(i),
                k["name"],
                k["unit"],
                f"{k['start_us']:.1f}",
                f"{k['latency_us']:.1f}",
                f"{k['launch_us']:.1f}",
                f"{k['bytes'] / 1024:.1f}",
                k["bound"],
            )
            for i, k in enumerate(found["kernels"])
        ),
    )
    _usage(found)
    _cold_start(found["cold_start"])
    _frames(found["frames"])
    _summary(found)
    for note in found["notes"]:
        print(note)
    for path in found["written"]:
        print(f"wrote {path}")


def _usage(found: Mapping[str, Any]) -> None:
    used, whole = found["utilization"], found["latency_us"]
    if used["top"]:
        print(f"\ntop {len(used['top'])} kernels by time")
        rows = (
            (k["name"], f"{k['latency_us']:.1f}", f"{k['share']:.1%}", f"{_cumulated(used['top'], i):.1%}", k["bound"])
            for i, k in enumerate(used["top"])
        )
        print_table(("name", "latency µs", "of the run", "so far", "bound by"), rows)
    print("\nbusy part of the run")
    units = [(unit, f"{us:.1f}", f"{us / whole:.1%}") for unit, us in used["units_us"].items() if whole]
    print_table(
        ("unit", "µs", "of the run"), [*units, ("any unit", f"{used['npu'] * whole:.1f}", f"{used['npu']:.1%}")]
    )
    for cause, us in used["gaps_us"].items():
        print(f"gaps: {us:.1f} µs, {us / whole:.1%} ({cause.lower() if cause != 'CPU' else cause})")
    print(used["advice"])


def _cumulated(top: list[Mapping[str, Any]], last: int) -> float:
    return float(sum(k["share"] for k in top[: last + 1]))


def _cold_start(found: Mapping[str, Any]) -> None:
    print(
        f"\ncold start: {found['wait_us'] / 1e3:.2f} ms to the first result, "
        f"later ones {found['steady_us'] / 1e3:.2f} ms"
    )
    rows = ((STAGES[p["stage"]], f"{p['us'] / 1e3:.3f}", "ahead" if p["ahead"] else "") for p in found["parts"])
    print_table(("part", "ms", ""), rows)


def _frames(found: Mapping[str, Any]) -> None:
    steps = ", ".join(f"{step} {us:.1f}" for step, us in found["steps_us"].items() if us)
    print(f"\nframes, {found['path']['mode']}: {steps} µs")
    waits = "" if found["waits_for"] == "-" else f", waits {found['gap_us']:.1f} µs per frame ({found['waits_for']})"
    print(
        f"{found['frames_per_second']:.1f} per second, latency {found['latency_us'] / 1e3:.3f} ms; "
        f"of the time per frame the run takes {found['npu_utilization']:.0%} (its launches and gaps included){waits}, "
        f"the CPU's steps {found['cpu_utilization']:.0%}"
    )
    if found["dropped"]:
        print(f"{found['dropped']:.0%} of the frames that arrive are dropped")


def _summary(found: Mapping[str, Any]) -> None:
    sustained, cool = found["sustained"], found["answers"]["cool"]
    print(f"\n{found['device']}: {found['latency_us'] / 1e3:.3f} ms ±{found['error_band']:.0%} (simulated)")
    print(f"peak memory {found['peak_bytes']:,} bytes, model size {found['size_bytes']:,} bytes")
    print(f"energy {found['energy_uj'] / 1e3:.3f} mJ per run")
    throttled = sustained["throttled_at_s"]
    print(
        f"after {sustained['minutes']:g} min: {sustained['latency_us'] / 1e3:.3f} ms, "
        f"{found['answers']['runs_per_second']:.1f} runs per second, skin {sustained['temperature_c']:.1f} °C, "
        + ("no throttling" if throttled is None else f"first throttled after {clock(throttled)} min")
    )
    print(f"clock that is never throttled: {cool['clock']:.0%}, {cool['latency_us'] / 1e3:.3f} ms")


def _explained(found: Mapping[str, Any]) -> None:
    print(f"{found['name']}: {found['latency_us']:.2f} µs, bound by {found['bound']}")
    print(found["why"])
    for section in found["sections"]:
        print()
        rows = ((line["name"], line["value"], line["formula"]) for line in section["lines"])
        print_table((section["title"], "", ""), rows)
    if found["lifts"]:
        print()
        rows = ((k["change"], f"{k['latency_us']:.2f} µs", f"−{k['gain_us']:.2f}") for k in found["lifts"])
        print_table(("What would lift it", "", ""), rows)


def show_devices(found: Mapping[str, Any]) -> None:
    """The profiles, or the values of one."""
    if "values" not in found["devices"][0]:
        print_table(("name", "title", "note"), ((d["name"], d["title"], d["note"]) for d in found["devices"]))
        return
    (shown,) = found["devices"]
    print(f"{shown['name']}: {shown['title']}. {shown['note']}")
    rows = (
        (v["key"], _value(v["value"]), v["unit"], v["origin"], "; ".join(w for w in (v["meaning"], v["note"]) if w))
        for v in shown["values"]
    )
    print_table(("field", "value", "unit", "origin", "meaning"), rows)
    for reason in shown["refusals"]:
        print(reason)


def _value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(f"{entry:g}" for entry in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
