"""What a session announces: what changed and who did it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


class What(StrEnum):
    """Parts of the session that change on their own."""

    MODEL = "model"
    """Another model (or none): everything else is new too, only one announcement is made."""
    PLAN = "plan"
    """The plan, the undo history or the kept plans."""
    SELECTION = "selection"
    DATA = "data"
    DEVICE = "device"
    """Device profile, scenario or budgets."""
    SIMULATION = "simulation"
    """Size, timeline, memory, energy, heat of the current plan."""
    LOCAL = "local"
    """Local errors of some kernels."""
    EVALUATION = "evaluation"
    """Accumulated and output error, or their staleness."""
    SENSITIVITY = "sensitivity"
    SEARCH = "search"
    """Proposals, Pareto front, what to raise next."""
    METHODS = "methods"
    """What weight methods gain, or whether that is being measured."""
    CAPTURE = "capture"
    """Values for the Compare view."""
    MEASURED = "measured"
    """Profiles and latencies that a device has measured, or a device fitted to them."""
    JOBS = "jobs"
    LOG = "log"
    PROJECT = "project"
    """Project file, or whether there are unsaved edits."""


@dataclass(frozen=True, slots=True)
class Change:
    """One announcement."""

    what: What
    who: str = ""
    """The view that caused it, so that it can ignore its own change; '' for the engine."""


Listener = Callable[[Change], None]


def tell(listeners: Iterable[Listener], change: Change) -> None:
    """Make one announcement to all. A listener that fails keeps neither the others nor the session from going on.

    Its error goes where errors go that nobody catches: in a window to the dialog that shows faults.
    """
    for listener in tuple(listeners):
        try:
            listener(change)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)
