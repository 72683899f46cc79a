"""Cells of an estimate are made once: each view asks for all of them whenever it draws."""

from types import SimpleNamespace

from engine.precision.scheme import INT8
from engine.session import sweeps
from engine.session.sweeps import Sweeps
from engine.tuning.metrics import Metric


def table(*kernels):
    cells = {(kernel, INT8): SimpleNamespace(value=30.0, spread_db=1.0) for kernel in kernels}
    return SimpleNamespace(metric=Metric.SQNR, cells=cells)


def test_cells_of_an_estimate_are_made_once_and_those_of_the_next_anew(monkeypatch):
    made, make = [], sweeps.estimated_cell
    monkeypatch.setattr(sweeps, "estimated_cell", lambda found, key: made.append(key) or make(found, key))
    swept = Sweeps(SimpleNamespace(), SimpleNamespace())
    swept.metric = Metric.SQNR
    assert swept.estimated_cells == {}
    swept._estimates = {Metric.SQNR: table("a", "b")}
    for _ in range(3):
        assert set(swept.estimated_cells) == {("a", INT8), ("b", INT8)}
    assert len(made) == 2
    swept._estimates = {Metric.SQNR: table("c")}
    assert set(swept.estimated_cells) == {("c", INT8)}
