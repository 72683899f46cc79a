"""Sweeps on worker processes: the same figures bit for bit, and nothing is lost with a worker."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import BrokenExecutor, Future
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from handmade import samples_like, small_net
from small_models import small_cnn

from engine.errors import Cancelled, PlanError
from engine.numerics import Evaluator, calibrate
from engine.numerics.learned import fits
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, FP32, INT4, INT8
from engine.progress import CancelToken
from engine.session.work import open_network
from engine.tuning import spread
from engine.tuning.cluster import ClusterError, dask_cluster
from engine.tuning.exact import ExactSweep, cells_out
from engine.tuning.shipment import pack, unpack, with_files
from engine.tuning.spread import LostWorkerError, local_processes, sweep_on
from engine.tuning.store import ResultStore
from engine.tuning.sweep import cells_of


@pytest.fixture
def evaluator(cnn_path: Path):
    network = open_network(cnn_path)
    rng = np.random.default_rng(3)
    feeds = {info.name: rng.standard_normal(info.shape).astype(np.float32) for info in network.graph.inputs}
    with closing(Evaluator(network, replace(samples_like(feeds, 4), labels=np.asarray([1, 2, 0, 1])))) as made:
        yield made


@pytest.fixture
def two():
    pool = local_processes(2)
    yield pool
    pool.shutdown(cancel_futures=True)


def _comparable(cells):
    return {(cell.kernel, cell.scheme): replace(cell.figures, seconds=0.0) for cell in cells}


def test_two_processes_give_the_local_figures_bit_for_bit(evaluator: Evaluator, two, tmp_path: Path) -> None:
    network = evaluator.network
    cells = cells_of(network, [INT4, INT8, FP16])
    local = _comparable(ExactSweep(evaluator).run(cells))
    fractions: list[float] = []
    with closing(ResultStore(tmp_path / "s.db", network)) as store:
        found = list(sweep_on(two, evaluator, cells, store=store, progress=lambda f, _: fractions.append(f)))
        assert _comparable(found) == local
        assert not any(cell.stored for cell in found)
        assert fractions[-1] == 1.0
        again = list(sweep_on(two, evaluator, cells, store=store))
        assert all(cell.stored for cell in again)
        assert _comparable(again) == local
    base = Plan(dict.fromkeys((k.id for k in network.tunable), INT4))
    out = cells_out(network, base)
    expected = _comparable(ExactSweep(evaluator, mode="one-out", base=base).run(out))
    assert _comparable(sweep_on(two, evaluator, out, mode="one-out", base=base)) == expected


def test_a_killed_worker_loses_nothing(evaluator: Evaluator, tmp_path: Path) -> None:
    network, pools = evaluator.network, []

    def make():
        pools.append(local_processes(2))
        return pools[-1]

    cells = cells_of(network, [INT4, INT8])
    try:
        with closing(ResultStore(tmp_path / "s.db", network)) as store:
            run = sweep_on(make(), evaluator, cells, store=store, again=make)
            first = next(run)
            os.kill(next(iter(pools[0]._processes)), signal.SIGKILL)
            rest = list(run)
            assert len(pools) == 2, "the first pool broke"
            assert len(list(store.rows(ExactSweep(evaluator).context()))) == len(cells)
        found = _comparable([first, *rest])
        assert found == _comparable(ExactSweep(evaluator).run(cells))
        assert len(found) == len(cells) == 1 + len(rest), "no cell twice"
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)


class _Here:
    """An executor that runs at once, in this process: the same code without a process to start.

    It breaks down after so many tasks.
    """

    def __init__(self, tasks: int = 1000) -> None:
        self.left = tasks

    def submit(self, work, *args):
        task: Future = Future()
        self.left -= 1
        try:
            if self.left < 0:
                raise BrokenExecutor
            task.set_result(work(*args))
        except Exception as error:
            task.set_exception(error)
        return task


@pytest.fixture
def _forgetful():
    yield
    spread.forget()


@pytest.mark.usefixtures("_forgetful")
def test_without_other_workers_it_says_what_is_kept(evaluator: Evaluator, tmp_path: Path) -> None:
    cells, found = cells_of(evaluator.network, [INT4]), []
    with closing(ResultStore(tmp_path / "s.db", evaluator.network)) as store:
        with pytest.raises(LostWorkerError, match=rf"2 of {len(cells)} cells are measured. Start the sweep again"):
            found += sweep_on(_Here(2), evaluator, cells, store=store)
        assert len(list(store.rows(ExactSweep(evaluator).context()))) == 2
        rest = list(sweep_on(_Here(), evaluator, cells, store=store))
    assert [cell.stored for cell in rest].count(True) == 2
    assert len(rest) == len(cells)


@pytest.mark.usefixtures("_forgetful")
def test_workers_that_keep_breaking_down_are_given_up(evaluator: Evaluator) -> None:
    made = []

    def again():
        made.append(_Here(0))
        return made[-1]

    with pytest.raises(LostWorkerError):
        list(sweep_on(_Here(0), evaluator, cells_of(evaluator.network, [INT4]), again=again))
    assert len(made) == 3


@pytest.mark.usefixtures("_forgetful")
def test_cancel_gives_waiting_tasks_up(evaluator: Evaluator) -> None:
    token = CancelToken()
    run = sweep_on(_Here(), evaluator, cells_of(evaluator.network, [INT4, INT8, FP16]), cancel=token)
    next(run)
    token.cancel()
    with pytest.raises(Cancelled):
        list(run)


@pytest.mark.usefixtures("_forgetful")
def test_what_is_sent_is_all_that_is_needed(evaluator: Evaluator, tmp_path: Path) -> None:
    """The model's own file is gone when the worker opens the shipment: it came along."""
    cells = cells_of(evaluator.network, [INT4])
    local = _comparable(ExactSweep(evaluator).run(cells))

    def send(shipment):
        sent = with_files(shipment, evaluator.network)
        assert not sent.folder
        evaluator.network.graph.path.rename(tmp_path / "elsewhere.onnx")
        return sent

    assert _comparable(sweep_on(_Here(), evaluator, cells, send=send)) == local


def test_a_model_that_changes_meanwhile_is_noticed(evaluator: Evaluator, tmp_path: Path) -> None:
    folder = tmp_path / "shipment"
    folder.mkdir()
    evaluator.prepare()
    shipment = pack(evaluator, "one-in", Plan(), False, folder)
    small_cnn(evaluator.network.graph.path, seed=9)
    with pytest.raises(PlanError, match="has changed since"):
        unpack(shipment)


GPTQ = replace(INT4, method="gptq")
SMOOTH = replace(INT8, method="smooth", corrected=True)


@pytest.mark.usefixtures("_forgetful")
@pytest.mark.parametrize("scheme", [GPTQ, replace(INT4, corrected=True), replace(GPTQ, corrected=True), SMOOTH])
def test_what_calibration_data_have_rounded_comes_along(evaluator: Evaluator, scheme) -> None:
    """Both around the cells and in them; rounding to nearest gives other figures, so it is not that."""
    network = evaluator.network
    kernels = [kernel.id for kernel in network.tunable if fits(network, kernel, scheme.method)]
    base = Plan(dict.fromkeys(kernels, scheme))

    def send(shipment):
        return with_files(shipment, network)

    out = cells_out(network, base)
    expected = _comparable(ExactSweep(evaluator, mode="one-out", base=base).run(out))
    assert _comparable(sweep_on(_Here(), evaluator, out, mode="one-out", base=base, send=send)) == expected
    cells = [(kernel, scheme) for kernel in kernels]
    found = _comparable(sweep_on(_Here(), evaluator, cells, send=send))
    assert found == _comparable(ExactSweep(evaluator).run(cells))
    nearest = _comparable(ExactSweep(evaluator).run([(kernel, scheme.rounded) for kernel in kernels]))
    assert {k: f for (k, _), f in found.items()} != {k: f for (k, _), f in nearest.items()}


def test_ranges_of_every_number_of_bits_arrive(evaluator: Evaluator, tmp_path: Path) -> None:
    ranges = calibrate(evaluator.network, evaluator.samples, observer="mse")
    assert set(ranges.by_bits) == {4, 16}
    with closing(Evaluator(evaluator.network, evaluator.samples, ranges=ranges)) as fine:
        fine.prepare()
        sent = unpack(pack(fine, "one-in", Plan(), False, tmp_path))
        with closing(sent.evaluator) as there:
            assert there.ranges.by_bits == ranges.by_bits
            assert there.ranges.ranges == ranges.ranges


def test_text_and_numbers_arrive_as_they_were(tmp_path: Path) -> None:
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        evaluator.prepare()
        shipment = pack(evaluator, "one-out", Plan({net.tunable[0].id: FP32}), True, tmp_path)
        settings = (tmp_path / "settings.json").read_text()
        assert '"one-out"' in settings
        assert pack(evaluator, "one-out", Plan({net.tunable[0].id: FP32}), True, tmp_path).digest == shipment.digest
        assert pack(evaluator, "one-in", Plan(), True, tmp_path).digest != shipment.digest


def test_without_dask_it_says_what_to_install(evaluator: Evaluator, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"install mixbit\[cluster\]"), dask_cluster("local", evaluator.network):
        pass
