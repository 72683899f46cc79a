"""Finds blocks and places away from the window's thread; only the newest question is answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.fusion.blocks import Series, find_series
from engine.fusion.types import Network
from engine.jobs import Job, JobContext
from engine.text import say
from gui.views.graph_arrange import Arrangement, arrange
from gui.views.graph_cards import Opened, Picture, first_open, picture_of

if TYPE_CHECKING:
    from engine.session import Session

Arrived = Callable[[tuple[Series, ...], Opened, Picture, Arrangement, float], None]
Answer = tuple[tuple[Series, ...], Opened, Picture, Arrangement, float]


class Layouter:
    """Lays out one network again and again, with other blocks unfolded."""

    def __init__(self, session: Session, arrived: Arrived) -> None:
        self._session = session
        self._arrived: Arrived | None = arrived
        self._job: Job | None = None
        self._series: tuple[Series, ...] | None = None

    def forget(self) -> None:
        """Another network is open."""
        self._series = None

    def ask(self, network: Network, opened: Opened | None, *, first: bool) -> None:
        """Lay out; the answer comes on the owner's thread.

        Args:
            network: The network.
            opened: The blocks to unfold; None for no folding at all.
            first: Unfold the first block of each series instead, which are not known yet.
        """
        series = self._series

        def work(context: JobContext) -> Answer:
            start = time.perf_counter()
            found = find_series(network) if series is None else series
            context.token.check()
            chosen = first_open(found) if first and opened is not None else opened
            picture = picture_of(network, found, chosen)
            context.token.check()
            arrangement = arrange(picture)
            return found, chosen or frozenset(), picture, arrangement, time.perf_counter() - start

        self._job = self._session.jobs.submit(
            say("Laying out the graph"), work, lane="query", supersede="graph layout", on_done=self._on_done
        )

    def stop(self) -> None:
        """Nobody waits any more."""
        if self._job is not None:
            self._job.cancel()
        self._arrived = None

    def _on_done(self, answer: Answer) -> None:
        if self._arrived is not None:
            self._series = answer[0]
            self._arrived(*answer)
