"""How long one frame takes while somebody pans, zooms and scrolls through a network of many kernels.

    python benchmarks/bench_fluid.py [part ...]        parts: graph table; both without one

Milliseconds from the event to the end of the frame that answers it, by the clock of this thread alone (CPU time), the
median and the 95th percentile of many: on an idle machine both clocks agree, and on a busy one only this holds still.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from networks import long_chain
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from watch import Watcher, window

from gui.bridge import hub
from gui.views.graph_overlay import OVERLAYS

FRAME_MS = 33
KERNELS = {"graph": 2000, "table": 5000}


def frame(act: Callable[[], object]) -> float:
    """Milliseconds of this thread for an action and the painting that it asks for.

    The longest turn of the event loop, if views put their redraws off to frames of their own.
    """
    turns, begin = [], time.thread_time()
    act()
    for _ in range(3):
        QApplication.processEvents()
        now = time.thread_time()
        turns.append(1e3 * (now - begin))
        begin = now
    return max(turns)


def line(name: str, found: list[float]) -> None:
    """One figure beside its target."""
    p50, p95 = np.percentile(found, (50, 95))
    print(f"{name:60s} p50 {p50:6.1f}  p95 {p95:6.1f}  most {max(found):6.1f} ms  {'ok' if p95 <= FRAME_MS else 'NOT'}",
          flush=True)  # fmt: skip


def wheel(widget: QWidget, dy: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """One notch of the wheel over the middle."""
    at = QPointF(widget.rect().center())
    event = QWheelEvent(at, widget.mapToGlobal(at), QPoint(), QPoint(0, dy), Qt.MouseButton.NoButton, modifiers,
                        Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(widget, event)


def opened(path: Path, layout: str) -> Watcher:
    """A window with the model, and nothing running."""
    it = Watcher(window())
    it.window.show_layout(layout)
    it.session.open_model(path)
    it.until(it.has_figures, 300)
    it.until(it.is_idle, 300)
    it.wait(3)
    return it


def graph(path: Path) -> None:
    """The Graph view with every kernel as a card."""
    it = opened(path, "graph")
    view = it.window.view("graph")
    canvas = view.canvas
    view.collapse.setChecked(False)
    it.until(lambda: canvas.scene is not None and len(canvas.scene.picture.cards) > 1900)
    it.wait(1)
    print(f"Graph: {len(canvas.scene.picture.cards)} cards, {len(canvas.scene.picture.edges)} edges, {canvas.size()}")
    hub.set_overlay("precision")
    it.wait(0.5)
    for scale in (1.0, 0.5, 0.44, 0.1, 0.03):
        canvas.show_at(QPointF(canvas.size_of_graph().width() / 2, 3000), scale)
        it.wait(0.1)
        line(f"pan at scale {scale:g}", [frame(lambda: wheel(canvas, -240)) for _ in range(40)])
    for scale in (1.0, 0.1):
        canvas.show_at(QPointF(canvas.size_of_graph().width() / 2, 3000), scale)
        it.wait(0.1)
        found = []
        for overlay in OVERLAYS * 3:
            found.append(frame(lambda o=overlay: (hub.set_overlay(o), view.refresh_now())))
        line(f"another overlay at scale {scale:g}", found)
    canvas.show_at(QPointF(canvas.size_of_graph().width() / 2, 3000), 1.0)
    control = Qt.KeyboardModifier.ControlModifier
    line("zoom out", [frame(lambda: wheel(canvas, -120, control)) for _ in range(22)])
    line("zoom in", [frame(lambda: wheel(canvas, 120, control)) for _ in range(22)])
    canvas.show_at(QPointF(canvas.size_of_graph().width() / 2, 3000), 1.0)
    places = [QPoint(x, y) for y in range(20, canvas.height() - 20, 40) for x in range(50, canvas.width() - 50, 90)]
    line("pointer over cards", [frame(lambda p=p: QTest.mouseMove(canvas, p)) for p in places[:60]])
    kernels = it.session.network.kernels
    line("another kernel is selected", [
        frame(lambda k=k: it.session.select((k.id,), k.id)) for k in kernels[::97]])  # fmt: skip
    view.legend.set_threshold(0.5)
    line("threshold", [frame(lambda v=v: view.legend.set_threshold(v / 20)) for v in range(1, 20)])
    view.search.setText("")
    line("a letter in the search", [frame(lambda w=w: view.search.setText(w)) for w in ("c", "co", "con", "conv")])
    it.close()


def table(path: Path) -> None:
    """The Layers table."""
    it = opened(path, "tune")
    layers = it.table
    print(f"Layers: {layers.model().rowCount()} rows, {layers.size()}")
    bar = layers.verticalScrollBar()
    line("wheel", [frame(lambda: wheel(layers.viewport(), -120)) for _ in range(60)])
    line("thumb", [frame(lambda v=v: bar.setValue(v)) for v in range(0, bar.maximum(), max(1, bar.maximum() // 60))])
    layers.setFocus()
    line("arrow key", [frame(lambda: QTest.keyClick(layers, Qt.Key.Key_Down)) for _ in range(40)])
    line("pointer", [
        frame(lambda y=y: QTest.mouseMove(layers.viewport(), QPoint(120, y)))
        for y in range(5, layers.viewport().height() - 5, 15)
    ])  # fmt: skip
    it.close()


def main() -> int:
    """Run the parts that are asked for."""
    parts = sys.argv[1:] or list(KERNELS)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for part, count in KERNELS.items():
            if part in parts:
                path = long_chain(Path(folder) / f"{part}.onnx", count)
                {"graph": graph, "table": table}[part](path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
