"""What a plan would cost: simulated off the GUI thread before anybody decides.

Only the device side is asked here (time, size, memory, energy); what it does to the output error is known after a run
on samples only, and is never guessed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.fusion.types import Network
from engine.jobs import Job, JobContext
from engine.npu.results import Simulation
from engine.precision.plan import Plan
from engine.quant.sizes import PlanBytes, plan_bytes
from engine.text import say

if TYPE_CHECKING:
    from engine.npu.device import Device
    from engine.session import Session

_REMEMBERED = 64
_WAIT_S = 0.5
"""How long the evaluation of the plan goes first: simulating is pure Python, in the way of every call it makes."""


@dataclass(frozen=True, eq=False, slots=True)
class Price:
    """The device side of a plan."""

    plan: Plan
    size: PlanBytes
    simulation: Simulation


def price_of(network: Network, plan: Plan, device: Device) -> Price:
    """Simulate a plan and count its bytes."""
    from engine.npu import simulate

    return Price(plan, plan_bytes(network, plan), simulate(network, plan, device))


class Pricer:
    """Prices plans in the session's query lane and remembers them as long as model and device stay the same."""

    def __init__(self, session: Session, key: str, arrived: Callable[[], None]) -> None:
        """Price for one view.

        Args:
            session: whose model and device count.
            key: a newer question with the same key takes the place of an older one.
            arrived: called on the owner's thread when prices that were asked for are known.
        """
        self._session = session
        self._key = key
        self._arrived = arrived
        self._known: dict[Plan, Price] = {}
        self._valid_for: tuple[object, object] = (None, None)
        self._asked: tuple[Plan, ...] = ()
        self._job: Job | None = None

    def known(self, plan: Plan) -> Price | None:
        """The price of a plan if it has been simulated."""
        self._check()
        return self._known.get(plan)

    def ask(self, plans: Sequence[Plan]) -> None:
        """Find the prices of these plans; `arrived` is called when they are there."""
        self._check()
        network, device = self._session.network, self._session.device
        missing = tuple(dict.fromkeys(p for p in plans if p not in self._known))
        if network is None or not missing:
            return
        if missing == self._asked and self._job is not None and self._job.active:
            return
        self._asked = missing

        def work(context: JobContext) -> list[Price]:
            found = []
            end = time.monotonic() + _WAIT_S
            while not self._session.jobs.wait_idle("engine", 0.05) and time.monotonic() < end:
                context.check()
            for plan in missing:
                context.check()
                found.append(price_of(network, plan, device))
            return found

        valid_for = self._valid_for
        self._job = self._session.jobs.submit(
            say("Price preview"),
            work,
            lane="query",
            supersede=self._key,
            on_done=lambda found: self._take(found, valid_for),
        )

    def stop(self) -> None:
        """Nobody waits for the answer any more."""
        if self._job is not None:
            self._job.cancel()
        self._arrived = lambda: None

    def _check(self) -> None:
        current = (self._session.network, self._session.device)
        if current[0] is not self._valid_for[0] or current[1] is not self._valid_for[1]:
            self._known.clear()
            self._asked = ()
            self._valid_for = current

    def _take(self, found: Sequence[Price], valid_for: tuple[object, object]) -> None:
        self._check()
        if valid_for != self._valid_for:
            return
        for price in found:
            self._known[price.plan] = price
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]
        self._arrived()
