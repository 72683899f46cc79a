"""What fusion saves and why some patterns did not fuse: worked out off the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.jobs import Job, JobContext
from engine.text import Text, say

if TYPE_CHECKING:
    from engine.fusion.explain import NotFused
    from engine.session import Session
    from engine.session.launching import FusionReport


class Fusing:
    """Asks for the report of one view, and keeps it as long as it holds."""

    def __init__(self, session: Session, key: str, arrived: Callable[[], None]) -> None:
        """Report to one view.

        Args:
            session: whose model, plan and device count.
            key: a newer question with the same key takes the place of an older one.
            arrived: called on the owner's thread when the report is there.
        """
        self._session = session
        self._key = key
        self._arrived = arrived
        self._report: FusionReport | None = None
        self._of: tuple[object, ...] = ()
        self._job: Job | None = None

    @property
    def report(self) -> FusionReport | None:
        """The report on what is open now; None until it is there."""
        return self._report if self._same(self._now(), self._of) else None

    def ask(self) -> None:
        """Have the report made unless it is there or being made."""
        network, plan, device = self._session.network, self._session.plan, self._session.device
        wanted = self._now()
        if network is None or self._same(wanted, self._of):
            return
        self._of, self._report = wanted, None

        def work(_context: JobContext) -> FusionReport:
            from engine.session.launching import fusion_report

            return fusion_report(network, plan, device)

        self._job = self._session.jobs.submit(
            say("Comparing fusion rules"),
            work,
            lane="query",
            supersede=self._key,
            on_done=lambda report: self._take(report, wanted),
        )

    def stop(self) -> None:
        """Nobody waits for the answer any more."""
        if self._job is not None:
            self._job.cancel()
        self._arrived = lambda: None

    def _now(self) -> tuple[object, ...]:
        return self._session.network, self._session.device, self._session.plan

    def _same(self, one: tuple[object, ...], other: tuple[object, ...]) -> bool:
        return len(one) == len(other) and one[0] is other[0] and one[1] is other[1] and one[2] == other[2]

    def _take(self, report: FusionReport, wanted: tuple[object, ...]) -> None:
        if self._same(wanted, self._of):
            self._report = report
            self._arrived()


class Apart:
    """Why neighbours of a kernel are not part of it. Depends on neither plan nor device: it is found once per model."""

    def __init__(self, session: Session, key: str, arrived: Callable[[], None]) -> None:
        """As `Fusing`."""
        self._session = session
        self._key = key
        self._arrived = arrived
        self._network: object = None
        self._found: tuple[NotFused, ...] = ()
        self._job: Job | None = None

    def of(self, kernel_id: str) -> list[tuple[str, Text]]:
        """Names of what stayed apart from a kernel, and why; empty until it is known."""
        network = self._session.network
        if network is None or self._network is not network:
            return []
        found = []
        for each in self._found:
            members = (each.kernel, *each.others)
            if kernel_id in members:
                names = ", ".join(network.by_id(other).name for other in members if other != kernel_id)
                found.append((names, each.reason))
        return found

    def ask(self) -> None:
        """Have it found unless it is known or being looked for."""
        network = self._session.network
        if network is None or self._network is network:
            return
        self._network, self._found = network, ()

        def work(_context: JobContext) -> tuple[NotFused, ...]:
            from engine.session.launching import not_fused

            return not_fused(network)

        self._job = self._session.jobs.submit(
            say("Comparing fusion rules"),
            work,
            lane="query",
            supersede=self._key,
            on_done=lambda found: self._take(found, network),
        )

    def stop(self) -> None:
        """Nobody waits for the answer any more."""
        if self._job is not None:
            self._job.cancel()
        self._arrived = lambda: None

    def _take(self, found: tuple[NotFused, ...], network: object) -> None:
        if network is self._network:
            self._found = found
            self._arrived()
