"""What the window does to its user's time, held against the targets.

    python benchmarks/bench_window.py [part ...]        parts: start sample toggle ticks; all of them without one
    python benchmarks/bench_window.py big MODEL [NAME=1,32 ...]        a large model in every layout, with these shapes

A real window with the real session, driven by keys and watched by its paint events; without a display use
QT_QPA_PLATFORM=offscreen. Every figure is the best of a few rounds, since other programs can only make it worse; the
load of the machine is printed with it. Ratios hold figures of one run against each other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import onnxruntime as ort
from networks import encoder, mobilenet_v2
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from watch import Watcher, ticks, window

from engine.fusion.types import Kernel
from engine.paths import sample_models
from engine.precision.scheme import INT4, INT8, Scheme

HERE = Path(__file__).parent
ROUNDS = 5
BIG_LAYOUTS = ("tune", "graph", "profile", "sweep", "compare")
KEYS = {INT8: Qt.Key.Key_8, INT4: Qt.Key.Key_4}
failed: list[str] = []


def line(name: str, value: float, target: float, unit: str, detail: str = "") -> None:
    """Print one figure beside its target."""
    good = value <= target
    if not good:
        failed.append(name)
    print(f"{name:58s}{value:9.2f} {unit:3s} target {target:6g}  {'ok ' if good else 'NOT'}  {detail}", flush=True)


# start ----------------------------------------------------------------------------------------------------------------


def start() -> None:
    """From the start of the process, with the bytecode that an earlier start has left."""
    model = str(sample_models() / "mobile_vision_encoder" / "mobile_vision_encoder.onnx")
    with tempfile.TemporaryDirectory() as cache:
        first = program(cache, model)
        empty = [program(cache)[0] for _ in range(ROUNDS)]
        line("start of the process to the first painted frame", min(empty), 1.0, "s", spread(empty))
        found = [program(cache, model)[1] for _ in range(3)]
        line("start of the process to the first figures of a sample", min(found), 3.0, "s", spread(found))
    print(f"the very first start, which compiles all modules: {first[0]:.2f} s and {first[1]:.2f} s")


def program(cache: str, *arguments: str) -> tuple[float, float]:
    """Seconds to the first frame and to the first figures.

    Args:
        cache: Folder for bytecode, also where the machine's settings say that none is to be written.
        arguments: Of the program.
    """
    with tempfile.TemporaryDirectory() as home:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {
            **kept, "PYTHONPATH": str(HERE.parent), "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home,
            "PYTHONPYCACHEPREFIX": cache,
        }  # fmt: skip
        command = [sys.executable, str(HERE / "start_program.py"), *arguments]
        begin = perf_counter()
        ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    painted, figures = map(float, ended.stdout.split())
    return painted - begin, figures - begin if figures else float("inf")


# one model ------------------------------------------------------------------------------------------------------------


def sample() -> None:
    """From the choice of a sample in an open window."""
    for name in ("mobile_vision_encoder", "swiglu_decoder", "page_orientation"):
        found = []
        for _ in range(3):
            with opened(None) as it:
                begin = perf_counter()
                it.session.open_sample(name)
                it.until(it.has_figures, painted=True)
                found.append(perf_counter() - begin)
        line(f"sample {name} opened to its first figures", min(found), 3.0, "s", spread(found))


@contextmanager
def opened(path: Path | None) -> Iterator[Watcher]:
    """A window, perhaps with a model whose figures are all there."""
    made = Watcher(window())
    try:
        if path is not None:
            made.session.open_model(path)
            made.until(made.has_figures)
            made.until(made.is_idle)
        yield made
    finally:
        made.close()


def toggle(paths: dict[str, Path]) -> None:
    """One key on one kernel."""
    for name, path in paths.items():
        with opened(path) as it:
            unit = forward_seconds(it)
            count = len(it.session.network.tunable)
            near, far = [], []
            for at in (0, count // 2, count - 1):
                shown, settled = zip(*(toggled(it, at, scheme) for scheme in (INT8, INT4) * 2), strict=True)
                near.append(min(shown))
                far.append(min(settled))
            places = "first, middle, last kernel: "
            line(f"{name}: toggle to local error and simulation on screen", max(near) * 1e3, 100, "ms",
                 places + ", ".join(f"{1e3 * t:.0f}" for t in near))  # fmt: skip
            line(f"{name}: toggle to output error on screen, passes", max(far) / unit, 2, "x",
                 places + ", ".join(f"{t / unit:.2f}" for t in far)
                 + f"; one pass of {it.session.data.evaluation_samples} samples {unit * 1e3:.0f} ms")  # fmt: skip


def toggled(it: Watcher, at: int, scheme: Scheme) -> tuple[float, float]:
    """Seconds until local error and simulation, and until the output error of a toggle are painted."""
    session = it.session
    session.apply_preset("fp16")
    it.until(it.is_settled)
    it.until(it.is_idle)
    kernel = session.network.tunable[at]
    forget(session, kernel, scheme)
    session._work._evaluator.evaluate(session.plan)
    it.table.setFocus()
    it.wait(0.02)
    session.select((kernel.id,), kernel.id)
    it.wait(0.1)
    before = session.figures.simulation
    begin = perf_counter()
    QTest.keyClick(it.table, KEYS[scheme])
    shown, settled = it.first_frames(lambda: it.shows_toggle(kernel, scheme, before), it.shows_output)
    return shown - begin, settled - begin


def forget(session: Any, kernel: Kernel, scheme: Scheme) -> None:
    """Let session and evaluator forget what earlier rounds have found out, one kernel's session, and what it shares."""
    evaluator = session._work._evaluator
    session._results._known.clear()
    session._results.local.pop((kernel.id, scheme), None)
    evaluator._plans.clear()
    shared = evaluator._shared
    keep = set(shared.reference_keys)
    shared.totals._found = {key: found for key, found in shared.totals._found.items() if key in keep}
    shared.outputs._found.clear()
    shared.sessions.drop(kernel, scheme)
    shared.sessions.alikes.clear()


def forward_seconds(it: Watcher) -> float:
    """One pass of the evaluation samples through the file, by ONNX Runtime at its best with 2 threads."""
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 2, 1
    options.add_free_dimension_override_by_name("batch", 1)
    run = ort.InferenceSession(str(it.session.path), options, providers=["CPUExecutionProvider"])
    feeds = it.session._work._evaluator._shared.samples.feeds
    times = []
    for _ in range(ROUNDS):
        begin = perf_counter()
        for feed in feeds:
            run.run(None, feed)
        times.append(perf_counter() - begin)
    return min(times)


# ticks ----------------------------------------------------------------------------------------------------------------


def tick_lines(paths: dict[str, Path]) -> None:
    """A 16 ms timer of the window while work goes on."""
    for name, path in paths.items():
        works: dict[str, Callable[[Watcher], None]] = {
            "nothing runs": lambda it: it.wait(1.0),
            "all INT8 is evaluated": everything,
            "a sweep runs": swept,
            "a model is loaded": lambda it, path=path: loaded(it, path),
        }
        for title, work in works.items():
            rounds = []
            for _ in range(2):
                with opened(path) as it:
                    it.window.show_layout("sweep" if work is swept else "tune")
                    it.wait(0.5)
                    rounds.append(ticks(lambda it=it, work=work: work(it)))
            found = min(rounds, key=lambda gaps: float(np.percentile(gaps, 95)))
            p50, p95 = np.percentile(found, (50, 95))
            line(f"{name}: 16 ms timer while {title}, p95", float(p95), 20, "ms", f"p50 {p50:.1f}, {len(found)} ticks")
            line(f"{name}: 16 ms timer while {title}, longest gap", min(max(g) for g in rounds), 100, "ms")


def everything(it: Watcher) -> None:
    """All INT8 by one edit, then evaluated again from the reference on until three seconds have gone by."""
    session = it.session
    begin = perf_counter()
    session.apply_preset("int8")
    it.until(it.is_settled)
    while perf_counter() - begin < 3:
        for kernel in session.network.tunable:
            forget(session, kernel, INT8)
            it.wait(0.001)  # forgetting is no part of what is measured: all in one go it would be a gap of its own
        session._evaluate()
        it.until(lambda: session._results.known(session.plan) is not None)


def swept(it: Watcher) -> None:
    """A sweep, stopped after five seconds."""
    begin = perf_counter()
    it.session.start_sweep()
    it.until(lambda: perf_counter() - begin > 5 or not it.session.sweeping)
    it.session.stop_sweep()


def loaded(it: Watcher, path: Path) -> None:
    """From the choice of the file to the first figures, three times."""
    for _ in range(3):
        before = it.session.network
        it.session.open_model(path)
        it.until(lambda before=before: it.session.network is not before and it.has_figures())


def big(path: Path, shapes: dict[str, tuple[int, ...]]) -> str:
    """A large model opened with the docks of each layout on show.

    Returns:
        Why it can't be opened; "" if it can.
    """
    for layout in BIG_LAYOUTS:
        with opened(None) as it:
            it.window.show_layout(layout)
            it.wait(0.5)
            found: list[float] = []
            gaps = ticks(lambda it=it, found=found: _until_figures(it, path, shapes, found))
            if it.session.last_error is not None:
                return str(it.session.last_error)
            name = f"{path.stem}, layout {layout}"
            detail = f"output error from {_samples(it)}; of all samples after {found[1]:.2f} s"
            line(f"{name}: opened to its first figures", found[0], 8, "s", detail)
            line(f"{name}: longest gap meanwhile", max(gaps), 100, "ms",
                 f"p95 {np.percentile(gaps, 95):.1f}, {len(gaps)} ticks")  # fmt: skip
            rest = ticks(lambda it=it: it.until(it.is_idle, 300))
            line(f"{name}: longest gap until nothing runs", max(rest, default=0), 100, "ms")
            gaps = []
            for other in BIG_LAYOUTS:
                gaps += ticks(lambda it=it, other=other: (it.window.show_layout(other), it.wait(1)))
            line(f"{path.stem}: longest gap while layouts are gone through", max(gaps), 100, "ms")
    return ""


def _until_figures(it: Watcher, path: Path, shapes: dict[str, tuple[int, ...]], found: list[float]) -> None:
    """Seconds to the first output error, and to that of all samples; nothing if the model can't be opened."""
    session = it.session
    begin = perf_counter()
    session.open_model(path, shapes or None)
    for known in (lambda: session_figures(it), lambda: session_figures(it) and not session.staleness.output_stale):
        it.until(lambda known=known: session.last_error is not None or known(), 120)
        if session.last_error is not None:
            return
        if not found:
            it.first_samples = session.figures.evaluation.samples
        found.append(perf_counter() - begin)


def _samples(it: Watcher) -> str:
    return f"{it.first_samples} of {it.session.figures.evaluation.samples} samples"


def session_figures(it: Watcher) -> bool:
    """Whether the session knows latency and output error; the Summary may be in no dock of the layout."""
    figures = it.session.figures
    return figures.simulation is not None and figures.evaluation is not None


def spread(found: list[float]) -> str:
    """All rounds."""
    return "rounds: " + ", ".join(f"{value:.2f}" for value in found)


def main() -> int:
    """Run the parts that are asked for."""
    if sys.argv[1:2] == ["big"]:
        given = (argument.split("=") for argument in sys.argv[3:])
        problem = big(Path(sys.argv[2]), {name: tuple(map(int, shape.split(","))) for name, shape in given})
        if problem:
            print(problem, file=sys.stderr)
        return 1 if problem else 0
    parts = sys.argv[1:] or ["start", "sample", "toggle", "ticks"]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    if "start" in parts:
        start()
    with tempfile.TemporaryDirectory() as folder:
        paths = {
            "page_orientation": sample_models() / "page_orientation" / "page_orientation.onnx",
            "mobilenet_v2": mobilenet_v2(Path(folder) / "mobilenet_v2.onnx"),
            "encoder": encoder(Path(folder) / "encoder.onnx"),
        }
        if "sample" in parts:
            sample()
        if "toggle" in parts:
            toggle(paths)
        if "ticks" in parts:
            tick_lines(paths)
    print(f"load {os.getloadavg()[0]:.1f}; {len(failed)} missed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
