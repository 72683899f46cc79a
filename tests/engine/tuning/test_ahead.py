"""Cells that run one ahead of who waits: the same figures in the same order, and no thread that waits for another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from handmade import samples_like, small_net

from engine.errors import Cancelled, PlanError
from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme
from engine.progress import NEVER, CancelToken
from engine.tuning.exact import ExactCell, ExactSweep, Pause
from engine.tuning.replay import Replay
from engine.tuning.store import Figures, ResultStore
from engine.tuning.sweep import cells_of

WAIT_S = 20.0


@pytest.fixture
def evaluator() -> Iterator[Evaluator]:
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs, 3))) as made:
        yield made


@pytest.fixture
def net(evaluator: Evaluator) -> Network:
    return evaluator.network


def without_seconds(figures: Figures) -> Figures:
    return replace(figures, seconds=0.0)


def one_by_one(evaluator: Evaluator, cells: list[tuple[str, Scheme]]) -> list[Figures]:
    with closing(ExactSweep(evaluator)) as sweep:
        return [without_seconds(sweep.cell(*cell, blocks=True)) for cell in cells]


def test_figures_are_those_of_cells_one_by_one(evaluator: Evaluator, net: Network) -> None:
    cells = cells_of(net, [INT4, INT8, FP16])
    found = list(ExactSweep(evaluator).run(cells))
    assert [(cell.kernel, cell.scheme) for cell in found] == cells
    assert [without_seconds(cell.figures) for cell in found] == one_by_one(evaluator, cells)
    assert all(cell.figures.seconds > 0 for cell in found)


def test_known_cells_in_between_are_looked_up(evaluator: Evaluator, net: Network, tmp_path) -> None:
    cells = cells_of(net, [INT4, INT8, FP16])
    expected = one_by_one(evaluator, cells)
    with closing(ResultStore(tmp_path / "some.db", net)) as store:
        assert len(list(ExactSweep(evaluator, store=store).run(cells[1::2]))) == len(cells[1::2])
        found = list(ExactSweep(evaluator, store=store).run(cells))
        assert [cell.stored for cell in found] == [bool(at % 2) for at in range(len(cells))]
        assert [without_seconds(cell.figures) for cell in found] == expected
        assert all(cell.stored for cell in ExactSweep(evaluator, store=store).run(cells))


def test_the_next_cell_runs_while_the_last_sample_of_one_does(evaluator: Evaluator, net: Network, monkeypatch) -> None:
    cells = cells_of(net, [INT4, INT8, FP16])
    later, first = threading.Event(), cells[0]
    after = Replay._after

    def watched(self: Replay, kernel, scheme: Scheme, sample: int, cancel: CancelToken):
        if (kernel.id, scheme) != first:
            later.set()
        elif sample == 2:
            assert later.wait(WAIT_S), "nothing of the next cell began"
        return after(self, kernel, scheme, sample, cancel)

    monkeypatch.setattr(Replay, "_after", watched)
    assert len(list(ExactSweep(evaluator).run(cells))) == len(cells)


def test_the_session_of_a_cell_is_opened_while_others_run(evaluator: Evaluator, net: Network, monkeypatch) -> None:
    cells = [(kernel.id, INT4) for kernel in net.tunable] * 2
    order: list[tuple[str, str]] = []
    begin, ahead = Replay.begin, Replay.open_ahead
    monkeypatch.setattr(
        Replay, "begin", lambda self, k, *a, **o: (order.append(("run", k)), begin(self, k, *a, **o))[1]
    )
    monkeypatch.setattr(Replay, "open_ahead", lambda self, k, s: (order.append(("open", k)), ahead(self, k, s))[1])
    list(ExactSweep(evaluator).run(cells))
    kernels = [kernel for kernel, _ in cells]
    assert [kernel for what, kernel in order if what == "run"] == kernels
    for at in range(2, len(kernels)):  # its turn in the queue is in front of the samples of the cell before it
        opened = [place for place, each in enumerate(order) if each == ("open", kernels[at])]
        run = [place for place, each in enumerate(order) if each == ("run", kernels[at - 1])]
        assert min(opened) < run[-1]


def test_nothing_is_begun_behind_a_pause(evaluator: Evaluator, net: Network, monkeypatch) -> None:
    cells, pause, begun = cells_of(net, [INT4, INT8, FP16]), Pause(), []
    begin = Replay.begin
    monkeypatch.setattr(
        Replay, "begin", lambda self, k, s, *a, **o: (begun.append((k, s)), begin(self, k, s, *a, **o))[1]
    )
    run = ExactSweep(evaluator, pause=pause).run(cells)
    found: list[ExactCell] = [next(run)]
    assert begun == cells[:2]
    pause.pause()
    asked, token = threading.Event(), CancelToken()

    def go_on() -> None:
        asked.set()
        found.append(next(run))

    thread = threading.Thread(target=go_on)
    thread.start()
    assert asked.wait(WAIT_S)
    assert begun == cells[:2]
    pause.resume()
    thread.join(WAIT_S)
    found += run
    assert [(cell.kernel, cell.scheme) for cell in found] == cells == begun
    assert not token.cancelled


def test_cells_in_front_of_one_that_does_not_exist_are_handed_out(evaluator: Evaluator, net: Network) -> None:
    cells = cells_of(net, [INT4])[:3]
    run = ExactSweep(evaluator).run([*cells, ("nobody", INT4)])
    assert [(cell.kernel, cell.scheme) for cell in (next(run), next(run), next(run))] == cells
    with pytest.raises(PlanError, match="nobody"):
        next(run)


def test_a_cancel_ends_what_has_been_begun(evaluator: Evaluator, net: Network) -> None:
    cells, token = cells_of(net, [INT4, INT8, FP16]), CancelToken()
    run = ExactSweep(evaluator).run(cells, cancel=token)
    next(run)
    token.cancel()
    with pytest.raises(Cancelled):
        next(run)
    assert [cell.kernel for cell in ExactSweep(evaluator).run(cells, cancel=NEVER)] == [kernel for kernel, _ in cells]
    assert evaluator.evaluate(Plan({net.tunable[0].id: INT4})).output.sqnr_db > 0
