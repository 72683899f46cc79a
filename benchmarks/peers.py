"""Sensitivity sweeps of other tools beside Mixbit's: same networks, cells, samples and machine, one after the other.

    python benchmarks/peers.py [--env FOLDER] [--peers naive ort quark] [--layers 12] [MODEL.onnx --shape x=1,3,224,224]

Cells are all layers with weights x {INT4 in groups of 32, INT8 per channel, INT8 per tensor}, 8 samples. Each peer runs
in an environment of its own that is made below FOLDER when it is not there yet. Peers run the network once for each
cell and share nothing between cells, so a few layers, spread over the network, tell the time of all:

ort     the naive loop that targets speak of: ONNX Runtime's quantize_static on one node, open a session, run the
        samples (knows no INT4 for convolutions: the time of INT8 is taken for it)
naive   a leaner script: round one weight with numpy, write the model, open a session, run the samples
quark   AMD Quark's AutoMixprecision, analysis only (one option; the others take the same time again)

Each figure is given twice: by the clock, and in CPU seconds of the process with all its threads, for a machine that
others use too (there threads that wait spinning look slower than they are, and clocks favour who waits less).

A peer that can't be installed or run says so and is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "naive": ("onnx", "onnxruntime"),
    "ort": ("onnx", "onnxruntime", "sympy"),
    "quark": ("onnx", "onnxruntime", "torch", "amd-quark"),
}
SAMPLES, OPTIONS, ROUNDS = 8, 3, 3


# -- in a peer's environment -------------------------------------------------------------------------------------------


def weighted(model):
    """Nodes with a constant weight of two dimensions or more -> its name."""
    shapes = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    found = {}
    for node in model.graph.node:
        if node.op_type in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
            weight = next((name for name in node.input if len(shapes.get(name, ())) > 1), None)
            if weight is not None:
                found[node.name] = weight
    return found


def spread(names, count):
    names = list(names)
    if count >= len(names):
        return names
    return [names[round(at * (len(names) - 1) / max(1, count - 1))] for at in range(count)]


def session_of(model):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Reader:
    """Samples as calibration tools want them."""

    def __init__(self, feeds):
        self._feeds = feeds
        self.rewind()

    def rewind(self):
        """Begin anew."""
        self._left = iter(self._feeds)

    def get_next(self):
        """The next feed; None at the end."""
        return next(self._left, None)

    def __len__(self):
        return len(self._feeds)


def rounded(weight, bits, granularity):
    """A weight after rounding: asymmetric groups of 32, or symmetric per channel or tensor."""
    import numpy as np

    flat = weight.reshape(weight.shape[0], -1)
    if granularity == "group":
        short = -flat.shape[1] % 32
        groups = np.pad(flat, ((0, 0), (0, short))).reshape(flat.shape[0], -1, 32)
        low = np.minimum(groups.min(axis=2, keepdims=True), 0)
        high = np.maximum(groups.max(axis=2, keepdims=True), 0)
        scale = np.maximum((high - low) / (2**bits - 1), 1e-12)
        zero = np.round(-low / scale)
        made = (np.clip(np.round(groups / scale) + zero, 0, 2**bits - 1) - zero) * scale
        return made.reshape(flat.shape[0], -1)[:, : flat.shape[1]].reshape(weight.shape).astype(np.float32)
    axis = 1 if granularity == "channel" else None
    scale = np.maximum(np.abs(flat).max(axis=axis, keepdims=True) / (2 ** (bits - 1) - 1), 1e-12)
    return (np.round(flat / scale) * scale).reshape(weight.shape).astype(np.float32)


class Runs:
    """Counts what a peer runs: a tool that looks at one sample where eight were given does other work."""

    def __init__(self):
        import onnxruntime as ort

        self._class, self._plain, self.count = ort.InferenceSession, ort.InferenceSession.run, 0

    def __enter__(self):
        def run(session, *args, **kwargs):
            self.count += 1
            return self._plain(session, *args, **kwargs)

        self._class.run = run
        return self

    def __exit__(self, *_):
        self._class.run = self._plain


class Watch:
    """Wall and CPU seconds since it was made."""

    def __init__(self):
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self):
        """[wall, CPU]."""
        return [time.perf_counter() - self._wall, time.process_time() - self._cpu]


def run_naive(path, feeds, layers):
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    chosen = spread(weighted(model), layers)
    session_of(model.SerializeToString())
    watch = Watch()
    for node in chosen:
        tensor = tensors[weighted(model)[node]]
        before = tensor.SerializeToString()
        weight = numpy_helper.to_array(tensor).copy()
        for bits, granularity in ((4, "group"), (8, "channel"), (8, "tensor")):
            tensor.CopyFrom(numpy_helper.from_array(rounded(weight, bits, granularity), tensor.name))
            session = session_of(model.SerializeToString())
            for feed in feeds:
                session.run(None, feed)
        tensor.ParseFromString(before)
    return [taken / (OPTIONS * len(chosen)) for taken in watch.read()]


def run_ort(path, feeds, layers):
    import onnx
    from onnxruntime.quantization import QuantType, quantize_static

    model = onnx.load(path)
    chosen = spread(weighted(model), max(2, layers // 3))
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for node in chosen:
            for per_channel in (True, False):
                watch = Watch()
                out = str(Path(folder) / "q.onnx")
                quantize_static(
                    path, out, Reader(feeds), nodes_to_quantize=[node], per_channel=per_channel,
                    weight_type=QuantType.QInt8, activation_type=QuantType.QUInt8,
                )  # fmt: skip
                session = session_of(out)
                for feed in feeds:
                    session.run(None, feed)
                taken.append(watch.read())
    return [sum(each) / len(taken) for each in zip(*taken, strict=True)]


def run_quark(path, feeds, layers):
    import onnx
    from quark.onnx import ModelQuantizer
    from quark.onnx.quantization.config.algorithm import AutoMixprecisionConfig
    from quark.onnx.quantization.config.config import QConfig
    from quark.onnx.quantization.config.spec import Int8Spec, Int16Spec, QLayerConfig

    model = onnx.load(path)
    chosen = spread(weighted(model), layers)

    def quantize(algorithms):
        with tempfile.TemporaryDirectory() as folder, Runs() as runs:
            eight = QLayerConfig(activation=Int8Spec(), weight=Int8Spec())  # a run changes its configuration
            quantizer = ModelQuantizer(QConfig(eight, algo_config=algorithms))
            watch = Watch()
            quantizer.quantize_model(path, str(Path(folder) / "q.onnx"), Reader(feeds))
        return watch.read(), runs.count

    analysis = AutoMixprecisionConfig(
        target_layer_config=QLayerConfig(activation=Int16Spec(), weight=Int16Spec()), metric_optimize_object="quality",
        include_layers=list(chosen), metric_threshold=None,
        data_size=len(feeds),  # the default of 0 is called "all", and takes the first sample only
    )  # fmt: skip
    quantize([])  # the first run pays for imports and compiled caches
    (plain, few), (both, many) = quantize([]), quantize([analysis])
    if many - few < len(chosen) * len(feeds):
        raise RuntimeError(f"{many - few} runs for {len(chosen)} layers and {len(feeds)} samples")
    return [(whole - alone) / len(chosen) for whole, alone in zip(both, plain, strict=True)]


RUNS = {"naive": run_naive, "ort": run_ort, "quark": run_quark}


def inside(peer, model, samples, layers):
    import numpy as np

    with np.load(samples) as stored:
        names = list(stored.files)
        feeds = [{name: stored[name][at] for name in names} for at in range(SAMPLES)]
    print(json.dumps({"seconds": RUNS[peer](model, feeds, layers), "versions": versions(peer)}))


def versions(peer):
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in PACKAGES[peer]:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


# -- in this environment -----------------------------------------------------------------------------------------------


def environment(folder: Path, peer: str) -> Path:
    """The Python of a peer's environment, made if it is not there."""
    place = folder / peer
    python = place / "bin" / "python"
    if not (place / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-qq", *PACKAGES[peer]], check=True)
        (place / "ready").touch()
    return python


def peer_seconds(folder: Path, peer: str, model: Path, samples: Path, layers: int) -> dict | None:
    try:
        python = environment(folder, peer)
        command = [str(python), str(Path(__file__).resolve()), "--inside", peer, "--layers", str(layers), str(model)]
        done = subprocess.run(
            [*command, "--samples", str(samples)], capture_output=True, text=True, check=True,
            cwd=samples.parent,  # Quark leaves a table where it is run
        )  # fmt: skip
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (subprocess.CalledProcessError, ValueError, IndexError) as error:
        words = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        print(f"  {peer}: left out ({words[-1] if words else error})")
        return None


def prepared(model: Path, shapes: dict, folder: Path) -> tuple[Path, Path, object]:
    """The model as all can read it (shapes fixed, constants as initializers, opset 17), samples, and our evaluator."""
    import numpy as np

    sys.path[:0] = [str(ROOT)]
    from engine.interop.float_model import write_float_model
    from engine.interop.layer_names import layer_names
    from engine.interop.samples import SYNTHETIC
    from engine.session.work import open_network, prepare

    network = open_network(model, shapes)
    path, samples = folder / f"{model.stem}.onnx", folder / f"{model.stem}.npz"
    write_float_model(network, layer_names(network), path, opsets=range(17, 18))
    ready = prepare(network, SYNTHETIC, SYNTHETIC, samples=SAMPLES)
    feeds = ready.evaluation.feeds
    np.savez(samples, **{name: np.stack([feed[name] for feed in feeds]) for name in feeds[0]})
    return path, samples, ready.evaluator


def ours(evaluator) -> tuple[list[float], list[float], int]:
    """Wall and CPU seconds of the whole estimate (each the least of some rounds), of an exact cell, number of cells."""
    from dataclasses import replace

    from engine.precision.scheme import FP32, INT4, INT8, Scheme, WeightFormat
    from engine.tuning.estimate import Estimator
    from engine.tuning.exact import ExactSweep, in_order
    from engine.tuning.sweep import cells_of

    schemes = [Scheme(INT4.weights, FP32.activations), Scheme(INT8.weights, FP32.activations),
               Scheme(replace(WeightFormat(8), granularity="tensor"), FP32.activations)]  # fmt: skip
    best = [float("inf")] * 2
    for _ in range(ROUNDS):
        with closing(Estimator(evaluator)) as estimator:
            watch = Watch()
            table = estimator.estimate(schemes)
            best = [min(pair) for pair in zip(best, watch.read(), strict=True)]
    cells = in_order(cells_of(evaluator.network, schemes), table)
    with closing(evaluator.fork()) as fork:
        watch = Watch()
        for _ in ExactSweep(fork).run(cells):
            pass
        each = [taken / len(cells) for taken in watch.read()]
    return best, each, len(cells)


def compare(model: Path, shapes: dict, args: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        path, samples, evaluator = prepared(model, shapes, Path(scratch))
        with closing(evaluator):
            estimate, exact, cells = ours(evaluator)
        print(f"{model.name}: {cells} cells, {SAMPLES} samples")
        print(
            f"  Mixbit: estimate {estimate[0]:.2f} s for all (CPU {estimate[1]:.2f} s), exact {exact[0] * 1e3:.1f} ms "
            f"a cell (CPU {exact[1] * 1e3:.1f} ms), {exact[0] * cells:.1f} s for all"
        )
        for peer in args.peers:
            found = peer_seconds(args.env, peer, path, samples, args.layers)
            if found is None:
                continue
            each = found["seconds"]
            names = ", ".join(f"{name} {number}" for name, number in found["versions"].items() if number)
            faster = [each[at] * cells / estimate[at] for at in (0, 1)]
            exactly = [each[at] / exact[at] for at in (0, 1)]
            print(
                f"  {peer}: {each[0] * 1e3:.0f} ms a cell (CPU {each[1] * 1e3:.0f} ms), {each[0] * cells:.1f} s all; "
                f"the estimate is {faster[0]:.0f} times faster (CPU {faster[1]:.0f}), the exact sweep "
                f"{exactly[0]:.1f} times (CPU {exactly[1]:.1f}) ({names})"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--shape", action="append", default=[], metavar="NAME=1,3,224,224")
    parser.add_argument("--env", type=Path, default=Path(tempfile.gettempdir()) / "mixbit-peers")
    parser.add_argument("--peers", nargs="+", default=list(RUNS), choices=list(RUNS))
    parser.add_argument("--layers", type=int, default=12, help="layers that peers are measured on")
    parser.add_argument("--inside", choices=list(RUNS), help=argparse.SUPPRESS)
    parser.add_argument("--samples", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside is not None:
        inside(args.inside, str(args.model), args.samples, args.layers)
        return 0
    shapes = {name: tuple(map(int, dims.split(","))) for name, _, dims in (text.partition("=") for text in args.shape)}
    if args.model is not None:
        compare(args.model, shapes, args)
        return 0
    sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
    from networks import mobilenet_v2

    with tempfile.TemporaryDirectory() as folder:
        compare(mobilenet_v2(Path(folder) / "mobilenet_v2.onnx"), {}, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
