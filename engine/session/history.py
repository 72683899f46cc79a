"""Undo and redo of edits to plan and locks. Each edit is one step, however many kernels it changes."""

from __future__ import annotations

from collections.abc import Callable

from engine.precision.plan import Plan
from engine.session.state import Step
from engine.text import Text

MOST_STEPS = 1000
"""Older ones are forgotten."""
LEAST_STEPS, MOST_SCHEMES = 100, 1_000_000
"""Of large models fewer are kept: a plan takes some 60 bytes a kernel, and each step has one of its own."""
MOST_REFITTED = 100
"""Steps that outlast a change of the kernels."""


class History:
    """A line of steps with a position in it."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._at = 0

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, the undone ones included."""
        return tuple(self._steps)

    @property
    def undo_step(self) -> Step | None:
        """What undo would take back."""
        return self._steps[self._at - 1] if self._at else None

    @property
    def redo_step(self) -> Step | None:
        """What redo would do again."""
        return self._steps[self._at] if self._at < len(self._steps) else None

    @property
    def place(self) -> int:
        """How many steps are done; the others are undone."""
        return self._at

    @property
    def locked(self) -> frozenset[str] | None:
        """What is locked at this place; None if no step is about locks."""
        done = next((step.locks for step in reversed(self._steps[: self._at]) if step.locks is not None), None)
        if done is not None:
            return done[1]
        undone = next((step.locks for step in self._steps[self._at :] if step.locks is not None), None)
        return undone[0] if undone is not None else None

    def push(
        self, title: Text, before: Plan, after: Plan, locks: tuple[frozenset[str], frozenset[str]] | None = None
    ) -> None:
        """Add a step; undone steps are forgotten."""
        del self._steps[self._at :]
        self._steps.append(Step(title, before, after, locks))
        most = min(MOST_STEPS, max(LEAST_STEPS, MOST_SCHEMES // max(1, len(after))))
        del self._steps[:-most]
        self._at = len(self._steps)

    def go_to(self, place: int) -> Plan | None:
        """Go to where so many steps are done; the plan to return to, or None if that is here already."""
        place = min(max(place, 0), len(self._steps))
        if place == self._at:
            return None
        self._at = place
        return self._steps[place - 1].after if place else self._steps[0].before

    def undo(self) -> Plan | None:
        """Go one step back; the plan to return to, or None at the beginning."""
        if not self._at:
            return None
        self._at -= 1
        return self._steps[self._at].before

    def redo(self) -> Plan | None:
        """Go one step forward; the plan to return to, or None at the end."""
        if self._at == len(self._steps):
            return None
        self._at += 1
        return self._steps[self._at - 1].after

    def refit(self, change: Callable[[Plan], Plan]) -> int:
        """Go on with other plans: the kernels have changed. Steps that then change nothing are left out.

        Args:
            change: gives the plan of the new kernels for one of the old; asked once for each plan.

        Returns:
            How many steps were left out.
        """
        known: dict[int, Plan] = {}  # most steps begin with the very plan that the one before has made

        def of(plan: Plan) -> Plan:
            return known.setdefault(id(plan), known.get(id(plan)) or change(plan))

        skipped = max(0, len(self._steps) - MOST_REFITTED)
        if self._at < skipped:  # so much was undone that the place is not among the newest
            skipped = len(self._steps)
        new = [Step(step.title, of(step.before), of(step.after), step.locks) for step in self._steps[skipped:]]
        left = [step.before != step.after or step.locks is not None for step in new]
        self._at = sum(left[: max(0, self._at - skipped)])
        lost = len(self._steps) - sum(left)
        self._steps = [step for step, stays in zip(new, left, strict=True) if stays]
        return lost

    def clear(self) -> None:
        """Forget everything."""
        self._steps.clear()
        self._at = 0
