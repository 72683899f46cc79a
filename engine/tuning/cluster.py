"""Sweeps on a Dask cluster (the extra `mixbit[cluster]`): the model goes to each worker once, cells are tasks."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from engine.errors import MixbitError
from engine.fusion.types import Network
from engine.text import say
from engine.tuning.shipment import with_files
from engine.tuning.spread import Send

if TYPE_CHECKING:
    from concurrent.futures import Executor

LOCAL = "local"
_TIMEOUT_S = 10


class ClusterError(MixbitError):
    """Dask is not installed, or its cluster can't be reached."""


@contextmanager
def dask_cluster(
    address: str, network: Network, workers: int = 2
) -> Iterator[tuple[Executor, Send, Sequence[type[BaseException]]]]:
    """Connect to a cluster, or start one on this machine.

    Args:
        address: "tcp://host:port" of a scheduler, or "local".
        network: What will be swept.
        workers: Processes of a local cluster.

    Yields:
        Executor, `send` and `lost` for `engine.tuning.spread.sweep_on`.

    Raises:
        ClusterError: If Dask is missing or nobody answers.
    """
    try:
        from distributed import Client, KilledWorker, LocalCluster
        from distributed.client import FutureCancelledError
    except ImportError as error:
        raise ClusterError(say("Dask is not installed; install mixbit[cluster].")) from error
    cluster: Any = None
    try:
        if address == LOCAL:
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)
        else:
            _knock(address)
        client: Any = Client(cluster if cluster is not None else address, timeout=_TIMEOUT_S)
    except (OSError, ValueError, TimeoutError) as error:
        if cluster is not None:
            cluster.close()
        raise ClusterError(
            say("No Dask scheduler answers at {address} ({reason}); start one or use --dask local.", address=address,
                reason=error or type(error).__name__)
        ) from error  # fmt: skip
    try:

        def send(shipment: Any) -> object:
            return client.scatter(with_files(shipment, network), broadcast=True, hash=False)

        yield client.get_executor(pure=False), send, (KilledWorker, FutureCancelledError)
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def _knock(address: str) -> None:
    """Find out in time whether somebody is there: a client that can't connect leaves a thread behind.

    Raises:
        OSError: Nobody answers.
        ValueError: The address can't be read.
    """
    where = urlsplit(address)
    if where.scheme == "tcp" and where.hostname and where.port:
        socket.create_connection((where.hostname, where.port), _TIMEOUT_S).close()
