"""The longest turns of the window's event loop while somebody walks through every view of a model of many kernels.

    python benchmarks/bench_turns.py [KERNELS ...]        2000 and 5000 without one

Every turn over 50 ms is printed with the stack it was in, by the CPU time of the window's thread: other programs count
only as far as they share caches and cores. Each step is what a user does, by keys, clicks and commands.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from networks import long_chain
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from turns import Turns
from watch import Watcher, window

from gui.bridge import hub
from gui.docks import DOCKS
from gui.theme import theme_manager
from gui.views.graph_overlay import OVERLAYS

LAYOUTS = ("graph", "profile", "sweep", "compare", "tune")
LIMIT_MS = 100.0
STACKS = 3
"""Of a long turn: where it was found most often."""
LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
Step = tuple[str, Callable[[], object]]


def steps(it: Watcher) -> list[Step]:
    """What is done, in order; the window is left alone behind each until nothing runs."""
    made: list[Step] = []
    kernels = it.session.network.tunable
    for layout in LAYOUTS:
        made += [
            (f"{layout} on show", lambda layout=layout: it.window.show_layout(layout)),
            (f"{layout}: another kernel", lambda: it.session.select((kernels[70].id,), kernels[70].id)),
            (f"{layout}: all selected", lambda: _all(it)),
            (f"{layout}: all INT8", lambda: it.window.actions_.preset("int8")),
            (f"{layout}: undone", lambda: it.window.actions_.undo()),
            (f"{layout}: one kernel", lambda: it.session.select((kernels[7].id,), kernels[7].id)),
            (f"{layout}: INT4 for it", lambda: it.window.actions_.set_scheme("int4")),
        ]
    made += [(f"overlay {name}", lambda name=name: hub.set_overlay(name)) for name in OVERLAYS]
    made += [(f"{layout} again", lambda layout=layout: it.window.show_layout(layout)) for layout in LAYOUTS]
    made += [
        ("sorted by name", lambda: it.window.view("layers").model.sort_by("name", False)),
        ("sorted by latency", lambda: it.window.view("layers").model.sort_by("latency", True)),
        ("filter", lambda: it.window.view("layers").filter_bar.input.setText("conv")),
        ("no filter", lambda: it.window.view("layers").clear_filter()),
        ("end of the table", lambda: QTest.keyClick(it.table, Qt.Key.Key_End)),
        ("all by Ctrl+A", lambda: QTest.keyClick(it.table, Qt.Key.Key_A, CONTROL)),
        ("click on a row", lambda: QTest.mouseClick(it.table.viewport(), LEFT, pos=QPoint(90, 60))),
        ("light", lambda: theme_manager.set_mode("light")),
        ("dark", lambda: theme_manager.set_mode("dark")),
    ]
    made += [(f"panel {spec.id}", lambda spec=spec: it.window.host.reveal(spec.id)) for spec in DOCKS]
    return made


def _all(it: Watcher) -> None:
    ids = [kernel.id for kernel in it.session.network.kernels]
    it.session.select(ids, ids[0])


def settle(it: Watcher, seconds: float = 60) -> None:
    """Leave the window alone until nothing runs and all is drawn, or for so long."""
    end = time.monotonic() + seconds
    it.wait(0.7)
    while not it.is_idle() and time.monotonic() < end:
        it.wait(0.1)
    it.wait(0.3)


def walk(kernels: int) -> None:
    """Open the model, go through all steps, print what took long."""
    for spec in DOCKS:  # as the program does while nothing is open yet
        importlib.import_module(spec.module)
    with tempfile.TemporaryDirectory() as folder:
        path = long_chain(Path(folder) / "chain.onnx", kernels)
        it = Watcher(window())
        it.wait(0.5)
        with Turns().watched() as turns:
            turns.doing("opening")
            it.session.open_model(path)
            it.until(it.has_figures, 60)
            settle(it)
            longest = {"opening": turns.longest_ms}
            told = report(turns, 0)
            for name, act in steps(it):
                turns.doing(name)
                act()
                settle(it)
                longest[name] = turns.longest_ms
                told = report(turns, told)
        it.close()
    summarize(kernels, turns, longest)


def report(turns: Turns, told: int) -> int:
    """Print the turns that were found since so many were told; how many there are now."""
    for turn in turns.found[told:]:
        print(f"{turn.milliseconds:6.0f} ms  {turn.during}", flush=True)
        for stack, count in turn.stacks.most_common(STACKS):
            print(f"      {count:3d} x {stack}")
    return len(turns.found)


def summarize(kernels: int, turns: Turns, longest: dict[str, float]) -> None:
    """Print what came out for a model."""
    over = sum(ms > LIMIT_MS for ms in longest.values())
    worst = max(longest, key=lambda name: longest[name])
    found = f"{len(turns.found)} turns over {turns.least_ms:.0f} ms, {over} steps with one over {LIMIT_MS:.0f} ms"
    print(f"{kernels} kernels, {len(longest)} steps: longest turn {longest[worst]:.0f} ms ({worst}), {found}")


def main() -> int:
    """Walk through models of so many kernels."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for kernels in map(int, sys.argv[1:] or ("2000", "5000")):
        walk(kernels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
