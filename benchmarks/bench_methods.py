"""What weight methods gain at the output, and how long they take.

    python benchmarks/bench_methods.py                                    # the sample models with their own data
    python benchmarks/bench_methods.py MODEL.onnx --text [--shape x=1,3,224,224]      # rendered text, for an OCR model
    python benchmarks/bench_methods.py MODEL.onnx --calib PATH --data PATH

All weights INT4 in groups of 32 with FP16 activations; depthwise convolutions either the same or INT8 weights. Times
are of all kernels at once, from nothing; CPU seconds stand beside them for machines that are not idle. The preview is
the rounding of every click.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

import engine  # noqa: E402, F401, I001  # before numpy: it sets the threads of its library
import numpy as np  # noqa: E402
from PIL import Image, ImageDraw, ImageFont  # noqa: E402

from engine.cli.arguments import named_shape  # noqa: E402
from engine.fusion.types import Kind, Network  # noqa: E402
from engine.interop.samples import guess_source  # noqa: E402
from engine.numerics import Evaluator, calibrate  # noqa: E402
from engine.numerics.samples import SampleSet  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402
from engine.precision.scheme import INT4, W8A16, Scheme  # noqa: E402
from engine.quant import fake_quantize  # noqa: E402
from engine.session.samples import list_samples, sources  # noqa: E402
from engine.session.work import open_network, prepare  # noqa: E402
from engine.tuning.methods import ALL_METHODS, with_method  # noqa: E402

SYMMETRIC = replace(INT4, weights=replace(INT4.weights, symmetric=True))
WORDS = ("layer", "scale", "zero point", "group", "range", "error", "latency", "kernel", "tensor", "42", "3.14", "INT4")


def pages(network: Network, count: int, first: int) -> SampleSet:
    """Rendered lines of text on plain grounds, normalised as ImageNet models want it."""
    info = network.graph.inputs[0]
    height, width = info.shape[2:]
    feeds = []
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        page = Image.new("RGB", (width, height), tuple(int(v) for v in rng.integers(170, 256, 3)))
        draw, y = ImageDraw.Draw(page), int(rng.integers(5, 25))
        while y < height - 20:
            size = int(rng.integers(11, 26))
            line = " ".join(rng.choice(WORDS, int(rng.integers(1, 4))))
            ink = tuple(int(v) for v in rng.integers(0, 90, 3))
            draw.text((int(rng.integers(3, 60)), y), line, font=ImageFont.load_default(size), fill=ink)
            y += size + int(rng.integers(6, 30))
        values = (np.asarray(page, np.float32) / 255 - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
        feeds.append({info.name: values.astype(np.float32).transpose(2, 0, 1)[None].copy()})
    return SampleSet(feeds, "rendered text")


def plan_of(network: Network, scheme: Scheme, depthwise: Scheme | None) -> Plan:
    return Plan({k.id: depthwise if depthwise and k.kind is Kind.DEPTHWISE else scheme for k in network.tunable})


def measure(name: str, network: Network, seen: SampleSet, evaluator: Evaluator) -> None:
    kernels = network.tunable
    started = time.perf_counter()
    for kernel in kernels:
        for weight in kernel.weights:
            fake_quantize(kernel.constants[weight.constant], weight, INT4.weights)
    preview = time.perf_counter() - started
    print(f"{name}: {len(kernels)} kernels, {sum(k.params for k in kernels):,} weights; preview {1e3 * preview:.0f} ms")
    level = lambda plan: evaluator.evaluate(plan, accumulated=False).output.sqnr_db  # noqa: E731
    print(f"{'':>22} {'all INT4':>9} {'depthwise W8A16':>16} {'seconds':>8} {'CPU':>6}")
    levels = [level(plan_of(network, SYMMETRIC, other)) for other in (None, W8A16)]
    print(f"{'symmetric rounding':>22} {levels[0]:9.2f} {levels[1]:16.2f}")
    for corrected in (False, True):
        for method in ALL_METHODS:
            plans = [with_method(network, plan_of(network, INT4, o), method, corrected) for o in (None, W8A16)]
            fresh = calibrate(network, seen).rounding
            wall, cpu = time.perf_counter(), time.process_time()
            fresh.find(plans[0].items())
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            evaluator.ranges.rounding.find(plans[0].items())
            found = [level(plan) for plan in plans]
            title = f"{method}{' + bias' if corrected else ''}"
            print(f"{title:>22} {found[0]:9.2f} {found[1]:16.2f} {wall:8.2f} {cpu:6.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--shape", action="append", type=named_shape, default=[])
    parser.add_argument("--text", action="store_true", help="16 + 8 pages of rendered text")
    parser.add_argument("--calib", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=int, default=16)
    args = parser.parse_args()
    if args.model is None:
        for sample in list_samples():
            network = open_network(sample.model, sample.shapes)
            prepared = prepare(network, *sources(sample), samples=args.samples)
            measure(sample.name, network, prepared.calibration, prepared.evaluator)
            prepared.evaluator.close()
        return
    network = open_network(args.model, dict(args.shape))
    if args.text:
        seen, new = pages(network, 16, 0), pages(network, 8, 1000)
        evaluator = Evaluator(network, new, ranges=calibrate(network, seen))
        evaluator.prepare()
    else:
        prepared = prepare(network, guess_source(args.calib), guess_source(args.data), samples=args.samples)
        seen, evaluator = prepared.calibration, prepared.evaluator
    measure(args.model.name, network, seen, evaluator)
    evaluator.close()


if __name__ == "__main__":
    main()
