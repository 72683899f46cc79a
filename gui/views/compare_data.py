"""What the Compare view asks the engine for, and how its figures are worded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from engine.fusion.types import Kind
from engine.jobs import Job, JobContext
from engine.numerics.comparison import Comparison, compare
from engine.numerics.npu_metrics import NpuErrors, npu_errors
from engine.session.state import Captured
from engine.text import say
from gui import format as fmt
from gui.plots.table import Table
from gui.views.compare_statistics import ChannelRow

if TYPE_CHECKING:
    from engine.fusion.types import Kernel
    from engine.session import Session

CHANNELS_FIRST = {Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE, Kind.POOL}
WORST = 5


def channel_axis(kernel: Kernel, rank: int) -> int:
    """Where the channels of a kernel's output are: behind the batch for images, last for everything else."""
    return 1 if kernel.kind in CHANNELS_FIRST or rank >= 4 else -1


class Comparer:
    """Compares captured values in the session's query lane; only the newest question is answered."""

    def __init__(self, session: Session, arrived: Callable[[Captured, Comparison, NpuErrors | None], None]) -> None:
        self._session, self._arrived = session, arrived
        self._job: Job | None = None

    def ask(self, captured: Captured, axis: int, ascend: bool = False) -> None:
        """Compare, with the figures of the Ascend tool if wanted; `arrived` is called on the owner's thread."""

        def work(context: JobContext) -> tuple[Comparison, NpuErrors | None]:
            found = compare(
                captured.reference, captured.result, channel_axis=axis, levels=captured.levels, cancel=context.token
            )
            wanted = ascend and captured.reference.size > 0
            npu = npu_errors(captured.result, captured.reference, cancel=context.token) if wanted else None
            return found, npu

        self._job = self._session.jobs.submit(
            say("Comparing {tensor}", tensor=captured.tensor),
            work,
            lane="query",
            supersede="compare values",
            on_done=lambda found: self._arrived(captured, *found),
        )

    def stop(self) -> None:
        """Nobody waits for the answer any more."""
        if self._job is not None:
            self._job.cancel()
        self._arrived = lambda captured, found, npu: None


def worst_channels(found: Comparison) -> tuple[ChannelRow, ...]:
    """The channels with the largest relative error."""
    order = np.argsort(-found.relative_l2, kind="stable")[:WORST]
    top = float(found.relative_l2[order[0]]) if len(order) else 0.0
    rows = []
    for channel in order:
        error = float(found.relative_l2[channel])
        share = 1.0 if error == top else error / top if 0 < top < np.inf else 0.0
        spread = fmt.scientific(float(found.spread[channel]), 3)
        rows.append(ChannelRow(int(channel), spread, share, fmt.percent(error)))
    return tuple(rows)


def channel_table(found: Comparison) -> Table:
    """One row per channel."""
    rows = [(c, float(found.relative_l2[c]), float(found.spread[c])) for c in range(found.channels)]
    return Table(("channel", "relative_l2", "reference_range"), rows)


def picture_table(found: Comparison, channel: int) -> Table:
    """One row per pixel of the pictures on show."""
    a, b = found.pictures(channel)
    rows = [
        (r, c, float(a[r, c]), float(b[r, c]), float(b[r, c] - a[r, c]))
        for r in range(a.shape[0])
        for c in range(a.shape[1])
    ]
    return Table(("row", "column", "a", "b", "difference"), rows)


def histogram_table(found: Comparison, channel: int) -> Table:
    """One row per bin."""
    h = found.histogram(channel)
    rows = [
        (float(h.edges[i]), float(h.edges[i + 1]), int(h.reference[i]), int(h.result[i]))
        for i in range(len(h.reference))
    ]
    return Table(("from", "to", "a_count", "b_count"), rows)


def pair_table(found: Comparison, channel: int) -> Table:
    """One row per value of the channel, evenly picked where there are more than 65 536."""
    a, b = found.sampled(channel)
    return Table(("a", "b"), [(float(x), float(y)) for x, y in zip(a, b, strict=True)])
