"""One selection, one pointer: every dock that shows kernels takes both from all others, and gives them."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from plot_hand import PlotHand, settle, show
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from engine.precision.scheme import FP16, INT8
from gui.bridge import hub
from gui.docks import DOCKS
from gui.views import blocks_matrix as matrix

FIRST, SECOND = 22, 27
"""Indices of two kernels with weights, in blocks that are alike."""
CARD_ROWS = {"op", "shape", "local", "accumulated", "unit, bound by"}


def in_list(view, kernel) -> tuple[QWidget, QPoint]:
    row = list(view.kernels()).index(kernel.id)
    view.list.scrollTo(view.list.model().index(row, 0))
    column = next(c for c in range(view.list.model().columnCount()) if not view.list.isColumnHidden(c))
    return view.list.viewport(), view.list.visualRect(view.list.model().index(row, column)).center()


def in_layers(view, kernel):
    index = view.model.index(view.model.row_of(kernel.index), 1)
    view.table.scrollTo(index)
    return view.table.viewport(), view.table.visualRect(index).center()


def in_chart(view, kernel):
    return view.chart.viewport(), PlotHand(view).at(kernel.index)


def in_timeline(view, kernel):
    low, high = view.data.extent(view.data.index[kernel.id])
    return view.chart.viewport(), PlotHand(view).at((low + high) / 2)


def in_roofline(view, kernel):
    place = view.data.kernels.tolist().index(kernel.index)
    return view.chart.viewport(), PlotHand(view).at(float(view.data.intensity[place]), float(view.data.tops[place]))


def in_sensitivity(view, kernel):
    column = view.data.ids.index(kernel.id)
    row = view.data.plan_rows[column]
    return view.chart.viewport(), PlotHand(view).at(column + 0.5, len(view.data.schemes) - row - 0.5)


def in_graph(view, kernel):
    card = view.canvas.scene.picture.place[kernel.index]
    view.canvas.reveal([card])
    return view.canvas, view.canvas.rect_of_card(card).center().toPoint()


def in_blocks(view, kernel):
    table = view.matrix.data.kernels
    r, c = next((r, row.index(kernel.index)) for r, row in enumerate(table) if kernel.index in row)
    x = matrix.NUMBER + (c + 0.5) * view.matrix._cell()
    return view.matrix, QPoint(round(x), round(view.matrix.head + (r + 0.5) * matrix.ROW))


def in_preflight(view, kernel):
    row = next(r for r, f in enumerate(view.model.findings) if f.kernels[:1] == (kernel.index,))
    index = view.model.index(row)
    view.list.scrollTo(index)
    return view.list.viewport(), view.list.visualRect(index).center()


@dataclass(frozen=True)
class Place:
    """Where a dock shows a kernel."""

    find: Any
    part: str = ""
    """Attribute of the view that holds the kernels, where the view has other parts too."""
    card: bool = True


PLACES = {
    "layers": Place(in_layers),
    "error": Place(in_chart),
    "latency": Place(in_chart),
    "memory": Place(in_chart),
    "timeline": Place(in_timeline),
    "roofline": Place(in_roofline),
    "sensitivity": Place(in_sensitivity),
    "ranking": Place(in_list),
    "usage": Place(in_list),
    "measured": Place(in_list),
    "tensors": Place(in_list),
    "plans": Place(in_list, "differences"),
    "graph": Place(in_graph),
    "blocks": Place(in_blocks),
    "preflight": Place(in_preflight, card=False),  # a row is a finding, of one kernel or several
}
FOLLOW = {"kernel", "cost", "compare"}
"""Docks that show one kernel, the current one."""
NO_KERNELS = {"summary", "thermal", "coldstart", "jitter", "pareto", "search", "history", "jobs", "log"}
"""Docks about the whole model, about plans or about the program."""


def test_every_dock_is_spoken_for():
    assert {spec.id for spec in DOCKS} == set(PLACES) | FOLLOW | NO_KERNELS


@pytest.fixture
def prepared(session, tmp_path, qtbot):
    """A profile, a plan B that differs, and a finding of its own for each of the two kernels."""
    costs = zip(session.network.kernels, session.figures.simulation.kernels, strict=True)
    rows = [f"{k.outputs[0]},{2 * cost.latency_us}" for k, cost in costs if cost.latency_us]
    (tmp_path / "p.csv").write_text("name,time(us)\n" + "\n".join(rows))
    session.measurements.open_profile(tmp_path / "p.csv")
    qtbot.waitUntil(lambda: bool(session.measurements.profiles))
    session.set_scheme([k.id for k in session.network.tunable], FP16)
    session.keep_plan("before")
    session.set_scheme([session.network.kernels[i].id for i in (FIRST, SECOND)], INT8)
    session.kept.compare_with("before")
    return session


@pytest.fixture
def make(prepared, qtbot, theme, monkeypatch):
    from gui.views import preflight
    from gui.views.preflight_findings import Finding

    own = [Finding("warn", f"about {i}", "detail", (i,)) for i in (SECOND, FIRST)]
    monkeypatch.setattr(preflight, "finding_steps", lambda session: iter([own]))
    monkeypatch.setattr(preflight, "worded", list)

    def made(dock):
        import importlib

        spec = next(s for s in DOCKS if s.id == dock)
        kind = getattr(importlib.import_module(spec.module), spec.name)
        view = show(qtbot, kind, prepared, theme, 760, 700)
        if dock == "graph":
            qtbot.waitUntil(lambda: view.canvas.scene is not None, timeout=15_000)
            QTest.mouseClick(view.collapse, Qt.MouseButton.LeftButton)
            count = len(prepared.network.kernels)
            qtbot.waitUntil(lambda: len(view.canvas.scene.picture.cards) == count, timeout=15_000)
        part = getattr(view, PLACES[dock].part) if dock in PLACES and PLACES[dock].part else view
        draw(view, part)
        return view, part

    return made


def draw(*views):
    for _ in range(2):
        for view in views:
            settle(view)


def move(widget, place, button=Qt.MouseButton.NoButton):
    at = QPointF(place)
    if not widget.underMouse():
        QApplication.sendEvent(widget, QEnterEvent(at, at, widget.mapToGlobal(at)))
    event = QMouseEvent(
        QEvent.Type.MouseMove, at, widget.mapToGlobal(at), Qt.MouseButton.NoButton, button, Qt.KeyboardModifier(0)
    )
    QApplication.sendEvent(widget, event)


def leave(widget):
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
    up = widget.parentWidget()
    if up is not None:
        QApplication.sendEvent(up, QEvent(QEvent.Type.Leave))


def picture(view):
    view.card.hide() if hasattr(view, "card") else None
    return view.grab().toImage()


@pytest.mark.parametrize("dock", PLACES)
def test_selection_and_pointer_go_both_ways(make, prepared, qtbot, dock):
    session, (view, part) = prepared, make(dock)
    first, second = session.network.kernels[FIRST], session.network.kernels[SECOND]

    # A click here selects there.
    session.select([first.id], first.id, "somebody")
    draw(view, part)
    widget, place = PLACES[dock].find(part, second)
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    qtbot.waitUntil(lambda: session.current == second.id, timeout=2000)
    assert session.selection == (second.id,)
    draw(view, part)
    leave(widget)

    # A selection made elsewhere shows here.
    here = picture(part)
    session.select([first.id], first.id, "somebody")
    draw(view, part)
    assert picture(part) != here

    # The pointer here is known elsewhere, and gone when it has left.
    widget, place = PLACES[dock].find(part, second)
    move(widget, place)
    qtbot.waitUntil(lambda: hub.hovered == second.id, timeout=2000)
    leave(widget)
    qtbot.waitUntil(lambda: hub.hovered == "", timeout=2000)

    # The pointer elsewhere shows here, and goes again.
    draw(view, part)
    before = picture(part)
    hub.hover(second.id, "somebody")
    hub.settle()
    assert picture(part) != before
    hub.hover(None, "somebody")
    assert picture(part) == before


@pytest.mark.parametrize("dock", [dock for dock, place in PLACES.items() if place.card])
def test_a_resting_pointer_brings_the_same_card_everywhere(make, prepared, qtbot, dock):
    _, part = make(dock)
    kernel = prepared.network.kernels[SECOND]
    widget, place = PLACES[dock].find(part, kernel)
    move(widget, place - QPoint(1, 0))
    move(widget, place)
    qtbot.waitUntil(part.card.isVisible, timeout=3000)
    content = part.card.content
    assert content.title == f"#{kernel.index}  {kernel.name}"
    assert content.badge is not None
    assert {label for label, _ in content.rows} >= CARD_ROWS
    assert any("latency" in label or "of " in words for label, words in content.rows)
    assert content.text  # why it costs that
    leave(widget)
    qtbot.waitUntil(lambda: not part.card.isVisible(), timeout=2000)


@pytest.mark.parametrize("dock", sorted(FOLLOW))
def test_a_dock_of_one_kernel_follows_the_current_one(make, prepared, qtbot, dock):
    view, _ = make(dock)
    seen = []
    for place in (FIRST, SECOND):
        kernel = prepared.network.kernels[place]
        prepared.select([kernel.id], kernel.id, "somebody")
        draw(view)
        qtbot.waitUntil(lambda: not prepared.jobs.active, timeout=10_000)
        draw(view)
        seen.append(view.grab().toImage())
    assert seen[0] != seen[1]


def test_a_cell_that_has_gone_asks_for_no_card(make, prepared):
    view, _ = make("blocks")
    asked = []
    view.matrix.rested.connect(lambda kernel, place: asked.append(kernel))
    widget, place = in_blocks(view, prepared.network.kernels[SECOND])
    move(widget, place)
    assert view.matrix._rest.isActive()
    view.matrix.set(replace(view.matrix.data, kernels=((0,),), names=("1",), roles=("q",)))  # of another model
    assert not view.matrix._rest.isActive()
    view.matrix._on_rest()
    assert not asked
