"""Sweeps and the window beside other programs that keep all cores busy, against the same with nothing else running.

    python benchmarks/bench_load.py [MODEL.onnx] [--load 6] [--rounds 3] [--no-window]

So many processes of normal priority multiply matrices and walk through memory. Linux shares cores out twice: among
groups (a terminal, a service: `sched_autogroup`), then among the threads of a group. So both are measured: the load
started as from another terminal, like a build beside the window, and in the same group, where it counts thread by
thread: two threads beside six get a quarter. The machine should have nothing else to do; rounds are taken in turn.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import engine  # noqa: E402, F401, I001  # before numpy: it sets the threads of its library
import numpy as np  # noqa: E402

from networks import mobilenet_v2  # noqa: E402

from engine.interop.samples import SYNTHETIC  # noqa: E402
from engine.numerics import Evaluator  # noqa: E402
from engine.precision.plan import Plan  # noqa: E402
from engine.precision.scheme import FP16, FP32, INT4, INT8, Scheme  # noqa: E402
from engine.session.work import open_network, prepare  # noqa: E402
from engine.tuning.estimate import Estimator  # noqa: E402
from engine.tuning.exact import ExactSweep, in_order  # noqa: E402
from engine.tuning.sweep import cells_of  # noqa: E402

SCHEMES = (Scheme(INT4.weights, FP32.activations), Scheme(INT8.weights, FP32.activations), INT8, FP16)
CELLS = 20
NONE, APART, TOGETHER = "nothing else", "load in another group", "load in the same group"
BUSY = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
a, b, leader = np.random.rand(512, 512), np.zeros(4 << 20), os.getppid()
print(flush=True)
while os.getppid() == leader:
    a = a @ a
    a /= a.max()
    b += 1
"""
LEADER = """
import subprocess, sys
count, code = int(sys.argv[1]), sys.argv[2]
busy = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(count)]
for each in busy:
    each.stdout.readline()
print(flush=True)
sys.stdin.read()
for each in busy:
    each.kill()
"""


@contextmanager
def load(where: str, count: int) -> Iterator[None]:
    """Busy processes of normal priority; each holds 34 MB and works through it again and again."""
    if where == NONE:
        yield
        return
    command = [sys.executable, "-c", LEADER, str(count), BUSY]
    apart = where == APART  # a new session is a new group
    leader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=apart)
    assert leader.stdout is not None
    leader.stdout.readline()
    try:
        yield
    finally:
        leader.communicate()


def figures(evaluator: Evaluator) -> tuple[float, float]:
    """Seconds of an estimate from scratch, and of an exact cell, of the worst ones."""
    begin = time.perf_counter()
    with closing(Estimator(evaluator, keep_bytes=0)) as estimator:
        table = estimator.estimate(SCHEMES)
    taken = time.perf_counter() - begin
    cells = in_order(cells_of(evaluator.network, SCHEMES), table)[:CELLS]
    with closing(evaluator.fork()) as fork:
        sweep = ExactSweep(fork)
        sweep.cell(*cells[0], blocks=True)  # opens the blocks
        begin = time.perf_counter()
        for cell in cells:
            sweep.cell(*cell, blocks=True)
        each = (time.perf_counter() - begin) / len(cells)
        sweep.close()
    return taken, each


def engine_part(model: Path, count: int, rounds: int) -> None:
    network = open_network(model)
    with closing(prepare(network, SYNTHETIC, SYNTHETIC, samples=8).evaluator) as evaluator:
        evaluator.evaluate(Plan())
        figures(evaluator)
        found: dict[str, list[tuple[float, float]]] = {NONE: [], APART: [], TOGETHER: []}
        for _ in range(rounds):
            for where, made in found.items():
                with load(where, count):
                    made.append(figures(evaluator))
    best = {where: [min(each) for each in zip(*made, strict=True)] for where, made in found.items()}
    for where, (whole, each) in best.items():
        slower = [now / alone for now, alone in zip((whole, each), best[NONE], strict=True)]
        print(
            f"  {where}: estimate {whole:.2f} s ({slower[0]:.1f} x), exact cell {each * 1e3:.0f} ms "
            f"({slower[1]:.1f} x)",
            flush=True,
        )


def window_part(model: Path, count: int) -> None:
    """Ticks of the window's thread while a sweep runs."""
    from bench_window import opened, swept
    from watch import ticks

    for where in (NONE, APART, TOGETHER):
        with opened(model) as it:
            it.window.show_layout("sweep")
            it.wait(0.5)
            with load(where, count):
                gaps = ticks(lambda it=it: swept(it))  # type: ignore[misc]
        p50, p95 = np.percentile(gaps, (50, 95))
        print(
            f"  16 ms timer while a sweep runs, {where}: p50 {p50:.1f}, p95 {p95:.1f}, longest {max(gaps):.0f} ms "
            f"({len(gaps)} ticks)",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--load", type=int, default=6, help="busy processes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-window", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or mobilenet_v2(Path(folder) / "mobilenet_v2.onnx")
        print(
            f"{model.name}: {given.load} busy processes on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before"
        )
        engine_part(model, given.load, given.rounds)
        if not given.no_window:
            window_part(model, given.load)
    return 0


if __name__ == "__main__":
    sys.exit(main())
