"""An exact sweep on many workers: any `concurrent.futures.Executor`, one cell a task.

A worker opens the model once; figures are bit for bit those of a local sweep. Cells are kept as they arrive, so a lost
worker, or a killed program, costs at most the cells that were being measured.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context

from engine.asides import scratch
from engine.errors import MixbitError
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import say
from engine.tuning.exact import ExactCell, ExactSweep
from engine.tuning.shipment import Shipment, Unpacked, pack, unpack
from engine.tuning.store import Figures, Mode, ResultStore

_FRESH_STARTS = 3
_POLL_S = 0.05
_opening = threading.Lock()
_opened: dict[str, tuple[Unpacked, ExactSweep]] = {}
"""What a worker has opened, by digest: one shipment at a time. A worker has no owner that could hold it."""


class LostWorkerError(MixbitError):
    """Workers have gone, and there are no others."""


Send = Callable[[Shipment], object]
"""Hands a shipment to the workers once; what it returns arrives in a task as the shipment."""


def local_processes(count: int) -> Executor:
    """Worker processes on this machine, started afresh: a copy of a process with running threads may hang."""
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


def sweep_on(
    executor: Executor,
    evaluator: Evaluator,
    cells: Sequence[tuple[str, Scheme]],
    *,
    mode: Mode = "one-in",
    base: Plan | None = None,
    store: ResultStore | None = None,
    send: Send = lambda shipment: shipment,
    again: Callable[[], Executor] | None = None,
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,),
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Iterator[ExactCell]:
    """Measure cells on workers; each is in the store before it is handed out, in the order of arrival.

    Args:
        executor: Runs tasks; it is not shut down.
        evaluator: Its network, samples and ranges are swept; it runs nothing itself but the reference.
        cells: Kernel ids with schemes, the most urgent first.
        mode: Which question is asked.
        base: The plan around the cells.
        store: Where figures are looked up and entered.
        send: How the workers get the model; by default they read this machine's files.
        again: Makes another executor when all workers of one are lost.
        lost: Errors that mean a lost worker.
        progress: Told after each cell.
        cancel: Checked while waiting.

    Raises:
        LostWorkerError: If workers are lost and there are no others; cells handed out before are kept.
        StoreError: If the store can't be read or written.
        PlanError: If a kernel or scheme doesn't exist, or a method does not fit a kernel.
        Cancelled: If asked to stop.
    """
    sweep = ExactSweep(evaluator, mode=mode, base=base, store=store)
    left: list[tuple[str, Scheme]] = []
    done = 0
    for kernel, scheme in cells:
        figures = sweep.known(kernel, scheme, cancel=cancel)
        if figures is None:
            left.append((kernel, scheme))
        else:
            done += 1
            yield ExactCell(kernel, scheme, mode, figures, True)
    if not left:
        return
    evaluator.prepare(cancel=cancel)
    with scratch() as folder:
        blocks = sweep.by_blocks(len(cells))
        shipment = pack(evaluator, mode, base or Plan(), blocks, folder, left, cancel=cancel)
        for starts in range(_FRESH_STARTS + 1):
            try:
                for kernel, scheme, figures in _measured(executor, send(shipment), tuple(left), cancel):
                    sweep.keep(kernel, scheme, figures, cancel=cancel)
                    left.remove((kernel, scheme))
                    done += 1
                    progress(done / len(cells), say("Measured {done} of {all} cells", done=done, all=len(cells)))
                    yield ExactCell(kernel, scheme, mode, figures, False)
                return
            except lost as error:
                if again is None or starts == _FRESH_STARTS:
                    raise LostWorkerError(
                        say(
                            "A worker was lost and there is no other; {done} of {all} cells are measured. "
                            "Start the sweep again to go on.",
                            done=done,
                            all=len(cells),
                        )
                    ) from error
                executor = again()


def _measured(
    executor: Executor, sent: object, cells: Sequence[tuple[str, Scheme]], cancel: CancelToken
) -> Iterator[tuple[str, Scheme, Figures]]:
    tasks: dict[Future[Figures], tuple[str, Scheme]] = {}
    try:
        for kernel, scheme in cells:
            tasks[executor.submit(measure, sent, kernel, scheme)] = (kernel, scheme)
        while tasks:
            cancel.check()
            done = wait(tasks, _POLL_S, FIRST_COMPLETED).done
            for task in sorted(done, key=lambda task: task.exception() is not None):  # what is there is kept first
                cancel.check()
                cell = tasks.pop(task)
                yield (*cell, task.result())
    finally:
        for task in tasks:
            task.cancel()


def measure(shipment: object, kernel: str, scheme: Scheme) -> Figures:
    """A task: one cell, in a worker that opens the shipment when it sees it first."""
    assert isinstance(shipment, Shipment)
    with _opening:  # threads of one worker take turns: each cell uses all its cores anyway
        if shipment.digest not in _opened:
            _close()
            found = unpack(shipment)
            _opened[shipment.digest] = found, ExactSweep(found.evaluator, mode=found.mode, base=found.base)
        unpacked, sweep = _opened[shipment.digest]
        return sweep.cell(kernel, scheme, blocks=unpacked.blocks)


def forget() -> None:
    """Let a worker drop what it has opened."""
    with _opening:
        _close()


def _close() -> None:
    while _opened:
        _, (unpacked, sweep) = _opened.popitem()
        sweep.close()
        unpacked.close()
