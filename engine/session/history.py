"""Undo and redo of plan edits. Each edit is one step, however many kernels it changes."""

from __future__ import annotations

from engine.precision.plan import Plan
from engine.session.state import Step
from engine.text import Text

MOST_STEPS = 1000
"""Older ones are forgotten."""


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

    def push(self, title: Text, before: Plan, after: Plan) -> None:
        """Add a step; undone steps are forgotten."""
        del self._steps[self._at :]
        self._steps.append(Step(title, before, after))
        del self._steps[:-MOST_STEPS]
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

    def clear(self) -> None:
        """Forget everything."""
        self._steps.clear()
        self._at = 0
