"""A function of the user's own as the figure of an exact sweep: the same plan, the same figure, kept, or a sentence."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from handmade import samples_like, small_net

from engine.errors import DataError, PlanError
from engine.numerics import Evaluator
from engine.numerics.user_metric import named_metric
from engine.precision.plan import Plan
from engine.precision.scheme import INT4, INT8
from engine.tuning.estimate import estimate
from engine.tuning.exact import ExactSweep, cells_out, value_of
from engine.tuning.metrics import Metric
from engine.tuning.own import OwnFigure
from engine.tuning.store import ResultStore
from engine.tuning.sweep import cells_of

SOURCE = """
import numpy as np

def mean(outputs, references, labels):
    with open(__file__ + ".calls", "a") as log:
        log.write("x")
    return float(np.mean([np.abs(o).mean() for each in outputs for o in each.values()]))

def broken(outputs, references, labels):
    raise RuntimeError("no figure today")
"""


@pytest.fixture
def evaluator():
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs, 3))) as made:
        yield made


@pytest.fixture
def own(evaluator: Evaluator, tmp_path: Path):
    (tmp_path / "mine.py").write_text(SOURCE)
    with closing(evaluator.fork()) as fork, closing(OwnFigure(named_metric(f"{tmp_path / 'mine.py'}:mean"), fork)) as o:
        yield o


def _calls(tmp_path: Path) -> int:
    return len((tmp_path / "mine.py.calls").read_text())


def _mean(evaluator: Evaluator, plan: Plan) -> float:
    found = evaluator.output(plan)
    return float(np.mean([np.abs(array).mean() for each in found for array in each.values()]))


@pytest.mark.parametrize("cells_at_once", [2, 100])
def test_each_cell_is_rated_alone_by_blocks_and_without(
    evaluator: Evaluator, own: OwnFigure, cells_at_once: int
) -> None:
    cells = cells_of(evaluator.network, [INT4, INT8])[:cells_at_once]
    found = list(ExactSweep(evaluator, own=own).run(cells))
    plain = _mean(evaluator, Plan())
    assert own.reference == pytest.approx(plain, rel=1e-5)
    for cell in found:
        change = _mean(evaluator, Plan({cell.kernel: cell.scheme})) - plain
        assert cell.figures.own == pytest.approx(change, rel=1e-3, abs=1e-5)
        assert value_of(cell.figures, Metric.OWN) == abs(cell.figures.own)
    assert any(cell.figures.own != 0 for cell in found)


def test_one_out_and_the_plan_around_it(evaluator: Evaluator, own: OwnFigure) -> None:
    base = Plan(dict.fromkeys((k.id for k in evaluator.network.tunable), INT4))
    sweep = ExactSweep(evaluator, mode="one-out", base=base, own=own)
    assert sweep.baseline().own == pytest.approx(_mean(evaluator, base) - _mean(evaluator, Plan()), abs=1e-6)
    assert all(cell.figures.own is not None for cell in sweep.run(cells_out(evaluator.network, base)))


def test_figures_are_kept_by_content_of_the_function(evaluator: Evaluator, own: OwnFigure, tmp_path: Path) -> None:
    cells = cells_of(evaluator.network, [INT4])
    with closing(ResultStore(tmp_path / "s.db", evaluator.network)) as store:
        plain = list(ExactSweep(evaluator, store=store).run(cells))
        assert all(cell.figures.own is None for cell in plain)
        first = list(ExactSweep(evaluator, store=store, own=own).run(cells))
        assert not any(cell.stored for cell in first), "those without the figure are measured again"
        asked = _calls(tmp_path)
        again = list(ExactSweep(evaluator, store=store, own=own).run(cells))
        assert all(cell.stored for cell in again)
        assert [cell.figures.own for cell in again] == [cell.figures.own for cell in first]
        assert _calls(tmp_path) == asked
        rows = list(store.rows(ExactSweep(evaluator).context(), own.key))
        assert [row.figures.own for row in rows] == [cell.figures.own for cell in first]
        assert all(row.figures.own is None for row in store.rows(ExactSweep(evaluator).context(), "another"))
        (tmp_path / "mine.py").write_text(SOURCE + "# changed\n")
        with closing(OwnFigure(own.metric, evaluator)) as changed:
            assert changed.key != own.key


def test_a_function_that_fails_keeps_what_there_is(evaluator: Evaluator, own: OwnFigure, tmp_path: Path) -> None:
    cells = cells_of(evaluator.network, [INT4])
    broken = named_metric(f"{tmp_path / 'mine.py'}:broken")
    with closing(ResultStore(tmp_path / "s.db", evaluator.network)) as store:
        list(ExactSweep(evaluator, store=store, own=own).run(cells[:2]))
        with (
            closing(OwnFigure(broken, evaluator)) as bad,
            pytest.raises(DataError, match=r"mine.py:broken failed: RuntimeError: no figure today \(line 10\)"),
        ):
            list(ExactSweep(evaluator, store=store, own=bad).run(cells))
        assert len(list(store.rows(ExactSweep(evaluator).context()))) == 2


def test_it_has_no_gradient(evaluator: Evaluator) -> None:
    with pytest.raises(PlanError, match="A function of your own has no gradient"):
        estimate(evaluator, [INT8], metric=Metric.OWN)
