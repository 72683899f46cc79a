"""What a target makes of the plan, found out in the background for the export dialog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import MixbitError
from engine.interop.handover import Effect, Extras, Handover, measure_effect
from engine.text import Text, say

if TYPE_CHECKING:
    from engine.interop.targets import Target
    from engine.jobs import Job, JobContext
    from engine.session import Session


@dataclass(frozen=True, slots=True)
class Checked:
    """A hand-over and what it does to size and latency."""

    handover: Handover
    effect: Effect | None = None
    """None where the target changes nothing, or where the device can't run the result."""
    problem: Text | None = None
    """Why there is no effect although something changes."""


def check(
    session: Session,
    target: Target,
    options: Mapping[str, str],
    *,
    done: Callable[[Checked], None],
    failed: Callable[[Text], None],
) -> Job:
    """Put the plan through a target in the session's query lane; a newer check takes the place of this one."""
    snapshot, device = session.snapshot(), session.device

    def run(ctx: JobContext) -> Checked:
        extras = Extras(snapshot.samples, snapshot.images, dict(options))
        handover = target.check(snapshot.network, snapshot.plan, extras)
        ctx.check()
        if not handover.changes:
            return Checked(handover)
        try:
            effect = measure_effect(snapshot.network, snapshot.plan, handover, device=device, cancel=ctx.token)
        except MixbitError as error:
            ctx.check()
            return Checked(handover, problem=error.text)
        return Checked(handover, effect)

    return session.jobs.submit(
        say("Checking {target}", target=target.title),
        run,
        lane="query",
        supersede="handover",
        on_done=done,
        on_failed=failed,
    )
