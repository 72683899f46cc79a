"""A short soak: the same clicks again and again leave no more objects of ours behind (hours: benchmarks/soak.py)."""

import gc
import importlib.util
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMenu

_SCRIPT = Path(__file__).parents[2] / "benchmarks" / "soak.py"
SPARE = 12
"""Objects of one type more or less are caches that fill, jobs that are remembered, a simulation more."""
ROUNDS = 4
REMEMBERED = {
    "engine.session.state.Step",
    "engine.session.state.LogEntry",
    "engine.jobs.Job",
    "engine.progress.CancelToken",
    "engine.text.Text",
}
"""What is kept up to a bound on purpose: undo steps, the log, jobs and their words."""


@pytest.fixture
def clicker(qtbot, monkeypatch):
    monkeypatch.syspath_prepend(_SCRIPT.parent)
    spec = importlib.util.spec_from_file_location("soak", _SCRIPT)
    soak = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "soak", soak)  # dataclasses look their module up
    spec.loader.exec_module(soak)
    made = soak.Clicker("mobile_vision_encoder", 1)
    yield made
    made.close()


def ours():
    """How many objects there are of each type of the program, and of Qt's in its own tree, once nothing holds garbage.

    There they live on when Python has let go of them.
    """
    gc.collect()
    names = (f"{type(o).__module__}.{type(o).__qualname__}" for o in gc.get_objects())
    found = Counter(name for name in names if name.startswith(("gui.", "engine.")))
    for top in QApplication.topLevelWidgets():
        found.update(f"Qt {child.metaObject().className()}" for child in (top, *top.findChildren(QObject)))
    return found


def one_round(clicker):
    acts = (clicker.set_scheme, clicker.look, clicker.undo, clicker.overlay, clicker.type_filter)
    for layout, act in zip(("profile", "sweep", "compare", "graph", "tune"), acts, strict=True):
        clicker.random.seed(layout)
        clicker.window.show_layout(layout)
        act()
    clicker.window.actions_.preset("fp16")
    clicker.settle()


def test_rounds_of_clicks_leave_nothing_behind(clicker):
    one_round(clicker)
    one_round(clicker)
    seen = [ours()]
    for _ in range(ROUNDS):
        one_round(clicker)
        seen.append(ours())
    before, after = seen[0], seen[-1]
    much = {name: (before[name], n) for name, n in after.items() if n - before[name] > SPARE + before[name] / 4}
    assert not much
    every = {name for name in after if all(a[name] < b[name] for a, b in pairwise(seen))}  # a few with each round
    assert every <= REMEMBERED


def test_a_menu_that_stays_with_each_round_is_noticed(clicker):
    one_round(clicker)
    seen = [ours()]
    for _ in range(2):
        QMenu(clicker.window)
        seen.append(ours())
    assert all(a["Qt QMenu"] < b["Qt QMenu"] for a, b in pairwise(seen))
