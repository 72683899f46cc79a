"""How fast sweeps and the search are, how well estimates rank, and how well whole plans are foreseen.

    python benchmarks/bench_tuning.py                                # the sample models with their own data
    python benchmarks/bench_tuning.py MODEL.onnx [--shape x=1,3,224,224] [--calib PATH] [--data PATH] [--samples 8]
    python benchmarks/bench_tuning.py MODEL.onnx --text             # rendered text, for an OCR model
    python benchmarks/bench_tuning.py MODEL.onnx --parts estimate exact --cells 60         # a large model

Estimated cells are INT4 in groups of 32 and INT8 per channel (weights only), INT8 (W8A8) and FP16; the exact sweep
takes the same cells. "Naive" is what a script does: the whole model in a new ONNX Runtime session for each cell,
measured on a few cells. The machine should be idle; CPU seconds are given beside wall seconds for when it is not.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from math import inf, isfinite, log10
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import engine  # noqa: E402, F401, I001  # before numpy: it sets the threads of its library
import numpy as np  # noqa: E402

from bench_methods import pages  # noqa: E402
from networks import mobilenet_v2  # noqa: E402

from engine.cli.arguments import named_shape  # noqa: E402
from engine.fusion.types import Kind, Network  # noqa: E402
from engine.interop.samples import SYNTHETIC, guess_source  # noqa: E402
from engine.numerics import Evaluator, calibrate, lower  # noqa: E402
from engine.numerics.models import build_model  # noqa: E402
from engine.numerics.runtime import open_session, options  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402
from engine.precision.scheme import (  # noqa: E402
    FP16,
    FP32,
    INT4,
    INT8,
    W8A16,
    Scheme,
    WeightFormat,
    label,
)
from engine.quant import plan_bytes  # noqa: E402
from engine.session.samples import list_samples, sources  # noqa: E402
from engine.session.work import open_network, prepare  # noqa: E402
from engine.tuning.agreement import agree  # noqa: E402
from engine.tuning.estimate import Estimates, Estimator  # noqa: E402
from engine.tuning.exact import ExactCell, ExactSweep, in_order, value_of  # noqa: E402
from engine.tuning.metrics import Metric, damage, in_decibels  # noqa: E402
from engine.tuning.search import (  # noqa: E402
    Budgets,
    Choices,
    Problem,
    Proposal,
    Search,
    damages,
    ladder,
    solve,
    sum_of,
    uniform_plans,
)
from engine.tuning.search.program import Program  # noqa: E402
from engine.tuning.sweep import cells_of  # noqa: E402

W4 = Scheme(INT4.weights, FP32.activations)
W8 = Scheme(INT8.weights, FP32.activations)
W8_TENSOR = Scheme(WeightFormat(8, granularity="tensor"), FP32.activations)
SCHEMES = (W4, W8, INT8, FP16)
NAMES = {W4: "INT4 weights", W8: "INT8 weights", INT8: "W8A8", FP16: "FP16"}
ROUNDS, PLANS, REFINED = 3, 20, 4
MADE = ("mobilenet_v2", "mobilenet_v2_tails")
PARTS = ("estimate", "exact", "naive", "plans", "search")


class Taken(NamedTuple):
    """Wall and CPU seconds."""

    wall: float
    cpu: float


def taken(work: Callable[[], object]) -> Taken:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - wall, time.process_time() - cpu)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def bench_estimate(evaluator: Evaluator) -> Estimates:
    before, runs, firsts = peak_mb(), [], []
    found: list[Estimates] = []
    for _ in range(ROUNDS):
        with closing(Estimator(evaluator)) as estimator:
            start = time.perf_counter()
            early: list[float] = []

            def note(table: Estimates, early: list[float] = early, start: float = start) -> None:
                early.append(time.perf_counter() - start)

            runs.append(taken(lambda e=estimator, note=note: found.append(e.estimate(SCHEMES, publish=note))))
            firsts += early
            more = replace(W4, weights=replace(W4.weights, bits=3))
            later = taken(lambda e=estimator, more=more: e.estimate((*SCHEMES, more)))
    best = min(runs)
    first = f"first table {min(firsts):.2f} s, " if firsts else ""
    table = found[-1]
    print(
        f"  estimate: {len(table.cells)} cells, {first}all {best.wall:.2f} s (CPU {best.cpu:.2f} s), one more scheme "
        f"{later.wall:.2f} s, memory +{peak_mb() - before:.0f} MB, metric {table.metric.value}, {table.probes} "
        f"probes per sample{', unit vectors' if table.unit_vectors else ''}, {len(table.blocked)} kernels without"
    )
    return table


def bench_exact(evaluator: Evaluator, table: Estimates, most: int) -> list[ExactCell]:
    """All cells, or so many drawn ones of each scheme."""
    found: list[ExactCell] = []
    rng = np.random.default_rng(0)
    with closing(evaluator.fork()) as fork:
        sweep = ExactSweep(fork)
        kernels = [kernel.id for kernel in evaluator.network.tunable]
        drawn = set(rng.permutation(kernels)[: most // len(SCHEMES)])
        cells = in_order([cell for cell in cells_of(evaluator.network, SCHEMES) if cell[0] in drawn], table)
        worst = taken(lambda: found.extend(sweep.run(cells[:10])))
        rest = taken(lambda: found.extend(sweep.run(cells[10:])))
    each = (worst.wall + rest.wall) / max(1, len(cells)) * 1e3
    cpu = (worst.cpu + rest.cpu) / max(1, len(cells)) * 1e3
    print(
        f"  exact: ten worst in {worst.wall:.2f} s, {each:.1f} ms a cell (CPU {cpu:.1f} ms), all {len(cells)} in "
        f"{worst.wall + rest.wall:.1f} s"
    )
    return found


def bench_agreement(table: Estimates, cells: list[ExactCell]) -> None:
    seen = agree(table, cells)
    schemes = ", ".join(
        f"{NAMES[s]} {rank:.3f} ({seen.worst_found[s]} of ten worst)" for s, rank in seen.by_scheme.items()
    )
    print(f"  agreement at {table.probes} probes: rank {seen.rank:.4f}, median {seen.median_db:.2f} dB; {schemes}")


def bench_naive(evaluator: Evaluator, count: int) -> float:
    """Milliseconds a cell of building the whole model anew and running all samples."""
    network, graph = evaluator.network, evaluator.network.graph
    chosen = [network.tunable[at] for at in np.linspace(0, len(network.tunable) - 1, 3).astype(int)]
    outputs = [info.name for info in graph.outputs if any(info.name in k.outputs for k in network.kernels)]

    def one(target: str) -> None:
        nodes, constants = [], {}
        for kernel in network.kernels:
            scheme = W8 if kernel.id == target else FP32
            made = lower(kernel, scheme, evaluator.ranges, graph.tensors, False, opset=graph.opsets.get("", 1))
            nodes += made.nodes
            constants |= made.constants
        built = build_model(graph, nodes, [info.name for info in graph.inputs], outputs, constants)
        session = open_session(built, options(threads=2, shared=False))
        fed = [item.name for item in session.get_inputs()]
        for feeds in evaluator.samples.feeds:
            session.run(None, {name: feeds[name] for name in fed})

    each = min(taken(lambda k=kernel: one(k.id)).wall for kernel in chosen) * 1e3
    print(f"  naive loop: {each:.0f} ms a cell, {each * count / 1e3:.1f} s for {count} cells")
    return each


def measuring(fork: Evaluator, metric: Metric) -> Callable[[Plan], float]:
    """Damage of a plan by an exact run."""
    sweep = ExactSweep(fork)
    return lambda plan: damage(metric, value_of(sweep.plan(plan), metric))


def bench_plans(evaluator: Evaluator, table: Estimates, cells: Sequence[ExactCell]) -> None:
    """Random mixes of all schemes, foreseen through three uniform plans: by estimates, and by measured cells."""
    network, metric = evaluator.network, table.metric
    harm = damages(table)
    usable = [k.id for k in network.tunable if all((k.id, scheme) in harm for scheme in SCHEMES)]
    kept = {cell: value for cell, value in harm.items() if cell[0] in set(usable)}
    exact = {(c.kernel, c.scheme): damage(metric, c.value(metric)) for c in cells if c.kernel in set(usable)}
    searches = {"estimated": Search(network, kept)}
    if len(exact) == len(kept):
        searches["measured"] = Search(network, exact, exact=True)
    rng = np.random.default_rng(0)
    with closing(evaluator.fork()) as fork:
        measure = measuring(fork, metric)
        anchors = {plan: measure(plan) for plan in (Plan(dict.fromkeys(usable, scheme)) for scheme in SCHEMES[:3])}
        for search in searches.values():
            search.anchor(anchors, anchors.__getitem__)
        mixes = [Plan({kernel: SCHEMES[int(rng.integers(len(SCHEMES)))] for kernel in usable}) for _ in range(PLANS)]
        real = {plan: found for plan in mixes if (found := measure(plan)) > 0 and isfinite(found)}
    plain = [abs(in_decibels(sum_of(harm, plan)) - in_decibels(found)) for plan, found in real.items()]
    print(f"  {PLANS} random plans: mean error {np.mean(plain):.2f} dB before three uniform plans were measured")
    for kind, search in searches.items():
        curve = search.calibration
        foreseen = {plan: curve.measured(sum_of(search.harm, plan)) for plan in real}
        errors = [abs(in_decibels(foreseen[plan]) - in_decibels(found)) for plan, found in real.items()]
        said = "" if curve.additive else ", NOT ADDITIVE: only measured plans count"
        print(f"    by {kind} cells, after them: {np.mean(errors):.2f} dB (powers of {curve.power:.2f} add up){said}")


def bench_search(evaluator: Evaluator, table: Estimates) -> None:
    """Plans of a given mean size of the weights, against uniform ones and against what no sum of noises can beat."""
    network, metric = evaluator.network, table.metric
    offered = (W4, W8, Scheme(FP16.weights, FP32.activations))
    with closing(evaluator.fork()) as fork, closing(Estimator(evaluator, metric=metric)) as estimator:
        harm = damages(estimator.estimate(offered, probes=REFINED))
        measure = measuring(fork, metric)
        weights = sum(
            int(np.prod(k.weight.shape)) for k in network.tunable if k.weight and k.kind is not Kind.EMBEDDING
        )
        fixed = plan_bytes(network, Plan(dict.fromkeys((k.id for k in network.tunable), W8))).total
        search = Search(network, harm, choices=Choices(offered))
        uniform = uniform_plans(network, offered[:2])
        search.anchor(uniform, measure)
        levels = [f"{label(next(iter(plan.values())))} {-10 * log10(measure(plan)):.1f} dB" for plan in uniform]
        print(f"  uniform: {', '.join(levels)}")
        problem = search.problem()
        eights = problem.total("damage", [options.index(W8) for options in problem.options])
        for bits in (6.0, 7.0, 8.2):
            size = fixed + (bits - 8.1) / 8 * weights
            found: list[Proposal] = []
            seconds = taken(
                lambda size=size, found=found: found.append(
                    search.propose(Budgets(size_bytes=size), measure=measure, measurements=1, trials=24)
                )
            )
            relaxed = Program(problem, {"size_bytes": size}, "damage", (), ()).relaxation()
            least = inf if relaxed is None else in_decibels(relaxed.value / eights)
            print(
                f"  {bits} bits per weight: {-10 * log10(found[0].measured or 1e-30):.1f} dB measured, "
                f"{-10 * log10(found[0].predicted):.1f} predicted (no sum of noises is less than uniform INT8's "
                f"{least:+.1f} dB), in {seconds.wall:.2f} s (CPU "
                f"{seconds.cpu:.2f} s) with tables and measurement"
            )


def bench_solver() -> None:
    """100 kernels with four schemes each, correlated as real ones are."""
    rng = np.random.default_rng(0)
    weights = np.exp(rng.normal(9, 1.5, (100, 1)))
    size = weights * np.asarray([4.5, 8.1, 8.1, 16.0]) / 8
    harm = (
        np.exp(rng.normal(0, 1.5, (100, 1)))
        * np.asarray([1.0, 1e-2, 8e-3, 1e-5])
        * np.exp(rng.normal(0, 0.4, (100, 4)))
    )
    latency = weights / 50 * np.asarray([0.9, 0.6, 0.9, 1.0]) + np.exp(rng.normal(1, 0.5, (100, 1)))
    schemes = (INT4, INT8, W8A16, FP16)
    problem = Problem(
        tuple((f"k{at}",) for at in range(100)),
        (schemes,) * 100,
        {"size_bytes": size, "latency_us": latency, "damage": harm},
        {},
    )
    limits = {"size_bytes": float(weights.sum()) * 7 / 8, "latency_us": float(latency.min(axis=1).sum()) * 1.25}
    solve(problem, limits, "damage")
    runs = [taken(lambda: solve(problem, limits, "damage")) for _ in range(5)]
    curve = [
        taken(
            lambda: [
                problem.plan(found.choice(at)) for found in (ladder(problem, "size_bytes"),) for at in found.spread(60)
            ]
        )
        for _ in range(5)
    ]
    print(
        f"search of 100 kernels x 4 schemes, two budgets: {min(runs).wall * 1e3:.0f} ms; Pareto curve of 60 points: "
        f"{min(curve).wall * 1e3:.0f} ms"
    )


def bench(name: str, network: Network, evaluator: Evaluator, parts: Sequence[str] = PARTS, cells: int = 10**9) -> None:
    kernels = len(network.tunable)
    print(f"{name}: {len(network.kernels)} kernels, {kernels} tunable, {len(evaluator.samples)} samples")
    evaluator.evaluate(Plan())
    table = bench_estimate(evaluator)
    with closing(Estimator(evaluator)) as estimator:
        refined = estimator.estimate(SCHEMES, probes=REFINED)
    measured: list[ExactCell] = []
    if "exact" in parts:
        measured = bench_exact(evaluator, table, cells)
        bench_agreement(table, measured)
        bench_agreement(refined, measured)
    if "naive" in parts:
        bench_naive(evaluator, 3 * kernels)
    if "plans" in parts:
        bench_plans(evaluator, refined, measured)
    if "search" in parts:
        bench_search(evaluator, refined)
    print(f"  peak memory of the process {peak_mb():.0f} MB")


def opened(model: Path, given: argparse.Namespace) -> Evaluator:
    """A model with the data that the command line asks for."""
    network = open_network(model, dict(given.shape))
    if given.text:
        seen, new = pages(network, 2 * given.samples, 0), pages(network, given.samples, 1000)
        return Evaluator(network, new, ranges=calibrate(network, seen))
    data = [SYNTHETIC if path is None else guess_source(path) for path in (given.calib, given.data)]
    return prepare(network, *data, samples=given.samples).evaluator


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path, help=f"a file, or one with random weights: {MADE}")
    parser.add_argument("--shape", action="append", type=named_shape, default=[], metavar="NAME=1,3,224,224")
    parser.add_argument("--text", action="store_true", help="pages of rendered text")
    parser.add_argument("--calib", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="estimate is always measured")
    parser.add_argument("--cells", type=int, default=10**9, help="exact cells, of kernels that are drawn")
    given = parser.parse_args(arguments)
    bench_solver()
    if given.model is not None:
        with tempfile.TemporaryDirectory() as folder:
            known = str(given.model) in MADE
            tails = str(given.model) == MADE[1]
            model = mobilenet_v2(Path(folder) / f"{given.model}.onnx", tails=tails) if known else given.model
            with closing(opened(model, given)) as evaluator:
                bench(model.name, evaluator.network, evaluator, given.parts, given.cells)
        return
    for sample in list_samples():
        network = open_network(sample.model, sample.shapes)
        with closing(prepare(network, *sources(sample), samples=given.samples).evaluator) as evaluator:
            bench(sample.name, network, evaluator, given.parts, given.cells)


if __name__ == "__main__":
    main(sys.argv[1:])
