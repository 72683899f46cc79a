"""Results as tables for people."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, isnan
from typing import Any

from engine.cli.table import print_table
from engine.session.wishes import LIMIT_TITLES
from engine.text import Count, say
from engine.tuning.metrics import METRIC_TITLES, Metric, in_decibels

_MEANINGS = {
    Metric.SQNR: "Signal to quantization noise at the model's outputs, which mixbit evaluate calls output SQNR.",
    Metric.LOGITS: "Signal to quantization noise in front of the last softmax or sigmoid, where errors add "
    "up; mixbit evaluate's output SQNR is measured behind it, and differs.",
    Metric.KL: "Mean Kullback-Leibler divergence of the class distribution from the reference's.",
    Metric.COSINE: "One minus the cosine similarity of the model's outputs and the reference's.",
    Metric.TOP1: "Share of the rows whose most likely class is no longer the reference's.",
    Metric.OWN: "How far your own metric moves away from its value in full precision.",
}
"""What a value of a metric is, in one sentence."""


def show_inspect(found: Mapping[str, Any]) -> None:
    """The kernels."""
    model = found["model"]
    inputs = ", ".join(f"{i['name']} {i['dtype']}{list(i['shape'])}" for i in model["inputs"])
    print(f"{model['path']}: opset {model['opset']}, {inputs}")
    kernels = Count(len(found["kernels"]))
    print(f"{kernels} {kernels:kernel|kernels}, {model['tunable']} tunable, {model['params']:,} parameters")
    columns = ("#", "name", "op", "unit", "params", "MACs", "output", "switch")
    print_table(
        columns,
        (
            (
                str(i),
                k["name"],
                k["op"],
                k["unit"],
                f"{k['params']:,}",
                f"{k['macs']:,}",
                " ".join("×".join(map(str, s)) for s in k["output_shapes"]),
                "yes" if k["tunable"] else k["why_not"],
            )
            for i, k in enumerate(found["kernels"])
        ),
    )
    for note in model["notes"]:
        print(note)
    if "launches" in found:
        _show_launches(found["launches"], {k["id"]: k["name"] for k in found["kernels"]}, model["fusion"])


def _show_launches(found: Mapping[str, Any], names: Mapping[str, str], rules: str) -> None:
    """Before and after fusion, and what stayed apart."""
    titles = {"node_by_node": "node by node", "cloud": "cloud rules", "edge": "edge rules"}
    first = found["node_by_node"]["launches"]
    print()
    print_table(
        ("fusion", "launches", "saved", "launches µs", "latency µs", "share of latency"),
        (
            (
                title + (" *" if key == rules else ""),
                str(cost["launches"]),
                str(first - cost["launches"]),
                f"{cost['launch_us']:,.1f}",
                "–" if cost["latency_us"] is None else f"{cost['latency_us']:,.1f}",
                "–" if cost["share"] is None else f"{cost['share']:.1%}",
            )
            for key, title in titles.items()
            for cost in (found[key],)
        ),
    )
    if found["not_fused"]:
        print()
        print_table(
            ("not fused", "kernel", "stayed apart", "why"),
            (
                (n["pattern"], names[n["kernel"]], ", ".join(names[each] for each in n["others"]), n["reason"])
                for n in found["not_fused"]
            ),
        )


def show_evaluate(found: Mapping[str, Any]) -> None:
    """The errors."""
    if found["msaccucmp"]:
        _show_npu_figures(found)
        print()
    columns = ("#", "name", "scheme", "local SQNR dB", "accumulated SQNR dB")
    print_table(
        columns,
        (
            (str(i), k["name"], k["scheme"] or "–", _db(k["local_sqnr_db"]), _db(k["accumulated_sqnr_db"]))
            for i, k in enumerate(found["kernels"])
        ),
    )
    if len(found["outputs"]) > 1:
        print()
        rows = [
            (each["name"], _db(each["sqnr_db"]), "–" if each["cosine"] is None else f"{each['cosine']:.5f}")
            for each in found["outputs"]
        ]
        print_table(("output", "SQNR dB", "cosine"), rows)
        print("All measured outputs together, each scaled to unit power:")
    out = found["output"]
    print(f"output SQNR {_with_db(out['sqnr_db'])}, cosine {out['cosine']:.5f}, {_samples(found)}")
    for key, title in (("top1_agreement", "top-1 agreement"), ("accuracy", "accuracy"), ("reference_accuracy", "FP32"),
                       ("top5_accuracy", "top-5 accuracy"), ("reference_top5_accuracy", "FP32 top-5")):  # fmt: skip
        if out[key] is not None:
            print(f"{title} {out[key]:.2%}")
    if out["perplexity"] is not None:
        print(f"perplexity {out['perplexity']:.4g}, FP32 {out['reference_perplexity']:.4g}")
        print(f"KL divergence {out['kl']:.3g} nats per token")
    if found["user_metric"]:
        own = found["user_metric"]
        print(f"{own['metric'].rpartition(':')[2]} {own['value']:.6g}, FP32 {own['reference']:.6g}")
    print(f"model size {found['size_bytes']:,} bytes")
    for note in found["notes"]:
        print(note)
    if found["synthetic_data"]:
        print(say("Synthetic input: the errors are indicative only; give real samples with --data and --calib."))


def _show_npu_figures(found: Mapping[str, Any]) -> None:
    """The ten figures of every kernel, as a result file of the tool has them."""
    columns = next(iter(found["msaccucmp"].values())).keys()
    names = {k["id"]: k["name"] for k in found["kernels"]}
    print_table(
        ("name", *columns),
        (
            (names[kernel], *(figure if isinstance(figure, str) else f"{figure:.6f}" for figure in row.values()))
            for kernel, row in found["msaccucmp"].items()
        ),
    )


def show_written(found: Mapping[str, Any]) -> None:
    """What was written."""
    print(f"wrote {found['path']}")
    for change in found.get("changes", ()):
        print(f"{change['name']}: {change['asked']} becomes {change['gets']} there. {change['reason']}")
    for note in found.get("notes", ()):
        print(note)


def show_sweep(found: Mapping[str, Any]) -> None:
    """Cells, worst first."""
    metric = Metric(found["metric"])
    print_table(
        ("rank", "name", "scheme", str(METRIC_TITLES[metric]), "kind"),
        (
            (str(i), c["name"], c["scheme"], _figure(metric, c["value"]), c["kind"])
            for i, c in enumerate(found["cells"], 1)
        ),
    )
    print(_MEANINGS[metric])
    for kernel, reason in found["blocked"].items():
        print(f"{kernel}: no estimate; {reason}")
    probes = "" if found["probes"] is None else f", {found['probes']} probe{'s' * (found['probes'] > 1)} a sample"
    count = len(found["cells"])
    print(f"{count} {'cell' if count == 1 else 'cells'} in {found['seconds']:.2f} s, {_samples(found)}{probes}")
    for note in found["notes"]:
        print(note)


def show_search(found: Mapping[str, Any]) -> None:
    """The proposal."""
    counts: dict[str, int] = {}
    for scheme in found["plan"].values():
        counts[scheme] = counts.get(scheme, 0) + 1
    print("plan: " + ", ".join(f"{count} × {scheme}" for scheme, count in sorted(counts.items())))
    measured = found["measured"]
    metric = Metric(found["metric"])
    values = [_with_unit(metric, value) for value in (found["predicted"]["value"], measured["value"])]
    print(f"{METRIC_TITLES[metric]}: predicted {values[0]}, measured {values[1]}")
    print(_MEANINGS[metric])
    print(
        f"size {measured['size_bytes']:,.0f} bytes, latency {measured['latency_us'] / 1e3:.3f} ms, "
        f"energy {measured['energy_uj'] / 1e3:.3f} mJ, peak {measured['peak_bytes']:,.0f} bytes (simulated)"
    )
    print(f"errors over {_samples(found)}")
    for budget, beyond in found["overdrawn"].items():
        print(f"not met: {LIMIT_TITLES[budget]}, by {_beyond(metric, budget, beyond)}; this is the nearest plan")
    for held in found["held_back"]:
        print(held["text"])
    if found["held_back"]:
        print("Add --allow-non-native to give them smaller formats all the same: the device builds those in FP16.")
    if found["binding"]:
        print("binding: " + ", ".join(str(LIMIT_TITLES[name]) for name in found["binding"]))
    for point in found["pareto"]:
        print(
            f"  {point['latency_us'] / 1e3:.3f} ms  {point['size_bytes']:,.0f} bytes  predicted "
            f"{_with_unit(metric, point['predicted'])}"
        )
    for note in found["notes"]:
        print(note)
    if found["path"]:
        print(f"wrote {found['path']}")


def _beyond(metric: Metric, budget: str, share: float) -> str:
    """How far a budget is missed: noise in dB, all else as a share of it, or as a factor where that is large."""
    if budget == "damage" and metric.higher_is_better:
        return f"{in_decibels(1 + share):.1f} dB"
    return f"{share:.1%}" if share < 10 else f"a factor of {1 + share:,.0f}"


def _samples(found: Mapping[str, Any]) -> str:
    """How many evaluation samples were used, and how to use all of them."""
    used, there = found["samples"], found["samples_available"]
    return (
        f"{used} {Count(used):sample|samples}"
        if used >= there
        else f"{used} of {there} samples; --samples {there} for all"
    )


def _figure(metric: Metric, value: float | None) -> str:
    """A value of a metric, with as many decimals as all others of its column."""
    if value is None or metric.unit == "dB":
        return _db(value)
    return f"{100 * value:.2f}" if metric.unit == "%" else f"{value:.3e}"


def _with_unit(metric: Metric, value: float | None) -> str:
    known = value is not None and isfinite(value)
    return f"{_figure(metric, value)} {metric.unit}".rstrip() if known else _figure(metric, value)


def show_targets(found: Mapping[str, Any]) -> None:
    """The export targets."""
    print_table(("name", "writes", "what"), ((t["name"], t["form"], t["note"]) for t in found["targets"]))


def _with_db(value: float | None) -> str:
    """With its unit where it is a number."""
    words = _db(value)
    return f"{words} dB" if value is not None and isfinite(value) else words


def _db(value: float | None) -> str:
    if value is None:
        return "–"
    if isnan(value):
        return "not measurable"
    return f"{value:.1f}" if isfinite(value) else ("exact" if value > 0 else "-inf")
