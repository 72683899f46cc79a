"""A short soak: the same clicks again and again leave no more objects of ours behind (hours: benchmarks/soak.py)."""

import gc
import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[2] / "benchmarks" / "soak.py"
SPARE = 12
"""Objects of one type more or less are caches that fill, jobs that are remembered, a simulation more."""


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
    """How many objects there are of each type of the program, once nothing holds garbage."""
    gc.collect()
    names = (f"{type(o).__module__}.{type(o).__qualname__}" for o in gc.get_objects())
    return Counter(name for name in names if name.startswith(("gui.", "engine.")))


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
    before = ours()
    for _ in range(2):
        one_round(clicker)
    after = ours()
    grown = {name: (before[name], n) for name, n in after.items() if n - before[name] > SPARE + before[name] / 4}
    assert not grown
