"""The collector of garbage in cycles, kept away from what a model brings: to look at that would stop every thread."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from engine.session.changes import Change, What

if TYPE_CHECKING:
    from engine.session import Session

THRESHOLDS = (10_000, 5, 20)
"""New objects before the young are looked at, and how often that before the older and the oldest are. A model of 5,000
kernels brings some hundred thousand objects that stay: by Python's own (700, 10, 10) all of them are gone through again
and again while it is being read, 0.2 s each time."""


LARGE = 500
"""Kernels from which on a model is set aside. When it goes, all there is must be gone through once, 0.1 s and more,
which is too long a wait for a model that was no burden."""


class Garbage:
    """Sets aside what is there once a large model is on show, and again once its first figures are."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._aside = self._awaits = False
        gc.set_threshold(*THRESHOLDS)
        session.subscribe(self._on_change)

    def _on_change(self, change: Change) -> None:
        if change.what is What.MODEL:
            if self._aside:  # of the model before
                gc.unfreeze()
                gc.collect()
            network = self._session.network
            self._aside = self._awaits = network is not None and len(network.kernels) >= LARGE
            if self._aside:
                gc.freeze()
        elif change.what is What.EVALUATION and self._awaits and self._session.figures.evaluation is not None:
            self._awaits = False
            gc.freeze()
