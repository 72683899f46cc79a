"""What a change of plan costs, in forward passes of ONNX Runtime on the same samples.

    python benchmarks/bench_numerics.py [MODEL.onnx ...]

One unit is one FP32 forward pass of all samples by ONNX Runtime at its best: the whole model in one session, 2 threads,
all optimisations. "Behind" is what ONNX Runtime needs, in the same way, for the kernels from the changed one on. All
figures are minima over rounds; the machine should be idle.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

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


def best(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Least seconds of several calls."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def plain_session(network: Network, first: int) -> ort.InferenceSession:
    """Kernels from `first` on as one plain model."""
    kernels = network.kernels[first:]
    inside = {name for kernel in kernels for name in kernel.outputs}
    read = dict.fromkeys(name for kernel in kernels for name in kernel.inputs if name not in inside)
    outputs = [info.name for info in network.graph.outputs if info.name in inside]
    constants = {name: array for kernel in kernels for name, array in kernel.constants.items()}
    nodes = [node.proto for kernel in kernels for node in kernel.nodes]
    built = build_model(network.graph, nodes, list(read), outputs, constants)
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 2, 1
    if built.outside:
        options.add_external_initializers(list(built.outside), [to_ort(a) for a in built.outside.values()])
    return ort.InferenceSession(built.proto.SerializeToString(), options, providers=["CPUExecutionProvider"])


def plain_seconds(network: Network, evaluator: Evaluator, first: int) -> float:
    """One pass of all samples through the kernels from `first` on."""
    session = plain_session(network, first)
    names = [item.name for item in session.get_inputs()]
    values = evaluator._shared.values  # the reference's tensors: what stands at the border
    feeds = [{name: values[s][name].numpy(network.tensors.get(name)) for name in names} for s in range(SAMPLES)]
    return best(lambda: [session.run(None, feed) for feed in feeds])


def measure(path: Path) -> None:
    """Print the table of one model."""
    shapes = {item.name: item.proposal for item in read_inputs(path)}
    network = fuse(load(path, shapes=shapes), "edge")
    samples = synthetic_samples(network.graph, SAMPLES)
    ranges = calibrate(network, samples)
    evaluator = Evaluator(network, samples, ranges=ranges)
    start = time.perf_counter()
    evaluator.prepare()
    opened = time.perf_counter() - start
    unit = plain_seconds(network, evaluator, 0)
    time.sleep(0.1)  # the session that has just gone spins for a while
    print(f"\n{path.name}: {len(network.kernels)} kernels, {len(network.tunable)} with a switch")
    print(f"  1 unit = {unit * 1e3:.1f} ms for {SAMPLES} samples; open {opened / unit:.1f} units")
    whole(network, samples, evaluator, unit)
    for at in (0.1, 0.5, 0.9):
        toggles(network, evaluator, at, unit)
    cancel(network, evaluator)
    print(f"  memory {evaluator.memory_bytes / 1e6:.0f} MB")
    evaluator.close()


def whole(network: Network, samples: SampleSet, evaluator: Evaluator, unit: float) -> None:
    """All kernels at once, cold and warm, and all local errors."""
    everything = {scheme: Plan({k.id: scheme for k in network.tunable}) for scheme in (INT8, INT4, FP16)}
    cold = best(lambda: evaluator.evaluate(everything[INT8]), 1)
    evaluator.evaluate(everything[INT4])
    evaluator.evaluate(everything[FP16])
    print(f"  all INT8, sessions cold: all errors {cold / unit:.2f}")
    for scheme, plan in everything.items():
        out, full = both(evaluator, plan)
        print(f"  all {label(scheme)}, sessions warm: output {out / unit:.2f}, all errors {full / unit:.2f}")
    undo = best(lambda: evaluator.evaluate(everything[INT8]))
    print(f"  undo {undo * 1e3:.3f} ms")
    fresh = Evaluator(network, samples, ranges=evaluator.ranges)
    fresh.prepare()
    cells = [(k.id, scheme) for k in network.tunable for scheme in everything]
    local = best(lambda: list(fresh.local_errors(cells)), 1)
    print(f"  local errors, {len(cells)} cells: {local / unit:.2f}")
    fresh.close()


def toggles(network: Network, evaluator: Evaluator, at: float, unit: float) -> None:
    """One kernel to INT8, the rest FP32; its session and its rounded weight are built each time."""
    index = network.tunable[int(at * len(network.tunable))].index
    behind = plain_seconds(network, evaluator, index)
    time.sleep(0.1)
    plan = Plan({network.kernels[index].id: INT8})
    out, full = both(evaluator, plan, lambda: evaluator._shared.sessions._ready.pop((index, INT8), None))
    print(
        f"  toggle at {at:.0%}: behind {behind / unit:.2f}, output {out / unit:.2f} ({out / behind:.2f} x behind), "
        f"all errors {full / unit:.2f} ({full / behind:.2f} x)"
    )


def both(evaluator: Evaluator, plan: Plan, first: Callable[[], object] = lambda: None) -> tuple[float, float]:
    """Seconds until the output's error, and until all errors, from the reference on."""
    times: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(ROUNDS):
        for accumulated, taken in times.items():
            forget(evaluator)
            first()
            start = time.perf_counter()
            evaluator.evaluate(plan, accumulated=accumulated)
            taken.append(time.perf_counter() - start)
    return min(times[False]), min(times[True])


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
