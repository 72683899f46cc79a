"""Exact sweeps on a Dask cluster of two worker processes: the local figures bit for bit, also when one is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import distributed.utils
import numpy as np
import pytest
from distributed import LocalCluster
from handmade import samples_like

from engine.numerics import Evaluator
from engine.precision.scheme import FP16, INT4, INT8
from engine.session.work import open_network
from engine.tuning.cluster import ClusterError, dask_cluster
from engine.tuning.exact import ExactSweep
from engine.tuning.spread import sweep_on
from engine.tuning.store import ResultStore
from engine.tuning.sweep import cells_of


@pytest.fixture
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes, which a nanny starts again when they die."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made:
        yield made
    # The library's thread for big messages would live as long as the process.
    distributed.utils._offload_executor.shutdown()
    distributed.utils._offload_executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="Dask-Offload")


def _workers(cluster: LocalCluster) -> set[int]:
    return {nanny.pid for nanny in cluster.workers.values()}


def _comparable(cells):
    return {(cell.kernel, cell.scheme): replace(cell.figures, seconds=0.0) for cell in cells}


def test_two_workers_and_one_of_them_killed(cluster: LocalCluster, cnn_path: Path, tmp_path: Path) -> None:
    """One cluster serves all of it: to start one takes seconds."""
    network = open_network(cnn_path)
    rng = np.random.default_rng(3)
    feeds = {info.name: rng.standard_normal(info.shape).astype(np.float32) for info in network.graph.inputs}
    with closing(Evaluator(network, replace(samples_like(feeds, 4), labels=np.asarray([1, 2, 0, 1])))) as evaluator:
        cells = cells_of(network, [INT4, INT8, FP16])
        local = _comparable(ExactSweep(evaluator).run(cells))
        before = _workers(cluster)
        assert len(before) == 2
        with dask_cluster(cluster.scheduler_address, network) as (executor, send, lost):
            with closing(ResultStore(tmp_path / "s.db", network)) as store:
                run = sweep_on(executor, evaluator, cells, store=store, send=send, lost=tuple(lost))
                found = [next(run)]
                os.kill(min(before), signal.SIGKILL)
                found += run
                assert len(list(store.rows(ExactSweep(evaluator).context()))) == len(cells)
            assert not any(cell.stored for cell in found)
            assert len(found) == len(cells), "no cell is lost, none comes twice"
            assert _comparable(found) == local
            whole = list(sweep_on(executor, evaluator, cells, send=send, lost=tuple(lost)))
            assert _comparable(whole) == local


def test_nobody_there_is_a_sentence(cnn_path: Path) -> None:
    network = open_network(cnn_path)
    with (
        pytest.raises(ClusterError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"),
        dask_cluster("tcp://127.0.0.1:9", network),
    ):
        pass
