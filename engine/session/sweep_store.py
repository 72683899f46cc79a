"""Where the window keeps measured cells from one run of the program to the next: one small file per model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.progress import CancelToken
from engine.text import Text, say
from engine.tuning.context import context_of
from engine.tuning.store import SCHEMA, ResultStore, Row, StoreError

_MOST_FILES = 64


def store_path(folder: Path, network: Network) -> Path:
    """The file of a model; other versions of the format have files of their own."""
    return folder / "sweeps" / f"{network.graph.sha256[:32]}-{SCHEMA}.db"


def open_store(folder: Path | None, network: Network, warn: Callable[[Text], None]) -> ResultStore | None:
    """The store of a model, made if it is not there; None, and a warning, if it can't be used."""
    if folder is None:
        return None
    path = store_path(folder, network)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _forget_oldest(path)
        return ResultStore(path, network)
    except OSError as error:
        text = say("{path} can't be made ({reason}).", path=path.parent, reason=error.strerror or error)
    except StoreError as error:
        text = error.text
    warn(say("{problem} Sweeps go on, but are not kept for the next start.", problem=text))
    return None


def recall(
    folder: Path | None, network: Network, evaluator: Evaluator, cancel: CancelToken, warn: Callable[[Text], None]
) -> list[Row]:
    """All rows that were measured with just this model, data, ranges and version."""
    if folder is None or not store_path(folder, network).is_file():
        return []
    store = open_store(folder, network, warn)
    if store is None:
        return []
    with closing(store):
        cancel.check()
        context = context_of(network, evaluator.samples, evaluator.ranges)
        cancel.check()
        known = {kernel.id for kernel in network.tunable} | {""}
        try:
            return [row for row in store.rows(context) if row.kernel in known]
        except StoreError as error:
            warn(error.text)
            return []


def _forget_oldest(path: Path) -> None:
    """Keep the files of the models that were swept last."""
    others = sorted(path.parent.glob("*.db"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in others[_MOST_FILES:]:
        if file != path:
            for part in (file, file.with_name(file.name + "-wal"), file.with_name(file.name + "-shm")):
                part.unlink(missing_ok=True)
