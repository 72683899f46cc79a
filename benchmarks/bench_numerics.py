"""What a change of plan costs, in forward passes of ONNX Runtime on the same samples.

    python benchmarks/bench_numerics.py [MODEL.onnx ...]

One unit is one FP32 forward pass of all samples by ONNX Runtime at its best: the whole model in one session, 2 threads,
all optimisations. "Behind" is what ONNX Runtime needs, in the same way, for the kernels from the changed one on. Each
figure is followed by the same ratio in CPU seconds (against one thread of ONNX Runtime), which a busy machine spoils
less. All are minima over rounds.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime as ort
from networks import encoder, mobilenet_v2

from engine.errors import Cancelled
from engine.fusion import fuse
from engine.fusion.types import Network
from engine.graph import load, read_inputs
from engine.numerics import Evaluator, SampleSet, calibrate, synthetic_samples
from engine.numerics.models import build_model
from engine.numerics.runtime import to_ort
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, label
from engine.progress import CancelToken

SAMPLES, ROUNDS = 8, 5


class Cost(NamedTuple):
    """Seconds on the clock and of all cores."""

    wall: float
    cpu: float

    def over(self, unit: Cost) -> str:
        """Both ratios."""
        return f"{self.wall / unit.wall:.2f} [{self.cpu / unit.cpu:.2f}]"


def timed(work: Callable[[], object]) -> Cost:
    """What one call takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def least(costs: Iterable[Cost]) -> Cost:
    """The least of each."""
    walls, cpus = zip(*costs, strict=True)
    return Cost(min(walls), min(cpus))


def plain_session(network: Network, first: int, threads: int) -> ort.InferenceSession:
    """Kernels from `first` on as one plain model."""
    kernels = network.kernels[first:]
    inside = {name for kernel in kernels for name in kernel.outputs}
    read = dict.fromkeys(name for kernel in kernels for name in kernel.inputs if name not in inside)
    outputs = [info.name for info in network.graph.outputs if info.name in inside]
    constants = {name: array for kernel in kernels for name, array in kernel.constants.items()}
    nodes = [node.proto for kernel in kernels for node in kernel.nodes]
    built = build_model(network.graph, nodes, list(read), outputs, constants)
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    if built.outside:
        options.add_external_initializers(list(built.outside), [to_ort(a) for a in built.outside.values()])
    return ort.InferenceSession(built.proto.SerializeToString(), options, providers=["CPUExecutionProvider"])


def plain_cost(network: Network, evaluator: Evaluator, first: int) -> Cost:
    """One pass of all samples through the kernels from `first` on."""
    walls, cpus = [], []
    values = [evaluator.reference(sample) for sample in range(SAMPLES)]  # what stands at the border
    for threads in (1, 2):
        session = plain_session(network, first, threads)
        names = [item.name for item in session.get_inputs()]
        feeds = [{name: values[s][name].numpy(network.tensors.get(name)) for name in names} for s in range(SAMPLES)]
        cost = least(timed(lambda s=session, f=feeds: [s.run(None, feed) for feed in f]) for _ in range(ROUNDS))
        walls.append(cost.wall)
        cpus.append(cost.cpu)
    del session
    time.sleep(0.1)  # a session that has just gone spins for a while
    return Cost(min(walls), cpus[0])


def measure(path: Path) -> None:
    """Print the table of one model."""
    shapes = {item.name: item.proposal for item in read_inputs(path)}
    network = fuse(load(path, shapes=shapes), "edge")
    samples = synthetic_samples(network.graph, SAMPLES)
    evaluator = Evaluator(network, samples, ranges=calibrate(network, samples))
    opened = timed(evaluator.prepare)
    unit = plain_cost(network, evaluator, 0)
    print(f"\n{path.name}: {len(network.kernels)} kernels, {len(network.tunable)} with a switch")
    print(f"  1 unit = {unit.wall * 1e3:.1f} ms [{unit.cpu * 1e3:.1f}] for {SAMPLES} samples")
    print(f"  open {opened.over(unit)}")
    whole(network, samples, evaluator, unit)
    for at in (0.1, 0.5, 0.9):
        toggles(network, evaluator, at, unit)
    cancel(network, evaluator)
    print(f"  memory {evaluator.memory_bytes / 1e6:.0f} MB")
    evaluator.close()


def whole(network: Network, samples: SampleSet, evaluator: Evaluator, unit: Cost) -> None:
    """All kernels at once, cold and warm, and all local errors."""
    everything = {scheme: Plan({k.id: scheme for k in network.tunable}) for scheme in (INT8, INT4, FP16)}
    cold = timed(lambda: evaluator.evaluate(everything[INT8]))
    evaluator.evaluate(everything[INT4])
    evaluator.evaluate(everything[FP16])
    print(f"  all INT8, sessions cold: all errors {cold.over(unit)}")
    for scheme, plan in everything.items():
        out, full = both(evaluator, plan)
        print(f"  all {label(scheme)}, sessions warm: output {out.over(unit)}, all errors {full.over(unit)}")
    undo = least(timed(lambda: evaluator.evaluate(everything[INT8])) for _ in range(ROUNDS))
    print(f"  undo {undo.wall * 1e3:.3f} ms")
    cells = [(k.id, scheme) for k in network.tunable for scheme in everything]
    costs = []
    for _ in range(2):
        fresh = Evaluator(network, samples, ranges=evaluator.ranges)
        fresh.prepare()
        costs.append(timed(lambda e=fresh: list(e.local_errors(cells))))
        fresh.close()
    print(f"  local errors, {len(cells)} cells: {least(costs).over(unit)}")


def toggles(network: Network, evaluator: Evaluator, at: float, unit: Cost) -> None:
    """One kernel to INT8, the rest FP32; its rounded weight is made each time.

    So is its session: first with none open that it could share, then with that of kernels alike, as after any plan in
    which one of them had this scheme.
    """
    index = network.tunable[int(at * len(network.tunable))].index
    behind = plain_cost(network, evaluator, index)
    kernel = network.kernels[index]
    plan, sessions = Plan({kernel.id: INT8}), evaluator._shared.sessions

    def first() -> None:
        sessions.drop(kernel, INT8)
        sessions.alikes.clear()

    out, full = both(evaluator, plan, first)
    print(f"  toggle at {at:.0%}: behind {behind.over(unit)} units; over that: output {out.over(behind)}, "
          f"all errors {full.over(behind)}")  # fmt: skip
    evaluator.evaluate(plan)
    out, full = both(evaluator, plan, lambda: sessions.drop(kernel, INT8))
    print(f"    with a session open that it can share: {out.over(behind)}, {full.over(behind)}")


def both(evaluator: Evaluator, plan: Plan, first: Callable[[], object] = lambda: None) -> tuple[Cost, Cost]:
    """Cost of the output's error, and of all errors, from the reference on."""
    costs: dict[bool, list[Cost]] = {False: [], True: []}
    for _ in range(ROUNDS):
        for accumulated, taken in costs.items():
            forget(evaluator)
            first()
            taken.append(timed(lambda a=accumulated: evaluator.evaluate(plan, accumulated=a)))
    return least(costs[False]), least(costs[True])


def cancel(network: Network, evaluator: Evaluator) -> None:
    """How soon a running evaluation answers."""
    rng = np.random.default_rng(0)
    plan = Plan({k.id: INT4 for k in network.tunable})
    late = [seconds for _ in range(10) if (seconds := cancelled(evaluator, plan, rng.uniform(0.001, 0.02))) is not None]
    if late:
        print(f"  cancel: worst of {len(late)} {max(late) * 1e3:.1f} ms")


def cancelled(evaluator: Evaluator, plan: Plan, wait: float) -> float | None:
    """Seconds from the request to the answer; None if it was done before."""
    forget(evaluator)
    token = CancelToken()
    asked: list[float] = []

    def ask() -> None:
        asked.append(time.perf_counter())
        token.cancel()

    timer = threading.Timer(wait, ask)
    timer.start()
    try:
        evaluator.evaluate(plan, cancel=token)
    except Cancelled:
        return time.perf_counter() - asked[0]
    finally:
        timer.join()
    return None


def forget(evaluator: Evaluator) -> None:
    """Back to the reference, with every figure forgotten but no session."""
    evaluator._plans.clear()
    evaluator.evaluate(Plan(), accumulated=False)
    evaluator.output(Plan())
    evaluator._plans.clear()
    shared = evaluator._shared
    keep = set(shared.reference_keys)
    shared.totals._found = {key: found for key, found in shared.totals._found.items() if key in keep}
    shared.outputs._found.clear()


def main() -> None:
    """Measure the given models, or two of our own."""
    if sys.argv[1:]:
        for name in sys.argv[1:]:
            measure(Path(name))
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(mobilenet_v2(Path(folder) / "mobilenet_v2_224.onnx"))
        measure(encoder(Path(folder) / "encoder_3x384_128_tokens.onnx"))


if __name__ == "__main__":
    main()
